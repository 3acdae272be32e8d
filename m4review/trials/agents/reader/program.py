"""The command: ``reader --instruction FILE [--skills DIR] --database FILE --output FILE``."""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import duckdb

from .catalog import Catalog
from .chart import Chart
from .choice import choose_skill, scored_columns
from .derivation import Derivation
from .facts import Facts
from .grain import Grain, find_grain
from .instruction import Instruction, read_instruction
from .layers import Layers
from .markdown import Page, parse_page
from .seriesgrain import entry_grain, grain_series, series_grain
from .specification import Specification, read_specification
from .tables import Tables
from .trace import Trace
from .wording import Unreadable

MAX_BYTES = 1_000_000
"""Larger texts are refused: nobody reads them."""


class Refused(Exception):  # noqa: N818 - said to the caller, not a fault of the program
    """The run cannot start or end; the message names the file."""


def main(arguments: Sequence[str] | None = None, stream: TextIO | None = None) -> int:
    """Run the reader; the trace goes to ``stream`` (standard output). Exit 0 written, 2 not written."""
    parser = argparse.ArgumentParser(prog="reader", description=__doc__)
    parser.add_argument("--instruction", type=Path, required=True, help="the task's instruction.md")
    parser.add_argument("--skills", type=Path, help="folder that holds NAME/SKILL.md")
    parser.add_argument("--database", type=Path, required=True, help="the task database (opened read-only)")
    parser.add_argument("--output", type=Path, required=True, help="the output.csv to write")
    parser.add_argument("--memory", default="1GB", help="memory limit of the database engine")
    parser.add_argument("--threads", type=int, default=2, help="threads of the database engine")
    options = parser.parse_args(arguments)
    trace = Trace(stream or sys.stdout)
    try:
        rows = _run(options, trace)
    except Refused as problem:
        trace.end("error", str(problem))
        print(f"reader: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        text = f"{problem.filename or options.output}: {problem.strerror or 'cannot be used'}"
        trace.end("error", text)
        print(f"reader: {text}", file=sys.stderr)
        return 2
    except duckdb.Error as problem:
        text = f"the database engine stopped with {type(problem).__name__}"
        if isinstance(problem, duckdb.IOException | duckdb.OutOfMemoryException):
            text += f": {str(problem).splitlines()[0]}"  # speaks of files and memory, never of a value
        trace.end("error", text)
        print(f"reader: {options.database}: {text}", file=sys.stderr)
        return 2
    trace.end("ok", f"{rows} rows written")
    return 0


def _run(options: argparse.Namespace, trace: Trace) -> int:
    trace.message("reader: executes literally what the texts say; a lower bound, not a language model")
    page = _open(options.instruction, options.instruction.name, trace)
    instruction = read_instruction(page, trace)
    if not instruction.columns:
        raise Refused(f"{options.instruction}: no output columns are named, so there is nothing to write")
    pages = [_open(path, f"{path.parent.name}/{path.name}", trace) for path in _skill_files(options.skills)]
    if not options.database.is_file():
        raise Refused(f"{options.database}: no such database")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".reader-", dir=options.output.parent) as scratch:
        settings = {
            "memory_limit": options.memory,
            "threads": str(max(1, options.threads)),
            "temp_directory": scratch,
            "preserve_insertion_order": "true",
            "autoinstall_known_extensions": "false",
        }
        with duckdb.connect(str(options.database), read_only=True, config=settings) as connection:
            catalog = Catalog.of(connection)
            chosen = choose_skill(pages, instruction.columns, catalog.holds, trace)
            if chosen is None and scored_columns(page, instruction.columns):
                chosen = page  # the rules stand in the instruction itself
            elif chosen is None and pages:
                trace.message("no skill speaks of the output columns; the instruction stands alone")
            specification = read_specification(chosen, instruction.columns, trace) if chosen else None
            return _derive(instruction, specification, catalog, Tables(connection, trace), options.output)


def _derive(
    instruction: Instruction, specification: Specification | None, catalog: Catalog, tables: Tables, output: Path
) -> int:
    """Find the rows, derive their columns, and write them; returns the number of rows."""
    grain: Grain | None = None
    chart = Chart(tables, catalog, specification) if specification else None
    if specification is not None and chart is not None:
        try:
            rows = grain_series(specification.grain, specification)
            if rows:
                grain = series_grain(rows, chart, instruction.columns)
            else:
                grain = entry_grain(specification.grain, chart, instruction.columns)
        except Unreadable as problem:
            tables.trace.gap(f"{specification.file}:1", specification.grain, str(problem), "not executed")
    grain = grain or find_grain(instruction, specification, catalog, tables.connection, tables.trace)
    if grain is None:
        _write_header(output, instruction.columns)
        return 0
    if specification is None or chart is None:
        return Derivation(grain, instruction, tables, Layers(grain, instruction, None, {})).write(output)
    sources = specification.definitions.source.tables
    facts = Facts(grain, sources, specification.anchors, catalog, tables.connection, tables.trace)
    chart.facts = facts
    layers = Layers(grain, instruction, facts, specification.lists)
    return Derivation(grain, instruction, tables, layers, facts, chart).write(output)


def _skill_files(folder: Path | None) -> list[Path]:
    """``NAME/SKILL.md`` below the folder, or in it; in order of name."""
    if folder is None:
        return []
    if not folder.is_dir():
        raise Refused(f"{folder}: no such folder of skills")
    return sorted(path for path in [*folder.glob("SKILL.md"), *folder.glob("*/SKILL.md")] if path.is_file())


def _open(path: Path, name: str, trace: Trace) -> Page:
    trace.opened(str(path))
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise Refused(f"{path}: cannot be read ({problem.strerror})") from None
    if len(data) > MAX_BYTES:
        raise Refused(f"{path}: has {len(data):,} bytes, more than {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise Refused(f"{path}: line {line} is not UTF-8 text") from None
    return parse_page(text, name)


def _write_header(output: Path, columns: Sequence[str]) -> None:
    with output.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerow(columns)

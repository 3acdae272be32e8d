"""Scoring one output against one reference, inside DuckDB from the first byte to the last count.

The output is read once, as text, in file order; each cell is then cast on its own, so that a bad cell is that cell's
mismatch. Steps: ``reference`` (one row per key) → ``answer`` (the output, numbered and typed) → ``kept`` (first row
of each key) → one aggregate over the reference left-joined with it.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import duckdb
from pydantic import BaseModel, ConfigDict, Field

from m4review.errors import ScoringError
from m4review.scoring.cells import cell_error, cells_match, is_bad, output_value
from m4review.scoring.checks import Malformed, strict_checks
from m4review.scoring.errors import InvalidOutputError
from m4review.scoring.output import MAX_OUTPUT_BYTES, OutputFile, examine_output, separator_hint
from m4review.scoring.reference import Reference, open_reference
from m4review.scoring.score import ColumnScore, KeyScore, Score
from m4review.scoring.spec import ScoringSpec

ROUNDED = 8
"""Decimals of a match rate, as in the published records."""


class ScoringLimits(BaseModel):
    """What scoring may use. Memory beyond the limit spills to a temporary folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_output_bytes: int = Field(default=MAX_OUTPUT_BYTES, gt=0)
    memory: str = "2GB"
    threads: int = Field(default_factory=lambda: min(4, os.cpu_count() or 1), gt=0)


def score_output(output: Path, reference: Path, spec: ScoringSpec, *, limits: ScoringLimits | None = None) -> Score:
    """Score ``output`` (CSV with a header) against ``reference`` (Parquet, or CSV, gzip allowed).

    Rows may stand in any order, columns too, and further columns are ignored. An empty cell is the only missing marker.

    Raises:
        NoOutputError: there is no output file.
        InvalidOutputError: the output is no regular file, too large, without header or key column, or not CSV at all.
        ScoringError: the reference is missing, incomplete, empty or repeats keys.
    """
    limits = limits or ScoringLimits()
    with tempfile.TemporaryDirectory(prefix="m4review-score-") as folder:
        scratch = Path(folder)
        file = examine_output(output, scratch, max_bytes=limits.max_output_bytes)
        _require_keys(file, spec)
        settings: dict[str, str | bool | int | float | list[str]] = {
            "threads": limits.threads,
            "memory_limit": limits.memory,
            "temp_directory": folder,
        }
        with duckdb.connect(":memory:", config=settings) as connection:
            try:
                known = open_reference(connection, reference, scratch, spec)
                malformed = _read_answer(connection, file, known)
                keys = _keep_first(connection, known)
                columns = _compare(connection, file, known, spec, keys)
            except duckdb.Error as error:
                # The engine's own message may quote a line of the file.
                raise ScoringError(f"the comparison failed ({type(error).__name__})", where=output) from None
    nmaes = [column.nmae for column in columns if column.nmae is not None]
    return Score(
        reward=sum(column.rate for column in columns) / len(columns),
        columns=columns,
        keys=keys,
        ordered_nmae=sum(nmaes) / len(nmaes) if nmaes else None,
        checks=strict_checks(spec, file, malformed, keys, columns),
        output_sha256=file.sha256,
        reference_sha256=known.sha256,
    )


def _require_keys(file: OutputFile, spec: ScoringSpec) -> None:
    missing = [name for name in spec.key_columns if file.position(name) is None]
    if missing:
        separator = separator_hint(file.columns)
        raise InvalidOutputError(
            f"the output has no key column {', '.join(missing)}",
            where=file.path,
            line=1,
            expected="a header with " + ", ".join(spec.expected_columns),
            fix=f"separate cells by commas; this file uses {separator}" if separator else None,
        )


def _read_answer(connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference) -> Malformed:
    """Make the table ``answer``: ``row`` (file order), ``k…``, ``a…`` (NULL when empty or bad), ``b…`` (bad),
    ``bad_key``."""
    parts = ["row_number() OVER () AS row"]
    bad_keys = []
    for number, column in enumerate(known.keys):
        cell = f"c{file.position(column.name)}"
        value = output_value(column, cell)
        parts.append(f"{value} AS k{number}")
        bad_keys.append(is_bad(column, cell, value))
    parts.append(f"({' OR '.join(bad_keys)}) AS bad_key")
    for number, column in enumerate(known.scored):
        position = file.position(column.name)
        if position is not None:
            value = output_value(column, f"c{position}")
            parts += [f"{value} AS a{number}", f"{is_bad(column, f'c{position}', value)} AS b{number}"]
    width = len(file.columns)
    # Tolerant and in file order: short lines are padded, long ones cut. One further column shows what was cut.
    tolerant = _csv(file, width + 1, "null_padding = true, strict_mode = false, parallel = false")
    try:
        connection.execute(f"CREATE TEMP TABLE answer AS SELECT {', '.join(parts)} FROM {tolerant}").fetchall()
    except duckdb.InvalidInputException:
        raise InvalidOutputError(
            "the output is not CSV that can be read",
            where=file.path,
            expected="comma-separated lines, quotation marks closed, lines below 2 MB",
        ) from None
    strict = _csv(file, width, "ignore_errors = true, store_rejects = true, rejects_limit = 1, strict_mode = true")
    read = _one(connection, f"SELECT count(*) FROM {strict}")[0]
    total = _one(connection, "SELECT count(*) FROM answer")[0]
    first = connection.execute("SELECT min(line) FROM reject_errors").fetchall()[0][0]
    return Malformed(rows=max(total - read, int(first is not None)), first_line=first)


def _csv(file: OutputFile, width: int, options: str) -> str:
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(width))
    path = str(file.parsed_path).replace("'", "''")
    return (
        f"read_csv('{path}', auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
        f"nullstr = '', compression = 'none', {options}, columns = {{{columns}}})"
    )


def _keep_first(connection: duckdb.DuckDBPyConnection, known: Reference) -> KeyScore:
    """Make the view ``kept`` (first row of each key by file order) and count how the keys meet."""
    names = ", ".join(f"k{number}" for number in range(len(known.keys)))
    total, malformed = _one(connection, "SELECT count(*), count_if(bad_key) FROM answer")
    usable = total - malformed
    query = f"SELECT count(*) FROM (SELECT {names} FROM answer WHERE NOT bad_key GROUP BY {names})"
    distinct = _one(connection, query)[0]
    first = "NOT bad_key"
    if distinct < usable:
        first += f" AND row IN (SELECT min(row) FROM answer WHERE NOT bad_key GROUP BY {names})"
    connection.execute(f"CREATE TEMP VIEW kept AS SELECT * FROM answer WHERE {first}").fetchall()
    matched = _one(connection, f"SELECT count(row) FROM {_paired(known)}")[0]
    unique = distinct + malformed
    precision = matched / unique if unique else 0.0
    recall = matched / known.rows
    return KeyScore(
        reference_rows=known.rows,
        output_rows=total,
        matched=matched,
        missing=known.rows - matched,
        extra=unique - matched,
        duplicate=usable - distinct,
        malformed=malformed,
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if matched else 0.0,
    )


def _paired(known: Reference) -> str:
    """Every reference row, with the output row of its key (``row`` is NULL without one)."""
    same = " AND ".join(
        f"reference.k{number} {'IS NOT DISTINCT FROM' if nullable else '='} kept.k{number}"
        for number, nullable in enumerate(known.nullable_keys)
    )
    return f"reference LEFT JOIN kept ON {same}"


@dataclass(frozen=True, slots=True)
class _Terms:
    match: str
    error: str


def _compare(
    connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference, spec: ScoringSpec, keys: KeyScore
) -> tuple[ColumnScore, ...]:
    tolerances = [
        (spec.second_tolerances if column.kind == "timestamp" else spec.number_tolerances).get(column.name, 0.0)
        for column in known.scored
    ]
    terms = []
    for number, column in enumerate(known.scored):
        scale = known.scales[number]
        if file.position(column.name) is None:
            terms.append(_Terms("FALSE", "1.0::DOUBLE"))
            continue
        cells = (f"r{number}", f"a{number}", f"b{number}")
        match = cells_match(column, *cells, tolerances[number])
        terms.append(_Terms(match, cell_error(*cells, scale) if scale is not None else "NULL::DOUBLE"))
    sums = ", ".join(
        f"count_if(row IS NOT NULL AND {term.match}), avg({term.error}) FILTER (row IS NOT NULL)" for term in terms
    )
    figures = _one(connection, f"SELECT {sums} FROM {_paired(known)}")
    denominator = keys.reference_rows + keys.extra + keys.duplicate
    return tuple(
        ColumnScore(
            name=column.name,
            kind=column.kind,
            tolerance=tolerances[number],
            present=file.position(column.name) is not None,
            matched=figures[2 * number],
            denominator=denominator,
            rate=round(figures[2 * number] / denominator, ROUNDED),
            nmae=None
            if known.scales[number] is None or figures[2 * number + 1] is None
            else round(figures[2 * number + 1], 12),
        )
        for number, column in enumerate(known.scored)
    )


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[int, ...]:
    row: tuple[int, ...] = connection.execute(query).fetchall()[0]
    return row

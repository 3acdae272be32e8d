"""Proving that a bundle holds nothing that must not be published: every file is looked at, by what kind of file it is.

Files that no bundle has are refused whatever they hold. Numbers in the typed fields of our own records are figures; all
other numbers are compared with the identifiers of the datasets that the campaign ran on, where these are at hand.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import duckdb

from m4review.campaigns.croissant import FLOATS, WHOLE
from m4review.campaigns.leaks import ID_NAMES, Leak, Surroundings, candidate_numbers, table_leaks, text_leaks
from m4review.ehr import Dataset
from m4review.ehr.engine import identifier, quoted
from m4review.ehr.itemdictionary import shipped_items

TEXT_SUFFIXES = frozenset({".md", ".tex", ".html", ".svg", ".toml", ".txt", ""})
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_PARTS = frozenset({b"IHDR", b"IDAT", b"IEND", b"PLTE", b"pHYs", b"sBIT", b"gAMA", b"cHRM", b"sRGB", b"tRNS"})
"""Parts of a picture that hold pixels and how to show them, and no text."""
FIGURE_KEYS = frozenset({
    "size", "contentSize", "bytes_read", "rows", "runs", "seed", "schema_seed", "draws", "lines", "understood",
    "input_tokens", "output_tokens", "cached_tokens", "matched", "denominator", "reference_rows", "output_rows",
    "missing", "extra", "duplicate", "malformed", "left_count", "requests", "tool_calls", "exit_code", "memory_mib",
    "output_bytes", "tool_call", "tool_result", "message", "usage", "gap", "end", "line", "count", "replicate",
    "work_mib", "seconds", "model", "name", "allowed", "refused", "value",
})  # fmt: skip
"""Keys of our own JSON whose numbers are figures."""
FIGURES = FLOATS | WHOLE
"""Columns of the table of runs that hold figures."""
PLAIN_IDS = ("subject_id", "hadm_id", "stay_id", "patientunitstayid", "patienthealthsystemstayid")
"""Columns whose values are looked up in the datasets."""


@dataclass(frozen=True, slots=True)
class _Either:
    one: Container[int]
    other: Container[int]

    def __contains__(self, number: object) -> bool:
        return number in self.one or number in self.other


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What was found, and against which datasets identifiers were compared."""

    leaks: tuple[Leak, ...]
    compared: tuple[str, ...]


def scan(
    files: Mapping[str, bytes],
    around: Surroundings,
    datasets: Iterable[Dataset] = (),
    *,
    items: Container[int] = (),
) -> ScanResult:
    """Look at every file of a bundle, by its path in it.

    ``items`` are the item identifiers of changed schemas; those of our own queries are known.
    """
    shipped = shipped_items()
    leaks: list[Leak] = []
    numbers: dict[int, list[tuple[str, int | None]]] = {}
    for file, data in sorted(files.items()):
        for text, first, table in _texts(file, data, leaks):
            leaks += [_moved(leak, first) for leak in text_leaks(file, text, around)]
            if table:
                leaks += [_moved(leak, first) for leak in table_leaks(file, text.split("\n"), _Either(shipped, items))]
            for line, number in candidate_numbers(text):
                if number in shipped or number in items:
                    continue
                numbers.setdefault(number, []).append((file, None if first is None else first + line - 1))
        for leak in text_leaks(file, file, around):
            leaks.append(Leak(file, None, leak.kind))
        for _, number in candidate_numbers(file):
            numbers.setdefault(number, []).append((file, None))
    compared = []
    for dataset in datasets:
        compared.append(dataset.name)
        for number in _identifiers_among(dataset, numbers):
            leaks += [Leak(file, line, "a patient's identifier") for file, line in numbers[number]]
    return ScanResult(
        tuple(sorted(set(leaks), key=lambda leak: (leak.file, leak.line or 0, leak.kind))), tuple(compared)
    )


def _texts(file: str, data: bytes, leaks: list[Leak]) -> Iterator[tuple[str, int | None, bool]]:
    """The texts of a file, each with the line it begins on and whether it may be a table; odd files are leaks."""
    suffix = PurePosixPath(file).suffix
    try:
        if suffix == ".png":
            if not _is_bare_picture(data):
                leaks.append(Leak(file, None, "a picture with more in it than pixels"))
            return
        text = data.decode("utf-8")
        if suffix == ".json":
            yield from ((said, None, True) for said in _said(json.loads(text)))
        elif suffix == ".jsonl":
            for number, line in enumerate(text.splitlines(), start=1):
                yield from ((said, number, True) for said in _said(json.loads(line)))
        elif suffix == ".csv":
            yield from _cells(text)
        elif suffix in TEXT_SUFFIXES:
            yield text, 1, True
        else:
            leaks.append(Leak(file, None, "a kind of file that no bundle has"))
    except (ValueError, RecursionError, csv.Error):
        leaks.append(Leak(file, None, "content that is not what its name says"))


def _said(value: Any, key: str = "") -> Iterator[str]:
    """The texts of a JSON value, its keys among them, and its numbers where a key says what they are of."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield str(name)
            yield from _said(inside, str(name))
    elif isinstance(value, list):
        for inside in value:
            yield from _said(inside, key)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if key in ID_NAMES:
            yield f"{key}: {value:.0f}"
        elif key not in FIGURE_KEYS:
            yield str(value)


def _cells(text: str) -> Iterator[tuple[str, int | None, bool]]:
    """The cells of a table of runs that are no figures: what stands under an identifier's name is told with it."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(reader, [])
    yield "\n".join(header), 1, False
    for row in reader:
        for name, cell in zip(header, row, strict=True):
            if name in ID_NAMES:
                yield f"{name}: {cell}", reader.line_num, False
            elif not (name in FIGURES and _is_figure(cell)):
                yield cell, reader.line_num, True


def _is_figure(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell
    return True


def _is_bare_picture(data: bytes) -> bool:
    if not data.startswith(PNG_SIGNATURE):
        return False
    at = len(PNG_SIGNATURE)
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4])
        kind = data[at + 4 : at + 8]
        if kind not in PNG_PARTS:
            return False
        at += 12 + size
        if kind == b"IEND":
            return at == len(data)
    return False


def _moved(leak: Leak, first: int | None) -> Leak:
    """A leak with its line in the file instead of in the text."""
    return Leak(leak.file, None if first is None or leak.line is None else first + leak.line - 1, leak.kind)


def _identifiers_among(dataset: Dataset, numbers: Iterable[int]) -> list[int]:
    """Which of the numbers identify a patient, an admission or a stay of the dataset."""
    wanted = sorted(number for number in numbers if number < 2**63)
    if not wanted:
        return []
    found: set[int] = set()
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE wanted AS SELECT unnest(?::BIGINT[]) AS number", [wanted])
        for table in dataset.tables:
            if table.name not in {"patients", "admissions", "icustays", "patient"}:
                continue
            source = f"read_parquet({quoted(dataset.table_path(table))})"
            for column in PLAIN_IDS:
                if column in table.columns:
                    rows = connection.execute(
                        f"SELECT DISTINCT number FROM wanted JOIN {source} ON {identifier(column)} = number"
                    ).fetchall()
                    found |= {int(row[0]) for row in rows}
    return sorted(found)

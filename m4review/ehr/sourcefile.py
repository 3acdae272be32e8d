"""Source files of an import: finding them, checking their columns, and the query that reads them with our types.

A table may be Parquet, CSV or gzipped CSV, or lie in an attached DuckDB database. File names and headers match in any
case; further columns are kept out. Of a CSV, the null strings of the layout are missing and every other text is kept as
it is, the word ``None`` and trailing blanks too.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb

from m4review.ehr.engine import identifier, quoted
from m4review.ehr.layout import Layout, SourceTable, layout_names, load_layout
from m4review.errors import DatasetError

Format = Literal["parquet", "csv.gz", "csv", "duckdb"]
FORMATS: tuple[Format, ...] = ("parquet", "csv.gz", "csv")

DEEPEST, MOST_FOLDERS = 4, 500
"""How far below a wrong folder the right one is looked for: ``physionet.org/files/mimiciv/3.1`` is three deeper."""

INTEGERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
)
FLOATS = frozenset({"FLOAT", "DOUBLE"})
TIMES = frozenset({"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATE"})


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file of one table. ``columns`` maps the layout's column names to the file's own name and type.

    ``relation`` is the quoted name of the table where the file is an attached database.
    """

    table: SourceTable
    path: Path
    format: Format
    header: tuple[str, ...]
    columns: dict[str, tuple[str, str]]
    relation: str = ""

    @property
    def is_typed(self) -> bool:
        """Whether the file itself says of which type its columns are."""
        return self.format in ("parquet", "duckdb")

    @property
    def scan(self) -> str:
        """What stands behind FROM to read a typed file."""
        return self.relation or f"read_parquet({quoted(self.path)})"

    @property
    def missing(self) -> tuple[str, ...]:
        """Columns of the layout that the file lacks."""
        return tuple(name for name in self.table.columns if name not in self.columns)

    @property
    def has_our_types(self) -> bool:
        """Whether the file is Parquet with exactly the layout's columns, order and types."""
        ours = [(name, (name, kind)) for name, kind in self.table.columns.items()]
        return self.format == "parquet" and list(self.columns.items()) == ours and len(self.header) == len(ours)


def find_source_files(connection: duckdb.DuckDBPyConnection, layout: Layout, source: Path) -> tuple[SourceFile, ...]:
    """The files of the layout's tables below ``source``, with their headers read.

    Raises:
        DatasetError: not a folder, not this layout, or a header that cannot be read.
    """
    if not source.is_dir():
        what = "not a folder" if source.exists() else "no such folder"
        raise DatasetError(what, where=source, expected=_expected(layout))
    if not os.access(source, os.R_OK | os.X_OK):
        raise DatasetError("the folder may not be read", where=source, expected=_expected(layout))
    found = [(table, *place) for table in layout.tables if (place := place_of(source, table)) is not None]
    if not found:
        other = _other_layout(layout, source)
        raise DatasetError(
            f"nothing of the layout {layout.name} here" + (f"; it looks like {other}" if other else ""),
            where=source,
            expected=_expected(layout),
            fix=f"give the layout {other}" if other else _better_folder(layout, source),
        )
    return tuple(open_file(connection, table, path, form) for table, path, form in found)


def reading_query(layout: Layout, file: SourceFile) -> str:
    """The query that gives the file's rows with the layout's column names, order and types.

    Whole numbers and decimals are read as floats first, because a plain conversion would round 1.5 to 2 in silence.
    """
    selected = ",\n  ".join(_as_ours(file, name, *column) for name, column in file.columns.items())
    if file.is_typed:
        return f"SELECT\n  {selected}\nFROM {file.scan}"
    own_types = dict(file.columns.values())
    types = ", ".join(f"{quoted(name)}: {quoted(own_types.get(name, 'VARCHAR'))}" for name in file.header)
    nulls = ", ".join(quoted(text) for text in layout.null_strings)
    return (
        f"SELECT\n  {selected}\nFROM read_csv({quoted(file.path)}, auto_detect = false, header = true, delim = ',', "
        f"compression = '{'gzip' if file.format == 'csv.gz' else 'none'}', "  # the suffix may be in capitals
        f"quote = '\"', escape = '\"', nullstr = [{nulls}], columns = {{{types}}})"
    )


def column_problems(connection: duckdb.DuckDBPyConnection, file: SourceFile) -> Iterator[tuple[str, str, str]]:
    """The columns whose type cannot hold what the layout expects: name, type found, type expected."""
    for name, (source, found) in file.columns.items():
        expected = file.table.columns[name]
        if not file.is_typed or _compatible(found, expected):
            continue
        row = connection.execute(f"SELECT count({identifier(source)}) FROM {file.scan}").fetchone()
        if row and row[0]:
            yield name, found, expected


def _compatible(found: str, expected: str) -> bool:
    if _is_number(expected):
        return _is_number(found)
    if expected in TIMES:
        return found in TIMES
    return found == expected


def _is_number(kind: str) -> bool:
    return kind in INTEGERS or kind in FLOATS or kind.startswith("DECIMAL")


def _as_ours(file: SourceFile, name: str, source: str, found: str) -> str:
    expected, column = file.table.columns[name], identifier(source)
    if found == expected:
        return f"{column} AS {identifier(name)}"
    if expected in INTEGERS and (found in FLOATS or found.startswith("DECIMAL")):
        message = quoted(f"column {name} holds a number that is not whole")
        whole = f"CASE WHEN {column} = trunc({column}) OR {column} IS NULL THEN {column} ELSE error({message}) END"
        return f"CAST({whole} AS {expected}) AS {identifier(name)}"
    if expected.startswith("DECIMAL"):
        message = quoted(f"column {name} holds a number with more decimals")
        given = f"CAST(CAST({column} AS VARCHAR) AS DOUBLE)" if found == "FLOAT" else f"CAST({column} AS DOUBLE)"
        ours = f"CAST({given} AS {expected})" if found in FLOATS else f"CAST({column} AS {expected})"
        exact = f"CASE WHEN CAST({ours} AS DOUBLE) = {given} OR {column} IS NULL THEN {ours} ELSE error({message}) END"
        return f"CAST({exact} AS {expected}) AS {identifier(name)}"
    if (found, expected) == ("FLOAT", "DOUBLE"):  # the decimal that was loaded: 0.6, not 0.60000002384
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE) AS {identifier(name)}"
    return f"CAST({column} AS {expected}) AS {identifier(name)}"


def open_file(connection: duckdb.DuckDBPyConnection, table: SourceTable, path: Path, form: Format) -> SourceFile:
    """The table's file with its columns read.

    Raises:
        DatasetError: the columns cannot be read, or one is there twice.
    """
    if form == "parquet":
        try:
            described = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({quoted(path)})").fetchall()
        except duckdb.Error:
            raise DatasetError("not a readable Parquet file", where=path, fix="export or download it again") from None
        types = {str(row[0]): str(row[1]) for row in described}
    else:
        types = dict.fromkeys(_csv_header(path), "VARCHAR")
    return SourceFile(table, path, form, tuple(types), matched_columns(table, types, path, typed=form == "parquet"))


def matched_columns(
    table: SourceTable, types: dict[str, str], where: Path, *, typed: bool
) -> dict[str, tuple[str, str]]:
    """The layout's columns that are there, in the layout's order, with the source's own name and type.

    Raises:
        DatasetError: one is there twice, in different case.
    """
    columns: dict[str, tuple[str, str]] = {}
    by_lower_name: dict[str, str] = {}
    for name in types:
        if name.lower() in by_lower_name and name.lower() in table.columns:
            raise DatasetError(f"the column {name.lower()} is there twice", where=where)
        by_lower_name[name.lower()] = name
    for name, expected in table.columns.items():
        source = by_lower_name.get(name)
        if source is not None:
            columns[name] = (source, types[source] if typed else _csv_type(expected))
    return columns


def _csv_type(expected: str) -> str:
    return "DOUBLE" if expected in INTEGERS or expected.startswith("DECIMAL") else expected


def _csv_header(path: Path) -> list[str]:
    try:
        with gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb") as stream:
            line = stream.readline(1_000_000).removeprefix(codecs.BOM_UTF8)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise damaged(path) from None
    except OSError as error:
        raise DatasetError(f"cannot be read ({error.strerror})", where=path) from None
    try:
        names = [name.strip() for name in next(csv.reader([line.decode("utf-8")]), [])]
    except UnicodeDecodeError:
        raise DatasetError("the header is not UTF-8 text", where=path, line=1, expected="UTF-8") from None
    if not names:
        raise DatasetError("the file is empty", where=path, expected="a header line with column names")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DatasetError(f"the header repeats {', '.join(repeated)}", where=path, line=1)
    return names


def damaged(path: Path) -> DatasetError:
    """The error for a compressed file that stops early or is not one."""
    return DatasetError(
        "the compressed file is damaged or cut off",
        where=path,
        expected="a whole gzip file",
        fix="download it again and compare its checksum with the published one",
    )


def place_of(source: Path, table: SourceTable) -> tuple[Path, Format] | None:
    """The table's file, in the first format there is. Its name may be in any case; of two, the published one counts."""
    folder = source / table.folder
    if not (folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        return None
    by_closeness = sorted(folder.iterdir(), key=lambda path: (path.name.startswith(f"{table.file_name}."), path.name))
    there = {path.name.lower(): path for path in by_closeness}
    for form in FORMATS:
        found = there.get(f"{table.name}.{form}")
        if found is not None and found.is_file():
            return found, form
    return None


def _expected(layout: Layout) -> str:
    folders = dict.fromkeys(f"{table.folder}/" if table.folder else "the tables" for table in layout.tables)
    example = layout.tables[0].source_path
    return f"a folder with {' and '.join(folders)} of {layout.name}, for example {example}.csv.gz or {example}.parquet"


def _other_layout(layout: Layout, source: Path) -> str | None:
    for name in layout_names():
        if name != layout.name and any(place_of(source, table) for table in load_layout(name).tables):
            return name
    return None


def _better_folder(layout: Layout, source: Path) -> str | None:
    candidates = [source.parent]
    for depth in range(1, DEEPEST + 1):
        candidates += sorted(path for path in source.glob("/".join("*" * depth)) if path.is_dir())[:MOST_FOLDERS]
    fitting = [folder for folder in candidates if any(place_of(folder, table) for table in layout.tables)]
    return "give the folder " + " or ".join(str(folder) for folder in fitting[:3]) if fitting else None

"""The output as rows to compare: the view ``kept``, each cell read as text and cast on its own.

Columns: ``given`` (TRUE), ``k…`` keys and ``a…`` scored cells in the reference's types (NULL when empty or bad), ``b…``
whether a scored cell is bad, ``bad_key`` whether any key cell is. The view reads the file itself, so that nothing of it
is held; only when keys repeat are its rows stored, as the table ``answer``, because then the first of each counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from m4review.scoring.cells import is_bad, output_value
from m4review.scoring.output import OutputFile
from m4review.scoring.reference import Reference

STRICT = "strict_mode = true, ignore_errors = true"
"""Every line must have the header's number of cells and clean quotation marks, else it is left out."""

TOLERANT = "strict_mode = false, null_padding = true, parallel = false"
"""Short lines are padded, long ones cut, stray quotation marks taken as text."""


@dataclass(frozen=True, slots=True)
class MalformedLines:
    """Lines that a strict CSV reader refuses: too few or too many cells, stray quotation marks."""

    count: int
    first: int | None
    """1-based; 1 is the header. ``None`` where none is malformed, and in files with long lines."""


WELL_FORMED = MalformedLines(0, None)


def show_strictly(connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference) -> None:
    """Make ``kept`` the well-formed lines of a file without quotation marks, read by several threads.

    Once it was read, ``refused_any`` tells whether there are others. Quotation marks would not do: between two of them
    a line end is text, which a thread that begins in the middle of a file cannot know.
    """
    _show(connection, _typed(file, known, _csv(file, f"{STRICT}, {_noted('refused')}, parallel = true")))


def show_tolerantly(connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference) -> None:
    """Make ``kept`` all lines of the file, the malformed ones as far as they go."""
    _show(connection, _typed(file, known, _csv(file, TOLERANT)))


def refused_any(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether reading ``kept`` strictly left out a line."""
    return bool(connection.execute("SELECT count(*) FROM refused").fetchall()[0][0])


def malformed_lines(connection: duckdb.DuckDBPyConnection, file: OutputFile, rows: int) -> MalformedLines:
    """How many of the ``rows`` that a tolerant reader finds a strict one refuses, and the first of them."""
    options = f"{STRICT}, parallel = false"
    if file.long_lines:
        strict = connection.execute(f"SELECT count(*) FROM {_csv(file, options)}").fetchall()[0][0]
        return MalformedLines(max(rows - strict, 0), None)
    lines = _csv(file, f"{options}, {_noted('malformed')}")
    strict = connection.execute(f"SELECT count(*) FROM {lines}").fetchall()[0][0]
    first = connection.execute("SELECT min(line) FROM malformed").fetchall()[0][0]
    return MalformedLines(max(rows - strict, int(first is not None)), first)


def distinct_keys(connection: duckdb.DuckDBPyConnection, known: Reference) -> int:
    """The number of different readable keys in ``kept``."""
    query = f"SELECT count(*) FROM (SELECT 1 FROM kept WHERE NOT bad_key GROUP BY {_key_names(known)})"
    return int(connection.execute(query).fetchall()[0][0])


def keep_first(connection: duckdb.DuckDBPyConnection, known: Reference) -> None:
    """Leave in ``kept`` only the first row of each readable key, by file order."""
    # A stored table numbers its rows in the order of the file, however many threads read it.
    connection.execute("CREATE OR REPLACE TEMP TABLE answer AS SELECT * FROM kept").fetchall()
    first = f"SELECT min(rowid) FROM answer WHERE NOT bad_key GROUP BY {_key_names(known)}"
    _show(connection, f"SELECT * FROM answer WHERE bad_key OR rowid IN ({first})")


def same_key(known: Reference) -> str:
    """The condition under which a row of ``kept`` and one of ``reference`` have the same key."""
    same = [
        f"kept.k{number} {'IS NOT DISTINCT FROM' if nullable else '='} reference.k{number}"
        for number, nullable in enumerate(known.nullable_keys)
    ]
    if any(known.nullable_keys):  # a bad key cell is NULL too, and is no missing one
        same.append("kept.bad_key = NOT reference.known")
    return " AND ".join(same)


def _key_names(known: Reference) -> str:
    return ", ".join(f"k{number}" for number in range(len(known.keys)))


def _show(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    connection.execute(f"CREATE OR REPLACE TEMP VIEW kept AS {query}").fetchall()


def _typed(file: OutputFile, known: Reference, lines: str) -> str:
    """The query behind ``kept``: values first, then, from values and text, what is bad."""
    read, kept, bad_keys = [], ["TRUE AS given"], []
    for number, column in enumerate(known.keys):
        cell = f"c{file.position(column.name)}"
        read += [f"{output_value(column, cell)} AS k{number}", cell]
        kept.append(f"k{number}")
        bad_keys.append(is_bad(column, cell, f"k{number}"))
    kept.append(f"({' OR '.join(bad_keys)}) AS bad_key")
    for number, column in enumerate(known.scored):
        position = file.position(column.name)
        if position is not None:
            cell = f"c{position}"
            read += [f"{output_value(column, cell)} AS a{number}", cell]
            kept += [f"a{number}", f"{is_bad(column, cell, f'a{number}')} AS b{number}"]
    return f"SELECT {', '.join(kept)} FROM (SELECT {', '.join(read)} FROM {lines})"


def _noted(table: str) -> str:
    return f"store_rejects = true, rejects_limit = 1, rejects_table = '{table}', rejects_scan = '{table}_scans'"


def _csv(file: OutputFile, options: str) -> str:
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(file.columns)))
    path = str(file.parsed_path).replace("'", "''")
    return (
        f"read_csv('{path}', auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
        f"nullstr = '', compression = 'none', skip = {file.blank_lines}, {options}, columns = {{{columns}}})"
    )

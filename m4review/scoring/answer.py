"""The output as the table ``answer``: read once as text, in file order, each cell cast on its own.

Columns: ``row`` (file order), ``k…`` keys and ``a…`` scored cells in the reference's types (NULL when empty or bad),
``b…`` whether a scored cell is bad, ``bad_key`` whether any key cell is. The view ``kept`` holds the rows that are
compared: those with a readable key, and of repeated keys the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from m4review.scoring.cells import is_bad, output_value
from m4review.scoring.errors import InvalidOutputError
from m4review.scoring.output import OutputFile
from m4review.scoring.reference import Reference


@dataclass(frozen=True, slots=True)
class Answer:
    """Counts of the rows read."""

    rows: int
    bad_key_rows: int
    malformed_lines: int
    """Lines that a strict CSV reader refuses: too few or too many cells, stray quotation marks."""
    first_malformed_line: int | None

    @property
    def keyed_rows(self) -> int:
        """Rows whose key cells are all readable."""
        return self.rows - self.bad_key_rows


def read_answer(connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference) -> Answer:
    """Make ``answer``, and ``kept`` with every row that has a readable key.

    Raises:
        InvalidOutputError: not CSV at all: a quotation mark never closed over megabytes, or lines beyond 2 MB.
    """
    width = len(file.columns)
    # Tolerant and in file order: short lines are padded, long ones cut.
    tolerant = _csv(file, width, "null_padding = true, strict_mode = false, parallel = false")
    try:
        connection.execute(f"CREATE TEMP TABLE answer AS {_typed(file, known, tolerant)}").fetchall()
    except duckdb.InvalidInputException:
        raise InvalidOutputError(
            "the output is not CSV that can be read",
            where=file.path,
            expected="comma-separated lines, quotation marks closed, lines below 2 MB",
        ) from None
    connection.execute("CREATE TEMP VIEW kept AS SELECT * FROM answer WHERE NOT bad_key").fetchall()
    rows, bad = _one(connection, "SELECT count(*), count(*) FILTER (bad_key) FROM answer")
    malformed, line = _malformed(connection, file, rows)
    return Answer(rows, bad, malformed, line)


def keep_first(connection: duckdb.DuckDBPyConnection, known: Reference, answer: Answer) -> int:
    """Leave in ``kept`` only the first row of each key, by file order, and return the number of distinct keys."""
    names = ", ".join(f"k{number}" for number in range(len(known.keys)))
    distinct = _one(connection, f"SELECT count(*) FROM (SELECT {names} FROM kept GROUP BY {names})")[0]
    if distinct < answer.keyed_rows:
        first = f"SELECT min(row) FROM answer WHERE NOT bad_key GROUP BY {names}"
        view = f"SELECT * FROM answer WHERE NOT bad_key AND row IN ({first})"
        connection.execute(f"CREATE OR REPLACE TEMP VIEW kept AS {view}").fetchall()
    return distinct


def _typed(file: OutputFile, known: Reference, lines: str) -> str:
    """The query behind ``answer``: values first, then, from values and text, what is bad."""
    read, kept = ["row_number() OVER () AS row"], ["row"]
    bad_keys = []
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


def _malformed(connection: duckdb.DuckDBPyConnection, file: OutputFile, rows: int) -> tuple[int, int | None]:
    """How many lines a strict reader refuses, and the first of them (1-based; 1 is the header)."""
    options = "ignore_errors = true, store_rejects = true, rejects_limit = 1, strict_mode = true"
    strict = _one(connection, f"SELECT count(*) FROM {_csv(file, len(file.columns), options)}")[0]
    first = connection.execute("SELECT min(line) FROM reject_errors").fetchall()[0][0]
    return max(rows - strict, int(first is not None)), first


def _csv(file: OutputFile, width: int, options: str) -> str:
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(width))
    path = str(file.parsed_path).replace("'", "''")
    return (
        f"read_csv('{path}', auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
        f"nullstr = '', compression = 'none', skip = {file.blank_lines}, {options}, columns = {{{columns}}})"
    )


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[int, ...]:
    row: tuple[int, ...] = connection.execute(query).fetchall()[0]
    return row

"""The reference: typed Parquet as the concepts are built, or a CSV file that a user gives.

A CSV has no types, so they are inferred over the whole file, never from a sample: a column is a number when every
given cell is written as one (leading zeros, as in the id ``007``, make it text), a timestamp when every given cell is
an ISO date or date-time, else text.
"""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

import duckdb

from m4review.errors import ScoringError
from m4review.scoring.cells import Column, column_of, quoted, reference_value, trimmed
from m4review.scoring.spec import ScoringSpec

PARQUET_MAGIC = b"PAR1"
INTEGER_TEXT = r"[+-]?(0|[1-9][0-9]*)"
NUMBER_TEXT = r"[+-]?(((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))"
TIMESTAMP_TEXT = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?Z?)?"


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference as the view ``reference``: ``known`` (TRUE), keys ``k0…``, scored ``r0…``, one row per key."""

    keys: tuple[Column, ...]
    scored: tuple[Column, ...]
    nullable_keys: tuple[bool, ...]
    """Which key columns hold missing values; there, and only there, an empty output cell is a key."""
    scales: tuple[float | None, ...]
    """Range of each numeric scored column (1 when it is constant); ``None`` where the column has no number."""
    rows: int
    sha256: str


def open_reference(connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path, spec: ScoringSpec) -> Reference:
    """Bring the reference into ``connection`` as the view ``reference``.

    Raises:
        ScoringError: no such file, neither Parquet nor CSV, a column is missing, no rows, or keys that repeat.
    """
    declared = _open_source(connection, path, scratch)
    missing = [name for name in (*spec.key_columns, *spec.scored_columns) if name not in declared]
    if missing:
        raise ScoringError(
            f"the reference lacks {', '.join(missing)}",
            where=path,
            expected="every key and scored column of the task",
            fix="build the references again: m4review data build --dataset NAME",
        )
    keys = tuple(column_of(name, declared[name], key=True) for name in spec.key_columns)
    scored = tuple(
        column_of(name, declared[name], key=False, largest=_largest(connection, name, declared[name]))
        for name in spec.scored_columns
    )
    parts = ["TRUE AS known", *(f"{reference_value(column)} AS k{number}" for number, column in enumerate(keys))]
    parts += [f"{reference_value(column)} AS r{number}" for number, column in enumerate(scored)]
    connection.execute(f"CREATE TEMP VIEW reference AS SELECT {', '.join(parts)} FROM source").fetchall()
    rows, rising, given, scales = _survey(connection, keys, scored)
    if rows == 0:
        raise ScoringError("the reference has no rows, so there is nothing to score", where=path)
    if not rising:
        _require_unique(connection, path, spec, rows)
    nullable = tuple(count < rows for count in given)
    return Reference(keys, scored, nullable, scales, rows, _sha256(path))


def _survey(
    connection: duckdb.DuckDBPyConnection, keys: tuple[Column, ...], scored: tuple[Column, ...]
) -> tuple[int, bool, tuple[int, ...], tuple[float | None, ...]]:
    """In one reading: the number of rows, whether each has a greater key than the one before (our own files are
    sorted), how many rows give each key column, and the range of each numeric scored column."""
    names = [f"k{number}" for number in range(len(keys))]
    # A comparison with a missing key is NULL and counts as not rising; only the first row has none before it.
    greater = " OR ".join(
        "(" + " AND ".join([*(f"{name} = before_{name}" for name in names[:number]), f"{last} > before_{last}"]) + ")"
        for number, last in enumerate(names)
    )
    terms = ["count(*)", f"count(*) FILTER ({greater})", *(f"count({name})" for name in names)]
    numeric = [f"CAST(r{number} AS DOUBLE)" for number, column in enumerate(scored) if column.kind == "number"]
    terms += [f"{edge}({number}) FILTER (isfinite({number}))" for number in numeric for edge in ("min", "max")]
    before = ", ".join(f"lag({name}) OVER () AS before_{name}" for name in names)
    query = f"SELECT {', '.join(terms)} FROM (SELECT *, {before} FROM reference)"
    rows, greater_rows, *found = connection.execute(query).fetchall()[0]
    edges = iter(found[len(keys) :])
    scales = tuple(_range(next(edges), next(edges)) if column.kind == "number" else None for column in scored)
    return int(rows), greater_rows == rows - 1, tuple(found[: len(keys)]), scales


def _range(low: float | None, high: float | None) -> float | None:
    """1 for a constant column, ``None`` for one without a number."""
    return None if low is None or high is None else float(high - low) or 1.0


def _require_unique(connection: duckdb.DuckDBPyConnection, path: Path, spec: ScoringSpec, rows: int) -> None:
    names = ", ".join(f"k{number}" for number in range(len(spec.key_columns)))
    distinct = _count(connection, f"SELECT count(*) FROM (SELECT 1 FROM reference GROUP BY {names})")
    if distinct != rows:
        raise ScoringError(
            f"{rows - distinct:,} of {rows:,} reference rows repeat a key ({', '.join(spec.key_columns)})",
            where=path,
            expected="one row per key",
        )


def _open_source(connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path) -> dict[str, str]:
    """Make the view ``source`` over the file and return the declared type of each column."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
        start = b"" if not regular else _start(path)
    except OSError as error:
        raise ScoringError(
            f"the reference cannot be read ({error.strerror})",
            where=path,
            fix="build it with 'm4review data build', or name a file with --reference",
        ) from None
    if not regular:
        raise ScoringError("the reference is not a regular file", where=path)
    # A link with a plain name: the reader would take *, ? and [ in the real one for a pattern.
    link = scratch / ("reference.csv.gz" if start.startswith(b"\x1f\x8b") else "reference")
    link.symlink_to(path.resolve())
    literal = "'" + str(link).replace("'", "''") + "'"
    try:
        if start == PARQUET_MAGIC:
            connection.execute(f"CREATE TEMP VIEW source AS SELECT * FROM read_parquet({literal})").fetchall()
        else:
            _open_csv(connection, literal)
        described = connection.execute("DESCRIBE source").fetchall()
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error:
        raise ScoringError(
            "the reference cannot be parsed", where=path, expected="Parquet, or CSV with a header (.gz allowed)"
        ) from None
    return {str(name): str(kind) for name, kind, *_ in described}


def _open_csv(connection: duckdb.DuckDBPyConnection, literal: str) -> None:
    options = "header = true, delim = ',', quote = '\"', escape = '\"', all_varchar = true, nullstr = ''"
    connection.execute(f"CREATE TEMP TABLE written AS SELECT * FROM read_csv({literal}, {options})").fetchall()
    names = [str(row[0]) for row in connection.execute("DESCRIBE written").fetchall()]
    parts = []
    for name in names:
        cell = trimmed(quoted(name))
        integer = f"regexp_full_match({cell}, '{INTEGER_TEXT}') AND TRY_CAST({cell} AS BIGINT) IS NOT NULL"
        number = f"regexp_full_match({cell}, '{NUMBER_TEXT}')"
        time = f"regexp_full_match({cell}, '{TIMESTAMP_TEXT}') AND TRY_CAST({cell} AS TIMESTAMP) IS NOT NULL"
        tests = ", ".join(f"bool_and({test}) FILTER ({cell} IS NOT NULL)" for test in (integer, number, time))
        found = connection.execute(f"SELECT {tests} FROM written").fetchall()[0]
        kind = next(
            (kind for kind, all_are in zip(("BIGINT", "DOUBLE", "TIMESTAMP"), found, strict=True) if all_are), ""
        )
        parts.append(f"CAST({cell} AS {kind or 'VARCHAR'}) AS {quoted(name)}")
    connection.execute(f"CREATE TEMP TABLE source AS SELECT {', '.join(parts)} FROM written").fetchall()
    connection.execute("DROP TABLE written").fetchall()


def _largest(connection: duckdb.DuckDBPyConnection, name: str, declared: str) -> float | None:
    if not declared.upper().endswith(("INT", "INTEGER")):
        return None
    query = f"SELECT max(abs(CAST({quoted(name)} AS DOUBLE))) FROM source"
    value = connection.execute(query).fetchall()[0][0]
    return None if value is None else float(value)


def _count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchall()[0][0])


def _start(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(4)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

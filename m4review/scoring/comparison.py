"""Scoring one output against one reference, inside DuckDB from the first byte to the last count.

Steps: ``reference`` (one row per key) and ``kept`` (the rows of the output, typed as they are read) → one aggregate
over the full join of both, for which only the reference is held in memory. The output is read once more when a line of
it is malformed; when it has keys that the reference lacks, to count the different ones; and when it repeats a key of
the reference: ``kept`` is then narrowed to the first row of each.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from m4review.errors import ScoringError
from m4review.scoring.answer import (
    WELL_FORMED,
    MalformedLines,
    distinct_keys,
    keep_first,
    malformed_lines,
    refused_any,
    same_key,
    show_strictly,
    show_tolerantly,
)
from m4review.scoring.cells import cell_error, cells_match
from m4review.scoring.checks import strict_checks
from m4review.scoring.engine import ScoringLimits, scoring_engine
from m4review.scoring.errors import InvalidOutputError
from m4review.scoring.output import OutputFile, examine_output, separator_hint
from m4review.scoring.reference import Reference, open_reference
from m4review.scoring.score import ColumnScore, KeyScore, Score
from m4review.scoring.spec import ScoringSpec

RATE_DECIMALS = 8
"""As in the published records."""

ERROR_DECIMALS = 12
"""A mean over threads differs in its last digits from one call to the next; these are the same every time."""


def score_output(output: Path, reference: Path, spec: ScoringSpec, *, limits: ScoringLimits | None = None) -> Score:
    """Score ``output`` (CSV with a header) against ``reference`` (Parquet, or CSV, gzip allowed).

    Rows may stand in any order, columns too, and further columns are ignored. An empty cell is the only missing marker.

    Raises:
        NoOutputError: there is no output file.
        InvalidOutputError: the output is no regular file, too large, without header or key column, or not CSV at all.
        ScoringError: the reference is missing, incomplete, empty or repeats keys.
    """
    limits = limits or ScoringLimits()
    try:
        with tempfile.TemporaryDirectory(prefix="m4review-score-") as folder:
            scratch = Path(folder)
            file = examine_output(output, scratch, max_bytes=limits.max_output_bytes)
            require_keys(file, spec)
            with scoring_engine(limits, folder) as connection:
                known = open_reference(connection, reference, scratch, spec)
                tolerances = _tolerances(known, spec)
                figures, malformed = _read_and_compare(connection, file, known, tolerances)
                distinct = figures.matched
                if figures.pairs < figures.keyed_rows:
                    distinct = distinct_keys(connection, known)
                repeated = figures.keyed_rows - distinct
                if figures.pairs > figures.matched:
                    keep_first(connection, known)
                    figures = _compare(connection, file, known, tolerances)
    except duckdb.InterruptException:
        raise ScoringError(
            f"scoring took longer than {limits.seconds:g} seconds and was given up", where=output
        ) from None
    except duckdb.Error as error:
        # The engine's own message may quote a line of the file.
        raise ScoringError(f"the comparison failed ({type(error).__name__})", where=output) from None
    except OSError as error:
        raise ScoringError(
            f"no room to work in the temporary folder ({error.strerror})",
            where=tempfile.gettempdir(),
            fix="free disk space, or point TMPDIR to a folder with room",
        ) from None
    keys = _key_score(known, figures, distinct, repeated)
    denominator = keys.reference_rows + keys.extra + keys.duplicate
    columns = tuple(
        ColumnScore(
            name=column.name,
            kind=column.kind,
            tolerance=tolerances[number],
            present=file.position(column.name) is not None,
            matched=figures.cells[number],
            denominator=denominator,
            rate=round(figures.cells[number] / denominator, RATE_DECIMALS),
            nmae=figures.errors[number],
        )
        for number, column in enumerate(known.scored)
    )
    nmaes = [column.nmae for column in columns if column.nmae is not None]
    return Score(
        reward=sum(column.rate for column in columns) / len(columns),
        columns=columns,
        keys=keys,
        ordered_nmae=round(sum(nmaes) / len(nmaes), ERROR_DECIMALS) if nmaes else None,
        checks=strict_checks(spec, file, malformed, keys, columns),
        output_sha256=file.sha256,
        reference_sha256=known.sha256,
    )


def require_keys(file: OutputFile, spec: ScoringSpec) -> None:
    """Check that the output names every key column.

    Raises:
        InvalidOutputError: one is missing.
    """
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


def _tolerances(known: Reference, spec: ScoringSpec) -> list[float]:
    return [
        (spec.second_tolerances if column.kind == "timestamp" else spec.number_tolerances).get(column.name, 0.0)
        for column in known.scored
    ]


@dataclass(frozen=True, slots=True)
class _Figures:
    """Counts over the full join of ``kept`` and ``reference``."""

    rows: int
    """Output rows."""
    bad_key_rows: int
    pairs: int
    """Output rows whose key the reference has."""
    matched: int
    """Reference rows whose key is given, however often."""
    cells: tuple[int, ...]
    """Matching cells of each scored column."""
    errors: tuple[float | None, ...]
    """Mean error of each numeric scored column over the pairs."""

    @property
    def keyed_rows(self) -> int:
        """Output rows whose key cells are all readable."""
        return self.rows - self.bad_key_rows


def _read_and_compare(
    connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference, tolerances: Sequence[float]
) -> tuple[_Figures, MalformedLines]:
    """The figures of the file, and how many of its lines a strict reader refuses."""
    if not (file.quoted or file.long_lines):
        show_strictly(connection, file, known)
        with suppress(duckdb.InvalidInputException):  # then the tolerant reader has the last word
            figures = _compare(connection, file, known, tolerances)
            if not refused_any(connection):
                return figures, WELL_FORMED
    show_tolerantly(connection, file, known)
    try:
        figures = _compare(connection, file, known, tolerances)
    except duckdb.InvalidInputException:
        raise InvalidOutputError(
            "the output is not CSV that can be read",
            where=file.path,
            expected="comma-separated lines, quotation marks closed, lines below 2 MB",
        ) from None
    return figures, malformed_lines(connection, file, figures.rows)


def _compare(
    connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference, tolerances: Sequence[float]
) -> _Figures:
    met = "given AND known"
    terms = ["count(given)", "count(*) FILTER (bad_key)", f"count(*) FILTER ({met})"]
    terms.append("count(*) FILTER (known AND given IS NULL)")
    for number, column in enumerate(known.scored):
        names = (f"r{number}", f"a{number}", f"b{number}")
        present, scale = file.position(column.name) is not None, known.scales[number]
        match = cells_match(column, *names, tolerances[number]) if present else "FALSE"
        terms.append(f"count(*) FILTER ({met} AND {match})")
        if scale is None:
            terms.append("NULL")
        else:
            error = cell_error(*names, scale) if present else "1.0::DOUBLE"
            terms.append(f"avg({error}) FILTER ({met})")
    query = f"SELECT {', '.join(terms)} FROM kept FULL JOIN reference ON {same_key(known)}"
    rows, bad, pairs, missing, *figures = connection.execute(query).fetchall()[0]
    errors = tuple(None if value is None else round(float(value), ERROR_DECIMALS) for value in figures[1::2])
    return _Figures(int(rows), int(bad), int(pairs), known.rows - int(missing), tuple(map(int, figures[::2])), errors)


def _key_score(known: Reference, figures: _Figures, distinct: int, repeated: int) -> KeyScore:
    """``distinct`` readable keys were given, and ``repeated`` rows gave one of them again."""
    unique = distinct + figures.bad_key_rows
    matched = figures.matched
    precision = matched / unique if unique else 0.0
    recall = matched / known.rows
    return KeyScore(
        reference_rows=known.rows,
        output_rows=unique + repeated,
        matched=matched,
        missing=known.rows - matched,
        extra=unique - matched,
        duplicate=repeated,
        malformed=figures.bad_key_rows,
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if matched else 0.0,
    )

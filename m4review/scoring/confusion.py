"""How a stage or score was mistaken: counts of reference level × given level, never a row, small counts hidden.

A count below ``SMALLEST`` could point at single patients and is hidden; so are as many further counts as it takes to
keep it from being worked out from what is known besides: the rows of each reference level, the matches, the missing
keys. The counts before hiding never leave :func:`confusion_of`.

Statistical disclosure control by primary and complementary cell suppression: Hundepool A et al., Statistical Disclosure
Control, Wiley 2012, chapter 4.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np

from m4review.errors import ScoringError, one_of
from m4review.scoring.answer import keep_first, same_key, show_tolerantly
from m4review.scoring.cells import Column
from m4review.scoring.comparison import require_keys
from m4review.scoring.engine import ScoringLimits, scoring_engine
from m4review.scoring.mistakes import SMALLEST, Confusion
from m4review.scoring.output import OutputFile, examine_output
from m4review.scoring.reference import Reference, open_reference
from m4review.scoring.spec import ScoringSpec

MOST_LEVELS = 15
"""Levels that are told apart; a whole number with more of them is put into bands."""
EMPTY, RARE, EXTRA = "(empty)", "(rarer values)", "(no such row)"
OTHER, UNREADABLE, MISSING = "(other value)", "(not a value)", "(row missing)"


def confusion_of(
    output: Path, reference: Path, spec: ScoringSpec, column: str, *, limits: ScoringLimits | None = None
) -> Confusion:
    """Count how the levels of ``column`` in the reference were given in the output; the first row of a key counts.

    Raises:
        NoOutputError: there is no output file.
        InvalidOutputError: the output cannot be read.
        ScoringError: the column is not scored, is no stage or score, or the reference cannot be read.
    """
    if column not in spec.scored_columns:
        raise ScoringError(f"{column} is no scored column", expected=one_of(column, spec.scored_columns))
    limits = limits or ScoringLimits()
    try:
        with tempfile.TemporaryDirectory(prefix="m4review-confusion-") as folder:
            scratch = Path(folder)
            file = examine_output(output, scratch, max_bytes=limits.max_output_bytes)
            require_keys(file, spec)
            with scoring_engine(limits, folder) as connection:
                known = open_reference(connection, reference, scratch, spec)
                show_tolerantly(connection, file, known)
                keep_first(connection, known)
                return _confusion(connection, file, known, spec.scored_columns.index(column))
    except duckdb.Error as error:
        # The engine's own message may quote a line of the file.
        raise ScoringError(f"the levels could not be counted ({type(error).__name__})", where=output) from None
    except OSError as error:
        raise ScoringError(
            f"no room to work in the temporary folder ({error.strerror})", where=tempfile.gettempdir()
        ) from None


def _confusion(connection: duckdb.DuckDBPyConnection, file: OutputFile, known: Reference, number: int) -> Confusion:
    column = known.scored[number]
    name, band = column.name, None
    if column.kind == "text":
        levels = _text_levels(connection, column, number)
        said = f"CAST({{}}{number} AS VARCHAR)"
    else:
        band = _band(connection, column, number)
        levels = _number_levels(connection, number, band)
        said = f"CAST(CAST(floor(CAST({{}}{number} AS DOUBLE) / {band}) AS BIGINT) AS VARCHAR)"
    listed = ", ".join("'" + level.replace("'", "''") + "'" for level, _ in levels) or "NULL"
    truth = (
        f"CASE WHEN known IS NULL THEN '{EXTRA}' WHEN r{number} IS NULL THEN '{EMPTY}' "
        f"WHEN {said.format('r')} IN ({listed}) THEN 'L' || {said.format('r')} ELSE '{RARE}' END"
    )
    answer = f"'{EMPTY}'"
    if file.position(name) is not None:
        whole = "TRUE" if column.kind == "text" else f"a{number} = floor(CAST(a{number} AS DOUBLE))"
        answer = (
            f"CASE WHEN b{number} THEN '{UNREADABLE}' WHEN a{number} IS NULL THEN '{EMPTY}' "
            f"WHEN {whole} AND {said.format('a')} IN ({listed}) THEN 'L' || {said.format('a')} ELSE '{OTHER}' END"
        )
    query = (
        f"SELECT {truth}, CASE WHEN given IS NULL THEN '{MISSING}' ELSE {answer} END, count(*) "
        f"FROM kept FULL JOIN reference ON {same_key(known)} GROUP BY ALL"
    )
    found = {(str(row), str(cell)): int(count) for row, cell, count in connection.execute(query).fetchall()}
    names = {f"L{level}": shown for level, shown in levels}
    rows = [row for row in (*names, RARE, EMPTY, EXTRA) if any(row == one for one, _ in found)]
    cells = [*names, EMPTY, *(cell for cell in (OTHER, UNREADABLE, MISSING) if any(cell == one for _, one in found))]
    counts = np.array([[found.get((row, cell), 0) for cell in cells] for row in rows], dtype=np.int64)
    return Confusion(
        column=name,
        reference=tuple(names.get(row, row) for row in rows),
        given=tuple(names.get(cell, cell) for cell in cells),
        counts=_hidden(counts, rows, cells),
        band=band if band and band > 1 else None,
    )


def _text_levels(connection: duckdb.DuckDBPyConnection, column: Column, number: int) -> list[tuple[str, str]]:
    """The words of the reference that enough rows share; a word of few rows is never shown."""
    query = f"SELECT r{number}, count(*) FROM reference WHERE r{number} IS NOT NULL GROUP BY 1 ORDER BY 1"
    found = connection.execute(f"{query} LIMIT {10 * MOST_LEVELS}").fetchall()
    shown = [(str(level), str(level)) for level, count in found if count >= SMALLEST]
    if not shown or len(found) == 10 * MOST_LEVELS or len(shown) > MOST_LEVELS:
        raise _no_levels(column)
    return shown


def _band(connection: duckdb.DuckDBPyConnection, column: Column, number: int) -> int:
    """The width of the bands: 1, or the first of 2, 5, 10, 20, … with which few enough cover the range."""
    value = f"CAST(r{number} AS DOUBLE)"
    query = f"SELECT min({value}), max({value}), bool_and({value} = floor({value})) FROM reference"
    low, high, whole = connection.execute(query).fetchall()[0]
    if column.kind != "number" or low is None or not whole or not math.isfinite(low) or not math.isfinite(high):
        raise _no_levels(column)
    if high - low < MOST_LEVELS:
        return 1
    width = next(
        step * 10**power
        for power in range(20)
        for step in (1, 2, 5)
        if (high // (step * 10**power)) - (low // (step * 10**power)) < MOST_LEVELS
    )
    return int(width)


def _number_levels(connection: duckdb.DuckDBPyConnection, number: int, band: int) -> list[tuple[str, str]]:
    """Each level or band of the reference, in order, with how it is called."""
    level = f"CAST(floor(CAST(r{number} AS DOUBLE) / {band}) AS BIGINT)"
    query = f"SELECT DISTINCT {level} AS level FROM reference WHERE r{number} IS NOT NULL ORDER BY level"
    found = [int(row[0]) for row in connection.execute(query).fetchall()]
    return [(str(one), str(one) if band == 1 else f"{one * band}–{one * band + band - 1}") for one in found]


def _no_levels(column: Column) -> ScoringError:
    return ScoringError(
        f"{column.name} has no levels that could be counted",
        expected="a stage or score: whole numbers, or few words that many rows share",
    )


def _hidden(counts: np.ndarray, rows: Sequence[str], cells: Sequence[str]) -> tuple[tuple[int | None, ...], ...]:
    """The counts with small ones hidden, and further ones until no hidden one can be worked out."""
    hidden = (counts > 0) & (counts < SMALLEST)
    groups = _known_sums(rows, cells)
    while True:
        exposed = _exposed(hidden, groups)
        if exposed is None:
            break
        further = _next_to_hide(counts, hidden, exposed[0])
        if further is None:
            break
        hidden[further] = True
    return tuple(
        tuple(None if hidden[i, j] else int(counts[i, j]) for j in range(len(cells))) for i in range(len(rows))
    )


def _known_sums(rows: Sequence[str], cells: Sequence[str]) -> list[np.ndarray]:
    """Masks of the cells whose sum is known from elsewhere: each reference level, the matches, the missing keys."""
    shape = (len(rows), len(cells))
    groups = []
    for i in range(len(rows)):
        mask = np.zeros(shape, dtype=bool)
        mask[i, :] = True
        groups.append(mask)
    same = np.array([[row == cell for cell in cells] for row in rows], dtype=bool)
    missing = np.array([[cell == MISSING for cell in cells] for _ in rows], dtype=bool)
    return [*groups, same, missing]


def _exposed(hidden: np.ndarray, groups: Sequence[np.ndarray]) -> tuple[int, int] | None:
    """A hidden cell that the known sums determine, or ``None``."""
    places = np.argwhere(hidden)
    if len(places) == 0:
        return None
    sums = np.array([[float(mask[i, j]) for i, j in places] for mask in groups])
    _, sizes, directions = np.linalg.svd(sums, full_matrices=True)
    rank = int((sizes > 1e-9).sum())
    free = np.abs(directions[rank:]).max(axis=0) if rank < len(places) else np.zeros(len(places))
    fixed = np.flatnonzero(free < 1e-9)
    return None if len(fixed) == 0 else (int(places[fixed[0]][0]), int(places[fixed[0]][1]))


def _next_to_hide(counts: np.ndarray, hidden: np.ndarray, row: int) -> tuple[int, int] | None:
    """The smallest shown count of the row; of the whole table when all of the row is hidden, ``None`` when all is."""
    shown = [(int(counts[i, j]), int(i), int(j)) for i, j in np.argwhere(~hidden)]
    here = [place for place in shown if place[1] == row] or shown
    return min(here)[1:] if here else None

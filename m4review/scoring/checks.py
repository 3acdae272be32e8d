"""The strict checks: pass or fail beside the reward, each with the figures it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from m4review.scoring.answer import MalformedLines
from m4review.scoring.output import OutputFile
from m4review.scoring.score import ColumnScore, KeyScore, StrictCheck
from m4review.scoring.spec import ScoringSpec


def strict_checks(
    spec: ScoringSpec, file: OutputFile, malformed: MalformedLines, keys: KeyScore, columns: Sequence[ColumnScore]
) -> tuple[StrictCheck, ...]:
    """Valid CSV, required columns, row coverage, and one accuracy check per scored column, in this order."""
    return (
        _valid_csv(file, malformed),
        _required_columns(spec, file),
        _row_coverage(spec, keys),
        *(_accuracy(spec, column) for column in columns),
    )


def _valid_csv(file: OutputFile, malformed: MalformedLines) -> StrictCheck:
    problems = []
    repeated = sorted({name for name in file.columns if name and file.columns.count(name) > 1})
    if repeated:
        problems.append(f"{len(repeated)} column name(s) repeated: {', '.join(repeated)}; the first counts")
    if malformed.count:
        place = f", first at line {malformed.first}" if malformed.first else ""
        problems.append(f"{malformed.count:,} malformed line(s){place}")
    if file.open_quote:
        problems.append("a quotation mark is never closed")
    if file.first_undecodable_line is not None:
        problems.append(f"not UTF-8, first at line {file.first_undecodable_line}")
    return StrictCheck(name="valid_csv", passed=not problems, detail="; ".join(problems) or "every line is well formed")


def _required_columns(spec: ScoringSpec, file: OutputFile) -> StrictCheck:
    expected = spec.expected_columns
    missing = [name for name in expected if file.position(name) is None]
    detail = f"{len(expected) - len(missing)} of {len(expected)} present"
    if missing:
        detail += f"; missing: {', '.join(missing)}"
    return StrictCheck(name="required_columns", passed=not missing, detail=detail)


def _row_coverage(spec: ScoringSpec, keys: KeyScore) -> StrictCheck:
    threshold = spec.row_coverage_threshold
    return StrictCheck(
        name="row_coverage",
        passed=keys.recall >= threshold,
        detail=f"{keys.matched:,} of {keys.reference_rows:,} reference keys given; needed: {threshold:g}",
        value=keys.recall,
        threshold=threshold,
    )


def _accuracy(spec: ScoringSpec, column: ColumnScore) -> StrictCheck:
    threshold = spec.accuracy_threshold
    detail = f"{column.matched:,} of {column.denominator:,} cells match ({column.rate:.6f}); needed: {threshold:g}"
    if not column.present:
        detail = f"the column is missing; needed: {threshold:g}"
    return StrictCheck(
        name=f"accuracy:{column.name}",
        passed=column.rate >= threshold,
        detail=detail,
        value=column.rate,
        threshold=threshold,
    )

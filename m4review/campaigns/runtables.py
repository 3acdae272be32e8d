"""Tables about the runs: integrity, strict checks, columns, per-task measures, compute, exclusions."""

from __future__ import annotations

from collections.abc import Sequence

from m4review.campaigns.compute import QUANTITIES, Compute
from m4review.campaigns.diagnostics import MEASURES, ColumnMatch, TaskMeasures
from m4review.campaigns.document import Block, Table
from m4review.campaigns.exclusions import Exclusion
from m4review.campaigns.integrity import GUARANTEES, Integrity
from m4review.campaigns.strict import StrictFailures

KEY_MEASURES = ("key precision", "key recall", "key F1")
"""These stand in a table of their own."""
NOT_SAID, EXEMPT = "not said", "raw-sql"
DIFFERS = 1e-12

STRICT_HEAD = (
    "runs of", "runs", "passed", "failed", "values only", "coverage", "extra keys", "execution", "other",
    "with low values", "with extra keys", NOT_SAID,
)  # fmt: skip
STRICT_WORDS = (
    "Each failed run stands under one reason. Values only: every failed check is a column below the accuracy threshold "
    "of its task card. Coverage: another check failed too, and too few reference keys were given. Extra keys: another "
    "check failed, enough keys were given, and there are keys the reference lacks. Execution: the run crashed. Other: "
    "another check failed, or the file lacks the figures that would say which. The two figures with 'with' are counted "
    "beside these."
)


def integrity_table(entries: Sequence[Integrity]) -> tuple[Block, ...]:
    """How the runs of each condition and schema ended; a guarantee as true of said, or that no file speaks of it."""
    head = ("condition", "schema", "runs", "in the means", "crashed", "infra", "cancelled", *GUARANTEES)
    rows = []
    for entry in entries:
        counted = (entry.infra_errors, entry.cancelled)
        stated = (NOT_SAID if found.said == 0 else f"{found.true}/{found.said}" for found in entry.guarantees.values())
        rows.append(
            (
                entry.condition,
                entry.schema,
                str(entry.runs),
                str(entry.with_reward),
                str(entry.crashed),
                *(NOT_SAID if count is None else str(count) for count in counted),
                *stated,
            )
        )
    said = (
        "Crashed runs enter with 0; infrastructure errors, cancelled and held runs never enter. The last columns give "
        "of how many runs each statement is true, of those whose file makes it."
    )
    relabelled = sum(entry.relabelled for entry in entries)
    more = (f"{relabelled} runs carried another condition's name before and were relabelled.",) if relabelled else ()
    if any(entry.condition == EXEMPT and entry.guarantees["lint"].said == 0 for entry in entries):
        more = (*more, f"{EXEMPT} is the reference query itself, which no lint is asked about.")
    return (Table(head, tuple(rows), words=2), said, *more)


def strict_table(groups: dict[str, StrictFailures]) -> tuple[Block, ...]:
    """Why runs fail their strict checks, by group of runs."""
    rows = tuple(
        (
            name,
            *map(
                str,
                (
                    found.runs,
                    found.passed,
                    found.failed,
                    found.values_only,
                    found.coverage,
                    found.extra_keys,
                    found.execution,
                    found.other,
                    found.with_low_values,
                    found.with_extra_keys,
                    found.unknown,
                ),
            ),
        )
        for name, found in groups.items()
    )
    if all(found.unknown == found.runs for found in groups.values()):
        return ("The files do not say which strict checks the runs passed.",)
    return Table(STRICT_HEAD, rows), STRICT_WORDS


def columns_table(matches: Sequence[ColumnMatch]) -> tuple[Block, ...]:
    """Match rate per task and column on both sides."""
    if not matches:
        return ("The files give no match rates of columns.",)
    rows = tuple(
        (
            match.task,
            match.column,
            "yes" if match.declared else "no",
            level(match.before),
            level(match.after),
            change(match.before, match.after),
        )
        for match in matches
    )
    up = sum(_difference(match) > DIFFERS for match in matches)
    down = sum(_difference(match) < -DIFFERS for match in matches)
    said = f"{up} of {len(matches)} columns match more often with the second condition, {down} less often."
    return Table(("task", "column", "declared", "first", "second", "difference"), rows, words=3), said


def measures_table(entries: Sequence[TaskMeasures]) -> tuple[Block, ...]:
    """Per task the measures beside the reward, first and second condition; what no run has is left out."""
    names = [name for name in MEASURES if any(value is not None for entry in entries for value in entry.measures[name])]
    if not names:
        return ("The files give no measure of a run beside its reward.",)
    tables = [
        Table(
            ("task", "runs", *(f"{name}, {side}" for name in group for side in ("first", "second"))),
            tuple(
                (entry.task, str(entry.runs), *(_measure(name, one) for name in group for one in entry.measures[name]))
                for entry in entries
            ),
        )
        for group in (
            [name for name in names if name in KEY_MEASURES],
            [name for name in names if name not in KEY_MEASURES],
        )
        if group
    ]
    absent = [name for name in MEASURES if name not in names]
    more = (f"The files do not give: {', '.join(absent)}.",) if absent else ()
    return (*tables, *more)


def compute_table(entries: Sequence[Compute]) -> tuple[Block, ...]:
    """Time, tokens and requests per condition, schema and model; what no run says is left out, and named."""
    names = [name for name in QUANTITIES if any(entry.means[name] is not None for entry in entries)]
    rows = []
    for entry in entries:
        seconds = "–" if entry.median_seconds is None else f"{entry.median_seconds:,.1f}"
        hours = "–" if entry.total_hours is None else f"{entry.total_hours:,.3f}"
        means = ("–" if (mean := entry.means[name]) is None else f"{mean:,.1f}" for name in names)
        rows.append((entry.condition, entry.schema, entry.model, str(entry.runs), seconds, hours, *means))
    head = ("condition", "schema", "model", "runs", "median s", "total h", *(f"{name} per run" for name in names))
    absent = [name for name in QUANTITIES if name not in names]
    more = (f"The files do not give: {', '.join(absent)}.",) if absent else ()
    return (Table(head, tuple(rows), words=3), *more)


def exclusions_table(entries: Sequence[Exclusion]) -> tuple[Block, ...]:
    """Every run that enters no mean."""
    if not entries:
        return ("Every run has a reward; none is excluded.",)
    rows = tuple(
        (entry.run, entry.task, entry.condition, entry.schema, entry.model, str(entry.repeat), entry.why)
        for entry in entries
    )
    head = ("run", "task", "condition", "schema", "model", "repeat", "why")
    return Table(head, rows, words=len(head)), f"{len(entries)} runs enter no mean; none of them is a 0."


def level(value: float | None) -> str:
    """A level with four decimals, or that there is none."""
    return "–" if value is None else f"{value:.4f}"


def change(before: float | None, after: float | None) -> str:
    """A difference with its sign, or that there is none."""
    return "–" if before is None or after is None else f"{after - before:+.4f}"


def _difference(match: ColumnMatch) -> float:
    return 0.0 if match.before is None or match.after is None else match.after - match.before


def _measure(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.1f}" if name == "extra keys" else f"{value:.2f}" if name == "strict passes" else f"{value:.4f}"

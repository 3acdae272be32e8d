"""The report of an analysis: one table per question, an interval in every row, and what cannot be said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from m4review.campaigns.analysis import Analysis, Row
from m4review.campaigns.document import Block, Document, Figure, Points, Section, Table
from m4review.campaigns.power import repeats_needed, smallest_detectable
from m4review.campaigns.resampling import Interval

ONE_TASK = "One task, no inference: an interval over tasks needs at least two."
FEW_TASKS = 6
"""Below this the smallest two-sided sign-flip p is above 0.05 whatever the effect."""
PLANNED_REPEATS = (1, 3, 5, 10)


def report_of(analysis: Analysis, figures: Sequence[Figure] = ()) -> Document:
    """The report. ``figures`` are put into the sections that they belong to."""
    drawn = {figure.file: figure for figure in figures}

    def with_figures(*names: str) -> Iterator[Block]:
        return (drawn[name] for name in names if name in drawn)

    sections = [
        Section("Skill effect", (_rows([analysis.primary, *analysis.sensitivity]), *_inference(analysis))),
        Section("Gains and declines", (_tasks(analysis), *with_figures("forest", "heat-map"))),
    ]
    if analysis.controls:
        sections.append(Section("Matched controls", (_rows(analysis.controls), *with_figures("controls"))))
    if analysis.schemas:
        sections.append(Section("Changed schemas", (_schemas(analysis), *with_figures("schemas"))))
    sections += [
        Section("Secondary measures", _secondary(analysis)),
        Section("Strict checks", _strict(analysis)),
        Section("Power", _power(analysis)),
        Section("Left out, and what cannot be computed", (_limits(analysis),)),
    ]
    return Document("Campaign report", _opening(analysis), tuple(sections))


def signed(value: float) -> str:
    """A difference with its sign and four decimals."""
    return f"{value:+.4f}"


def bracketed(interval: Interval) -> str:
    """An interval, or that there is none."""
    if interval.low is None or interval.high is None:
        return f"none (n = {interval.units})"
    return f"[{interval.low:.4f}, {interval.high:.4f}]"


def _opening(analysis: Analysis) -> str:
    effect = analysis.primary.effect
    return (
        f"{analysis.runs} runs; {effect.runs} of them in the primary comparison: {len(effect.tasks)} tasks in "
        f"{len(set(effect.families))} families, {len(effect.models)} models. Means over repeats, then models, then "
        f"tasks. Intervals: 95 % percentile bootstrap, {analysis.draws} draws, seed {analysis.seed}."
    )


EFFECT_HEAD = ("comparison", "first", "second", "difference", "95 % interval", "up / down", "tasks", "runs", "left out")


def _rows(rows: Iterable[Row]) -> Table:
    return Table(EFFECT_HEAD, tuple(_line(row) for row in rows))


def _line(row: Row) -> tuple[str, ...]:
    before, after = row.effect.levels
    up, down = row.effect.directions()
    return (
        row.name,
        f"{before:.4f}",
        f"{after:.4f}",
        signed(row.effect.mean),
        bracketed(row.interval),
        f"{up} / {down}",
        str(len(row.effect.tasks)),
        str(row.effect.runs),
        str(len(row.effect.left_out)),
    )


def _inference(analysis: Analysis) -> tuple[Block, ...]:
    effect = analysis.primary.effect
    if len(effect.tasks) < 2:
        return (ONE_TASK,)
    ways = (
        ("tasks resampled", effect.mean, analysis.primary.interval),
        ("tasks, then repeats resampled", effect.mean, analysis.nested),
        ("families resampled, their tasks pooled", effect.mean, analysis.clustered),
        ("mean of family means, families resampled", *analysis.balanced),
    )
    table = Table(
        ("way", "difference", "95 % interval"),
        tuple((name, signed(mean), bracketed(interval)) for name, mean, interval in ways),
    )
    exact = ""
    if analysis.p_exact:
        far, every = analysis.p_exact
        exact = f"exact p = {far}/{every} = {far / every:.2g}; "
    flips = f"Sign-flip test, two-sided: {exact}Monte Carlo p = {analysis.p_monte_carlo:.2g} ({analysis.draws} draws)."
    if len(effect.tasks) >= FEW_TASKS:
        return table, flips
    smallest = 2 / 2 ** len(effect.tasks)
    few = (
        f"With {len(effect.tasks)} tasks the sign-flip p cannot be below {smallest:.3g}, however large the effect: "
        "nothing can be inferred about other tasks."
    )
    return table, flips, few


def _tasks(analysis: Analysis) -> Table:
    rows = []
    for task in sorted(analysis.primary.effect.tasks, key=lambda task: task.delta, reverse=True):
        before, after = task.levels
        per_model = ", ".join(f"{pair.model} {signed(pair.delta)}" for pair in task.models)
        rows.append((task.task, task.facts.mode, f"{before:.4f}", f"{after:.4f}", signed(task.delta), per_model))
    return Table(("task", "mode", "no-skill", "with-skill", "difference", "by model"), tuple(rows))


def _schemas(analysis: Analysis) -> Table:
    rows = []
    for level in analysis.schemas:
        found = level.difference
        difference = "cannot be computed" if found is None else signed(found.effect.mean)
        interval = "–" if found is None else bracketed(found.interval)
        native = "–" if level.native is None else f"{level.native:.4f}"
        rows.append((str(level.arm), str(level.tasks), f"{level.level:.4f}", native, difference, interval))
    return Table(
        ("arm", "tasks", "level", "native, same tasks and models", "difference from no-skill", "95 % interval"),
        tuple(rows),
    )


def _secondary(analysis: Analysis) -> tuple[Block, ...]:
    rows = [row for row in (analysis.key_f1, analysis.ordered_nmae) if row is not None]
    if not rows:
        return ("The files hold no key F1 and no ordered nMAE.",)
    return _rows(rows), "A higher key F1 and a lower ordered nMAE are better. Rounding dust counts as no change."


STRICT_HEAD = ("condition", "runs", "passed", "failed", "values only", "coverage", "execution", "other",
               "with extra keys", "not said")  # fmt: skip
STRICT_WORDS = (
    "Values only: every failed check is a column below the accuracy threshold of its task card. Coverage: another "
    "check failed too and reference keys are missing. Execution: the run crashed. Other: another check failed, or the "
    "file does not hold the rates that would say which. Extra keys are counted beside these."
)


def _strict(analysis: Analysis) -> tuple[Block, ...]:
    rows = []
    for name, found in analysis.strict.items():
        counts = (
            found.runs,
            found.passed,
            found.failed,
            found.values_only,
            found.coverage,
            found.execution,
            found.other,
        )
        rows.append((name, *map(str, counts), str(found.extra_keys), str(found.unknown)))
    return Table(STRICT_HEAD, tuple(rows)), STRICT_WORDS


def _power(analysis: Analysis) -> tuple[Block, ...]:
    spread, effect = analysis.spread, analysis.primary.effect
    if spread is None:
        return ("Nothing can be said: it takes two tasks, and two repeats of one of them.",)
    models, tasks = len(effect.models), len(effect.tasks)
    rows = []
    for repeats in PLANNED_REPEATS:
        smallest = smallest_detectable(spread, tasks=tasks, models=models, repeats=repeats)
        rows.append((str(repeats), "–" if smallest is None else f"{smallest:.4f}"))
    needed = repeats_needed(spread, abs(effect.mean), tasks=tasks, models=models)
    takes = f"{needed} repeat{'' if needed == 1 else 's'}" if needed else "more tasks: no number of repeats shows it"
    said = (
        f"For {tasks} tasks and {models} models at two-sided 5 %. Standard deviation between tasks "
        f"{spread.between**0.5:.4f}, between repeats {spread.within**0.5:.4f}. An effect as large as the one seen "
        f"takes {takes}."
    )
    return Table(("repeats per condition", "smallest effect found with 80 % power"), tuple(rows)), said


def _limits(analysis: Analysis) -> Block:
    rows = [analysis.primary, *analysis.sensitivity, *analysis.controls]
    rows += [row for row in (analysis.key_f1, analysis.ordered_nmae) if row is not None]
    sentences = [f"{row.name}: {said}" for row in rows for said in row.effect.left_out]
    return Points(tuple(dict.fromkeys([*sentences, *analysis.cannot])) or ("nothing",))

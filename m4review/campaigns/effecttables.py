"""Tables of effects: every row with its levels, its interval, its size and how many runs were left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from m4review.campaigns.analysis import Analysis
from m4review.campaigns.comparisons import Contrast, Row
from m4review.campaigns.controls import Ladder
from m4review.campaigns.document import Block, Points, Table
from m4review.campaigns.power import repeats_needed, smallest_detectable
from m4review.campaigns.resampling import Interval, narrowness

ONE_TASK = "One task, no inference: an interval over tasks needs at least two."
FEW_TASKS = 6
"""Below this the smallest two-sided sign-flip p is above 0.05 whatever the effect."""
NARROW = 0.1
"""Share by which an interval may be too narrow without a word about it."""
PLANNED_REPEATS = (1, 3, 5, 10)
EFFECT_HEAD = ("comparison", "first", "second", "difference", "95 % interval", "up / down", "tasks", "runs", "left out")


def signed(value: float) -> str:
    """A difference with its sign and four decimals; rounding dust has none."""
    text = f"{value:+.4f}"
    return "0.0000" if text in ("+0.0000", "-0.0000") else text


def bracketed(interval: Interval) -> str:
    """An interval, or that there is none."""
    if interval.low is None or interval.high is None:
        return f"none (n = {interval.units})"
    return f"[{interval.low:.4f}, {interval.high:.4f}]"


def counted(count: int, one: str, many: str) -> str:
    """``1 task`` or ``2 tasks``."""
    return f"{count} {one if count == 1 else many}"


def effect_table(rows: Iterable[Row]) -> Table:
    """One line per comparison."""
    return Table(EFFECT_HEAD, tuple(_line(row) for row in rows))


def summary(analysis: Analysis) -> str:
    """The result in two sentences."""
    effect, interval = analysis.primary.effect, analysis.primary.interval
    before, after = effect.levels
    up, down = effect.directions()
    head = (
        f"Mean reward: {before:.4f} under {effect.baseline}, {after:.4f} under {effect.treated}. The difference is "
        f"{signed(effect.mean)}, 95 % interval {bracketed(interval)}. {up} of {len(effect.tasks)} tasks improved, "
        f"{down} got worse."
    )
    crosses = interval.low is not None and interval.high is not None and interval.low <= 0 <= interval.high
    return head + (" The interval holds 0: the runs show neither gain nor loss." if crosses else "")


def inference(analysis: Analysis) -> tuple[Block, ...]:
    """The same difference by every way of resampling, the sign-flip test, and what few tasks cannot tell."""
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
        ("way", "difference", "95 % interval", "units"),
        tuple((name, signed(mean), bracketed(interval), str(interval.units)) for name, mean, interval in ways),
    )
    exact = ""
    if analysis.p_exact:
        far, every = analysis.p_exact
        exact = f"exact p = {far}/{every} = {far / every:.2g}; "
    flips = f"Sign-flip test, two-sided: {exact}Monte Carlo p = {analysis.p_monte_carlo:.2g} ({analysis.draws} draws)."
    said: list[Block] = [table, flips]
    if len(effect.tasks) < FEW_TASKS:
        smallest = 2 / 2 ** len(effect.tasks)
        said.append(
            f"With {len(effect.tasks)} tasks the sign-flip p cannot be below {smallest:.3g}, however large the effect: "
            "nothing can be inferred about other tasks."
        )
    if len(set(effect.families)) < FEW_TASKS:
        said.append(
            f"The tasks belong to {counted(len(set(effect.families)), 'family', 'families')} only: intervals over "
            "families rest on too few of them to be trusted."
        )
    return tuple(said)


def narrow_intervals(rows: Iterable[Row]) -> tuple[str, ...]:
    """A sentence on rows over so few tasks that their percentile intervals are clearly too narrow; none otherwise."""
    sizes = sorted({len(row.effect.tasks) for row in rows if len(row.effect.tasks) > 1})
    narrow = [size for size in sizes if narrowness(size) > NARROW]
    if not narrow:
        return ()
    told = ", ".join(f"{100 * narrowness(size):.0f} % over {size} tasks" for size in narrow)
    return (f"Percentile intervals over few tasks are too narrow; against Student's t by {told}.",)


def gains_and_declines(analysis: Analysis) -> tuple[Block, ...]:
    """Each task with its levels, its difference, the interval over its repeats, and the difference per model."""
    rows = []
    for task in analysis.primary.effect.by_gain():
        before, after = task.levels
        per_model = ", ".join(f"{pair.model} {signed(pair.delta)}" for pair in task.models)
        within = analysis.within_tasks[task.task]
        inside = "none" if within.low is None else bracketed(within)
        rows.append(
            (task.task, task.facts.mode, per_model, f"{before:.4f}", f"{after:.4f}", signed(task.delta), inside)
        )
    table = Table(
        ("task", "mode", "by model", "first", "second", "difference", "95 % over repeats"), tuple(rows), words=3
    )
    return (
        table,
        "The interval of a task is over its repeats alone (each model's repeats drawn anew); it says how steady the "
        "runs are, not how other tasks would fare. None: a model has a single repeat.",
    )


def families(analysis: Analysis) -> tuple[Block, ...]:
    """The primary comparison without each family, and how far it moves."""
    if not analysis.families:
        return ("Every task is of one family: none can be left out.",)
    means = {row.name: row.effect.mean for row in analysis.families}
    low, high = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    said = f"The difference lies between {signed(means[low])} ({low}) and {signed(means[high])} ({high})."
    return effect_table([analysis.primary, *analysis.families]), said


def control_table(rows: Sequence[Row]) -> tuple[Block, ...]:
    """The rows of controls, each matched to the tasks it was run on."""
    return effect_table(rows), *narrow_intervals(rows)


def ladder_table(ladders: Iterable[Ladder]) -> tuple[Block, ...]:
    """Levels of the conditions on the same tasks, one line per step."""
    rows = []
    for ladder in ladders:
        for step in ladder.steps:
            rows.append((f"{len(ladder.tasks)} tasks", step.condition, f"{step.level:.4f}", str(step.runs)))
    if not rows:
        return ()
    return (Table(("same tasks and models", "condition", "mean reward", "runs"), tuple(rows), words=2),)


def schema_tables(analysis: Analysis) -> tuple[Block, ...]:
    """Levels on the changed schemas, then every comparison with the native one that the runs allow."""
    levels = []
    for level in analysis.schemas:
        found = level.difference
        difference = "cannot be computed" if found is None else signed(found.effect.mean)
        interval = "–" if found is None else bracketed(found.interval)
        native = "–" if level.native is None else f"{level.native:.4f}"
        levels.append((str(level.arm), str(level.tasks), f"{level.level:.4f}", native, difference, interval))
    head = ("arm", "tasks", "level", "native, same tasks and models", "difference from no-skill", "95 % interval")
    blocks: list[Block] = [Table(head, tuple(levels))] if levels else []
    rows = [row for probe in analysis.probes for row in (probe.without, probe.with_skill, probe.effect) if row]
    if rows:
        blocks.append(effect_table(rows))
    kept = [probe.kept for probe in analysis.probes if probe.kept is not None]
    if kept:
        blocks.append(_contrasts(kept))
    blocks.append(_probe_words(analysis))
    return tuple(blocks)


def secondary(rows: Iterable[Row | None]) -> tuple[Block, ...]:
    """Key precision, recall and F1 and the ordered error, as comparisons."""
    found = [row for row in rows if row is not None]
    if not found:
        return ("The files hold no key figures and no ordered nMAE.",)
    return (
        effect_table(found),
        "Higher key figures and a lower ordered nMAE are better. Rounding dust counts as no change.",
    )


def power_table(analysis: Analysis) -> tuple[Block, ...]:
    """The smallest effect that such a plan finds, by number of repeats, and the repeats that this one took."""
    spread, effect = analysis.spread, analysis.primary.effect
    if spread is None:
        return ("Nothing can be said: it takes two tasks, and two repeats of one of them.",)
    models, tasks = len(effect.models), len(effect.tasks)
    rows = []
    for repeats in PLANNED_REPEATS:
        smallest = smallest_detectable(spread, tasks=tasks, models=models, repeats=repeats)
        rows.append((str(repeats), "–" if smallest is None else f"{smallest:.4f}"))
    said = (
        f"For {tasks} tasks and {counted(models, 'model', 'models')} at two-sided 5 %. Standard deviation between "
        f"tasks {spread.between**0.5:.4f}, between repeats {spread.within**0.5:.4f}. "
    )
    if signed(effect.mean) == "0.0000":
        said += "No effect was seen, so there is none to plan for."
    else:
        needed = repeats_needed(spread, abs(effect.mean), tasks=tasks, models=models)
        takes = counted(needed, "repeat", "repeats") if needed else "more tasks: no number of repeats shows it"
        said += f"An effect as large as the one seen takes {takes}."
    return Table(("repeats per condition", "smallest effect found with 80 % power"), tuple(rows)), said


def limits(analysis: Analysis) -> Points:
    """What was left out of each comparison, and what cannot be computed at all."""
    rows = [analysis.primary, *analysis.sensitivity, *(row for rows in analysis.controls.values() for row in rows)]
    rows += [row for row in (analysis.key_precision, analysis.key_f1, analysis.ordered_nmae) if row is not None]
    rows += [row for probe in analysis.probes for row in (probe.without, probe.with_skill, probe.effect) if row]
    comparisons: dict[str, list[str]] = {}
    for row in rows:
        for said in row.effect.left_out:
            comparisons.setdefault(said, []).append(row.name)
    sentences = [f"{', '.join(dict.fromkeys(names))}: {said}" for said, names in comparisons.items()]
    return Points((*sentences, *analysis.cannot) or ("nothing",))


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
        str(sum(count for _, _, count in row.effect.unused)),
    )


def _contrasts(found: Iterable[Contrast]) -> Table:
    rows = []
    for contrast in found:
        up, down = contrast.directions()
        rows.append(
            (
                contrast.name,
                signed(contrast.first),
                signed(contrast.second),
                signed(contrast.mean),
                bracketed(contrast.interval),
                f"{up} / {down}",
                str(len(contrast.deltas)),
            )
        )
    head = (
        "generalisation",
        "native effect",
        "effect there",
        "difference",
        "95 % interval",
        "larger / smaller",
        "tasks",
    )
    return Table(head, tuple(rows))


def _probe_words(analysis: Analysis) -> str:
    lacking = [probe.schema for probe in analysis.probes if probe.without is None]
    said = (
        "Probe: how far no-skill falls when names change says how much the agent rested on names it knew. "
        "Generalisation: whether the skill adds as much there as on the native schema."
    )
    if lacking:
        said += f" Neither can be computed on {' and '.join(lacking)}: there is no run without the skill there."
    return said

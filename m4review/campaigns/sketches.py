"""The figures in characters, for a terminal: nothing but plain letters, signs and lines, legible without colour."""

from __future__ import annotations

from m4review.campaigns.analysis import Analysis
from m4review.campaigns.document import Sketch
from m4review.campaigns.effecttables import signed
from m4review.campaigns.specification import ELEMENT_COUNT, SpecificationCurve

ACROSS = 41
"""Characters of a scale."""
BAR = 40


def sketches_of(analysis: Analysis, specification: SpecificationCurve | None = None) -> tuple[Sketch, ...]:
    """Every picture that the runs allow, under the names of the figures."""
    sketches = [_forest(analysis), _heat_map(analysis)]
    sketches += [one for one in (_ladder(analysis), _slopes(analysis), _scatter(specification)) if one is not None]
    return tuple(sketches)


def _forest(analysis: Analysis) -> Sketch:
    effect = analysis.primary.effect
    tasks = effect.by_gain()
    lines = [(task.task, task.delta, analysis.within_tasks[task.task], "o" if task.facts.mode == "standard" else "s")
             for task in tasks]  # fmt: skip
    lines.append(("mean of tasks", effect.mean, analysis.primary.interval, "#"))
    ends = [0.0, *(value for _, value, _, _ in lines)]
    for _, _, interval, _ in lines:
        ends += [end for end in (interval.low, interval.high) if end is not None]
    scale = _Scale(min(ends), max(ends))
    width = max(len(name) for name, *_ in lines)
    drawn = [f"{'':{width}}  {scale.legend()}"]
    for name, value, interval, mark in lines:
        row = [" "] * ACROSS
        row[scale.place(0)] = "|"
        if interval.low is not None and interval.high is not None:
            for place in range(scale.place(interval.low), scale.place(interval.high) + 1):
                row[place] = "-" if row[place] == " " else "+"
        row[scale.place(value)] = mark
        drawn.append(f"{name:<{width}}  {''.join(row)}  {signed(value):>8}")
    caption = (
        "Difference per task (o standard, s raw; line: 95 % over its repeats), last the mean (#) with its 95 % "
        "interval over tasks. | is no difference."
    )
    return Sketch("forest", "\n".join(drawn), caption)


def _heat_map(analysis: Analysis) -> Sketch:
    effect = analysis.primary.effect
    tasks = effect.by_gain()
    largest = max((abs(pair.delta) for task in tasks for pair in task.models), default=0.0) or 1.0
    width = max(len(task.task) for task in tasks)
    columns = [max(len(model), 13) for model in effect.models]
    lines = [f"{'':{width}}  " + "  ".join(f"{m:>{w}}" for m, w in zip(effect.models, columns, strict=True))]
    for task in tasks:
        found = {pair.model: pair.delta for pair in task.models}
        cells = [_heat(found.get(model), largest, w) for model, w in zip(effect.models, columns, strict=True)]
        lines.append(f"{task.task:<{width}}  " + "  ".join(cells))
    caption = "Difference per task and model; the more + or - signs, the larger it is. .: not on both sides."
    return Sketch("heat-map", "\n".join(lines), caption)


def _heat(delta: float | None, largest: float, width: int) -> str:
    if delta is None:
        return f"{'.':>{width}}"
    signs = round(4 * abs(delta) / largest)
    return f"{('+' if delta > 0 else '-') * signs:>4} {signed(delta):>8}".rjust(width)


def _ladder(analysis: Analysis) -> Sketch | None:
    if not analysis.ladders:
        return None
    lines = []
    for ladder in analysis.ladders:
        lines.append(f"{len(ladder.tasks)} tasks")
        width = max(len(step.condition) for step in ladder.steps)
        lines += [f"  {step.condition:<{width}}  {_bar(step.level)}  {step.level:.4f}" for step in ladder.steps]
    caption = "Mean reward by what the agent was given, each group on the same tasks and models."
    return Sketch("controls", "\n".join(lines), caption)


def _slopes(analysis: Analysis) -> Sketch | None:
    rows = [
        (f"{row.effect.treated.condition}, {probe.schema}", row)
        for probe in analysis.probes
        for row in (probe.without, probe.with_skill)
        if row is not None
    ]
    if not rows:
        return None
    width = max(len(name) for name, _ in rows)
    lines = []
    for name, row in rows:
        before, after = row.effect.levels
        lines.append(f"{name:<{width}}  native   {_bar(before)}  {before:.4f}")
        lines.append(f"{'':<{width}}  changed  {_bar(after)}  {after:.4f}  {signed(row.effect.mean)}")
    return Sketch(
        "schemas", "\n".join(lines), "Mean reward on the native and the changed schema, same tasks and models."
    )


def _scatter(curve: SpecificationCurve | None) -> Sketch | None:
    """Rows of reward in tenths, columns of elements; the sign is the condition, * where several meet."""
    if curve is None or not curve.points:
        return None
    signs = {"no-skill": "n", "operational-spec": "p", "with-skill": "s"}
    grid = [[" "] * (ELEMENT_COUNT + 1) for _ in range(11)]
    for point in curve.points:
        row, sign = grid[round(10 * point.reward)], signs.get(point.condition, "?")
        row[point.declared] = sign if row[point.declared] in (" ", sign) else "*"
    lines = [f"{place / 10:3.1f} |{''.join(grid[place])}" for place in range(10, -1, -1)]
    lines += ["    +" + "-" * (ELEMENT_COUNT + 1), f"     0{ELEMENT_COUNT:>{ELEMENT_COUNT}}  elements declared"]
    return Sketch(
        "specification",
        "\n".join(lines),
        "Mean reward of a task against the elements of a specification it was given (n no-skill, p operational-spec, "
        "s with-skill, * several).",
    )


class _Scale:
    """Values on a line of ``ACROSS`` characters."""

    def __init__(self, low: float, high: float) -> None:
        self._low, self._span = low, (high - low) or 1.0

    def place(self, value: float) -> int:
        return min(ACROSS - 1, max(0, round((value - self._low) / self._span * (ACROSS - 1))))

    def legend(self) -> str:
        low, high = f"{self._low:+.2f}", f"{self._low + self._span:+.2f}"
        return low + " " * (ACROSS - len(low) - len(high)) + high


def _bar(level: float) -> str:
    filled = round(level * BAR)
    return "[" + "=" * filled + " " * (BAR - filled) + "]"

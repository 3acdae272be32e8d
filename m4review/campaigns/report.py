"""The analysis as Markdown: one table per question, an interval in every row, and what cannot be said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from m4review.campaigns.analysis import Analysis, Row
from m4review.campaigns.power import repeats_needed, smallest_detectable
from m4review.campaigns.resampling import Interval

Table = Sequence[Sequence[str]]
ONE_TASK = "one task, no inference: an interval over tasks needs at least two"
FEW_TASKS = 6
"""Below this the smallest two-sided sign-flip p is above 0.05 whatever the effect."""


def markdown_report(analysis: Analysis) -> str:
    """The report as Markdown text, ending in a newline."""
    parts = ["# Campaign report", _opening(analysis)]
    parts += ["## Skill effect", _effect_table(analysis), _inference(analysis)]
    parts += ["## Gains and declines", _task_table(analysis)]
    if analysis.controls:
        parts += ["## Matched controls", _rows_table(analysis.controls)]
    if analysis.schemas:
        parts += ["## Changed schemas", _schema_table(analysis)]
    parts += ["## Secondary measures", _secondary(analysis)]
    parts += ["## Strict checks", _strict_table(analysis)]
    parts += ["## Power", _power(analysis)]
    parts += ["## Left out, and what cannot be computed", _limits(analysis)]
    return "\n\n".join(parts) + "\n"


def markdown_table(head: Sequence[str], rows: Table) -> str:
    """A Markdown table; the first column is text, the others are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def signed(value: float) -> str:
    """A difference with its sign and four decimals."""
    return f"{value:+.4f}"


def bracketed(interval: Interval) -> str:
    """An interval, or that there is none."""
    if interval.low is None or interval.high is None:
        return "none (n = 1)"
    return f"[{interval.low:.4f}, {interval.high:.4f}]"


def _opening(analysis: Analysis) -> str:
    effect = analysis.primary.effect
    return (
        f"{analysis.runs} runs; {effect.runs} of them in the primary comparison: {len(effect.tasks)} tasks in "
        f"{len(set(effect.families))} families, {len(effect.models)} models. Means over repeats, then models, then "
        f"tasks. Intervals: 95 % percentile bootstrap, {analysis.draws} draws, seed {analysis.seed}."
    )


def _line(row: Row) -> list[str]:
    before, after = row.effect.levels
    up, down = row.effect.directions()
    return [
        row.name,
        f"{before:.4f}",
        f"{after:.4f}",
        signed(row.effect.mean),
        bracketed(row.interval),
        f"{up} / {down}",
        str(len(row.effect.tasks)),
        str(row.effect.runs),
        str(len(row.effect.left_out)),
    ]


EFFECT_HEAD = ("comparison", "first", "second", "difference", "95 % interval", "up / down", "tasks", "runs", "left out")


def _rows_table(rows: Iterable[Row]) -> str:
    return markdown_table(EFFECT_HEAD, [_line(row) for row in rows])


def _effect_table(analysis: Analysis) -> str:
    return _rows_table([analysis.primary, *analysis.sensitivity])


def _inference(analysis: Analysis) -> str:
    effect = analysis.primary.effect
    if len(effect.tasks) < 2:
        return ONE_TASK + "."
    rows = [
        ["tasks resampled", signed(effect.mean), bracketed(analysis.primary.interval)],
        ["tasks, then repeats resampled", signed(effect.mean), bracketed(analysis.nested)],
        ["families resampled, their tasks pooled", signed(effect.mean), bracketed(analysis.clustered)],
        ["mean of family means, families resampled", signed(analysis.balanced[0]), bracketed(analysis.balanced[1])],
    ]
    text = markdown_table(("way", "difference", "95 % interval"), rows)
    if analysis.p_exact:
        far, all_of_them = analysis.p_exact
        text += f"\n\nSign-flip test, two-sided: exact p = {far}/{all_of_them} = {far / all_of_them:.2g}; "
    else:
        text += "\n\nSign-flip test, two-sided: "
    text += f"Monte Carlo p = {analysis.p_monte_carlo:.2g} ({analysis.draws} draws)."
    if len(effect.tasks) < FEW_TASKS:
        smallest = 2 / 2 ** len(effect.tasks)
        text += (
            f"\n\nWith {len(effect.tasks)} tasks the sign-flip p cannot be below {smallest:.3g}, however "
            "large the effect: nothing can be inferred about other tasks."
        )
    return text


def _task_table(analysis: Analysis) -> str:
    rows = []
    for task in sorted(analysis.primary.effect.tasks, key=lambda task: task.delta, reverse=True):
        before, after = task.levels
        per_model = ", ".join(f"{pair.model} {signed(pair.delta)}" for pair in task.models)
        rows.append([task.task, task.facts.mode, f"{before:.4f}", f"{after:.4f}", signed(task.delta), per_model])
    return markdown_table(("task", "mode", "no-skill", "with-skill", "difference", "by model"), rows)


def _schema_table(analysis: Analysis) -> str:
    rows = []
    for level in analysis.schemas:
        difference = level.difference
        rows.append(
            [
                str(level.arm),
                str(level.tasks),
                f"{level.level:.4f}",
                "cannot be computed" if difference is None else signed(difference.effect.mean),
                "–" if difference is None else bracketed(difference.interval),
            ]
        )
    return markdown_table(("arm", "tasks", "level", "difference from no-skill", "95 % interval"), rows)


def _secondary(analysis: Analysis) -> str:
    rows = [row for row in (analysis.key_f1, analysis.ordered_nmae) if row is not None]
    if not rows:
        return "The files hold no key F1 and no ordered nMAE."
    return (
        _rows_table(rows)
        + "\n\nA higher key F1 and a lower ordered nMAE are better. Rounding dust counts as no change."
    )


def _strict_table(analysis: Analysis) -> str:
    rows = [
        [
            name,
            str(found.runs),
            str(found.passed),
            str(found.failed),
            str(found.values_only),
            str(found.coverage),
            str(found.execution),
            str(found.other),
            str(found.extra_keys),
            str(found.unknown),
        ]
        for name, found in analysis.strict.items()
    ]
    head = ("condition", "runs", "passed", "failed", "values only", "coverage", "execution", "other", "with extra keys",
            "not said")  # fmt: skip
    return markdown_table(head, rows) + (
        "\n\n*Values only*: every failed check is a column below the accuracy threshold of its task card. "
        "*Coverage*: another check failed too and reference keys are missing. *Execution*: the run crashed. "
        "Extra keys are counted beside these."
    )


def _power(analysis: Analysis) -> str:
    spread = analysis.spread
    effect = analysis.primary.effect
    if spread is None:
        return "Nothing can be said: it takes two tasks, and two repeats of one of them."
    models, tasks = len(effect.models), len(effect.tasks)
    rows = []
    for repeats in (1, 3, 5, 10):
        smallest = smallest_detectable(spread, tasks=tasks, models=models, repeats=repeats)
        rows.append([str(repeats), "–" if smallest is None else f"{smallest:.4f}"])
    text = markdown_table(("repeats per condition", "smallest effect found with 80 % power"), rows)
    text += (
        f"\n\nFor {tasks} tasks and {models} models at two-sided 5 %. Standard deviation between tasks "
        f"{spread.between**0.5:.4f}, between repeats {spread.within**0.5:.4f}."
    )
    needed = repeats_needed(spread, abs(effect.mean), tasks=tasks, models=models)
    text += (
        f" An effect as large as the one seen takes {needed} repeat{'' if needed == 1 else 's'}."
        if needed
        else " An effect as large as the one seen takes more tasks: no number of repeats shows it."
    )
    return text


def _limits(analysis: Analysis) -> str:
    rows = [analysis.primary, *analysis.sensitivity, *analysis.controls]
    rows += [row for row in (analysis.key_f1, analysis.ordered_nmae) if row is not None]
    sentences = [f"{row.name}: {said}" for row in rows for said in row.effect.left_out]
    sentences += analysis.cannot
    return "\n".join(f"- {said}" for said in dict.fromkeys(sentences)) or "- nothing"

"""Trials as text: the two conditions side by side while they run, then what the skill is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.trials.bars import reward_bar
from m4review.trials.conditions import Arm, Condition
from m4review.tui.render.shelf import signed

if TYPE_CHECKING:
    from m4review.trials import ConditionResult, TrialSummary
    from m4review.trials.improvement import Improvement
    from m4review.tui.session.trial_plan import TrialPlan

BAR = 12
SIDE_BY_SIDE = 2
"""Conditions that fit beside each other on 80 columns."""
GAP_WIDTH = 120
COLUMN = 18
"""Columns per condition in a table of match rates."""
MANY = 3
"""Skills from which they are counted instead of listed."""
AUDITS = {"clear": "clear", "held": "HELD for a person", "blind": "no trace", "none": "–"}
OPENED = {True: "opened", False: "NOT OPENED", None: "opened?"}
NOT_THE_CHANGE = "Δ skill below is another figure: with the skill minus without it."
"""So that nobody takes what the skill is worth at all for what its last change was worth."""
ONE_TASK = "This is one task; how the skill does on others is not told."
WORDS = "F1 says what the words mean."
KEYS = "keys matched (key F1)"
"""So called that nobody takes it for the key that shows help."""
NO_ENGINE = (
    "Docker does not answer, so the built-in reader runs as an ordinary process of this machine and results say NOT "
    "ISOLATED. s (Set up) says how to start it."
)
NOTE_ON_READER = (
    "The reader does literally what the text says and nothing else: a lower bound for what the text carries, "
    "not a model of how a language model would use it."
)


def bar(rate: float | None, width: int = BAR) -> str:
    """A rate from 0 to 1 as a bar of ``width`` cells; a dash without a rate."""
    return "–".ljust(width) if rate is None else reward_bar(rate, None, width)


def result_text(summary: TrialSummary, *, helped: Improvement | None = None, width: int = 80) -> Text:
    """The whole result: reward per condition with Δ, columns as bars, checks, audit, and what could not be executed.

    ``helped`` is what the text changed against the one tried before, which is said first.
    """
    text = Text()
    _head(text, summary)
    if helped is not None:
        text.append(f"{helped.sentence}\n", "bold").append(f"{NOT_THE_CHANGE}\n" if summary.delta is not None else "")
    whole = [result for result in summary.conditions if result.left_out is None]
    if len(whole) > SIDE_BY_SIDE:
        _overview(text, whole)
        _columns(text, whole, width)
    else:
        _table(text, summary, whole, BAR if width < 100 else 2 * BAR)
    _ablation(text, summary)
    _unscored(text, summary)
    text.append(f"\n{NOTE_ON_READER if summary.agent == 'reader' else summary.agent_title}\n", "italic")
    for result in whole:
        _gaps(text, summary, result)
    text.append(f"\n{ONE_TASK} Records: trial {summary.id}. {WORDS}", "dim")
    return text


def _head(text: Text, summary: TrialSummary) -> None:
    rows = "synthetic" if summary.synthetic else "imported"
    text.append(f"{summary.task}", "bold").append(f" · {summary.dataset} ({rows}) · {summary.agent}\n")
    if summary.changed_schema:
        text.append(f"CHANGED SCHEMA: {summary.changed_schema}\n", "bold")
    text.append(f"{summary.started:%Y-%m-%d %H:%M} UTC · ")
    text.append(
        "sealed in Docker\n" if summary.isolated else "NOT ISOLATED: ran as an ordinary process\n",
        "" if summary.isolated else "bold",
    )
    if summary.has_reused_concepts:
        text.append(f"REUSED CONCEPTS, not ours: lineage {summary.reference_lineage}\n", "bold")
    if summary.cancelled:
        text.append("CANCELLED: the figures are of the runs that had finished.\n", "bold")


def _overview(text: Text, results: Sequence[ConditionResult]) -> None:
    """One line per condition: reward with its bar, the difference to no skill, key F1, strict checks, audit."""
    label = max(len(result.label) for result in results) + 2
    text.append(f"\n{'':<{label}}{'reward':<{BAR + 7}}{'Δ':<8}{'keys':<8}{'strict':<9}audit\n")
    for result in results:
        reward, f1 = ("–" if value is None else f"{value:.3f}" for value in (result.reward, result.key_f1))
        delta = "" if result.delta is None else signed(result.delta)
        strict = f"{result.strict_passes} of {result.counted}"
        text.append(f"{result.label:<{label}}", "bold")
        text.append(f"{bar(result.reward)} {reward:<6}{delta:<8}{f1:<8}{strict:<9}{AUDITS[result.audit]}\n")
    text.append(f"Δ is the difference to no-skill. {WORDS}\n", "dim")


def _columns(text: Text, results: Sequence[ConditionResult], width: int) -> None:
    """Match rates per scored column, as many conditions beside each other as fit."""
    names = list(dict.fromkeys(name for result in results for name in result.columns))
    label = max((len(name) for name in names), default=0) + 2
    shown = [result for result in results if result.counted]
    per_block = max(1, (width - label - 2) // COLUMN)
    for start in range(0, len(shown), per_block):
        block = shown[start : start + per_block]
        text.append(f"\n{'':<{label}}" + "".join(f"{result.label:<{COLUMN}}" for result in block) + "\n")
        for name in names:
            rates = "".join(f"{result.columns.get(name, 0.0):<{COLUMN}.3f}" for result in block)
            text.append(f"{name:<{label}}{rates}\n")


def _ablation(text: Text, summary: TrialSummary) -> None:
    from m4review.trials.ablation import ablation_lines

    lines = list(ablation_lines(summary, BAR))
    if lines:
        text.append("\n" + lines[0] + "\n", "bold").append("\n".join(lines[1:]) + "\n")


def _table(text: Text, summary: TrialSummary, results: Sequence[ConditionResult], bar_width: int) -> None:
    words = {
        "strict checks": [f"{result.strict_passes} of {result.counted} runs passed" for result in results],
        "audit": [AUDITS[result.audit] for result in results],
        "skill given": [_skills(result) for result in results],
    }
    cell = max([bar_width + 8, *(len(word) + 2 for cells in words.values() for word in cells[:-1])])
    label = max([len(KEYS) + 2, *(len(name) + 3 for result in results for name in result.columns)])
    text.append("\n" + " " * label + "".join(f"{result.label:<{cell}}" for result in results))
    text.append("Δ skill\n" if summary.delta is not None else "\n")

    def row(name: str, values: Sequence[float | None], delta: float | None, style: str = "") -> None:
        text.append(f"{name:<{label}}", style)
        for value in values:
            drawn = "–" if value is None else f"{bar(value, bar_width)} {value:.3f}"
            text.append(f"{drawn:<{cell}}", style)
        text.append(("" if delta is None else signed(delta)) + "\n", style)

    row("reward", [result.reward for result in results], summary.delta, "bold")
    for name in dict.fromkeys(name for result in results for name in result.columns):
        values = [result.columns.get(name) for result in results]
        row(f"  {name}", values, summary.column_deltas.get(name))
    row(KEYS, [result.key_f1 for result in results], None)
    for name, cells in words.items():
        text.append(f"{name:<{label}}" + "".join(f"{word:<{cell}}" for word in cells) + "\n")


def _skills(result: ConditionResult) -> str:
    if len(result.skills) > MANY:
        names = [f"{len(result.skills)} skills"]
    else:
        names = [f"version {skill.version}" if skill.version else "unrecorded" for skill in result.skills]
    opened = [OPENED[result.skill_opened]] if result.given_as_skill else ["as text"] if names else []
    return ", ".join([*names, *opened]) or "none"


def _unscored(text: Text, summary: TrialSummary) -> None:
    for run in summary.unscored:
        effect = "counts as 0" if run.counts else "is left out of the figures"
        text.append(f"\nA run of {run.label} {effect}: {run.outcome.value.replace('_', ' ')}.", "bold")
        if run.reason:
            text.append(f" {run.reason}")
        for finding in run.findings:
            text.append(f"\n  audit: {finding.rule} in {finding.file}: {finding.why}")
        text.append("\n")


def _gaps(text: Text, summary: TrialSummary, result: ConditionResult) -> None:
    from m4review.trials.table import split_gaps, unread_prose

    prose, meant = split_gaps(result.gaps)
    if meant:
        text.append(f"\nWhat the {summary.agent} could not execute, {result.label}\n", "bold")
    for gap in meant:
        words = gap.text if len(gap.text) <= GAP_WIDTH else gap.text[: GAP_WIDTH - 1] + "…"
        text.append(f"  {gap.where}: {words} ({gap.why})\n")
    if prose:
        said = (
            f"{result.label}: {unread_prose(len(prose))}: {summary.agent} follows tables, headings and set phrases. "
            f"'m4review trial show {summary.id}' lists them"
        )
        text.append(f"\n{said}\n", "dim")


def before_text(plan: TrialPlan, width: int) -> Text:
    """What stands on the page before anything runs: what F5 does, or what is missing, then the earlier trials."""
    text, setup = Text(), plan.setup
    text.append(f"{plan.next_step}\n", "bold")
    if setup.engine is not None:
        text.append(f"{NO_ENGINE}\n")
    text.append("\nEarlier trials\n", "bold").append_text(history_text(setup.earlier))
    if setup.earlier:
        text.append("\n\nThe last one\n", "bold").append_text(result_text(setup.earlier[0], width=width))
    return text


def history_text(trials: Sequence[TrialSummary]) -> Text:
    """Earlier trials, newest first, one line each."""
    if not trials:
        return Text("No trial yet.")
    return Text("\n").join(_history_line(trial) for trial in trials)


def versions_tried(trial: TrialSummary) -> str:
    """Which versions of its skills a trial gave to the agent."""
    return ", ".join(
        f"version {skill.version}" if skill.version else "unrecorded text"
        for result in trial.conditions
        if result.arm == Arm(Condition.WITH_SKILL)
        for skill in result.skills
    )


def _history_line(trial: TrialSummary) -> Text:
    versions = versions_tried(trial)
    delta = "cancelled" if trial.cancelled else "no Δ" if trial.delta is None else f"Δ {signed(trial.delta)}"
    text = Text(f"{trial.started:%Y-%m-%d %H:%M}  ").append(f"{delta:<10}", "bold").append(f" {trial.task}")
    text.append(f" · {versions or 'no skill'} · {trial.dataset}")
    if trial.changed_schema:
        text.append(f" · {trial.changed_schema}")
    if trial.ablation:
        text.append(" · sections")
    elif len(trial.conditions) > SIDE_BY_SIDE:
        text.append(f" · {len(trial.conditions) - SIDE_BY_SIDE} controls")
    return text if trial.isolated else text.append(" · not isolated")

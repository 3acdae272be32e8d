"""Trials as text: the two conditions side by side while they run, then what the skill is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from m4review.tui.render.shelf import signed
from m4review.tui.session.running_trial import Lane, RunningTrial

if TYPE_CHECKING:
    from m4review.trials import ConditionResult, TrialSummary

BAR = 12
GAP_WIDTH = 120
PHASES = {
    "waiting": "waiting for its turn",
    "starting": "starting",
    "prepare": "preparing the task's database",
    "create": "making the sandbox",
    "start": "starting the sandbox",
    "agent": "the agent works",
    "stop": "stopping the sandbox",
    "read": "reading what it left",
    "audit": "auditing",
    "score": "scoring",
}
AUDITS = {"clear": "clear", "held": "HELD for a person", "blind": "no trace", "none": "–"}
OPENED = {True: "opened", False: "NOT OPENED", None: "opened?"}
NOTE_ON_READER = (
    "The reader does literally what the text says and nothing else: a lower bound for what the text carries, "
    "not a model of how a language model would use it."
)


def lane_text(lane: Lane, now: float) -> Text:
    """One condition while it runs."""
    text = Text().append(f"{lane.condition}\n", "bold")
    if lane.outcome is not None:
        reward = "–" if lane.reward is None else f"{lane.reward:.3f}"
        text.append(f"done in {lane.took or 0:.1f} s: {lane.outcome.replace('_', ' ')}, reward {reward}\n")
        if lane.reason:
            text.append(f"{lane.reason}\n")
    else:
        seconds = f" · {now - lane.since:.0f} s" if lane.since else ""
        text.append(f"{PHASES.get(lane.phase, lane.phase)}{seconds}\n")
    for line in lane.lines:
        text.append(f"  {line}\n", "dim")
    return text


def lanes(trial: RunningTrial, now: float) -> RenderableType:
    """Both conditions side by side, with what a person should know above them."""
    table = Table.grid(expand=True, padding=(0, 1))
    for _ in trial.lanes:
        table.add_column(ratio=1)
    table.add_row(*(lane_text(lane, now) for lane in trial.lanes.values()))
    return table


def bar(rate: float | None, width: int = BAR) -> str:
    """A rate from 0 to 1 as a bar of ``width`` cells; a dash without a rate."""
    if rate is None:
        return "–".ljust(width)
    full = round(max(0.0, min(1.0, rate)) * width)
    return "█" * full + "·" * (width - full)


def result_text(summary: TrialSummary, *, width: int = 80) -> Text:
    """The whole result: reward per condition with Δ, columns as bars, checks, audit, and what could not be executed."""
    text = Text()
    _head(text, summary)
    _table(text, summary, BAR if width < 100 else 2 * BAR)
    _unscored(text, summary)
    text.append(f"\n{NOTE_ON_READER if summary.agent == 'reader' else summary.agent_title}\n", "italic")
    for result in summary.conditions:
        _gaps(text, summary, result)
    text.append(f"\n{summary.inference[0].upper()}{summary.inference[1:]}. Records: trial {summary.id}.", "dim")
    return text


def _head(text: Text, summary: TrialSummary) -> None:
    rows = "synthetic" if summary.synthetic else "imported"
    text.append(f"{summary.task}", "bold").append(f" · {summary.dataset} ({rows}) · {summary.agent}\n")
    text.append(f"{summary.started:%Y-%m-%d %H:%M} UTC · ")
    text.append(
        "sealed in Docker\n" if summary.isolated else "NOT ISOLATED: ran as an ordinary process\n",
        "" if summary.isolated else "bold",
    )
    if summary.cancelled:
        text.append("CANCELLED: the figures are of the runs that had finished.\n", "bold")


def _table(text: Text, summary: TrialSummary, bar_width: int) -> None:
    cell = bar_width + 8
    label = max(15, *(len(name) + 3 for result in summary.conditions for name in result.columns), 0)
    text.append("\n" + " " * label + "".join(f"{result.condition.value:<{cell}}" for result in summary.conditions))
    text.append("Δ\n" if summary.delta is not None else "\n")

    def row(name: str, values: Sequence[float | None], delta: float | None, style: str = "") -> None:
        text.append(f"{name:<{label}}", style)
        for value in values:
            figure = "  –  " if value is None else f"{value:.3f}"
            text.append(f"{bar(value, bar_width)} {figure}  ", style)
        text.append(("" if delta is None else signed(delta)) + "\n", style)

    row("reward", [result.reward for result in summary.conditions], summary.delta, "bold")
    for name in dict.fromkeys(name for result in summary.conditions for name in result.columns):
        values = [result.columns.get(name) for result in summary.conditions]
        row(f"  {name}", values, summary.column_deltas.get(name))
    row("key F1", [result.key_f1 for result in summary.conditions], None)
    words = {
        "strict checks": [f"{result.strict_passes} of {result.counted} passed" for result in summary.conditions],
        "audit": [AUDITS[result.audit] for result in summary.conditions],
        "skill given": [_skills(result) for result in summary.conditions],
    }
    for name, cells in words.items():
        text.append(f"{name:<{label}}" + "".join(f"{word:<{cell}}" for word in cells) + "\n")


def _skills(result: ConditionResult) -> str:
    names = [f"version {skill.version}" if skill.version else "unrecorded" for skill in result.skills]
    return ", ".join([*names, *([OPENED[result.skill_opened]] if names else [])]) or "none"


def _unscored(text: Text, summary: TrialSummary) -> None:
    for run in summary.unscored:
        effect = "counts as 0" if run.counts else "is left out of the figures"
        text.append(f"\nA run of {run.condition.value} {effect}: {run.outcome.value.replace('_', ' ')}.", "bold")
        if run.reason:
            text.append(f" {run.reason}")
        for finding in run.findings:
            text.append(f"\n  audit: {finding.rule} in {finding.file}: {finding.why}")
        text.append("\n")


def _gaps(text: Text, summary: TrialSummary, result: ConditionResult) -> None:
    from m4review.trials.table import split_gaps, unread_prose

    prose, meant = split_gaps(result.gaps)
    if meant:
        text.append(f"\nWhat the {summary.agent} could not execute, {result.condition.value}\n", "bold")
    for gap in meant:
        words = gap.text if len(gap.text) <= GAP_WIDTH else gap.text[: GAP_WIDTH - 1] + "…"
        text.append(f"  {gap.where}: {words} ({gap.why})\n")
    if prose:
        said = f"{result.condition.value}: {unread_prose(len(prose))}; 'm4review trial show {summary.id}' lists them"
        text.append(f"\n{said}\n", "dim")


def history_text(trials: Sequence[TrialSummary]) -> Text:
    """Earlier trials, newest first, one line each."""
    if not trials:
        return Text("No trial yet.")
    return Text("\n").join(_history_line(trial) for trial in trials)


def _history_line(trial: TrialSummary) -> Text:
    versions = ", ".join(
        f"version {skill.version}" if skill.version else "unrecorded text"
        for result in trial.conditions
        for skill in result.skills
    )
    delta = "cancelled" if trial.cancelled else "no Δ" if trial.delta is None else f"Δ {signed(trial.delta)}"
    text = Text(f"{trial.started:%Y-%m-%d %H:%M}  ").append(f"{delta:<10}", "bold").append(f" {trial.task}")
    text.append(f" · {versions or 'no skill'} · {trial.dataset}")
    return text if trial.isolated else text.append(" · not isolated")

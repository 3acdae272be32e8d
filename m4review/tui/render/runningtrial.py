"""A trial while it runs: its conditions side by side with what the agent does in each; then why it did not end well."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from m4review.errors import TrialError
from m4review.tui.session.running_trial import Lane, RunningTrial

SIDE_BY_SIDE = 2
"""Conditions that are shown in columns of their own."""
COLUMN = 26
"""Columns that each of them needs at least; below that they stand under each other."""
BESIDE_LABEL = 34
"""Columns beside the name of a condition where each has a line of its own."""
LEAST_LABEL = 16
HEAD = 6
"""Lines of the page that are no events of an agent."""
LEAST_LINES = 2
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


def live_text(trial: RunningTrial, now: float, width: int, height: int) -> RenderableType:
    """The whole page: how far it is, then each condition."""
    state = "stopping …" if trial.is_cancelled else f"{', '.join(trial.tasks)} is running"
    runs = f"{trial.done} of {trial.runs} runs done" if trial.runs else "preparing"
    left = "" if trial.seconds_left is None or not trial.seconds_left else f" · about {trial.seconds_left:.0f} s left"
    heading = Text(f"{state} · {clock(now - trial.started)} · {runs}{left}\n", "bold")
    for notice in trial.notices:
        heading.append(f"{notice}\n")
    return Group(heading, lanes(trial, now, width, height - HEAD - len(trial.notices)))


def lanes(trial: RunningTrial, now: float, width: int, height: int) -> RenderableType:
    """Two conditions side by side; more of them one line each, the one at work in full below."""
    shown = list(trial.lanes.values())
    if len(shown) > SIDE_BY_SIDE:
        names = [_short(lane.condition) for lane in shown]
        label = min(max(map(len, names)), max(LEAST_LABEL, width - BESIDE_LABEL))
        text = Text("\n").join(_lane_line(lane, name, label) for lane, name in zip(shown, names, strict=True))
        at_work = next((lane for lane in shown if lane.since and lane.outcome is None), None)
        if at_work is None:
            return text
        return Text("\n\n").join((text, lane_text(at_work, now, max(LEAST_LINES, height - len(shown) - 1), width - 2)))
    if width < SIDE_BY_SIDE * COLUMN:
        each = max(LEAST_LINES, height // max(1, len(shown)) - 4)
        return Text("\n").join(lane_text(lane, now, each, width - 2) for lane in shown)
    table = Table.grid(expand=True, padding=(0, 1))
    for _ in shown:
        table.add_column(ratio=1)
    table.add_row(*(lane_text(lane, now, max(LEAST_LINES, height), width // SIDE_BY_SIDE - 2) for lane in shown))
    return table


def lane_text(lane: Lane, now: float, most: int, width: int) -> Text:
    """One condition: phase, time and tokens, then the last ``most`` things that the agent did, one line each."""
    text = Text().append(f"{lane.condition}\n", "bold")
    if lane.outcome is not None:
        reward = "–" if lane.reward is None else f"{lane.reward:.3f}"
        text.append(f"done in {lane.took or 0:.1f} s: {lane.outcome.replace('_', ' ')}, reward {reward}\n")
        if lane.reason:
            text.append(f"{lane.reason}\n")
    else:
        seconds = f" · {clock(now - lane.since)}" if lane.since else ""
        text.append(f"{PHASES.get(lane.phase, lane.phase)}{seconds}\n")
    text.append(f"{lane.events:,} events · {tokens(lane.tokens)}\n")
    for line in list(lane.lines)[-most:]:
        short = " ".join(line.split())
        text.append(f"  {short if len(short) <= width - 2 else f'{short[: width - 3]}…'}\n", "dim")
    return text


def tokens(counts: Sequence[int | None]) -> str:
    """Tokens to and from the model, or that there is none."""
    if all(count is None for count in counts):
        return "no tokens"
    given, gave = ("?" if count is None else f"{count:,}" for count in counts)
    return f"{given} tokens in, {gave} out"


def clock(seconds: float) -> str:
    """A duration: ``42 s``, ``3:07 min``, ``1:02 h``."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"


def ended_text(trial: RunningTrial, *, without_docker: bool) -> Text:
    """Why there is no result, and what to do."""
    if trial.died:
        fix = (
            "F5 runs it again and takes the runs that had finished; 'm4review trial clean' removes what is left of it."
        )
        return Text("The trial ended without a result.\n\n", "bold").append(f"{trial.error}\n\nHere: {fix}", "not bold")
    other = (
        "\n\nWithout Docker, F4 chooses this machine (not isolated). s (Set up) shows what is missing, and Enter there "
        "puts it right. F5 then tries again."
        if isinstance(trial.error, TrialError) and without_docker
        else ""
    )
    return Text(f"The trial did not run.\n\n{trial.error}{other}")


def _short(condition: str) -> str:
    """A condition's name; that a section was left out of the skill goes without saying that there is a skill."""
    return condition.removeprefix("with-skill ") if " without " in condition else condition


def _lane_line(lane: Lane, name: str, label: int) -> Text:
    from m4review.trials.viewtext import fit  # a running trial has loaded its room; the first screen has not

    text = Text(f"{fit(name, label)} ", "bold")
    if lane.outcome is None:
        return text.append(PHASES.get(lane.phase, lane.phase))
    reward = "–" if lane.reward is None else f"{lane.reward:.3f}"
    reason = f": {lane.reason}" if lane.reason else ""
    return text.append(f"reward {reward} · {lane.outcome.replace('_', ' ')}{reason}")

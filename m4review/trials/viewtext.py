"""Views of trials as plain text for a terminal of any width: history, columns, mistakes, sections, steps, differences.

The screens show these very lines, and the commands print them. Nothing is told by colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from m4review.scoring.mistakes import Confusion
from m4review.trials.ablation import NO_EFFECT, carried_by
from m4review.trials.bars import LOST, reward_bar, sparkline
from m4review.trials.conditions import Condition
from m4review.trials.confusion import ArmConfusion, TrialConfusion
from m4review.trials.difference import ArmDifference, FigureDifference, TrialDifference
from m4review.trials.records import Outcome, RunRecord
from m4review.trials.runtext import outcome_line, tokens_line
from m4review.trials.summary import ConditionResult, TrialSummary
from m4review.trials.table import number, signed, unread_prose
from m4review.trials.timeline import TimelineEntry
from m4review.trials.versionhistory import Series, VersionTrials

WIDTH = 100
"""Columns of a text that is printed and not shown on a screen."""
HIDDEN = "*"
LEAST_BAR = 6
MOST_LABEL = 28
GUTTER = 3
"""Columns between two tables side by side."""
FIGURE = 7
"""Columns of a reward or rate with its blank."""
HISTORY_FIGURES = 42
"""Columns beside the name of a version; where there are fewer, only the reward with the skill and its differences."""
NARROW_FIGURES = 27
DELTA, CHANGE = "Δ skill", "Δ version"
KEYS = "keys matched (key F1)"
"""The figure ``key F1`` as the screens call it, so that nobody takes it for the key that shows help."""
SPARKLINE = 18
"""Columns before a sparkline."""
MARGIN = 12
"""Columns before what the agent did."""
UNREAD_PROSE = "(free prose is not read)"
"""How a gap ends that says nothing more; several of them are one step."""
SIGNS = {"message": "·", "tool_call": ">", "tool_result": "<", "gap": "!", "usage": "$", "end": "="}
NO_TRIAL = "No trial yet."


def fit(text: str, width: int) -> str:
    """The text in ``width`` columns: padded, or its middle left out where it is longer."""
    if len(text) <= width:
        return text.ljust(width)
    if width < 4:
        return text[:width]
    head = (width - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def history_lines(history: Sequence[Series], width: int = WIDTH) -> Iterator[str]:
    """Each setting with its sparklines and a line per version, newest version first."""
    if not history:
        yield NO_TRIAL
        return
    for position, series in enumerate(history):
        if position:
            yield ""
        yield series.setting if len(series.setting) <= width else fit(series.setting, width).rstrip()
        last = series.versions[-max(8, width - SPARKLINE) :]
        yield f"  with the skill  {sparkline([text.with_skill for text in last])}"
        yield f"  without         {sparkline([text.without for text in last])}"
        which = "" if len(last) == len(series.versions) else f"the newest {len(last)}, "
        yield _cut(f"  bars from 0 to 1, {which}oldest first; lines newest first", width)
        yield from _version_table(series, width)
    yield ""
    yield from textwrap.wrap(
        f"{DELTA}: with the skill minus without it, the same text. {CHANGE}: with the skill, this text minus the next "
        "one below that has a figure.",
        width,
    )


def _version_table(series: Series, width: int) -> Iterator[str]:
    longest = max(len(text.label) for text in series.versions) + 2
    narrow = width < HISTORY_FIGURES + longest
    label = min(MOST_LABEL, longest, max(6, width - 2 - (NARROW_FIGURES if narrow else HISTORY_FIGURES)))
    head = f"{'with':>{FIGURE}}{DELTA:>{len(DELTA) + 2}}{CHANGE:>{len(CHANGE) + 2}}"
    yield f"  {'':<{label}}" + (head if narrow else f"{'no':>{FIGURE}}{head}{'runs':>6}")
    for text in reversed(series.versions):
        figures = f"{number(text.with_skill):>{FIGURE}}{signed(text.delta):>{len(DELTA) + 2}}"
        figures += f"{signed(text.change):>{len(CHANGE) + 2}}"
        yield f"  {fit(text.label, label)}" + (
            figures if narrow else f"{number(text.without):>{FIGURE}}{figures}{text.runs:>6}"
        )
        yield _cut(f"      {_origin(text)}", width)


def _origin(text: VersionTrials) -> str:
    """Who recorded a text, and the trials that its figures come from."""
    who = f"{text.author.name}, {text.author.recorded:%Y-%m-%d}" if text.author else "not recorded as a version"
    trials = f"{len(text.trials)} trial{'s' * (len(text.trials) != 1)}, last {text.last:%Y-%m-%d %H:%M}"
    left_out = "".join(f" · {count} {name.replace('_', ' ')}" for name, count in text.left_out.items())
    return f"{who} · {trials}{left_out}"


def column_lines(summary: TrialSummary, width: int = WIDTH) -> Iterator[str]:
    """The match rate of each column as a bar per condition, one above the other."""
    results = [result for result in summary.conditions if result.left_out is None]
    names = list(dict.fromkeys(name for result in results for name in result.columns))
    if not names:
        yield "No run of this trial was scored."
        return
    label = min(MOST_LABEL, width // 3, max(len(result.label) for result in results) + 2)
    bar = max(LEAST_BAR, width - label - FIGURE - 4)
    for name in names:
        delta = summary.column_deltas.get(name)
        yield _cut(f"{name}" + ("" if delta is None else f"   {DELTA} {signed(delta)}"), width)
        for result in results:
            yield _column_bar(result, name, label, bar)


def _column_bar(result: ConditionResult, name: str, label: int, width: int) -> str:
    if not result.counted:
        return f"  {fit(result.label, label)}no run counts"
    rate = result.columns.get(name, 0.0)
    return f"  {fit(result.label, label)}{reward_bar(rate, None, width)}{rate:>{FIGURE}.3f}"


def confusion_lines(found: TrialConfusion, width: int = WIDTH) -> Iterator[str]:
    """The counts of each condition: rows of the reference, columns as they were given; two side by side if they fit."""
    yield _cut(f"{found.column} · {found.task} · {found.dataset} · replicate {found.replicate}", width)
    counted = [arm.confusion for arm in found.arms if arm.confusion is not None]
    if counted:
        yield from textwrap.wrap(" ".join(_legend(counted)), width)
    tables = [_counts_of(arm, width) for arm in found.arms]
    while tables:
        yield ""
        left, *rest = tables
        room = max(map(len, left)) + GUTTER
        if rest and room + max(map(len, rest[0])) <= width:
            yield from (f"{one:<{room}}{other}".rstrip() for one, other in zip_longest(left, rest[0], fillvalue=""))
            tables = rest[1:]
        else:
            yield from left
            tables = rest


def _counts_of(arm: ArmConfusion, width: int) -> list[str]:
    """The name of a condition and its table below."""
    if arm.confusion is None:
        return [arm.label, _cut(f"  nothing was counted: {arm.why_not}", width)]
    return [arm.label, *(f"  {line}" for line in table_of(arm.confusion, width - 2))]


def _legend(counted: Sequence[Confusion]) -> Iterator[str]:
    """How to read the tables; marks are explained where they stand."""
    yield "Down: the reference. Across: what was given. [ ] is a match."
    if any(count is None for found in counted for line in found.counts for count in line):
        yield (
            f"{HIDDEN} hides a count below {counted[0].smallest}, or one from which such a count could be worked out."
        )
    yield "No row is kept or shown."
    if counted[0].band:
        yield f"The levels are bands of {counted[0].band}; within a band a wrong value counts as a match."


def table_of(found: Confusion, width: int) -> Iterator[str]:
    """One table of counts, its columns in as many blocks as the width asks for."""
    rows = [[HIDDEN if count is None else str(count) for count in line] for line in found.counts]
    label = min(MOST_LABEL, width // 3, max(len(name) for name in found.reference)) + 1
    cells = [
        min(16, max(len(name), *(len(row[place]) + 2 for row in rows))) + 1 for place, name in enumerate(found.given)
    ]
    for block in _blocks(cells, width - label):
        yield " " * label + "".join(
            fit(found.given[place], cells[place] - 1).strip().rjust(cells[place]) for place in block
        )
        for name, row in zip(found.reference, rows, strict=True):
            shown = (f"[{row[place]}]" if found.given[place] == name else f"{row[place]} " for place in block)
            yield fit(name, label) + "".join(text.rjust(cells[place]) for text, place in zip(shown, block, strict=True))


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    blocks: list[list[int]] = [[]]
    used = 0
    for place, width in enumerate(widths):
        if blocks[-1] and used + width > room:
            blocks.append([])
            used = 0
        blocks[-1].append(place)
        used += width
    return blocks


def section_lines(summary: TrialSummary, width: int = WIDTH) -> Iterator[str]:
    """The sections that were left out, greatest loss first, with what the reward loses and in which columns."""
    if not summary.ablation:
        yield "This trial left no section out."
        return
    whole = summary.reward("with-skill")
    ends = (("(whole skill)", whole), ("(no skill)", summary.reward("no-skill")))
    longest = max(len(name) for name in (*dict(ends), *(effect.section for effect in summary.ablation)))
    label = min(max(MOST_LABEL, width // 3), longest + 2, max(8, width - 2 * FIGURE - 3 - LEAST_BAR))
    bar = max(LEAST_BAR, width - label - 2 * FIGURE - 5)
    if summary.cancelled:
        yield from textwrap.wrap("CANCELLED: what has a dash was not tried, so nothing is known of it.", width)
    yield from textwrap.wrap(carried_by(summary), width)
    yield ""
    yield f"{'left out':<{label}}{'reward':>{FIGURE}}{'change':>{FIGURE + 1}}  {_cut(f'{LOST} is what is lost', bar)}"
    for name, reward in ends:
        yield f"{fit(name, label)}{number(reward):>{FIGURE}}{'':>{FIGURE + 1}}  {reward_bar(reward, None, bar)}"
    for effect in sorted(summary.ablation, key=lambda one: (one.lost is None, -(one.lost or 0.0))):
        lost = "–" if effect.lost is None else "0.000" if abs(effect.lost) < NO_EFFECT else f"{-effect.lost:+.3f}"
        bars = reward_bar(effect.reward, whole, bar)
        yield f"{fit(effect.section, label)}{number(effect.reward):>{FIGURE}}{lost:>{FIGURE + 1}}  {bars}"
        if effect.columns_lost:
            columns = sorted(effect.columns_lost.items(), key=lambda entry: -entry[1])
            said = ", ".join(f"{name} {-value:+.3f}" for name, value in columns)
            yield from textwrap.wrap(said, width, initial_indent="    ", subsequent_indent="    ")


def step_lines(record: RunRecord, timeline: Sequence[TimelineEntry], width: int = WIDTH) -> Iterator[str]:
    """What the agent did, in order, with the seconds since its start; what its tools returned is not shown."""
    yield _cut(f"{record.inputs.arm.label}, replicate {record.replicate} · {outcome_line(record)}", width)
    agent = sum(record.seconds.get(phase, 0.0) for phase in ("agent",))
    yield _cut(f"{record.inputs.agent} · {agent:.1f} s at work · tokens {tokens_line(record)}", width)
    if record.outcome is Outcome.AUDIT_HOLD:
        yield _cut(f"The audit holds this run: m4review trial hold release|confirm {record.id} --reason '…'", width)
    if not timeline:
        yield "Nothing of its trace is understood, so what it did is not known."
        return
    yield "  seconds"
    for is_prose, entries in groupby(timeline, _is_unread_prose):
        steps = list(entries)
        if is_prose:
            yield from _step(steps[0], f"{unread_prose(len(steps))}: m4review trial show {record.id}", width)
        else:
            yield from (line for entry in steps for line in _step(entry, entry.text, width))
    yield "  · says   > calls a tool   < gets its result   ! cannot do   $ tokens   = ends"


def _is_unread_prose(entry: TimelineEntry) -> bool:
    return entry.kind == "gap" and entry.text.endswith(UNREAD_PROSE)


def _step(entry: TimelineEntry, text: str, width: int) -> Iterator[str]:
    what = text if entry.name is None else f"{entry.name}: {text}"
    first, *rest = textwrap.wrap(" ".join(what.split()), max(10, width - MARGIN)) or [""]
    yield f"{entry.seconds:9.2f} {SIGNS[entry.kind]} {first}".rstrip()
    yield from (f"{'':<{MARGIN}}{line}" for line in rest)


def difference_lines(found: TrialDifference, width: int = WIDTH) -> Iterator[str]:
    """Figures that are not the same in the second trial, then the inputs that are not."""
    label = min(MOST_LABEL, width // 2)
    yield f"{'':<{label}}{'first':>{FIGURE}}{'second':>{FIGURE + 1}}{'change':>{FIGURE + 2}}"
    yield _figure_line(DELTA, found.delta, label)
    both = [arm for arm in found.arms if all(arm.counted)]
    for arm in sorted(both, key=lambda one: one.label != Condition.WITH_SKILL):
        yield f"{arm.label} ({arm.counted[0]} and {arm.counted[1]} runs)"
        for figure in (arm.reward, *arm.columns, arm.key_f1):
            yield _figure_line(f"  {KEYS if figure is arm.key_f1 else figure.name}", figure, label)
    yield from (line for arm in found.arms if arm not in both for line in _one_sided(arm, label))
    yield ""
    if not found.inputs:
        yield "Every input that decides a result is the same."
        return
    yield "Inputs that are not the same"
    for entry in found.inputs:
        yield _cut(f"  {entry.label}: {entry.name.replace('_', ' ')}", width)
        yield _cut(f"    first   {entry.first}", width)
        yield _cut(f"    second  {entry.second}", width)


def _one_sided(arm: ArmDifference, label: int) -> Iterator[str]:
    """A condition that no run of one trial counts for: its reward alone, since there is nothing to compare."""
    yield f"{arm.label} ({arm.counted[0]} and {arm.counted[1]} runs)"
    yield _figure_line("  reward", arm.reward, label)


def _figure_line(name: str, figure: FigureDifference, label: int) -> str:
    values = (
        f"{number(figure.first):>{FIGURE}}{number(figure.second):>{FIGURE + 1}}{signed(figure.change):>{FIGURE + 2}}"
    )
    return f"{fit(name, label)}{values}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(1, width - 1)] + "…"

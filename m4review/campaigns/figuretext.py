"""The figures of a workspace in words and numbers: under the drawing on a screen, and instead of it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from m4review.campaigns.trialfigures import AGREEMENTS, AgreementFigure, ForestFigure, RewardFigure, WorkspaceFigure
from m4review.trials.bars import sparkline
from m4review.trials.table import number, signed
from m4review.trials.viewtext import fit

LABEL = 34
TRACK = 31
"""Cells of an interval bar; odd, so that there is a middle."""


def figure_lines(figure: WorkspaceFigure, width: int = 100) -> Iterator[str]:
    """The figure as lines of at most ``width`` columns, as far as its names allow."""
    match figure:
        case RewardFigure():
            yield from _rewards(figure, width)
        case ForestFigure():
            yield from _forest(figure, width)
        case AgreementFigure():
            yield from _agreement(figure)
    yield figure.caption


def _rewards(figure: RewardFigure, width: int) -> Iterator[str]:
    if figure.is_empty:
        yield "No skill has been tried yet: m4review trial TASK"
    for panel in figure.panels:
        yield fit(f"{panel.skill}: {panel.setting}", width).rstrip()
        yield f"  with the skill  {sparkline([point.with_skill for point in panel.points])}"
        yield f"  without         {sparkline([point.without for point in panel.points])}"
        yield f"  {'':<{LABEL // 2}}{'no skill':>10}{'with skill':>12}{'runs':>6}"
        for point in panel.points:
            name = fit(point.version, LABEL // 2)
            yield f"  {name}{number(point.without):>10}{number(point.with_skill):>12}{point.runs:>6}"
        yield ""


def _forest(figure: ForestFigure, width: int) -> Iterator[str]:
    if figure.is_empty:
        yield "No task has a difference between with and without the skill: m4review trial TASK"
    label = min(LABEL, max((len(row.task) for row in figure.rows), default=0) + 1, max(8, width // 2 - 10))
    low = min([0.0, *(row.low for row in figure.rows)])
    high = max([0.0, *(row.high for row in figure.rows)])
    track = min(TRACK, max(9, width - label - 14))
    for row in figure.rows:
        bar = interval_bar(row.low, row.delta, row.high, low, high, track)
        yield f"{fit(row.task, label)} {bar} {signed(row.delta)} ({row.pairs})"
    for line in figure.left_out:
        yield f"left out: {line}"


def interval_bar(low: float, middle: float, high: float, left: float, right: float, width: int) -> str:
    """A range as a line with its middle ``●`` on a track from ``left`` to ``right``; ``|`` stands at nought."""
    span = (right - left) or 1.0

    def cell(value: float) -> int:
        return round((value - left) / span * (width - 1))

    cells = [" "] * width
    for place in range(cell(low), cell(high) + 1):
        cells[place] = "─"
    if left <= 0 <= right:
        cells[cell(0.0)] = "|"
    cells[cell(middle)] = "●"
    return "".join(cells)


def _agreement(figure: AgreementFigure) -> Iterator[str]:
    if figure.is_empty:
        yield "No text has two independent verdicts yet: m4review review verdict SKILL, by two reviewers"
    yield f"{'scope':<12}{'n':>4}" + "".join(f"{words.split()[-1]:>12}" for _, words in AGREEMENTS)
    for row in figure.rows:
        yield f"{row.scope:<12}{row.n:>4}" + "".join(f"{number(getattr(row, name)):>12}" for name, _ in AGREEMENTS)

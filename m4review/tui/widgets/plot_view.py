"""A figure of the workspace drawn with characters; letters and shapes tell its marks apart, never colour alone."""

from __future__ import annotations

from typing import ClassVar

from textual_plotext import PlotextPlot

from m4review.campaigns.trialfigures import (
    AGREEMENTS,
    AgreementFigure,
    ForestFigure,
    RewardFigure,
    RewardPanel,
    WorkspaceFigure,
)

WITH, WITHOUT = "●", "x"
BLUE, ORANGE = (86, 180, 233), (230, 159, 0)
"""Of M. Okabe and K. Ito's palette; bright enough on a dark ground."""
LETTERS: dict[str, str] = {"raw": "r", "kappa": "k", "alpha": "a", "ac1": "g"}
LEAST_HEIGHT = 9
MOST_TICKS = 6
NAME = 24
"""Columns of a task's name beside the plot."""


class PlotView(PlotextPlot):
    """One figure at a time; a figure with many rows is higher than the screen, which then scrolls."""

    DEFAULT_CSS: ClassVar[str] = """
    PlotView { height: 12; min-height: 5; min-width: 20; }
    """

    def show_figure(self, figure: WorkspaceFigure, height: int = LEAST_HEIGHT) -> None:
        """Draw a figure at least ``height`` lines high; of rewards the first panel."""
        self.plt.clear_figure()
        rows = 0
        match figure:
            case RewardFigure():
                if figure.panels:
                    self._rewards(figure.panels[0])
            case ForestFigure():
                rows = len(figure.rows) + 4
                self._forest(figure)
            case AgreementFigure():
                rows = 5 * len(figure.rows) + 3
                self._agreement(figure)
        self.styles.height = max(rows, height, LEAST_HEIGHT)
        self.refresh(layout=True)

    def _rewards(self, panel: RewardPanel) -> None:
        for marker, colour, name, values in (
            (WITH, BLUE, "with skill", [point.with_skill for point in panel.points]),
            (WITHOUT, ORANGE, "no skill", [point.without for point in panel.points]),
        ):
            given = [(place, value) for place, value in enumerate(values) if value is not None]
            if given:
                places, heights = [place for place, _ in given], [value for _, value in given]
                self.plt.plot(places, heights, marker="braille", color=colour)
                self.plt.scatter(places, heights, marker=marker, color=colour, label=name)
        step = -(-len(panel.points) // MOST_TICKS)
        ticks = range(0, len(panel.points), step)
        names = [panel.points[place].version.removeprefix("version ") for place in ticks]
        self.plt.xticks([float(place) for place in ticks], names)
        self.plt.xlim(-0.5, len(panel.points) - 0.5)
        self.plt.ylim(0, 1.3)  # the key of the marks stands above the highest reward
        self.plt.yticks([0, 0.25, 0.5, 0.75, 1])
        self.plt.xlabel("version")

    def _forest(self, figure: ForestFigure) -> None:
        rows = figure.rows[::-1]
        if not rows:
            return
        for place, row in enumerate(rows):
            self.plt.plot([row.low, row.high], [place, place], marker="-", color=BLUE)
        self.plt.scatter([row.delta for row in rows], list(range(len(rows))), marker=WITH, color=BLUE)
        names = [row.task if len(row.task) <= NAME else f"{row.task[: NAME - 1]}…" for row in rows]
        self.plt.yticks(list(range(len(rows))), names)
        self.plt.vline(0)
        self.plt.xlim(min(0.0, *(row.low for row in rows)) - 0.05, max(0.0, *(row.high for row in rows)) + 0.05)
        self.plt.ylim(-0.5, len(rows) - 0.5)

    def _agreement(self, figure: AgreementFigure) -> None:
        rows = figure.rows[::-1]
        for position, (name, words) in enumerate(AGREEMENTS):
            given = [(getattr(row, name), 5 * place + 3 - position) for place, row in enumerate(rows)]
            known = [(value, place) for value, place in given if value is not None]
            if known:
                letter = LETTERS[name]
                self.plt.scatter(
                    [value for value, _ in known],
                    [place for _, place in known],
                    marker=letter,
                    label=words,
                )
        self.plt.yticks([5 * place + 2 for place in range(len(rows))], [f"{row.scope} n={row.n}" for row in rows])
        self.plt.xlim(-1, 1)
        self.plt.ylim(-0.5, 5 * len(rows) - 0.5)
        self.plt.vline(0)

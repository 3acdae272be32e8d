"""The figures of a workspace as pictures: SVG or PNG, told by shape, line and number as well as by colour."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from m4review.campaigns.canvas import SERIES, canvas, literal, png_of, svg_of
from m4review.campaigns.trialfigures import (
    AGREEMENTS,
    AgreementFigure,
    ForestFigure,
    RewardFigure,
    RewardPanel,
    WorkspaceFigure,
)
from m4review.errors import M4ReviewError, one_of
from m4review.textfile import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MOST_PANELS = 12
"""Panels of one picture; the command that writes more than one skill is told to name one."""
MOST_TICKS = 12
SUFFIXES = (".svg", ".png")


class FigureError(M4ReviewError):
    """A figure that cannot be drawn."""


def write_figure(figure: WorkspaceFigure, path: Path) -> None:
    """Draw the figure into ``path``, whose ending decides the format.

    Raises:
        FigureError: another ending than .svg or .png, or nothing to draw.
        TextFileError: the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FigureError(f"no picture ends in {suffix or 'nothing'}", where=path, expected=one_of(suffix, SUFFIXES))
    made = drawn(figure)
    write_bytes(path, png_of(made) if suffix == ".png" else svg_of(made).encode())


def drawn(figure: WorkspaceFigure) -> Canvas:
    """The figure on a canvas.

    Raises:
        FigureError: there is nothing to draw.
    """
    match figure:
        case RewardFigure():
            return _rewards(figure)
        case ForestFigure():
            return _forest(figure)
        case AgreementFigure():
            return _agreement(figure)


def _rewards(figure: RewardFigure) -> Canvas:
    panels = figure.panels
    if figure.is_empty:
        raise FigureError("no skill has been tried yet", fix="m4review trial TASK")
    if len(panels) > MOST_PANELS:
        raise FigureError(
            f"{len(panels)} skills and settings do not fit one picture",
            expected=f"at most {MOST_PANELS}",
            fix="name a skill with --skill, or a dataset with --dataset",
        )
    made, first = canvas(7, 3.1 * len(panels))
    first.remove()
    for number, (axes, panel) in enumerate(
        zip(made.subplots(len(panels), 1, squeeze=False)[:, 0], panels, strict=True)
    ):
        _reward_panel(axes, panel, legend=number == 0)
    return made


def _reward_panel(axes: Any, panel: RewardPanel, *, legend: bool) -> None:
    places = range(len(panel.points))
    for (colour, marker, line), name, values in (
        (SERIES[1], "no skill", [point.without for point in panel.points]),
        (SERIES[0], "with skill", [point.with_skill for point in panel.points]),
    ):
        heights = [math.nan if value is None else value for value in values]
        axes.plot(places, heights, color=colour, marker=marker, linestyle=line, label=name, clip_on=False)
        if len(panel.points) <= MOST_TICKS:
            for place, height in zip(places, heights, strict=True):
                if not math.isnan(height):
                    axes.annotate(
                        f"{height:.3f}", (place, height), textcoords="offset points", xytext=(0, 6), fontsize=7
                    )
    step = -(-len(panel.points) // MOST_TICKS)
    axes.set_xticks(places[::step], [literal(point.version) for point in panel.points[::step]], fontsize=7)
    axes.set_xlim(-0.5, len(panel.points) - 0.5)
    axes.set_ylim(0, 1.12)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_ylabel("mean reward", fontsize=8)
    axes.set_title(literal(f"{panel.skill}: {panel.setting}"), fontsize=8, pad=8)
    _bare(axes)
    if legend:
        axes.legend(fontsize=8, frameon=False, loc="lower right")


def _forest(figure: ForestFigure) -> Canvas:
    if figure.is_empty:
        raise FigureError("no task has a difference between with and without the skill", fix="m4review trial TASK")
    rows = figure.rows[::-1]
    made, axes = canvas(7.5, 1.3 + 0.28 * len(rows))
    colour, marker, _ = SERIES[0]
    for place, row in enumerate(rows):
        axes.plot([row.low, row.high], [place, place], color="#555555", linewidth=1.2)
        axes.plot(row.delta, place, color=colour, marker=marker, markersize=6, linestyle="none")
        axes.annotate(f"{row.delta:+.3f}", (1.01, place), xycoords=("axes fraction", "data"), fontsize=8, va="center")
    if figure.low is not None and figure.high is not None:
        axes.axvspan(figure.low, figure.high, color="#009E73", alpha=0.18, linewidth=0)
    if figure.mean is not None and figure.low is not None:
        axes.axvline(figure.mean, color="#009E73", linewidth=1.2, linestyle="--")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [literal(row.task) for row in rows], fontsize=8)
    alone = "one task, no inference" if len(rows) == 1 else "several settings, no mean over them"
    said = alone if figure.low is None else "dashed: mean; band: its 95 % interval"
    axes.set_xlabel(f"difference in reward, with-skill − no-skill ({said})", fontsize=8)
    return made


def _agreement(figure: AgreementFigure) -> Canvas:
    if figure.is_empty:
        raise FigureError(
            "no text has two independent verdicts yet", fix="m4review review verdict SKILL, by two reviewers"
        )
    made, axes = canvas(7, 1.4 + 0.9 * len(figure.rows))
    rows = figure.rows[::-1]
    for (name, words), (colour, marker, _), shift in zip(AGREEMENTS, SERIES, (0.24, 0.08, -0.08, -0.24), strict=False):
        points = [(getattr(row, name), place + shift) for place, row in enumerate(rows)]
        given = [(value, place) for value, place in points if value is not None]
        axes.plot(
            [value for value, _ in given],
            [place for _, place in given],
            marker,
            color=colour,
            label=words,
            clip_on=False,
        )
        for value, place in given:
            axes.annotate(f"{value:.2f}", (value, place), textcoords="offset points", xytext=(6, -3), fontsize=7)
    axes.set_yticks(range(len(rows)), [literal(f"{row.scope} (n = {row.n})") for row in rows], fontsize=8)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlim(-1, 1.08)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("agreement (1: always, 0: as by chance for the three coefficients)", fontsize=8)
    axes.legend(fontsize=7, frameon=False, loc="upper left")
    return made


def _bare(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)

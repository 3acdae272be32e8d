"""Figures of levels: the ladder of conditions, the slopes between schemas, reward against completeness."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np

from m4review.campaigns.canvas import SERIES, Drawn, canvas, panels
from m4review.campaigns.changedschemas import SchemaProbe
from m4review.campaigns.controls import LADDER, Ladder
from m4review.campaigns.specification import ELEMENT_COUNT, SpecificationCurve

SHOWN_AS = {"no-skill": "none", "decoy": "decoy", "operational-spec": "spec", "with-skill": "skill",
            "raw-sql": "raw SQL"}  # fmt: skip
"""Conditions as the ladder calls its steps."""


CROWDED = 0.06
"""Levels nearer to each other than this would print over each other."""


def control_ladder(ladders: Sequence[Ladder]) -> Drawn | None:
    """Mean reward per condition; each line holds the same tasks and models throughout."""
    if not ladders:
        return None
    made, places = panels(len(ladders), 3.6, 3.8)
    for axes, ladder, (colour, marker, line) in zip(places, ladders, cycle(SERIES), strict=False):
        heights = [step.level for step in ladder.steps]
        axes.plot(range(len(heights)), heights, marker=marker, linestyle=line, color=colour)
        for place, height in enumerate(heights):
            axes.annotate(
                f"{height:.3f}", (place, height), textcoords="offset points", xytext=(0, 8), ha="center", fontsize=8,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5},
            )  # fmt: skip
        axes.set_xticks(range(len(heights)), [SHOWN_AS[step.condition] for step in ladder.steps], fontsize=8)
        axes.set_xlim(-0.5, len(heights) - 0.5)
        axes.set_title(f"{len(ladder.tasks)} tasks", fontsize=9)
    _reward_axis(places[0])
    caption = "Mean reward by what the agent was given; each panel holds the same tasks and models throughout."
    return Drawn("controls", made, caption)


def schema_slopes(probes: Sequence[SchemaProbe]) -> Drawn | None:
    """Mean reward on the native and on each changed schema, with and without the skill, same tasks and models."""
    shown = [(probe, rows) for probe in probes if (rows := [row for row in (probe.without, probe.with_skill) if row])]
    if not shown:
        return None
    made, places = panels(len(shown), 3.8, 3.8)
    for axes, (probe, rows) in zip(places, shown, strict=True):
        heights = [row.effect.levels for row in rows]
        for row, (before, after), (colour, marker, line) in zip(rows, heights, SERIES, strict=False):
            label = f"{row.effect.treated.condition}, {len(row.effect.tasks)} tasks"
            axes.plot([0, 1], [before, after], marker=marker, linestyle=line, color=colour, label=label)
            for place, height, side in ((0, before, "right"), (1, after, "left")):
                others = [pair[place] for pair in heights]
                crowded = len(others) > 1 and max(others) - min(others) < CROWDED
                upper = row is rows[-1]  # the skill's line is drawn last and mostly lies above
                shift = (-8 if side == "right" else 8, 0 if not crowded else 6 if upper else -5)
                axes.annotate(
                    f"{height:.3f}", (place, height), textcoords="offset points", xytext=shift, ha=side, va="center",
                    fontsize=8, color=colour,
                )  # fmt: skip
        axes.set_xticks([0, 1], ["native", probe.schema], fontsize=8)
        axes.set_xlim(-0.5, 1.5)
        axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    _reward_axis(places[0])
    caption = "Mean reward on the native and on the changed schema; each line holds the same tasks and models."
    return Drawn("schemas", made, caption)


def _reward_axis(axes: Any) -> None:
    axes.set_ylim(-0.05, 1.08)
    axes.set_ylabel("mean reward")


def specification_scatter(curve: SpecificationCurve | None) -> Drawn | None:
    """Reward against the elements of a specification that the agent was given, a mark per task and condition."""
    if curve is None or not curve.points:
        return None
    made, axes = canvas(6.5, 4.2)
    conditions = list(dict.fromkeys(point.condition for point in curve.points))
    conditions.sort(key=lambda name: LADDER.index(name) if name in LADDER else len(LADDER))
    for condition, (colour, marker, _) in zip(conditions, SERIES, strict=False):
        points = [point for point in curve.points if point.condition == condition]
        across, up = [point.declared for point in points], [point.reward for point in points]
        axes.plot(across, up, marker, color=colour, linestyle="none", alpha=0.75, label=condition, markersize=5)
        mean = (float(np.mean(across)), float(np.mean(up)))
        axes.plot(*mean, marker, color=colour, markersize=13, markerfacecolor="none", markeredgewidth=1.8)
    axes.set_xlabel(f"elements declared by instruction and text, of {ELEMENT_COUNT}")
    axes.set_ylabel("mean reward of the task")
    axes.set_ylim(-0.03, 1.05)
    axes.set_xlim(-0.5, ELEMENT_COUNT + 0.5)
    axes.set_xticks(range(0, ELEMENT_COUNT + 1, 2))
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3)
    whose = "the texts the runs name" if curve.proved else "this workspace's texts; the runs do not name theirs"
    caption = f"Reward against completeness: one mark per task, large marks are means. Completeness is of {whose}."
    return Drawn("specification", made, caption)

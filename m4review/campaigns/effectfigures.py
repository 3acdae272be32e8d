"""Figures of differences: the forest of tasks, and the heat map of tasks and models."""

from __future__ import annotations

import numpy as np

from m4review.campaigns.analysis import Analysis
from m4review.campaigns.canvas import BLUE, GREEN, GREY, ORANGE, Drawn, canvas, literal
from m4review.campaigns.effects import Effect

TASK_HEIGHT = 0.26
"""Inches per task."""


def forest(analysis: Analysis) -> Drawn:
    """Difference per task with the interval over its repeats, and the mean with its interval over tasks."""
    effect = analysis.primary.effect
    tasks = effect.by_gain()[::-1]
    made, axes = canvas(7.5, 1.6 + TASK_HEIGHT * (len(tasks) + 1))
    for place, task in enumerate(tasks, 1):
        within = analysis.within_tasks[task.task]
        if within.low is not None and within.high is not None:
            axes.plot([within.low, within.high], [place, place], color=GREY, linewidth=1.2, zorder=1)
        marker, colour = ("o", BLUE) if task.facts.mode == "standard" else ("s", ORANGE)
        axes.plot(task.delta, place, marker=marker, color=colour, markersize=6, linestyle="none", zorder=2)
    interval = analysis.primary.interval
    if interval.low is not None and interval.high is not None:
        axes.axvspan(interval.low, interval.high, color=GREEN, alpha=0.15, linewidth=0)
        axes.plot([interval.low, interval.high], [0, 0], color=GREEN, linewidth=2)
    axes.plot(effect.mean, 0, marker="D", color=GREEN, markersize=7, linestyle="none")
    axes.axvline(effect.mean, color=GREEN, linewidth=1, linestyle="--")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_ylim(-0.8, len(tasks) + 0.8)
    axes.set_yticks(range(len(tasks) + 1), ["mean of tasks", *(literal(task.task) for task in tasks)], fontsize=8)
    axes.set_xlabel(literal(f"difference in reward, {effect.treated} − {effect.baseline}"))
    axes.plot([], [], "o", color=BLUE, label="standard task")
    axes.plot([], [], "s", color=ORANGE, label="raw task")
    axes.plot([], [], "D", color=GREEN, label="mean and its 95 % interval")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08 if len(tasks) > 12 else -0.2), ncols=3, fontsize=8,
                frameon=False)  # fmt: skip
    caption = (
        f"Difference per task (circle: standard, square: raw; line: 95 % over the task's repeats) and mean "
        f"{effect.mean:+.4f} with its 95 % interval over tasks (diamond and band)."
    )
    return Drawn("forest", made, caption)


def heat_map(effect: Effect) -> Drawn:
    """Difference per task and model as numbers on colours that stand even about 0."""
    models = effect.models
    tasks = effect.by_gain()
    values = np.full((len(tasks), len(models)), np.nan)
    for row, task in enumerate(tasks):
        for pair in task.models:
            values[row, models.index(pair.model)] = pair.delta
    limit = max(float(np.nanmax(np.abs(values))), 0.01)
    made, axes = canvas(3.6 + 1.5 * len(models), 1.2 + TASK_HEIGHT * len(tasks))
    image = axes.imshow(values, aspect="auto", cmap="PuOr", vmin=-limit, vmax=limit)
    for row in range(len(tasks)):
        for column in range(len(models)):
            value = values[row, column]
            text = "–" if np.isnan(value) else "0.00" if abs(value) < 0.005 else f"{value:+.2f}"
            dark = not np.isnan(value) and abs(value) > 0.6 * limit
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    axes.set_xticks(range(len(models)), [literal(model) for model in models], fontsize=8)
    axes.set_yticks(range(len(tasks)), [literal(task.task) for task in tasks], fontsize=8)
    made.colorbar(image, ax=axes, label="difference in reward", shrink=0.6)
    return Drawn(
        "heat-map", made, f"Difference {effect.treated} − {effect.baseline} per task and model; –: not on both sides."
    )

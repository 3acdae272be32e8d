"""Figures of a report, drawn with matplotlib: colours that colour-blind people tell apart, never colour alone.

Colours are those of M. Okabe and K. Ito's palette; the heat map uses ``cividis`` (J. Nunez et al., PLoS ONE 13 (2018)
e0199239). matplotlib is loaded only here.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from m4review.campaigns.analysis import Analysis, Row
from m4review.campaigns.document import Figure
from m4review.campaigns.effects import Effect

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#555555"
LADDER = ("no-skill", "decoy", "operational-spec", "with-skill", "raw-sql")
"""Controls from what gives least to what gives most."""


def figures_of(analysis: Analysis) -> tuple[Figure, ...]:
    """Every figure that the runs allow, as SVG with nothing in it that differs from call to call."""
    drawn = [_forest(analysis), _heat_map(analysis.primary.effect)]
    drawn += [figure for figure in (_ladder(analysis.controls), _schemas(analysis)) if figure is not None]
    return tuple(Figure(name, _svg(canvas), caption) for name, canvas, caption in drawn)


def png(analysis: Analysis, name: str) -> bytes:
    """The figure of that name as PNG, 150 dots per inch.

    Raises:
        KeyError: the runs do not allow a figure of that name.
    """
    makers: dict[str, Callable[[], _Drawn | None]] = {
        "forest": lambda: _forest(analysis),
        "heat-map": lambda: _heat_map(analysis.primary.effect),
        "controls": lambda: _ladder(analysis.controls),
        "schemas": lambda: _schemas(analysis),
    }
    drawn = makers[name]()
    if drawn is None:
        raise KeyError(name)
    buffer = io.BytesIO()
    drawn[1].savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()


_Drawn = tuple[str, "Canvas", str]


def _forest(analysis: Analysis) -> _Drawn:
    effect = analysis.primary.effect
    tasks = sorted(effect.tasks, key=lambda task: task.delta)
    canvas, axes = _canvas(7.5, 1.2 + 0.26 * len(tasks))
    for place, task in enumerate(tasks):
        spread = sorted(pair.delta for pair in task.models)
        axes.plot([spread[0], spread[-1]], [place, place], color=GREY, linewidth=1)
        marker, colour = ("o", BLUE) if task.facts.mode == "standard" else ("s", ORANGE)
        axes.plot(task.delta, place, marker=marker, color=colour, markersize=6, linestyle="none")
    interval = analysis.primary.interval
    if interval.low is not None and interval.high is not None:
        axes.axvspan(interval.low, interval.high, color=GREEN, alpha=0.18, linewidth=0)
    axes.axvline(effect.mean, color=GREEN, linewidth=1.2)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(tasks)), [task.task for task in tasks], fontsize=8)
    axes.set_xlabel("difference in reward, with-skill − no-skill")
    axes.plot([], [], "o", color=BLUE, label="standard task")
    axes.plot([], [], "s", color=ORANGE, label="raw task")
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    caption = (
        f"Difference per task (circle: standard, square: raw; line: range over models), mean {effect.mean:+.4f} and "
        "its 95 % interval over tasks (band)."
    )
    return "forest", canvas, caption


def _heat_map(effect: Effect) -> _Drawn:
    models = effect.models
    tasks = sorted(effect.tasks, key=lambda task: -task.delta)
    values = np.full((len(tasks), len(models)), np.nan)
    for row, task in enumerate(tasks):
        for pair in task.models:
            values[row, models.index(pair.model)] = pair.delta
    canvas, axes = _canvas(2.8 + 1.5 * len(models), 1.2 + 0.26 * len(tasks))
    image = axes.imshow(values, aspect="auto", cmap="cividis", vmin=np.nanmin(values), vmax=np.nanmax(values))
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    for row in range(len(tasks)):
        for column in range(len(models)):
            value = values[row, column]
            text = "–" if np.isnan(value) else f"{value:+.2f}"
            axes.text(
                column, row, text, ha="center", va="center", fontsize=7, color="white" if value < middle else "black"
            )
    axes.set_xticks(range(len(models)), models, fontsize=8)
    axes.set_yticks(range(len(tasks)), [task.task for task in tasks], fontsize=8)
    canvas.colorbar(image, ax=axes, label="difference in reward", shrink=0.6)
    return "heat-map", canvas, "Difference with-skill − no-skill per task and model."


def _ladder(controls: Sequence[Row]) -> _Drawn | None:
    """Levels of the conditions on the tasks that all of a control's comparisons share."""
    series: dict[str, dict[str, float]] = {}
    for row in controls:
        first, second = row.effect.baseline.condition, row.effect.treated.condition
        control = next((name for name in (first, second) if name not in ("no-skill", "with-skill")), None)
        if control is not None:
            levels = series.setdefault(control, {})
            levels[first], levels[second] = row.effect.levels
    if not series:
        return None
    steps = [name for name in LADDER if any(name in levels for levels in series.values())]
    canvas, axes = _canvas(7, 4)
    for (control, levels), marker, colour in zip(series.items(), "osD^", (BLUE, ORANGE, GREEN, GREY), strict=False):
        here = [name for name in steps if name in levels]
        places, heights = [steps.index(name) for name in here], [levels[name] for name in here]
        axes.plot(places, heights, marker=marker, color=colour, label=f"tasks of {control}")
    axes.set_xticks(range(len(steps)), steps)
    axes.set_ylim(0, 1)
    axes.set_ylabel("mean reward")
    axes.legend(fontsize=8, frameon=False, loc="lower right")
    return (
        "controls",
        canvas,
        "Mean reward by what the agent was given, each line on the tasks that its control was run on.",
    )


def _schemas(analysis: Analysis) -> _Drawn | None:
    compared = [level for level in analysis.schemas if level.native is not None]
    if not compared:
        return None
    canvas, axes = _canvas(5, 3.5)
    for level, marker, colour in zip(compared, "os", (BLUE, ORANGE), strict=False):
        label = f"{level.arm.schema}, {level.tasks} tasks"
        axes.plot([0, 1], [level.native, level.level], marker=marker, color=colour, label=label)
    axes.set_xticks([0, 1], ["native", "changed"])
    axes.set_xlim(-0.3, 1.3)
    axes.set_ylim(0, 1)
    axes.set_ylabel("mean reward with the skill")
    axes.legend(fontsize=8, frameon=False, loc="lower left")
    return "schemas", canvas, "Mean reward with the skill on the native and the changed schema, same tasks and models."


def _canvas(width: float, height: float) -> tuple[Canvas, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(canvas)
    axes = canvas.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return canvas, axes


def _svg(canvas: Canvas) -> str:
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "m4review", "svg.fonttype": "path"}):
        canvas.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]

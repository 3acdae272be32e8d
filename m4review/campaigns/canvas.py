"""Drawing without a screen: a matplotlib canvas, its SVG and PNG, and the colours and shapes of every figure.

Colours are those of M. Okabe and K. Ito's palette, which colour-blind people tell apart; a shape, a line style or a
number always says the same, so nothing is told by colour alone. matplotlib is loaded only here.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

BLUE, ORANGE, GREEN, PINK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#555555"
SERIES = ((BLUE, "o", "-"), (ORANGE, "s", "--"), (GREEN, "D", "-."), (PINK, "^", ":"), (GREY, "v", "-"))
"""Colour, marker and line of the first series, the second, and so on."""
DOTS = 150
"""Per inch of a PNG."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One figure on its canvas. ``file`` is its name, ``caption`` the sentence that says what it shows."""

    file: str
    canvas: Canvas
    caption: str


def canvas(width: float, height: float) -> tuple[Canvas, Any]:
    """A canvas of that size in inches, and its axes."""
    made, found = panels(1, width, height)
    return made, found[0]


def panels(count: int, width: float, height: float) -> tuple[Canvas, list[Any]]:
    """A canvas with ``count`` panels side by side on one vertical axis; ``width`` is of one of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    made = Canvas(figsize=(width * count, height), layout="constrained")
    FigureCanvasAgg(made)
    found = list(made.subplots(1, count, sharey=True, squeeze=False)[0])
    for axes in found:
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return made, found


def literal(text: str) -> str:
    """A text in which a dollar sign is one, and starts no formula."""
    return text.replace("$", r"\$")


def svg_of(made: Canvas) -> str:
    """The SVG element, the same from call to call."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "m4review", "svg.fonttype": "path"}):
        made.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def png_of(made: Canvas) -> bytes:
    """The picture as PNG, the same from call to call."""
    buffer = io.BytesIO()
    made.savefig(buffer, format="png", dpi=DOTS, metadata={"Software": None})
    return buffer.getvalue()

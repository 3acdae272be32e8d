"""Lines that were drawn for a widget go when the widget goes.

Textual 8.2.8 remembers which colours a widget has inside and around it in one ``lru_cache`` over the method
``StylesCache.get_inner_outer``. Such a cache holds the object that is asked too, here all the lines that were drawn for
the widget: of a thousand widgets and more that are long gone, some hundred megabytes. (Textualize/textual, issue 6665.)
"""

from __future__ import annotations

from functools import lru_cache

from textual._styles_cache import StylesCache
from textual.color import Color
from textual.style import Style


@lru_cache(1024)
def _inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
    return Style(background=base_background + background), Style(background=base_background)


def forget_drawn_lines() -> None:
    """Remember the colours alone, for every widget of this process. A second call changes nothing."""
    StylesCache.get_inner_outer = staticmethod(_inner_outer)  # type: ignore[method-assign,assignment]

"""How the workbench looks: a theme of high contrast beside Textual's own, animations or none, both remembered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.app import SystemCommand
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme

from m4review.errors import M4ReviewError
from m4review.tui.session.settings import ScreenSettings, keep_setting, read_settings

if TYPE_CHECKING:
    from m4review.tui.app import WorkbenchApp

HIGH_CONTRAST = Theme(
    name="high-contrast",
    primary="#ffffff",
    secondary="#ffffff",
    warning="#ffd700",
    error="#ff8787",
    success="#5fff87",
    accent="#ffd700",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    boost="#000000",
    luminosity_spread=0.0,
    text_alpha=1.0,
    variables={
        "text-muted": "#ffffff",
        "text-disabled": "#d0d0d0",
        "foreground-muted": "#ffffff",
        "foreground-disabled": "#d0d0d0",
        "block-cursor-background": "#ffd700",
        "block-cursor-foreground": "#000000",
        "block-cursor-blurred-background": "#404000",
        "block-cursor-blurred-foreground": "#ffffff",
        "input-selection-background": "#005fd7",
        "border": "#ffffff",
        "border-blurred": "#ffffff",
        "scrollbar": "#ffffff",
        "scrollbar-background": "#303030",
    },
)
"""White on black, and every other colour light enough to be read on black (WCAG's 7:1)."""


CONTRAST_CSS = """
    .-theme-high-contrast ModalScreen { background: $background; }
    .-theme-high-contrast TextArea, .-theme-high-contrast .text-area--gutter { color: $foreground; }
    .-theme-high-contrast .text-area--placeholder, .-theme-high-contrast .input--placeholder { color: $foreground; }
    .-theme-high-contrast Tab { color: $foreground; opacity: 1; text-opacity: 1; }
"""
"""What widgets mute by themselves, at full strength."""
BRIGHT = TerminalTheme(
    (0, 0, 0),
    (255, 255, 255),
    [(0, 0, 0), (255, 135, 135), (95, 255, 135), (255, 215, 0),
     (135, 175, 255), (255, 135, 255), (95, 255, 255), (255, 255, 255)],
)  # fmt: skip
"""The colours that are asked for by name, each light enough on black."""
NOT_DIM = Style(dim=False)


class FullStrength(LineFilter):
    """Shows dimmed text as any other: what it says is never told by its dimness alone."""

    def apply(self, segments: list[Segment], _background: Color) -> list[Segment]:
        return [
            Segment(segment.text, segment.style + NOT_DIM, None) if segment.style and segment.style.dim else segment
            for segment in segments
        ]


class Appearance:
    """Applies what is kept when the app starts, and keeps what is chosen later."""

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._named = app.ansi_theme_dark
        self._settings = ScreenSettings()

    def apply(self) -> None:
        """Take over the kept settings; settings that cannot be read are said and left alone."""
        app = self._app
        app.register_theme(HIGH_CONTRAST)
        try:
            self._settings = read_settings(app.environment)
        except M4ReviewError as error:
            app.show_error(error)
        if self._settings.theme in app.available_themes:
            app.theme = str(self._settings.theme)
        if self._settings.is_still:
            app.animation_level = "none"
        self._name_colours(app.theme)
        app.theme_changed_signal.subscribe(app, self._theme_chosen)

    def filters(self, filters: Sequence[LineFilter]) -> Sequence[LineFilter]:
        """What every line passes on its way to the screen, beside the ``filters`` that it passes anyway."""
        return [FullStrength(), *filters] if self._app.theme == HIGH_CONTRAST.name else filters

    def commands(self) -> Iterator[SystemCommand]:
        """What the palette offers, whatever screen is shown."""
        if self._app.animation_level == "none":
            yield SystemCommand("Animations on", "Let lists and panels glide again.", self._glide)
        else:
            yield SystemCommand("Animations off", "Show every change at once, without gliding.", self._stand_still)

    def _stand_still(self) -> None:
        self._app.animation_level = "none"
        self._keep("animations", "none")

    def _glide(self) -> None:
        self._app.animation_level = "full"
        self._keep("animations", "full")

    def _name_colours(self, theme: str) -> None:
        self._app.ansi_theme_dark = BRIGHT if theme == HIGH_CONTRAST.name else self._named

    def _theme_chosen(self, theme: Theme) -> None:
        self._name_colours(theme.name)
        if theme.name != self._settings.theme:
            self._settings = replace(self._settings, theme=theme.name)
            self._keep("theme", theme.name)

    def _keep(self, name: str, value: str) -> None:
        try:
            keep_setting(self._app.environment, name, value)
        except M4ReviewError as error:
            self._app.show_error(error)

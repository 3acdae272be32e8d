"""The bar at the foot: what can be done now, and in brackets what cannot."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from m4review.tui.actions import Action

PALETTE = ("^P", "All")
WIDE = 120
"""Cells from which the bar always names the way to the places of the screen."""


def short_key(action: Action) -> str:
    """The key as the bar writes it: ``^S`` for Ctrl+S."""
    return action.key_name.replace("Ctrl+", "^")


def bar_line(actions: Sequence[tuple[Action, bool]], width: int) -> Text:
    """One line of at most ``width`` cells. Help comes last and always fits, on a wide screen with the way to go to a
    place before it; what does not fit is in the palette.

    Each pair holds an action and whether it is possible now. A click on an action performs it.
    """
    last = ("jump", "help") if width >= WIDE else ("help",)
    shown = [(action, possible) for action, possible in actions if action.in_bar and action.id not in last]
    helps = [pair for name in last for pair in actions if pair[0].id == name]
    room = width - sum(len(_words(action, True)) for action, _ in helps) - len(" ".join(PALETTE)) - 3
    line = Text(no_wrap=True, end="")
    for action, possible in shown:
        words = _words(action, possible)
        if line.cell_len + len(words) > room:
            break
        line.append_text(_entry(action, possible))
    for action, possible in helps:
        line.append_text(_entry(action, possible))
    key, label = PALETTE
    style = Style(meta={"@click": "app.command_palette"})
    line.append(f" {key}", style + Style(bold=True)).append(f" {label}", style)
    line.truncate(width)
    return line


def _words(action: Action, possible: bool) -> str:
    words = f"{short_key(action)} {action.label}"
    return f" {words} " if possible else f" ({words})"


def _entry(action: Action, possible: bool) -> Text:
    click = Style(meta={"@click": f"screen.perform('{action.id}')"})
    if not possible:
        return Text(_words(action, False), click + Style(dim=True))
    entry = Text().append(f" {short_key(action)}", click + Style(bold=True))
    return entry.append(f" {action.label} ", click)

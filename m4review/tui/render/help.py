"""The help of a screen, written by the registry of actions."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from m4review.tui.actions import Action

EDITING = (
    ("Shift+arrows", "Select text."),
    ("Ctrl+Z / Ctrl+Y", "Undo and redo."),
    ("Ctrl+X / Ctrl+C / Ctrl+V", "Cut, copy and paste."),
    ("Ctrl+A / Ctrl+E", "Go to the start and the end of the line."),
    ("Ctrl+Home / Ctrl+End", "Go to the start and the end of the text."),
    ("Tab", "Move to the panel; Shift+Tab back."),
)
ON_COMMAND_LINE = {
    "home": "m4review skills · m4review tasks · m4review review queue",
    "workbench": "m4review lint · m4review version SKILL -m MESSAGE · m4review show SKILL",
    "review": "m4review review status SKILL · m4review review verdict SKILL",
    "compare": "m4review log SKILL · m4review diff SKILL A B",
    "trial": "m4review trial TASK · m4review trial list",
    "recover": "drafts lie under .m4review/drafts",
}


def help_text(screen: str, actions: Iterable[tuple[Action, str | None]]) -> Text:
    """Every action of a screen with its key, what it does and, where it is not possible now, why."""
    text = Text()
    for action, reason in actions:
        text.append(f"{action.key_name:<12}", "bold").append(f"{action.says}\n")
        if reason:
            text.append(f"{'':<12}Not now: {reason}\n", "italic")
    text.append(f"{'Ctrl+P':<12}", "bold").append("Search everything that can be done here.\n")
    if screen == "workbench":
        text.append("\nIn the text\n", "bold")
        for keys, says in EDITING:
            text.append(f"{keys:<26}{says}\n")
    text.append("\nThe same on the command line: ", "bold").append(ON_COMMAND_LINE[screen])
    return text

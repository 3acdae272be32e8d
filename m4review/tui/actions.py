"""The one registry of what can be done where: it feeds keys, the bar at the foot, help, the palette and the tests.

A screen lists its actions here and implements each as ``do_<id>``; ``why_not`` of the screen gives the reason when
one is not possible now. Keys are those that survive tmux and SSH (function keys, control letters except h i j m [).
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType

KEY_NAMES = {
    "escape": "Esc",
    "enter": "Enter",
    "slash": "/",
    "shift": "Shift",
    "ctrl": "Ctrl",
}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a user can do. ``label`` is for the bar, ``says`` for help and palette (a sentence in their words)."""

    id: str
    key: str
    label: str
    says: str
    in_bar: bool = True
    even_while_typing: bool = True
    """Whether the key works while a text field has the focus; letters do not."""

    @property
    def key_name(self) -> str:
        """The key as printed: ``F2``, ``Ctrl+S``, ``/``, ``n``."""
        if len(self.key) == 1:
            return self.key
        return "+".join(KEY_NAMES.get(part) or part.upper() for part in self.key.split("+"))


HELP = Action("help", "f1", "Help", "Show what can be done here and with which key.")
QUIT = Action("quit", "ctrl+q", "Quit", "Leave the workbench; unsaved text is asked about first.")
BACK = Action("back", "escape", "Back", "Go back to where you came from.")
IDENTITY = Action("identity", "f12", "Who am I", "Say which reviewer you are.", in_bar=False)

ACTIONS: dict[str, tuple[Action, ...]] = {
    "home": (
        Action("open", "enter", "Open", "Open the skill under the cursor in the editor.", even_while_typing=False),
        Action("filter", "slash", "Filter", "Show only what contains some words.", even_while_typing=False),
        Action("review", "f3", "Review", "Review the skill under the cursor and give your verdict."),
        Action("trial", "f5", "Trial", "Run a task with and without the skill and score both."),
        Action("compare", "f6", "Compare", "See what changed between two versions of the skill."),
        Action("new_skill", "f7", "New skill", "Start a skill from the template.", in_bar=False),
        Action("refresh", "f9", "Refresh", "Read all files and the ledger again.", in_bar=False),
        IDENTITY,
        HELP,
        QUIT,
    ),
    "workbench": (
        Action("save", "ctrl+s", "Save", "Save the text to the skill's file."),
        Action("record", "f2", "Record", "Record this text as a version that others can review."),
        Action("review", "f3", "Review", "Review the saved skill and give your verdict."),
        Action("trial", "f5", "Trial", "Run a task with and without this skill and score both."),
        Action("compare", "f6", "Compare", "See what changed between two versions of this skill."),
        Action("next_finding", "f8", "Finding", "Go to the next finding of the lint."),
        Action("previous_finding", "shift+f8", "Previous", "Go to the previous finding of the lint.", in_bar=False),
        Action(
            "find",
            "ctrl+f",
            "Find",
            "Find words in the text; Enter goes to the next place, Up to the previous one.",
            in_bar=False,
        ),
        Action("go_to_line", "ctrl+g", "Go to line", "Go to a line by its number.", in_bar=False),
        Action("editor", "f4", "$EDITOR", "Edit the text in your own editor ($VISUAL or $EDITOR).", in_bar=False),
        Action("panel", "f7", "Panel", "Show or hide the panel beside the text."),
        Action("next_tab", "ctrl+t", "Tab", "Show the next tab of the panel.", in_bar=False),
        Action("reload", "f9", "Reload", "Drop the typed text and read the file again (can be undone).", in_bar=False),
        HELP,
        BACK,
        QUIT,
    ),
    "review": (
        Action("submit", "f3", "Give verdict", "Give your verdict; what it means is repeated before it counts."),
        Action("view", "ctrl+t", "Other view", "Switch between what changed, the whole text and the task cards."),
        Action("compare", "f6", "Compare", "See what changed between two versions of the skill."),
        HELP,
        BACK,
        QUIT,
    ),
    "compare": (
        Action("next_change", "n", "Next", "Go to the next change.", even_while_typing=False),
        Action("previous_change", "p", "Previous", "Go to the previous change.", even_while_typing=False),
        Action("older", "f2", "From …", "Choose the older side."),
        Action("newer", "f3", "To …", "Choose the newer side."),
        HELP,
        BACK,
        QUIT,
    ),
    "trial": (
        Action("run", "f5", "Run", "Run the task with and without the skill and score both."),
        Action("task", "f2", "Task", "Choose the task."),
        Action("dataset", "f3", "Dataset", "Choose the dataset."),
        Action("sandbox", "f4", "Sandbox", "Choose where the agent runs."),
        Action("conditions", "f6", "Compare", "Choose what is compared: controls, or single sections left out."),
        Action("cancel", "x", "Cancel", "Stop the running trial; you are asked first.", even_while_typing=False),
        Action("leave", "escape", "Back", "Go back; a running trial goes on as long as the workbench is open."),
        HELP,
        QUIT,
    ),
    "recover": (
        Action("keep", "k", "Keep", "Open this draft in the editor as unsaved text.", even_while_typing=False),
        Action("drop", "d", "Drop", "Delete this draft; you are asked first.", even_while_typing=False),
        Action("later", "escape", "Later", "Leave all drafts where they are; they are shown at the next start."),
        HELP,
        QUIT,
    ),
}


def actions_of(screen: str) -> tuple[Action, ...]:
    """The actions of one screen, in the order of its bar."""
    return ACTIONS[screen]


def bindings_of(screen: str) -> list[BindingType]:
    """Key bindings of one screen; each performs its action through the screen, which may answer why not."""
    return [
        Binding(
            action.key,
            f"perform('{action.id}')",
            action.label,
            tooltip=action.says,
            id=f"{screen}.{action.id}",
            priority=action.even_while_typing and action.key != "escape",
        )
        for action in ACTIONS[screen]
    ]

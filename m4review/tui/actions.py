"""The one registry of what can be done where: it feeds keys, the bar at the foot, help, the palette and the tests.

A screen lists its actions here and implements each as ``do_<id>``; ``why_not`` of the screen gives the reason when
one is not possible now. Keys are those that survive tmux and SSH (function keys, control letters except h i j m [).
What is rarely done has no key of its own but a letter in the menu of its screen.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType

KEY_NAMES = {
    "escape": "Esc",
    "enter": "Enter",
    "slash": "/",
    "question_mark": "?",
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
    letter: str = ""
    """The letter in the screen's menu, for an action without a key of its own."""
    menu: str = "f2"
    """The key that opens that menu."""
    brief: str = ""
    """Half a line for the menu, where the label alone could be taken for another act."""
    also: str = ""
    """A second key for the same, which works where no text is typed."""

    @property
    def key_name(self) -> str:
        """The key as printed: ``F2``, ``Ctrl+S``, ``/``, ``n``, ``F2 r`` for a letter of the menu."""
        if self.letter:
            return f"{self.menu.upper()} {self.letter}"
        return printed(self.key)

    @property
    def key_names(self) -> str:
        """Every key that does it: ``F1, ?``."""
        return f"{self.key_name}, {printed(self.also)}" if self.also else self.key_name


def printed(key: str) -> str:
    """A key as people write it: ``F2``, ``Ctrl+S``, ``/``, ``n``."""
    if len(key) == 1:
        return key
    return "+".join(KEY_NAMES.get(part) or part.upper() for part in key.split("+"))


MENU_KEY, TEXT_MENU_KEY = "f2", "f10"
"""Open the menu of the review, and the editor's menu of what is done to a text."""


def menu_action(id: str, letter: str, label: str, says: str, menu: str = MENU_KEY, brief: str = "") -> Action:  # noqa: A002
    """An action of the menu."""
    return Action(id, "", label, says, in_bar=False, letter=letter, menu=menu, brief=brief)


def text_action(id: str, letter: str, label: str, says: str) -> Action:  # noqa: A002
    """An action of the editor's menu."""
    return menu_action(id, letter, label, says, TEXT_MENU_KEY)


HELP = Action("help", "f1", "Help", "Show what can be done here and with which key.", also="question_mark")
JUMP = Action("jump", "ctrl+n", "Go to", "Go to a place of this screen: a letter stands on each.", also="g")
QUIT = Action("quit", "ctrl+q", "Quit", "Leave the workbench; unsaved text is asked about first.")
BACK = Action("back", "escape", "Back", "Go back to where you came from.")
IDENTITY = Action("identity", "f12", "Who am I", "Say which reviewer you are.", in_bar=False)

ACTIONS: dict[str, tuple[Action, ...]] = {
    "home": (
        Action("open", "enter", "Open", "Open the skill under the cursor in the editor.", even_while_typing=False),
        Action("filter", "slash", "Filter", "Show only what contains some words.", even_while_typing=False),
        Action("review", "f3", "Review", "Review the skill under the cursor and give your verdict."),
        Action(
            "trial", "f5", "Trial", "Run a task with and without the skill; a text that was tried shows its result."
        ),
        Action("compare", "f6", "Compare", "See what changed between two versions of the skill."),
        Action("new_skill", "f7", "New skill", "Start a skill from the template.", in_bar=False),
        Action("setup", "f8", "Set up", "See what is missing on this machine, and put it right.", in_bar=False),
        Action("refresh", "f9", "Refresh", "Read all files and the ledger again.", in_bar=False),
        IDENTITY,
        HELP,
        QUIT,
        JUMP,
    ),
    "setup": (
        Action("mend", "enter", "Put right", "Do what the line under the cursor needs.", even_while_typing=False),
        Action("again", "f9", "Look again", "Look again at what is there."),
        IDENTITY,
        HELP,
        BACK,
        QUIT,
        JUMP,
    ),
    "workbench": (
        Action("save", "ctrl+s", "Save", "Save the text to the skill's file."),
        Action("record", "f2", "Record", "Record this text as a version that others can review."),
        Action("review", "f3", "Review", "Review the saved skill and give your verdict."),
        Action(
            "trial", "f5", "Trial", "Run a task with and without this skill; a text that was tried shows its result."
        ),
        Action("compare", "f6", "Compare", "See what changed between two versions of this skill."),
        Action("next_finding", "f8", "Finding", "Go to the next finding of the lint."),
        Action("previous_finding", "shift+f8", "Previous", "Go to the previous finding of the lint.", in_bar=False),
        Action("panel", "f7", "Panel", "Show or hide the panel beside the text."),
        Action(
            "find", "ctrl+f", "Find", "Find words or a pattern; Enter goes to the next place, Up to the previous one."
        ),
        Action("fix", "ctrl+l", "Fix", "Offer edits that put the finding of this line right; each can be undone."),
        Action("items", "ctrl+k", "Items", "Look up item ids by their words, such as Heart Rate, and put one in."),
        Action("outline", "ctrl+o", "Outline", "Go to a section of the text."),
        Action(
            "text_menu", TEXT_MENU_KEY, "More", "What else can be done to the text: tables, literature, line breaks."
        ),
        Action("replace", "ctrl+r", "Replace", "Find words or a pattern and replace them.", in_bar=False),
        Action("go_to_line", "ctrl+g", "Go to line", "Go to a line by its number.", in_bar=False),
        Action("editor", "f4", "$EDITOR", "Edit the text in your own editor ($VISUAL or $EDITOR).", in_bar=False),
        Action("next_tab", "ctrl+t", "Tab", "Show the next tab of the panel.", in_bar=False),
        Action("reload", "f9", "Reload", "Drop the typed text and read the file again (can be undone).", in_bar=False),
        text_action("align", "a", "Lay the table out", "Give the columns of the table under the cursor even widths."),
        text_action("add_row", "r", "Row below", "Add an empty row to the table, below the cursor's."),
        text_action(
            "add_column", "c", "Column to the right", "Add an empty column to the table, right of the cursor's."
        ),
        text_action("drop_row", "d", "Delete the row", "Delete the cursor's row of the table (can be undone)."),
        text_action(
            "drop_column", "x", "Delete the column", "Delete the cursor's column of the table (can be undone)."
        ),
        text_action(
            "literature", "l", "Reference", "Put a reference to be completed under Literature, by PMID or DOI."
        ),
        text_action("wrap", "w", "Line breaks", "Break long lines at the edge, or let them run on."),
        IDENTITY,
        HELP,
        BACK,
        QUIT,
        JUMP,
    ),
    "review": (
        Action("submit", "f3", "Give verdict", "Give your verdict; what it means is repeated before it counts."),
        Action("finding", "f4", "Finding", "Write a finding about the marked passage, or about the cursor's line."),
        Action("more", MENU_KEY, "More", "Everything else that can be recorded: show a sealed verdict, sign off, …"),
        Action("view", "ctrl+t", "View", "Show the next view; the digits 1 to 7 show one directly."),
        Action("compare", "f6", "Compare", "See what changed between two versions of the skill."),
        Action("checklist", "f7", "Checklist", "Answer the questions of the checklist.", in_bar=False),
        Action("consensus", "f8", "Consensus", "Settle together what the reviewers disagree on.", in_bar=False),
        menu_action("reveal", "r", "Show sealed", "Show the verdict that you sealed."),
        menu_action("sign_off", "s", "Sign off", "Release the approved text for use, on the policy's result."),
        menu_action("carry", "c", "Carry over", "Confirm, on the shown difference, that a change is editorial."),
        menu_action("comment", "m", "Comment", "Say something about the marked passage; it decides nothing."),
        menu_action("evidence", "t", "Trial as evidence", "Record a trial that was measured on exactly this text."),
        menu_action("ask", "o", "Ask for review", "Say who wrote the text and who is asked to judge it, until when."),
        menu_action("assign", "a", "Assign", "Ask others to judge, for instance instead of somebody who is away."),
        menu_action(
            "withdraw",
            "w",
            "Take back",
            "Take back something that you recorded, for instance your verdict.",
            brief="something you recorded, such as your verdict",
        ),
        menu_action(
            "recuse",
            "u",
            "Step back",
            "Say that you will not judge this skill.",
            brief="you will not judge this skill, and say why",
        ),
        menu_action(
            "revoke",
            "x",
            "Declare void",
            "Declare something that was recorded void, with the reason.",
            brief="what anybody recorded shall not count, and why",
        ),
        menu_action("override", "v", "Override", "Set a rule aside for this text; that stays visible for ever."),
        IDENTITY,
        HELP,
        BACK,
        QUIT,
        JUMP,
    ),
    "consensus": (
        Action("submit", "f3", "Put forward", "Put the consensus forward, or confirm the one that lies before you."),
        Action("settle", "f4", "Finding", "Say how the finding under the cursor is settled."),
        Action("differ", "f5", "Another", "Put another consensus forward than the one that waits for you."),
        IDENTITY,
        HELP,
        BACK,
        QUIT,
        JUMP,
    ),
    "compare": (
        Action("next_change", "n", "Next", "Go to the next change.", even_while_typing=False),
        Action("previous_change", "p", "Previous", "Go to the previous change.", even_while_typing=False),
        Action("older", "f2", "From …", "Choose the older side: a version, another skill, an operational spec."),
        Action("newer", "f3", "To …", "Choose the newer side in the same way."),
        Action("columns", "f4", "Columns", "Switch between one column and two columns side by side."),
        Action("swap", "f5", "Swap", "Exchange the two sides.", in_bar=False),
        HELP,
        BACK,
        QUIT,
        JUMP,
    ),
    "trial": (
        Action("run", "f5", "Run", "Run the task with and without the skill; asks first where it was tried already."),
        Action("cancel", "x", "Cancel", "Stop the running trial; you are asked first.", even_while_typing=False),
        Action("view", "ctrl+t", "Page", "Show the next page; the digits 1 to 8 show one directly."),
        Action("conditions", "f6", "Conditions", "Choose what is compared: controls, or single sections left out."),
        Action("leave", "escape", "Back", "Go back; a running trial goes on, also when you leave the workbench."),
        Action("task", "f2", "Task", "Choose the task."),
        Action("dataset", "f3", "Dataset", "Choose the dataset."),
        Action("sandbox", "f4", "Sandbox", "Choose where the agent runs."),
        Action("other", "f7", "Which", "Choose the trial that the pages show.", in_bar=False),
        Action("detail", "f8", "Choose", "Choose the column, run, other trial or figure of this page.", in_bar=False),
        Action("export", "f9", "Picture", "Write the figure of the page Plots as SVG and PNG.", in_bar=False),
        Action(
            "under_way",
            "r",
            "Running",
            "Follow a trial that runs elsewhere, or see one that ended meanwhile.",
            in_bar=False,
            even_while_typing=False,
        ),
        Action(
            "setup",
            "s",
            "Set up",
            "See what is missing on this machine, and put it right.",
            in_bar=False,
            even_while_typing=False,
        ),
        HELP,
        QUIT,
        JUMP,
    ),
    "recover": (
        Action("keep", "k", "Keep", "Open this draft in the editor as unsaved text.", even_while_typing=False),
        Action("drop", "d", "Drop", "Delete this draft; you are asked first.", even_while_typing=False),
        Action("later", "escape", "Later", "Leave all drafts where they are; they are shown at the next start."),
        HELP,
        QUIT,
        JUMP,
    ),
}


def actions_of(screen: str) -> tuple[Action, ...]:
    """The actions of one screen, in the order of its bar."""
    return ACTIONS[screen]


def bindings_of(screen: str) -> list[BindingType]:
    """Key bindings of one screen; each performs its action through the screen, which may answer why not."""
    bindings: list[BindingType] = []
    for action in ACTIONS[screen]:
        for key, works_while_typing in ((action.key, action.even_while_typing), (action.also, False)):
            if key:
                bindings.append(
                    Binding(
                        key,
                        f"perform('{action.id}')",
                        action.label,
                        tooltip=action.says,
                        id=f"{screen}.{action.id}" if key == action.key else f"{screen}.{action.id}.also",
                        priority=works_while_typing and key != "escape",
                    )
                )
    return bindings

"""The help of a screen, written by the registry of actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from m4review.tui.actions import Action

EDITING = (
    ("Shift+arrows", "Select text."),
    ("Ctrl+Z / Ctrl+Y", "Undo and redo."),
    ("Ctrl+X / Ctrl+C / Ctrl+V", "Cut, copy and paste."),
    ("Ctrl+A / Ctrl+E", "Go to the start and the end of the line."),
    ("Ctrl+Home / Ctrl+End", "Go to the start and the end of the text."),
    ("Tab", "In a table: Next cell, behind the last one a new row; elsewhere to the panel. Shift+Tab back."),
)
WORDS = {
    "review": (
        (
            "stale (output)",
            "the text was judged, and its part that belongs to output changed since; page State says more",
        ),
        ("scope", "definition, schema or output: what a verdict decides on; every one is asked for anew on a new text"),
    ),
    "trial": (
        ("reward", "the mean share of cells that match the expected output, from 0 to 1, over the scored columns"),
        ("Δ skill (Δ)", "the reward with the skill minus the reward without it, in one trial: what the skill is worth"),
        ("Δ version", "the reward with this text of the skill minus that with the text tried before: did it help?"),
        ("matched per column", "the share of expected cells of a column that the answer has right: bar and number"),
        ("keys matched (key F1)", "whether the rows are the expected ones: 1 when none is missing and none too many"),
        (
            "strict checks",
            "a run passes when every row is there, none is too many, and each column reaches the threshold of its card",
        ),
        (
            "audit",
            "clear: nothing looks as if the agent had seen the answer; HELD: a person decides; no trace: it cannot be "
            "told",
        ),
    ),
}
"""What the words on a screen mean that is full of figures."""
ON_COMMAND_LINE = {
    "home": "m4review skills · m4review tasks · m4review review queue · m4review new skill NAME --task TASK",
    "setup": "m4review doctor · m4review hooks install · m4review data synth --help",
    "workbench": "m4review lint · m4review data items WORDS · m4review version SKILL -m MESSAGE · m4review show SKILL",
    "review": "m4review review packet SKILL · m4review review verdict SKILL · m4review review comment SKILL · "
    "m4review review resolve SKILL · m4review review withdraw SKILL · m4review review sign-off SKILL · "
    "m4review review --help",
    "consensus": "m4review review consensus SKILL",
    "compare": "m4review log SKILL · m4review diff SKILL A B",
    "trial": "m4review trial TASK · m4review trial TASK --detach · m4review trial list --running · "
    "m4review trial attach · m4review trial stop · m4review trial history SKILL · m4review trial show ID · "
    "m4review trial confusion ID --column C · m4review trial compare A B · m4review figure reward",
    "recover": "m4review drafts list · m4review drafts show SKILL · m4review drafts keep SKILL · "
    "m4review drafts drop SKILL",
}


def same_on_command_line(screen: str) -> Text:
    """The commands that do what is done on a screen and in its dialogs."""
    return Text().append("The same on the command line: ", "bold").append(ON_COMMAND_LINE[screen])


def help_text(screen: str, actions: Iterable[tuple[Action, str | None]]) -> RenderableType:
    """What the words of a screen mean, and every action: its key, what it does, why it is not possible now."""
    keys = Table.grid(padding=(0, 2))
    keys.add_column(style="bold", no_wrap=True)
    keys.add_column()
    for action, reason in sorted(actions, key=lambda entry: entry[0].id != "jump"):
        keys.add_row(action.key_names, action.says if reason is None else f"{action.says} Not now: {reason}")
    keys.add_row("Ctrl+P", "Search everything that can be done here.")
    if screen == "workbench":
        keys.add_row("", "")
        for name, says in EDITING:
            keys.add_row(name, says)
    same = same_on_command_line(screen).append("\n")
    return Group(*_meanings(screen), same, keys)


def _meanings(screen: str) -> Iterator[Text]:
    words = WORDS.get(screen, ())
    if words:
        yield Text("What the words mean; the keys stand below", "bold")
    for word, meaning in words:
        yield Text().append(f"{word}: ", "bold").append(meaning)
    if words:
        yield Text()

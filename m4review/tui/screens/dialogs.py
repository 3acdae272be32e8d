"""Dialogs: something to read, a choice, a line of text. Each answers with plain values and never acts itself; F1 in one
says what it asks and what each answer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from rich.console import RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from m4review.tui.render.help import same_on_command_line
from m4review.tui.screens.leaving import Leavable

T = TypeVar("T")

DIALOG_CSS = """
    {name} {{ align: center middle; }}
    {name} > Vertical {{
        width: 90%; max-width: {width}; height: auto; max-height: 92%;
        border: round $primary; background: $surface; padding: 0 1;
    }}
    {name} .title {{ text-style: bold; width: 100%; margin-bottom: 1; }}
    {name} VerticalScroll Static {{ width: 100%; min-width: 10; }}
    {name} VerticalScroll {{ height: auto; max-height: {body}; min-height: 1; margin-bottom: 1; }}
    {name} .keys {{ color: $text-muted; }}
    {name}.-low > Vertical {{ max-height: 100%; }}
    {name}.-low .title {{ margin-bottom: 0; max-height: 2; }}
    {name}.-low .keys {{ height: 1; text-wrap: nowrap; text-overflow: ellipsis; }}
    {name}.-low VerticalScroll {{ max-height: {low}; margin-bottom: 0; }}
    {name}.-low OptionList {{ max-height: 40vh; }}
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer: its id, the letter that chooses it, and what will happen, in the user's words."""

    id: str
    key: str
    says: str
    explains: str = ""
    """What help says of it, where that is more than ``says``."""


class Reading(ModalScreen[None], Leavable[None]):
    """Something to read; any of Esc, Enter or F1 closes it."""

    DEFAULT_CSS = DIALOG_CSS.format(name="Reading", width=100, body="60vh", low="50vh")
    BINDINGS: ClassVar[list[BindingType]] = [("escape,enter,f1", "dismiss", "Close")]

    def __init__(self, title: str, body: RenderableType) -> None:
        super().__init__()
        self._title = title
        self._body = body

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            with VerticalScroll():
                yield Static(self._body, markup=False)
            yield Static("Esc closes · arrows and Page keys scroll", classes="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()


class Dialog(ModalScreen[T], Leavable[T]):
    """A dialog that explains itself."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f1", "explain", "Help", priority=True, show=False)]

    @property
    def explanation(self) -> Text:
        """What is asked, and what each key and answer does."""
        raise NotImplementedError

    def action_explain(self) -> None:
        below = [room for screen in self.app.screen_stack if (room := getattr(screen, "room", None)) is not None]
        text = self.explanation
        if below:
            text.append("\n\n").append_text(same_on_command_line(below[-1]))
        self.app.push_screen(Reading("Help: this question", text))


class Question(Dialog[str | None]):
    """A choice between a few answers; Esc answers ``None``, which never changes anything.

    Enter alone chooses the first answer, which must be harmless; where no answer is, ``deliberate`` asks a person to
    put the cursor on one first.
    """

    DEFAULT_CSS = (
        DIALOG_CSS.format(name="Question", width=100, body="40vh", low="20vh")
        + """
    Question OptionList { height: auto; max-height: 12; border: none; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "answer", "Back")]

    def __init__(
        self, title: str, choices: Sequence[Choice], body: RenderableType = "", *, deliberate: bool = False
    ) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._body = body
        self._deliberate = deliberate

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            if self._body:
                with VerticalScroll():
                    yield Static(self._body, markup=False)
            yield OptionList(
                *(Option(f"{choice.key}  {choice.says}", id=choice.id) for choice in self._choices), markup=False
            )
            letters = ", ".join(choice.key for choice in self._choices)
            enter = "arrows and Enter choose" if self._deliberate else "Enter chooses"
            yield Static(f"{letters} or {enter} · Esc goes back · F1 help", classes="keys", markup=False)

    @property
    def explanation(self) -> Text:
        text = Text().append(f"{self._title}\n\n", "bold")
        for choice in self._choices:
            text.append(f"{choice.key:<3}", "bold").append(f"{choice.explains or choice.says}\n")
        enter = (
            "The arrows go to an answer and Enter chooses it" if self._deliberate else "Enter chooses the marked one"
        )
        return text.append(f"\nA letter chooses at once. {enter}. Esc goes back and changes nothing.")

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = None if self._deliberate else 0
        options.focus()

    def on_key(self, event: Key) -> None:
        for choice in self._choices:
            if event.character == choice.key:
                event.stop()
                self.dismiss(choice.id)
                return

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)

    def action_answer(self) -> None:
        self.dismiss(None)


class LineOfText(Dialog[str | None]):
    """One line of text; Enter answers, Esc answers ``None``."""

    DEFAULT_CSS = DIALOG_CSS.format(name="LineOfText", width=80, body="1", low="1")
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "answer", "Back")]

    def __init__(self, title: str, hint: str = "", value: str = "") -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._value = value

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            yield Input(self._value, placeholder=self._hint)
            yield Static("Enter accepts · Esc goes back · F1 help", classes="keys", markup=False)

    @property
    def explanation(self) -> Text:
        text = Text().append(f"{self._title}\n\n", "bold")
        text.append(f"{self._hint[:1].upper()}{self._hint[1:]}.\n\n" if self._hint else "")
        return text.append("One line. Enter accepts it. Esc goes back, and nothing is done with what was typed.")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_answer(self) -> None:
        self.dismiss(None)

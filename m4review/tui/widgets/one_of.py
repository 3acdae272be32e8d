"""One answer out of a few, on one line: arrows and Space go from one to the next, a click chooses the one it hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.widget import Widget


class OneOf(Widget, can_focus=True):
    """Shows every answer, the chosen one in brackets. ``value`` is empty while nothing is chosen."""

    DEFAULT_CSS = """
    OneOf { height: auto; width: 100%; min-width: 10; }
    OneOf:focus { background: $boost; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "step(1)", "Next answer", show=False),
        Binding("left", "step(-1)", "Answer before", show=False),
        Binding("enter", "submit", "Go on", show=False),
    ]

    class Changed(Message):
        """Another answer was chosen."""

        def __init__(self, one_of: OneOf) -> None:
            super().__init__()
            self.one_of = one_of

    class Submitted(Message):
        """Enter was pressed."""

        def __init__(self, one_of: OneOf) -> None:
            super().__init__()
            self.one_of = one_of

    def __init__(self, answers: Sequence[str], value: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._answers = tuple(answers)
        self.value = value if value in answers else ""

    def action_step(self, by: int) -> None:
        """Choose the answer after (1) or before (-1) the chosen one, around the ends."""
        if self.value in self._answers:
            place = (self._answers.index(self.value) + by) % len(self._answers)
        else:
            place = 0 if by > 0 else len(self._answers) - 1
        self.choose(self._answers[place])

    def action_submit(self) -> None:
        """Say that the person goes on from here; nothing is chosen by it."""
        self.post_message(self.Submitted(self))

    def choose(self, answer: str) -> None:
        """Choose one of the answers."""
        self.value = answer
        self.post_message(self.Changed(self))
        self.refresh(layout=True)

    def on_click(self, event: Click) -> None:
        hit = event.style.meta
        if "answer" in hit:
            self.choose(self._answers[hit["answer"]])
        elif "step" in hit:
            self.action_step(hit["step"])

    def render(self) -> Text:
        line = Text("‹ " if self.has_focus else "  ", Style(meta={"step": -1}))
        for number, answer in enumerate(self._answers):
            is_chosen = answer == self.value
            words = f"[{answer}]" if is_chosen else f" {answer} "
            line.append(words, Style(bold=is_chosen, meta={"answer": number})).append(" ")
        return line.append("›" if self.has_focus else "", Style(meta={"step": 1}))

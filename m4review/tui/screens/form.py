"""A form: a few labelled fields, each a line of text or one of some answers. It answers with plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input, Static

from m4review.tui.screens.dialogs import DIALOG_CSS, Dialog
from m4review.tui.widgets.one_of import OneOf


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that is asked. Without ``answers`` it is a line of text."""

    id: str
    label: str
    answers: tuple[str, ...] = ()
    value: str = ""
    hint: str = ""
    required: bool = True


Means = Callable[[Mapping[str, str]], str]
"""What the values that are filled in now would mean, in a sentence; empty where there is nothing to say."""


class Form(Dialog[Mapping[str, str] | None]):
    """Asks for all fields at once. Enter goes to the next field left open below and accepts in the end; F3 accepts.

    Esc answers ``None``; where something was typed, it must be pressed twice. What the values would mean is told below
    the fields once :meth:`explain` has said how to tell it.
    """

    DEFAULT_CSS = (
        DIALOG_CSS.format(name="Form", width=100, body="70vh", low="40vh")
        + """
    Form .label { color: $text-muted; width: 100%; }
    Form Input { width: 100%; background: $boost; }
    Form .means { text-style: italic; width: 100%; }
    Form .trouble { color: $text-error; text-style: bold; width: 100%; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("f3", "accept", "Accept", priority=True),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("up", "app.focus_previous", "Field before", show=False),
    ]

    def __init__(self, title: str, fields: Sequence[Field], body: RenderableType = "") -> None:
        super().__init__()
        self._title = title
        self._fields = tuple(fields)
        self._body = body
        self._means: list[Means] = []
        self._warned = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            with VerticalScroll(can_focus=False):
                if self._body:
                    yield Static(self._body, markup=False)
                for field in self._fields:
                    yield Static(field.label, classes="label", id=f"label-{field.id}", markup=False)
                    if field.answers:
                        yield OneOf(field.answers, field.value, id=field.id)
                    else:
                        yield Input(field.value, placeholder=field.hint, id=field.id)
                yield Static(id="means", classes="means", markup=False)
            yield Static(id="trouble", classes="trouble", markup=False)
            yield Static(id="keys", classes="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#trouble").display = False
        self._tell_meaning()
        self.query_one(f"#{self._fields[0].id}").focus()

    def explain(self, means: Means) -> None:
        """Tell below the fields what the values mean, now and after every change; the form need not wait for it. What
        is told later stands below what was told before."""
        self._means.append(means)
        if self.is_mounted and not self.was_left:
            self._tell_meaning()

    @property
    def explanation(self) -> Text:
        text = Text().append(f"{self._title}\n\n", "bold")
        for field in self._fields:
            kind = f"one of {', '.join(field.answers)}" if field.answers else field.hint or "a line of text"
            text.append(f"{field.label}\n", "bold").append(
                f"   {kind}{'' if field.required else '; may be left out'}\n"
            )
        return text.append(
            "\nTab and the arrows up and down go from field to field, left and right choose an answer. Enter goes to "
            "the next field that is open, and accepts behind the last; F3 accepts at once. Esc goes back and records "
            "nothing."
        )

    @property
    def values(self) -> dict[str, str]:
        """What is filled in now."""
        return {field.id: self._value(field).strip() for field in self._fields}

    def on_descendant_focus(self) -> None:
        self._tell_keys()
        self.call_after_refresh(self._show_question)

    def on_one_of_changed(self) -> None:
        self._tell_keys()
        self._tell_meaning()

    def on_input_changed(self) -> None:
        self._tell_keys()
        self._tell_meaning()

    def on_input_submitted(self) -> None:
        self._go_on()

    def on_one_of_submitted(self) -> None:
        self._go_on()

    def action_accept(self) -> None:
        """Answer with the values, or go to the first field that still needs one and say so."""
        missing = [field for field in self._fields if field.required and not self._value(field).strip()]
        if not missing:
            self.dismiss(self.values)
            return
        self._say(f"Still needed: {', '.join(field.label.rstrip(':').lower() for field in missing)}.")
        self.query_one(f"#{missing[0].id}").focus()

    def action_leave(self) -> None:
        """Go back; what was typed is not dropped by one slip of a finger."""
        changed = self.values != {field.id: field.value for field in self._fields}
        if changed and not self._warned:
            self._warned = True
            self._say("Esc again drops what you filled in.")
            return
        self.dismiss(None)

    def _go_on(self) -> None:
        """Go to the next field below that is left open, or accept where there is none."""
        below = self._open_below()
        if below is None:
            self.action_accept()
        else:
            self.query_one(f"#{below.id}").focus()

    def _open_below(self) -> Field | None:
        """The first field below the focus that has no value and needs one, or asks for one of its answers."""
        ids = [field.id for field in self._fields]
        here = self.focused.id if self.focused is not None else None
        below = self._fields[ids.index(here) + 1 :] if here in ids else ()
        return next((one for one in below if (one.required or one.answers) and not self._value(one).strip()), None)

    def _tell_keys(self) -> None:
        enter = "Enter or F3 accepts" if self._open_below() is None else "Enter goes on, F3 accepts"
        self.query_one("#keys", Static).update(f"Tab next · ← → choose · {enter} · Esc goes back")

    def _tell_meaning(self) -> None:
        values = self.values
        words = "\n".join(said for means in self._means if (said := means(values)))
        shown = self.query_one("#means", Static)
        shown.display = bool(words)
        shown.update(words)

    def _show_question(self) -> None:
        """Scroll so that the question above the focused field is seen with it."""
        field = self.focused
        if field is None or field.id not in {one.id for one in self._fields}:
            return
        label = self.query_one(f"#label-{field.id}")
        region = label.virtual_region.union(field.virtual_region)
        self.query_one(VerticalScroll).scroll_to_region(region, animate=False)

    def _say(self, words: str) -> None:
        trouble = self.query_one("#trouble", Static)
        trouble.display = True
        trouble.update(words)

    def _value(self, field: Field) -> str:
        widget = self.query_one(f"#{field.id}")
        return widget.value if isinstance(widget, OneOf | Input) else ""

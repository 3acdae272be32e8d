"""Recover: drafts of a session that ended without saving, each beside the file as it is now."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from m4review.errors import M4ReviewError
from m4review.textfile import file_digest, read_text
from m4review.tui.actions import bindings_of
from m4review.tui.render.difference import show_difference
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.session import Draft
from m4review.tui.widgets.action_bar import ActionBar


class RecoverScreen(ActionScreen):
    """Lists claimed drafts; the one under the cursor is compared with the saved file."""

    room = "recover"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("recover")
    PLACES = (
        ("#drafts", "what was kept"),
        ("#difference", "against the file"),
    )
    DEFAULT_CSS = """
    RecoverScreen OptionList { height: auto; max-height: 6; border: none; }
    RecoverScreen #difference { height: 1fr; border-top: solid $primary; padding: 0 1; }
    RecoverScreen #difference Static { width: 100%; min-width: 20; }
    """

    def __init__(self, drafts: list[Draft]) -> None:
        super().__init__()
        self._drafts = drafts

    def compose(self) -> ComposeResult:
        yield Static("Unsaved text was found. Keep it or drop it.", classes="headline", markup=False)
        yield OptionList(id="drafts", markup=False)
        with VerticalScroll(id="difference"):
            yield Static(id="against-file", markup=False)
        yield ActionBar()

    def on_mount(self) -> None:
        self._fill()
        self.query_one("#drafts").focus()

    def why_not(self, action: str) -> str | None:
        if action in {"keep", "drop"} and self._current() is None:
            return "No draft is left."
        if action == "keep" and (draft := self._current()) and draft.skill not in self.bench.workspace.skill_names():
            return f"The skill {draft.skill} does not exist any more; copy what you need from the text below."
        return None

    def on_option_list_option_highlighted(self) -> None:
        self._show_current()
        self.refresh_bar()

    def do_keep(self) -> None:
        draft = self._current()
        assert draft is not None
        self._drafts.remove(draft)
        rest = self._drafts
        self.dismiss()
        self.bench.open_draft(draft)
        if rest:
            self.notify(f"{len(rest)} more kept for the next start.", markup=False)

    async def do_drop(self) -> None:
        draft = self._current()
        assert draft is not None
        choices = (
            Choice("back", "b", "Back; nothing is deleted"),
            Choice("delete", "y", f"Yes, delete the unsaved text of {draft.skill} for good"),
        )
        if await self.app.push_screen_wait(Question(f"Delete the draft of {draft.skill}?", choices)) == "delete":
            self.bench.journal.discard(draft)
            self._drafts.remove(draft)
            if not self._drafts:
                self.dismiss()
            else:
                self._fill()

    def do_later(self) -> None:
        self.dismiss()

    def _current(self) -> Draft | None:
        index = self.query_one("#drafts", OptionList).highlighted
        return self._drafts[index] if index is not None and index < len(self._drafts) else None

    def _fill(self) -> None:
        drafts = self.query_one("#drafts", OptionList)
        drafts.clear_options()
        drafts.add_options([Option(f"{draft.skill} · last typed {_moment(draft.at)}") for draft in self._drafts])
        drafts.highlighted = 0 if self._drafts else None

    def _show_current(self) -> None:
        draft = self._current()
        if draft is None:
            return
        path = self.bench.workspace.skill_file(draft.skill)
        try:
            saved = read_text(path).text
        except M4ReviewError as error:
            saved = ""
            self.bench.show_error(error)
        shown = show_difference(saved, draft.text).text
        shown = (
            shown
            if file_digest(path) == draft.base_digest
            else shown.append(
                "\n\nThe file was changed after this text was typed; saving will ask before it replaces anything.",
                "bold",
            )
        )
        self.query_one("#against-file", Static).update(shown)


def _moment(at: str) -> str:
    return at.replace("T", " ").removesuffix("+00:00") + " UTC"

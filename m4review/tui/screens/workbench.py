"""The workbench: one skill on its desk, and the ways from there to its file, its versions, reviews and trials."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.binding import BindingType

from m4review.tui.actions import bindings_of
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.editing import EditingDesk
from m4review.tui.screens.jumping import Place
from m4review.tui.screens.recording import Recordable, record
from m4review.tui.screens.saving import save
from m4review.tui.session.own_editor import edit_outside, editor_command


class WorkbenchScreen(EditingDesk):
    """Edits one skill."""

    room = "workbench"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("workbench")
    PLACES = (
        ("SkillEditor", "the text"),
        ("#find-words", "what is looked for"),
        ("#find-new", "what replaces it"),
    )

    def why_not(self, action: str) -> str | None:
        if action == "save" and not self.opened.unsaved:
            return "Everything is saved."
        if action == "reload" and not (self.opened.unsaved or self.opened.changed_on_disk()):
            return "The editor already shows what the file holds."
        if action == "editor" and self.bench.in_browser:
            return "Your own editor needs a terminal; in the browser the text is edited here."
        if action == "editor" and editor_command(self.bench.environment) is None:
            return "No editor is named; set the EDITOR variable, for example to nano, before you start m4review."
        if action == "trial" and not self.bench.workspace.tasks_of_skill(self.opened.name):
            return "No task card uses this skill, so there is nothing to run."
        if action == "review":
            return self.bench.why_not_review(self.opened.name)
        return super().why_not(action)

    def places(self) -> list[Place]:
        """The text with its find box, and every tab of the panel beside it."""
        tabs = self.panel.tab_places() if self.panel.region else ()
        return [*super().places(), *(Place(title, at, partial(self.panel.turn_to, tab)) for tab, title, at in tabs)]

    async def do_save(self) -> bool:
        """Save; whether editor and file agree afterwards."""
        self.take_in()
        mine = self.opened.text
        if not await save(self, self.opened):
            return False
        if self.opened.text != mine:
            self.editor.take_text(self.opened.text)
        self.keep_draft()
        self.show_state()
        self.notify("Saved.", markup=False, timeout=2)
        return True

    async def do_record(self) -> None:
        opened = self.opened
        lint = partial(self.live_lint.check, opened.text, opened.version)
        await record(self, Recordable(opened.name, not opened.unsaved, lint, self._bring_to_file))
        if self.panel.tab == "reviews":
            await self.show_record("reviews")

    async def _bring_to_file(self) -> bool:
        """Save where the file does not hold the text; a file that somebody else wrote meanwhile is asked about."""
        is_there = not self.opened.unsaved and not self.opened.changed_on_disk()
        return is_there or await self.do_save()

    def do_review(self) -> None:
        self.bench.open_review(self.opened.name)

    def do_trial(self) -> None:
        self.bench.open_trial(skill=self.opened.name, unsaved=self.opened.unsaved)

    def do_compare(self) -> None:
        self.bench.open_compare(self.opened.name)

    def do_editor(self) -> None:
        command = editor_command(self.bench.environment)
        assert command is not None
        self.keep_draft()
        self.editor.take_text(edit_outside(self.app, command, self.opened))
        self.editor.focus()

    async def do_identity(self) -> None:
        await self.bench.ask_identity()

    async def do_reload(self) -> None:
        self.opened.take_from_disk()
        self.editor.take_text(self.opened.text)
        self.show_state()

    async def do_back(self) -> None:
        if await self.settle():
            self.dismiss()

    async def settle(self) -> bool:
        """Ask what becomes of unsaved text before the screen closes; whether it may close."""
        self.take_in()
        if self.opened.unsaved:
            answer = await self.app.push_screen_wait(
                Question(
                    f"The text of {self.opened.name} is not saved.",
                    (
                        Choice("save", "s", "Save it to the file"),
                        Choice("draft", "k", "Keep it as a draft; it is offered again at the next start"),
                        Choice("discard", "d", "Discard it; what was typed since the last save is gone"),
                        Choice("back", "b", "Back to the text"),
                    ),
                )
            )
            if answer == "save":
                return await self.do_save()
            if answer == "draft":
                self.keep_draft()
                return True
            if answer != "discard":
                return False
        self.bench.journal.drop(self.opened.name, self.opened.version)
        return True

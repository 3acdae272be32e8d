"""The workbench: one skill in the editor, the lint following, and beside it what the skill is for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static, TabbedContent, TextArea

from m4review.errors import M4ReviewError
from m4review.tui.actions import bindings_of
from m4review.tui.render.cards import preview, task_cards
from m4review.tui.render.findings import next_after
from m4review.tui.render.messageline import message_line
from m4review.tui.render.states import status_text
from m4review.tui.render.trials import history_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Choice, LineOfText, Question
from m4review.tui.screens.recording import record
from m4review.tui.screens.saving import save
from m4review.tui.session import OpenedSkill
from m4review.tui.session.checking import Checked, LiveLint
from m4review.tui.session.declaring import LiveCompleteness
from m4review.tui.session.own_editor import edit_outside, editor_command
from m4review.tui.session.packet import review_state
from m4review.tui.session.trial_setup import earlier_trials
from m4review.tui.widgets.action_bar import ActionBar
from m4review.tui.widgets.find_bar import FindBar
from m4review.tui.widgets.skill_editor import SkillEditor
from m4review.tui.widgets.skill_panel import SkillPanel

if TYPE_CHECKING:
    from m4review.lint import Finding
    from m4review.skills.unclear import UnclearPlace

LINT_PAUSE, JOURNAL_PAUSE, PREVIEW_PAUSE = 0.15, 1.0, 0.4
"""Seconds without a keystroke before the lint and the preview follow; seconds from an edit to its draft on disk."""


class WorkbenchScreen(ActionScreen):
    """Edits one skill. The text lives in ``opened``; the editor shows it, the journal follows it."""

    room = "workbench"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("workbench")
    DEFAULT_CSS = """
    WorkbenchScreen #desk { height: 1fr; layout: vertical; }
    WorkbenchScreen #writing { height: 3fr; min-width: 20; }
    WorkbenchScreen SkillPanel { height: 2fr; border-top: solid $primary; }
    WorkbenchScreen.-wide #desk { layout: horizontal; }
    WorkbenchScreen.-wide #writing { width: 3fr; height: 100%; }
    WorkbenchScreen.-wide SkillPanel { width: 2fr; height: 100%; border-top: none; border-left: solid $primary; }
    WorkbenchScreen.-low SkillPanel { display: none; }
    WorkbenchScreen SkillPanel.-hidden { display: none; }
    WorkbenchScreen #message { height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    class Linted(Message):
        """A worker has checked one version of the text."""

        def __init__(self, checked: Checked) -> None:
            super().__init__()
            self.checked = checked

    def __init__(self, opened: OpenedSkill, draft: str | None = None) -> None:
        super().__init__()
        self.opened = opened
        self._draft = draft
        self._checked = Checked(0, ())
        self._unclear: tuple[UnclearPlace, ...] = ()
        self._pauses: dict[str, Timer] = {}

    # -- what is shown --------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield Static(classes="headline", id="where", markup=False)
        with Container(id="desk"):
            with Vertical(id="writing"):
                editor = SkillEditor(self.opened.text)
                yield editor
                yield FindBar(editor)
                yield Static(id="message", markup=False)
            yield SkillPanel()
        yield ActionBar()

    def on_mount(self) -> None:
        self._live_lint = LiveLint(self.bench.workspace, self.opened.name)
        if self._draft is not None:
            self.editor.take_text(self._draft)
        self.editor.focus()
        self.editor.ignore_keys_until_now()
        for notice in self.opened.notices:
            self.notify(notice, severity="warning", markup=False)
        self.panel.show("card", task_cards(self.bench.workspace.tasks_of_skill(self.opened.name)))
        self._live_completeness = LiveCompleteness(self.bench.workspace, self.opened.name, self.bench.environment)
        self.call_after_refresh(self._lint)
        self.call_after_refresh(self.start, self._look_up_items, "items")
        self.call_after_refresh(self._show_state)

    @property
    def editor(self) -> SkillEditor:
        return self.query_one(SkillEditor)

    @property
    def panel(self) -> SkillPanel:
        return self.query_one(SkillPanel)

    @property
    def is_standing(self) -> bool:
        """Whether a worker's answer can be shown: not while the screen is being built or taken down."""
        parts = ("#where", "#message", "SkillEditor")
        return all(self.query(part) for part in parts) and any(panel.is_ready for panel in self.query(SkillPanel))

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self._checked.findings

    def why_not(self, action: str) -> str | None:
        if action == "save" and not self.opened.unsaved:
            return "Everything is saved."
        if action == "reload" and not (self.opened.unsaved or self.opened.changed_on_disk()):
            return "The editor already shows what the file holds."
        if action in {"next_finding", "previous_finding"} and not self.findings:
            return "The lint has no findings in this text."
        if action == "editor" and self.bench.in_browser:
            return "Your own editor needs a terminal; in the browser the text is edited here."
        if action == "editor" and editor_command(self.bench.environment) is None:
            return "No editor is named; set the EDITOR variable, for example to nano, before you start m4review."
        if action == "trial" and not self.bench.workspace.tasks_of_skill(self.opened.name):
            return "No task card uses this skill, so there is nothing to run."
        if action == "review":
            return self.bench.why_not_review(self.opened.name)
        return None

    def _show_state(self) -> None:
        if not self.is_standing:
            return
        saved = "* not saved" if self.opened.unsaved else "saved"
        who = self.bench.reviewer.id if self.bench.reviewer else "just looking"
        self.query_one("#where", Static).update(f"{self.opened.name} · {saved} · {who}")
        line, column = self.editor.cursor_location
        message = message_line(self._checked, self._unclear, line + 1, column + 1)
        self.query_one("#message", Static).update(message)
        self.refresh_bar()

    # -- following the text ---------------------------------------------------------------------------------------

    def on_text_area_changed(self) -> None:
        if not self.opened.edit(self.editor.text):
            return
        self._after(LINT_PAUSE, "lint", self._lint)
        self._after(PREVIEW_PAUSE, "preview", self._show_preview)
        self._after(PREVIEW_PAUSE, "completeness", self._show_completeness)
        if "journal" not in self._pauses:
            self._pauses["journal"] = self.set_timer(JOURNAL_PAUSE, self._journal)
        self._show_state()

    def on_text_area_selection_changed(self, _event: TextArea.SelectionChanged) -> None:
        self._show_state()

    def on_descendant_blur(self) -> None:
        self._journal()

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        if event.pane.id == "preview":
            self._show_preview()
        elif event.pane.id in {"reviews", "trials"}:
            self.start(partial(self._show_record, event.pane.id), event.pane.id)

    def on_workbench_screen_linted(self, message: Linted) -> None:
        if message.checked.version != self.opened.version or not self.is_standing:
            return
        self._checked = message.checked
        self.editor.show_findings(self.findings)
        self.panel.show_findings(self.findings, self._checked.waived)
        self._show_state()

    def on_skill_panel_line_chosen(self, message: SkillPanel.LineChosen) -> None:
        self.editor.go_to(message.line, 1)
        self.editor.focus()

    def on_skill_panel_finding_chosen(self, message: SkillPanel.FindingChosen) -> None:
        self.editor.go_to(message.finding.line, message.finding.column)
        self.editor.focus()

    def keep_draft(self) -> bool:
        """Bring the journal up to date with the text, now; whether there is unsaved text in it.

        Raises:
            TextFileError: the draft could not be written.
        """
        if not self.opened.unsaved:
            self.bench.journal.drop(self.opened.name, self.opened.version)
            return False
        opened = self.opened
        self.bench.journal.keep(opened.name, opened.text, opened.base.digest, opened.version)
        return True

    def identity_changed(self) -> None:
        self._show_state()

    def keep_unfinished(self) -> str | None:
        kept = self.keep_draft()
        return f"The unsaved text of {self.opened.name} is kept and offered at the next start." if kept else None

    def _journal(self) -> None:
        self._pauses.pop("journal", None)
        self.start(partial(self.in_thread, self.keep_draft), "journal")

    def _lint(self) -> None:
        check = partial(self._check, self.opened.text, self.opened.version)
        self.run_worker(check, thread=True, exclusive=True, group="lint")

    def _check(self, text: str, version: int) -> None:
        self.post_message(self.Linted(self._live_lint.check(text, version)))

    async def _show_record(self, tab: str) -> None:
        """Fill the tab of reviews or of trials; both are read when somebody looks at them."""
        workspace, viewer = self.bench.workspace, self.bench.reviewer.id if self.bench.reviewer else None
        if tab == "reviews":
            content = status_text(await self.in_thread(review_state, workspace, self.opened.name, viewer))
        else:
            content = history_text(await self.in_thread(earlier_trials, workspace, self.opened.name))
        self.panel.show(tab, content)

    def _show_preview(self) -> None:
        if self.panel.tab == "preview":
            self.panel.show("preview", preview(self.opened.text))

    def _show_completeness(self) -> None:
        self.start(self._read_completeness, "completeness")

    async def _look_up_items(self) -> None:
        await self._read_completeness()
        await self.in_thread(self._live_completeness.load_items)
        await self._read_completeness()

    async def _read_completeness(self) -> None:
        version = self.opened.version
        result = await self.in_thread(self._live_completeness.check, self.opened.text)
        if version == self.opened.version and self.is_standing:
            self._unclear = () if isinstance(result, M4ReviewError) else result.unclear
            self.editor.show_unclear(frozenset(place.line for place in self._unclear))
            self.panel.show_completeness(result)
            self._show_state()

    def _after(self, pause: float, name: str, action: Callable[[], None]) -> None:
        if name in self._pauses:
            self._pauses[name].stop()
        self._pauses[name] = self.set_timer(pause, action)

    # -- actions --------------------------------------------------------------------------------------------------

    async def do_save(self) -> bool:
        """Save; whether editor and file agree afterwards."""
        if not await save(self, self.opened):
            return False
        if self.editor.text != self.opened.text:
            self.editor.take_text(self.opened.text)
        self.keep_draft()
        self._show_state()
        self.notify("Saved.", markup=False, timeout=2)
        return True

    async def do_record(self) -> None:
        if self.opened.unsaved and not await self.do_save():
            return
        await record(self, self.opened.name)
        if self.panel.tab == "reviews":
            await self._show_record("reviews")

    def do_review(self) -> None:
        self.bench.open_review(self.opened.name)

    def do_trial(self) -> None:
        self.bench.open_trial(skill=self.opened.name, unsaved=self.opened.unsaved)

    def do_compare(self) -> None:
        self.bench.open_compare(self.opened.name)

    def do_next_finding(self, backwards: bool = False) -> None:
        line, column = self.editor.cursor_location
        finding = next_after(self.findings, line + 1, column + 1, backwards=backwards)
        if finding is not None:
            self.editor.go_to(finding.line, finding.column)
            self.editor.focus()

    def do_previous_finding(self) -> None:
        self.do_next_finding(backwards=True)

    def do_find(self) -> None:
        self.query_one(FindBar).open()

    async def do_go_to_line(self) -> None:
        answer = await self.app.push_screen_wait(
            LineOfText(f"Go to line (1 to {self.editor.document.line_count})", "line number")
        )
        if answer is None:
            return
        if answer.strip().isascii() and answer.strip().isdigit():
            self.editor.go_to(int(answer))
        else:
            self.notify(f"“{answer}” is not a line number.", severity="warning", markup=False)

    def do_editor(self) -> None:
        command = editor_command(self.bench.environment)
        assert command is not None
        self.keep_draft()
        self.editor.take_text(edit_outside(self.app, command, self.opened))
        self.editor.focus()

    def do_panel(self) -> None:
        self.panel.toggle_class("-hidden")
        self.editor.focus()

    def do_next_tab(self) -> None:
        self.panel.remove_class("-hidden")
        self.panel.next_tab()

    async def do_reload(self) -> None:
        self.opened.take_from_disk()
        self.editor.take_text(self.opened.text)
        self._show_state()

    async def do_back(self) -> None:
        if await self.settle():
            self.dismiss()

    async def settle(self) -> bool:
        """Ask what becomes of unsaved text before the screen closes; whether it may close."""
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

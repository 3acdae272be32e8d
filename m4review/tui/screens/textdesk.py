"""The desk of one text: the editor, what follows the typing beside it, and the draft that no crash can take."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static, TabbedContent, TextArea

from m4review.errors import M4ReviewError
from m4review.tui.render.cards import task_cards
from m4review.tui.render.messageline import message_line
from m4review.tui.render.preview import laid_out, preview_at
from m4review.tui.render.states import status_text
from m4review.tui.render.trials import history_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.session import OpenedSkill
from m4review.tui.session.checking import Checked, LiveLint
from m4review.tui.session.declaring import LiveCompleteness
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
HAND_OVER = 0.0005
"""Seconds after which a check that runs beside the typing hands the interpreter over; Python's own would be ten times
that, at each of the many steps from a key to the screen."""


class TextDesk(ActionScreen):
    """One skill's text lives in ``opened``; the editor shows it, the journal follows it.

    Whatever takes longer than a moment is computed by a worker from a version of the text, and is shown only while
    that is still the text.
    """

    DEFAULT_CSS = """
    TextDesk #desk { height: 1fr; layout: vertical; }
    TextDesk #writing { height: 3fr; min-width: 20; }
    TextDesk SkillPanel { height: 2fr; border-top: solid $primary; }
    TextDesk.-wide #desk { layout: horizontal; }
    TextDesk.-wide #writing { width: 3fr; height: 100%; }
    TextDesk.-wide SkillPanel { width: 2fr; height: 100%; border-top: none; border-left: solid $primary; }
    TextDesk.-low SkillPanel { display: none; }
    TextDesk SkillPanel.-hidden { display: none; }
    TextDesk #message { height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
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
        self._told_of = opened.base.digest
        self._where = Static(classes="headline", id="where", markup=False)
        self.editor = SkillEditor(opened.text)
        self._message = Static(id="message", markup=False)
        self.panel = SkillPanel()
        self._state_is_due = False
        self._previewed = (0, -1)

    # -- what is shown --------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield self._where
        with Container(id="desk"):
            with Vertical(id="writing"):
                yield self.editor
                yield FindBar(self.editor)
                yield self._message
            yield self.panel
        yield ActionBar()

    def on_mount(self) -> None:
        sys.setswitchinterval(HAND_OVER)
        if self._draft is not None:
            self.editor.take_text(self._draft)
        self.editor.focus()
        self.editor.ignore_keys_until_now()
        for notice in self.opened.notices:
            self.notify(notice, severity="warning", markup=False)
        self.panel.show("card", task_cards(self.bench.workspace.tasks_of_skill(self.opened.name)))
        self.call_after_refresh(self._lint)
        self.call_after_refresh(self.start, self._look_up_items, "items")
        self.call_after_refresh(self.show_state)

    @cached_property
    def live_lint(self) -> LiveLint:
        """The lint of this text. Made when it is first asked for: a key may come before the desk stands."""
        return LiveLint(self.bench.workspace, self.opened.name)

    @cached_property
    def _live_completeness(self) -> LiveCompleteness:
        return LiveCompleteness(self.bench.workspace, self.opened.name, self.bench.environment)

    @property
    def is_standing(self) -> bool:
        """Whether a worker's answer can be shown: not while the screen is being built or taken down."""
        return all(part.is_attached for part in (self._where, self._message, self.editor)) and self.panel.is_ready

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self._checked.findings

    def show_state(self) -> None:
        """Say in the headline whose text this is and whether it is saved, and below it what is said of the line.

        However often it is asked for, it is done once, after the editor has been drawn.
        """
        if not self._state_is_due:
            self._state_is_due = self.call_after_refresh(self._draw_state)

    def on_screen_resume(self) -> None:
        # What was to be drawn after the next refresh is lost where that was a refresh of the screen above.
        self._state_is_due = False
        self.show_state()

    def _draw_state(self) -> None:
        self._state_is_due = False
        if not self.is_standing:
            return
        saved = "* not saved" if self.opened.unsaved else "saved"
        who = self.bench.reviewer.id if self.bench.reviewer else "just looking"
        self._where.update(f"{self.opened.name} · {saved} · {who}", layout=False)
        line, column = self.editor.cursor_location
        message = message_line(self._checked, self._unclear, line + 1, column + 1)
        self._message.update(message, layout=False)
        self.refresh_bar()

    # -- following the text ---------------------------------------------------------------------------------------

    def on_text_area_changed(self) -> None:
        self.take_in()

    def action_perform(self, name: str) -> None:
        self.take_in()
        super().action_perform(name)

    def take_in(self) -> None:
        """Hold what the editor shows, also what was typed a moment ago and is not told of yet."""
        if not self.is_standing or not self.opened.edit(self.editor.text):
            return
        self._after(LINT_PAUSE, "lint", self._lint)
        self._after(PREVIEW_PAUSE, "preview", self._show_preview)
        self._after(PREVIEW_PAUSE, "completeness", self._show_completeness)
        if "journal" not in self._pauses:
            self._pauses["journal"] = self.set_timer(JOURNAL_PAUSE, self._journal)
        self.show_state()

    def on_text_area_selection_changed(self, _event: TextArea.SelectionChanged) -> None:
        self.show_state()
        if self.panel.tab == "preview" and not self._preview_holds(self.editor.cursor_location[0] + 1):
            self._after(PREVIEW_PAUSE, "preview", self._show_preview)

    def on_descendant_blur(self) -> None:
        self._journal()

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        if event.pane.id == "preview":
            self.call_after_refresh(self._show_preview)
        elif event.pane.id in {"reviews", "trials"}:
            self.start(partial(self.show_record, event.pane.id), event.pane.id)

    def on_text_desk_linted(self, message: Linted) -> None:
        if message.checked.version != self.opened.version or not self.is_standing:
            return
        self._checked = message.checked
        self.editor.show_findings(self.findings)
        self.panel.show_findings(self.findings, self._checked.waived)
        self.show_state()

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
        self.show_state()

    def keep_unfinished(self) -> str | None:
        self.take_in()
        kept = self.keep_draft()
        return f"The unsaved text of {self.opened.name} is kept and offered at the next start." if kept else None

    def _journal(self) -> None:
        self._pauses.pop("journal", None)
        self.start(partial(self.in_thread, self.keep_draft), "journal")

    def _lint(self) -> None:
        self.start(partial(self._check, self.opened.text, self.opened.version), "lint")

    async def _check(self, text: str, version: int) -> None:
        # Not a thread worker: a thread of the pool remembers the last of these, and with it the screen.
        self.post_message(self.Linted(await self.in_thread(self.live_lint.check, text, version)))

    async def show_record(self, tab: str) -> None:
        """Fill the tab of reviews or of trials; both are read when somebody looks at them."""
        workspace, viewer = self.bench.workspace, self.bench.reviewer.id if self.bench.reviewer else None
        if tab == "reviews":
            status = await self.in_thread(review_state, workspace, self.opened.name, viewer)
            content = status_text(status)
            if not status.verdicts:
                content.append(" F2 records this text as a version, F3 reviews it.")
        else:
            trials = await self.in_thread(earlier_trials, workspace, self.opened.name)
            content = history_text(trials)
            if not trials:
                content.append(" F5 runs a task without and with this skill, and tells whether it helps.")
        self.panel.show(tab, content)

    def _show_preview(self) -> None:
        if self.is_standing and self.panel.tab == "preview":
            self.start(self._lay_out_preview, "preview")

    async def _lay_out_preview(self) -> None:
        version, line = self.opened.version, self.editor.cursor_location[0] + 1
        part = await self.in_thread(preview_at, self.opened.text, line)
        shown = await self.in_thread(laid_out, part.shown, self.panel.preview_width)
        if version == self.opened.version and self.is_standing:
            self._previewed = (part.first, part.last)
            self.panel.show("preview", shown)

    def _preview_holds(self, line: int) -> bool:
        return self._previewed[0] <= line <= self._previewed[1]

    def window_looked_at(self) -> None:
        if self.is_standing:
            self.start(self._look_at_disk, "disk")

    async def _look_at_disk(self) -> None:
        """Tell once when somebody else wrote the file while this window was not looked at."""
        digest = await self.in_thread(self.opened.digest_on_disk)
        if digest not in {self.opened.base.digest, self._told_of}:
            self._told_of = digest
            what = "was changed" if digest else "was deleted"
            self.notify(
                f"The file of {self.opened.name} {what} outside of this window. Saving shows the difference and asks; "
                "F9 takes the file's text instead of yours.",
                severity="warning",
                timeout=10,
                markup=False,
            )

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
            self.show_state()

    def _after(self, pause: float, name: str, action: Callable[[], None]) -> None:
        if name in self._pauses:
            self._pauses[name].stop()
        self._pauses[name] = self.set_timer(pause, action)

"""Review: read the packet, decide per scope, give a verdict whose meaning is spelled out before it counts."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.events import Key
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from m4review.errors import M4ReviewError
from m4review.lint import LintRefusal
from m4review.reviews import Decision, LookedAt, record_verdict
from m4review.tui.actions import bindings_of
from m4review.tui.render.ballot import HINT, LETTERS, ballot_line, following, undecided
from m4review.tui.render.cards import preview, task_cards
from m4review.tui.render.difference import lay_out
from m4review.tui.render.findings import listing
from m4review.tui.render.states import state_line, status_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Choice, Question, Reading
from m4review.tui.session.packet import Packet, load_packet
from m4review.tui.widgets.action_bar import ActionBar
from m4review.workspace import Scope

VIEWS: dict[str, str] = {
    "changes": "what changed since your last verdict",
    "text": "the whole text",
    "cards": "the task cards",
    "verdicts": "state and verdicts",
}
SEEN: dict[str, LookedAt] = {"changes": "diff", "text": "rendered"}


class ReviewScreen(ActionScreen):
    """One skill under review by one reviewer. Nothing counts before the last question is answered with yes."""

    room = "review"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("review")
    DEFAULT_CSS = """
    ReviewScreen #packet { height: 1fr; layout: vertical; }
    ReviewScreen #view { height: 1fr; min-width: 20; padding: 0 1; }
    ReviewScreen #view Static { width: 100%; min-width: 10; }
    ReviewScreen #view-name { height: 1; padding: 0 1; background: $panel; }
    ReviewScreen #ballot { height: auto; border-top: solid $primary; padding: 0 1; }
    ReviewScreen #scopes { height: auto; }
    ReviewScreen .hint { color: $text-muted; height: auto; }
    ReviewScreen #notes { height: 3; border: none; padding: 0; }
    ReviewScreen #conflict { height: 1; border: none; padding: 0; }
    ReviewScreen.-wide #packet { layout: horizontal; }
    ReviewScreen.-wide #reading { width: 3fr; height: 100%; }
    ReviewScreen.-wide #ballot { width: 2fr; height: 100%; border-top: none; border-left: solid $primary; }
    ReviewScreen.-wide #notes { height: 1fr; }
    """

    def __init__(self, skill: str) -> None:
        super().__init__()
        self.skill = skill
        self._packet: Packet | None = None
        self._decisions: dict[Scope, Decision] = {}
        self._view_shown = "text"
        self._seen: dict[LookedAt, None] = {}

    def compose(self) -> ComposeResult:
        yield Static(f"Review · {self.skill}", classes="headline", id="where", markup=False)
        with Container(id="packet"):
            with Vertical(id="reading"):
                yield Static("Reading the packet …", id="view-name", markup=False)
                with VerticalScroll(id="view"):
                    yield Static(id="view-text", markup=False)
            with Vertical(id="ballot"):
                yield Static(HINT, classes="hint", id="ballot-hint", markup=False)
                yield OptionList(id="scopes", markup=False)
                yield Static("Notes (kept with the verdict, readable by all):", classes="hint", markup=False)
                yield TextArea(id="notes", tab_behavior="focus")
                yield Input(placeholder="conflict of interest: empty means none", id="conflict")
        yield ActionBar()

    def on_mount(self) -> None:
        self.query_one("#view").focus()
        self.start(self._load, "load")

    def why_not(self, action: str) -> str | None:
        if self._packet is None:
            return None if action in {"help", "back", "quit"} else "Still reading the packet."
        if action == "submit":
            if self._packet.refusal is not None:
                refusal = self._packet.refusal
                return refusal.what + (f" To fix: {refusal.fix}" if refusal.fix else "")
            missing = undecided(self._packet.scopes, self._decisions)
            if missing:
                return f"Decide on {', '.join(missing)} first: {HINT}."
        return None

    # -- actions --------------------------------------------------------------------------------------------------

    def do_view(self) -> None:
        names = [name for name in VIEWS if name != "changes" or (self._packet and self._packet.since_mine)]
        position = names.index(self._view_shown) + 1 if self._view_shown in names else 0
        self._show_view(names[position % len(names)])

    def do_compare(self) -> None:
        self.bench.open_compare(self.skill)

    async def do_submit(self) -> None:
        packet, reviewer = self._packet, self.bench.reviewer
        assert packet is not None
        assert reviewer is not None
        notes = self.query_one("#notes", TextArea).text.strip()
        conflict = self.query_one("#conflict", Input).value.strip()
        body = Text(packet.meaning(reviewer.id, self._decisions, conflict))
        if notes:
            body.append(f"\n\nYour notes: {notes}")
        if packet.replaces:
            body.append("\n\nThis replaces the verdict you gave on the same text.", "bold")
        choices = (
            Choice("back", "b", "Back; nothing is recorded"),
            Choice("give", "y", f"Yes, this is my verdict as {reviewer.id}"),
        )
        if await self.app.push_screen_wait(Question("This is what your verdict says:", choices, body)) != "give":
            return
        try:
            give = partial(record_verdict, self.bench.workspace, self.skill, reviewer.id, dict(self._decisions), notes)
            give = partial(give, looked_at=tuple(self._seen), replace=packet.replaces)
            await self.in_thread(partial(give, conflict_of_interest=conflict) if conflict else give)
        except LintRefusal as refusal:
            text = Text(f"{refusal.what}\n\n").append_text(listing(refusal.report.errors))
            await self.app.push_screen_wait(Reading("The notes may not be recorded. Nothing was recorded.", text))
            return
        self.notify(f"Your verdict on {self.skill} is recorded.", markup=False)
        self.query_one("#notes", TextArea).clear()
        await self._load()
        self._show_view("verdicts")

    async def do_back(self) -> None:
        notes = self.query_one("#notes", TextArea).text.strip()
        if notes or self._decisions:
            choices = (
                Choice("back", "b", "Back to the review"),
                Choice("leave", "l", "Leave; the decisions and notes that were not given are gone"),
            )
            if await self.app.push_screen_wait(Question("Your verdict is not given yet.", choices)) != "leave":
                return
        self.dismiss()

    # -- events ---------------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        scopes = self.query_one("#scopes", OptionList)
        if scopes.has_focus and event.character in LETTERS:
            event.stop()
            self._decide(LETTERS[event.character])
            scopes.action_cursor_down()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self._packet is not None:
            self._decide(following(self._decisions.get(self._packet.scopes[event.option_index])))

    # -- filling --------------------------------------------------------------------------------------------------

    async def _load(self) -> None:
        workspace = self.bench.fresh_workspace()
        try:
            packet = await self.in_thread(load_packet, workspace, self.skill, self.bench.reviewer, datetime.now(UTC))
        except M4ReviewError as error:
            self.query_one("#view-name", Static).update(f"This skill cannot be reviewed: {error.what}")
            raise
        self._packet = packet
        who = self.bench.reviewer.id if self.bench.reviewer else "just looking"
        self.query_one("#where", Static).update(f"Review · {self.skill} · {who} · {state_line(packet.status).plain}")
        self._decisions = {}
        given = "You gave a verdict on this text; a new one replaces it. " if packet.replaces else ""
        self.query_one("#ballot-hint", Static).update(given + HINT)
        self._show_ballot()
        self._show_view("changes" if packet.since_mine is not None else "text")
        self.refresh_bar()

    def _decide(self, decision: Decision) -> None:
        position = self.query_one("#scopes", OptionList).highlighted
        if self._packet is None or position is None:
            return
        self._decisions[self._packet.scopes[position]] = decision
        self._show_ballot()
        self.refresh_bar()

    def _show_ballot(self) -> None:
        assert self._packet is not None
        scopes = self.query_one("#scopes", OptionList)
        position = scopes.highlighted or 0
        scopes.clear_options()
        scopes.add_options(
            [Option(ballot_line(scope, self._decisions.get(scope)), id=scope) for scope in self._packet.scopes]
        )
        scopes.highlighted = position

    def _show_view(self, view: str) -> None:
        assert self._packet is not None
        self._view_shown = view
        if view in SEEN:
            self._seen[SEEN[view]] = None
        self.query_one("#view-text", Static).update(self._content(view, self._packet))
        self.query_one("#view", VerticalScroll).scroll_home(animate=False)
        self.query_one("#view-name", Static).update(f"{VIEWS[view].capitalize()} · Ctrl+T: other view · Tab: decide")

    def _content(self, view: str, packet: Packet) -> RenderableType:
        if view == "changes" and packet.since_mine is not None:
            if packet.since_mine.is_equal:
                return Text("Nothing in the text has changed since your last verdict.")
            return lay_out(packet.since_mine).text
        if view == "cards":
            return task_cards(packet.tasks)
        if view == "verdicts":
            return status_text(packet.status)
        head = Text(packet.why_no_change, "italic")
        if packet.refusal is not None:
            head = Text(f"You cannot give a verdict now: {packet.refusal.what}", "bold")
        return Group(head, preview(packet.text)) if head.plain else preview(packet.text)

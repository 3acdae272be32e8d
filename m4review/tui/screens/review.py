"""Review: read the packet, decide per scope, give a verdict whose meaning is spelled out before it counts."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.events import Key, Resize
from textual.widgets import OptionList, Static, TextArea

from m4review.errors import M4ReviewError, ReadAnotherTextError
from m4review.reviews import NO_CONFLICT, LookedAt
from m4review.reviews.verdicts import Said
from m4review.tui.actions import bindings_of
from m4review.tui.render.ballot import HINT, undecided
from m4review.tui.render.notices import notice_of, review_headline
from m4review.tui.render.reasons import reason_of
from m4review.tui.screens.begunverdict import BegunVerdict
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.duties import remark
from m4review.tui.screens.remarks import answer_questions, discuss_finding, write_finding
from m4review.tui.screens.voting import give_verdict
from m4review.tui.session.packet import load_packet
from m4review.tui.widgets.action_bar import ActionBar
from m4review.tui.widgets.ballot import Ballot
from m4review.tui.widgets.packet_view import PacketView

SEEN: dict[str, LookedAt] = {"changes": "diff", "text": "text", "rendered": "rendered", "trials": "trial"}
TEXT_CHANGED = "The text or one of its task cards was changed meanwhile: read it again, and decide anew."
BALLOT_ACTIONS = {"submit", "finding", "checklist"}


class ReviewScreen(BegunVerdict):
    """One skill under review by one reviewer. Nothing counts before the last question is answered with yes."""

    room = "review"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("review")
    PLACES = (
        ("PacketView ContentSwitcher > *", "what is read"),
        ("#scopes", "your decisions"),
        ("#notes", "your notes"),
        ("#conflict", "conflict of interest"),
    )
    DEFAULT_CSS = """
    ReviewScreen #packet { height: 1fr; layout: vertical; }
    ReviewScreen #note { height: auto; max-height: 3; padding: 0 1; text-style: italic; }
    ReviewScreen.-low #note { max-height: 1; }
    ReviewScreen.-low Ballot .hint { display: none; }
    ReviewScreen.-low Ballot { max-height: 2; overflow-y: auto; }
    ReviewScreen.-low Ballot:focus-within { max-height: 6; }
    ReviewScreen.-wide #packet { layout: horizontal; }
    ReviewScreen.-wide #reading { width: 3fr; height: 100%; }
    ReviewScreen.-wide Ballot { width: 2fr; height: 100%; border-top: none; border-left: solid $primary; }
    ReviewScreen.-wide #notes { height: 1fr; }
    """

    def __init__(self, skill: str) -> None:
        super().__init__(skill)
        self._seen: dict[LookedAt, None] = {}
        self._was_away = False

    def compose(self) -> ComposeResult:
        yield Static(f"Review · {self.skill}", classes="headline", id="where", markup=False)
        with Container(id="packet"):
            with Vertical(id="reading"):
                yield Static("Reading the packet …", id="note", markup=False)
                yield PacketView()
            yield Ballot()
        yield ActionBar()

    def on_mount(self) -> None:
        self.start(self._load, "load")

    @property
    def packet_view(self) -> PacketView:
        return self.query_one(PacketView)

    def why_not(self, action: str) -> str | None:
        packet = self.packet
        if packet is None:
            return None if action in {"help", "back", "quit"} else "Still reading the packet."
        if action in BALLOT_ACTIONS and packet.refusal is not None:
            return reason_of(packet.refusal)
        if action == "identity" and self.ballot.is_begun:
            return "A verdict is begun here; give it, or go back and keep or drop it, before somebody else judges."
        if action == "submit":
            missing = undecided(packet.scopes, self.ballot.decisions)
            return f"Decide on {', '.join(missing)} first: {HINT}." if missing else None
        if action == "checklist" and not packet.questions:
            return "There is no checklist: no list item in a file under reviews/checklists."
        refusal = packet.refusals.get(action)
        return None if refusal is None else reason_of(refusal)

    # -- actions --------------------------------------------------------------------------------------------------

    def do_view(self) -> None:
        self.action_show_view(self.packet_view.following)

    def do_compare(self) -> None:
        self.bench.open_compare(self.skill)

    def do_consensus(self) -> None:
        self._was_away = True
        self.bench.open_consensus(self.skill)

    async def do_finding(self) -> None:
        packet = self.require_packet()
        finding = await write_finding(
            self, packet.text, self.packet_view.passage, packet.policy.scopes, self.ballot.findings
        )
        if finding is not None:
            self.ballot.findings.append(finding)
            self._show_remarks()
            self.on_ballot_changed()

    async def do_checklist(self) -> None:
        answers = await answer_questions(self, self.require_packet().questions, self.ballot.answers)
        if answers is not None:
            self.ballot.take_answers(answers)

    async def do_submit(self) -> None:
        packet, ballot = self.require_packet(), self.ballot
        said = Said(
            dict(ballot.decisions),
            ballot.notes,
            tuple(self._seen),
            ballot.conflict or NO_CONFLICT,
            tuple(ballot.findings),
            dict(ballot.answers),
            packet.replaces,
            packet.read,
        )
        try:
            is_given = await give_verdict(self, packet, said)
        except ReadAnotherTextError as error:
            self.bench.show_error(error)
            await self._begin_anew()
            return
        if not is_given:
            return
        self.drop_kept()
        self._start_over()
        await self._load()
        self.action_show_view("state")

    async def do_comment(self) -> None:
        await self.then_read_again(remark(self, self.skill, self.packet_view.passage))

    async def do_identity(self) -> None:
        await self.bench.ask_identity()

    async def do_back(self) -> None:
        if await self.settle():
            self.dismiss()

    def identity_changed(self) -> None:
        self.packet = None
        self._seen = {}
        self.packet_view.put_away()
        self.ballot.put_away()
        self._start_over()
        self.start(self._load, "load")

    # -- events ---------------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        typed = self.focused
        writes = isinstance(typed, TextArea) and not typed.read_only
        view = self.packet_view.view_with(event.character or "")
        if view is not None and self.packet is not None and not writes and typed is not self.query_one("#conflict"):
            event.stop()
            self.action_show_view(view)

    def on_resize(self, _event: Resize) -> None:
        self.packet_view.refresh_titles()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self._was_away:
            self._was_away = False
            self.start(self._come_back, "load")

    def on_ballot_row_chosen(self, message: Ballot.RowChosen) -> None:
        if message.row == "checklist":
            self.action_perform("checklist")
        else:
            self.action_show_view("remarks")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.start(partial(self._discuss, event.option_index), "discuss")

    def action_show_view(self, view: str) -> None:
        """Show one of the views and remember that it was looked at."""
        packet = self.packet
        if packet is None or view not in self.packet_view.titles:
            return
        is_empty = (view == "trials" and not packet.status.trials) or (view == "changes" and packet.since_mine is None)
        if view in SEEN and not is_empty:
            self._seen[SEEN[view]] = None
        self.packet_view.show_view(view)

    # -- steps ----------------------------------------------------------------------------------------------------

    async def _load(self) -> None:
        workspace = self.bench.fresh_workspace()
        note = self.query_one("#note", Static)
        try:
            packet = await self.in_thread(load_packet, workspace, self.skill, self.bench.reviewer, datetime.now(UTC))
        except M4ReviewError as error:
            note.update(f"This skill cannot be reviewed: {error.what}")
            raise
        is_first = self.packet is None
        self.packet = packet
        self.query_one("#where", Static).update(review_headline(packet, is_demonstration=workspace.is_demonstration))
        self.ballot.begin(packet.scopes, len(packet.questions), packet.given)
        self.ballot.display = packet.refusal is None
        notice = notice_of(packet)
        if is_first and self.take_up_kept(packet):
            notice = f"What you had put on the ballot is here again. {notice}".rstrip()
        note.update(notice)
        note.display = bool(notice)
        self.packet_view.show_packet(packet, self.ballot.findings)
        if is_first:
            self.action_show_view(packet.first_view)
            if not self.ballot.has_focus_within:  # whoever went there while the text was read stays there
                self.packet_view.focus_view()
        self.refresh_bar()

    def _start_over(self) -> None:
        """Stand where one stands at the first opening: on what is read, with the first scope next on the ballot."""
        self.ballot.to_first_scope()
        self.packet_view.focus_view()

    async def _come_back(self) -> None:
        """Read anew what may have been settled elsewhere; whoever settled something, or somebody new, starts over."""
        if self.packet is None:
            await self._load()
            return
        before = self.packet.status.consensus
        await self._read_state_again()
        if self.require_packet().status.consensus != before:
            self._start_over()

    async def then_read_again(self, act: Awaitable[bool]) -> None:
        if await act:
            await self._read_state_again()

    async def _read_state_again(self) -> None:
        """Read the ledger anew without touching what is on the ballot."""
        ballot, read = self.ballot, self.require_packet().read
        kept = dict(ballot.decisions), dict(ballot.answers), list(ballot.findings), ballot.notes, ballot.conflict
        await self._load()
        if self.require_packet().read != read:
            self.notify(TEXT_CHANGED, severity="warning", timeout=10, markup=False)
            self._seen = {}
            kept = {}, {}, *kept[2:]
        ballot.decisions, ballot.answers, ballot.findings = kept[0], kept[1], kept[2]
        ballot.write(*kept[3:])
        self._show_remarks()

    async def _begin_anew(self) -> None:
        """Show the text that took the place of the one that was read; what was written stays, nothing is decided."""
        self.keep_unfinished()
        self.packet, self._seen = None, {}
        await self._load()
        self.ballot.decisions, self.ballot.answers = {}, {}
        self._show_remarks()

    async def _discuss(self, position: int) -> None:
        packet, drafts = self.require_packet(), self.ballot.findings
        if position < len(drafts):
            choices = (Choice("keep", "k", "Keep it"), Choice("drop", "d", "Drop it; it was not given yet"))
            if await self.app.push_screen_wait(Question(f"Finding {drafts[position].id}", choices)) == "drop":
                del drafts[position]
                self._show_remarks()
                self.on_ballot_changed()
            return
        position -= len(drafts)
        if position >= len(packet.status.findings):
            return
        found = packet.status.findings[position]
        go_to = self.packet_view.go_to
        if await discuss_finding(self, packet, found, go_to):
            await self._read_state_again()

    def _show_remarks(self) -> None:
        self.ballot.refresh_rows()
        self.packet_view.show_remarks(self.require_packet(), self.ballot.findings)
        self.refresh_bar()

"""A verdict that is begun and not given: written down as it grows, asked about before it is left, taken up again."""

from __future__ import annotations

from functools import partial

from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.dutymenu import DutyMenu
from m4review.tui.session.packet import Packet
from m4review.tui.session.unfinished import UnfinishedBallot
from m4review.tui.widgets.ballot import Ballot

KEEP_AFTER = 0.5
"""Seconds between a change of the ballot and its being written down."""


class BegunVerdict(DutyMenu):
    """A screen with a ballot on one skill; ``packet`` is what the reviewer was handed, once it is read."""

    def __init__(self, skill: str) -> None:
        super().__init__()
        self.skill = skill
        self.packet: Packet | None = None
        self._is_kept_soon = False

    @property
    def ballot(self) -> Ballot:
        return self.query_one(Ballot)

    def require_packet(self) -> Packet:
        """What was handed over; only asked for where it is known to be there."""
        assert self.packet is not None
        return self.packet

    async def settle(self) -> bool:
        """Ask what becomes of a verdict that was begun and not given; whether the screen may close."""
        if not self.ballot.is_begun:
            return True
        choices = (
            Choice("keep", "k", "Keep it: all of it is here again when you come back to this review"),
            Choice("drop", "d", "Drop it; the decisions, notes and findings that were not given are gone"),
            Choice("back", "b", "Back to the review"),
        )
        answer = await self.app.push_screen_wait(Question("Your verdict is not given yet.", choices))
        if answer == "keep":
            self.keep_unfinished()
        elif answer == "drop":
            self.drop_kept()
        return answer in {"keep", "drop"}

    def keep_unfinished(self) -> str | None:
        ballot = self._unfinished()
        if ballot is None:
            return None
        turn = self.bench.ballots.turn()
        self.bench.ballots.keep(ballot, turn)
        return None if ballot.is_empty else f"The verdict on {self.skill} that was begun is kept; F3 takes it up again."

    def on_ballot_changed(self) -> None:
        self.refresh_bar()
        if not self._is_kept_soon and self.packet is not None:
            self._is_kept_soon = True
            self.set_timer(KEEP_AFTER, self._keep_now)

    def _unfinished(self) -> UnfinishedBallot | None:
        """What is on the ballot now; ``None`` where nobody can give a verdict."""
        packet = self.packet
        if packet is None or packet.viewer is None or packet.status.subject is None:
            return None
        return self.ballot.unfinished(self.skill, packet.viewer, packet.status.subject.content)

    def take_up_kept(self, packet: Packet) -> bool:
        """Put back what the reviewer had put on the ballot before a crash or a pause; whether there was anything."""
        if packet.viewer is None or packet.refusal is not None or packet.status.subject is None:
            return False
        kept = self.bench.ballots.find(self.skill, packet.viewer)
        if kept is None:
            return False
        self.ballot.take_up(kept.carried_to(packet.status.subject.content, packet.text, packet.scopes))
        return True

    def _keep_now(self) -> None:
        self._is_kept_soon = False
        ballot = self._unfinished()
        if ballot is not None:
            turn = self.bench.ballots.turn()
            self.start(partial(self.in_thread, self.bench.ballots.keep, ballot, turn), "keep")

    def drop_kept(self) -> None:
        viewer = self.require_packet().viewer
        if viewer is not None:
            turn = self.bench.ballots.turn()
            self.bench.ballots.drop(self.skill, viewer, turn)

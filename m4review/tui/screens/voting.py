"""Giving a verdict as a conversation: its meaning is spelled out, confirmed, and only then recorded or sealed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.lint import LintRefusal
from m4review.reviews import Ledger, prepare_verdict, record_verdict
from m4review.reviews.sealing import seal_meaning, seal_verdict
from m4review.reviews.verdicts import Said
from m4review.tui.screens.acting import confirmed, me, say_refused
from m4review.tui.session.packet import Packet

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen
    from m4review.workspace import Workspace


async def give_verdict(screen: ActionScreen, packet: Packet, said: Said) -> bool:
    """Say what the verdict means, ask, and record it, or seal it where the policy asks for that; whether it was.

    Raises:
        ReadAnotherTextError: the text is another than the one of the packet.
        M4ReviewError: a rule forbids it.
    """
    workspace, person = screen.bench.fresh_workspace(), me(screen).id
    meaning = await screen.in_thread(_meaning, workspace, packet, person, said)
    yes = f"Yes, seal this verdict as {person}" if packet.seals else f"Yes, this is my verdict as {person}"
    if not await confirmed(screen, "This is what your verdict says:", _spelled_out(meaning, said, packet, person), yes):
        return False
    give = seal_verdict if packet.seals else _record
    try:
        await screen.in_thread(partial(give, workspace, packet.skill, person, said))
    except LintRefusal as refusal:
        await say_refused(screen, refusal, "The notes may not be recorded. Nothing was recorded.")
        return False
    which = packet.skill if packet.status.version is None else f"version {packet.status.version} of {packet.skill}"
    screen.notify(f"Your verdict on {which} is {'sealed' if packet.seals else 'recorded'}.", markup=False)
    return True


def _meaning(workspace: Workspace, packet: Packet, person: str, said: Said) -> str:
    return prepare_verdict(
        workspace,
        Ledger.load(workspace),
        packet.skill,
        person,
        said.decisions,
        conflict_of_interest=said.conflict_of_interest,
        findings=said.findings,
        replace=said.replace,
        read=said.read,
        sealed=packet.seals,
    )


def _record(workspace: Workspace, skill: str, person: str, said: Said) -> object:
    return record_verdict(
        workspace,
        skill,
        person,
        said.decisions,
        said.notes,
        looked_at=said.looked_at,
        conflict_of_interest=said.conflict_of_interest,
        findings=said.findings,
        answers=said.answers,
        replace=said.replace,
        read=said.read,
    )


def _spelled_out(meaning: str, said: Said, packet: Packet, person: str) -> Text:
    body = Text()
    if packet.seals:
        body.append(f"{seal_meaning(person, packet.skill)}\n\nWhat it says, kept on this computer until you show it:\n")
    body.append(meaning)
    if packet.replaces:
        body.append("\n\nThis replaces the verdict you gave on the same text.", "bold")
    if packet.questions:
        answers = said.answers or {}
        refused = [question for question, answer in answers.items() if answer == "no"]
        body.append(f"\n\nChecklist: {len(answers)} of {len(packet.questions)} answered (none is required)")
        body.append(f", with no: {'; '.join(refused)}" if refused else "")
    unsaid = [scope for scope, decision in said.decisions.items() if decision == "changes"]
    if unsaid and not said.notes and not said.findings:
        body.append("\n\nNo note and no finding says what must change.", "bold")
    if said.notes:
        body.append(f"\n\nYour notes: {said.notes}")
    return body

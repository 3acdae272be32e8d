"""The text a reviewer last judged, found again in history by its digest."""

from __future__ import annotations

from m4review.errors import LedgerError
from m4review.reviews.events import Verdict, Withdrawal
from m4review.reviews.ledger import Ledger
from m4review.reviews.standing import short
from m4review.workspace import Workspace


def last_verdict(ledger: Ledger, skill: str, reviewer: str) -> Verdict | None:
    """The reviewer's last verdict on the skill that they did not take back; ``None`` when there is none.

    Raises:
        WorkspaceError: not on the roster.
    """
    person = ledger.roster.get(reviewer)
    events = [event for event in ledger.events if event.skill == skill]
    taken_back = {event.target for event in events if isinstance(event, Withdrawal) and event.actor == person.id}
    verdicts = [
        event
        for event in events
        if isinstance(event, Verdict) and event.actor == person.id and event.id not in taken_back
    ]
    return verdicts[-1] if verdicts else None


def last_reviewed_content(
    workspace: Workspace, skill: str, reviewer: str, ledger: Ledger | None = None
) -> dict[str, bytes] | None:
    """The skill folder (path relative to it → bytes) as it was at the reviewer's last verdict on the skill.

    ``None`` when they gave none, or took it back.

    Raises:
        LedgerError: the text is in no recorded version any more (history was rewritten).
        WorkspaceError: not on the roster.
    """
    ledger = ledger or Ledger.load(workspace)
    verdict, past = last_verdict(ledger, skill, reviewer), ledger.snapshot.past
    if verdict is None:
        return None
    content = verdict.content
    found = None if past is None else past.files_with(skill, content)
    if found is None:
        raise LedgerError(
            f"the text that {verdict.actor} last judged ({short(content)}) is in no recorded version",
            where=skill,
            expected="a history that still holds it",
            fix="review the whole text instead",
        )
    return found

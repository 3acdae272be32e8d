"""The text a reviewer last judged, found again in history by its digest."""

from __future__ import annotations

from m4review.errors import LedgerError
from m4review.reviews.events import Verdict, Withdrawal
from m4review.reviews.ledger import Ledger
from m4review.reviews.standing import short
from m4review.workspace import Workspace


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
    person = ledger.roster.get(reviewer)
    events = [event for event in ledger.events if event.skill == skill]
    taken_back = {event.target for event in events if isinstance(event, Withdrawal) and event.actor == person.id}
    verdicts = [
        event
        for event in events
        if isinstance(event, Verdict) and event.actor == person.id and event.id not in taken_back
    ]
    if not verdicts:
        return None
    content, past = verdicts[-1].content, ledger.snapshot.past
    found = None if past is None else past.files_with(skill, content)
    if found is None:
        raise LedgerError(
            f"the text that {person.id} last judged ({short(content)}) is in no recorded version",
            where=skill,
            expected="a history that still holds it",
            fix="review the whole text instead",
        )
    return found

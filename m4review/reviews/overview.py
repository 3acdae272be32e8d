"""The status of the skills of a workspace, as a given viewer may see it: what screens, lists and commands print."""

from __future__ import annotations

from dataclasses import replace

from m4review.errors import M4ReviewError
from m4review.reviews.ledger import Ledger
from m4review.reviews.recorded import changes_between
from m4review.reviews.status import SkillStatus, skill_state, unreviewable_state
from m4review.reviews.visibility import as_seen_by
from m4review.workspace import Workspace


def skill_status(workspace: Workspace, ledger: Ledger, name: str, viewer: str | None = None) -> SkillStatus:
    """The status of one skill as ``viewer`` (a roster id; ``None`` for unknown) may see it.

    A skill whose text cannot be digested has the state ``undecided`` and says why.

    Raises:
        WorkspaceError: the roster or the policy cannot be read.
    """
    return _noted(as_seen_by(_status(ledger, name), viewer, ledger.policy, ledger.roster), ledger)


def all_statuses(workspace: Workspace, ledger: Ledger, viewer: str | None = None) -> tuple[SkillStatus, ...]:
    """The status of every skill, sorted by name."""
    snapshot = ledger.snapshot
    return tuple(
        skill_status(workspace, ledger, name, viewer) for name in sorted({*snapshot.skills, *snapshot.unreadable})
    )


def full_status(workspace: Workspace, ledger: Ledger, name: str) -> SkillStatus:
    """The status with nothing withheld, for rules that need it. Never show this: it breaks independence."""
    return _noted(_status(ledger, name), ledger)


def _noted(status: SkillStatus, ledger: Ledger) -> SkillStatus:
    """The status that also says which rules on disk it was not judged by."""
    return replace(status, because=(*status.because, *ledger.rules.notes)) if ledger.rules.notes else status


def _status(ledger: Ledger, name: str) -> SkillStatus:
    snapshot, policy, roster = ledger.snapshot, ledger.policy, ledger.roster
    try:
        subject = snapshot.subject(name, policy)
    except M4ReviewError as error:
        return unreviewable_state(name, error, ledger.about(name, None), policy, roster)
    past = snapshot.past
    history = None if past is None else past.nodes(name)
    events = ledger.about(name, subject.content)
    status = skill_state(
        subject,
        events,
        policy,
        roster,
        history,
        is_complete=snapshot.is_complete,
        change_of=changes_between(snapshot, policy),
        levels=ledger.levels,
    )
    return replace(
        status,
        version=snapshot.version_number(name, subject.content),
        is_recorded=history is not None and bool(history) and history[-1].pair == subject.pair,
    )

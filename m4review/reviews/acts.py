"""What a reviewer does, in two steps: say what the event would mean, then record exactly that.

An act is a function of the scene (workspace, ledger, state, person, time) that checks every rule and returns what the
event adds. :func:`prepare` shows it, :func:`record` runs it again under the ledger's lock and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from m4review.errors import LedgerError, ReadAnotherTextError
from m4review.history import Repository
from m4review.reviews.ledger import Ledger
from m4review.reviews.lock import ledger_lock
from m4review.reviews.notes import refuse_unfit_notes
from m4review.reviews.overview import full_status
from m4review.reviews.rules import recorded_refusal
from m4review.reviews.standing import Judgement
from m4review.reviews.status import SkillStatus
from m4review.reviews.subjects import Subject
from m4review.reviews.visibility import as_seen_by
from m4review.reviews.writing import common_values, rendered, write_events
from m4review.workspace import Policy, Reviewer, Roster, Workspace


@dataclass(frozen=True)
class Scene:
    """Everything an act may look at. ``status`` has nothing withheld: never print it."""

    workspace: Workspace
    ledger: Ledger
    status: SkillStatus
    person: Reviewer
    time: datetime

    @property
    def seen(self) -> SkillStatus:
        """The status as the person may see it: what a message may be made of."""
        return as_seen_by(self.status, self.person.id, self.policy, self.roster)

    @property
    def policy(self) -> Policy:
        return self.ledger.policy

    @property
    def roster(self) -> Roster:
        return self.ledger.roster

    @property
    def subject(self) -> Subject:
        assert self.status.subject is not None
        return self.status.subject

    @property
    def judgement(self) -> Judgement:
        assert self.status.judgement is not None
        return self.status.judgement


@dataclass(frozen=True)
class Act:
    """What an event adds to the common keys. ``meaning`` is what the actor signs, in whole sentences."""

    kind: str
    meaning: str
    values: Mapping[str, Any]
    notes: str = ""
    texts: tuple[str, ...] = field(default=())
    """Free text that enters git with it, for the lint."""


Plan = Callable[[Scene], Act]


def prepare(workspace: Workspace, skill: str, actor: str, plan: Plan, *, now: datetime | None = None) -> Act:
    """What the act would record: to be shown before it is given. Nothing is written.

    Raises:
        M4ReviewError: a rule forbids it.
    """
    return plan(_scene(Workspace(workspace.root), skill, actor, now))


def record(
    workspace: Workspace,
    skill: str,
    actor: str,
    plan: Plan,
    *,
    confirmed: str | None = None,
    now: datetime | None = None,
    commit: bool = True,
) -> Path:
    """Check the act again, write its event, commit it alone under the actor's identity, and return its file.

    ``confirmed`` is the meaning that the actor was shown; nothing is recorded where it would be another by now.

    Raises:
        ReadAnotherTextError: the act means something else than what was confirmed.
        LedgerError: a rule of the review forbids it.
        HistoryError: there is no version history, the text is not recorded, or git refused the commit.
        WorkspaceError: the actor is not on the roster.
        LintRefusal: a text holds what may not enter git.
    """
    fresh = Workspace(workspace.root)
    with ledger_lock(Repository.open(fresh.root).git_folder):
        scene = _scene(fresh, skill, actor, now)
        act = plan(scene)
        if confirmed is not None and act.meaning != confirmed:
            raise ReadAnotherTextError(
                "what you confirmed was changed meanwhile, and nothing was recorded",
                where=skill,
                expected=confirmed,
                fix="look at it again",
            )
        refuse_unfit_notes(*(text for text in (act.notes, *act.texts) if text))
        values = common_values(scene.ledger, scene.subject, act.kind, scene.person, scene.time)
        event = rendered(values | {"meaning": act.meaning} | dict(act.values), act.notes)
        return write_events(fresh, scene.ledger, [event], scene.person, commit)


def one_line(text: str, what: str) -> str:
    """``text`` in one line.

    Raises:
        LedgerError: it is empty.
    """
    line = " ".join(text.split())
    if not line:
        raise LedgerError(f"{what} is missing", fix=f"say {what} in one line")
    return line


def _scene(workspace: Workspace, skill: str, actor: str, now: datetime | None) -> Scene:
    time = (now or datetime.now(UTC)).astimezone(UTC)
    ledger = Ledger.load(workspace)
    person = ledger.roster.get(actor)
    status = full_status(workspace, ledger, skill)
    refusal = recorded_refusal(ledger, status)
    if refusal is not None:
        raise refusal
    if not person.active_on(time.date()):
        raise LedgerError(f"{person.id} is not on the roster on {time.date()}", where="reviews/roster.toml")
    return Scene(workspace, ledger, status, person, time)

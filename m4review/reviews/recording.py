"""Recording a verdict, a withdrawal or an opening: every rule is checked first, then it is written, or nothing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from m4review.errors import LedgerError
from m4review.history import Repository
from m4review.reviews.eventparts import Answer, Decision, Finding, LookedAt
from m4review.reviews.kinds import Verdict
from m4review.reviews.ledger import Ledger
from m4review.reviews.lock import ledger_lock
from m4review.reviews.meaning import NO_CONFLICT
from m4review.reviews.notes import refuse_unfit_notes
from m4review.reviews.overview import full_status
from m4review.reviews.rules import own_verdicts
from m4review.reviews.status import SkillStatus
from m4review.reviews.subjects import Pair
from m4review.reviews.verdicts import Said, scoped_base, verdict_values
from m4review.reviews.writing import common_values, rendered, write_events
from m4review.workspace import Scope, Workspace


def record_verdict(
    workspace: Workspace,
    skill: str,
    reviewer: str,
    decisions: Mapping[Scope, Decision],
    notes: str = "",
    *,
    looked_at: Sequence[LookedAt] = ("text",),
    conflict_of_interest: str = NO_CONFLICT,
    findings: Sequence[Finding] = (),
    answers: Mapping[str, Answer] | None = None,
    replace: bool = False,
    read: Pair | None = None,
    now: datetime | None = None,
    commit: bool = True,
) -> Path:
    """Record what ``reviewer`` says of the recorded text of ``skill``, and return the event's file.

    ``now`` (with a time zone) is the time to write, by default the computer's. ``replace`` says that an own verdict on
    the same text is meant to be replaced, ``read`` which text and cards the reviewer had before them. The event is
    committed alone, under the reviewer's git identity; when git refuses, the file is removed again.

    Raises:
        ReadAnotherTextError: the text or a card is another than the one that was read.
        LedgerError: a rule of the review forbids it (the message names the rule).
        HistoryError: there is no version history, the text is not recorded, or git refused the commit.
        WorkspaceError: the reviewer is not on the roster.
        LintRefusal: the notes hold what may not enter git.
    """
    time = (now or datetime.now(UTC)).astimezone(UTC)
    fresh = Workspace(workspace.root)
    said = Said(decisions, notes, tuple(looked_at), conflict_of_interest, tuple(findings), answers or {}, replace, read)
    with ledger_lock(Repository.open(fresh.root).git_folder):
        ledger = Ledger.load(fresh)
        person = ledger.roster.get(reviewer)
        status = full_status(fresh, ledger, skill)
        values = verdict_values(fresh, ledger, status, person, said, time)
        return write_events(fresh, ledger, [rendered(values, notes)], person, commit)


def prepare_verdict(
    workspace: Workspace,
    ledger: Ledger,
    skill: str,
    reviewer: str,
    decisions: Mapping[Scope, Decision],
    *,
    conflict_of_interest: str = NO_CONFLICT,
    findings: Sequence[Finding] = (),
    replace: bool = False,
    read: Pair | None = None,
    sealed: bool = False,
    now: datetime | None = None,
) -> str:
    """What the verdict would say, in whole sentences: to be shown before it is given. Nothing is written.

    Raises:
        M4ReviewError: as :func:`record_verdict` would, the notes aside.
    """
    person = ledger.roster.get(reviewer)
    status = full_status(workspace, ledger, skill)
    said = Said(decisions, "", ("text",), conflict_of_interest, tuple(findings), {}, replace, read)
    time = (now or datetime.now(UTC)).astimezone(UTC)
    meaning: str = verdict_values(workspace, ledger, status, person, said, time, sealed=sealed)["meaning"]
    return meaning


def changed_scopes(workspace: Workspace, ledger: Ledger, skill: str) -> tuple[Scope, ...] | None:
    """The scopes that alone need a decision, where nothing else of an approved text changed; ``None``: all do."""
    base = scoped_base(full_status(workspace, ledger, skill))
    return None if base is None else base[1]


def pair_now(workspace: Workspace, ledger: Ledger, skill: str) -> Pair | None:
    """What a verdict on ``skill`` given now would bind; ``None`` where the text cannot be digested."""
    subject = full_status(workspace, ledger, skill).subject
    return None if subject is None else subject.pair


def prepare_withdrawal(workspace: Workspace, skill: str, reviewer: str, reason: str) -> str:
    """What taking back the verdict would say, in whole sentences: to be shown before. Nothing is written.

    Raises:
        LedgerError: there is no verdict to take back, or the reason is empty.
    """
    fresh = Workspace(workspace.root)
    ledger = Ledger.load(fresh)
    person = ledger.roster.get(reviewer)
    own = _own_in_force(ledger, full_status(fresh, ledger, skill), person.id)
    return "\n".join(_taken_back(target, skill, person.id, _reason(reason)) for target in own)


def withdraw_verdict(
    workspace: Workspace,
    skill: str,
    reviewer: str,
    reason: str,
    *,
    now: datetime | None = None,
    commit: bool = True,
) -> Path:
    """Take back the reviewer's verdict in force on the present text of ``skill``.

    Raises:
        LedgerError: there is none, or the reason is empty.
        HistoryError: there is no version history, or git refused the commit.
    """
    time = (now or datetime.now(UTC)).astimezone(UTC)
    fresh = Workspace(workspace.root)
    with ledger_lock(Repository.open(fresh.root).git_folder):
        ledger = Ledger.load(fresh)
        person = ledger.roster.get(reviewer)
        status = full_status(fresh, ledger, skill)
        own = _own_in_force(ledger, status, person.id)
        why = _reason(reason)
        refuse_unfit_notes(why)
        assert status.subject is not None
        path = Path()
        for target in own:
            values = common_values(ledger, status.subject, "withdraw", person, time) | {
                "meaning": _taken_back(target, skill, person.id, why),
                "target": target.id,
                "reason": why,
            }
            path = write_events(fresh, ledger, [rendered(values, "")], person, commit)
            ledger = Ledger.load(fresh)
        return path


def _own_in_force(ledger: Ledger, status: SkillStatus, reviewer: str) -> list[Verdict]:
    own = [verdict for verdict in own_verdicts(status, reviewer, ledger.roster) if verdict.actor == reviewer]
    if status.subject is None or not own:
        raise LedgerError(
            f"{reviewer} has no verdict in force on the present text of {status.skill}", fix="m4review review status"
        )
    return own


def _taken_back(target: Verdict, skill: str, reviewer: str, why: str) -> str:
    return f"As {reviewer} I take back my verdict {target.path} on {skill}: {why}"


def _reason(text: str) -> str:
    why = " ".join(text.split())
    if not why:
        raise LedgerError("a withdrawal needs a reason", fix="say in one line why, with --reason")
    return why

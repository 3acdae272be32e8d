"""Recording a review event: every rule is checked first, then one file is written and committed, or nothing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from m4review import __version__
from m4review.errors import LedgerError
from m4review.history import Repository
from m4review.reviews.digests import SCHEME, check_text
from m4review.reviews.events import (
    EVENT_SCHEMA,
    TIME_FORMAT,
    Decision,
    LookedAt,
    event_path,
    parse_event,
    render_event,
)
from m4review.reviews.ledger import Ledger
from m4review.reviews.lock import ledger_lock
from m4review.reviews.meaning import NO_CONFLICT, verdict_meaning
from m4review.reviews.notes import refuse_unfit_notes
from m4review.reviews.overview import full_status
from m4review.reviews.rules import (
    check_decisions,
    conflict_line,
    own_verdicts,
    recorded_refusal,
    round_of,
    verdict_refusal,
)
from m4review.reviews.signing.keys import sign_event
from m4review.reviews.subjects import Subject
from m4review.textfile import write_bytes
from m4review.workspace import Reviewer, Scope, Workspace


def record_verdict(
    workspace: Workspace,
    skill: str,
    reviewer: str,
    decisions: Mapping[Scope, Decision],
    notes: str = "",
    *,
    looked_at: Sequence[LookedAt] = ("text",),
    conflict_of_interest: str = NO_CONFLICT,
    replace: bool = False,
    now: datetime | None = None,
    commit: bool = True,
) -> Path:
    """Record what ``reviewer`` says of the recorded text of ``skill``, and return the event's file.

    ``now`` (with a time zone) is the time to write, by default the computer's. ``replace`` says that an own verdict on
    the same text is meant to be replaced. The event is committed alone, under the reviewer's git identity; when git
    refuses, the file is removed again.

    Raises:
        LedgerError: a rule of the review forbids it (the message names the rule).
        HistoryError: there is no version history, the text is not recorded, or git refused the commit.
        WorkspaceError: the reviewer is not on the roster.
        LintRefusal: the notes hold what may not enter git.
    """
    time = (now or datetime.now(UTC)).astimezone(UTC)
    fresh = Workspace(workspace.root)
    person = fresh.roster.get(reviewer)
    check_decisions(decisions, fresh.policy)
    conflict = conflict_line(conflict_of_interest)
    with ledger_lock(Repository.open(fresh.root).git_folder):
        ledger = Ledger.load(fresh)
        status = full_status(fresh, ledger, skill)
        refusal = verdict_refusal(fresh, ledger, status, person, time, replace=replace)
        if refusal is not None:
            raise refusal
        assert status.subject is not None
        refuse_unfit_notes(notes, conflict)
        own = own_verdicts(status, person.id, fresh.roster)
        values = _common(ledger, status.subject, "verdict", person, time) | {
            "meaning": verdict_meaning(status, person.id, decisions, conflict, fresh.policy, fresh.roster),
            "scopes": dict(status.subject.scopes),
            "round": round_of(status, person.id, fresh.policy, fresh.roster),
            "decisions": {scope: decisions[scope] for scope in fresh.policy.scopes},
            "looked_at": list(looked_at),
            "conflict_of_interest": conflict,
            "supersedes": [verdict.id for verdict in own],
        }
        return _write(fresh, ledger, values, notes, person, commit)


def prepare_verdict(
    workspace: Workspace,
    ledger: Ledger,
    skill: str,
    reviewer: str,
    decisions: Mapping[Scope, Decision],
    *,
    conflict_of_interest: str = NO_CONFLICT,
    replace: bool = False,
    now: datetime | None = None,
) -> str:
    """What the verdict would say, in whole sentences: to be shown before it is given. Nothing is written.

    Raises:
        M4ReviewError: as :func:`record_verdict` would, the notes aside.
    """
    person = workspace.roster.get(reviewer)
    check_decisions(decisions, workspace.policy)
    status = full_status(workspace, ledger, skill)
    refusal = verdict_refusal(workspace, ledger, status, person, now or datetime.now(UTC), replace=replace)
    if refusal is not None:
        raise refusal
    conflict = conflict_line(conflict_of_interest)
    return verdict_meaning(status, person.id, decisions, conflict, workspace.policy, workspace.roster)


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
    person = fresh.roster.get(reviewer)
    with ledger_lock(Repository.open(fresh.root).git_folder):
        ledger = Ledger.load(fresh)
        status = full_status(fresh, ledger, skill)
        own = [verdict for verdict in own_verdicts(status, person.id, fresh.roster) if verdict.actor == person.id]
        if status.subject is None or not own:
            raise LedgerError(
                f"{person.id} has no verdict in force on the present text of {skill}", fix="m4review review status"
            )
        if not reason.strip():
            raise LedgerError("a withdrawal needs a reason", fix="say in one line why, with --reason")
        refuse_unfit_notes(reason)
        path = Path()
        for target in own:
            values = _common(ledger, status.subject, "withdraw", person, time) | {
                "meaning": f"As {person.id} I take back my verdict {target.path} on {skill}.",
                "target": target.id,
                "reason": " ".join(reason.split()),
            }
            path = _write(fresh, ledger, values, "", person, commit)
        return path


def open_review(
    workspace: Workspace,
    skill: str,
    actor: str,
    *,
    authors: Sequence[str] = (),
    reviewers: Sequence[str] = (),
    now: datetime | None = None,
    commit: bool = True,
) -> Path:
    """Ask for a review of the recorded text of ``skill``: declare authors that git does not know, name who judges.

    Raises:
        LedgerError: nothing is said, or an author is asked to judge.
        HistoryError: there is no version history, the text is not recorded, or git refused the commit.
        WorkspaceError: somebody named is not on the roster.
    """
    time = (now or datetime.now(UTC)).astimezone(UTC)
    fresh = Workspace(workspace.root)
    person = fresh.roster.get(actor)
    wrote = tuple(dict.fromkeys(fresh.roster.get(name).id for name in authors))
    asked = tuple(dict.fromkeys(fresh.roster.get(name).id for name in reviewers))
    both = sorted(set(wrote) & set(asked))
    if both:
        raise LedgerError(f"{', '.join(both)} wrote the text and is asked to judge it", expected="another reviewer")
    if not wrote and not asked:
        raise LedgerError("an opening names authors, reviewers or both", fix="--author C3, --reviewer C1 --reviewer C4")
    with ledger_lock(Repository.open(fresh.root).git_folder):
        ledger = Ledger.load(fresh)
        status = full_status(fresh, ledger, skill)
        refusal = recorded_refusal(ledger, status)
        if refusal is not None:
            raise refusal
        assert status.subject is not None
        said = f"As {person.id} I ask for a review of {skill}"
        said += f" by {', '.join(asked)}." if asked else "."
        said += f" {', '.join(wrote)} had a hand in this text." if wrote else ""
        values = _common(ledger, status.subject, "open", person, time) | {
            "meaning": said,
            "authors": list(wrote),
            "reviewers": list(asked),
        }
        return _write(fresh, ledger, values, "", person, commit)


def _common(ledger: Ledger, subject: Subject, kind: str, reviewer: Reviewer, time: datetime) -> dict[str, Any]:
    return {
        "schema": EVENT_SCHEMA,
        "kind": kind,
        "skill": subject.skill,
        "scheme": SCHEME,
        "content": subject.content,
        "tasks": dict(subject.tasks),
        "actor": reviewer.id,
        "at": time.strftime(TIME_FORMAT),
        "clock": ledger.next_clock(subject.skill),
        "after": list(ledger.heads(subject.skill)),
        "policy": ledger.snapshot.policy_digest,
        "tool": f"m4review {__version__}",
    }


def _write(
    workspace: Workspace, ledger: Ledger, values: Mapping[str, Any], notes: str, reviewer: Reviewer, commit: bool
) -> Path:
    """Write the event, signed if the reviewer has a key, and commit exactly it; on any failure both are gone again."""
    data = render_event(values, notes)
    name = event_path(values, data)
    check_text(data, name)
    parse_event(data, name)
    path = workspace.events_dir / name
    signature = sign_event(workspace, reviewer.id, data)
    written = [path]
    try:
        write_bytes(path, data, exclusive=True)
    except FileExistsError:
        raise LedgerError("this very event is recorded already", where=workspace.relative(path)) from None
    try:
        if signature is not None:
            written.append(path.with_name(f"{path.name}.sig"))
            write_bytes(written[-1], signature)
        if commit:
            assert ledger.snapshot.repository is not None
            word = {"verdict": "Verdict", "withdraw": "Withdrawal", "open": "Opening"}[values["kind"]]
            message = f"{word} of {reviewer.id} on {values['skill']}"
            ledger.snapshot.repository.commit(written, message, reviewer.git_identity)
    except BaseException:
        for file in written:
            file.unlink(missing_ok=True)
        _remove_empty(path.parent, workspace.reviews_dir)
        raise
    return path


def _remove_empty(folder: Path, stop: Path) -> None:
    """Remove folders that recording made and that hold nothing."""
    while folder != stop and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent

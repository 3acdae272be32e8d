"""Recording a review event: every rule is checked first, then one file is written and committed, or nothing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from m4review import __version__
from m4review.errors import HistoryError, LedgerError, M4ReviewError
from m4review.history import Repository
from m4review.reviews.digests import SCHEME, check_text
from m4review.reviews.events import (
    DECISIONS,
    EVENT_SCHEMA,
    TIME_FORMAT,
    Decision,
    LookedAt,
    Round,
    Verdict,
    event_path,
    parse_event,
    render_event,
)
from m4review.reviews.ledger import Ledger
from m4review.reviews.lock import ledger_lock
from m4review.reviews.meaning import NO_CONFLICT, meaning
from m4review.reviews.notes import refuse_unfit_notes
from m4review.reviews.overview import full_status
from m4review.reviews.people import humans
from m4review.reviews.status import SkillStatus
from m4review.reviews.subjects import Subject
from m4review.reviews.visibility import may_read
from m4review.textfile import write_bytes
from m4review.workspace import SKILLS, Policy, Reviewer, Roster, Scope, Workspace


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
            "meaning": _meaning(status, person.id, decisions, conflict, fresh.policy),
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
    return _meaning(status, person.id, decisions, conflict_line(conflict_of_interest), workspace.policy)


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


def check_decisions(decisions: Mapping[Scope, Decision], policy: Policy) -> None:
    """Raise :class:`LedgerError` unless there is one known decision for every scope of the policy and no other."""
    missing = [scope for scope in policy.scopes if scope not in decisions]
    extra = [scope for scope in decisions if scope not in policy.scopes]
    unknown = [decision for decision in decisions.values() if decision not in DECISIONS]
    if missing:
        raise LedgerError(f"no decision on {', '.join(missing)}", expected="one of " + ", ".join(DECISIONS))
    if extra:
        raise LedgerError(f"the policy does not judge {', '.join(extra)}", expected=", ".join(policy.scopes))
    if unknown:
        raise LedgerError(f"{unknown[0]!r} is not a decision", expected="one of " + ", ".join(DECISIONS))


def conflict_line(text: str) -> str:
    """A conflict of interest in one line; ``none`` when nothing is said."""
    return " ".join(text.split()) or NO_CONFLICT


def verdict_refusal(
    workspace: Workspace,
    ledger: Ledger,
    status: SkillStatus,
    reviewer: Reviewer,
    now: datetime,
    *,
    replace: bool = False,
) -> M4ReviewError | None:
    """Why ``reviewer`` may not give a verdict on the skill now, or ``None``. Screens disable the action with it."""
    policy, snapshot = workspace.policy, ledger.snapshot
    if snapshot.no_history is not None:
        return snapshot.no_history
    if status.subject is None:
        return LedgerError("the text cannot be reviewed", where=status.skill, expected="\n".join(status.because))
    if not status.is_recorded:
        return HistoryError(
            "what lies on the disk is not the last recorded version, and a verdict binds a recorded one",
            where=f"{SKILLS}/{status.skill} and its task cards",
            fix=f"record a version first (m4review version {status.skill} -m MESSAGE), or undo the changes",
        )
    if not reviewer.active_on(now.date()):
        return LedgerError(f"{reviewer.id} is not on the roster on {now.date()}", where="reviews/roster.toml")
    if policy.independent == "sealed":
        return LedgerError(
            "the policy asks for sealed first verdicts, which this version cannot record",
            where="reviews/policy.toml",
            fix="use a version that can, or agree on independent = 'ui-blind'",
        )
    if policy.minimum_assurance > 0:
        return LedgerError(
            "the policy asks for signed verdicts, which this version cannot record", where="reviews/policy.toml"
        )
    if status.excluded is None:
        return HistoryError(
            "this clone is shallow: who changed the text cannot be told, so authors cannot be excluded",
            where=workspace.root,
            fix="git fetch --unshallow",
        )
    if reviewer.id in status.excluded:
        return LedgerError(
            status.excluded[reviewer.id],
            where=status.skill,
            expected="a reviewer who wrote no part of it: " + (_others(workspace, status) or "nobody is left"),
        )
    own = own_verdicts(status, reviewer.id, workspace.roster)
    if own and not replace:
        return LedgerError(
            f"{reviewer.id} already gave a verdict on exactly this text ({own[-1].path})",
            where=status.skill,
            fix="to replace it, say so: --replace",
        )
    return None


def own_verdicts(status: SkillStatus, reviewer: str, roster: Roster) -> list[Verdict]:
    """The reviewer's verdicts in force on the present pair (more than one only after two clones were merged)."""
    return [
        judged.verdict for judged in status.verdicts if judged.standing == "counts" and judged.verdict.actor == reviewer
    ]


def round_of(status: SkillStatus, reviewer: str, policy: Policy, roster: Roster) -> Round:
    """``after-discussion`` once others' verdicts on this text were open to the reviewer, ``delta`` after an own verdict
    on an earlier text, else ``independent``."""
    same = humans(roster)
    others = [
        judged
        for judged in status.verdicts
        if same.get(judged.verdict.actor) != same[reviewer]
        and status.subject is not None
        and judged.pair == status.subject.pair
    ]
    if any(may_read(judged, status, reviewer, policy, roster) for judged in others):
        return "after-discussion"
    mine = [judged for judged in status.verdicts if same.get(judged.verdict.actor) == same[reviewer]]
    return "delta" if any(judged.standing == "stale" for judged in mine) else "independent"


def _meaning(
    status: SkillStatus, reviewer: str, decisions: Mapping[Scope, Decision], conflict_of_interest: str, policy: Policy
) -> str:
    assert status.subject is not None
    subject = status.subject
    return meaning(
        reviewer,
        decisions,
        subject.skill,
        subject.tasks,
        subject.content,
        status.version,
        conflict_of_interest,
        excludes_authors=policy.exclude_authors,
    )


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
    """Write the event and commit exactly it; on any failure the file is gone again."""
    data = render_event(values, notes)
    name = event_path(values, data)
    check_text(data, name)
    parse_event(data, name)
    path = workspace.events_dir / name
    try:
        write_bytes(path, data, exclusive=True)
    except FileExistsError:
        raise LedgerError("this very event is recorded already", where=workspace.relative(path)) from None
    if commit:
        assert ledger.snapshot.repository is not None
        try:
            word = {"verdict": "Verdict", "withdraw": "Withdrawal"}[values["kind"]]
            ledger.snapshot.repository.commit(
                [path], f"{word} of {reviewer.id} on {values['skill']}", reviewer.git_identity
            )
        except BaseException:
            path.unlink(missing_ok=True)
            _remove_empty(path.parent, workspace.reviews_dir)
            raise
    return path


def _remove_empty(folder: Path, stop: Path) -> None:
    """Remove folders that recording made and that hold nothing."""
    while folder != stop and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _others(workspace: Workspace, status: SkillStatus) -> str:
    return ", ".join(entry.id for entry in workspace.roster.reviewers if entry.id not in (status.excluded or {}))

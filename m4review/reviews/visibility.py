"""What a viewer may see of the verdicts of others: the one place that decides it, for every screen and command.

A reviewer gives a first verdict without knowing the other's. Until then the existence of a verdict is shown (who and
when), never a decision, a note, a finding or how many there are, nor a state that follows from one. Policy ``open``
shows everything at once.
"""

from __future__ import annotations

from dataclasses import replace

from m4review.reviews.decisions import needed
from m4review.reviews.explain import explanation, label
from m4review.reviews.kinds import Comment
from m4review.reviews.people import humans
from m4review.reviews.standing import JudgedVerdict, humans_in_force
from m4review.reviews.status import SkillStatus
from m4review.reviews.subjects import Pair, pair_of
from m4review.workspace import Policy, Roster

WITHHELD = "(what it says is shown after your own verdict, or when the round is complete)"
WITHHELD_FROM_UNKNOWN = (
    "(what it says is shown to whoever gave it, and to all when the round is complete: say who you are)"
)


def as_seen_by(status: SkillStatus, viewer: str | None, policy: Policy, roster: Roster) -> SkillStatus:
    """The status with everything withheld that ``viewer`` (a roster id, or ``None`` for unknown) may not see yet."""
    verdicts = visible_verdicts(status, viewer, policy, roster)
    unread = {judged.verdict.id for judged in verdicts if judged.hidden}
    status = replace(
        status,
        judgement=None,
        findings=tuple(found for found in status.findings if found.verdict.id not in unread),
        comments=tuple(_seen_comment(comment, status, viewer, policy, roster) for comment in status.comments),
    )
    if not any(judged.hidden for judged in verdicts):
        return status
    counted_hidden = any(judged.hidden and judged.standing == "counts" for judged in verdicts)
    state = "in review" if counted_hidden else status.state
    sealed, suspect, lapsed = len(status.sealed), status.suspect, status.lapsed
    shown = label(state, status.given, status.required, status.stale, suspect, lapsed, None, sealed, status.basis)
    return replace(
        status,
        state=state,
        label=shown,
        because=explanation(verdicts, status.stale, policy, None, suspect=suspect, lapsed=lapsed)
        if status.stale or counted_hidden
        else status.because,
        verdicts=verdicts,
        decisions_hidden=True,
        basis=None if counted_hidden else status.basis,
        consensus=None if counted_hidden else status.consensus,
        sign_off=None if counted_hidden else status.sign_off,
    )


def visible_verdicts(
    status: SkillStatus, viewer: str | None, policy: Policy, roster: Roster
) -> tuple[JudgedVerdict, ...]:
    """Every verdict; those that ``viewer`` may not read yet are ``hidden`` and stripped of what they say."""
    return tuple(
        judged if may_read(judged, status, viewer, policy, roster) else _stripped(judged, viewer)
        for judged in status.verdicts
    )


def may_read(judged: JudgedVerdict, status: SkillStatus, viewer: str | None, policy: Policy, roster: Roster) -> bool:
    """Whether ``viewer`` may read what a verdict says.

    Yes under an open policy, for one's own verdict, after one's own verdict on the same or the present text, when the
    round on either is complete, and for an author, who is not going to judge.
    """
    same = humans(roster)
    is_mine = viewer is not None and same.get(judged.verdict.actor) == same.get(viewer, viewer)
    return is_mine or _may_read_about(judged.pair, status, viewer, policy, roster)


def _may_read_about(pair: Pair, status: SkillStatus, viewer: str | None, policy: Policy, roster: Roster) -> bool:
    """Whether ``viewer`` may read what others said of ``pair``."""
    if policy.independent == "open":
        return True
    pairs = {pair} if status.subject is None else {pair, status.subject.pair}
    if any(len(humans_in_force(status.verdicts, one, roster)) >= _round_of(one, status, policy) for one in pairs):
        return True
    if viewer is None:
        return False
    same = humans(roster)
    human = same.get(viewer, viewer)
    is_author = status.excluded is not None and viewer in status.excluded
    return is_author or any(
        own.pair in pairs for own in status.verdicts if same.get(own.verdict.actor, own.verdict.actor) == human
    )


def _round_of(pair: Pair, status: SkillStatus, policy: Policy) -> int:
    """How many verdicts make the round on ``pair`` complete: fewer where somebody trusted set the number aside."""
    return policy.required if status.judgement is None else needed(pair, status.judgement, policy)


def _seen_comment(comment: Comment, status: SkillStatus, viewer: str | None, policy: Policy, roster: Roster) -> Comment:
    same = humans(roster)
    is_mine = viewer is not None and same.get(comment.actor) == same.get(viewer, viewer)
    if is_mine or _may_read_about(pair_of(comment.content, comment.tasks.values()), status, viewer, policy, roster):
        return comment
    instead = WITHHELD_FROM_UNKNOWN if viewer is None else WITHHELD
    return comment.model_copy(update={"notes": instead, "meaning": instead, "anchor": None, "scope": None, "raw": b""})


def _stripped(judged: JudgedVerdict, viewer: str | None) -> JudgedVerdict:
    instead = WITHHELD_FROM_UNKNOWN if viewer is None else WITHHELD
    withheld = {
        "decisions": {},
        "notes": "",
        "meaning": instead,
        "conflict_of_interest": instead,
        "looked_at": (),
        "findings": (),
        "answers": {},
        "raw": b"",
    }
    return replace(judged, verdict=judged.verdict.model_copy(update=withheld), hidden=True)

"""What a viewer may see of the verdicts of others: the one place that decides it, for every screen and command.

A reviewer gives a first verdict without knowing the other's. Until then the existence of a verdict is shown (who and
when), never a decision, a note or a state that follows from one. Policy ``open`` shows everything at once.
"""

from __future__ import annotations

from dataclasses import replace

from m4review.reviews.people import humans
from m4review.reviews.standing import JudgedVerdict, humans_in_force
from m4review.reviews.status import SkillStatus, explanation, label
from m4review.workspace import Policy, Roster

WITHHELD = "(what it says is shown after your own verdict, or when the round is complete)"
WITHHELD_FROM_UNKNOWN = (
    "(what it says is shown to whoever gave it, and to all when the round is complete: say who you are)"
)


def as_seen_by(status: SkillStatus, viewer: str | None, policy: Policy, roster: Roster) -> SkillStatus:
    """The status with everything withheld that ``viewer`` (a roster id, or ``None`` for unknown) may not see yet."""
    verdicts = visible_verdicts(status, viewer, policy, roster)
    if not any(judged.hidden for judged in verdicts):
        return status
    counted_hidden = any(judged.hidden and judged.standing == "counts" for judged in verdicts)
    state = "in review" if counted_hidden else status.state
    return replace(
        status,
        state=state,
        label=label(state, status.given, status.required, status.stale),
        because=explanation(verdicts, status.stale, policy, None) if status.stale or counted_hidden else status.because,
        verdicts=verdicts,
        decisions_hidden=True,
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
    if policy.independent == "open":
        return True
    pairs = {judged.pair} if status.subject is None else {judged.pair, status.subject.pair}
    if any(len(humans_in_force(status.verdicts, pair, roster)) >= policy.required for pair in pairs):
        return True
    if viewer is None:
        return False
    same = humans(roster)
    human = same.get(viewer, viewer)
    mine = [own for own in status.verdicts if same.get(own.verdict.actor, own.verdict.actor) == human]
    is_author = status.excluded is not None and viewer in status.excluded
    return judged in mine or is_author or any(own.pair in pairs for own in mine)


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

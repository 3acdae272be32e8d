"""What of an earlier judgement no longer applies, and what changed since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from m4review.reviews.decisions import is_approved
from m4review.reviews.events import Verdict
from m4review.reviews.people import humans
from m4review.reviews.scopes import changed_scopes
from m4review.reviews.standing import Judgement, short
from m4review.reviews.subjects import Subject
from m4review.workspace import Policy, Roster, Scope


@dataclass(frozen=True, slots=True)
class Stale:
    """Verdicts exist on an earlier text or on other task cards, and their givers have not judged this one."""

    scopes: tuple[Scope, ...]
    tasks: tuple[str, ...]
    """Task cards that were changed, added or removed."""
    since: str
    """Id of the event that no longer applies: the newest of the last approved pair, else the newest."""
    was_approved: bool
    change: str
    """What changed, in words."""
    why: str
    """The same with the event and the digest that no longer apply."""


def staleness(subject: Subject, judgement: Judgement, policy: Policy, roster: Roster) -> Stale | None:
    """What no longer applies, where reviewers of an earlier pair have not judged this one."""
    same = humans(roster)
    renewed = {same[judged.verdict.actor] for judged in judgement.verdicts if judged.standing == "counts"}
    old = [judged for judged in judgement.verdicts if judged.standing == "stale"]
    if not any(same[judged.verdict.actor] not in renewed for judged in old):
        return None
    approved = [judged for judged in old if is_approved(judged.pair, judgement, policy, roster)]
    last = (approved or old)[-1].verdict
    scopes, tasks, change = changes_since(last, subject, policy)
    kind = "the last approval was" if approved else "the last verdict was"
    why = f"{kind} on {short(last.content)} ({last.path}); since then {change}"
    return Stale(scopes, tasks, last.id, bool(approved), change, why)


def changes_since(verdict: Verdict, subject: Subject, policy: Policy) -> tuple[tuple[Scope, ...], tuple[str, ...], str]:
    """What differs between the pair a verdict judged and ``subject``: scopes, task cards, and both in words."""
    same_text = verdict.content == subject.content
    scopes = () if same_text else changed_scopes(verdict.scopes, subject.scopes, policy.scopes)
    tasks = changed_tasks(verdict.tasks, subject.tasks)
    parts = [f"the text changed ({', '.join(scopes)})"] if scopes else []
    parts += [f"its task cards changed ({', '.join(tasks)})"] if tasks else []
    return scopes, tasks, " and ".join(parts)


def changed_tasks(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """Task cards that are new, gone or different. A card that only moved to another name is none of these."""
    if sorted(before.values()) == sorted(now.values()):
        return ()
    differing = {name for name in {*before, *now} if before.get(name) != now.get(name)}
    old, new = set(before.values()), set(now.values())
    moved = {name for name in differing if before.get(name, now.get(name)) in old & new}
    return tuple(sorted(differing - moved or differing))

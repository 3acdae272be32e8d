"""The rating matrix of the ledger: what each reviewer said independently, per text and scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4review.reviews.agreement import Agreement, Unit, agreement
from m4review.reviews.events import APPROVING, Decision
from m4review.reviews.ledger import Ledger
from m4review.reviews.overview import skill_status
from m4review.reviews.people import humans
from m4review.reviews.standing import JudgedVerdict
from m4review.workspace import Policy, Roster, Scope, Workspace

COARSE = ("approve", "changes")
FINE = ("approve", "approve-with-notes", "changes")


@dataclass(frozen=True, slots=True)
class RatedText:
    """One exact text with its task cards, and the independent verdicts on it."""

    skill: str
    content: str
    tasks: tuple[str, ...]
    """Names of the task cards, sorted."""
    ratings: Mapping[str, Mapping[Scope, Decision]]
    """Human (their first roster id) → decision per scope, as given."""


def rated_texts(workspace: Workspace, ledger: Ledger, viewer: str | None = None) -> tuple[RatedText, ...]:
    """Every text that two or more humans judged in an independent round, by skill and content.

    A verdict that was later replaced after a discussion still is what its giver thought on their own. Void and
    withdrawn verdicts and those that ``viewer`` may not read yet are left out.
    """
    policy, roster = ledger.policy, ledger.roster
    same = humans(roster)
    found = []
    for skill in sorted({event.skill for event in ledger.events}):
        status = skill_status(workspace, ledger, skill, viewer)
        by_pair: dict[tuple[str, tuple[str, ...]], list[JudgedVerdict]] = {}
        for judged in status.verdicts:
            if judged.verdict.skill == skill and _is_independent(judged):
                by_pair.setdefault(judged.pair, []).append(judged)
        for _, verdicts in sorted(by_pair.items()):
            ratings = _last_words(verdicts, same, policy)
            if len(ratings) > 1:
                first = verdicts[0].verdict
                found.append(RatedText(skill, first.content, tuple(sorted(first.tasks)), ratings))
    return tuple(found)


def scope_agreement(
    texts: Sequence[RatedText], policy: Policy, roster: Roster, *, fine: bool = False
) -> dict[Scope, Agreement]:
    """The agreement on each scope of the policy. ``fine`` keeps an approval with notes apart from one without.

    An abstention is no rating.
    """
    raters = [reviewer.id for reviewer in roster.reviewers]
    return {
        scope: agreement([unit_of(text, scope, fine=fine) for text in texts], raters, FINE if fine else COARSE)
        for scope in policy.scopes
    }


def pair_agreement(texts: Sequence[RatedText], pair: tuple[str, str], scope: Scope, *, fine: bool = False) -> Agreement:
    """The agreement of two reviewers on one scope, over the texts that both rated."""
    units = [unit_of(text, scope, fine=fine) for text in texts]
    of_pair = [{name: unit[name] for name in pair if name in unit} for unit in units]
    return agreement(of_pair, pair, FINE if fine else COARSE)


def pairs_of(texts: Sequence[RatedText], roster: Roster) -> tuple[tuple[str, str], ...]:
    """The pairs of reviewers who rated a text both, in roster order."""
    ids = [reviewer.id for reviewer in roster.reviewers]
    found = {
        (one, other)
        for text in texts
        for one in text.ratings
        for other in text.ratings
        if ids.index(one) < ids.index(other)
    }
    return tuple(sorted(found, key=lambda pair: (ids.index(pair[0]), ids.index(pair[1]))))


def unit_of(text: RatedText, scope: Scope, *, fine: bool = False) -> Unit:
    """Reviewer → category on one scope; abstentions left out."""
    given = {name: decisions[scope] for name, decisions in text.ratings.items() if scope in decisions}
    return {
        name: decision if fine or decision not in APPROVING else "approve"
        for name, decision in given.items()
        if decision != "abstain"
    }


def _is_independent(judged: JudgedVerdict) -> bool:
    kept = judged.standing in {"counts", "stale", "superseded"}
    return kept and not judged.hidden and judged.verdict.round == "independent"


def _last_words(
    verdicts: Sequence[JudgedVerdict], same: Mapping[str, str], policy: Policy
) -> dict[str, Mapping[Scope, Decision]]:
    """Human → decisions of their last independent verdict on one text."""
    ordered = sorted(verdicts, key=lambda judged: (judged.verdict.clock, judged.verdict.id))
    return {
        same[judged.verdict.actor]: {
            scope: judged.verdict.decisions[scope] for scope in policy.scopes if scope in judged.verdict.decisions
        }
        for judged in ordered
    }

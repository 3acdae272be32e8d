"""Whether what a skill rests on changed since it was judged: the skills it builds on, the dataset it is written for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from m4review.reviews.decisions import bases
from m4review.reviews.kinds import Verdict
from m4review.reviews.standing import Judgement
from m4review.reviews.subjects import Pair, Subject
from m4review.workspace import Policy


def suspect_skills(subject: Subject, judgement: Judgement, policy: Policy) -> tuple[str, ...]:
    """The skills that ``subject`` builds on and that are not what a verdict it relies on knew, sorted."""
    return _differing((verdict.deps for verdict in _relied_on(subject.pair, judgement, policy, set())), subject.deps)


def lapsed_databases(subject: Subject, judgement: Judgement, policy: Policy) -> tuple[str, ...]:
    """The databases whose layout or version is not what a verdict ``subject`` relies on knew, sorted."""
    said = (verdict.context for verdict in _relied_on(subject.pair, judgement, policy, set()))
    return _differing(said, subject.context)


def lapsed_since(verdict: Verdict, subject: Subject) -> tuple[str, ...]:
    """The databases whose layout or version is not what ``verdict``, given beside other task cards, knew, sorted."""
    return _differing(iter((verdict.context,)), subject.context)


def _relied_on(pair: Pair, judgement: Judgement, policy: Policy, seen: set[Pair]) -> Iterator[Verdict]:
    if pair in seen:
        return
    seen.add(pair)
    yield from judgement.in_force(pair)
    for base in bases(pair, judgement, policy):
        yield from _relied_on(base, judgement, policy, seen)


def _differing(said: Iterator[Mapping[str, str] | None], now: Mapping[str, str]) -> tuple[str, ...]:
    found: set[str] = set()
    for before in said:
        if before is not None:
            found.update(name for name in {*before, *now} if before.get(name) != now.get(name))
    return tuple(sorted(found))

"""The sign-off: an approval released for use, for as long as everything it relies on stands."""

from __future__ import annotations

from collections.abc import Mapping

from m4review.reviews.consensus import JudgedConsensus
from m4review.reviews.decisions import (
    bases,
    needed,
    overrides,
    settled_decisions,
)
from m4review.reviews.eventparts import APPROVING
from m4review.reviews.findings import findings_of
from m4review.reviews.kinds import Carry, RuleResult, SignOff
from m4review.reviews.people import humans
from m4review.reviews.standing import Judgement
from m4review.reviews.subjects import Pair, Subject, pair_of
from m4review.reviews.suspicion import lapsed_databases, suspect_skills
from m4review.workspace import Policy, Roster


def relied_on(pair: Pair, judgement: Judgement, consensus: JudgedConsensus | None, policy: Policy) -> tuple[str, ...]:
    """Ids of the events that the approval of ``pair`` rests on: verdicts, carries, consensus, overrides, bases."""
    found: dict[str, None] = {}
    waiting, seen = [pair], set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        found |= dict.fromkeys(verdict.id for verdict in judgement.in_force(here))
        found |= dict.fromkeys(
            event.id
            for event in judgement.events
            if isinstance(event, Carry)
            and not judgement.carries[event.id]
            and pair_of(event.content, event.tasks.values()) == here
        )
        waiting += bases(here, judgement, policy)
    if consensus is not None and consensus.holds:
        found |= dict.fromkeys(consensus.events)
    found |= dict.fromkeys(event.id for event in overrides(pair, judgement, policy))
    return tuple(sorted(found))


def policy_results(
    subject: Subject,
    judgement: Judgement,
    consensus: JudgedConsensus | None,
    policy: Policy,
    roster: Roster,
) -> tuple[RuleResult, ...]:
    """Every rule of the policy with its result on ``subject``."""
    pair = subject.pair
    decisions = settled_decisions(pair, judgement, policy, roster)
    required = needed(pair, judgement, policy)
    counts = {
        scope: sum(by_scope.get(scope) in APPROVING for by_scope in decisions.values()) for scope in policy.scopes
    }
    set_aside = [event for event in overrides(pair, judgement, policy) if "reviewers" in event.rules]
    reviewers = ", ".join(f"{scope} {count} of {required}" for scope, count in counts.items())
    if set_aside:
        reviewers += f"; {policy.required} are asked for, set aside by {set_aside[-1].actor} ({set_aside[-1].path})"
    asking = sorted(human for human, by_scope in decisions.items() if "changes" in by_scope.values())
    blockers = [found for found in findings_of(pair, judgement, policy, roster) if found.is_open_blocker]
    suspect, lapsed = suspect_skills(subject, judgement, policy), lapsed_databases(subject, judgement, policy)
    undecided = [judged for judged in judgement.verdicts if judged.standing == "undecided"]
    by = "consensus" if consensus is not None and consensus.holds else "agreement"
    return (
        _result("distinct reviewers per scope", all(count >= required for count in counts.values()), reviewers),
        _result("no request for changes", not asking, f"asked by {', '.join(asking)}" if asking else f"none, by {by}"),
        _result(
            "no open blocker", not blockers, "; ".join(found.ref for found in blockers) if blockers else "none is open"
        ),
        _result(
            "authors excluded",
            not undecided,
            "cannot be told from this history"
            if undecided
            else (
                "by git history and declared authors" if policy.exclude_authors else "the policy does not ask for it"
            ),
        ),
        _result("independence", True, f"first verdicts {policy.independent}; others do not count"),
        _result("assurance", True, f"level {policy.minimum_assurance} or higher; others do not count"),
        _result("what it builds on", not suspect, f"changed: {', '.join(suspect)}" if suspect else "as judged"),
        _result("dataset", not lapsed, f"changed: {', '.join(lapsed)}" if lapsed else "as judged"),
    )


def release(
    subject: Subject,
    judgement: Judgement,
    consensus: JudgedConsensus | None,
    policy: Policy,
    roster: Roster,
    excluded: Mapping[str, str] | None,
) -> tuple[SignOff | None, tuple[str, ...]]:
    """The newest sign-off of ``subject`` that is in force, and why others are not."""
    refused: list[str] = []
    same, required = humans(roster), needed(subject.pair, judgement, policy)
    now = set(relied_on(subject.pair, judgement, consensus, policy))
    for event in reversed(judgement.events):
        if not isinstance(event, SignOff) or pair_of(event.content, event.tasks.values()) != subject.pair:
            continue
        gone = [identity for identity in event.relied_on if identity not in now]
        failed = [result.rule for result in event.rules if not result.passed]
        heard = {
            same[judged.verdict.actor]
            for judged in judgement.verdicts
            if judged.verdict.id in event.relied_on and judged.verdict.actor in same
        }
        if not judgement.effects.holds(event):
            why = judgement.effects.why_not(event)
        elif event.actor in (excluded or {}):
            why = f"{event.actor} had a hand in this text; an author does not sign it off"
        elif gone:
            why = f"{len(gone)} of the events it relies on no longer stand ({gone[0][:19]})"
        elif len(heard) < required:
            why = f"it relies on the verdicts of {len(heard)} of {required} reviewers"
        elif failed:
            why = f"recorded although {failed[0]!r} had failed"
        else:
            return event, tuple(refused)
        refused.append(f"the sign-off of {event.actor} ({event.path}) does not hold: {why}")
    return None, tuple(refused)


def _result(rule: str, passed: bool, why: str) -> RuleResult:
    return RuleResult(rule=rule, passed=passed, why=why)

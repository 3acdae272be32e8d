"""What reviewers found, and whether it is still open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from m4review.reviews.consensus import JudgedConsensus, consensus_on
from m4review.reviews.eventparts import Finding
from m4review.reviews.kinds import Override, Resolve, Verdict
from m4review.reviews.people import humans
from m4review.reviews.standing import Judgement, short
from m4review.reviews.subjects import Pair, pair_of
from m4review.workspace import Policy, Roster


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """A finding, open or settled on one text. ``why`` is a clause that names the event or the rule."""

    finding: Finding
    verdict: Verdict
    is_open: bool
    why: str

    @property
    def ref(self) -> str:
        """How other events name it."""
        return f"{self.verdict.id}#{self.finding.id}"

    @property
    def is_open_blocker(self) -> bool:
        """Whether it holds every approval."""
        return self.is_open and self.finding.severity == "blocker"


def findings_of(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster) -> tuple[JudgedFinding, ...]:
    """The findings of every verdict that was not taken back, replaced or void, as they stand on ``pair``.

    A finding stays open on later texts until its giver names the version that fixes it, or the reviewers agree.
    """
    agreed = _agreed(judgement, policy, roster)
    return tuple(
        _judge_one(finding, judged.verdict, pair, agreed, judgement, policy, roster)
        for judged in judgement.verdicts
        if judged.standing in {"counts", "stale", "undecided"}
        for finding in judged.verdict.findings
    )


def has_own_blocker(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster) -> bool:
    """Whether a blocker found on exactly ``pair`` is open there."""
    return any(
        found.is_open_blocker and pair_of(found.verdict.content, found.verdict.tasks.values()) == pair
        for found in findings_of(pair, judgement, policy, roster)
    )


def _agreed(judgement: Judgement, policy: Policy, roster: Roster) -> Mapping[str, JudgedConsensus]:
    """Finding → the consensus that settles it, on whatever text it was reached."""
    pairs = dict.fromkeys(judged.pair for judged in judgement.verdicts if judged.verdict.findings)
    texts = dict.fromkeys(
        pair_of(event.content, event.tasks.values()) for event in judgement.events if event.kind == "consensus"
    )
    found: dict[str, JudgedConsensus] = {}
    for pair in {**pairs, **texts}:
        consensus = consensus_on(pair, judgement, policy, roster)
        if consensus is not None and consensus.holds:
            found |= dict.fromkeys(consensus.statement.resolutions, consensus)
    return found


def _judge_one(
    finding: Finding,
    verdict: Verdict,
    pair: Pair,
    agreed: Mapping[str, JudgedConsensus],
    judgement: Judgement,
    policy: Policy,
    roster: Roster,
) -> JudgedFinding:
    ref = f"{verdict.id}#{finding.id}"
    same = humans(roster)
    why = f"{finding.severity} of {verdict.actor} on {finding.scope}, open"
    for event in reversed(judgement.events):
        if not judgement.effects.holds(event):
            continue
        if isinstance(event, Resolve) and event.finding == ref and same[event.actor] == same.get(verdict.actor):
            if event.resolution == "no defect":
                return JudgedFinding(finding, verdict, False, f"no defect, says {event.actor} ({event.path})")
            reason = _no_fix(event, verdict, pair, judgement)
            if reason is None:
                said = f"fixed in {short(event.fixed_in or '')}, says {event.actor} ({event.path})"
                return JudgedFinding(finding, verdict, False, said)
            why = f"open: {event.actor} names a fix ({event.path}), but {reason}"
        if (
            isinstance(event, Override)
            and "open-blocker" in event.rules
            and event.actor in policy.may_override
            and pair_of(event.content, event.tasks.values()) == pair
            and (not event.targets or ref in event.targets)
        ):
            return JudgedFinding(finding, verdict, False, f"set aside by {event.actor} ({event.path}): {event.reason}")
    if ref in agreed:
        said = agreed[ref].statement.resolutions[ref]
        return JudgedFinding(finding, verdict, False, f"settled by consensus ({agreed[ref].statement.path}): {said}")
    return JudgedFinding(finding, verdict, True, why)


def _no_fix(event: Resolve, verdict: Verdict, pair: Pair, judgement: Judgement) -> str | None:
    """Why the version that a resolution names does not mend the text of ``pair``; ``None`` when it does."""
    assert event.fixed_in is not None
    if pair[0] == verdict.content:
        return f"this is the text on which {verdict.actor} found it"
    if event.fixed_in == verdict.content:
        return f"{short(event.fixed_in)} is the text on which it was found"
    fix = judgement.holds_fix(event.fixed_in, pair[0])
    if fix == "not recorded":
        return f"{short(event.fixed_in)} is in no recorded version"
    return f"this text did not grow out of {short(event.fixed_in)}" if fix == "not held" else None

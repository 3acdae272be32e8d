"""The state of one skill: a pure function of its digests, its events, policy, roster and history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from m4review.errors import M4ReviewError
from m4review.reviews.authorship import Authorship
from m4review.reviews.consensus import JudgedConsensus, consensus_on
from m4review.reviews.decisions import (
    Decisions,
    bases,
    disputed_scopes,
    given_decisions,
    is_approved_by,
    needed,
    overrides,
    settled_decisions,
    unfounded,
)
from m4review.reviews.explain import explanation, label
from m4review.reviews.findings import JudgedFinding, findings_of
from m4review.reviews.fixes import holds_fix
from m4review.reviews.kinds import Comment, Event, Override, Seal, SignOff, TrialEvidence
from m4review.reviews.releases import release
from m4review.reviews.stale import Stale, staleness
from m4review.reviews.standing import ChangeOf, JudgedVerdict, Judgement, humans_in_force, judge, unknown_change
from m4review.reviews.subjects import Node, Pair, Subject, pair_of
from m4review.reviews.suspicion import lapsed_databases, lapsed_since, suspect_skills
from m4review.workspace import Policy, Roster

State = Literal[
    "draft",
    "in review",
    "approved",
    "signed off",
    "changes requested",
    "disputed",
    "consensus pending",
    "stale",
    "suspect",
    "lapsed",
    "withdrawn",
    "superseded",
    "void",
    "not recorded",
    "undecided",
]
Basis = Literal["agreement", "consensus", "carry", "override"]
APPROVED_STATES: frozenset[State] = frozenset({"approved", "signed off"})


@dataclass(frozen=True, slots=True)
class SkillStatus:
    """The computed state, with what it rests on."""

    skill: str
    state: State
    label: str
    """The state in words with its counts, as every screen and list prints it."""
    because: tuple[str, ...]
    """Sentences: which event, which digest, which rule."""
    subject: Subject | None
    """``None`` when the text cannot be digested; ``because`` says why."""
    given: int
    """Distinct eligible reviewers with a verdict on exactly this pair."""
    required: int
    verdicts: tuple[JudgedVerdict, ...] = ()
    stale: Stale | None = None
    excluded: Mapping[str, str] | None = None
    """Reviewer → why they may not judge this text; ``None`` when that cannot be told."""
    decisions_hidden: bool = False
    """Whether decisions of others are withheld from this viewer; see :mod:`m4review.reviews.visibility`."""
    version: int | None = None
    """Number of the recorded version that holds this text; ``None`` when the working copy differs from all."""
    is_recorded: bool = True
    """Whether the text and its task cards on disk equal the last recorded ones."""
    basis: Basis | None = None
    """By what the text is approved; ``None`` when it is not, or the viewer may not know yet."""
    suspect: tuple[str, ...] = ()
    """Skills that this one builds on and that changed since it was judged."""
    lapsed: tuple[str, ...] = ()
    """Databases whose layout or version is no longer the one it was judged for."""
    sealed: tuple[str, ...] = ()
    """Who sealed a verdict on this text that is not shown yet."""
    findings: tuple[JudgedFinding, ...] = ()
    comments: tuple[Comment, ...] = ()
    consensus: JudgedConsensus | None = None
    sign_off: SignOff | None = None
    """The sign-off in force."""
    trials: tuple[TrialEvidence, ...] = ()
    """Evidence measured on exactly this text."""
    overrides: tuple[Override, ...] = ()
    """Every override that was ever recorded for the skill, in force or not."""
    judgement: Judgement | None = field(default=None, compare=False, repr=False)
    """What all of it was computed from, with nothing withheld; ``None`` once a viewer's eyes are considered."""


def skill_state(
    subject: Subject,
    events: Sequence[Event],
    policy: Policy,
    roster: Roster,
    history: Sequence[Node] | None,
    *,
    is_complete: bool = True,
    change_of: ChangeOf = unknown_change,
    levels: Mapping[str, int] | None = None,
) -> SkillStatus:
    """The state of ``subject``.

    ``events`` are the intact events that concern it, in any order. ``history`` holds the recorded states of the skill
    and its task cards, parents first; ``None`` says that no history can be read, and ``is_complete=False`` that its
    beginning is missing (a shallow clone), so that authors cannot be excluded. ``change_of`` classes the change
    between two texts, ``levels`` gives the assurance level of signed events.
    """
    if history is None:
        return _without_history(subject, events, policy, roster)
    origin_of = Authorship(subject, events, policy, roster, history, is_complete, change_of, levels)
    judgement = judge(events, subject.pair, policy, roster, origin_of, change_of, levels, holds_fix(history))
    return state_of(subject, judgement, policy, roster, origin_of.excluded(subject.pair, policy, roster))


def unreviewable_state(
    skill: str, error: M4ReviewError, events: Sequence[Event], policy: Policy, roster: Roster
) -> SkillStatus:
    """The state of a text that has no digest. It is no text anyone judged, so earlier verdicts are stale."""
    verdicts = judge(events, None, policy, roster, lambda pair: None).verdicts
    stale = any(judged.standing == "stale" for judged in verdicts)
    return SkillStatus(
        skill=skill,
        state="stale" if stale else "undecided",
        label=f"{'stale' if stale else 'undecided'}: the text cannot be reviewed",
        because=(str(error),),
        subject=None,
        given=0,
        required=policy.required,
        verdicts=verdicts,
        is_recorded=False,
        overrides=_all_overrides(events),
    )


def state_of(
    subject: Subject,
    judgement: Judgement,
    policy: Policy,
    roster: Roster,
    excluded: Mapping[str, str] | None,
) -> SkillStatus:
    """The state that follows from events whose worth is known."""
    pair = subject.pair
    verdicts = judgement.verdicts
    given = len(humans_in_force(verdicts, pair, roster))
    required = needed(pair, judgement, policy)
    decisions = settled_decisions(pair, judgement, policy, roster)
    findings = findings_of(pair, judgement, policy, roster)
    consensus = consensus_on(pair, judgement, policy, roster)
    sealed = tuple(seal.actor for seal in judgement.rounds.unopened(pair))
    stale = staleness(subject, judgement, policy, roster)
    suspect = suspect_skills(subject, judgement, policy)
    lapsed = lapsed_databases(subject, judgement, policy)
    if stale is not None and not stale.scopes:
        last = next(judged.verdict for judged in verdicts if judged.verdict.id == stale.since)
        lapsed = lapsed or lapsed_since(last, subject)
    first = given_decisions(pair, judgement, policy, roster)
    state = _bare_state(pair, decisions, required, policy, verdicts, findings, consensus, sealed, stale)
    sign_off, refused = release(subject, judgement, consensus, policy, roster, excluded)
    basis: Basis | None = None
    if state == "approved":
        stale = None
        basis = _basis(subject, first, judgement, policy, consensus, required)
        if sign_off is not None:
            state = "signed off"
        if lapsed:
            state = "lapsed"
        if suspect:
            state = "suspect"
    return SkillStatus(
        skill=subject.skill,
        state=state,
        label=label(state, given, policy.required, stale, suspect, lapsed, consensus, len(sealed), basis),
        because=explanation(
            verdicts,
            stale,
            policy,
            decisions,
            judgement,
            findings,
            consensus,
            sign_off,
            refused,
            suspect,
            lapsed,
            subject,
            unfounded(pair, judgement, policy, roster),
        ),
        subject=subject,
        given=given,
        required=policy.required,
        verdicts=verdicts,
        stale=stale,
        excluded=excluded,
        basis=basis,
        suspect=suspect,
        lapsed=lapsed,
        sealed=sealed,
        findings=findings,
        comments=tuple(
            event for event in judgement.events if isinstance(event, Comment) and judgement.effects.holds(event)
        ),
        consensus=consensus,
        sign_off=sign_off if state != "suspect" and basis is not None else None,
        trials=tuple(
            event
            for event in judgement.events
            if isinstance(event, TrialEvidence) and event.content == subject.content and judgement.effects.holds(event)
        ),
        overrides=_all_overrides(judgement.events),
        judgement=judgement,
    )


def _bare_state(
    pair: Pair,
    decisions: Decisions,
    required: int,
    policy: Policy,
    verdicts: Sequence[JudgedVerdict],
    findings: Sequence[JudgedFinding],
    consensus: JudgedConsensus | None,
    sealed: Sequence[str],
    stale: Stale | None,
) -> State:
    """The first state that fits, from the one that says least to the one that says most."""
    counts = [judged for judged in verdicts if judged.standing == "counts"]
    if any(judged.standing == "undecided" for judged in verdicts):
        return "undecided"
    if is_approved_by(decisions, policy, required):
        return "changes requested" if any(found.is_open_blocker for found in findings) else "approved"
    is_pending = consensus is not None and not consensus.invalid and not consensus.holds
    if is_pending and counts:
        return "consensus pending"
    if disputed_scopes(decisions):
        return "disputed"
    if any("changes" in by_scope.values() for by_scope in decisions.values()):
        return "changes requested"
    if counts or sealed:
        return "in review"
    if stale is not None:
        return "stale"
    here = {judged.standing for judged in verdicts if judged.pair == pair}
    without_effect: tuple[State, ...] = ("withdrawn", "superseded", "void")
    return next((state for state in without_effect if state in here), "draft")


def _basis(
    subject: Subject,
    first: Decisions,
    judgement: Judgement,
    policy: Policy,
    consensus: JudgedConsensus | None,
    required: int,
) -> Basis:
    if any(True for _ in overrides(subject.pair, judgement, policy)):
        return "override"
    if not is_approved_by(first, policy, required) and consensus is not None and consensus.holds:
        return "consensus"
    if bases(subject.pair, judgement, policy) and not judgement.in_force(subject.pair):
        return "carry"
    return "agreement"


def _all_overrides(events: Sequence[Event]) -> tuple[Override, ...]:
    found = {event.id: event for event in events if isinstance(event, Override)}
    return tuple(sorted(found.values(), key=lambda event: (event.clock, event.id)))


def _without_history(subject: Subject, events: Sequence[Event], policy: Policy, roster: Roster) -> SkillStatus:
    verdicts = judge(events, subject.pair, policy, roster, lambda pair: None).verdicts
    return SkillStatus(
        skill=subject.skill,
        state="not recorded",
        label="not recorded: no version history",
        because=("the workspace is not a git repository with a first version, so nothing can be bound or approved",),
        subject=subject,
        given=0,
        required=policy.required,
        verdicts=verdicts,
        is_recorded=False,
        sealed=tuple(
            event.actor
            for event in events
            if isinstance(event, Seal) and pair_of(event.content, event.tasks.values()) == subject.pair
        ),
        overrides=_all_overrides(events),
    )

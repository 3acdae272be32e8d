"""The state of one skill version: a pure function of its text, its history, the events, the policy and the roster.

Nothing here reads a file or a clock, and nothing is stored: change a byte and the state is another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from m4review.errors import M4ReviewError
from m4review.reviews.authorship import Authorship
from m4review.reviews.decisions import combined, disputed_scopes, is_approved_by
from m4review.reviews.events import APPROVING, Decision, Event
from m4review.reviews.stale import Stale, staleness
from m4review.reviews.standing import JudgedVerdict, humans_in_force, judge
from m4review.reviews.subjects import Node, Subject
from m4review.workspace import Policy, Roster, Scope

State = Literal["draft", "in review", "approved", "changes requested", "disputed", "stale", "not recorded", "undecided"]


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


def skill_state(
    subject: Subject,
    events: Sequence[Event],
    policy: Policy,
    roster: Roster,
    history: Sequence[Node] | None,
    *,
    is_complete: bool = True,
) -> SkillStatus:
    """The state of ``subject``.

    ``events`` are the intact events that concern it, in any order. ``history`` holds the recorded states of the skill
    and its task cards, parents first; ``None`` says that no history can be read, and ``is_complete=False`` that its
    beginning is missing (a shallow clone), so that authors cannot be excluded.
    """
    if history is None:
        return _without_history(subject, events, policy, roster)
    origin_of = Authorship(subject, events, policy, roster, history, is_complete)
    verdicts = judge(events, subject.pair, policy, roster, origin_of)
    return state_of(subject, verdicts, policy, roster, origin_of.excluded(subject.pair, policy, roster))


def unreviewable_state(
    skill: str, error: M4ReviewError, events: Sequence[Event], policy: Policy, roster: Roster
) -> SkillStatus:
    """The state of a text that has no digest. It is no text anyone judged, so earlier verdicts are stale."""
    verdicts = judge(events, None, policy, roster, lambda pair: None)
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
    )


def state_of(
    subject: Subject,
    verdicts: tuple[JudgedVerdict, ...],
    policy: Policy,
    roster: Roster,
    excluded: Mapping[str, str] | None,
) -> SkillStatus:
    """The state that follows from verdicts whose standing is known."""
    counting = humans_in_force(verdicts, subject.pair, roster)
    given = len(counting)
    stale = staleness(subject, verdicts, policy, roster)
    undecided = [judged for judged in verdicts if judged.standing == "undecided"]
    decisions = {human: combined(found, policy) for human, found in counting.items()}
    if undecided:
        state: State = "undecided"
    elif is_approved_by(decisions, policy):
        state = "approved"
    elif disputed_scopes(decisions):
        state = "disputed"
    elif any("changes" in by_scope.values() for by_scope in decisions.values()):
        state = "changes requested"
    elif given:
        state = "in review"
    else:
        state = "stale" if stale else "draft"
    if state == "approved":
        stale = None
    return SkillStatus(
        skill=subject.skill,
        state=state,
        label=label(state, given, policy.required, stale),
        because=explanation(verdicts, stale, policy, decisions),
        subject=subject,
        given=given,
        required=policy.required,
        verdicts=verdicts,
        stale=stale,
        excluded=excluded,
    )


def label(state: State, given: int, required: int, stale: Stale | None) -> str:
    """A state in words: ``in review (1 of 2)``, ``stale (definition, output)``."""
    text = f"in review ({_counted(given, required)})" if state == "in review" else str(state)
    if stale is None:
        return text
    what = ", ".join(stale.scopes) if stale.scopes else "task cards"
    return f"stale ({what})" if state == "stale" else f"{text}, stale ({what})"


def explanation(
    verdicts: Sequence[JudgedVerdict],
    stale: Stale | None,
    policy: Policy,
    decisions: Mapping[str, Mapping[Scope, Decision]] | None,
) -> tuple[str, ...]:
    """Why a state is what it is: the events, then what changed, then the rule with its counts.

    ``decisions`` is ``None`` for a viewer to whom decisions are not shown.
    """
    sentences = [_sentence(judged) for judged in verdicts if judged.standing in {"counts", "undecided", "void"}]
    if stale is not None:
        sentences.append(stale.why)
    rule = f"approval takes {policy.required} distinct reviewers on every scope of exactly this text and its task cards"
    if decisions is None:
        rule += "; decisions are shown after your own verdict, or when the round is complete"
    else:
        counts = {
            scope: sum(by_scope[scope] in APPROVING for by_scope in decisions.values()) for scope in policy.scopes
        }
        rule += ": " + ", ".join(f"{scope} {_counted(count, policy.required)}" for scope, count in counts.items())
    return (*sentences, rule)


def _counted(count: int, required: int) -> str:
    return f"{count} of {required}" if count <= required else f"{count}, {required} needed"


def _sentence(judged: JudgedVerdict) -> str:
    verdict = judged.verdict
    if judged.standing != "counts":
        return f"{verdict.actor}'s verdict ({verdict.path}) does not count: {judged.why}"
    if judged.hidden:
        return f"{verdict.actor} gave a verdict ({verdict.path}), {judged.why}"
    said = ", ".join(f"{scope} {decision}" for scope, decision in verdict.decisions.items())
    return f"{verdict.actor}: {said} ({verdict.path}), {judged.why}"


def _without_history(subject: Subject, events: Sequence[Event], policy: Policy, roster: Roster) -> SkillStatus:
    verdicts = judge(events, subject.pair, policy, roster, lambda pair: None)
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
    )

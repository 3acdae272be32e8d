"""The state of one skill version: a pure function of its text, its history, the events, the policy and the roster.

Nothing here reads a file or a clock, and nothing is stored: change a byte and the state is another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from m4review.errors import M4ReviewError
from m4review.reviews.events import APPROVING, Decision, Event, Verdict
from m4review.reviews.origins import origin_of_new_text, origins
from m4review.reviews.people import human_addresses, humans
from m4review.reviews.scopes import changed_scopes
from m4review.reviews.standing import JudgedVerdict, humans_in_force, judge, short
from m4review.reviews.subjects import Node, Origin, Pair, Subject, pair_of
from m4review.workspace import Policy, Reviewer, Roster, Scope

State = Literal["draft", "in review", "approved", "changes requested", "disputed", "stale", "not recorded", "undecided"]

CAUTION: Mapping[Decision, int] = {"approve": 0, "approve-with-notes": 1, "abstain": 2, "changes": 3}
"""Of several verdicts that one human gave at once, the most cautious decision per scope holds."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Verdicts exist on an earlier text or on other task cards, and their givers have not judged this one."""

    scopes: tuple[Scope, ...]
    tasks: tuple[str, ...]
    """Task cards that were changed, added or removed."""
    since: str
    """Id of the event that no longer applies: the newest of the last approved pair, else the newest."""
    was_approved: bool
    why: str


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
    origin_of = _Origins(subject, events, policy, roster, history, is_complete)
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
    text = f"in review ({given} of {required})" if state == "in review" else str(state)
    if stale is None:
        return text
    what = ", ".join(stale.scopes) if stale.scopes else "task cards"
    return f"stale ({what})" if state == "stale" else f"{text}, stale ({what})"


def combined(verdicts: Sequence[Verdict], policy: Policy) -> dict[Scope, Decision]:
    """One human's decision per scope of the policy: the most cautious of their verdicts in force."""
    return {
        scope: max((verdict.decisions[scope] for verdict in verdicts), key=CAUTION.__getitem__)
        for scope in policy.scopes
    }


def is_approved_by(decisions: Mapping[str, Mapping[Scope, Decision]], policy: Policy) -> bool:
    """Whether every scope has enough approvals by distinct humans and nobody asks for changes."""
    if any("changes" in by_scope.values() for by_scope in decisions.values()):
        return False
    return all(
        sum(by_scope[scope] in APPROVING for by_scope in decisions.values()) >= policy.required
        for scope in policy.scopes
    )


def disputed_scopes(decisions: Mapping[str, Mapping[Scope, Decision]]) -> tuple[Scope, ...]:
    """Scopes that one reviewer approves and another wants changed."""
    scopes = {scope: None for by_scope in decisions.values() for scope in by_scope}
    return tuple(
        scope
        for scope in scopes
        if {"changes", "approve"}
        <= {"approve" if by_scope[scope] in APPROVING else by_scope[scope] for by_scope in decisions.values()}
    )


def staleness(subject: Subject, verdicts: Sequence[JudgedVerdict], policy: Policy, roster: Roster) -> Stale | None:
    """What no longer applies, where reviewers of an earlier pair have not judged this one."""
    same = humans(roster)
    renewed = {same[judged.verdict.actor] for judged in verdicts if judged.standing == "counts"}
    old = [judged for judged in verdicts if judged.standing == "stale"]
    if not any(same[judged.verdict.actor] not in renewed for judged in old):
        return None
    approved = [judged for judged in old if is_approved_pair(judged.pair, verdicts, policy, roster)]
    last = (approved or old)[-1].verdict
    scopes, tasks, change = changes_since(last, subject, policy)
    kind = "the last approval was" if approved else "the last verdict was"
    why = f"{kind} on {short(last.content)} ({last.path}); since then {change}"
    return Stale(scopes, tasks, last.id, bool(approved), why)


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


def is_approved_pair(pair: Pair, verdicts: Sequence[JudgedVerdict], policy: Policy, roster: Roster) -> bool:
    """Whether the verdicts in force on ``pair``, current or past, approve it."""
    found = humans_in_force(verdicts, pair, roster)
    return is_approved_by({human: combined(given, policy) for human, given in found.items()}, policy)


def exclusion(reviewer: Reviewer, roster: Roster, origin: Origin) -> str | None:
    """Why the author rule keeps a reviewer from giving a verdict now, or ``None``."""
    if human_addresses(roster, reviewer.id) & (origin.authors | origin.committers.keys()):
        return f"{reviewer.id} had a hand in this text since it was last approved; an author does not review it"
    return None


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
        rule += ": " + ", ".join(f"{scope} {count} of {policy.required}" for scope, count in counts.items())
    return (*sentences, rule)


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


class _Origins:
    """Origin of each pair, computed once; ``None`` where it cannot be told."""

    def __init__(
        self,
        subject: Subject,
        events: Sequence[Event],
        policy: Policy,
        roster: Roster,
        history: Sequence[Node],
        is_complete: bool,
    ) -> None:
        judged_pairs = {pair_of(event.content, event.tasks.values()) for event in events if isinstance(event, Verdict)}

        def is_approved(pair: Pair, origin: Origin) -> bool:
            if pair not in judged_pairs:
                return False
            return is_approved_pair(pair, judge(events, pair, policy, roster, lambda _: origin), policy, roster)

        self.known = origins(history, is_approved) if is_complete else {}
        if is_complete and subject.pair not in self.known:
            new = origin_of_new_text(history, lambda pair: is_approved(pair, self.known[pair]))
            self.known[subject.pair] = new

    def __call__(self, pair: Pair) -> Origin | None:
        return self.known.get(pair)

    def excluded(self, pair: Pair, policy: Policy, roster: Roster) -> dict[str, str] | None:
        """Reviewer → why the author rule keeps them from judging ``pair``; ``None`` when it cannot be told."""
        if not policy.exclude_authors:
            return {}
        if pair not in self.known:
            return None
        found = {reviewer.id: exclusion(reviewer, roster, self.known[pair]) for reviewer in roster.reviewers}
        return {identity: why for identity, why in found.items() if why}

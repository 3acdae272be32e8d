"""A state in words, and why it is what it is: which event, which digest, which rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from m4review.reviews.consensus import JudgedConsensus
from m4review.reviews.eventparts import APPROVING, Decision
from m4review.reviews.findings import JudgedFinding
from m4review.reviews.kinds import Carry, SignOff
from m4review.reviews.stale import Stale
from m4review.reviews.standing import JudgedVerdict, Judgement, short
from m4review.reviews.subjects import Subject, pair_of
from m4review.workspace import Policy, Scope

WITHOUT_EFFECT = frozenset({"withdrawn", "superseded", "void"})


def label(
    state: str,
    given: int,
    required: int,
    stale: Stale | None,
    suspect: Sequence[str] = (),
    lapsed: Sequence[str] = (),
    consensus: JudgedConsensus | None = None,
    sealed: int = 0,
    basis: str | None = None,
) -> str:
    """A state in words: ``in review (1 of 2)``, ``stale (definition, output)``, ``suspect (sofa-score)``."""
    text = state
    if state == "in review":
        text = f"in review ({_counted(given, required)}{f', {sealed} sealed' if sealed else ''})"
    elif state == "consensus pending" and consensus is not None:
        everybody = len(consensus.confirmed) + len(consensus.missing)
        text = f"consensus pending ({len(consensus.confirmed)} of {everybody} confirmed)"
    elif state in {"approved", "signed off"} and basis in {"consensus", "override"}:
        text = f"{state} (by {basis})"
    elif state == "suspect":
        text = f"suspect ({', '.join(suspect)})"
    elif state == "lapsed":
        text = f"lapsed ({', '.join(lapsed)})"
    if stale is not None:
        what = ", ".join(stale.scopes) if stale.scopes else "task cards"
        text = f"stale ({what})" if state == "stale" else f"{text}, stale ({what})"
    if suspect and state not in {"suspect", "stale", "draft"}:
        text += f", suspect ({', '.join(suspect)})"
    if lapsed and state not in {"lapsed", "draft"}:
        text += f", lapsed ({', '.join(lapsed)})"
    return text


def explanation(
    verdicts: Sequence[JudgedVerdict],
    stale: Stale | None,
    policy: Policy,
    decisions: Mapping[str, Mapping[Scope, Decision]] | None,
    judgement: Judgement | None = None,
    findings: Sequence[JudgedFinding] = (),
    consensus: JudgedConsensus | None = None,
    sign_off: SignOff | None = None,
    refused: Sequence[str] = (),
    suspect: Sequence[str] = (),
    lapsed: Sequence[str] = (),
    subject: Subject | None = None,
    unfounded: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Why a state is what it is: the events, then what changed, then the rule with its counts.

    ``decisions`` is ``None`` for a viewer to whom decisions are not shown.
    """
    sentences = [_sentence(judged) for judged in verdicts if judged.standing in {"counts", "undecided", "void"}]
    sentences += _without_effect(verdicts, subject)
    if judgement is not None and subject is not None:
        sentences += _carries(judgement, subject, unfounded)
    if decisions is not None:
        sentences += [
            f"{found.ref[:19]}#{found.finding.id}: {found.why}: {found.finding.text}"
            for found in findings
            if found.is_open_blocker
        ]
        sentences += _consensus(consensus)
        if sign_off is not None:
            sentences.append(f"signed off by {sign_off.actor} on {sign_off.at[:10]} ({sign_off.path})")
        sentences += refused
    if stale is not None:
        sentences.append(stale.why)
    if suspect:
        sentences.append(f"it builds on {', '.join(suspect)}, changed since it was judged; judge it again")
    if lapsed:
        sentences.append(f"it was judged for another layout or version of {', '.join(lapsed)}; judge it again")
    rule = f"approval takes {policy.required} distinct reviewers on every scope of exactly this text and its task cards"
    if decisions is None:
        rule += "; decisions are shown after your own verdict, or when the round is complete"
    else:
        counts = {
            scope: sum(by_scope.get(scope) in APPROVING for by_scope in decisions.values()) for scope in policy.scopes
        }
        rule += ": " + ", ".join(f"{scope} {_counted(count, policy.required)}" for scope, count in counts.items())
    return (*sentences, rule)


def _without_effect(verdicts: Sequence[JudgedVerdict], subject: Subject | None) -> list[str]:
    """The verdicts on exactly this text that were taken back or set aside, and what follows where none is left."""
    here = [judged for judged in verdicts if subject is not None and judged.pair == subject.pair]
    sentences = [_sentence(judged) for judged in here if judged.standing in {"withdrawn", "superseded"}]
    if here and subject is not None and all(judged.standing in WITHOUT_EFFECT for judged in here):
        rule = f"no verdict on exactly this text, {short(subject.content)}, and its task cards has an effect any more"
        sentences.append(f"{rule}; a state follows from those that have one")
    return sentences


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


def _carries(judgement: Judgement, subject: Subject, unfounded: frozenset[str]) -> list[str]:
    sentences = []
    for event in judgement.events:
        if isinstance(event, Carry) and pair_of(event.content, event.tasks.values()) == subject.pair:
            why = judgement.carries[event.id]
            if not why and event.base.content in unfounded:
                why = "that text was never approved"
            said = (
                f"{event.actor} confirmed that the change since {short(event.base.content)} is editorial ({event.path})"
            )
            sentences.append(f"{said}; this does not hold: {why}" if why else said)
    return sentences


def _consensus(consensus: JudgedConsensus | None) -> list[str]:
    if consensus is None:
        return []
    where = consensus.statement.path
    if consensus.invalid:
        return [f"the consensus ({where}) is invalid: {consensus.invalid}"]
    said = ", ".join(f"{scope} {decision}" for scope, decision in consensus.statement.decisions.items())
    sentences = [f"consensus of {', '.join(consensus.confirmed)}: {said} ({where})"]
    if consensus.missing:
        sentences.append(f"it waits for the confirmation of {', '.join(consensus.missing)}")
    sentences += [f"{actor} dissents: {' '.join(text.split())}" for actor, text in consensus.dissent.items()]
    return sentences

"""Which acts of the ledger are possible now: each is tried without writing, and says itself why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from m4review.errors import LedgerError, M4ReviewError
from m4review.reviews import Ledger
from m4review.reviews.acts import Scene
from m4review.reviews.duties import recuse
from m4review.reviews.kinds import Event, Withdrawal
from m4review.reviews.overview import full_status
from m4review.reviews.people import humans
from m4review.reviews.rules import recorded_refusal
from m4review.reviews.sealing import seal_to_open
from m4review.reviews.settling import carry, open_questions, sign_off
from m4review.workspace import Reviewer, Workspace

PROBE = "a reason"
"""Stands for the reason that is asked for later."""


def scene_now(workspace: Workspace, skill: str, person: Reviewer, now: datetime) -> Scene:
    """Everything an act may look at, read anew. Nothing in it is withheld: it decides, it is never shown.

    Raises:
        M4ReviewError: the ledger, roster or policy cannot be read, or nothing can be recorded on the present text.
    """
    ledger = Ledger.load(workspace)
    status = full_status(workspace, ledger, skill)
    refusal = recorded_refusal(ledger, status)
    if refusal is not None:
        raise refusal
    return Scene(workspace, ledger, status, person, now)


def refusals(scene: Scene) -> dict[str, M4ReviewError | None]:
    """Act → why ``scene.person`` cannot do it now, or ``None``. Nothing is written."""
    refusal = recorded_refusal(scene.ledger, scene.status)
    if refusal is not None:
        return dict.fromkeys(ACTS, refusal)
    return {act: _refusal(attempt, scene) for act, attempt in ACTS.items()}


def own_events(scene: Scene) -> tuple[Event, ...]:
    """The events that the person can still take back, newest first."""
    taken_back = scene.judgement.effects.withdrawn
    return tuple(
        event
        for event in reversed(scene.judgement.events)
        if event.actor == scene.person.id and not isinstance(event, Withdrawal) and event.id not in taken_back
    )


def _refusal(attempt: Callable[[Scene], object], scene: Scene) -> M4ReviewError | None:
    try:
        attempt(scene)
    except M4ReviewError as error:
        return error
    return None


def _settle(scene: Scene) -> None:
    scopes, findings = open_questions(scene)
    same = humans(scene.roster)
    given = {same[verdict.actor] for verdict in scene.judgement.in_force(scene.subject.pair)}
    if same[scene.person.id] not in given:
        raise LedgerError("a consensus is of those who gave a verdict on this text, and you gave none")
    consensus = scene.status.consensus
    if not scopes and not findings and (consensus is None or consensus.invalid or not consensus.missing):
        raise LedgerError("the reviewers said the same; there is nothing to settle")


def _take_back(scene: Scene) -> None:
    if not own_events(scene):
        raise LedgerError("you have recorded nothing on this skill that could be taken back")


def _override(scene: Scene) -> None:
    allowed = scene.policy.may_override
    if scene.person.id not in allowed:
        raise LedgerError(
            f"{scene.person.id} may not set a rule aside; the policy trusts {', '.join(allowed) or 'nobody'} with it"
        )


def _revoke(scene: Scene) -> None:
    mine = any(event.actor == scene.person.id for event in scene.judgement.events)
    if not mine and scene.person.id not in scene.policy.may_override:
        raise LedgerError("there is no event that you may declare void")


def _always(_scene: Scene) -> None:
    return None


ACTS: Mapping[str, Callable[[Scene], object]] = {
    "reveal": lambda scene: seal_to_open(scene.workspace, scene.ledger, scene.status, scene.person),
    "consensus": _settle,
    "sign_off": sign_off(),
    "carry": carry(""),
    "comment": _always,
    "evidence": _always,
    "ask": _always,
    "assign": _always,
    "withdraw": _take_back,
    "recuse": recuse(PROBE),
    "revoke": _revoke,
    "override": _override,
}

"""Statuses and queues as plain values for JSON: documented keys, nothing a viewer may not see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from m4review.reviews.ledger import Problem
from m4review.reviews.standing import JudgedVerdict
from m4review.reviews.status import SkillStatus
from m4review.reviews.waiting import QueueItem
from m4review.workspace import Policy

STATUS_SCHEMA = "m4review.review-status.v1"
QUEUE_SCHEMA = "m4review.review-queue.v1"
RECORDED_SCHEMA = "m4review.review-event.v1"


def status_report(
    statuses: Iterable[SkillStatus], problems: Iterable[Problem], policy: Policy, viewer: str | None
) -> dict[str, Any]:
    """One object for ``review status --json``."""
    return {
        "schema": STATUS_SCHEMA,
        "viewer": viewer,
        "policy": {"required": policy.required, "scopes": list(policy.scopes), "independent": policy.independent},
        "skills": [status_values(status) for status in statuses],
        "problems": [
            {"kind": problem.kind, "skill": problem.skill, "event": problem.path, "why": problem.error.what}
            for problem in problems
        ],
    }


def queue_report(items: Iterable[QueueItem], reviewer: str) -> dict[str, Any]:
    """One object for ``review queue --json``."""
    return {
        "schema": QUEUE_SCHEMA,
        "reviewer": reviewer,
        "items": [
            {"kind": item.kind, "skill": item.skill, "why": item.why, "status": status_values(item.status)}
            for item in items
        ],
    }


def status_values(status: SkillStatus) -> dict[str, Any]:
    """One status. ``state`` is the bare state, ``label`` the state in words with counts."""
    subject = status.subject
    return {
        "skill": status.skill,
        "state": status.state,
        "label": status.label,
        "version": status.version,
        "is_recorded": status.is_recorded,
        "content": None if subject is None else subject.content,
        "scopes": {} if subject is None else dict(subject.scopes),
        "tasks": {} if subject is None else dict(subject.tasks),
        "given": status.given,
        "required": status.required,
        "stale": None
        if status.stale is None
        else {
            "scopes": list(status.stale.scopes),
            "tasks": list(status.stale.tasks),
            "since": status.stale.since,
            "was_approved": status.stale.was_approved,
            "why": status.stale.why,
        },
        "because": list(status.because),
        "decisions_hidden": status.decisions_hidden,
        "excluded": None if status.excluded is None else dict(status.excluded),
        "verdicts": [verdict_values(judged) for judged in status.verdicts],
    }


def verdict_values(judged: JudgedVerdict) -> dict[str, Any]:
    """One verdict with its standing. ``decisions`` is ``null`` while it is withheld from the viewer."""
    verdict = judged.verdict
    return {
        "event": verdict.path,
        "id": verdict.id,
        "actor": verdict.actor,
        "at": verdict.at,
        "content": verdict.content,
        "standing": judged.standing,
        "why": judged.why,
        "round": verdict.round,
        "decisions": None if judged.hidden else dict(verdict.decisions),
        "notes": None if judged.hidden else verdict.notes,
        "meaning": None if judged.hidden else verdict.meaning,
    }

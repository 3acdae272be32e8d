"""Statuses and queues as plain values for JSON: documented keys, nothing a viewer may not see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from m4review.reviews.consensus import JudgedConsensus
from m4review.reviews.findings import JudgedFinding
from m4review.reviews.inforce import InForce
from m4review.reviews.kinds import TrialEvidence
from m4review.reviews.ledger import Problem
from m4review.reviews.standing import JudgedVerdict
from m4review.reviews.status import SkillStatus
from m4review.reviews.versionstates import VersionState
from m4review.reviews.waiting import QueueItem

STATUS_SCHEMA = "m4review.review-status.v1"
QUEUE_SCHEMA = "m4review.review-queue.v1"
RECORDED_SCHEMA = "m4review.review-event.v1"


def status_report(
    statuses: Iterable[SkillStatus], problems: Iterable[Problem], rules: InForce, viewer: str | None
) -> dict[str, Any]:
    """One object for ``review status --json``."""
    policy = rules.policy
    return {
        "schema": STATUS_SCHEMA,
        "viewer": viewer,
        "policy": {"required": policy.required, "scopes": list(policy.scopes), "independent": policy.independent},
        "rules": rules_values(rules),
        "skills": [status_values(status) for status in statuses],
        "problems": [
            {"kind": problem.kind, "skill": problem.skill, "event": problem.path, "why": problem.error.what}
            for problem in problems
        ],
    }


def rules_values(rules: InForce) -> dict[str, Any]:
    """What is judged by, and in ``not_in_force`` what of the files on disk is not."""
    return {"in_force": rules.rules.digest, "policy": rules.policy_digest, "not_in_force": list(rules.notes)}


def version_values(version: VersionState) -> dict[str, Any]:
    """One recorded version of a skill."""
    return {
        "version": version.number,
        "content": version.content,
        "state": version.state,
        "label": version.label,
        "because": list(version.because),
    }


def queue_report(items: Iterable[QueueItem], reviewer: str, rules: InForce) -> dict[str, Any]:
    """One object for ``review queue --json``."""
    return {
        "schema": QUEUE_SCHEMA,
        "reviewer": reviewer,
        "rules": rules_values(rules),
        "items": [
            {
                "kind": item.kind,
                "skill": item.skill,
                "why": item.why,
                "since": item.since,
                "change": item.change,
                "status": status_values(item.status),
            }
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
        "basis": status.basis,
        "suspect": list(status.suspect),
        "lapsed": list(status.lapsed),
        "sealed": list(status.sealed),
        "findings": [finding_values(found, status) for found in status.findings],
        "comments": [
            {"event": one.path, "actor": one.actor, "at": one.at, "scope": one.scope, "text": one.notes}
            for one in status.comments
        ],
        "consensus": None if status.consensus is None else consensus_values(status.consensus),
        "sign_off": None
        if status.sign_off is None
        else {
            "event": status.sign_off.path,
            "actor": status.sign_off.actor,
            "at": status.sign_off.at,
            "relied_on": list(status.sign_off.relied_on),
            "rules": [result.model_dump() for result in status.sign_off.rules],
        },
        "trials": [trial_values(one) for one in status.trials],
        "overrides": [
            {"event": one.path, "actor": one.actor, "at": one.at, "rules": list(one.rules), "reason": one.reason}
            for one in status.overrides
        ],
        "excluded": None if status.excluded is None else dict(status.excluded),
        "verdicts": [verdict_values(judged) for judged in status.verdicts],
    }


def finding_values(found: JudgedFinding, status: SkillStatus) -> dict[str, Any]:
    """One finding. Those that are withheld from the viewer are not among the findings of a status."""
    finding = found.finding
    return {
        "ref": found.ref,
        "actor": found.verdict.actor,
        "event": found.verdict.path,
        "scope": finding.scope,
        "severity": finding.severity,
        "text": finding.text,
        "anchor": None if finding.anchor is None else finding.anchor.model_dump(mode="json"),
        "reference": finding.reference,
        "proposed": finding.proposed,
        "is_open": found.is_open,
        "why": found.why,
        "on_this_text": status.subject is not None and found.verdict.content == status.subject.content,
    }


def consensus_values(consensus: JudgedConsensus) -> dict[str, Any]:
    """A consensus with who confirmed it and whether it holds."""
    said = consensus.statement
    return {
        "event": said.path,
        "actor": said.actor,
        "at": said.at,
        "decisions": dict(said.decisions),
        "resolutions": dict(said.resolutions),
        "rationale": said.rationale,
        "confirmed": list(consensus.confirmed),
        "missing": list(consensus.missing),
        "dissent": dict(consensus.dissent),
        "holds": consensus.holds,
        "invalid": consensus.invalid or None,
    }


def trial_values(trial: TrialEvidence) -> dict[str, Any]:
    """One piece of trial evidence, in aggregate."""
    return {
        "event": trial.path,
        "actor": trial.actor,
        "at": trial.at,
        "content": trial.content,
        "trial": trial.trial,
        "task": trial.task,
        "agent": trial.agent,
        "model": trial.model,
        "dataset": trial.dataset,
        "isolated": trial.isolated,
        "n": trial.n,
        "rewards": dict(trial.rewards),
        "columns": {name: dict(shares) for name, shares in trial.columns.items()},
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

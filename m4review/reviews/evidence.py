"""The aggregate result of a trial, attached to the content it was measured on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from m4review.errors import LedgerError
from m4review.reviews.acts import Act, Plan, Scene
from m4review.reviews.standing import short


@dataclass(frozen=True, slots=True)
class Measured:
    """One trial in aggregate: shares between 0 and 1, never rows."""

    trial: str
    task: str
    task_digest: str
    content: str
    """Content digest of the skill that the trial gave."""
    agent: str
    model: str | None
    dataset: str
    isolated: bool
    n: int
    rewards: Mapping[str, float]
    columns: Mapping[str, Mapping[str, float]]


def attach(measured: Measured) -> Plan:
    """Record a trial as evidence for the present text, on which it must have been measured."""

    def plan(scene: Scene) -> Act:
        subject = scene.subject
        if measured.content != subject.content:
            raise LedgerError(
                f"the trial {measured.trial} was measured on another text ({short(measured.content)})",
                where=subject.skill,
                expected=f"a trial on {short(subject.content)}",
                fix=f"m4review trial {measured.task}",
            )
        if subject.tasks.get(measured.task) != measured.task_digest:
            raise LedgerError(
                f"the task card {measured.task} is not the one of the trial",
                where=subject.skill,
                fix=f"m4review trial {measured.task}",
            )
        if any(event.trial == measured.trial for event in scene.status.trials):
            raise LedgerError(f"the trial {measured.trial} is recorded already", where=subject.skill)
        shares = ", ".join(f"{name} {reward:.3f}" for name, reward in measured.rewards.items())
        model = f" ({measured.model})" if measured.model else ""
        isolation = "" if measured.isolated else ", not isolated"
        runs = f"{measured.n} run{'s' * (measured.n != 1)} per condition"
        meaning = (
            f"As {scene.person.id} I record a trial of {subject.skill} ({short(subject.content)}) on {measured.task}: "
            f"{measured.agent}{model}, dataset {measured.dataset}{isolation}, {runs}, reward {shares}."
        )
        return Act(
            "trial",
            meaning,
            {
                "trial": measured.trial,
                "task": measured.task,
                "agent": measured.agent,
                "model": measured.model,
                "dataset": measured.dataset,
                "isolated": measured.isolated,
                "n": measured.n,
                "rewards": {name: float(value) for name, value in measured.rewards.items()},
                "columns": {
                    name: {column: float(value) for column, value in shares.items()}
                    for name, shares in measured.columns.items()
                },
            },
        )

    return plan

"""Did a change of the text help? A trial beside that of the text tried before, as figures and in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from m4review.trials.ablation import NO_EFFECT
from m4review.trials.conditions import Condition
from m4review.trials.records import SkillUsed
from m4review.trials.summary import ConditionResult, TrialSummary

MOST_COLUMNS = 4
"""Columns that the sentence names; the page that compares two trials shows all."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Change(_Part):
    """A reward or match rate with the former text and with the present one."""

    name: str
    former: float
    present: float

    @property
    def by(self) -> float:
        """Present minus former."""
        return self.present - self.former


class Improvement(_Part):
    """What another text of one skill did to the reward with the skill, everything else being the same."""

    former_trial: str
    former_text: str
    present_text: str
    reward: Change
    columns: tuple[Change, ...]
    """Match rates that are not the same, the greatest change first."""
    runs: tuple[int, int]
    """Runs with the skill that count, of the former trial and of the present one."""
    model: str | None

    @property
    def sentence(self) -> str:
        """The answer in plain words, then every figure that it rests on."""
        same = abs(self.reward.by) < NO_EFFECT
        compared = f"as with {self.former_text}" if same else f"with {self.former_text} it was {self.reward.former:.3f}"
        said = f"With {self.present_text} the reward is {self.reward.present:.3f}, {compared}"
        named = [f"{one.name} {one.former:.3f} → {one.present:.3f}" for one in self.columns[:MOST_COLUMNS]]
        more = len(self.columns) - len(named)
        columns = ", ".join([*named, *([f"{more} more"] if more > 0 else [])])
        return f"{self._verdict} {said}{f'; {columns}' if columns else ''}.{self._caution}"

    @property
    def _verdict(self) -> str:
        """What the figures alone say; of a model, whose reward also moves by chance, not that the text did it."""
        if abs(self.reward.by) < NO_EFFECT:
            return "The change of the text did not change the reward."
        rose = self.reward.by > 0
        by = f"{'+' if rose else '−'}{abs(self.reward.by):.3f}"
        if self.model:
            return f"The reward is {'higher' if rose else 'lower'} after the change of the text ({by})."
        return f"The change of the text {'helped' if rose else 'made it worse'} ({by})."

    @property
    def _caution(self) -> str:
        """A language model answers differently from run to run."""
        former, present = self.runs
        return f" Runs: {present}, before {former}; a model's reward also moves by chance." if self.model else ""


def improvement(trial: TrialSummary, others: Iterable[TrialSummary], skill: str) -> Improvement | None:
    """The trial beside the newest earlier one that differs in the text of ``skill`` alone; ``None`` without such a one.

    Task, dataset, agent and its version, model, place, schema, origin of the reference and every other skill are the
    same, and both have a run with the skill that counts.
    """
    present = trial.result(Condition.WITH_SKILL)
    if present is None or present.reward is None:
        return None
    for other in sorted(others, key=lambda one: one.started, reverse=True):
        former = other.result(Condition.WITH_SKILL)
        if other.started >= trial.started or former is None or former.reward is None:
            continue
        if _setting(other) == _setting(trial) and _differ_in(skill, former, present):
            return _between(other, former, trial, present, skill)
    return None


def improvements(trial: TrialSummary, others: Iterable[TrialSummary]) -> tuple[Improvement, ...]:
    """The same for each skill that the trial gave; of those, only one can be all that differs from another trial."""
    given = trial.result(Condition.WITH_SKILL)
    earlier = list(others)
    found = [improvement(trial, earlier, used.name) for used in (() if given is None else given.skills)]
    return tuple(one for one in found if one is not None)


def _setting(trial: TrialSummary) -> tuple[object, ...]:
    return (
        trial.task,
        trial.dataset,
        trial.agent,
        trial.agent_version,
        trial.model,
        trial.isolated,
        trial.changed_schema,
        trial.reference_lineage,
    )


def _differ_in(skill: str, former: ConditionResult, present: ConditionResult) -> bool:
    before, after = ({used.name: used.digest for used in result.skills} for result in (former, present))
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == {skill} and (
        skill in before and skill in after
    )


def _between(
    other: TrialSummary, former: ConditionResult, trial: TrialSummary, present: ConditionResult, skill: str
) -> Improvement:
    assert former.reward is not None
    assert present.reward is not None
    changes = [
        Change(name=name, former=former.columns.get(name, 0.0), present=present.columns.get(name, 0.0))
        for name in dict.fromkeys((*former.columns, *present.columns))
    ]
    return Improvement(
        former_trial=other.id,
        former_text=_text_of(skill, former),
        present_text=_text_of(skill, present),
        reward=Change(name="reward", former=former.reward, present=present.reward),
        columns=tuple(
            sorted((one for one in changes if abs(one.by) >= NO_EFFECT), key=lambda one: (-abs(one.by), one.name))
        ),
        runs=(former.counted, present.counted),
        model=trial.model,
    )


def _text_of(skill: str, result: ConditionResult) -> str:
    used: SkillUsed = next(used for used in result.skills if used.name == skill)
    return f"version {used.version}" if used.version else f"text {used.digest.removeprefix('sha256:')[:8]}"

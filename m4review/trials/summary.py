"""What a trial found: per condition, and the difference between with and without the skill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from m4review.ehr.dataset import REUSED_MARK
from m4review.scoring import Score
from m4review.textfile import write_bytes
from m4review.trials.agents.trace import Gap
from m4review.trials.audit import AuditFinding
from m4review.trials.conditions import PAIR, Arm, Condition, arm_label
from m4review.trials.decisions import HoldDecision
from m4review.trials.records import TRIAL_SCHEMA, Outcome, RunRecord, SchemaShown, SkillUsed, to_json
from m4review.workspace import Workspace

TRIALS = "trials"
NO_INFERENCE = "one task, no inference"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ConditionResult(_Part):
    """The runs of one condition. Means are over the runs that count; ``None`` when none does."""

    condition: Condition
    left_out: str | None = None
    """Title of the section that an ablation left out of the skill."""
    runs: tuple[str, ...]
    counted: int
    reward: float | None
    columns: dict[str, float]
    """Match rate per scored column."""
    key_f1: float | None
    strict_passes: int
    outcomes: dict[str, int]
    infra_errors: int = 0
    """Runs that failed through no fault of the agent; a later attempt may stand in their place."""
    skills: tuple[SkillUsed, ...]
    skill_opened: bool | None
    audit: Literal["clear", "held", "blind", "none"]
    """``blind``: nothing was found, but a trace says nothing. ``none``: no run came so far."""
    gaps: tuple[Gap, ...]
    """What the agent could not execute, over all runs, each once."""
    delta: float | None = None
    """Mean reward minus that of no-skill, over the replicates in which both count; ``None`` for no-skill itself."""

    @property
    def arm(self) -> Arm:
        """Which arm of the trial this is the result of."""
        return Arm(self.condition, self.left_out)

    @property
    def label(self) -> str:
        """How the arm is called on screens and in tables."""
        return arm_label(self.condition, self.left_out)

    @property
    def given_as_skill(self) -> bool:
        """Whether something lay in a folder of skills, so that it can have been opened or not."""
        return any(skill.place == "skill" for skill in self.skills)


class UnscoredRun(_Part):
    """A run without a score that counts, and why. ``counts`` says whether it enters the means as 0 or not at all."""

    run: str
    condition: Condition
    left_out: str | None = None
    replicate: int
    outcome: Outcome
    counts: bool
    reason: str | None
    findings: tuple[AuditFinding, ...]
    confirmed: bool = False
    """Whether a person confirmed what the audit found; the run then never counts and waits no more."""

    @property
    def label(self) -> str:
        """How the arm of the run is called."""
        return arm_label(self.condition, self.left_out)


class Pair(_Part):
    """One replicate with both conditions. ``delta`` is ``None`` when one of them does not count."""

    replicate: int
    without: float | None
    with_skill: float | None
    delta: float | None


class SectionEffect(_Part):
    """What the reward loses when one section of the skill is left out. ``None`` where a run does not count."""

    section: str
    reward: float | None
    """Mean reward without the section."""
    lost: float | None
    """Reward of the whole skill minus that; negative where the section stands in the way."""
    columns_lost: dict[str, float]
    """The same per scored column, those that change."""


class TrialSummary(_Part):
    """A trial as it is kept and shown. Every figure comes from the run records it names."""

    schema_id: Literal["m4review.trial.v1"] = Field(default=TRIAL_SCHEMA, alias="schema")
    id: str
    task: str
    kind: str
    agent: str
    agent_version: str
    agent_title: str
    model: str | None
    dataset: str
    synthetic: bool
    schema_name: SchemaShown = "native"
    schema_seed: int = 0
    mapped: bool = False
    """Whether skills were given with the names of the changed schema."""
    reference_lineage: str
    sandbox: Literal["docker", "local"]
    isolated: bool
    seed: int
    """Of the shuffle that decided the order of the conditions."""
    repeats: int
    parallel: int = 1
    """How many runs were under way at once at most."""
    order: tuple[str, ...]
    """Run ids in the order in which they were made or reused."""
    replicates: tuple[int, ...] = ()
    """The replicate that each of them stands for here; a reused run was perhaps made as another."""
    reused: tuple[str, ...]
    started: datetime
    finished: datetime
    cancelled: bool
    conditions: tuple[ConditionResult, ...]
    pairs: tuple[Pair, ...]
    delta: float | None
    """Mean reward with the skill minus without, over the pairs that count."""
    column_deltas: dict[str, float]
    unscored: tuple[UnscoredRun, ...]
    decisions: tuple[HoldDecision, ...] = ()
    """What people decided about runs that the audit held."""
    ablation: tuple[SectionEffect, ...] = ()
    """Section by section in the order of the text, when the trial left sections out."""
    inference: str = NO_INFERENCE

    @property
    def changed_schema(self) -> str | None:
        """The changed schema in words, ``None`` for the native one."""
        if self.schema_name == "native":
            return None
        seed = f" (seed {self.schema_seed})" if self.schema_seed else ""
        return f"{self.schema_name} schema{seed}, skills {'mapped' if self.mapped else 'as written'}"

    @property
    def held(self) -> bool:
        """Whether a run waits for a person's decision."""
        return any(run.outcome is Outcome.AUDIT_HOLD and not run.confirmed for run in self.unscored)

    @property
    def has_reused_concepts(self) -> bool:
        """Whether concepts behind the references were taken from the source, not made by our queries."""
        return REUSED_MARK in self.reference_lineage

    @property
    def complete(self) -> bool:
        """Whether every condition has a run that counts."""
        return not self.cancelled and all(result.counted for result in self.conditions)

    def result(self, condition: Condition) -> ConditionResult | None:
        """The result of a condition with the whole of what it gives, if the trial ran it."""
        return next((result for result in self.conditions if result.arm == Arm(condition)), None)

    def reward(self, condition: str) -> float | None:
        """Mean reward of a condition, ``None`` when it did not run or no run of it counts."""
        result = self.result(Condition(condition))
        return None if result is None else result.reward


def arm_result(arm: Arm, records: Sequence[RunRecord]) -> ConditionResult:
    """Sum up the runs of one arm; ``records`` are all of the trial."""
    runs = [record for record in records if record.inputs.arm == arm]
    counted = [record for record in runs if record.reward is not None]
    names = list(dict.fromkeys(column.name for run in counted if run.score for column in run.score.columns))
    opened = [run.trace.skill_opened for run in runs if run.trace and run.trace.skill_opened is not None]
    gaps = {(gap.where, gap.text): gap for run in runs if run.trace for gap in run.trace.gaps}
    return ConditionResult(
        condition=arm.condition,
        left_out=arm.left_out,
        runs=tuple(run.id for run in runs),
        counted=len(counted),
        reward=fmean(run.reward or 0.0 for run in counted) if counted else None,
        columns={name: fmean(_rate(run, name) for run in counted) for name in names},
        key_f1=fmean(_scored(run).keys.f1 if _is_scored(run) else 0.0 for run in counted) if counted else None,
        strict_passes=sum(1 for run in counted if _is_scored(run) and _scored(run).passed),
        outcomes=dict(sorted(Counter(run.outcome.value for run in runs).items())),
        infra_errors=sum(1 for run in runs if run.outcome is Outcome.INFRA_ERROR),
        skills=runs[-1].inputs.skills if runs else (),
        skill_opened=any(opened) if opened else None,
        audit=_audit_of(runs),
        gaps=tuple(gaps.values()),
        delta=_difference(arm, records),
    )


def make_pairs(records: Sequence[RunRecord], repeats: int) -> tuple[Pair, ...]:
    """The replicates that were meant to run under both conditions of the comparison."""
    last = _last_runs(records)
    pairs = []
    for replicate in range(1, repeats + 1):
        both = [last.get((replicate, Arm(condition))) for condition in PAIR]
        without, with_skill = (None if record is None else record.reward for record in both)
        delta = None if without is None or with_skill is None else with_skill - without
        pairs.append(Pair(replicate=replicate, without=without, with_skill=with_skill, delta=delta))
    return tuple(pairs)


def mean_delta(pairs: Sequence[Pair]) -> float | None:
    """Mean difference over the pairs in which both runs count."""
    deltas = [pair.delta for pair in pairs if pair.delta is not None]
    return fmean(deltas) if deltas else None


def unscored_runs(records: Sequence[RunRecord]) -> tuple[UnscoredRun, ...]:
    """The runs whose outcome is anything but *scored*."""
    return tuple(
        UnscoredRun(
            run=record.id,
            condition=record.inputs.condition,
            left_out=record.inputs.left_out,
            replicate=record.replicate,
            outcome=record.outcome,
            counts=record.outcome.counts,
            reason=record.reason,
            findings=() if record.audit is None else record.audit.findings,
            confirmed=record.outcome is Outcome.AUDIT_HOLD and not record.waits,
        )
        for record in records
        if record.outcome is not Outcome.SCORED
    )


def recorded_decisions(records: Sequence[RunRecord]) -> tuple[HoldDecision, ...]:
    """The decisions in force about the runs."""
    return tuple(record.decision for record in records if record.decision is not None)


def column_deltas(results: Sequence[ConditionResult]) -> dict[str, float]:
    """Difference of the match rates per scored column, where both conditions have counted runs."""
    by_arm = {result.arm: result for result in results}
    without, with_skill = (by_arm.get(Arm(condition)) for condition in PAIR)
    if without is None or with_skill is None or not without.counted or not with_skill.counted:
        return {}
    names = dict.fromkeys((*without.columns, *with_skill.columns))
    return {name: with_skill.columns.get(name, 0.0) - without.columns.get(name, 0.0) for name in names}


def trials_folder(workspace: Workspace) -> Path:
    """Where the summaries lie."""
    return workspace.local_dir / TRIALS


def write_trial(workspace: Workspace, summary: TrialSummary) -> None:
    """Keep a summary.

    Raises:
        TextFileError: the disk is full or not writable.
    """
    write_bytes(trials_folder(workspace) / f"{summary.id}.json", to_json(summary))


def _last_runs(records: Sequence[RunRecord]) -> dict[tuple[int, Arm], RunRecord]:
    """The run that stands for each replicate of each arm: the last attempt."""
    return {(record.replicate, record.inputs.arm): record for record in records}


def _difference(arm: Arm, records: Sequence[RunRecord]) -> float | None:
    """Mean difference to no-skill over the replicates in which both runs count."""
    bare = Arm(Condition.NO_SKILL)
    if arm == bare:
        return None
    last = _last_runs(records)
    deltas = []
    for (replicate, other), record in last.items():
        base = last.get((replicate, bare))
        if other == arm and base is not None and base.reward is not None and record.reward is not None:
            deltas.append(record.reward - base.reward)
    return fmean(deltas) if deltas else None


def _audit_of(runs: Sequence[RunRecord]) -> Literal["clear", "held", "blind", "none"]:
    audits = [run.audit for run in runs if run.audit is not None]
    if any(audit.held for audit in audits):
        return "held"
    if not audits:
        return "none"
    return "clear" if all(run.trace and run.trace.readable for run in runs if run.audit) else "blind"


def _is_scored(run: RunRecord) -> bool:
    return run.outcome is Outcome.SCORED and run.score is not None


def _scored(run: RunRecord) -> Score:
    assert run.score is not None
    return run.score


def _rate(run: RunRecord, name: str) -> float:
    return _scored(run).column(name).rate if _is_scored(run) else 0.0

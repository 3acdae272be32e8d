"""What the figures of a workspace show, as plain data: reward per version, a forest of tasks, agreement of reviewers.

The terminal and the picture files draw the very same data. A figure that cannot be computed is ``None``, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from m4review.campaigns.effects import Effect
from m4review.campaigns.resampling import task_bootstrap
from m4review.reviews.agreement import Agreement
from m4review.trials.summary import TrialSummary
from m4review.trials.versionhistory import Series

AGREEMENTS = (
    ("raw", "raw agreement"),
    ("kappa", "Cohen's kappa"),
    ("alpha", "Krippendorff's alpha"),
    ("ac1", "Gwet's AC1"),
)
SEED = 1
"""Of the bootstrap over tasks, so that a figure is the same from call to call."""


class _Figure(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class RewardPoint(_Figure):
    """One text of a skill. Rewards are means from 0 to 1."""

    version: str
    runs: int
    without: float | None
    with_skill: float | None


class RewardPanel(_Figure):
    """One skill in one setting."""

    skill: str
    setting: str
    points: tuple[RewardPoint, ...]


class RewardFigure(_Figure):
    """Reward per version, a panel for each skill and setting."""

    schema_id: Literal["m4review.figure-reward.v1"] = Field(default="m4review.figure-reward.v1", alias="schema")
    panels: tuple[RewardPanel, ...]
    caption: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.panels


class ForestRow(_Figure):
    """One task: the mean difference, with the range over its models and replicates."""

    task: str
    """Its name, with its setting where the figure has several."""
    delta: float
    low: float
    high: float
    pairs: int


class ForestFigure(_Figure):
    """With-skill minus no-skill per task, greatest first."""

    schema_id: Literal["m4review.figure-forest.v1"] = Field(default="m4review.figure-forest.v1", alias="schema")
    rows: tuple[ForestRow, ...]
    mean: float | None
    """Over tasks; ``None`` where there are none, or where rows come from several settings."""
    low: float | None
    """95 % interval of the mean over tasks, which are resampled; ``None`` with fewer than two of them."""
    high: float | None
    left_out: tuple[str, ...]
    """What did not enter, and why, in sentences."""
    caption: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.rows


class AgreementRow(_Figure):
    """One scope. ``None`` is undefined."""

    scope: str
    n: int
    raw: float | None
    kappa: float | None
    alpha: float | None
    ac1: float | None


class AgreementFigure(_Figure):
    """How far reviewers agreed on their own."""

    schema_id: Literal["m4review.figure-agreement.v1"] = Field(default="m4review.figure-agreement.v1", alias="schema")
    rows: tuple[AgreementRow, ...]
    caption: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return all(row.n == 0 for row in self.rows)


WorkspaceFigure = RewardFigure | ForestFigure | AgreementFigure


def reward_figure(histories: Iterable[tuple[str, Sequence[Series]]]) -> RewardFigure:
    """Reward per version from the histories of skills, by name."""
    panels = tuple(
        RewardPanel(
            skill=skill,
            setting=series.setting,
            points=tuple(
                RewardPoint(version=text.label, runs=text.runs, without=text.without, with_skill=text.with_skill)
                for text in series.versions
            ),
        )
        for skill, found in histories
        for series in found
    )
    return RewardFigure(panels=panels, caption="Mean reward without and with the skill, per version that was tried.")


def forest_of_trials(trials: Iterable[TrialSummary]) -> ForestFigure:
    """Differences per task from the newest trial of each task, setting and model; ``trials`` newest first.

    A setting is a dataset, an agent and a place; where there are several, each task has a row in each and no mean is
    taken over them. A trial on a changed schema measures something else, and a cancelled one perhaps nothing: they do
    not enter.
    """
    newest: dict[tuple[str, str, str | None], TrialSummary] = {}
    left_out = []
    for trial in trials:
        if trial.changed_schema is not None:
            left_out.append(f"{trial.task}: {trial.id} ran on another schema ({trial.changed_schema})")
        elif trial.cancelled:
            left_out.append(f"{trial.task}: {trial.id} was cancelled")
        elif newest.setdefault((trial.task, _place(trial), trial.model), trial) is trial and trial.delta is None:
            left_out.append(f"{trial.task}: the newest trial ({trial.id}) has no difference")
    places = {_place(trial) for trial in newest.values()}
    by_row: dict[str, list[float]] = {}
    for trial in newest.values():
        row = trial.task if len(places) == 1 else f"{trial.task} · {_place(trial)}"
        by_row.setdefault(row, []).extend(pair.delta for pair in trial.pairs if pair.delta is not None)
    rows = [_row(name, deltas) for name, deltas in by_row.items() if deltas]
    return _forest(rows, left_out, "the newest trial of each", settings=len(places))


def _place(trial: TrialSummary) -> str:
    return f"{trial.dataset} · {trial.agent}" + ("" if trial.isolated else " · not isolated")


def forest_of_effect(effect: Effect, source: str) -> ForestFigure:
    """Differences per task from a comparison of many runs."""
    rows = [
        ForestRow(
            task=task.task,
            delta=task.delta,
            low=min(pair.delta for pair in task.models),
            high=max(pair.delta for pair in task.models),
            pairs=len(task.models),
        )
        for task in effect.tasks
    ]
    return _forest(rows, effect.left_out, source)


def agreement_figure(scopes: Iterable[tuple[str, Agreement]]) -> AgreementFigure:
    """Every figure of agreement per scope."""
    rows = tuple(
        AgreementRow(scope=scope, n=found.n, raw=found.raw, kappa=found.kappa, alpha=found.alpha, ac1=found.ac1)
        for scope, found in scopes
    )
    return AgreementFigure(rows=rows, caption="Agreement of reviewers in independent rounds, per scope; n texts each.")


def _row(task: str, deltas: Sequence[float]) -> ForestRow:
    return ForestRow(task=task, delta=float(np.mean(deltas)), low=min(deltas), high=max(deltas), pairs=len(deltas))


def _forest(rows: Sequence[ForestRow], left_out: Iterable[str], source: str, settings: int = 1) -> ForestFigure:
    ordered = tuple(sorted(rows, key=lambda row: (-row.delta, row.task)))
    deltas = np.array([row.delta for row in ordered])
    comparable = settings <= 1
    interval = task_bootstrap(deltas, seed=SEED) if len(ordered) > 1 and comparable else None
    mean = float(deltas.mean()) if len(ordered) and comparable else None
    if not comparable:
        told = f"{settings} settings, so no mean over them"
    elif mean is None:
        told = "no task has a difference"
    else:
        said = "one task, no inference" if interval is None else "its 95 % interval over tasks"
        told = f"mean {mean:+.3f}, {said}"
    return ForestFigure(
        rows=ordered,
        mean=mean,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        left_out=tuple(left_out),
        caption=f"With-skill minus no-skill per task ({source}; line: range over models and replicates); {told}.",
    )

"""The figures of a workspace from its own files: which trials and verdicts enter, and as whom they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from m4review.campaigns.analysis import NO_SKILL, WITH_SKILL
from m4review.campaigns.effects import compare_arms
from m4review.campaigns.runs import task_facts
from m4review.campaigns.runsource import read_source
from m4review.campaigns.trialfigures import (
    AgreementFigure,
    ForestFigure,
    RewardFigure,
    WorkspaceFigure,
    agreement_figure,
    forest_of_effect,
    forest_of_trials,
    reward_figure,
)
from m4review.reviews import Ledger
from m4review.reviews.ratings import rated_texts, scope_agreement
from m4review.trials.standing import load_trials
from m4review.trials.versionhistory import history_of
from m4review.workspace import Workspace

FigureName = Literal["reward", "forest", "agreement"]
FIGURES: dict[FigureName, str] = {
    "reward": "reward per version of a skill",
    "forest": "with-skill minus no-skill, task by task",
    "agreement": "how far reviewers agreed on their own",
}


def workspace_figure(
    workspace: Workspace,
    name: FigureName,
    *,
    skill: str | None = None,
    dataset: str | None = None,
    viewer: str | None = None,
) -> WorkspaceFigure:
    """The figure of that name from the trials or verdicts of this workspace.

    ``skill`` and ``dataset`` limit trials; ``viewer`` decides which verdicts may be seen yet.

    Raises:
        WorkspaceError: there is no such skill.
        M4ReviewError: the ledger or the history cannot be read.
    """
    match name:
        case "reward":
            return rewards(workspace, skill, dataset)
        case "forest":
            return forest(workspace, skill, dataset)
        case "agreement":
            return agreement(workspace, viewer)


def rewards(workspace: Workspace, skill: str | None, dataset: str | None = None) -> RewardFigure:
    """Reward per version of one skill, or of every skill that was tried."""
    trials = [trial for trial in load_trials(workspace) if dataset is None or trial.dataset == dataset]
    names = (
        [skill]
        if skill is not None
        else sorted(
            {
                used.name
                for trial in trials
                for result in trial.conditions
                if result.given_as_skill
                for used in result.skills
            }
        )
    )
    found = []
    for name in names:
        series = history_of(trials, name)
        if series:
            found.append((name, series))
    return reward_figure(found)


def forest(workspace: Workspace, skill: str | None, dataset: str | None = None) -> ForestFigure:
    """The tasks of one skill or of all."""
    tasks = None if skill is None else {task.name for task in workspace.tasks_of_skill(skill)}
    return forest_of_trials(
        trial
        for trial in load_trials(workspace)
        if (tasks is None or trial.task in tasks) and (dataset is None or trial.dataset == dataset)
    )


def forest_of_runs(workspace: Workspace, *, campaign: str | None, files: Sequence[Path]) -> ForestFigure:
    """The tasks of a campaign or of files of runs.

    Raises:
        RunFileError, CampaignError, EffectError: they cannot be read, or hold nothing to compare.
    """
    facts = task_facts(workspace)
    source = read_source(workspace, facts, campaign=campaign, files=files)
    return forest_of_effect(compare_arms(source.runs, facts, NO_SKILL, WITH_SKILL), ", ".join(source.names))


def agreement(workspace: Workspace, viewer: str | None) -> AgreementFigure:
    """Agreement per scope, as far as ``viewer`` may see verdicts yet."""
    ledger = Ledger.load(workspace)
    texts = rated_texts(workspace, ledger, viewer)
    return agreement_figure(scope_agreement(texts, ledger.policy, ledger.roster).items())

"""What a trial needs before it can start: a task, a dataset that fits it, a sandbox; and why it cannot start."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from m4review.errors import LedgerError, TrialError
from m4review.trials.conditions import CONTROLS, PAIR, Condition
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.reviews.evidence import Measured
    from m4review.trials import TrialSummary

SYNTHETIC_LAYOUT = "mimic-iv"
"""Of the dataset that the set-up screen makes where there is none."""
Place = Literal["docker", "local"]
PLACES: dict[Place, str] = {
    "docker": "Docker: sealed, without network; references are not in it",
    "local": "this machine, NOT ISOLATED: the agent is an ordinary process that could read any file",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a trial compares. ``says`` is for the menu; ``sections`` leaves out one section of the skill at a time."""

    id: str
    key: str
    says: str
    controls: tuple[Condition, ...] = ()
    sections: bool = False

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions to run: always without and with the skill."""
        return (*PAIR, *self.controls)

    @property
    def beside_the_pair(self) -> str:
        """What is compared beside the pair, in a word or two; empty for nothing."""
        if self.sections:
            return "section by section"
        return "+ all controls" if len(self.controls) > 1 else "".join(f"+ {control}" for control in self.controls)


COMPARISONS = (
    Comparison("pair", "1", "Without and with the skill"),
    Comparison("sections", "2", "Each section left out in turn: which one carries the reward?", sections=True),
    Comparison("text", "3", "… and its words as text in the prompt: format or words?", (Condition.SKILL_AS_TEXT,)),
    Comparison(
        "specification", "4", "… and the rules alone, without the database's recipe", (Condition.OPERATIONAL_SPEC,)
    ),
    Comparison("decoy", "5", "… and a decoy: the skill of an unrelated family", (Condition.DECOY,)),
    Comparison("query", "6", "… and the reference query itself in the skill's place", (Condition.RAW_SQL,)),
    Comparison("library", "7", "… and every skill of the library at once", (Condition.ALL_SKILLS,)),
    Comparison("controls", "8", "… and all of these controls", CONTROLS),
)


@dataclass(frozen=True, slots=True)
class DatasetChoice:
    """One dataset on this machine."""

    name: str
    layout: str
    facts: str


@dataclass(frozen=True, slots=True)
class TrialSetup:
    """What can be chosen. ``engine`` says why Docker is not there, ``None`` when it is."""

    skill: str
    tasks: tuple[str, ...]
    layouts: dict[str, str]
    """Task → the layout of the datasets it can run on."""
    datasets: tuple[DatasetChoice, ...]
    default_dataset: str | None
    engine: str | None
    earlier: tuple[TrialSummary, ...] = ()
    """Trials of these tasks, newest first."""
    content: str | None = None
    """Digest of the skill on disk; ``None`` where it cannot be given to an agent."""

    def tried(
        self, task: str, dataset: str, place: Place, comparison: Comparison = COMPARISONS[0]
    ) -> TrialSummary | None:
        """The newest finished trial of exactly this text that compared at least this; ``None`` when there is none."""
        for trial in self.earlier:
            same = (trial.task, trial.dataset, trial.sandbox, trial.schema_name) == (task, dataset, place, "native")
            compared = {result.condition for result in trial.conditions} >= set(comparison.conditions)
            own = trial.result(Condition.WITH_SKILL)
            given = () if own is None else own.skills
            if not same or not compared or trial.cancelled or (comparison.sections and not trial.ablation):
                continue
            if any(skill.digest == self.content for skill in given):
                return trial
        return None

    def fitting(self, task: str) -> list[DatasetChoice]:
        """The datasets of the task's layout."""
        return [dataset for dataset in self.datasets if dataset.layout == self.layouts[task]]

    def first_dataset(self, task: str) -> str | None:
        """The workspace's own choice when it fits, else the only one that fits."""
        names = [dataset.name for dataset in self.fitting(task)]
        if self.default_dataset in names:
            return self.default_dataset
        return names[0] if len(names) == 1 else None

    def why_no_dataset(self, task: str) -> str:
        """What to do when nothing fits the task."""
        layout = self.layouts[task]
        command = f"m4review data synth --layout {layout} --stays 2000 --seed 1 --name synthetic"
        if layout == SYNTHETIC_LAYOUT and not self.datasets:
            how = f"s (Set up; F8 on the first screen) makes one of made-up patients; on the command line: {command}"
        else:
            how = f"Leave the workbench and make one: {command}"
        return f"There is no dataset of the layout {layout} on this machine. {how}"


def load_setup(workspace: Workspace, skill: str, environment: Mapping[str, str]) -> TrialSetup:
    """Look for tasks, datasets, an engine and earlier trials. Slow: loads the data and trial rooms.

    Raises:
        DatasetError: a dataset's manifest cannot be understood.
    """
    from m4review.ehr import list_datasets
    from m4review.trials.sandbox.engine import engine_status

    tasks = workspace.tasks_of_skill(skill)
    names = tuple(task.name for task in tasks)
    engine = engine_status(environment)
    return TrialSetup(
        skill=skill,
        tasks=names,
        layouts={task.name: task.database for task in tasks},
        datasets=tuple(
            DatasetChoice(
                dataset.name,
                dataset.layout_name,
                f"{dataset.stays():,} ICU stays, {'synthetic' if dataset.synthetic else 'imported'}",
            )
            for dataset in list_datasets(workspace.data_home(environment))
        ),
        default_dataset=workspace.default_dataset(),
        engine=None if engine.available else engine.reason or "no Docker engine answers",
        earlier=earlier_trials(workspace, skill),
        content=_content(workspace, skill),
    )


def at_present(setup: TrialSetup, workspace: Workspace) -> TrialSetup:
    """The setup with the text and the trials as they are now; data and engine are not looked at again."""
    return replace(setup, earlier=earlier_trials(workspace, setup.skill), content=_content(workspace, setup.skill))


def _content(workspace: Workspace, skill: str) -> str | None:
    from m4review.trials.skillfiles import digest_of_files, skill_files

    try:
        return digest_of_files(skill_files(workspace, skill))
    except TrialError:  # the trial itself says why
        return None


def earlier_trials(workspace: Workspace, skill: str) -> tuple[TrialSummary, ...]:
    """The trials of the tasks that use the skill, newest first. Slow the first time: loads the trials room."""
    from m4review.trials import load_trials

    names = {task.name for task in workspace.tasks_of_skill(skill)}
    return tuple(trial for trial in load_trials(workspace) if trial.task in names)


def evidence_candidates(workspace: Workspace, skill: str) -> list[Measured]:
    """What the trials that can be evidence for some text of the skill measured, newest first; others are left out."""
    from m4review.trials.evidence import measured

    found = []
    for trial in earlier_trials(workspace, skill):
        with contextlib.suppress(LedgerError):  # the reason why a trial is no evidence of this skill
            found.append(measured(workspace, skill, trial.id))
    return found

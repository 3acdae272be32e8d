"""Which version a tried text is, looked up when a trial is shown.

A text may be tried first and recorded afterwards. Its run record keeps that it had no number then; what is shown has
the number that it got since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from m4review.errors import HistoryError, LedgerError
from m4review.history import Repository
from m4review.history.lineage import read_lineage
from m4review.reviews import content_digest
from m4review.trials.conditions import Condition
from m4review.trials.records import RunRecord, SkillUsed
from m4review.trials.summary import ConditionResult, TrialSummary
from m4review.workspace import SKILLS, Workspace

WITHOUT_VERSIONS = (Condition.OPERATIONAL_SPEC, Condition.RAW_SQL)
"""Conditions whose texts are no skills."""

Numbers = Mapping[tuple[str, str], int]
"""Skill and content digest → number of the first version with this content."""


def trials_by_version(workspace: Workspace, trials: Sequence[TrialSummary]) -> list[TrialSummary]:
    """The trials, each text that had no number when it was tried with that of the first version that recorded it."""
    results = [result for trial in trials for result in trial.conditions if result.condition not in WITHOUT_VERSIONS]
    numbers = _numbers(workspace, (used for result in results for used in result.skills))
    return [_trial(trial, numbers) for trial in trials] if numbers else list(trials)


def runs_by_version(workspace: Workspace, records: Sequence[RunRecord]) -> list[RunRecord]:
    """The same of runs. To be shown, not to be written: a record keeps what it said."""
    inputs = [record.inputs for record in records if record.inputs.condition not in WITHOUT_VERSIONS]
    numbers = _numbers(workspace, (used for one in inputs for used in one.skills))
    return [_run(record, numbers) for record in records] if numbers else list(records)


def _numbers(workspace: Workspace, used: Iterable[SkillUsed]) -> Numbers:
    """The numbers of those texts that had none and have one now; git is asked only when there is such a text."""
    wanted = {(one.name, one.digest) for one in used if one.version is None}
    names = sorted({name for name, _ in wanted})
    if not names:
        return {}
    try:
        recorded = _recorded(Repository.open(workspace.root), names)
    except HistoryError:
        return {}  # no repository, as when the trial was made: no text has a number
    return {text: number for text, number in recorded.items() if text in wanted}


def _recorded(repository: Repository, names: Sequence[str]) -> dict[tuple[str, str], int]:
    if not repository.head():
        return {}
    folders = {name: f"{SKILLS}/{name}" for name in names}
    lineage = read_lineage(repository.git, "HEAD", list(folders.values()))
    trees = {step.commit: step.trees for step in lineage.steps}
    found: dict[tuple[str, str], int] = {}
    for name, folder in folders.items():
        for version in repository.versions(folder):
            tree = trees[version.commit].get(folder)
            if tree is None:
                continue  # the version that removed the skill
            try:
                digest = content_digest(lineage.files(tree))
            except (HistoryError, LedgerError):
                continue  # a version that could not be reviewed was not given to an agent either
            found[name, digest] = version.number
    return found


def _trial(trial: TrialSummary, numbers: Numbers) -> TrialSummary:
    return trial.model_copy(update={"conditions": tuple(_result(one, numbers) for one in trial.conditions)})


def _result(result: ConditionResult, numbers: Numbers) -> ConditionResult:
    return result.model_copy(update={"skills": _named(result.skills, numbers)})


def _run(record: RunRecord, numbers: Numbers) -> RunRecord:
    inputs = record.inputs.model_copy(update={"skills": _named(record.inputs.skills, numbers)})
    return record.model_copy(update={"inputs": inputs})


def _named(skills: Sequence[SkillUsed], numbers: Numbers) -> tuple[SkillUsed, ...]:
    return tuple(
        one if one.version is not None else one.model_copy(update={"version": numbers.get((one.name, one.digest))})
        for one in skills
    )

"""What each version of a skill was worth: trials by the text that they gave, comparable ones together.

Rewards of different tasks, datasets, agents, models, schemas or places are not set beside each other: each setting is a
series of its own. Within it the versions stand in their order, unrecorded texts where they were tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from m4review.history import Repository
from m4review.places import SKILLS
from m4review.trials.conditions import Condition
from m4review.trials.records import SkillUsed
from m4review.trials.standing import load_trials
from m4review.trials.summary import ConditionResult, TrialSummary
from m4review.workspace import Workspace


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Author(_Part):
    """Who recorded a version, and when."""

    name: str
    recorded: datetime


class VersionTrials(_Part):
    """The trials of one text of the skill in one setting. Means are over runs that count; ``None`` when none does."""

    version: int | None
    """``None`` for a text that was not recorded as a version when it was tried."""
    digest: str
    author: Author | None
    trials: tuple[str, ...]
    """Their ids, oldest first."""
    first: datetime
    last: datetime
    runs: int
    """Runs with the skill that count."""
    without: float | None
    with_skill: float | None
    delta: float | None
    """Mean over the trials that have a difference, each weighed by its pairs that count."""
    left_out: dict[str, int]
    """Runs of the pair that do not count, by how they ended."""
    before: str | None = None
    """Label of the nearest text before it in this setting that has a reward with the skill; ``None`` for the first."""
    change: float | None = None
    """Reward with the skill minus that of the text ``before``."""

    @property
    def label(self) -> str:
        """``version 3``, or the beginning of the digest of a text that is none."""
        return f"version {self.version}" if self.version else f"text {self.digest.removeprefix('sha256:')[:8]}"


class Series(_Part):
    """One setting and what the texts were worth in it, in the order of versions."""

    task: str
    dataset: str
    agent: str
    model: str | None
    isolated: bool
    changed_schema: str | None = None
    """The changed schema in words, ``None`` for the native one."""
    versions: tuple[VersionTrials, ...]

    @property
    def setting(self) -> str:
        """The setting in a phrase."""
        agent = f"{self.agent} ({self.model})" if self.model else self.agent
        schema = f" · {self.changed_schema}" if self.changed_schema else ""
        return f"{self.task} · {self.dataset} · {agent}{schema}" + ("" if self.isolated else " · not isolated")


class Setting(NamedTuple):
    """What has to be the same for rewards to be set beside each other."""

    task: str
    dataset: str
    agent: str
    model: str | None
    isolated: bool
    changed_schema: str | None


def history_of(
    trials: Iterable[TrialSummary], skill: str, authors: Mapping[int, Author] | None = None
) -> tuple[Series, ...]:
    """The series of a skill, the one that was tried last first; ``authors`` by version number."""
    settings: dict[Setting, dict[str, list[tuple[SkillUsed, TrialSummary]]]] = {}
    for trial in sorted(trials, key=lambda one: one.started):
        given = _given(trial, skill)
        if given is not None:
            setting = Setting(trial.task, trial.dataset, trial.agent, trial.model, trial.isolated, trial.changed_schema)
            settings.setdefault(setting, {}).setdefault(given.digest, []).append((given, trial))
    series = [
        Series(
            **setting._asdict(),
            versions=_with_changes(_ordered([_version(found, authors or {}) for found in texts.values()])),
        )
        for setting, texts in settings.items()
    ]
    return tuple(sorted(series, key=lambda one: max(text.last for text in one.versions), reverse=True))


def skill_history(workspace: Workspace, skill: str) -> tuple[Series, ...]:
    """The trials of a skill by version, with who recorded each version.

    Raises:
        HistoryError: not a git repository.
    """
    versions = Repository.open(workspace.root).versions(f"{SKILLS}/{skill}")
    authors = {version.number: Author(name=version.author_name, recorded=version.time) for version in versions}
    return history_of(load_trials(workspace), skill, authors)


def _given(trial: TrialSummary, skill: str) -> SkillUsed | None:
    result = trial.result(Condition.WITH_SKILL)
    return None if result is None else next((used for used in result.skills if used.name == skill), None)


def _ordered(versions: Sequence[VersionTrials]) -> tuple[VersionTrials, ...]:
    """By version; a text that is none stands after the newest version that was tried before it."""
    place: dict[str, float] = {}
    newest = 0
    for text in sorted(versions, key=lambda one: one.first):
        newest = max(newest, text.version or 0)
        place[text.digest] = text.version if text.version is not None else newest + 0.5
    return tuple(sorted(versions, key=lambda one: (place[one.digest], one.first)))


def _with_changes(versions: Sequence[VersionTrials]) -> tuple[VersionTrials, ...]:
    """Each text with what it changed against the nearest one before it that has a reward with the skill."""
    changed = []
    before: VersionTrials | None = None
    for text in versions:
        if before is not None and before.with_skill is not None:
            change = None if text.with_skill is None else text.with_skill - before.with_skill
            text = text.model_copy(update={"before": before.label, "change": change})
        changed.append(text)
        before = before if text.with_skill is None else text
    return tuple(changed)


def _version(found: Sequence[tuple[SkillUsed, TrialSummary]], authors: Mapping[int, Author]) -> VersionTrials:
    trials = [trial for _, trial in found]
    number = max((used.version for used, _ in found if used.version is not None), default=None)
    treated = [result for trial in trials if (result := trial.result(Condition.WITH_SKILL)) is not None]
    bare = [result for trial in trials if (result := trial.result(Condition.NO_SKILL)) is not None]
    left_out = Counter(
        run.outcome.value
        for trial in trials
        for run in trial.unscored
        if not run.counts and run.left_out is None and run.condition in (Condition.NO_SKILL, Condition.WITH_SKILL)
    )
    return VersionTrials(
        version=number,
        digest=found[-1][0].digest,
        author=authors.get(number) if number is not None else None,
        trials=tuple(trial.id for trial in trials),
        first=trials[0].started,
        last=trials[-1].started,
        runs=sum(result.counted for result in treated),
        without=_mean_reward(bare),
        with_skill=_mean_reward(treated),
        delta=_mean_delta(trials),
        left_out=dict(sorted(left_out.items())),
    )


def _mean_reward(results: Sequence[ConditionResult]) -> float | None:
    rewards = [result.reward for result in results if result.reward is not None for _ in range(result.counted)]
    return fmean(rewards) if rewards else None


def _mean_delta(trials: Sequence[TrialSummary]) -> float | None:
    deltas = [pair.delta for trial in trials for pair in trial.pairs if pair.delta is not None]
    return fmean(deltas) if deltas else None

"""Reward against completeness: how many elements of a specification the agent was given, and what came of it.

Completeness is that of ``m4review lint --completeness``, over the task card's instruction and the text of the
condition together. A rank correlation describes the points; tasks share skills, so nothing is inferred from it.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy import stats

from m4review.campaigns.runs import Run
from m4review.errors import M4ReviewError
from m4review.skills import SKILL_FILE, Skill
from m4review.skills.completeness import completeness
from m4review.skills.document import parse_document
from m4review.skills.elements import ELEMENTS
from m4review.tasks import Task
from m4review.trials.skillfiles import digest_of_files, skill_files
from m4review.workspace import SPECIFICATION_FILE, Workspace

ELEMENT_COUNT = len(ELEMENTS)
CONDITIONS = ("no-skill", "operational-spec", "with-skill")


@dataclass(frozen=True, slots=True)
class GivenText:
    """What one condition gives for one task: which elements it declares, and the digests of its texts."""

    declared: frozenset[str]
    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpecificationPoint:
    """One task under one condition, native schema: elements declared, and mean reward over repeats, then models."""

    task: str
    condition: str
    declared: int
    reward: float
    proved: bool
    """Whether the runs name exactly these texts; otherwise their file does not say what they were given."""


@dataclass(frozen=True, slots=True)
class SpecificationCurve:
    """All points, the rank correlation per condition (with the number of tasks), and what was left out."""

    points: tuple[SpecificationPoint, ...]
    correlation: dict[str, tuple[float | None, int]]
    left_out: tuple[str, ...]

    @property
    def proved(self) -> bool:
        """Whether every point is of runs that name their texts."""
        return all(point.proved for point in self.points)


def specification_curve(runs: Sequence[Run], texts: Mapping[tuple[str, str], GivenText]) -> SpecificationCurve:
    """The points of every task and condition that has both runs and a text in ``texts``."""
    cells: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        if run.schema == "native" and run.reward is not None:
            cells[run.task, run.condition].append(run)
    speaks = any(run.texts for run in runs)
    points, left_out = [], []
    for (task, condition), found in sorted(cells.items()):
        given = texts.get((task, condition))
        if given is None:
            continue
        named = {run.texts for run in found if run.texts}
        if named and named != {given.digests}:
            left_out.append(f"{task}, {condition}: its runs were given another text than the one that is here now")
            continue
        proved = speaks and named == ({given.digests} if given.digests else set())
        points.append(SpecificationPoint(task, condition, len(given.declared), _level(found), proved))
    return SpecificationCurve(tuple(points), _correlations(points), tuple(left_out))


def given_texts(workspace: Workspace, cards: Sequence[Task]) -> dict[tuple[str, str], GivenText]:
    """By task and condition, what the workspace gives now; a text that cannot be read is left out."""
    found = {}
    for card in cards:
        own = _declared(card.name, card.instruction)
        found[card.name, "no-skill"] = GivenText(own, ())
        for condition, read in (("with-skill", _skills), ("operational-spec", _specification)):
            given = read(workspace, card)
            if given is not None:
                found[card.name, condition] = GivenText(own | given.declared, given.digests)
    return found


def _skills(workspace: Workspace, card: Task) -> GivenText | None:
    declared: set[str] = set()
    digests = []
    try:
        for name in card.skills:
            declared |= {item.element.id for item in completeness(workspace.skill(name)).declared}
            digests.append(digest_of_files(skill_files(workspace, name)))
    except M4ReviewError:
        return None  # a broken skill is the lint's to name; here it only has no completeness
    return GivenText(frozenset(declared), tuple(digests)) if card.skills else None


def _specification(workspace: Workspace, card: Task) -> GivenText | None:
    path = card.path / SPECIFICATION_FILE
    if path.is_symlink() or not path.is_file():
        return None
    data = path.read_bytes()
    declared = _declared(card.name, data.decode("utf-8", "replace"))
    return GivenText(declared, ("sha256:" + hashlib.sha256(data).hexdigest(),))


def _declared(name: str, text: str) -> frozenset[str]:
    """The elements that a text without front matter declares."""
    document = parse_document(text, first_line=1)
    read = Skill(name=name, description="", path=Path(SKILL_FILE), text=text, body=text, body_line=1, document=document)
    return frozenset(item.element.id for item in completeness(read).declared)


def _level(runs: Sequence[Run]) -> float:
    models: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        if run.reward is not None:
            models[run.model].append(run.reward)
    return fmean(fmean(values) for values in models.values())


def _correlations(points: Sequence[SpecificationPoint]) -> dict[str, tuple[float | None, int]]:
    found: dict[str, tuple[float | None, int]] = {}
    for condition in CONDITIONS:
        chosen = [point for point in points if point.condition == condition]
        declared, rewards = [point.declared for point in chosen], [point.reward for point in chosen]
        if not chosen:
            continue
        varies = len(set(declared)) > 1 and len(set(rewards)) > 1
        found[condition] = (float(stats.spearmanr(declared, rewards)[0]) if varies else None, len(chosen))
    if len({point.condition for point in points}) > 1:
        pooled = np.array([[point.declared, point.reward] for point in points])
        varies = bool((np.ptp(pooled, axis=0) > 0).all())
        found["all points"] = (float(stats.spearmanr(pooled[:, 0], pooled[:, 1])[0]) if varies else None, len(points))
    return found

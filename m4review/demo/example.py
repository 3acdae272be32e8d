"""An example workspace as a clinician would find it in the middle of the work."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from m4review.demo.starter import copy_starter
from m4review.ehr import Progress, build, list_datasets, open_dataset, synthesise
from m4review.errors import SkillError, WorkspaceError
from m4review.history.creation import create_repository
from m4review.lint import install_hooks, record_version
from m4review.places import DEMONSTRATION_FILE, REVIEWS, SKILLS, TASKS
from m4review.reviews import Decision, record_verdict
from m4review.textfile import read_text, write_text
from m4review.workspace import SCOPES, Workspace

DEMO_SKILL = "sirs-criteria"
DEMO_TASK = "mimic-sirs-24h-raw"
WAITING_SKILL = "sofa-score"
DEMO_DATASET = "demo"
DEMO_STAYS, DEMO_SEED = 1000, 20
AUTHOR = ("Demo Author", "author@demo.invalid")
NOTES = "Demonstration only. No clinician gave this verdict."
MARK = """# A demonstration

Patients, verdicts and trials in this folder are made up. Nothing in it counts; delete it when you are done.
"""

THRESHOLD = re.compile(r"(?<=highest temperature > )38\.0(?= °C)")
WRONG_THRESHOLD = "39.0"
"""What the example's text says in place of the threshold of fever: the mistake that there is to find and correct."""
EDGE_CASES = re.compile(r"^## Edge cases\n.*?(?=^## )", re.MULTILINE | re.DOTALL)

Say = Callable[[str], None]


def make_example(root: Path, say: Say, *, stays: int = DEMO_STAYS, seed: int = DEMO_SEED) -> Workspace:
    """Make the example workspace in the new or empty folder ``root``.

    Its history: a first version of ``sirs-criteria`` that lacks the edge cases and has a wrong temperature threshold,
    approved by C2; a second that adds the edge cases, so that C2's verdict is stale; ``sofa-score`` with the
    verdict of C3, waiting for C2; every other skill as it is shipped. ``say`` is told each step.

    Raises:
        M4ReviewError: the folder is not empty, or a step failed (git missing, disk full).
    """
    copy_starter(root)
    workspace = Workspace(root)
    create_repository(workspace.root)
    install_hooks(workspace.root)
    (workspace.root / ".gitignore").write_text(".m4review/\n", encoding="utf-8")
    (workspace.root / DEMONSTRATION_FILE).write_text(MARK, encoding="utf-8")
    file = workspace.skill_file(DEMO_SKILL)
    shipped = read_text(file).text
    say("first versions of the skills")
    mistaken = replaced(THRESHOLD, WRONG_THRESHOLD, shipped)
    write_text(file, replaced(EDGE_CASES, "", mistaken))
    _record_rest(workspace)
    record_version(workspace, DEMO_SKILL, "First draft", AUTHOR)
    record_version(workspace, WAITING_SKILL, "First draft", AUTHOR)
    say("a verdict of C2 on the first draft, and one of C3 that waits for a second reviewer")
    approve(workspace, DEMO_SKILL, "C2")
    approve(workspace, WAITING_SKILL, "C3")
    say("a second version, which makes the first verdict stale")
    write_text(file, mistaken)
    record_version(workspace, DEMO_SKILL, "Add the edge cases", AUTHOR)
    ensure_dataset(workspace, say, stays=stays, seed=seed)
    return Workspace(root)


def approve(workspace: Workspace, skill: str, reviewer: str) -> Path:
    """Record a demonstration approval of every scope, marked as such in its notes."""
    decisions: dict[str, Decision] = dict.fromkeys(SCOPES, "approve")
    return record_verdict(Workspace(workspace.root), skill, reviewer, decisions, NOTES)  # type: ignore[arg-type]


def ensure_dataset(
    workspace: Workspace,
    say: Say,
    *,
    name: str = DEMO_DATASET,
    stays: int = DEMO_STAYS,
    seed: int = DEMO_SEED,
    environment: Mapping[str, str] = os.environ,
) -> None:
    """Make and build a synthetic dataset in MIMIC-IV's layout, unless one of that name is there, and use it from now
    on. ``say`` is told each step.

    Raises:
        M4ReviewError: the data home cannot be written, or a dataset of that name is damaged.
    """
    home = workspace.data_home(environment)
    if name not in {dataset.name for dataset in list_datasets(home)}:
        say(f"synthetic data: {stays} ICU stays, seed {seed}")
        synthesise(home, name, layout="mimic-iv", stays=stays, seed=seed, progress=_quiet)
    dataset = open_dataset(home, name)
    say("concepts and references")
    cards = (entry.task for entry in workspace.tasks)
    tasks = [task for task in cards if task is not None and task.database == dataset.layout_name]
    build(dataset, tasks, progress=_quiet)
    workspace.save_default_dataset(name)


def replaced(pattern: re.Pattern[str], by: str, text: str) -> str:
    """``text`` with ``by`` in place of the one passage that ``pattern`` finds.

    Raises:
        SkillError: the shipped skill no longer has that passage, so the example cannot be told.
    """
    changed, count = pattern.subn(by, text)
    if count != 1:
        raise SkillError(
            f"the demonstration looks for one passage {pattern.pattern!r} and found {count}",
            where=DEMO_SKILL,
            fix="report this; the shipped skill and the demonstration disagree",
        )
    return changed


def _record_rest(workspace: Workspace) -> None:
    """The task cards, the review rules and every skill that the example does not tell of, in one first version."""
    from m4review.history import Repository

    repository = Repository.open(workspace.root)
    if repository.head() is not None:
        raise WorkspaceError("the demonstration expects a new history", where=workspace.root)
    others = [f"{SKILLS}/{name}" for name in workspace.skill_names() if name not in {DEMO_SKILL, WAITING_SKILL}]
    begin = "Begin with the shipped task cards, review rules and drafts"
    repository.commit([".gitignore", DEMONSTRATION_FILE, TASKS, REVIEWS, *others], begin, AUTHOR)


def _quiet(_: Progress) -> None:
    """The demonstration says one line per step; the finer progress is for large datasets."""

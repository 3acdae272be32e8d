"""The whole loop without a screen: edit, lint, version, two reviews, compare, trial; each result is printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from m4review.demo.example import AUTHOR, DEMO_SKILL, DEMO_TASK, THRESHOLD, WRONG_THRESHOLD, approve, replaced
from m4review.demo.starter import starter_root
from m4review.errors import M4ReviewError
from m4review.history import Repository, compare, render_unified
from m4review.lint import LintRefusal, lint_paths, record_version
from m4review.places import SKILL_FILE, SKILLS
from m4review.reviews import Ledger, skill_status
from m4review.textfile import read_text, write_text
from m4review.trials import Condition, TrialRequest, TrialSummary, run_trial, trial_table
from m4review.workspace import Workspace

Say = Callable[[str], None]

PASTED = (
    "\nSELECT stay_id, MAX(valuenum) AS hr_max\nFROM mimiciv_icu.chartevents\n"
    "WHERE itemid = 220045\nGROUP BY stay_id;\n"
)


def walk(workspace: Workspace, say: Say, *, sandbox: Literal["docker", "local"]) -> tuple[TrialSummary, TrialSummary]:
    """Walk the loop on the example workspace and return the trials before and after the edit.

    Raises:
        M4ReviewError: a step did not do what it must (the lint let SQL pass, say).
    """
    file = workspace.skill_file(DEMO_SKILL)
    say("\n== Trial of the recorded version")
    before = _trial(workspace, sandbox, say)
    _refused_paste(workspace, file, say)
    _edit_and_record(workspace, file, say)
    _two_reviews(workspace, say)
    _compare(workspace, say)
    say("\n== Trial of the new version")
    after = _trial(workspace, sandbox, say)
    old, new, bare = (
        _mean(before, Condition.WITH_SKILL),
        _mean(after, Condition.WITH_SKILL),
        _mean(after, Condition.NO_SKILL),
    )
    say(
        f"\nThe edit moved the with-skill reward from {old} to {new} (no-skill {bare}). This is one task on made-up "
        "patients; how the skill does on others is not told."
    )
    return before, after


def _refused_paste(workspace: Workspace, file: Path, say: Say) -> None:
    say("\n== Edit and lint: a query pasted into the skill is refused")
    clean = read_text(file).text
    write_text(file, clean + PASTED)
    try:
        record_version(workspace, DEMO_SKILL, "Paste a query", AUTHOR)
    except LintRefusal as refusal:
        say(str(refusal))
    else:
        raise M4ReviewError("the lint let a pasted query pass", where=file)
    finally:
        write_text(file, clean)


def _edit_and_record(workspace: Workspace, file: Path, say: Say) -> None:
    say("\n== Edit, lint, version: correct the temperature threshold")
    shipped = read_text(starter_root() / SKILLS / DEMO_SKILL / SKILL_FILE).text
    if read_text(file).text != replaced(THRESHOLD, WRONG_THRESHOLD, shipped):
        raise M4ReviewError(
            "the skill is not the example's second version", where=file, fix="start a new demonstration"
        )
    write_text(file, shipped)
    report = lint_paths(workspace.root, [file])
    say(f"lint: {len(report.findings)} findings in {report.files} file, {report.bytes} bytes")
    version = record_version(workspace, DEMO_SKILL, "Fever is a temperature above 38, not 39", AUTHOR)
    say(f"recorded version {version.number} of {DEMO_SKILL} ({version.commit[:10]})")


def _two_reviews(workspace: Workspace, say: Say) -> None:
    say("\n== Two reviews (demonstration verdicts, given by nobody)")
    say(f"state: {_state(workspace)}")
    for reviewer in ("C2", "C4"):
        path = approve(workspace, DEMO_SKILL, reviewer)
        say(f"{reviewer} approves every scope: {workspace.relative(path)}\nstate: {_state(workspace)}")


def _state(workspace: Workspace) -> str:
    fresh = Workspace(workspace.root)
    return skill_status(fresh, Ledger.load(fresh), DEMO_SKILL).label


def _compare(workspace: Workspace, say: Say) -> None:
    repository = Repository.open(workspace.root)
    folder = f"{SKILLS}/{DEMO_SKILL}"
    versions = repository.versions(folder)
    say(f"\n== Compare version {versions[1].number} with version {versions[0].number}")
    old, new = (repository.files(version.commit, folder)[SKILL_FILE].decode() for version in (versions[1], versions[0]))
    names = (f"version {versions[1].number}", f"version {versions[0].number}")
    say(render_unified(compare(old, new), *names).rstrip("\n"))


def _trial(workspace: Workspace, sandbox: Literal["docker", "local"], say: Say) -> TrialSummary:
    summary = run_trial(Workspace(workspace.root), TrialRequest(task=DEMO_TASK, sandbox=sandbox))
    say(trial_table(summary))
    return summary


def _mean(summary: TrialSummary, condition: Condition) -> str:
    result = summary.result(condition)
    return "not scored" if result is None or result.reward is None else f"{result.reward:.4f}"

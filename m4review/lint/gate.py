"""The gate: a version is recorded only when its exact bytes and its message pass the lint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import LintFailure
from m4review.lint.context import NOTES, LintContext, TaskIndex
from m4review.lint.engine import SourceFile, lint_files, lint_text
from m4review.lint.finding import LintRefusal, LintReport
from m4review.places import SKILLS, TASKS

if TYPE_CHECKING:
    from datetime import date

    from m4review.history import Identity, Version
    from m4review.workspace import Workspace

__all__ = ["LintRefusal", "lint_message", "lint_message_file", "record_version"]

MESSAGE_FILE = "version message"


def lint_message(message: str) -> LintReport:
    """Lint a commit or version message: no code, no patient's data, nothing hidden."""
    findings = lint_text(message, MESSAGE_FILE, LintContext(families=NOTES))
    return LintReport(tuple(findings), 1, len(message.encode("utf-8", "replace")))


def record_version(
    workspace: Workspace,
    skill_name: str,
    message: str,
    author: Identity | None = None,
    *,
    today: date | None = None,
) -> Version:
    """Lint the working bytes of ``skills/<skill_name>`` and the message, then commit exactly these bytes through git.

    Waivers count as they are recorded in git: one that nobody could review yet allows nothing.

    Raises:
        LintRefusal: the lint found errors; its ``report`` lists them, nothing was recorded.
        LintFailure: no such skill folder, or a file changed between lint and commit.
        NothingChangedError, HookRefusedError, HistoryError: git would not record it.
    """
    from m4review.history.repository import Repository
    from m4review.lint.figurefiles import read_figures
    from m4review.lint.ingit import committed_waivers
    from m4review.lint.ondisk import skill_files
    from m4review.lint.waivers import apply_waivers

    folder = workspace.root / SKILLS / skill_name
    shown = f"{SKILLS}/{skill_name}"
    if skill_name in {"", ".", ".."} or Path(skill_name).name != skill_name or not folder.is_dir():
        raise LintFailure(f"no skill {skill_name!r}", where=workspace.root / SKILLS, expected="a skill folder")
    files = skill_files(folder, workspace.root)
    repository = Repository.open(workspace.root)
    report = lint_files(files, TaskIndex.read(workspace.root / TASKS), figures=read_figures(workspace.root))
    if report.errors:
        report = apply_waivers(report, committed_waivers(repository), [file.path for file in files], today=today)
    said = lint_message(message)
    report = report._replace(
        findings=report.findings + said.findings,
        files=report.files + 1,
        bytes=report.bytes + said.bytes,
    )
    if report.errors:
        raise LintRefusal(f"{skill_name} was not recorded", report)
    if _contents(skill_files(folder, workspace.root)) != _contents(files):
        raise LintFailure(
            "the skill changed while it was checked; nothing was recorded", where=shown, fix="record the version again"
        )
    commit = repository.commit([shown], message, author)
    recorded = {f"{shown}/{path}": data for path, data in repository.files(commit, shown).items()}
    checked = _contents(files)
    for path, data in recorded.items():
        if path in checked and _lines(data) != _lines(checked[path] or b""):
            raise LintFailure(
                "the skill changed between check and commit: the recorded version was not checked",
                where=path,
                fix=f"run 'm4review lint {shown}' and record a corrected version",
            )
    for version in repository.versions(shown):
        if version.commit == commit:
            return version
    raise LintFailure("the recorded version cannot be found in the history", where=shown)


def _contents(files: list[SourceFile]) -> dict[str, bytes | None]:
    return {file.path: file.data for file in files}


def _lines(data: bytes) -> bytes:
    """Git may store other line ends than the working copy has."""
    return data.replace(b"\r\n", b"\n")


def lint_message_file(path: Path) -> LintReport:
    """Lint the message git is about to use: comment lines and the part below the scissors line are not in it.

    Raises:
        LintFailure: the file cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise LintFailure(f"the message cannot be read ({error.strerror})", where=path) from None
    text = text.split("# ------------------------ >8 ------------------------")[0]
    return lint_message("\n".join(line for line in text.splitlines() if not line.startswith("#")))

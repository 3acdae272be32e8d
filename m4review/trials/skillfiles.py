"""A skill as an agent gets it: the exact bytes of its folder, after the lint."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from datetime import date

from m4review.errors import HistoryError, LedgerError, TrialError
from m4review.history import Repository
from m4review.lint import SourceFile, TaskIndex, lint_files
from m4review.lint.waivers import apply_waivers, read_waivers
from m4review.reviews import content_digest
from m4review.workspace import SKILLS, Workspace


@dataclass(frozen=True, slots=True)
class OfferedSkill:
    """A skill as the agent gets it: the exact bytes the lint passed. ``version`` is ``None`` for unrecorded content."""

    name: str
    files: dict[str, bytes]
    digest: str
    version: int | None
    mapped: str | None = None
    """Digest of ``files`` where names were replaced for a changed schema."""


Shelf = dict[str, OfferedSkill]
"""Skills by name that were read and linted once for everything that is prepared together."""


def offered_skill(workspace: Workspace, name: str, shelf: Shelf | None = None) -> OfferedSkill:
    """The skill of that name from the working copy, or as it lies on the shelf.

    Raises:
        TrialError: it is contaminated, holds a link, or cannot be read.
    """
    if shelf is not None and name in shelf:
        return shelf[name]
    files = skill_files(workspace, name)
    refuse_contaminated(workspace, name, files)
    digest = digest_of_files(files)
    skill = OfferedSkill(name, files, digest, _recorded_version(workspace, name, digest))
    if shelf is not None:
        shelf[name] = skill
    return skill


def digest_of_files(files: dict[str, bytes]) -> str:
    """The content digest of a skill's files.

    Raises:
        TrialError: a file has no content that could be reviewed.
    """
    try:
        return content_digest(files)
    except LedgerError as error:
        raise TrialError(error.what, where=error.where, line=error.line, fix=error.fix) from None


def refuse_contaminated(workspace: Workspace, name: str, files: dict[str, bytes]) -> None:
    """Lint a skill's files as they will be given.

    Raises:
        TrialError: the lint finds an error that no waiver allows.
    """
    folder = f"{SKILLS}/{name}"
    sources = [SourceFile(f"{folder}/{inside}", data, len(data), skill=folder) for inside, data in files.items()]
    found = lint_files(sources, TaskIndex.read(workspace.tasks_dir))
    paths = [source.path for source in sources]
    report = apply_waivers(found, read_waivers(workspace.root), paths, today=date.today())
    if report.errors:
        first = report.errors[0]
        raise TrialError(
            f"the skill {name} is contaminated and is not given to an agent: {first.rule}: {first.message}",
            where=first.path,
            line=first.line,
            fix=first.fix,
        )


def skill_files(workspace: Workspace, name: str) -> dict[str, bytes]:
    """Every file of the skill folder by its path in it. Links are refused, never followed; hidden files are left out.

    Raises:
        TrialError: a link, a device, or a file that cannot be read.
    """
    folder = workspace.skills_dir / name
    files: dict[str, bytes] = {}
    try:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if any(part.startswith(".") for part in inside.parts):
                continue
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                files[inside.as_posix()] = path.read_bytes()
            elif not stat.S_ISDIR(mode):
                raise TrialError(
                    "a link or special file in a skill is never given to an agent",
                    where=workspace.relative(path),
                    expected="plain files",
                    fix="replace it by the file itself",
                )
    except OSError as error:
        raise TrialError(f"the skill {name} cannot be read ({error.strerror})", where=f"{SKILLS}/{name}") from None
    if not files:
        raise TrialError(f"the skill {name} has no file", where=f"{SKILLS}/{name}")
    return files


def _recorded_version(workspace: Workspace, name: str, digest: str) -> int | None:
    """The number of the newest recorded version with this content, if there is one."""
    try:
        repository = Repository.open(workspace.root)
        for version in repository.versions(f"{SKILLS}/{name}"):
            if content_digest(repository.files(version.commit, f"{SKILLS}/{name}")) == digest:
                return version.number
    except (HistoryError, LedgerError):
        return None  # no repository, or a version that could not be reviewed: this content has no number
    return None

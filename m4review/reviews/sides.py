"""What can be compared: every recorded version of any skill, its text as it is on disk now, and operational specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from m4review.errors import HistoryError, LedgerError, WorkspaceError, one_of
from m4review.history import Repository
from m4review.reviews import Ledger, content_digest, skill_status
from m4review.skills import SKILL_FILE
from m4review.textfile import read_text
from m4review.workspace import SKILLS, SPECIFICATION_FILE, Workspace


@dataclass(frozen=True, slots=True)
class Side:
    """One text to compare. ``number`` and what follows are ``None`` or empty for what is not a recorded version."""

    text: str
    owner: str
    """The skill, or the task card whose operational spec it is."""
    number: int | None = None
    author: str | None = None
    time: datetime | None = None
    message: str = ""
    approved_by: tuple[str, ...] = ()
    """Reviewers whose approving verdicts bind exactly this content."""
    is_specification: bool = False

    @property
    def name(self) -> str:
        """``sirs-criteria version 3``, ``operational spec of mimic-sirs-24h-raw``."""
        if self.is_specification:
            return f"operational spec of {self.owner}"
        return f"{self.owner} {self.state}"

    @property
    def state(self) -> str:
        """``version 3`` or ``now, as on disk``."""
        return "now, as on disk" if self.number is None else f"version {self.number}"

    @property
    def said(self) -> str:
        """Who wrote it, when and why, and who approved it."""
        if self.is_specification:
            return "the rules alone, a control condition; nobody reviews it as a skill"
        if self.number is None:
            return "not recorded as a version"
        approval = (
            f"approving verdict of {', '.join(self.approved_by)}" if self.approved_by else "nobody has approved it"
        )
        return f"{self.author} · {self.time:%Y-%m-%d %H:%M} · “{self.message}” · {approval}"


def load_sides(workspace: Workspace, skill: str, viewer: str | None) -> list[Side]:
    """The text on disk first, then the versions, newest first.

    ``viewer`` decides which approvals are shown: those of others only after one's own verdict.

    Raises:
        HistoryError: not a git repository.
        TextFileError: the text on disk cannot be read.
    """
    folder = f"{SKILLS}/{skill}"
    repository = Repository.open(workspace.root)
    approvals = _approvals(workspace, skill, viewer)
    sides = []
    if workspace.skill_file(skill).is_file():
        sides.append(Side(read_text(workspace.skill_file(skill)).text, skill))
    for version in repository.versions(folder):
        files = repository.files(version.commit, folder)
        if SKILL_FILE not in files:
            continue
        sides.append(
            Side(
                text=_plain(files[SKILL_FILE]),
                owner=skill,
                number=version.number,
                author=version.author_name,
                time=version.time,
                message=version.subject,
                approved_by=approvals.get(_digest(files) or "", ()),
            )
        )
    if not sides:
        raise HistoryError(f"the skill {skill!r} has no text yet", where=folder)
    return sides


def first_pair(sides: list[Side]) -> tuple[Side, Side]:
    """The last version against the text on disk when they differ, else the last two versions."""
    if len(sides) == 1:
        return sides[0], sides[0]
    if sides[0].number is not None or sides[0].text != sides[1].text:
        return sides[1], sides[0]
    return sides[min(2, len(sides) - 1)], sides[1 if len(sides) > 2 else 0]


def specified_tasks(workspace: Workspace, skill: str) -> list[str]:
    """The task cards that have an operational spec, those of the skill first."""
    own = {task.name for task in workspace.tasks_of_skill(skill)}
    names = [entry.name for entry in workspace.tasks if (entry.path / SPECIFICATION_FILE).is_file()]
    return sorted(names, key=lambda name: (name not in own, name))


def specification_side(workspace: Workspace, task: str) -> Side:
    """The operational spec of a task card.

    Raises:
        WorkspaceError: there is no such task card, or its family has no operational spec.
        TextFileError: it cannot be read.
    """
    known = {entry.name: entry.path / SPECIFICATION_FILE for entry in workspace.tasks}
    with_one = [name for name, file in known.items() if file.is_file()]
    if task not in with_one:
        raise WorkspaceError(
            f"the task card {task} has no operational spec" if task in known else f"no task card {task!r}",
            where=workspace.tasks_dir,
            expected=one_of(task, with_one),
        )
    return Side(read_text(known[task]).text, task, is_specification=True)


def _approvals(workspace: Workspace, skill: str, viewer: str | None) -> dict[str, tuple[str, ...]]:
    """Content digest → the reviewers whose verdict, as far as the viewer may see it, approves every scope of it."""
    found: dict[str, set[str]] = {}
    for judged in skill_status(workspace, Ledger.load(workspace), skill, viewer).verdicts:
        verdict = judged.verdict
        in_force = judged.standing in {"counts", "stale"} and not judged.hidden
        if in_force and all(said.startswith("approve") for said in verdict.decisions.values()):
            found.setdefault(verdict.content, set()).add(verdict.actor)
    return {content: tuple(sorted(actors)) for content, actors in found.items()}


def _digest(files: Mapping[str, bytes]) -> str | None:
    """The content digest; ``None`` for an old version that could not be digested, which nobody can have approved."""
    try:
        return content_digest(files)
    except LedgerError:
        return None


def _plain(data: bytes) -> str:
    """An old version as text to look at; bytes that are not UTF-8 are shown as replacement characters."""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")

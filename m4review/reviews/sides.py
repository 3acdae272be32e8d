"""What can be compared: every recorded version of any skill, its text as it is on disk now, and operational specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from m4review.errors import HistoryError, LedgerError, WorkspaceError, one_of
from m4review.history import Repository
from m4review.reviews import Ledger, SkillStatus, content_digest, skill_status
from m4review.reviews.consensus import JudgedConsensus, consensus_on
from m4review.reviews.decisions import combined
from m4review.reviews.eventparts import APPROVING
from m4review.reviews.meaning import listed
from m4review.reviews.overview import full_status
from m4review.reviews.people import humans
from m4review.reviews.standing import humans_in_force
from m4review.skills import SKILL_FILE
from m4review.textfile import read_text
from m4review.workspace import SKILLS, SPECIFICATION_FILE, Roster, Workspace

NOBODY_APPROVED = "nobody has approved it"


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
    standing: str = NOBODY_APPROVED
    """What reviewers say of exactly this content, as far as the viewer may see it."""
    is_own_last: bool = False
    """Whether it is the text that the viewer last gave a verdict on."""
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
        """Who wrote it, when and why, and what reviewers say of it."""
        if self.is_specification:
            return "the rules alone, a control condition; nobody reviews it as a skill"
        if self.number is None:
            return "not recorded as a version"
        return f"{self.author} · {self.time:%Y-%m-%d %H:%M} · “{self.message}” · {self.standing}"


def load_sides(workspace: Workspace, skill: str, viewer: str | None) -> list[Side]:
    """The text on disk first, then the versions, newest first.

    ``viewer`` decides which verdicts are shown: those of others only after one's own.

    Raises:
        HistoryError: not a git repository.
        TextFileError: the text on disk cannot be read.
    """
    folder = f"{SKILLS}/{skill}"
    repository = Repository.open(workspace.root)
    ledger = Ledger.load(workspace)
    seen = skill_status(workspace, ledger, skill, viewer)
    standings = _standings(ledger, full_status(workspace, ledger, skill), seen)
    last = _last_judged(seen, viewer, ledger.roster)
    sides = []
    if workspace.skill_file(skill).is_file():
        sides.append(Side(read_text(workspace.skill_file(skill)).text, skill))
    for version in repository.versions(folder):
        files = repository.files(version.commit, folder)
        if SKILL_FILE not in files:
            continue
        content = _digest(files)
        is_own_last = content is not None and content == last
        last = None if is_own_last else last  # the newest version that holds it stands for it
        sides.append(
            Side(
                text=_plain(files[SKILL_FILE]),
                owner=skill,
                number=version.number,
                author=version.author_name,
                time=version.time,
                message=version.subject,
                standing=standings.get(content or "", NOBODY_APPROVED),
                is_own_last=is_own_last,
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


def _standings(ledger: Ledger, whole: SkillStatus, seen: SkillStatus) -> dict[str, str]:
    """Content digest → what the verdicts that ``seen`` shows say of it; where their givers agreed on something else
    afterwards, that instead."""
    policy, roster = ledger.policy, ledger.roster
    said: dict[str, dict[str, None]] = {}
    for pair in dict.fromkeys(judged.pair for judged in seen.verdicts):
        consensus = None if whole.judgement is None else consensus_on(pair, whole.judgement, policy, roster)
        agreed = consensus if consensus is not None and consensus.holds else None
        shown = [judged for judged in seen.verdicts if judged.pair == pair and not judged.hidden]
        given = humans_in_force(shown, pair, roster)
        settled = set() if agreed is None else {humans(roster)[actor] for actor in agreed.confirmed}
        words = {human: combined(verdicts, policy) for human, verdicts in sorted(given.items()) if human not in settled}
        approving = [human for human, by_scope in words.items() if set(by_scope.values()) <= APPROVING]
        asking = [human for human, by_scope in words.items() if "changes" in by_scope.values()]
        parts = said.setdefault(pair[0], {})
        if agreed is not None and settled & given.keys():
            parts[_agreed(agreed)] = None
        if approving:
            parts[f"approving verdict of {listed(approving)}"] = None
        if asking:
            parts[f"changes asked for by {listed(asking)}"] = None
    return {content: "; ".join(parts) for content, parts in said.items() if parts}


def _agreed(consensus: JudgedConsensus) -> str:
    decisions = consensus.statement.decisions
    who = listed(consensus.confirmed)
    if set(decisions.values()) <= APPROVING:
        return f"{who} agreed to approve it"
    changed = [scope for scope, said in decisions.items() if said == "changes"]
    return f"{who} agreed on changes to {listed(changed)}" if changed else f"{who} agreed to give no opinion on it"


def _last_judged(seen: SkillStatus, viewer: str | None, roster: Roster) -> str | None:
    """The content of the viewer's last verdict that was not taken back."""
    if viewer is None:
        return None
    same = humans(roster)
    own = (
        judged.verdict.content
        for judged in reversed(seen.verdicts)
        if judged.standing in {"counts", "stale"} and same.get(judged.verdict.actor) == same.get(viewer, viewer)
    )
    return next(own, None)


def _digest(files: Mapping[str, bytes]) -> str | None:
    """The content digest; ``None`` for an old version that could not be digested, which nobody can have approved."""
    try:
        return content_digest(files)
    except LedgerError:
        return None


def _plain(data: bytes) -> str:
    """An old version as text to look at; bytes that are not UTF-8 are shown as replacement characters."""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")

"""The bytes a review rests on, as git stores them: skills, task cards, events, and the history of the first two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from m4review.errors import HistoryError, LedgerError, M4ReviewError, one_of
from m4review.history import Repository
from m4review.history.lineage import read_lineage
from m4review.reviews.cards import Card, read_cards
from m4review.reviews.deps import built_on
from m4review.reviews.digests import checklist_digest, content_digest, context_digest
from m4review.reviews.past import Past
from m4review.reviews.scopes import ScopeDigests
from m4review.reviews.subjects import Subject
from m4review.workspace import EVENTS, REVIEWS, SKILLS, TASKS, Policy, Workspace

Files = Mapping[str, bytes]
CHECKLISTS = "checklists"


@dataclass(frozen=True)
class Snapshot:
    """Everything a status needs, read once."""

    skills: Mapping[str, Files]
    unreadable: Mapping[str, M4ReviewError]
    """Skills whose files are no content (a link, say)."""
    cards: Mapping[str, Card]
    reviews: Files
    """The reviews folder (events, roster, policy, checklists): path relative to it → bytes."""
    repository: Repository | None
    revision: str | None
    """The commit whose history counts; ``None`` before the first commit and without git."""
    no_history: HistoryError | None = None
    """Why there is no version history, where there is none."""
    known_blobs: Mapping[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    """Object id → bytes of what was read, so that nothing is read from git twice."""
    links: tuple[str, ...] = ()
    """Links and submodules in the reviews folder, relative to it: none of them is an event."""

    def subject(self, skill: str, policy: Policy) -> Subject:
        """The skill with its digests.

        Raises:
            LedgerError, HistoryError, TaskError: no such skill, or its text or a task card cannot be digested.
        """
        if skill in self.unreadable:
            raise self.unreadable[skill]
        if skill not in self.skills:
            known = sorted({*self.skills, *self.unreadable})
            raise LedgerError(f"no skill {skill!r}", where=SKILLS, expected=one_of(skill, known))
        files = self.skills[skill]
        tasks = {}
        for name, card in self._cards_by_skill.get(skill, {}).items():
            if card.digest is None:
                assert card.error is not None
                raise card.error
            tasks[name] = card.digest
        try:
            content = self._digests[skill] or content_digest(files)
            return Subject(skill, content, tasks, ScopeDigests(files, policy), self.deps(skill), self.context(skill))
        except LedgerError as error:
            place = f"{SKILLS}/{skill}/{error.where}" if error.where else f"{SKILLS}/{skill}"
            raise LedgerError(
                error.what, where=place, line=error.line, expected=error.expected, fix=error.fix
            ) from None

    def deps(self, skill: str) -> dict[str, str]:
        """Skill that ``skill`` builds on, directly or through others → its content digest.

        One whose text cannot be digested is left out, so that a verdict that names it finds it changed.
        """
        found = {name: self._digests[name] for name in self._reach(skill) if self._digests[name] is not None}
        return {name: digest for name, digest in sorted(found.items()) if digest is not None}

    def context(self, skill: str) -> dict[str, str]:
        """Database that the skill's task cards name → digest of its layout and version."""
        cards = self._cards_by_skill.get(skill, {})
        named = {card.database for card in cards.values() if card.database is not None}
        versions: dict[str, set[str]] = {}
        for database, version in named:
            versions.setdefault(database, set()).add(version)
        return {name: context_digest(name, ", ".join(sorted(each))) for name, each in sorted(versions.items())}

    def files_of(self, content: str) -> Files | None:
        """The skill folder with that content digest, of now or of any recorded version of any skill."""
        if content in self._by_content:
            return self.skills[self._by_content[content]]
        if self.past is None:
            return None
        return self.past.files_with_content(content)

    @property
    def task_digests(self) -> dict[str, str]:
        """Task → digest of its card, for every card that has one."""
        return {name: card.digest for name, card in self.cards.items() if card.digest is not None}

    @cached_property
    def checklist_digest(self) -> str | None:
        """The digest of the checklists, ``None`` where there are none."""
        files = {
            path.removeprefix(f"{CHECKLISTS}/"): data
            for path, data in self.reviews.items()
            if path.startswith(f"{CHECKLISTS}/")
        }
        return checklist_digest(files) if files else None

    def _reach(self, skill: str) -> list[str]:
        found: dict[str, None] = {}
        waiting = list(self._built_on.get(skill, ()))
        while waiting:
            name = waiting.pop()
            if name != skill and name not in found:
                found[name] = None
                waiting.extend(self._built_on[name])
        return sorted(found)

    @cached_property
    def _built_on(self) -> dict[str, tuple[str, ...]]:
        known = frozenset(self.skills)
        return {name: built_on(files, known) for name, files in self.skills.items()}

    @cached_property
    def _digests(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for name, files in self.skills.items():
            try:
                found[name] = content_digest(files)
            except LedgerError:
                found[name] = None
        return found

    @cached_property
    def _by_content(self) -> dict[str, str]:
        return {digest: name for name, digest in reversed(self._digests.items()) if digest is not None}

    @cached_property
    def _cards_by_skill(self) -> dict[str, dict[str, Card]]:
        found: dict[str, dict[str, Card]] = {}
        for name, card in self.cards.items():
            for skill in card.skills:
                found.setdefault(skill, {})[name] = card
        return found

    @cached_property
    def events(self) -> dict[str, bytes]:
        """Path relative to the events folder → bytes."""
        return {
            path.removeprefix(f"{EVENTS}/"): data
            for path, data in self.reviews.items()
            if path.startswith(f"{EVENTS}/")
        }

    @property
    def is_complete(self) -> bool:
        """Whether the whole history is there (no shallow clone)."""
        return self.repository is not None and not self.repository.is_shallow

    def version_number(self, skill: str, content: str) -> int | None:
        """The number (as ``m4review log`` counts) of the newest version that holds ``content``."""
        versions = [] if self.past is None else self.past.versions(skill)
        return max((number for number, held in enumerate(versions, start=1) if held == content), default=None)

    @cached_property
    def past(self) -> Past | None:
        """The recorded states of all skills; ``None`` without git or before the first commit."""
        if self.repository is None or self.revision is None:
            return None
        return Past(read_lineage(self.repository.git, self.revision, (SKILLS, TASKS), known=self.known_blobs))


def take_snapshot(workspace: Workspace, revision: str | None = None) -> Snapshot:
    """Read the working copy as git would record it, or a revision. Nothing is written.

    Raises:
        HistoryError: git failed, or there is no such revision.
    """
    try:
        repository = Repository.open(workspace.root)
    except HistoryError as error:
        if revision is not None:
            raise
        return _from_disk(workspace, error)
    if revision is None:
        copy = repository.working_copy((SKILLS, TASKS, REVIEWS))
        skills, unreadable = _by_skill(workspace.skill_names(), copy.below)
        known = {file.oid: file.data for file in copy.files.values()}
        cards, (reviews, links) = copy.below(TASKS), copy.plain_below(REVIEWS)
        head = repository.head()
        return Snapshot(skills, unreadable, read_cards(cards), reviews, repository, head, None, known, links)
    commit = repository.resolve(revision)
    names = sorted({entry.path.split("/")[1] for entry in repository.entries(commit, SKILLS)})
    skills, unreadable = _by_skill(names, lambda folder: repository.files(commit, folder))
    cards, (reviews, links) = repository.files(commit, TASKS), repository.plain_files(commit, REVIEWS)
    return Snapshot(skills, unreadable, read_cards(cards), reviews, repository, commit, links=links)


def _by_skill(
    names: Sequence[str], read: Callable[[str], Files]
) -> tuple[dict[str, dict[str, bytes]], dict[str, M4ReviewError]]:
    """The files of each skill, read at once; where one cannot be read, each on its own, so that the rest still are."""
    unreadable: dict[str, M4ReviewError] = {}
    files: dict[str, bytes] = {}
    try:
        files |= read(SKILLS)
    except HistoryError:
        for name in names:
            try:
                files |= {f"{name}/{path}": data for path, data in read(f"{SKILLS}/{name}").items()}
            except HistoryError as error:
                unreadable[name] = error
    skills: dict[str, dict[str, bytes]] = {name: {} for name in names if name not in unreadable}
    for path, data in files.items():
        name, _, rest = path.partition("/")
        if name in skills:
            skills[name][rest] = data
    return skills, unreadable


def _from_disk(workspace: Workspace, error: HistoryError) -> Snapshot:
    """What lies on the disk, for a workspace without git: shown, and never approved."""
    skills: dict[str, Files] = {}
    unreadable: dict[str, M4ReviewError] = {}
    for name in workspace.skill_names():
        try:
            skills[name] = _disk_files(workspace.skills_dir / name)
        except LedgerError as problem:
            unreadable[name] = problem
    return Snapshot(
        skills=skills,
        unreadable=unreadable,
        cards=read_cards(_disk_files(workspace.tasks_dir)),
        reviews=_disk_files(workspace.reviews_dir),
        repository=None,
        revision=None,
        no_history=error,
    )


def _disk_files(folder: Path) -> dict[str, bytes]:
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise LedgerError("a link, which is no content", where=path, fix="replace it with a regular file")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return files

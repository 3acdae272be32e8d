"""The recorded states of each skill and its task cards, made from the lineage that history reads.

One pass over the lineage finds, for every skill at once, the steps at which its folder or its cards changed or at which
lines of history with different states meet. Only these become nodes, so that the work grows with the changes and not
with skills times commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush

from m4review.errors import HistoryError, LedgerError
from m4review.history.lineage import Lineage, Step
from m4review.reviews.cards import card_of
from m4review.reviews.digests import content_digest
from m4review.reviews.subjects import Node, pair_of
from m4review.tasks import INSTRUCTION_FILE, TASK_FILE
from m4review.workspace import SKILLS, TASKS

Trees = Mapping[str, str]
"""Skill → tree of its folder."""
Digests = Mapping[str, tuple[str, ...]]
"""Skill → sorted digests of the cards that name it (``""`` for one that has none)."""
Kept = Mapping[str, int]
"""Skill → its newest node that a step stands on."""


class Past:
    """Digests along a lineage, each tree digested once."""

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage
        self._contents: dict[str, str | None] = {}
        self._families: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {}
        self._nodes: dict[str, list[Node]] = {}
        self._trees: dict[str, list[tuple[int, str | None]]] = {}
        self._walk()

    def nodes(self, skill: str) -> tuple[Node, ...]:
        """The states of the skill, parents first; the last one is the state at the revision."""
        return tuple(self._nodes.get(skill, ()))

    def files_with(self, skill: str, content: str) -> dict[str, bytes] | None:
        """The files of the recorded folder of ``skill`` whose digest is ``content``."""
        for _, tree in reversed(self._trees.get(skill, ())):
            if tree is not None and self.content(tree) == content:
                return self.lineage.files(tree)
        return None

    def files_with_content(self, content: str) -> dict[str, bytes] | None:
        """The files of the recorded skill folder, of whatever skill, whose digest is ``content``."""
        tree = self._tree_of_content.get(content)
        return None if tree is None else self.lineage.files(tree)

    def content(self, tree: str) -> str | None:
        """The content digest of a skill folder, ``None`` when it cannot be digested."""
        if tree not in self._contents:
            try:
                self._contents[tree] = content_digest(self.lineage.files(tree))
            except (LedgerError, HistoryError):
                self._contents[tree] = None
        return self._contents[tree]

    def versions(self, skill: str) -> list[str | None]:
        """The content of each recorded version of the skill, in the order in which ``m4review log`` counts them."""
        turns = self._trees.get(skill, [])
        if self._is_linear:
            found = [tree for _, tree in turns]
        else:
            trees = self._tree_at_each_step(turns)
            found = [trees[position] for position in _versions(self.lineage.steps, trees)]
        return [None if tree is None else self.content(tree) for tree in found]

    @cached_property
    def _tree_of_content(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for turns in self._trees.values():
            for _, tree in turns:
                content = None if tree is None else self.content(tree)
                if tree is not None and content is not None:
                    found[content] = tree
        return found

    @cached_property
    def _is_linear(self) -> bool:
        """Whether no step has two parents or shares its parent, so that steps can be counted one after the other."""
        return all(
            step.parents == ((position - 1,) if position else ()) for position, step in enumerate(self.lineage.steps)
        )

    def _tree_at_each_step(self, turns: Sequence[tuple[int, str | None]]) -> list[str | None]:
        changed = dict(turns)
        found: list[str | None] = []
        for position, step in enumerate(self.lineage.steps):
            inherited = found[step.parents[0]] if step.parents else None
            found.append(changed.get(position, inherited))
        return found

    # -- the walk -------------------------------------------------------------------------------------------------

    def _walk(self) -> None:
        trees: dict[int, Trees] = {}
        digests: dict[int, Digests] = {}
        kept: dict[int, Kept] = {}
        last_use = {parent: position for position, step in enumerate(self.lineage.steps) for parent in step.parents}
        for position, step in enumerate(self.lineage.steps):
            here = self._skill_trees(step, [trees[parent] for parent in step.parents])
            cards = self._card_digests(step, position, digests)
            touched: set[str] = set()
            for parent in step.parents or (None,):
                touched |= _differing(here, {} if parent is None else trees[parent])
                touched |= _differing(cards, {} if parent is None else digests[parent])
            for parent in step.parents[1:]:
                touched |= _differing(kept[step.parents[0]], kept[parent])
            trees[position], digests[position] = here, cards
            stands_on: dict[str, int] = dict(kept[step.parents[0]]) if step.parents else {}
            for skill in sorted(touched):
                states = [(trees[parent].get(skill), digests[parent].get(skill, ())) for parent in step.parents]
                parents = {kept[parent][skill] for parent in step.parents if skill in kept[parent]}
                self._add(skill, position, (here.get(skill), cards.get(skill, ())), states, parents)
                stands_on[skill] = len(self._nodes[skill]) - 1
            kept[position] = stands_on if touched else kept[step.parents[0]] if step.parents else stands_on
            for parent in step.parents:
                if last_use[parent] == position:
                    del trees[parent], digests[parent], kept[parent]

    def _add(
        self,
        skill: str,
        position: int,
        state: tuple[str | None, tuple[str, ...]],
        before: Sequence[tuple[str | None, tuple[str, ...]]],
        parents: set[int],
    ) -> None:
        step = self.lineage.steps[position]
        tree, cards = state
        content = None if tree is None else self.content(tree)
        pair = None if content is None or "" in cards else pair_of(content, cards)
        changed = state not in (before or [(None, ())])
        node = Node(pair, tuple(sorted(parents)), step.authors, step.committer, step.committed, changed)
        self._nodes.setdefault(skill, []).append(node)
        if tree != (before[0][0] if before else None):
            self._trees.setdefault(skill, []).append((position, tree))

    def _skill_trees(self, step: Step, parents: Sequence[Trees]) -> Trees:
        top = step.trees.get(SKILLS)
        found = {} if top is None else self.lineage.subfolders(top)
        return next((known for known in parents if known == found), found)

    def _card_digests(self, step: Step, position: int, known: Mapping[int, Digests]) -> Digests:
        """Skill → digests of the cards that name it, at one tree of the tasks folder."""
        top = step.trees.get(TASKS)
        if top is None:
            return {}
        for parent in step.parents:
            if self.lineage.steps[parent].trees.get(TASKS) == top:
                return known[parent]
        cards: dict[str, tuple[tuple[str, ...], str]] = {}
        for family, tree in sorted(self.lineage.subfolders(top).items(), key=lambda item: f"{item[0]}/"):
            if tree not in self._families:
                self._families[tree] = self._family(family, tree)
            cards |= self._families[tree]
        found: dict[str, list[str]] = {}
        for skills, digest in cards.values():
            for skill in skills:
                found.setdefault(skill, []).append(digest)
        return {skill: tuple(sorted(each)) for skill, each in found.items()}

    def _family(self, family: str, tree: str) -> dict[str, tuple[tuple[str, ...], str]]:
        """Task → the skills that its card names, and the card's digest."""
        found = {}
        for name, folder in self.lineage.subfolders(tree).items():
            files = self.lineage.direct_files(folder)
            if TASK_FILE in files:
                path = f"{family}/{name}/{TASK_FILE}"
                card = card_of(family, files[TASK_FILE], files.get(INSTRUCTION_FILE), path)
                found[name] = card.skills, card.digest or ""
        return found


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> set[str]:
    """The keys under which two maps say something else."""
    return set() if one is other else {key for key, _ in one.items() ^ other.items()}


def _versions(steps: Sequence[Step], trees: Sequence[str | None]) -> list[int]:
    """The steps that ``git log`` lists for a folder, oldest first.

    As git does by default: newest first by commit time, and where a merge took the folder over from one parent, only
    that parent is followed.
    """
    found: list[int] = []
    waiting: list[tuple[float, int, int]] = []
    seen: set[int] = set()

    def follow(position: int) -> None:
        if position not in seen:
            seen.add(position)
            heappush(waiting, (-steps[position].committed.timestamp(), len(seen), position))

    if steps:
        follow(len(steps) - 1)
    while waiting:
        position = heappop(waiting)[2]
        parents = steps[position].parents
        same = [parent for parent in parents if trees[parent] == trees[position]]
        if same:
            follow(same[0])
            continue
        if parents or trees[position] is not None:
            found.append(position)
        for parent in parents:
            follow(parent)
    return found[::-1]

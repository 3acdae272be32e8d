"""The recorded states of each skill and its task cards, made from the lineage that history reads."""

from __future__ import annotations

from m4review.errors import HistoryError, LedgerError
from m4review.history.lineage import Lineage
from m4review.reviews.cards import read_cards
from m4review.reviews.digests import content_digest
from m4review.reviews.subjects import Node, pair_of
from m4review.workspace import SKILLS, TASKS

State = tuple[str | None, tuple[str, ...]]
"""Tree of the skill's folder and the sorted digests of its cards (``""`` for one that has none)."""
ABSENT: State = (None, ())


class Past:
    """Digests along a lineage, each tree digested once."""

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage
        self._contents: dict[str, str | None] = {}
        self._cards: dict[str, dict[str, list[str]]] = {}

    def nodes(self, skill: str) -> tuple[Node, ...]:
        """One node per step of the lineage, parents first."""
        states: list[State] = []
        nodes = []
        trees = self.trees(skill)
        for step, tree in zip(self.lineage.steps, trees, strict=True):
            digests = self._card_digests(step.trees.get(TASKS)).get(skill, [])
            state = (tree, tuple(sorted(digests)))
            content = None if tree is None else self.content(tree)
            changed = state not in ([states[parent] for parent in step.parents] or [ABSENT])
            pair = None if content is None or "" in digests else pair_of(content, digests)
            nodes.append(Node(pair, step.parents, step.authors, step.committer, step.committed, changed))
            states.append(state)
        return tuple(nodes)

    def trees(self, skill: str) -> list[str | None]:
        """The tree of the skill's folder at each step, ``None`` where it did not exist."""
        tops = [step.trees.get(SKILLS) for step in self.lineage.steps]
        return [None if top is None else self.lineage.subfolders(top).get(skill) for top in tops]

    def is_linear(self) -> bool:
        """Whether no step has two parents or shares its parent, so that steps can be counted one after the other."""
        return all(
            step.parents == ((position - 1,) if position else ()) for position, step in enumerate(self.lineage.steps)
        )

    def version_commits(self, skill: str) -> list[str]:
        """The commits that changed the skill's folder, oldest first, in a linear history."""
        trees = self.trees(skill)
        before = [None, *trees]
        return [step.commit for step, tree, old in zip(self.lineage.steps, trees, before, strict=False) if tree != old]

    def content_at(self, skill: str) -> dict[str, str | None]:
        """Commit → content digest of the skill at that step."""
        return {
            step.commit: None if tree is None else self.content(tree)
            for step, tree in zip(self.lineage.steps, self.trees(skill), strict=True)
        }

    def content(self, tree: str) -> str | None:
        """The content digest of a skill folder, ``None`` when it cannot be digested."""
        if tree not in self._contents:
            try:
                self._contents[tree] = content_digest(self.lineage.files(tree))
            except (LedgerError, HistoryError):
                self._contents[tree] = None
        return self._contents[tree]

    def files_with(self, skill: str, content: str) -> dict[str, bytes] | None:
        """The files of the recorded skill folder whose digest is ``content``, whatever its name was then."""
        for tree in dict.fromkeys(tree for tree in reversed(self.trees(skill)) if tree is not None):
            if self.content(tree) == content:
                return self.lineage.files(tree)
        return None

    def files_with_content(self, content: str) -> dict[str, bytes] | None:
        """The files of the recorded skill folder, of whatever skill, whose digest is ``content``."""
        for step in reversed(self.lineage.steps):
            top = step.trees.get(SKILLS)
            for tree in () if top is None else self.lineage.subfolders(top).values():
                if self.content(tree) == content:
                    return self.lineage.files(tree)
        return None

    def _card_digests(self, tree: str | None) -> dict[str, list[str]]:
        """Skill → digests of the cards that name it, at one tree of the tasks folder."""
        if tree is None:
            return {}
        if tree not in self._cards:
            found: dict[str, list[str]] = {}
            for card in read_cards(self.lineage.files(tree)).values():
                for skill in card.skills:
                    found.setdefault(skill, []).append(card.digest or "")
            self._cards[tree] = found
        return self._cards[tree]

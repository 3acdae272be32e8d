"""The shelf: every family with its skills, and every skill with its task cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from m4review.tui.render.shelf import family_label, is_one_skill, shelf_rows, skill_label, task_label
from m4review.tui.session.library import FamilyRow, Row, SkillRow, TaskRow


class ShelfTree(Tree[Row]):
    """Tasks are folded in where not all rows fit, and a family of one skill is one row."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("skills", id=id)
        self.show_root = False
        self.guide_depth = 2

    @property
    def row_here(self) -> Row | None:
        """The row under the cursor."""
        return None if self.cursor_node is None else self.cursor_node.data

    @property
    def skill_here(self) -> SkillRow | None:
        """The skill under the cursor, or the one that the task there belongs to."""
        node: TreeNode[Row] | None = self.cursor_node
        while node is not None:
            if isinstance(node.data, SkillRow):
                return node.data
            node = node.parent
        return None

    def fill(self, families: Sequence[FamilyRow]) -> None:
        """Show these families and nothing else; the cursor is put afterwards (:meth:`put_cursor`)."""
        fits = shelf_rows(families) <= self.size.height
        self.clear()
        for family in families:
            branch = self.root if is_one_skill(family) else self.root.add(family_label(family), family, expand=True)
            for skill in family.skills:
                leaf = branch.add(skill_label(skill, counts_tasks=not fits), skill, expand=fits)
                for task in skill.tasks:
                    leaf.add_leaf(task_label(task), task)
            for task in family.loose_tasks:
                branch.add_leaf(task_label(task), task)

    def put_cursor(self, name: str | None) -> None:
        """On the row of that name, or the one it is folded into; else on the first skill."""
        rows = list(_rows_below(self.root))
        wanted = [row for row in rows if row.data is not None and row.data.name == name]
        wanted += [row for row in rows if isinstance(row.data, SkillRow)]
        if not wanted:
            return
        shown = wanted[0]
        if shown.parent is not None and not shown.parent.is_expanded and isinstance(shown.data, TaskRow):
            shown = shown.parent
        self.move_cursor(shown)


def _rows_below(node: TreeNode[Row]) -> Iterator[TreeNode[Row]]:
    for child in node.children:
        yield child
        yield from _rows_below(child)

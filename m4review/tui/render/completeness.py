"""The elements of a specification as a checklist: which the text declares, where, and what to write for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from m4review.skills.completeness import Completeness, Declaration


def heading(result: Completeness) -> str:
    """``Completeness 18/20``, the title of the tab."""
    return f"Completeness {len(result.declared)}/{len(result.declarations)}"


def item(declaration: Declaration) -> Text:
    """One line of the checklist; an absent element also says what to write."""
    element = declaration.element
    if declaration.is_declared:
        return Text.assemble("[x] ", (element.title, "bold"), f"  line {declaration.line}")
    return Text.assemble("[ ] ", (element.title, "bold"), "  absent\n    ", element.to_write)

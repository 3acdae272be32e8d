"""The elements of a specification as a checklist, and before it what a literal reader could only guess at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from m4review.skills.completeness import Completeness, Declaration
    from m4review.skills.unclear import UnclearPlace


NOT_CHECKED = "Declared or not, no more: whether the figures are right is for you to judge."


def heading(result: Completeness) -> str:
    """``Completeness 18/20``, the title of the tab; with unclear places ``Completeness 18/20 ?2``."""
    unclear = f" ?{len(result.unclear)}" if result.unclear else ""
    return f"Completeness {len(result.declared)}/{len(result.declarations)}{unclear}"


def unclear_item(place: UnclearPlace) -> Text:
    """One unclear place: where, what stands there, what to write."""
    return Text.assemble(
        "[?] ", (f"line {place.line}", "bold"), f"  {place.id}\n    {place.message}\n    {place.to_write}"
    )


def unclear_line(place: UnclearPlace) -> Text:
    """What is unclear in the line of the cursor, for the line under the editor."""
    text = Text(no_wrap=True, overflow="ellipsis")
    return text.append(" ? ", "reverse").append(f" {place.message} → {place.to_write}  [{place.id}]")


def item(declaration: Declaration) -> Text:
    """One line of the checklist; an absent element also says what to write."""
    element = declaration.element
    if declaration.is_declared:
        return Text.assemble("[x] ", (element.title, "bold"), f"  line {declaration.line}")
    return Text.assemble("[ ] ", (element.title, "bold"), "  absent\n    ", element.to_write)

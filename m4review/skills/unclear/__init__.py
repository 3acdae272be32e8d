"""Places of a specification that a literal reader could only guess at: each with its line, and never guessed.

Empty and merged cells, tables that contradict each other, windows without an anchor, unknown units, item ids that the
database's dictionary does not know, and lists of bands with a gap or an overlap.
"""

from __future__ import annotations

from m4review.skills.skill import Skill
from m4review.skills.unclear.bands import unclear_bands
from m4review.skills.unclear.cells import unclear_cells
from m4review.skills.unclear.contradictions import contradictions
from m4review.skills.unclear.items import ItemDictionary, unknown_items
from m4review.skills.unclear.place import UnclearPlace, method_tables
from m4review.skills.unclear.units import unknown_units
from m4review.skills.unclear.windows import unanchored_windows

__all__ = ["ItemDictionary", "UnclearPlace", "unclear_places"]


def unclear_places(skill: Skill, dictionary: ItemDictionary | None = None) -> tuple[UnclearPlace, ...]:
    """Everything that cannot be taken as it stands, in the order of the text.

    Item ids are looked up only in a ``dictionary``; without one nothing is said about them.
    """
    tables = method_tables(skill)
    found = [
        *unclear_cells(skill, tables),
        *contradictions(tables),
        *unanchored_windows(skill, tables),
        *unknown_units(tables),
        *unclear_bands(skill, tables),
        *(unknown_items(skill, tables, dictionary) if dictionary is not None else ()),
    ]
    unique = {(place.line, place.id, place.message): place for place in found}
    return tuple(sorted(unique.values(), key=lambda place: (place.line, place.id, place.message)))

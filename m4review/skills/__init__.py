"""Skills: SKILL.md as a typed object with sections and tables. Parts are loaded on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m4review.skills.document import Document, Fence, Section, Table, TableRow, parse_document
    from m4review.skills.skill import SKILL_FILE, Skill, load_skill, parse_skill, skill_from_bytes

__all__ = [
    "SKILL_FILE",
    "Document",
    "Fence",
    "Section",
    "Skill",
    "Table",
    "TableRow",
    "load_skill",
    "parse_document",
    "parse_skill",
    "skill_from_bytes",
]

_DOCUMENT = {"Document", "Fence", "Section", "Table", "TableRow", "parse_document"}


def __getattr__(name: str) -> object:
    if name in __all__:
        module = "document" if name in _DOCUMENT else "skill"
        return getattr(importlib.import_module(f"m4review.skills.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

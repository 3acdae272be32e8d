"""Skills: SKILL.md as a typed object with sections and tables."""

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

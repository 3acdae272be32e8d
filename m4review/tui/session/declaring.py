"""Which elements of a specification the text in the editor declares: what a worker computes away from the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.skills.completeness import Completeness


def declared_in(workspace: Workspace, skill: str, text: str) -> Completeness | M4ReviewError:
    """The completeness of the text as the skill's file, or why it cannot be read as a skill."""
    from m4review.skills import skill_from_bytes
    from m4review.skills.completeness import completeness

    try:
        return completeness(skill_from_bytes(text.encode("utf-8"), workspace.skill_file(skill)))
    except M4ReviewError as error:
        return error

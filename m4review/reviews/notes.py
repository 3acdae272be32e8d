"""Notes enter git with the event, so they are held to the same rules as a skill."""

from __future__ import annotations

from m4review.reviews.digests import check_text
from m4review.workspace import Workspace


def refuse_unfit_notes(workspace: Workspace, skill: str, *texts: str) -> None:
    """Raise when notes hold characters nobody sees, or what the lint refuses: queries, answer paths, patient rows."""
    for text in texts:
        check_text(text.encode("utf-8", "surrogatepass"), "notes")

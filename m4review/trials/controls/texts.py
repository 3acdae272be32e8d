"""A text that stands in the prompt instead of a skill."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OfferedText:
    """A text as the agent reads it after the instruction. ``digest`` is of the content it was taken from."""

    name: str
    text: str
    digest: str
    version: int | None = None
    """Of the skill it was taken from, ``None`` for unrecorded content and for texts that are no skill."""
    mapped: str | None = None
    """Digest of ``text`` where names were replaced for a changed schema."""

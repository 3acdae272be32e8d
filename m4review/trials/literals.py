"""Where literals stand in bytes, whatever their case: the cheap question before a pattern is asked.

A run may leave gigabytes of numbers. Everything looked for has a word in it, so the letters alone of a chunk rule most
literals out at once, and a pattern is tried only where its literal stands.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from functools import cached_property

NO_LETTERS = bytes(byte for byte in range(256) if byte not in string.ascii_lowercase.encode())


class Haystack:
    """Bytes in which lower-case literals are looked for."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.lower = text.lower()

    @cached_property
    def _letters(self) -> bytes:
        return self.lower.translate(None, NO_LETTERS)

    def places(self, literal: bytes) -> Iterator[int]:
        """Every offset at which ``literal`` (lower-case) stands."""
        letters = literal.translate(None, NO_LETTERS)
        if letters and letters not in self._letters:
            return
        at = self.lower.find(literal)
        while at >= 0:
            yield at
            at = self.lower.find(literal, at + 1)

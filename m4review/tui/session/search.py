"""Where something stands in a text, which place comes next, and the text with it replaced.

Words are looked for as they are; a regular expression works line by line, so that ``^`` and ``$`` are the ends of a
line. A pattern can take longer than the age of the universe, and nothing in Python stops it; so patterns run in a
process of their own, which is ended after a while.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from m4review.errors import M4ReviewError

Place = tuple[int, int]
"""Line and column, both from 0."""
PATTERN_SECONDS = 3.0
"""After which a pattern is given up."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for. ``pattern`` reads it as a regular expression, ``cased`` tells ``A`` from ``a``."""

    words: str
    cased: bool = False
    pattern: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """One place that holds what is looked for; ``new`` is what would stand there instead."""

    start: Place
    end: Place
    new: str = ""

    @property
    def span(self) -> tuple[Place, Place]:
        """Its first place and the place behind it."""
        return self.start, self.end


def matches(text: str, wanted: Wanted, new: str = "") -> list[Match]:
    """Every place in reading order; none for no words. ``new`` may name groups of a pattern: ``\\1``, ``\\g<name>``.

    Raises:
        M4ReviewError: the pattern or its replacement is not one, or it takes too long.
    """
    if not wanted.words:
        return []
    if wanted.pattern:
        return _by_pattern(text, wanted, new)
    flags = re.NOFLAG if wanted.cased else re.IGNORECASE
    plain = re.compile(re.escape(wanted.words), flags)
    return [
        Match((row, found.start()), (row, found.end()), new)
        for row, line in enumerate(text.split("\n"))
        for found in plain.finditer(line)
    ]


def replaced(text: str, found: Sequence[Match]) -> str:
    """The text with every match replaced by its new words."""
    lines = text.split("\n")
    for match in reversed(found):
        row, begin = match.start
        lines[row] = lines[row][:begin] + match.new + lines[row][match.end[1] :]
    return "\n".join(lines)


def position_after(found: Sequence[Match], here: tuple[Place, Place], *, backwards: bool = False) -> int:
    """The index of the match after the selection ``here`` (before it, when ``backwards``), round the end.

    A match that starts where the selection starts counts as the next one unless it is the selection.
    """
    if backwards:
        before = [index for index, match in enumerate(found) if match.start < here[0]]
        return before[-1] if before else len(found) - 1
    after = [index for index, match in enumerate(found) if match.start >= here[0] and match.span != here]
    return after[0] if after else 0


def _by_pattern(text: str, wanted: Wanted, new: str) -> list[Match]:
    question = json.dumps({"text": text, "pattern": wanted.words, "cased": wanted.cased, "new": new})
    searcher = Path(__file__).with_name("patternsearch.py")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(searcher)],
            input=question,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=PATTERN_SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise M4ReviewError(
            f"the pattern takes longer than {PATTERN_SECONDS:.0f} seconds",
            fix="avoid repetitions inside of repetitions, such as (a+)+",
        ) from None
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise M4ReviewError(answer["error"], fix="correct it, or turn “pattern” off to find the words as they are")
    return [Match((row, begin), (row, end), words) for row, begin, end, words in answer["matches"]]

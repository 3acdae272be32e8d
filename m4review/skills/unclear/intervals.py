"""Bands of a quantity, as tables write them: ``20 to < 50``, ``≥ 12.0``, ``lowest heart rate < 40 /min``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from m4review.skills.unclear.place import plain

NUMBER = r"[-−]?\d+(?:[.,]\d+)?"
SIGN = r"(?:<=|>=|<|>|≤|≥|=)"
WORDS = (
    (re.compile(r"\b(?:at least|not (?:less|lower) than|no less than)\s+(?=[-−]?\d)"), "≥ "),
    (re.compile(r"\b(?:at most|not (?:more|higher) than|no more than|up to)\s+(?=[-−]?\d)"), "≤ "),
    (re.compile(r"\b(?:less than|lower than|below|under)\s+(?=[-−]?\d)"), "< "),
    (re.compile(r"\b(?:more than|greater than|higher than|above|over)\s+(?=[-−]?\d)"), "> "),
)
AFTER = re.compile(rf"^({NUMBER})\s*(?:or|and) (?:more|above|higher|over|greater|older)\b")
BEFORE = re.compile(rf"^({NUMBER})\s*(?:or|and) (?:less|below|lower|under|younger)\b")
OPEN_ENDED = re.compile(rf"^({NUMBER})\s*\+(?=\s|$)")
BOTH = re.compile(
    rf"^(?P<a>{SIGN}?)\s*(?P<low>{NUMBER})[^\d<>≤≥=]{{0,12}}?\s*(?:to|–|-|and|until)\s*(?P<b>{SIGN}?)\s*(?P<high>{NUMBER})"
)
ONE = re.compile(rf"^(?P<sign>{SIGN})\s*(?P<value>{NUMBER})")
AROUND = re.compile(
    rf"^(?P<low>{NUMBER})\s*(?P<a><|≤|<=)\s*(?P<name>[^\d<>≤≥=]{{1,60}}?)\s*(?P<b><|≤|<=)\s*(?P<high>{NUMBER})"
)
ALONE = re.compile(rf"^({NUMBER})(?![\d.,])")
REST = re.compile(r"^\s*(?:[\w°µμ%/²³·^()]{0,16}\s?){0,4}$")
"""What may follow the numbers: a unit, nothing else."""


@dataclass(frozen=True, slots=True)
class Band:
    """One stretch of a quantity; an end of ``None`` is open without limit."""

    name: str
    low: Decimal | None
    low_counts: bool
    high: Decimal | None
    high_counts: bool

    def holds(self, other: Band) -> bool:
        """Whether every value of ``other`` lies in this band."""
        return self._starts_before(other) and self._ends_after(other)

    def meets(self, other: Band) -> bool:
        """Whether some value lies in both."""
        return _reaches(self, other) and _reaches(other, self)

    def _starts_before(self, other: Band) -> bool:
        if self.low is None or other.low is None:
            return self.low is None
        return self.low < other.low or (self.low == other.low and (self.low_counts or not other.low_counts))

    def _ends_after(self, other: Band) -> bool:
        if self.high is None or other.high is None:
            return self.high is None
        return self.high > other.high or (self.high == other.high and (self.high_counts or not other.high_counts))


def _reaches(band: Band, other: Band) -> bool:
    """Whether ``band`` ends at or after the beginning of ``other``."""
    if band.high is None or other.low is None:
        return True
    return band.high > other.low or (band.high == other.low and band.high_counts and other.low_counts)


def parse_band(cell: str) -> Band | None:
    """The band that a condition states of one quantity; ``None`` when it is anything else."""
    text = plain(cell).replace("−", "-")
    around = AROUND.match(text)
    if around:
        return _made(around["name"], around["low"], "≤" in around["a"] or "=" in around["a"], around["high"],
                     "≤" in around["b"] or "=" in around["b"], text[around.end() :])  # fmt: skip
    for pattern, sign in WORDS:
        text = pattern.sub(sign, text)
    start = re.search(rf"{SIGN}\s*[-]?\d|(?<![\w.])-?\d", text)
    if start is None:
        return None
    name, bounds = text[: start.start()].strip(), text[start.start() :].strip()
    if re.search(r"\d|[<>≤≥=×÷*+/]\s*$|\b(?:or|and|not)\b", name):
        return None
    return _bounds(name, bounds)


def _bounds(name: str, text: str) -> Band | None:
    both = BOTH.match(text)
    if both:
        return _made(name, both["low"], both["a"] != ">", both["high"], both["b"] not in {"<"}, text[both.end() :])
    for pattern, sign in ((AFTER, "≥"), (OPEN_ENDED, "≥"), (BEFORE, "≤")):
        match = pattern.match(text)
        if match:
            return _one(name, sign, match[1], text[match.end() :])
    one = ONE.match(text)
    if one:
        return _one(name, one["sign"], one["value"], text[one.end() :])
    alone = ALONE.match(text)
    return _made(name, alone[1], True, alone[1], True, text[alone.end() :]) if alone else None


def _one(name: str, sign: str, value: str, rest: str) -> Band | None:
    counts = sign in {"≤", "≥", "<=", ">=", "="}
    if sign == "=":
        return _made(name, value, True, value, True, rest)
    if sign.startswith(("<", "≤")):
        return _made(name, None, False, value, counts, rest)
    return _made(name, value, counts, None, False, rest)


def _made(name: str, low: str | None, low_counts: bool, high: str | None, high_counts: bool, rest: str) -> Band | None:
    if REST.match(rest) is None or re.search(r"\b(?:or|and|times|of|than)\b|[×÷*+]", rest):
        return None
    lower, upper = (None if value is None else Decimal(value.replace(",", ".")) for value in (low, high))
    return Band(name.strip(), lower, low_counts, upper, high_counts)

"""The words the reader understands: section headings, table headers, and the small vocabulary of phrases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation


class Unreadable(Exception):  # noqa: N818 - a statement about a text, not a fault of the program
    """A text meant for execution that the reader cannot read; the message says why."""


# What a section is for -> the headings that say so.
SECTIONS: dict[str, tuple[str, ...]] = {
    "output": ("output", "output columns", "output grain"),
    "cohort": ("cohort", "population", "inclusion"),
    "window": ("time window", "time windows", "window", "windows"),
    "source": ("source map", "sources", "source tables", "data sources"),
    "inputs": ("derived inputs", "derived input", "inputs"),
    "diagnoses": ("diagnoses", "diagnosis codes", "code lists", "codes", "icd codes"),
    "scoring": ("scoring", "scoring rules", "score", "points", "rules", "staging", "classification"),
    "missing": ("missing data", "missing values", "missing"),
    "ties": ("ties and duplicates", "ties", "duplicates"),
    "edges": ("edge cases",),
    "concepts": ("when intermediate concepts are available", "intermediate concepts"),
    "background": ("clinical definition", "definition", "known limitations", "limitations", "literature", "references"),
}

# What a table column holds -> the headers that say so.
HEADERS: dict[str, tuple[str, ...]] = {
    "column": ("column", "output column"),
    "type": ("type",),
    "meaning": ("meaning", "description"),
    "measure": ("measure", "measurement", "variable", "from"),
    "table": ("table", "source table"),
    "item": ("item in", "item column", "items in"),
    "value": ("value in", "value column"),
    "time": ("time in", "time column"),
    "match": ("matched to the stay by", "matched by", "matched to the stay", "joined by"),
    "items": ("item id (label)", "item ids (labels)", "item id", "item ids", "item", "items", "item (label / name)"),
    "where": ("only rows where", "rows", "only entries where"),
    "unit": ("unit", "units"),
    "range": ("valid range", "range", "accepted range", "accepted values"),
    "conversion": ("conversion", "conversion to the unit used"),
    "together": ("several values at one time", "values at one time", "same time", "at one time"),
    "panel": ("panel", "panels"),
    "members": ("measures", "measures of it", "measures in it"),
    "whole": ("taken over the panel", "taken over the whole panel"),
    "derived": ("derived measure", "derived measures"),
    "rule": ("rule", "derivation", "how it is derived", "calculation"),
    "per": ("one value per",),
    "episodes": ("episodes", "episode", "period", "periods"),
    "built": ("built from",),
    "force": ("value in force", "values in force"),
    "from": ("in force from",),
    "until": ("in force until",),
    "earlier": ("before the first one",),
    "intervals": ("intervals", "interval"),
    "boundaries": ("boundaries",),
    "opens": ("a new episode starts when", "new episode when", "starts when"),
    "closes": ("ends", "it ends", "end"),
    "kept": ("kept when", "kept if", "kept"),
    "input": ("input", "derived input"),
    "summary": ("summary over the window", "summary", "summary in the window", "aggregate"),
    "window": ("window", "time window"),
    "only": ("only where", "restricted to", "restriction", "only when"),
    "component": ("component", "criterion", "output", "term", "response", "part"),
    "condition": ("condition", "when", "criterion met when", "finding", "situation", "applies when", "case"),
    "points": ("points", "score", "value", "total", "status", "result", "value of the charting that counts"),
    "order": ("order", "no.", "line"),
    "missing": ("missing when",),
    "counts": ("counts as", "counted as", "value when missing", "when missing"),
    "graded": ("graded values", "values graded"),
    "reference": ("further from", "reference value"),
    "equal": ("at equal distance", "equal distance"),
    "concept": ("concept", "concept table", "intermediate concept"),
    "note": ("note", "notes", "remark", "remarks"),
}

SUMMARIES: dict[str, str] = {
    "lowest": "min",
    "minimum": "min",
    "min": "min",
    "smallest": "min",
    "highest": "max",
    "maximum": "max",
    "max": "max",
    "largest": "max",
    "sum": "sum",
    "total": "sum",
    "mean": "avg",
    "average": "avg",
    "first": "first",
    "earliest": "first",
    "last": "last",
    "latest": "last",
    "present": "present",
    "number of values": "count",
    "number of entries": "count",
    "time of the first": "first time",
    "time of the last": "last time",
}

NOTHING = frozenset({"", "-", "none", "no", "any", "as charted", "unchanged", "not restricted", "no limit"})

NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}

COMPARISONS: tuple[tuple[str, str], ...] = (
    ("greater than or equal to", ">="),
    ("less than or equal to", "<="),
    ("no more than", "<="),
    ("no less than", ">="),
    ("not below", ">="),
    ("not above", "<="),
    ("at least", ">="),
    ("at most", "<="),
    ("greater than", ">"),
    ("higher than", ">"),
    ("more than", ">"),
    ("less than", "<"),
    ("lower than", "<"),
    ("fewer than", "<"),
    ("above", ">"),
    ("below", "<"),
    ("≥", ">="),
    ("≤", "<="),
    ("⩾", ">="),
    ("⩽", "<="),
)


def plain(text: str) -> str:
    """Lower case, without marks of emphasis and code, one kind of dash, single blanks."""
    text = unicodedata.normalize("NFC", text).replace("µ", "μ")
    text = re.sub(r"[`*]|(?<!\w)_|_(?!\w)", "", text)
    text = re.sub(r"[‐‑‒–—−]", "-", text)
    return re.sub(r"\s+", " ", text).strip().casefold()


def code_spans(text: str) -> list[str]:
    """The texts between backticks, in order."""
    return [span.strip() for span in re.findall(r"`([^`]+)`", text)]


def exact_spans(text: str) -> list[str]:
    """The texts between backticks as they stand, blanks at their ends included."""
    return re.findall(r"`([^`]+)`", text)


def singular(name: str) -> str:
    """A plain name without the plural's last letter, to compare 'episode' with 'episodes'."""
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def says_nothing(text: str) -> bool:
    """Whether a cell is empty or says that nothing applies."""
    return plain(text).strip(".") in NOTHING


def section_purpose(titles: Sequence[str]) -> str | None:
    """What a section is for, by its own heading or the nearest known one above it."""
    for title in reversed(titles):
        heading = re.sub(r"^[\d.]+\s+", "", plain(title))
        for purpose, names in SECTIONS.items():
            if heading in names:
                return purpose
    return None


def column_roles(header: Sequence[str]) -> dict[str, int]:
    """Role of each recognised table column -> its position. A role named twice keeps the first."""
    roles: dict[str, int] = {}
    for position, cell in enumerate(header):
        name = plain(cell)
        if name.startswith("matched "):
            roles.setdefault("match", position)
        for role, names in HEADERS.items():
            if name in names:
                roles.setdefault(role, position)
    return roles


def number(text: str) -> Decimal:
    """A plain decimal number or a number word up to twelve.

    Raises:
        Unreadable: anything else.
    """
    cleaned = plain(text)
    if cleaned in NUMBER_WORDS:
        return Decimal(NUMBER_WORDS[cleaned])
    if not re.fullmatch(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,18})?", cleaned):
        raise Unreadable(f"{text!r} is not a number")
    try:
        return Decimal(cleaned.replace(",", ""))
    except InvalidOperation:
        raise Unreadable(f"{text!r} is not a number") from None

"""How much a change of a skill text is: none, editorial, scoped or substantive, computed on the real bytes.

- none: the same bytes.
- editorial: equal once trailing blanks and final newlines are removed outside of tables, code and front matter.
- scoped: exactly one scope's digest differs, and nothing in it that carries a number's meaning.
- substantive: anything else; always where a digit, comparator, unit, negation, item id, operator, table row or code
  changed. When in doubt a change is substantive: the word after a number is taken for its unit, whatever it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from m4review.errors import SkillError
from m4review.reviews.digests import check_text
from m4review.reviews.scopes import LINE_END, scope_digests
from m4review.skills import SKILL_FILE, parse_document
from m4review.skills.frontmatter import split_front_matter
from m4review.workspace import SCOPES, Policy, Scope

ChangeKind = Literal["none", "editorial", "scoped", "substantive"]
Files = Mapping[str, bytes]

NUMBER = (
    r"[-+\u2212\u2013]?(?:\d+(?:[.,:]\d+)*|[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089\u2150-\u218b])"
)
COMPARING = (
    "above", "below", "over", "under", "least", "most", "more", "less", "fewer", "greater", "higher", "lower", "larger",
    "smaller", "exceed", "exceeds", "exceeding", "equal", "equals", "between", "within", "until", "before", "after",
    "since", "from", "up", "down", "minimum", "maximum", "min", "max", "lowest", "highest", "worst", "best", "first",
    "last", "earliest", "latest", "inclusive", "exclusive", "including", "strictly", "exactly", "same", "different",
    "rise", "rises", "fall", "falls", "increase", "decrease", "increased", "decreased", "positive", "negative", "mean",
    "median", "sum", "total", "average", "any", "all", "every", "each", "both", "either", "and", "or", "only",
)  # fmt: skip
NEGATING = (
    "not", "no", "none", "never", "without", "except", "unless", "neither", "nor", "cannot", "excluding", "exclude",
    "excluded", "excludes", "ignore", "ignored", "omit", "omitted", "non", "absent", "missing", "instead", "rather",
    "empty", "null", "unknown", "zero",
)  # fmt: skip
COUNTING = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "half", "third",
    "quarter", "double", "twice", "once", "triple", "hundred", "thousand", "dozen", "second", "fourth", "fifth",
)  # fmt: skip
UNITS = (
    "hour", "hours", "hourly", "minute", "minutes", "day", "days", "daily", "week", "weeks", "month", "months", "year",
    "years", "seconds", "percent", "per", "celsius", "fahrenheit", "kelvin", "mmhg", "kpa", "cmh2o", "mmol", "umol",
    "mol", "mmoles", "meq", "mosm", "mg", "mcg", "ng", "pg", "kg", "gram", "grams", "kilogram", "kilograms", "litre",
    "litres", "liter", "liters", "ml", "dl", "millilitre", "millilitres", "milliliter", "milliliters", "bpm", "iu",
    "units", "unit", "cm", "mm", "metre", "meter", "inch", "inches", "pound", "pounds", "lb", "lbs", "micromol",
    "millimole", "millimoles", "micromole", "micromoles", "microgram", "micrograms", "milligram", "milligrams", "hz",
)  # fmt: skip
WORDS = frozenset((*COMPARING, *NEGATING, *COUNTING, *UNITS))
TOKEN = re.compile(
    rf"(?P<number>{NUMBER})(?P<unit>\s*[^\W\d_]+)?"
    r"|(?P<sign>[<>=\u2264\u2265\u2260\u2248\u00b1\u00d7\u00f7\u2212%\u2030\u00b0\u00b5\u03bc~^]|(?<= )[-*/+](?= ))"
    r"|(?P<ratio>[^\W_]+/[^\W_]+)"
    r"|(?P<word>[^\W\d_]+(?:['\u2019]t\b)?)"
    r"|(?P<code>`[^`]*`)"
)
ONE_LETTER_UNITS = frozenset("LlgGhsmMCFUK")


@dataclass(frozen=True, slots=True)
class Change:
    """The class of a change and why, in one sentence. ``scopes`` are those whose digest differs."""

    kind: ChangeKind
    scopes: tuple[Scope, ...]
    why: str


def classify(before: Files, after: Files, policy: Policy, *, same_cards: bool = True) -> Change:
    """The class of the change from one skill folder to another (paths relative to it → bytes as git stores them).

    ``same_cards`` says whether the task cards are the same; a changed card is always substantive.

    Raises:
        LedgerError: one of them cannot be digested.
    """
    if dict(before) == dict(after):
        if same_cards:
            return Change("none", (), "the same bytes")
        return Change("substantive", (), "its task cards changed")
    old, new = scope_digests(before, policy), scope_digests(after, policy)
    scopes = tuple(scope for scope in SCOPES if old[scope] != new[scope])
    if not same_cards:
        return Change("substantive", scopes, "its task cards changed")
    if before.keys() == after.keys() and all(_is_editorial(path, before[path], after[path]) for path in before):
        return Change("editorial", scopes, "only blanks at line ends or newlines at the end of a file changed")
    if before.keys() != after.keys() or any(before[path] != after[path] for path in before if path != SKILL_FILE):
        return Change("substantive", scopes, "a file beside SKILL.md changed")
    what = changed_meaning(before[SKILL_FILE], after[SKILL_FILE])
    if what is not None:
        return Change("substantive", scopes, what)
    if len(scopes) == 1:
        return Change(
            "scoped", scopes, f"only the text of {scopes[0]} changed, and no number, unit, comparison or table"
        )
    return Change("substantive", scopes, "more than one scope changed" if scopes else "the order of sections changed")


def _is_editorial(path: str, before: bytes, after: bytes) -> bool:
    return before == after or (path.endswith(".md") and trimmed(before) == trimmed(after))


def trimmed(data: bytes) -> bytes:
    """A file without trailing blanks and final newlines, except in tables, code and front matter."""
    rows, start = _kept_lines(data)
    lines = [line for line in LINE_END.split(data) if line]
    kept = []
    for number, line in enumerate(lines, start=1):
        if number < start or number in rows:
            kept.append(line)
            continue
        text = line.rstrip(b"\r\n")
        kept.append(text.rstrip(b" \t") + line[len(text) :])
    while kept and len(kept) >= start and len(kept) not in rows and not kept[-1].strip(b" \t\r\n"):
        kept.pop()
    if kept and len(kept) not in rows:
        kept[-1] = kept[-1].rstrip(b"\r\n")
    return b"".join(kept)


def changed_meaning(before: bytes, after: bytes) -> str | None:
    """Which kind of text that is always substantive differs between two files, as a clause; ``None`` for none."""
    if _table_rows(before) != _table_rows(after):
        return "a table row or code changed"
    old, new = meaning_tokens(before), meaning_tokens(after)
    if old == new:
        return None
    at = next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
    names = {kind for kind, _ in (*old[at : at + 1], *new[at : at + 1])}
    return f"a {' or '.join(sorted(names))} changed"


def meaning_tokens(data: bytes) -> list[tuple[str, str]]:
    """Every number, comparison, unit, negation, operator and code span of a text in order, each with its kind."""
    found = []
    for match in TOKEN.finditer(check_text(data, SKILL_FILE)):
        kind = str(match.lastgroup)
        if match["number"] is not None:
            found.append(("number or unit", " ".join(match.group().split())))
        elif match["word"] is not None:
            word = match["word"]
            lower = word.casefold()
            if lower in WORDS or word in ONE_LETTER_UNITS or lower.endswith(("n't", "n\u2019t")):
                found.append(("comparison, unit or negation", lower if lower in WORDS else word))
        else:
            found.append(
                ({"sign": "comparison or sign", "ratio": "unit or ratio", "code": "name in code"}[kind], match.group())
            )
    return found


def _table_rows(data: bytes) -> list[bytes]:
    rows, _ = _kept_lines(data)
    lines = [line for line in LINE_END.split(data) if line]
    return [line.rstrip(b"\r\n") for number, line in enumerate(lines, start=1) if number in rows]


def _kept_lines(data: bytes) -> tuple[frozenset[int], int]:
    """Line numbers of tables and code, and the first line after the front matter."""
    text = re.sub(r"\r\n?", "\n", check_text(data, SKILL_FILE)).removeprefix("\ufeff")
    start = 1
    try:
        start = split_front_matter(text, SKILL_FILE).body_line
    except SkillError:
        if text.startswith("---"):
            return frozenset(range(1, text.count("\n") + 2)), 1
    document = parse_document("\n".join(text.split("\n")[start - 1 :]), first_line=start)
    rows: set[int] = set()
    for table in document.tables:
        last = max((row.line for row in table.rows), default=table.line + 1)
        rows.update(range(table.line, max(last, table.line + 1) + 1))
    for fence in document.fences:
        rows.update(range(fence.line, fence.end_line + 1))
    return frozenset(rows), start

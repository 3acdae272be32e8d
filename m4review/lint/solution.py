"""Family *solution*: a text that follows one of our own reference queries, in whatever notation.

Of query and text only names and literals are kept, in order: ``CASE WHEN wbc_max > 12.0``, ``df.wbc_max.gt(12)`` and
``wbc_max above 12`` read the same. Runs of such tokens that stand in a reference (or in a concept behind it) are
looked up in the text. Item ids, units and lists of texts alone are method and never count: a run counts only when
it links several names of our own queries with numbers. Long runs are refused. Short ones are shown as a warning: a
scoring table that uses the column names of a concept reads like the query too, and is method.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import compress, pairwise
from typing import NamedTuple

from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts, words
from m4review.lint.views import View

SQL_COMMENT = Pattern(r"--[^\n]*|/\*.*?\*/", re.S)
TOKEN = Pattern(
    r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)(?![\w.]*\w)|(?P<word>[a-z_]\w*)(?P<dot>\s*\.\s*(?=[\"`\[]?[a-z_]))?"
)
QUOTED = Pattern(r"'(?:[^']|'')*'")
POINTS = Pattern(r"\b(?:then|else)\s+-?[\d.]+")
"""What a condition gives: other notations keep the limits together and the points apart."""
READ = Pattern(r"_derived\.(\w+)")
KEYWORDS = frozenset(
    words(
        "select from where group order having by as on and or not null is in case when then else end with "
        "recursive left right inner outer full cross join lateral union all except intersect distinct "
        "partition over rows range between preceding following unbounded current row filter within exists "
        "using cast interval hour hours minute minutes day days date timestamp double integer bigint varchar "
        "desc asc limit min max sum avg count coalesce nullif greatest least round floor ceil abs lag lead "
        "first last row_number rank dense_rank true false values median mode any date_diff datediff date_part "
        "extract epoch first_value last_value arg_min arg_max bool_or bool_and"
    )
)
TRIVIAL = frozenset(("0", "1"))
LOGIC, WHOLE = 4, 8
"""Tokens per run: short runs of our own derived names and limits, long runs of anything."""
ENOUGH = {LOGIC: 4, WHOLE: 10}
"""So many matching runs close together are no chance."""
NEAR, FEWEST_NAMES = 7, 3
"""How many tokens from a number a name may stand, and how many such names a query has at least."""
REACH = {LOGIC: 24, WHOLE: 40}
"""Close together: within so many tokens of the text."""


class Token(NamedTuple):
    """A name or number of a text, and where it stands. ``is_name`` is false for numbers and quoted texts."""

    text: str
    start: int
    end: int
    is_name: bool = True

    @property
    def is_derived(self) -> bool:
        """Whether the name looks like one that a query gives to its own columns."""
        return self.is_name and "_" in self.text.strip("_") and not self.text.endswith("_id")


@dataclass(frozen=True, slots=True)
class Solutions:
    """The runs of all reference queries, as hashes, and the words that occur in them."""

    names: frozenset[str]
    runs: dict[int, frozenset[int]]


def check_solution(plain: View) -> Iterator[Hit]:
    """Stretches of the text that follow a reference query."""
    everything = list(_tokens(plain.lower)) if "_" in plain.text else []
    if not _may_follow(everything):
        return
    known = reference_runs()
    tokens = [token for token in everything if not token.is_name or token.text in known.names]
    whole = tuple(_stretches(_informative(tokens), WHOLE, known.runs[WHOLE]))
    for start, end in whole:
        yield Hit("reference-solution", *plain.raw(start, end), "the steps of a reference query, in another notation")
    for start, end in _stretches(_logic(tokens), LOGIC, known.runs[LOGIC]):
        if not any(start < last and first < end for first, last in whole):
            message = "names and limits in the order of a reference query"
            yield Hit("reference-solution", *plain.raw(start, end), message, "warning")


def _may_follow(tokens: list[Token]) -> bool:
    """Whether enough derived names stand beside a number, as in any query; spares most texts the references."""
    beside = {
        token.text
        for index, token in enumerate(tokens)
        if token.is_derived and not all(near.is_name for near in tokens[max(0, index - NEAR) : index + NEAR + 1])
    }
    return len(beside) >= FEWEST_NAMES


@cache
def reference_runs() -> Solutions:
    """Runs of every reference query and of the concepts behind it, read from the package's SQL files."""
    names: set[str] = set()
    runs: dict[int, set[int]] = {LOGIC: set(), WHOLE: set()}
    for sql in _queries():
        tokens = list(_tokens(sql))
        names.update(token.text for token in tokens if token.is_name)
        for reading in (tokens, list(_tokens(POINTS.sub(" ", sql)))):
            runs[LOGIC].update(_telling_runs(_logic(reading), LOGIC, names=2, derived=2))
        runs[WHOLE].update(_telling_runs(_informative(tokens), WHOLE, names=3, derived=1))
    return Solutions(frozenset(names), {length: frozenset(found) for length, found in runs.items()})


def _queries() -> Iterator[str]:
    """The text of each reference and of the concepts it needs, without comments, in lower case."""
    room = files("m4review") / "ehr"
    concepts = {
        (layout.name, entry.name.removesuffix(".sql")): entry.read_text(encoding="utf-8")
        for layout in (room / "concepts").iterdir()
        if layout.is_dir()
        for entry in layout.iterdir()
        if entry.name.endswith(".sql")
    }
    open_ends: list[tuple[str, str]] = [
        (layout.name, entry.read_text(encoding="utf-8"))
        for layout in (room / "references").iterdir()
        if layout.is_dir()
        for entry in layout.iterdir()
        if entry.name.endswith(".sql")
    ]
    seen: set[tuple[str, str]] = set()
    while open_ends:
        layout_name, sql = open_ends.pop()
        plain = SQL_COMMENT.sub(" ", sql).lower()
        yield plain
        for name in READ.findall(plain):
            key = (layout_name, name)
            if key in concepts and key not in seen:
                seen.add(key)
                open_ends.append((layout_name, concepts[key]))


def _tokens(lower: str) -> Iterator[Token]:
    """Names (without what qualifies them), numbers (``36.0`` as ``36``), words of quoted texts."""
    quoted = [match.span() for match in QUOTED.finditer(lower) if match.end() - match.start() < 60]
    ends = iter(quoted)
    current = next(ends, None)
    for match in TOKEN.finditer(lower):
        while current is not None and current[1] <= match.start():
            current = next(ends, None)
        within = current is not None and current[0] < match.start()
        number = match.group("number")
        if number is not None:
            shown = number.rstrip("0").rstrip(".") if "." in number else number
            yield Token(shown, match.start(), match.end(), is_name=False)
        elif match.group("dot") is None and match.group("word") not in KEYWORDS:
            yield Token(match.group("word"), match.start("word"), match.end("word"), is_name=not within)


def _logic(tokens: Iterable[Token]) -> list[Token]:
    """Derived names and the limits they are compared with; repeated names in a row count once."""
    kept = [
        token
        for token in tokens
        if token.is_derived or ("_" in token.text and token.text[0] != "_") or _is_limit(token)
    ]
    return [token for before, token in pairwise([Token("", 0, 0), *kept]) if token.text != before.text]


def _informative(tokens: Iterable[Token]) -> list[Token]:
    return [token for token in tokens if token.text not in TRIVIAL]


def _is_limit(token: Token) -> bool:
    return token.text[0].isdigit() and token.text not in TRIVIAL


def _telling_runs(tokens: list[Token], length: int, *, names: int, derived: int) -> Iterator[int]:
    """Hashes of the runs that link so many different names, some of them derived, with at least one number or text."""
    texts = [token.text for token in tokens]
    is_name = [token.is_name for token in tokens]
    is_derived = [token.is_derived for token in tokens]
    for start in range(len(tokens) - length + 1):
        stop = start + length
        if sum(is_derived[start:stop]) < derived or all(is_name[start:stop]):
            continue
        if (
            len(set(compress(texts[start:stop], is_name[start:stop]))) >= names
            and len(set(compress(texts[start:stop], is_derived[start:stop]))) >= derived
        ):
            yield hash(tuple(texts[start:stop]))


def _stretches(tokens: list[Token], length: int, known: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Spans in which enough different runs match close together."""
    places: list[int] = []
    hashes: list[int] = []
    texts = [token.text for token in tokens]
    for start in range(len(tokens) - length + 1):
        value = hash(tuple(texts[start : start + length]))
        if value in known:
            places.append(start)
            hashes.append(value)
    first = 0
    while first < len(places):
        last = first
        while last + 1 < len(places) and places[last + 1] - places[last] <= REACH[length] // 2:
            last += 1
        dense = any(
            places[index + ENOUGH[length] - 1] - places[index] <= REACH[length]
            and len(set(hashes[index : index + ENOUGH[length]])) == ENOUGH[length]
            for index in range(first, last - ENOUGH[length] + 2)
        )
        if dense:
            yield tokens[places[first]].start, tokens[places[last] + length - 1].end
        first = last + 1


RULES = (
    Rule(
        "reference-solution",
        "solution",
        "error",
        "The text repeats, step by step, the query that makes the expected output. That hands over the solution, "
        "whatever notation it is written in.",
        "Teach the definition in clinical words: which measurement, which window, which limit, how many points.",
        refused=texts(
            "temperature_min<36 or temperature_max>38 -> temp_score\nheart_rate_max>90 -> heart_rate_score\n"
            "resp_rate_max>20 or paco2_min<32 -> resp_score\n"
            "wbc_min<4.0 or wbc_max>12.0 or bands_max>10 -> wbc_score",
        ),
        accepted=texts(
            "| Component | Condition | Points |\n|---|---|---|\n| `temp_score` | lowest temperature < 36.0 °C or "
            "highest > 38.0 °C | 1 |\n| `heart_rate_score` | highest heart rate > 90 /min | 1 |",
            "Items 226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557 and 226558 are urine.",
            "The concept has the columns `temperature_min`, `temperature_max`, `heart_rate_max` and `resp_rate_max`.",
        ),
    ),
)

"""Our own reference queries as the lint compares them: names and literals in order, and the runs that tell them apart.

The SQL files are read as text. What they come to is kept in an index (:mod:`m4review.lint.referenceruns`).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import compress, pairwise
from pathlib import Path
from typing import NamedTuple

from m4review.lint.pattern import Pattern
from m4review.lint.rule import words

EHR = Path(__file__).parents[1] / "ehr"
SQL_COMMENT = Pattern(r"--[^\n]*|/\*.*?\*/", re.S)
TOKEN = Pattern(
    r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)(?![\w.]*\w)|(?P<word>[a-z_]\w*)(?P<dot>\s*\.\s*(?=[\"`\[]?[a-z_]))?"
)
NAME = Pattern(r"[a-z_]\w*(?!\w|\s*\.\s*[\"`\[]?[a-z_])")
"""A name that qualifies no other."""
QUOTED = Pattern(r"'(?:[^']|'')*'")
MAX_QUOTED = 60
"""A longer one is no text of a query but what an apostrophe seems to open."""
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
NAMES = {LOGIC: 2, WHOLE: 3}
DERIVED = {LOGIC: 2, WHOLE: 1}
"""So many different names, and derived ones among them, a run links at least."""


def is_derived(name: str) -> bool:
    """Whether the name looks like one that a query gives to its own columns."""
    return "_" in name.strip("_") and not name.endswith("_id")


class Token(NamedTuple):
    """A name or number of a text, and where it stands. ``is_name`` is false for numbers and quoted texts."""

    text: str
    start: int
    end: int
    is_name: bool = True

    @property
    def is_derived(self) -> bool:
        """Whether this is a name as :func:`is_derived` means it."""
        return self.is_name and is_derived(self.text)


class ReferenceQuery:
    """One reference, or a concept behind one: its text in lower case without comments, and the names it uses."""

    def __init__(self, sql: str) -> None:
        self.sql = sql
        unquoted = QUOTED.sub(lambda match: "''" if len(match.group()) < MAX_QUOTED else match.group(), sql)
        self.names = frozenset(NAME.findall(unquoted)) - KEYWORDS

    @cached_property
    def runs(self) -> dict[int, frozenset[int]]:
        """Checksums of the telling runs, by their length."""
        tokens = tuple(tokens_of(self.sql))
        logic = (telling_runs(logic_of(reading), LOGIC) for reading in (tokens, tokens_of(POINTS.sub(" ", self.sql))))
        return {
            LOGIC: frozenset(run for found in logic for run in found),
            WHOLE: frozenset(telling_runs(informative_of(tokens), WHOLE)),
        }


@cache
def reference_queries() -> tuple[ReferenceQuery, ...]:
    """Every reference query and the concepts behind it, read from the package's SQL files."""
    return tuple(map(ReferenceQuery, _texts()))


@cache
def reference_names() -> frozenset[str]:
    """The names that occur in any of them."""
    return frozenset().union(*(query.names for query in reference_queries()))


def _texts() -> Iterator[str]:
    """The text of each reference and of the concepts it needs, without comments, in lower case."""
    open_ends = sorted((EHR / "references").glob("*/*.sql"))
    seen = set(open_ends)
    while open_ends:
        path = open_ends.pop()
        sql = SQL_COMMENT.sub(" ", path.read_text(encoding="utf-8")).lower()
        yield sql
        for name in READ.findall(sql):
            concept = EHR / "concepts" / path.parent.name / f"{name}.sql"
            if concept not in seen and concept.is_file():
                seen.add(concept)
                open_ends.append(concept)


def tokens_of(lower: str) -> Iterator[Token]:
    """Names (without what qualifies them), numbers (``36.0`` as ``36``), words of quoted texts."""
    quoted = [match.span() for match in QUOTED.finditer(lower) if match.end() - match.start() < MAX_QUOTED]
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


def logic_of(tokens: Iterable[Token]) -> list[Token]:
    """Derived names and the limits they are compared with; repeated names in a row count once."""
    kept = [
        token
        for token in tokens
        if token.is_derived or ("_" in token.text and token.text[0] != "_") or _is_limit(token)
    ]
    return [token for before, token in pairwise([Token("", 0, 0), *kept]) if token.text != before.text]


def informative_of(tokens: Iterable[Token]) -> list[Token]:
    """Every token but the numbers that stand everywhere."""
    return [token for token in tokens if token.text not in TRIVIAL]


def _is_limit(token: Token) -> bool:
    return token.text[0].isdigit() and token.text not in TRIVIAL


def telling_runs(tokens: list[Token], length: int) -> Iterator[int]:
    """Checksums of the runs that link so many names, some of them derived, with at least one number or text."""
    texts = [token.text for token in tokens]
    is_name = [token.is_name for token in tokens]
    is_derived = [token.is_derived for token in tokens]
    for start in range(len(tokens) - length + 1):
        stop = start + length
        if sum(is_derived[start:stop]) < DERIVED[length] or all(is_name[start:stop]):
            continue
        if (
            len(set(compress(texts[start:stop], is_name[start:stop]))) >= NAMES[length]
            and len(set(compress(texts[start:stop], is_derived[start:stop]))) >= DERIVED[length]
        ):
            yield code_of(*texts[start:stop])


def code_of(*tokens: str) -> int:
    """A checksum of tokens, the same in every process. A chance match of one run is no finding: several are needed."""
    return zlib.crc32("\0".join(tokens).encode())

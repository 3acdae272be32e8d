"""Figures of a built reference in a text: a pasted distribution, a table of means. Only hashes are compared.

Three levels of one column with their counts (or shares) close together are no chance; a single mean counts where the
text calls it a mean of that column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import View

if TYPE_CHECKING:
    from m4review.tasks.figures import Figures

TOKEN = Pattern(r"\d{1,3}(?:[,' ]\d{3})+(?![\d.])|\d+(?:\.\d+)?|[a-z_]\w*")
APART = Pattern(r"\d{1,3}(?:[,']\d{3})+(?![\d.])|\d+(?:\.\d+)?|[a-z_]\w*")
"""The same, where a blank parts two numbers instead of thousands: ``0 221`` is a level and its count."""
MEAN = Pattern(r"\b(?:mean|average|avg|median|sd|std|deviation)\b")
ENOUGH = 3
"""Levels of one column that must match."""
REACH = 10
"""Lines within which they stand together."""
MOST_TOKENS = 80
"""Tokens looked at in one line; a paragraph of more is no table."""


def check_aggregates(plain: View, figures: Sequence[Figures]) -> Iterator[Hit]:
    """Places where figures of a reference stand."""
    if not figures or not any(character.isdigit() for character in plain.text):
        return
    typed = plain.lower.split("\n")
    lines = [_tokens(TOKEN, line) for line in typed]
    apart = [_tokens(APART, line) for line in typed]
    for known in figures:
        yield from _distributions(plain, lines, known)
        if apart != lines:
            yield from _distributions(plain, apart, known)
        yield from _means(plain, lines, known)


def _tokens(pattern: Pattern, line: str) -> list[str]:
    return [_normal(token) for token in pattern.findall(line)][:MOST_TOKENS]


def _normal(token: str) -> str:
    if not token[0].isdigit():
        return token
    from m4review.tasks.figures import as_number

    digits = re.sub(r"[,' ]", "", token)
    return as_number(float(digits)) if "." in digits else str(int(digits)) if len(digits) < 16 else digits


def _distributions(plain: View, lines: list[list[str]], known: Figures) -> Iterator[Hit]:
    matches: dict[int, list[tuple[int, str]]] = {}
    for number, tokens in enumerate(lines):
        for index, level in enumerate(tokens):
            for count in tokens[index + 1 : index + 4]:
                for column in known.columns_of(level, count) if count[0].isdigit() else ():
                    matches.setdefault(column, []).append((number, level))
    reported: set[int] = set()
    for found in matches.values():
        for first, (start, _) in enumerate(found):
            near = [(line, level) for line, level in found[first:] if line - start <= REACH]
            if len({level for _, level in near}) >= ENOUGH and start not in reported:
                reported.update(range(start, near[-1][0] + 1))
                yield _hit(plain, start, near[-1][0], "a distribution of the expected output")


def _means(plain: View, lines: list[list[str]], known: Figures) -> Iterator[Hit]:
    for number, tokens in enumerate(lines):
        names = [token for token in tokens if not token[0].isdigit()]
        values = [token for token in tokens if "." in token]
        if (
            not names
            or not values
            or not any(MEAN.search(" ".join(near)) for near in lines[max(0, number - 8) : number + 1])
        ):
            continue
        if any(known.is_mean(name, value) for name in names for value in values):
            yield _hit(plain, number, number, "a mean or deviation of the expected output")


def _hit(plain: View, first: int, last: int, message: str) -> Hit:
    start = plain.line_starts[first]
    end = plain.line_starts[last + 1] - 1 if last + 1 < len(plain.line_starts) else len(plain.text)
    return Hit("result-fingerprint", *plain.raw(start, max(end, start + 1)), message)


RULES = (
    Rule(
        "result-fingerprint",
        "results",
        "error",
        "The figures are those of the expected output on a dataset that lies here; a run can tune its answer to them.",
        "Leave the figures out. A published figure may be cited with its source.",
        refused=(),
        accepted=texts("| Points | Published mortality (%) |\n|---|---|\n| 0 | 3.1 |\n| 1 | 7.4 |\n| 2 | 20.2 |"),
    ),
)

"""Family *solution*: a text that follows one of our own reference queries, in whatever notation.

Of query and text only names and literals are kept, in order: ``CASE WHEN wbc_max > 12.0``, ``df.wbc_max.gt(12)`` and
``wbc_max above 12`` read the same. Runs of such tokens that stand in a reference (or in a concept behind it) are
looked up in the text. Item ids, units and lists of texts alone are method and never count: a run counts only when
it links several names of our own queries with numbers. Long runs are refused. Short ones are shown as a warning: a
scoring table that uses the column names of a concept reads like the query too, and is method.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from m4review.lint.referencequeries import (
    LOGIC,
    WHOLE,
    Token,
    code_of,
    informative_of,
    is_derived,
    logic_of,
    tokens_of,
)
from m4review.lint.referenceruns import known_runs
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import View

ENOUGH = {LOGIC: 4, WHOLE: 10}
"""So many matching runs close together are no chance."""
NEAR, FEWEST_NAMES = 7, 3
"""How many tokens from a number a name may stand, and how many such names a query has at least."""
REACH = {LOGIC: 24, WHOLE: 40}
"""Close together: within so many tokens of the text."""


def check_solution(plain: View) -> Iterator[Hit]:
    """Stretches of the text that follow a reference query."""
    if sum(map(is_derived, plain.words)) < FEWEST_NAMES:
        return
    everything = list(tokens_of(plain.lower))
    if not _may_follow(everything):
        return
    known = known_runs()
    names = {name for name in {token.text for token in everything} if code_of(name) in known.names}
    tokens = [token for token in everything if not token.is_name or token.text in names]
    whole = tuple(_stretches(informative_of(tokens), WHOLE, known.runs[WHOLE]))
    for start, end in whole:
        yield Hit("reference-solution", *plain.raw(start, end), "the steps of a reference query, in another notation")
    for start, end in _stretches(logic_of(tokens), LOGIC, known.runs[LOGIC]):
        if not any(start < last and first < end for first, last in whole):
            message = "names and limits in the order of a reference query"
            yield Hit("reference-solution", *plain.raw(start, end), message, "warning")


def _may_follow(tokens: Sequence[Token]) -> bool:
    """Whether enough derived names stand beside a number, as in any query; spares most texts the references."""
    beside = {
        token.text
        for index, token in enumerate(tokens)
        if token.is_derived and not all(near.is_name for near in tokens[max(0, index - NEAR) : index + NEAR + 1])
    }
    return len(beside) >= FEWEST_NAMES


def _stretches(tokens: Sequence[Token], length: int, known: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Spans in which enough different runs match close together."""
    places: list[int] = []
    codes: list[int] = []
    texts = [token.text for token in tokens]
    for start in range(len(tokens) - length + 1):
        code = code_of(*texts[start : start + length])
        if code in known:
            places.append(start)
            codes.append(code)
    first = 0
    while first < len(places):
        last = first
        while last + 1 < len(places) and places[last + 1] - places[last] <= REACH[length] // 2:
            last += 1
        dense = any(
            places[index + ENOUGH[length] - 1] - places[index] <= REACH[length]
            and len(set(codes[index : index + ENOUGH[length]])) == ENOUGH[length]
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

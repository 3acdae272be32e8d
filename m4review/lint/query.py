"""Family *query*: SQL statements and fragments, in whatever dress."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from m4review.lint import sqlforms
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.signals import FENCES, NOTED, REFUSED, Evidence, by_word, gather, windows
from m4review.lint.sql import LITERALS, SIGNALS
from m4review.lint.sqlfunctions import FUNCTION_SIGNALS
from m4review.lint.sqllines import COLUMN_LINE, KEYWORD_LINE, LISTED_COLUMN, TUPLE_LINE
from m4review.lint.views import View

SQL_FENCE = Pattern(r"(?<![`~])(?:`{3,8}|~{3,8})[ \t]*\{?\.?(?:sql|\w*sql|duckdb|bigquery|hql)\b")

BY_WORD = by_word((*SIGNALS, *FUNCTION_SIGNALS, *sqlforms.SIGNALS))
SIGNS = (*LITERALS, *sqlforms.LITERALS)
WARNED = Pattern(r"\b(?:never|do not|don't|must not|avoid|instead of|rather than|without|not a|no)\b[^.\n]{0,60}\Z")
NOTHING_TAUGHT = Pattern(r"[\"'`“”‘’ ]*select\s+\*\s+from\s+[\w.]+[\"'`“”‘’]*", re.I)
"""``select * from t`` says nothing of how a variable is made; as the example of a warning it may stand."""


def check_query(flow: View, plain: View) -> Iterator[Hit]:
    """Windows of ``flow`` that read as a query."""
    evidence = [*evidence_of(flow), *_listed_columns(flow, plain)]
    refused = windows(flow, evidence, threshold=REFUSED)
    for window in refused:
        if not _only_warns(flow, window.start, window.end):
            yield Hit("query", *flow.raw(window.start, window.end), "SQL, or a piece of it")
    for start, end in sqlforms.code_spans(plain.lower) if "`" in plain.lower else ():
        if not _only_warns(plain, start, end):
            yield Hit("query", *plain.raw(start, end), "SQL, or a piece of it")
    for match in SQL_FENCE.matches_at(plain.lower, plain.places(FENCES)):
        start, end = plain.raw(match.start(), match.end())
        yield Hit("query-fence", start, end, "a code block announced as a query language")
    for window in windows(flow, evidence, threshold=NOTED):
        following = bisect_left(refused, window.end, key=lambda other: other.start) - 1
        if following < 0 or refused[following].end <= window.start:
            start, end = flow.raw(window.start, window.end)
            yield Hit("query-notation", start, end, "method written in query notation")


def evidence_of(flow: View) -> Iterator[Evidence]:
    """Everything in ``flow`` that speaks for a query."""
    yield from gather(flow, BY_WORD, SIGNS)
    for match in COLUMN_LINE.finditer(flow.lower):
        weight = 1.5 if match.group("comma") or match.group("trailing") else 0.7
        yield Evidence("column line", weight, match.start(), match.end(), 0.9)
    for match in TUPLE_LINE.finditer(flow.lower):
        yield Evidence("row of literals", 1.75, match.start(), match.end(), 0.8)
    for match in KEYWORD_LINE.finditer(flow.text):
        yield Evidence("keyword line", 0.6, match.start(), match.start(), 0.8)


def _only_warns(view: View, start: int, end: int) -> bool:
    """Whether ``[start, end)`` is the empty example of a sentence that warns of queries."""
    line = view.lower.rfind("\n", 0, start) + 1
    stop = view.lower.find("\n", start)
    rest = view.lower[start : stop if stop >= 0 else len(view.lower)]
    example = NOTHING_TAUGHT.match(rest)
    return (
        example is not None
        and end - start <= example.end() + 1
        and not re.match(r"\s*(?:where|group|join|left|,|;|order)", rest[example.end() :])
        and WARNED.search(view.lower[line:start].rstrip("\"'`“‘ ")) is not None
    )


def _listed_columns(flow: View, plain: View) -> Iterator[Evidence]:
    """Lines that hold one name and a comma, as in a list of columns; items of a Markdown list are none."""
    for match in LISTED_COLUMN.finditer(flow.lower):
        origin = flow.origin(match.start("name"))
        if not plain.text[plain.text.rfind("\n", 0, origin) + 1 : origin].strip(" \t>"):
            code = "_" in match.group("name")
            aliased = " as " in match.group()
            weight = 1.75 if aliased else 1.1 if code else 0.5
            yield Evidence(f"listed {code}", weight, match.start("name"), match.end(), 1.0)


RULES = (
    Rule(
        "query",
        "query",
        "error",
        "A skill teaches how to derive the variable. A query hands over the solution, or part of it, so that a trial "
        "would measure copying.",
        "Say the step in words: which measurement, which window, which rule for ties and gaps. For example: 'the "
        "lowest platelet count from 6 hours before to 24 hours after ICU admission'.",
        refused=texts(
            "SELECT stay_id, MAX(valuenum) AS hr FROM mimiciv_icu.chartevents WHERE itemid = 220045 GROUP BY stay_id;",
            "Run select stay_id, max(valuenum) from mimiciv_icu.chartevents where itemid in (220045) group by stay_id.",
            "LEFT JOIN mimiciv_hosp.labevents le\n  ON le.hadm_id = ie.hadm_id\n AND le.itemid = 50912",
            "case when platelet < 20 then 4\n     when platelet < 50 then 3\n     else 0 end as coagulation",
            "with hr as (\n  select stay_id, valuenum from chartevents\n)\nselect * from hr",
            "Keep the last: row_number() over (partition by stay_id order by charttime desc) = 1",
            "| step | how |\n|---|---|\n| 1 | `select stay_id from mimiciv_icu.icustays` |",
            "The patient's rate: SELECT stay_id, rate FROM mimiciv_icu.inputevents",
            "> - SELECT\n> - stay_id\n> - ,\n> - intime\n> - FROM\n> - mimiciv_icu.icustays",
            "percentile_cont(0.5) within group (order by valuenum)",
        ),
        accepted=texts(
            "Select the worst value from the first 24 hours.",
            "Join each culture to the antibiotic order where the times overlap.",
            "Do not paste the full SQL query.",
            "Never write SELECT or JOIN statements into a skill.",
            "Group by severity, order by age, and count those not exists in the register, having excluded transfers.",
            "Case when in doubt: ask. Use a left join only if stays without laboratory values must be kept.",
            "Heart rate comes from `mimiciv_icu.chartevents` (item 220045), creatinine from `mimiciv_hosp.labevents`.",
            "| Points | PaO2/FiO2 |\n|---|---|\n| 4 | < 100 |\n| 3 | < 200 |",
            "```\nMELD = 3.78 × ln(bilirubin) + 11.2 × ln(INR) + 9.57 × ln(creatinine) + 6.43\n```",
            "When the mean pressure is below 70, then score 1; else 0 at the end.",
        ),
    ),
    Rule(
        "query-fence",
        "query",
        "warning",
        "A code block marked as SQL invites readers to look for a query.",
        "Write formulas in a block without a language, and everything else as text or a table.",
        refused=texts("```sql\nGCS = motor + verbal + eyes\n```"),
        accepted=texts("```\nGCS = motor + verbal + eyes\n```", "```text\nsofa = sum of the six\n```"),
    ),
    Rule(
        "query-notation",
        "query",
        "warning",
        "Query notation is exact, but hard to review for a clinician, and close to handing over code.",
        "Say it in words, for example 'charted at or before the end of the window'.",
        refused=texts("Keep events with `io.charttime <= ie.intime + interval '24' hour`."),
        accepted=texts("Keep events charted up to 24 hours after ICU admission.", "Items: 220045, 220050 and 220179."),
    ),
)

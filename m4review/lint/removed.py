"""Family *removed-table*: relations that hold the answer, or that no reader of the skill can see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from m4review.lint.context import PUBLISHED_ANSWERS, LintContext
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import View

SCHEMA = "derived"
"""How the name of the schema ends."""
IN_SCHEMA = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
LINK = r"[\"'`\]]*\s*(?:\.|/|::|->|→)\s*[\"'`\[]*"
NO_COLUMN = "".join(f"(?<!{word}{sign})" for word in ("column ", "columns ") for sign in ("", "`", '"'))
"""A column may be called like a relation, and the text says that it is one."""
PRECURSORS = ("kdigo_creatinine",)
"""Inputs whose name holds that of an answer."""
KINDS = ("table", "relation", "view")


@lru_cache(maxsize=64)
def _patterns(names: frozenset[str], columns: frozenset[str]) -> tuple[tuple[tuple[str, ...], Pattern], ...]:
    """Literals of which one opens each match, and the pattern; the first names the schema and the relation."""
    any_name = "|".join(_loose(name) for name in sorted(names, key=len, reverse=True))
    stems = tuple(dict.fromkeys(name.partition("_")[0] for name in names))
    distinct = [name for name in sorted(names, key=len, reverse=True) if "_" in name and name not in columns]
    patterns: list[tuple[tuple[str, ...], str]] = [
        ((SCHEMA,), rf"{SCHEMA}{LINK}(?P<name>{any_name})(?![a-z0-9_])"),
        (
            stems,
            rf"(?<![a-z0-9_.])(?P<name>{any_name})[\"'`]*\s+(?:derived\s+|concept\s+|pre-?computed\s+|"
            rf"materiali[sz]ed\s+)?(?:{'|'.join(KINDS)})\b",
        ),
        (KINDS, rf"\b(?:{'|'.join(KINDS)})\s+(?:called\s+|named\s+)?[\"'`]+(?P<name>{any_name})[\"'`]"),
        (
            ("from", "join", "into"),
            rf"\b(?:from|join|into)\s+[\"`]?(?P<name>{any_name})[\"`]?\s+(?:(?:as\s+)?[a-z]\w{{0,2}}\s+(?:on|where|"
            rf"using|join|left|inner)\b|(?:on|using)\s*[\w(]|where\s+\w+\s*[<>=])",
        ),
        (stems, rf"(?<![\w/-])(?P<name>{any_name})\.(?:parquet|csv|csv\.gz|feather|arrow|dta|rds)\b"),
        (
            ("tbl", "table", "read_table", "load_table", "dbreadtable"),
            rf"(?:tbl|table|read_table|load_table|dbreadtable)\s*\([^()\n]{{0,60}}[\"'](?P<name>{any_name})[\"']",
        ),
    ]
    if distinct:
        listed = "|".join(map(re.escape, distinct))
        patterns.append((tuple(distinct), rf"(?<![a-z0-9_.]){NO_COLUMN}(?P<name>{listed})(?![a-z0-9_]|\s*\()"))
    return tuple((starts, Pattern(pattern)) for starts, pattern in patterns)


@lru_cache(maxsize=4)
def _variants(names: frozenset[str]) -> Pattern:
    """Relations of a derived schema whose name holds an answer's: ``pivoted_oasis``, ``first_day_sirs``."""
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return Pattern(
        rf"{SCHEMA}{LINK}(?P<name>(?!(?:{'|'.join(PRECURSORS)})(?![a-z0-9_]))(?:[a-z0-9]{{1,30}}_){{0,4}}(?:{any_name})"
        r"(?:_[a-z0-9]{1,30}){0,4})(?![a-z0-9_])"
    )


def _loose(name: str) -> str:
    """The name with room for a line break or blank at its underscores."""
    return re.escape(name).replace("_", r"_\s*")


def check_removed(plain: View, context: LintContext) -> Iterator[Hit]:
    """Mentions of relations that are out of bounds for this text."""
    for names, rule, message in (
        (context.answers, "removed-table", "a table that the task asks for"),
        (context.unseen, "removed-table-unseen", "a table that no task of this skill has"),
    ):
        if not plain.holds({name.partition("_")[0] for name in names}):
            continue
        seen: set[int] = set()
        patterns = _patterns(names, context.columns)
        if context.answers >= frozenset(PUBLISHED_ANSWERS):
            patterns = (*patterns, ((SCHEMA,), _variants(names)))
        for starts, pattern in patterns if rule == "removed-table" else patterns[:1]:
            for match in pattern.matches_at(plain.lower, plain.places(starts)):
                if match.start("name") not in seen:
                    seen.add(match.start("name"))
                    start = match.start()
                    while pattern.source.startswith(SCHEMA) and start and plain.lower[start - 1] in IN_SCHEMA:
                        start -= 1
                    yield Hit(rule, *plain.raw(start, match.end()), message)


RULES = (
    Rule(
        "removed-table",
        "removed-table",
        "error",
        "The table holds the answer, ready-made. The task removes it, and a skill that points to it teaches nothing.",
        "Derive the variable from source tables, or from intermediate concepts that the task leaves in place.",
        refused=texts(
            "Read it from mimiciv_derived.sofa.",
            'Read it from "mimiciv_derived"."SOFA".',
            "Read it from `MIMICIV_DERIVED` . `first_day_sofa`.",
            "Read it from mimiciv_derived.\nsofa and be done.",
            "The `sofa` table has one row per hour.",
            "Take the columns of first_day_sofa.",
            "Load physionet-data.mimiciv_derived.sapsii first.",
            "Open derived/sofa.parquet.",
            "Compare with eicu_derived.pivoted_oasis.",
        ),
        accepted=texts(
            "SOFA is the sum of six components; SIRS counts four criteria. GCS comes from three responses.",
            "The respiratory component from SOFA needs the ratio.",
            "The column `sofa` is an integer from 0 to 24.",
            "Where intermediate concepts are available, `mimiciv_derived.bg` saves the work on blood gases.",
            "| SOFA | table of points |\n|---|---|\n| 1 | < 400 |",
            "See the scoring table of SOFA below.",
            "The column `norepinephrine_equivalent_dose` is a dose; mimiciv_derived.kdigo_creatinine may be read.",
        ),
    ),
    Rule(
        "removed-table-unseen",
        "removed-table",
        "error",
        "Every task that uses this skill removes the table, so nobody who follows the skill can read it.",
        "Name the source tables and say how the intermediate value is made from them.",
        refused=(),
        accepted=(),
    ),
)

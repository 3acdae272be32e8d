"""Signals of Julia: DataFrames verbs, macros, pairs and broadcasts."""

from __future__ import annotations

from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, leading

JULIA_VERBS = words(
    """leftjoin innerjoin rightjoin outerjoin semijoin antijoin groupby combine transform subset dropmissing unstack
    byrow select sort filter"""
)
JULIA_MACROS = (
    "chain|r?subset|r?transform|combine|r?select|by|r?orderby|linq|pipe|filter|mutate|summari[sz]e|group_by|left_join"
)

SIGNALS = (
    Signal("julia", JULIA_VERBS, at(r"\w+\(\s*\w+\s*,\s*\w+\s*[;,]\s*on\s*=", 4.0), 0.6),
    Signal("julia", ("on",), at(r"on\s*=\s*(?::\w|\[:)", 3.0), 0.6),
    Signal("julia", JULIA_VERBS, at(r"\w+!\(\s*\w", 3.5), 0.6),
    Signal(
        "julia",
        ("using",),
        leading(
            r"using[ \t]+(?:dataframes\w*|csv|duckdb|query|tidier\w*|dataframemacros|parquet2?|sqlite|"
            r"libpq|statistics|dates|chain)\b(?=[ \t]*(?:,|\n|;|`|\Z))",
            4.0,
        ),
        0.4,
    ),
    Signal(
        "julia",
        JULIA_VERBS,
        at(r"(?<![.\w])\w+!?\s?\(\s*(?:\w+\s*,\s*(?::|\[:|on\s*=)|:\w|\[:|\w+\s*->|groupby\()", 3.5),
        0.6,
    ),
    Signal(
        "julia",
        ("dataframe", "csv", "dbinterface", "skipmissing"),
        at(r"dataframe\s*\(|csv\.(?:read|file|write)\s*\(|dbinterface\.execute\s*\(|skipmissing\s*\(", 3.0),
        0.6,
    ),
    Signal("julia", ("end",), leading(r"end[ \t]*(?:\n|\Z)", 0.75), 0.5),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    ("=> ==", Signal("julia pair", (), at(r"=> [=<>]=?\(", 2.5), 0.6)),
    ("@summari", Signal("julia macro", (), at(r"@summari[sz]e\(\s*\w", 4.0), 0.6)),
    (".(", Signal("julia broadcast", (), after(r"[a-z]{2,}", r"\.\(\s*[a-z]\w*[.)\[,]", 2.75), 0.6)),
    ("@", Signal("julia macro", (), at(rf"@(?:{JULIA_MACROS})!?\b\s*[(:\w]", 3.5), 0.6)),
    ("=>", Signal("julia pair", (), at(r"=>\s*(?::\w+|\w+(?:∘|\s*=>)|byrow\b|\(?\w+\s*->)", 2.5), 0.6)),
    (".==", Signal("julia broadcast", (), at(r"\.==\s*\S", 3.0), 0.6)),
    (".>", Signal("julia broadcast", (), at(r"\.>=?\s*[\d:\w]", 2.0), 0.6)),
    (".<", Signal("julia broadcast", (), at(r"\.<=?\s*[\d:\w]", 2.0), 0.6)),
)

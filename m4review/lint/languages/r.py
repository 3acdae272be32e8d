"""Signals of R: dplyr pipes and verbs, data.table, apply functions and formulas."""

from __future__ import annotations

from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at

R_VERBS = words(
    """group_by summarise summarize mutate transmute left_join inner_join right_join full_join semi_join anti_join
    arrange case_when if_else slice_min slice_max slice_head slice_tail pivot_wider pivot_longer rename distinct
    filter select across n_distinct ungroup replace_na bind_rows tbl dbconnect dbgetquery dbreadtable read_csv
    read_parquet open_dataset write_csv fread fwrite setdt setkey setorder rollapply foverlaps fcase fifelse shift
    rbindlist nafill count pull relocate"""
)
R_LIBRARIES = (
    r"dplyr|tidyverse|data\.table|dbplyr|dbi|duckdb|tidyr|lubridate|readr|arrow|zoo|purrr|"
    r"bigrquery|dtplyr|rpostgres\w*|"
    r"sqldf|fuzzyjoin|collapse|stringr|janitor|survival"
)

SIGNALS = (
    Signal("r cases", ("case_when", "fcase"), at(r"\w+\(\s*[\w.]+\s*[<>=!%]", 4.0), 0.6),
    Signal("r key", words("setkey setkeyv setorder setorderv setdt setdf setnames"), at(r"\w+\(\s*\w", 4.0), 0.5),
    Signal("r rows", words("rowsums rowmeans colmeans colsums pmin pmax rleid"), at(r"\w+\s?\(\s*\w", 2.5), 0.6),
    Signal("r missing", ("is",), at(r"is\.na\(", 2.0), 0.6),
    Signal("r missing", ("na",), at(r"na\.(?:rm|action|omit)\b", 2.5), 0.6),
    Signal("r function", ("function",), after(r"<-\s*", r"function\s*\(", 4.0), 0.5),
    Signal("r argument", ("breaks", "labels", "nomatch", "probs"), at(r"\w+\s*=\s*(?:c\(|-?\d|\.?na\b)", 2.0), 0.8),
    Signal("r vector", ("c",), at(r"c\(\s*(?:-?inf\b|-?\d[\d.]*\s*,|[\"'])", 1.75), 0.7),
    Signal("r data.table", ("on",), at(r"on\s*=\s*\.\(", 4.0), 0.5),
    Signal("r argument", ("fun", "data"), at(r"fun\s*=\s*\w+\s*\)|data\s*=\s*\w+\s*[,(\[]", 1.5), 0.5),
    Signal("r argument", ("subset",), at(r"(?<![.\w])subset\s*\(\s*\w+\s*,\s*\w+\s*[<>=!%]", 3.0), 0.5),
    Signal(
        "r library",
        ("library", "require", "requirenamespace"),
        at(rf"(?:library|require|requirenamespace)\(\s*[\"']?(?:{R_LIBRARIES})\b", 4.0),
        0.3,
    ),
    Signal(
        "r verb",
        R_VERBS,
        at(
            r"(?<![.\w])\w+(?:\(\s*(?:\)|\n|[\w.]+\s*(?:,|\)|=|[<>!]|%in%|\(|%)|[\"'!~(]|-\w|desc\()|"
            r"\s\(\s*[\w.]+\s*(?:,|=|[<>!]|%))",
            2.0,
        ),
        0.8,
    ),
    Signal("r function", ("function",), at(r"function\s*\([^)\n]*\)\s*(?:\{|\w+\[)", 3.0), 0.5),
    Signal(
        "r function",
        ("sapply", "lapply", "vapply", "mapply", "tapply", "ave", "do"),
        at(r"(?:[slvmt]apply|ave|do\.call)\s*\(\s*\w", 3.0),
        0.5,
    ),
    Signal(
        "r function",
        ("aggregate", "merge", "tapply"),
        at(r"(?<![.\w])(?:aggregate|merge|tapply)\s*\(\s*[\w.$]+\s*(?:~|,)", 3.0),
        0.5,
    ),
    Signal("r grouping", ("by",), at(r"by\s*=\s*(?:\.\(|c\(|\"?\w+\"?\s*\])", 3.0), 0.5),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    (") +", Signal("r layer", (), at(r"\) \+\s+[a-z]\w*_\w+\(", 3.5), 0.6)),
    ("[", Signal("r data.table", (), after(r"[a-z_]\w*", r"\[\s*,[^\]\n]{1,120},\s*by\s*=", 4.0), 0.5)),
    ("%>%", Signal("r pipe", (), at(r"%>%", 2.5), 0.7)),
    ("%<>%", Signal("r pipe", (), at(r"%<>%", 2.5), 0.7)),
    ("%in%", Signal("r pipe", (), at(r"%in%\s*(?:c\(|[\w.]+)", 2.5), 0.7)),
    ("|>", Signal("r pipe", (), after(r"[\w)\]\"'`]\s*", r"\|>(?=\s*(?:[a-z_.]+!?\s*\(|@|\n|\w+\.\w+))", 2.5), 0.7)),
    (
        "<-",
        Signal(
            "r assignment",
            (),
            after(r"[a-z.][\w.]*\s*", r"<-\s*(?:[\w.]+\s*(?:[\[($]|%>%|\|>|\n|%)|function\b|c\()", 2.0),
            0.6,
        ),
    ),
    (
        ":=",
        Signal("r data.table", (), after(r"[\w)\"'`]\s*", r":=\s*(?:\w+\(|\w+\s*[-+*/]|\.n\b|-?\d|\w+\b)", 3.0), 0.5),
    ),
    (
        "::",
        Signal(
            "r namespace",
            (),
            after(
                r"\b(?:dplyr|tidyr|data\.table|dbi|duckdb|readr|lubridate|arrow|purrr|zoo|stats|base|"
                r"fuzzyjoin|collapse)",
                r"::\w+",
                4.0,
            ),
            0.5,
        ),
    ),
    ("[,", Signal("r data.table", (), after(r"[a-z]\w*", r"\[,\s*`?\w+`?\s*:=", 4.0), 0.5)),
    (".(", Signal("r data.table", (), after(r"(?:,|\bby\s*=|\[)\s*", r"\.\(\s*\w+", 4.0), 0.5)),
    (".sd", Signal("r data.table", (), at(r"\.sd(?:cols)?\b", 3.0), 0.5)),
    (
        "[",
        Signal(
            "r data.table",
            (),
            after(
                r"[a-z_]\w*", r"\[\s*\w+\s*(?:==|%in%|%between%|<=|>=|<|>)\s*[^\]\n]{1,200},\s*[^\]\n]{0,200}\]", 2.5
            ),
            0.5,
        ),
    ),
    ("[", Signal("r data.table", (), after(r"[a-z_\])]\w*", r"\[\s*order\s*\(", 3.0), 0.5)),
    ("$", Signal("r column", (), after(r"(?<![\w$])[a-z]\w{0,20}", r"\$[a-z_]\w+", 1.75), 0.6)),
)

"""The signals of a query, second part: functions, casts, windows and aggregates of its dialects."""

from __future__ import annotations

from m4review.lint.conditions import weigh_aggregate
from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at
from m4review.lint.sqlwords import CODE, QUALIFIED, TYPE, WORD

DATE_FUNCTIONS = words(
    "datediff date_diff datetime_diff timestamp_diff timestampdiff date_trunc datetime_trunc timestamp_trunc date_part "
    "date_add date_sub dateadd datetime_add datetime_sub timestampadd timestamp_add timestamp_sub to_timestamp to_date "
    "strptime strftime julianday unix_timestamp from_unixtime make_timestamp age_in_years"
)
TABLE_FUNCTIONS = words(
    "generate_series generate_array generate_timestamp_array unnest array_agg string_agg listagg group_concat "
    "percentile_cont percentile_disc percentile_approx approx_percentile approx_quantile "
    "approx_count_distinct quantile_cont "
    "arg_max arg_min max_by min_by any_value bool_or bool_and logical_or regexp_contains regexp_matches regexp_extract "
    "regexp_replace regexp_like regexp_full_match safe_divide safe_cast list_contains "
    "list_value collect_list collect_set "
    "read_parquet read_csv read_csv_auto parquet_scan width_bucket split_part json_extract json_value struct_pack "
    "row_to_json posexplode try_divide charindex isnumeric struct_extract list_aggregate element_at countif count_if"
)
WINDOW_FUNCTIONS = words("row_number dense_rank percent_rank cume_dist first_value last_value nth_value ntile")
FUNCTION_SIGNALS = (
    Signal("null if", ("nullif",), at(r"nullif\(\s*[\w.]+\s*,\s*[\w.'-]+\s*\)", 4.0)),
    Signal("within group", ("within",), at(r"within\s+group\s*\(", 4.0)),
    Signal(
        "partition by",
        ("partition",),
        at(rf"partition\s+by\s+(?:{CODE}|{WORD}\s*(?:\)|,|order\s+by\b|rows\b|range\b))", 4.0),
    ),
    Signal("partition by", ("partition",), after(r"\(\s*", rf"partition\s+by\s+{WORD}", 4.0)),
    Signal("cluster by", ("distribute", "cluster"), at(rf"(?:distribute|cluster)\s+by\s+{CODE}", 2.5)),
    Signal("over", ("over",), after(r"\)\s*", r"over\s*\(", 4.0)),
    Signal("over", ("over",), after(r"\)\s*", r"over\s+w\d*\b", 4.0)),
    Signal(
        "over", ("over",), after(r"\)\s*", rf"over\s+(?!(?:the|a|an|all|each|this|these|it|time|its)\b){WORD}", 1.5)
    ),
    Signal(
        "window frame",
        ("rows", "range", "groups"),
        at(
            r"(?:rows|range|groups)\s+between\s+(?:unbounded|current\s+row|interval|\d+\s+(?:preceding|following))", 4.0
        ),
    ),
    Signal("window frame", ("unbounded",), at(r"unbounded\s+(?:preceding|following)", 3.0)),
    Signal("window", ("window",), at(rf"window\s+{WORD}\s+as\s*\(\s*(?:partition|order|rows|range|\))", 4.0)),
    Signal("ranking", WINDOW_FUNCTIONS, at(rf"(?:{'|'.join(WINDOW_FUNCTIONS)})\s*\(", 3.0)),
    Signal("ranking", ("lag", "lead", "rank"), at(rf"(?:lag|lead|rank)\s*\(\s*(?:\)|{CODE}|charttime|valuenum)", 2.5)),
    Signal(
        "ordered aggregate",
        ("order",),
        after(rf"\w\(\s*(?:distinct\s+)?{WORD}(?:\.{WORD})?\s+", r"order\s+by\s+\w", 3.0),
    ),
    Signal(
        "aggregate of a column",
        ("max", "min", "sum", "avg", "count", "median", "any_value"),
        at(rf"\w+\(\s*(?:distinct\s+)?{QUALIFIED}\s*\)", 2.0),
        repeat=0.8,
    ),
    Signal("lateral view", ("lateral",), at(r"lateral\s+view\s+(?:outer\s+)?\w+\s*\(", 4.0)),
    Signal("explode", ("explode",), at(rf"explode\s*\(\s*{CODE}", 2.5)),
    Signal("distinct on", ("distinct",), at(rf"distinct\s+on\s*\(\s*{WORD}", 4.0)),
    Signal("filter", ("filter",), after(r"\)\s*", r"filter\s*\(\s*\(*\s*\w", 4.0)),
    Signal(
        "cast",
        ("cast", "try_cast", "safe_cast", "convert"),
        at(
            rf"(?:try_|safe_)?(?:cast|"
            rf"convert)\s*\([^()\n]{{1,120}}?(?:\([^()\n]{{0,60}}\)[^()\n]{{0,40}}?)?\s+as\s+(?:{TYPE})\b",
            3.0,
        ),
    ),
    Signal(
        "cast", ("cast", "try_cast", "safe_cast"), at(rf"\w+\(\s*\w+\([^()\n]{{1,80}}\)\s+as\s+(?:{TYPE})\s*\)", 4.0)
    ),
    Signal("cast", ("as",), at(r"as\s+(?:decimal|numeric)\s*\(\s*\d+\s*,\s*\d+\s*\)", 2.5)),
    Signal(
        "star",
        ("exclude", "except", "replace"),
        after(r"(?:\*|\.\*|columns\([^()\n]*\))\s+", r"(?:exclude|except|replace)\s*\(\s*\w", 4.0),
    ),
    Signal("extract", ("extract",), at(rf"extract\s*\(\s*'?{WORD}'?\s+from\s+\w", 3.5)),
    Signal("interval", ("interval",), at(r"interval\s*'\s*-?\d", 2.5)),
    Signal(
        "interval",
        ("interval",),
        after(r"[-+]\s*", r"interval\s+\(?-?\d+\)?\s+(?:hour|day|minute|second|month|year|week)s?\b", 2.0),
    ),
    Signal(
        "interval",
        ("interval",),
        after(r",\s*", r"interval\s+\(?-?\d+\)?\s+(?:hour|day|minute|second|month|year|week)s?\b", 2.5),
    ),
    Signal("timestamp", ("timestamp", "date", "datetime"), at(r"(?:timestamp|date|datetime)\s+'\d", 2.5)),
    Signal("date function", DATE_FUNCTIONS, at(rf"(?:{'|'.join(DATE_FUNCTIONS)})\s*\(\s*(?:'|{WORD}|\()", 3.0)),
    Signal(
        "date function",
        DATE_FUNCTIONS,
        at(
            r"\w+\(\s*(?:'?(?:hour|minute|second|day|month|year|epoch)s?'?\s*,\s*\w|"
            r"[\w.]+\s*,\s*[\w.]+\s*,\s*'?(?:hour|minute|"
            r"second|day|month|year)s?'?\s*\))",
            4.0,
        ),
    ),
    Signal(
        "table function", TABLE_FUNCTIONS, at(rf"(?:{'|'.join(TABLE_FUNCTIONS)})\s*\(\s*(?:'|{WORD}|\(|\[|\d)", 3.0)
    ),
    Signal(
        "null function",
        ("coalesce", "ifnull", "nvl", "isnull", "nullif"),
        at(r"(?:coalesce|ifnull|nvl|isnull|nullif)\s*\(", 1.75),
        repeat=0.65,
    ),
    Signal(
        "null function",
        ("coalesce", "ifnull", "nvl", "isnull"),
        at(rf"\w+\(\s*{QUALIFIED}\s*,\s*[\w.'-]+\s*\)", 2.75),
        repeat=0.65,
    ),
    Signal("greatest", ("greatest", "least", "iff"), at(r"(?:greatest|least|iff)\s*\(", 1.0)),
    Signal(
        "text function",
        ("lower", "upper", "trim", "substr", "substring", "lpad", "rtrim"),
        at(rf"(?:lower|upper|trim|r?trim|lpad|substr(?:ing)?)\s*\(\s*{CODE}", 2.0),
    ),
    Signal(
        "aggregate",
        ("max", "min", "avg", "sum", "count", "median", "mean", "stddev", "mode", "first", "last", "mad", "quantile"),
        weigh_aggregate,
        repeat=0.6,
    ),
    Signal("nulls", ("nulls",), at(r"nulls\s+(?:first|last)\b", 2.0, upper=1.0)),
)
"""Tried at their trigger words."""

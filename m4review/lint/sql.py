"""The signals of a query: SQL of DuckDB, PostgreSQL, BigQuery, Spark, SQL Server and SQLite."""

from __future__ import annotations

import re

from m4review.lint.clauses import (
    CODE,
    COLUMN,
    FUNCTION,
    OPERATOR,
    PREDICATE,
    QUALIFIED,
    TYPE,
    WORD,
    weigh_aggregate,
    weigh_case,
    weigh_from,
    weigh_group,
    weigh_join,
    weigh_order,
    weigh_select,
    weigh_when,
    weigh_where,
)
from m4review.lint.pattern import Pattern
from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, by_word, leading

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

SIGNALS = (
    Signal("select", ("select",), weigh_select),
    Signal("from", ("from",), weigh_from),
    Signal("join", ("join",), weigh_join, repeat=0.5),
    Signal("on conflict", ("on",), at(r"on\s+conflict\s*(?:\([\w, ]+\)\s*)?do\s+(?:nothing|update)\b", 4.0)),
    Signal("if", ("if",), at(rf"if\s?\(\s*{WORD}(?:\.{WORD})?\s*{OPERATOR}\s*[\w.']+\s*,", 2.75)),
    Signal("cross apply", ("cross", "outer"), at(r"(?:cross|outer)\s+apply\b", 3.0)),
    Signal("on", ("on",), at(rf"on\s*\(?\s*{QUALIFIED}\s*{OPERATOR}\s*(?:{QUALIFIED}|{WORD})", 3.5), repeat=0.5),
    Signal("on", ("on",), at(rf"on\s*\(?\s*{WORD}\s*=\s*{CODE}", 2.0)),
    Signal("using", ("using",), at(rf"using\s*\(\s*(?:{CODE})(?:\s*,\s*{WORD})*\s*\)", 2.5)),
    Signal("where", ("where",), weigh_where),
    Signal(
        "where after an alias",
        ("where",),
        after(r"(?:^|\n)[ \t]*\)\s*(?:as\s+)?[a-z]\w{0,7}\s+", rf"where\s+{COLUMN}{PREDICATE}", 4.0),
    ),
    Signal(
        "where",
        ("where",),
        leading(
            rf"where\s+(?:{COLUMN}|{WORD})\s*{OPERATOR}\s*[\w.'-]+\s+(?:and|or)\s+{COLUMN}{PREDICATE}|"
            rf"where\s+{COLUMN}\s*{OPERATOR}\s*[\w.'-]+\s+(?:and|or)\s+{WORD}{PREDICATE}",
            4.0,
        ),
    ),
    Signal("literal", ("and", "or"), at(rf"(?:and|or)\s+\(*\s*{QUALIFIED}\s*=\s*'[^'\n]*'", 2.25), repeat=0.7),
    Signal("null if", ("nullif",), at(r"nullif\(\s*[\w.]+\s*,\s*[\w.'-]+\s*\)", 4.0)),
    Signal(
        "and",
        ("and", "or"),
        after(r"(?:^|[\n)])[ \t(]*", rf"(?:and|or)\s+(?:not\s+)?\(*\s*{COLUMN}{PREDICATE}", 1.25),
        repeat=0.6,
    ),
    Signal(
        "and",
        ("and", "or"),
        after(
            r"(?:^|\n)[ \t(]*",
            rf"(?:and|or)\s+(?:not\s+)?\(*\s*{QUALIFIED}\s*(?:{PREDICATE}|is\s+(?:not\s+)?distinct\s+from\b)",
            2.25,
        ),
        repeat=0.8,
    ),
    Signal("distinct from", ("is",), at(r"is\s+(?:not\s+)?distinct\s+from\s+(?:\d|'|null\b|[a-z]\w*\.\w|\w+_\w)", 2.5)),
    Signal("and", ("and", "or"), at(rf"(?:and|or)\s+(?:not\s+)?\(*\s*{QUALIFIED}{PREDICATE}", 1.0), repeat=0.5),
    Signal("and", ("and", "or"), at(rf"(?:and|or)\s+{WORD}\s+(?:not\s+)?in\s*\(\s*'", 1.75), repeat=0.6),
    Signal("and", ("and",), at(r"and\s+(?:not\s+)?exists\s*\(", 2.5)),
    Signal("and", ("and", "or"), at(r"(?:and|or)\s+not\s+[a-z]\w*\((?:[a-z]\w*\(|[a-z]\w*,\s*')", 1.75), repeat=0.8),
    Signal("literal", ("and", "or"), at(rf"(?:and|or)\s+\(*\s*{WORD}\s*=\s*'[^'\n]*'", 1.75), repeat=0.7),
    Signal("group by", ("group",), weigh_group),
    Signal("order by", ("order",), weigh_order),
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
        "having",
        ("having",),
        at(
            rf"having\s+(?:not\s+)?(?:(?:count|max|min|sum|avg|bool_\w+|any_value|median)\s*\(|{COLUMN}{PREDICATE})",
            3.0,
        ),
    ),
    Signal(
        "having",
        ("having",),
        at(rf"having\s+(?:not\s+)?(?:count|max|min|sum|avg|median)\([^()\n]{{1,60}}\)\s*{OPERATOR}\s*[\w(']", 4.0),
    ),
    Signal("qualify", ("qualify",), at(rf"qualify\s+(?:[a-z_]\w*\s*\(|{WORD}\s*{OPERATOR})", 4.0)),
    Signal("case", ("case",), weigh_case),
    Signal("when", ("when",), weigh_when, repeat=0.8),
    Signal(
        "when list", ("when",), after(r"(?:\n|\A)[ \t]*", rf"when\s+\(?{CODE}\s+(?:not\s+)?in\s*\(\s*(?:'|\d)", 2.5)
    ),
    Signal("when list", ("when",), after(r"(?:\n|\A)[ \t]*", r"when[ \t]*\n\s*[\w.]+\s+in\s*\(", 2.5)),
    Signal(
        "then line",
        ("then",),
        after(r"(?:\n|\A)[ \t]*", r"then[ \t]+(?:'[^'\n]*'|-?\d+(?:\.\d+)?|null)[ \t]*(?:\n|\Z)", 2.0),
    ),
    Signal(
        "else end",
        ("else",),
        at(rf"else\s+(?:null|-?\d+(?:\.\d+)?|'[^'\n]*'|{WORD}(?:\.{WORD})?(?:\([^()\n]*\))?)\s*end\b(?!\s+of\b)", 2.5),
    ),
    Signal("end as", ("end",), at(rf"end\s*\)?\s+as\s+(?!a\b|an\b|the\b|soon\b){WORD}", 2.5, upper=0.5)),
    Signal("end as", ("end",), at(r"end\s*\)\s*(?:,|\n|\)|as\b)", 1.0)),
    Signal(
        "with",
        ("with",),
        at(
            rf"with\s+(?:recursive\s+)?{WORD}\s*(?:\([^()]{{0,200}}\)\s*)?as\s+(?:not\s+)?(?:materialized\s+)?\(\s*(?:select|"
            rf"with|values|from|insert|\n|\Z)",
            4.0,
        ),
    ),
    Signal("with", ("with",), at(rf"with\s+(?:recursive\s+)?{WORD}\s+as\s*\(", 2.0, upper=1.0)),
    Signal(
        "as select",
        ("as",),
        at(r"as\s+(?:(?:not\s+)?materialized\s+)?\(?\s*(?:select|with)\s+(?!the\b|a\b|an\b)\w", 2.5),
    ),
    Signal("as query", ("as",), at(r"as\s*\(\s*(?:select|with|values|from)\b", 4.0)),
    Signal("alias", ("as",), after(rf"(?<![\w.]){CODE}\s+", rf"as\s+{WORD}[ \t]*,[ \t]*(?:\n|\Z)", 1.75), repeat=0.8),
    Signal("alias", ("as",), after(r"[\w)'\]]\s+", rf"as\s+{CODE}[ \t]*,?[ \t]*(?:\n|\Z)", 1.75), repeat=0.8),
    Signal(
        "alias",
        ("as",),
        after(
            r"[)'\]]\s*|\bend\s+",
            rf"as\s+(?!a\b|an\b|the\b|in\b|of\b|well\b|soon\b|for\b|one\b){WORD}[ \t]*,?[ \t]*(?:\n|\Z)",
            1.5,
        ),
        repeat=0.8,
    ),
    Signal("alias", ("as",), after(rf"\)\s*|{QUALIFIED}\s+|\d\s+|'\s+|\bend\s+", rf"as\s+{CODE}\b", 1.25), repeat=0.6),
    Signal(
        "set operation",
        ("union",),
        at(r"union\s+(?:all|distinct)\s*(?:\n|\(|select\b|\Z)|union\s+(?:by\s+name\s+)?\(?\s*select\b", 3.0, upper=1.0),
    ),
    Signal(
        "set operation",
        ("except", "intersect", "minus"),
        at(r"(?:except|intersect|minus)\s+(?:all\s+)?\(?\s*select\b", 3.5),
    ),
    Signal("exists", ("exists",), at(r"exists\s*\(\s*(?:select|from)\b", 4.0)),
    Signal("next query", ("as",), after(rf"\)\s*,\s*{WORD}\s+", r"as\s+(?:(?:not\s+)?materialized\s+)?\(", 4.0)),
    Signal(
        "select after bracket",
        ("select",),
        after(r"[()]\s*", r"select\s+(?!the\b|a\b|an\b|one\b)(?:distinct\s+)?[\w*'(]", 2.0),
    ),
    Signal("case line", ("case",), after(r"(?:\n|[(,=])[ \t]*", r"case[ \t]*\n\s*when\b", 3.0)),
    Signal("case line", ("case",), after(r"(?:\n|[(,=])[ \t]*", r"case[ \t]*(?:\n|\Z)", 1.5)),
    Signal(
        "ordered aggregate",
        ("order",),
        after(rf"\w\(\s*(?:distinct\s+)?{WORD}(?:\.{WORD})?\s+", r"order\s+by\s+\w", 3.0),
    ),
    Signal("any of", ("any",), after(rf"(?:{COLUMN}|{WORD})\s*=\s*", r"any\s*\(\s*(?:'|array\b|select\b|\$|:)", 3.5)),
    Signal("in query", ("in",), at(r"in\s*\(\s*select\b", 4.0)),
    Signal("in list", ("in",), after(rf"{COLUMN}\s+(?:not\s+)?", r"in\s*\(\s*(?:'|-?\d)", 1.25)),
    Signal("in list", ("in",), after(rf"{WORD}\s+(?:not\s+)?", r"in\s*\(\s*'[^'\n]*'\s*[,)]", 1.5)),
    Signal("insert", ("insert",), at(rf"insert\s+(?:or\s+\w+\s+)?(?:overwrite\s+(?:table\s+)?|into\s+){CODE}", 4.0)),
    Signal(
        "insert",
        ("insert",),
        at(rf"insert\s+into\s+(?!the\b|a\b|an\b|each\b|this\b){WORD}\s*(?:\(|values\b|select\b)", 4.0),
    ),
    Signal(
        "create",
        ("create",),
        at(
            rf"create\s+(?:or\s+replace\s+)?(?:global\s+|local\s+)?(?:temp(?:orary)?\s+|materialized\s+|"
            rf"external\s+|unlogged\s+)?(?:table|view|macro|function|index|schema|"
            rf"procedure)\s+(?:if\s+not\s+exists\s+)?(?:{CODE}|{WORD}\s*(?:as\s*(?:\(|select\b|with\b|"
            rf"from\b|\n|\Z)|\())",
            4.0,
        ),
    ),
    Signal(
        "create",
        ("create",),
        at(r"create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?|materialized)\s+(?:table|view)\s+\w+\s+as\b", 4.0),
    ),
    Signal(
        "drop",
        ("drop", "alter", "truncate"),
        at(rf"(?:drop|alter|truncate)\s+(?:table|view|schema)\s+(?:if\s+exists\s+{WORD}|{CODE})", 4.0),
    ),
    Signal(
        "update",
        ("update",),
        at(rf"update\s+{WORD}(?:\.{WORD})*(?:\s+(?:as\s+)?{WORD})?\s+set\s+{WORD}(?:\.{WORD})?\s*=", 4.0),
    ),
    Signal("delete", ("delete",), at(rf"delete\s+from\s+{WORD}\s+where\s+{COLUMN}{PREDICATE}", 4.0)),
    Signal("delete", ("delete",), at(rf"delete\s+from\s+{CODE}", 3.5, upper=1.0)),
    Signal(
        "merge into",
        ("merge",),
        at(rf"merge\s+into\s+(?!the\b|a\b|an\b|one\b){WORD}(?:\.{WORD})*\s+(?:as\s+)?{WORD}\s+using\b", 4.0),
    ),
    Signal(
        "merge into", ("when",), at(r"when\s+(?:not\s+)?matched\s+(?:by\s+\w+\s+)?(?:and\b[^\n]{1,80}?)?then\b", 4.0)
    ),
    Signal("copy", ("copy",), at(r"copy\s+(?:\(|[a-z_][\w.]*)[^\n;]{0,200}?\s(?:to|from)\s+'", 4.0)),
    Signal("attach", ("attach",), at(r"attach\s+(?:database\s+)?(?:if\s+not\s+exists\s+)?'", 4.0)),
    Signal(
        "session",
        ("set", "pragma", "install", "load"),
        at(
            r"(?:set\s+(?:search_path|memory_limit|threads|timezone)\s*(?:=|to\b)|pragma\s+\w+|"
            r"install\s+(?:httpfs|sqlite|postgres|icu)\b|load\s+'?(?:httpfs|sqlite|postgres|icu)\b)",
            2.5,
        ),
    ),
    Signal("pivot", ("pivot", "unpivot"), at(rf"(?:un)?pivot\s+(?:\(|{CODE}\s+on\b|{WORD}\s+on\s+{CODE})", 3.5)),
    Signal("pivot", ("pivot", "unpivot"), at(r"(?:un)?pivot\s*\([^\n]{1,80}?\bfor\s+\w+\s+in\s*\(", 4.0)),
    Signal("add column", ("alter",), at(r"alter\s+table\s+\w[\w.]*\s+(?:add|drop|rename|alter|modify)\b", 4.0)),
    Signal(
        "aggregate of a column",
        ("max", "min", "sum", "avg", "count", "median", "any_value"),
        at(rf"\w+\(\s*(?:distinct\s+)?{QUALIFIED}\s*\)", 2.0),
        repeat=0.8,
    ),
    Signal("lateral view", ("lateral",), at(r"lateral\s+view\s+(?:outer\s+)?\w+\s*\(", 4.0)),
    Signal("explode", ("explode",), at(rf"explode\s*\(\s*{CODE}", 2.5)),
    Signal("limit", ("limit",), at(r"limit\s+\d+\s*(?:;|\n|\)|offset\b|\Z)", 1.25, upper=0.75)),
    Signal("fetch first", ("fetch",), at(r"fetch\s+(?:first|next)\s+\d*\s*rows?\s+only", 3.5)),
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
    Signal("like", ("like", "ilike", "rlike"), at(r"(?:i|r)?like\s+(?:any\s*\()?\s*'", 2.0)),
    Signal("like", ("similar",), at(r"similar\s+to\s+'", 3.0)),
    Signal("nulls", ("nulls",), at(r"nulls\s+(?:first|last)\b", 2.0, upper=1.0)),
    Signal("values", ("values",), at(r"values\s*\(\s*(?:'|-?\d|null)[^()\n]*\)\s*,?", 2.0)),
    Signal("null test", ("is",), after(rf"(?<![\w.]){COLUMN}\s+", r"is\s+(?:not\s+)?null\b", 1.0), repeat=0.4),
    Signal(
        "between",
        ("between",),
        after(
            rf"(?<![\w.]){COLUMN}\s+(?:not\s+)?",
            rf"between\s+(?:{CODE}|'|-?\d|{FUNCTION}|intime|charttime|starttime)",
            1.5,
        ),
        repeat=0.5,
    ),
    Signal("between", ("between",), after(r"\)\s+", r"between\s+'[^'\n]*'\s+and\s+'", 2.5), repeat=0.6),
    Signal(
        "between columns",
        ("between",),
        after(rf"(?<![\w.])(?:{COLUMN}|{WORD})\s+", rf"between\s+{QUALIFIED}(?:\s*-\s*\d+)?\s+and\s+{QUALIFIED}", 3.0),
    ),
    Signal("null test", ("is",), after(r"[\w)]\)\s+", r"is\s+(?:not\s+)?null\b", 1.0), repeat=0.6),
    Signal("null test", ("is",), after(rf"(?<![\w.]){QUALIFIED}\s+", r"is\s+(?:not\s+)?null\b", 1.25), repeat=0.6),
    Signal("explain", ("explain",), at(r"explain\s+(?:analyze\s+)?select\b", 3.0)),
)
"""Tried at their trigger words."""

BY_WORD = by_word(SIGNALS)

LITERALS = (
    ("::", Signal("cast", (), at(rf"(?<=[\w)'])::\s*(?:{TYPE})\b", 3.0))),
    ("=", Signal("equality", (), after(rf"(?<![\w.]){QUALIFIED}\s*", rf"=\s*{QUALIFIED}", 2.0), repeat=0.6)),
    *(
        (
            mark,
            Signal(
                "comparison",
                (),
                after(rf"(?<![\w.]){QUALIFIED}\s*", rf"(?:[<>]=?|<>|!=)\s*(?:{QUALIFIED}|'|-?\d)", 1.25),
                repeat=0.6,
            ),
        )
        for mark in ("<", ">", "!=")
    ),
    ("--", Signal("comment in code", (), after(r"[,()\w] +", r"-{2,80} ", 1.5))),
    ("--", Signal("comment after a comma", (), after(r"[\w')],  +", r"-- ", 1.75), repeat=0.8)),
    ("||", Signal("concatenation", (), after(r"'\s*", r"\|\|\s*'", 2.0))),
    ("||", Signal("concatenation", (), after(r"[\w)']\s*", r"\|\|\s*['\w(]", 1.0))),
    ("->>", Signal("json path", (), after(r"[\w)]\s*", r"->>\s*'", 3.0))),
    (
        "':",
        Signal("named field", (), after(r"[{,\s(]'\w+", r"':\s*(?:'|\{|-?\d|[a-z]\w*_|[a-z]\w*\()", 1.0), repeat=0.9),
    ),
)
"""Constructs without a trigger word, by the characters they hold."""

TUPLE_LINE = Pattern(r"^[ \t]*\(\s*(?:'[^'\n]*'|-?\d[\d.]*|null)\s*,[^\n]*\)[ \t]*[,;]?[ \t]*$", re.M)
"""A line that is one row of literals, as in a values list."""
KEYWORD_LINE = Pattern(
    r"^[ \t]*(?:SELECT|FROM|WHERE|(?:LEFT|RIGHT|INNER|FULL|CROSS|OUTER)(?: OUTER)? JOIN|JOIN|"
    r"GROUP BY|ORDER BY|HAVING|CASE|WHEN|ELSE|"
    r"END|UNION(?: ALL)?|WITH|LIMIT|AND|OR|ON|USING|PARTITION BY|QUALIFY|INSERT|VALUES)\b(?=[^\n]*[\w)(*]|[ \t]*$)",
    re.M,
)
"""A line that begins with a keyword in capitals."""
COLUMN_LINE = Pattern(
    r"^[ \t]{0,80}(?P<comma>,?)[ \t]{0,20}(?!e\.g|i\.e|mimic|eicu|www)[a-z]\w*\.(?!md\b|csv\b|com\b|org\b|"
    r"py\b|toml\b|pdf\b)[a-z_]\w*"
    r"(?:[ \t]+as[ \t]+\w+)?[ \t]*(?P<trailing>,?)[ \t]*$",
    re.M,
)
"""A line that is nothing but an aliased column, as in a select list."""
LISTED_COLUMN = Pattern(
    r"^[ \t]*(?P<name>[a-z]\w+(?:[ \t]?[-+*/][ \t]?\d+(?=[ \t]+as[ \t]))?)(?:[ \t]+as[ \t]+[a-z]\w*)?,[ \t]*$", re.M
)
"""A line that is one name and a comma."""

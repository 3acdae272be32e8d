"""The signals of a query: clauses and statements of DuckDB, PostgreSQL, BigQuery, Spark, SQL Server and SQLite."""

from __future__ import annotations

from m4review.lint.clauses import weigh_from, weigh_group, weigh_join, weigh_order, weigh_select, weigh_where
from m4review.lint.conditions import weigh_case, weigh_when
from m4review.lint.signals import Signal, after, at, leading
from m4review.lint.sqlwords import CODE, COLUMN, FUNCTION, OPERATOR, PREDICATE, QUALIFIED, TYPE, WORD

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
    Signal("limit", ("limit",), at(r"limit\s+\d+\s*(?:;|\n|\)|offset\b|\Z)", 1.25, upper=0.75)),
    Signal("fetch first", ("fetch",), at(r"fetch\s+(?:first|next)\s+\d*\s*rows?\s+only", 3.5)),
    Signal("like", ("like", "ilike", "rlike"), at(r"(?:i|r)?like\s+(?:any\s*\()?\s*'", 2.0)),
    Signal("like", ("similar",), at(r"similar\s+to\s+'", 3.0)),
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

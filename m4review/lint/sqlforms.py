"""Short and newer forms of a query: a statement of a few words, ``FROM`` first, pipes, templates.

Few words leave few signs, so these forms count only where layout or punctuation says that a statement begins and ends:
inline code, a closing semicolon, a name that is no word of English.
"""

from __future__ import annotations

from collections.abc import Iterator

from m4review.lint.pattern import Pattern
from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, leading
from m4review.lint.sqlwords import CODE, COLUMN, NOT_NAMES, OPERATOR, PREDICATE, TABLE, WORD

NAME = rf"{WORD}(?:\.{WORD})*"
LISTED = rf"(?:\*|{NAME}(?:\s*,\s*{NAME})*)"
ENDS = r"\s*;[ \t]*(?:[\"'`*]*[ \t]*)(?:\n|\Z)"
STATEMENT = Pattern(
    rf"select\s+(?:distinct\s+)?(?P<list>{LISTED})\s+from\s+(?P<name>{NAME})(?P<rest>[^;\n]{{0,160}}?){ENDS}"
)
BRIEF = Pattern(r"select\s+(?:\*|[a-z]\w?(?:\s*,\s*[a-z]\w?)*)\s+from\s+[a-z]\w?\b(?![-'])")
FROM_FIRST = Pattern(
    rf"from\s+(?P<name>{NAME})\s+(?:(?:as\s+)?[a-z]\w{{0,2}}\s+)?select\s+(?P<first>\*|{NAME})(?P<next>\s*[,(])?"
)
CLAUSE = Pattern(rf"where\b[^;\n]*?{OPERATOR}|\b(?:group|order)\s+by\b|\blimit\s+\d|\bjoin\b")
AGGREGATED = Pattern(
    rf"select\s+(?:max|min|avg|sum|count|median)\s*\([^()\n]{{1,60}}\)(?:\s+as\s+{WORD})?\s+from\s+(?P<name>{NAME})"
)
FILTERED = Pattern(
    rf"select\s+(?:distinct\s+)?(?P<list>{LISTED})\s+from\s+(?P<name>{NAME})\s+where\s+{NAME}\s*"
    rf"(?:{OPERATOR}\s*[\w'-]|in\s*\(|is\s+(?:not\s+)?null\b)"
)
PLAIN = Pattern(rf"select\s+(?P<list>{LISTED})\s+from\s+(?P<name>{NAME})")
KNOWN = Pattern(rf"(?:{CODE}|{TABLE})")
SHORT = Pattern(r"[a-z]\w?")
PIPED = "where|select|aggregate|extend|order\\s+by|limit|join|set|drop|as|pivot|union|distinct|rename|call|with"

SPAN = Pattern(r"(?<!`)(`{1,2})(?P<code>[^`\n][^`]{3,400})\1(?!`)")
SPAN_STATEMENT = Pattern(
    rf"\s*(?:select\s+(?!the\b|a\s|an\b|one\b|your\b)[^\n;]{{1,300}}?\sfrom\s+(?!the\b|a\b|an\b|each\b){WORD}|"
    rf"from\s+{NAME}\s+(?:select\s+[\w*]|\|>|where\s+\w+\s*{OPERATOR}|limit\s+\d|(?:group|order)\s+by\s)|"
    rf"table\s+{NAME}\s*;|"
    rf"delete\s+from\s+{WORD}|update\s+{NAME}\s+set\s+{WORD}|insert\s+into\s+{WORD}|with\s+{WORD}\s+as\s*\()"
)


def weigh_statement(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """``select a from b where c;``: a list, a name and a closing semicolon."""
    brief = BRIEF.match(lower, position)
    if brief is not None:
        return 4.0, brief.end()
    shouted = PLAIN.match(lower, position)
    if shouted is not None and text[position : position + 6] == "SELECT":
        names = text[slice(*shouted.span("list"))] + text[slice(*shouted.span("name"))]
        between = text[shouted.end("list") : shouted.start("name")].strip()
        if between == "FROM" and not names.isupper() and shouted.group("name") not in NOT_NAMES:
            return 4.0, shouted.end()
    filtered = FILTERED.match(lower, position)
    if filtered is not None and NOT_NAMES.isdisjoint((filtered.group("name"), *filtered.group("list").split(", "))):
        return 4.0, filtered.end()
    aggregated = AGGREGATED.match(lower, position)
    if aggregated is not None and aggregated.group("name") not in NOT_NAMES:
        return 4.0, aggregated.end()
    match = STATEMENT.match(lower, position)
    if match is None or match.group("name") in NOT_NAMES:
        return None
    listed = [name.strip() for name in match.group("list").split(",")]
    if any(name in NOT_NAMES for name in listed):
        return None
    telling = (
        len(listed) > 1
        or listed[0] == "*"
        or KNOWN.fullmatch(match.group("name")) is not None
        or CLAUSE.search(match.group("rest")) is not None
    )
    return (4.0, match.end("name")) if telling else None


def weigh_from_first(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """``from x select y``, the order in which DuckDB also reads a query."""
    match = FROM_FIRST.match(lower, position)
    if match is None or match.group("name") in NOT_NAMES or match.group("first") in NOT_NAMES:
        return None
    name, first = match.group("name"), match.group("first")
    known = KNOWN.fullmatch(name) is not None
    listed = first == "*" or match.group("next") is not None or "_" in first
    brief = SHORT.fullmatch(name) is not None and SHORT.fullmatch(first) is not None
    if brief or (known and listed):
        return 4.0, match.end()
    return (2.0, match.end()) if known or listed else None


def code_spans(lower: str) -> Iterator[tuple[int, int]]:
    """Inline code that begins as a statement does."""
    for match in SPAN.finditer(lower):
        if SPAN_STATEMENT.match(match.group("code")):
            yield match.span("code")


LABEL = r"\*{0,2}[ \t]*[:|][ \t]*[\w(*'`]"
LABELS = {"select": 2.0, "group": 1.25, "order": 0.75, "having": 1.0, "from": 0.5, "where": 0.5, "join": 0.5}
"""Clauses as labels of a list or table; only together with ``select`` they are a query."""

CUT_WORDS = words("select from where group order having partition join")


def _cut(word: str) -> Signal:
    """``SEL ECT``, ``FR OM``: a clause with a blank inside. Once it is a slip, twice it is a disguise."""
    heads = tuple(word[:length] for length in range(1, len(word)))
    return Signal(f"cut {word}", heads, at(rf"(?!{word}\b){' ?'.join(word)}\b", 2.0))


DATE_FUNCTIONS = words("datediff date_diff datetime_diff timestamp_diff date_trunc date_part date_add date_sub dateadd")

GROUPED = r"[\w-]+[\"']?\s*:\s*(?:\n|\[|\{|[\w\"'])"
SIGNALS = (
    *map(_cut, CUT_WORDS),
    Signal("labelled grouping", words("group_by order_by partition_by groupby orderby"), at(GROUPED, 2.5)),
    *(
        Signal(f"labelled {label[0]}", label, at(GROUPED, 1.0))
        for label in (
            words("filter filters"),
            words("aggregate aggregates aggregation aggregations agg aggs measure measures metric metrics"),
            words("joins dimensions having"),
        )
    ),
    *(
        Signal(f"labelled {word}", (word,), leading(rf"{word}(?:[ \t]+by)?{LABEL}", weight, prefix=r"[ \t>|*\d.)-]*"))
        for word, weight in LABELS.items()
    ),
    Signal(
        "from file",
        ("from",),
        at(r"from\s+'[^'\n]{1,120}\.(?:parquet|csv|jsonl?)(?:\.gz)?'\s*(?:;|select\b|where\b|group\b|limit\b)", 4.0),
    ),
    Signal("join", ("join",), at(r"join\s+(?:range|generate_series|table|values)\s*\(", 4.0)),
    Signal("on", ("on",), at(r"on\s+(?:true|1\s*=\s*1)\b", 2.5)),
    Signal("select", ("select",), weigh_statement),
    Signal("from", ("from",), weigh_from_first),
    Signal("from", ("from",), at(rf"from\s+{NAME}(?:\s+(?:as\s+)?[a-z]\w{{0,2}})?\s*\n?\s*\|>", 4.0)),
    Signal("table", ("table",), at(rf"table\s+(?:{CODE}|{TABLE})\s*;", 4.0)),
    Signal(
        "delete", ("delete",), at(rf"delete\s+from\s+{WORD}\s+where\s+{WORD}\s*{OPERATOR}\s*(?:-?\d|'|{CODE})", 4.0)
    ),
    Signal(
        "where and",
        ("where",),
        at(
            rf"where\s+{WORD}\s*{OPERATOR}\s*(?:-?\d+|'[^'\n]*')\s+and\s+{WORD}\s*"
            rf"(?:{OPERATOR}\s*'|is\s+(?:not\s+)?null\b|in\s*\()",
            4.0,
        ),
    ),
    Signal(
        "date function",
        DATE_FUNCTIONS,
        at(r"\w+\s*\(\s*'(?:hour|day|minute|second|month|year|week|epoch)s?'\s*,\s*\w", 4.0),
    ),
    Signal("where list", ("where",), at(rf"where\s+\(?{COLUMN}\s+(?:not\s+)?in\s*\(\s*(?:\d|')", 4.0)),
    Signal("inspection", ("summarize", "describe"), at(rf"\w+\s+(?:{CODE}|{TABLE})\s*;", 4.0)),
    Signal("inspection", ("show",), at(r"show\s+(?:all\s+)?(?:tables|databases|schemas|columns)\s*;", 4.0)),
    Signal("call", ("call", "exec", "execute"), at(r"\w+\s+[a-z]\w*_\w*\s*\([^()\n]{0,80}\)\s*;", 4.0)),
    Signal("between", ("between",), after(r"\)\s+", r"between\s+-?\d+\s+and\s+-?\d+", 1.5), repeat=0.6),
    Signal("extract", ("extract",), at(rf"extract\s*\(\s*'?{WORD}'?\s+from\s+[\w(]", 4.0)),
    Signal("and", ("and", "or"), at(rf"(?:and|or)\s+{COLUMN}{PREDICATE}", 0.5, upper=0.75), repeat=1.0),
    Signal("grouping sets", ("grouping",), at(r"grouping\s+sets\s*\(", 4.0)),
    Signal("alias with columns", ("as",), after(r"\)\s*", rf"as\s+{WORD}\s*\(\s*{WORD}(?:\s*,\s*{WORD})+\s*\)", 2.5)),
    Signal(
        "ordered aggregate",
        words("string_agg array_agg listagg group_concat list json_agg"),
        at(r"\w+\s*\([^()\n]{1,80}\sorder\s+by\s+\w", 4.0),
    ),
    Signal("top", ("top",), after(r"select\s+(?:distinct\s+)?", r"top\s*\(?\s*\d+\s*\)?\s+[\w\[*]", 2.0)),
    Signal("into table", ("into",), at(r"into\s+#\w+", 4.0)),
    Signal("hint", ("with",), at(r"with\s*\(\s*nolock\s*\)", 4.0)),
)
"""Tried at their trigger words, beside the usual ones."""

LITERALS = (
    ("⋈", Signal("algebra", (), at("⋈", 4.0))),
    ("σ", Signal("algebra", (), at(r"σ[\s_{(]{0,8}[a-z]\w{0,60}\s{0,8}[<>=∈][^\n]{1,60}?\([a-z]", 4.0))),
    ("γ", Signal("algebra", (), at(r"γ[\s_{(]*[a-z]\w+[;,]\s*[a-z]+\(", 4.0))),
    ("from[", Signal("from", (), at(r"from\[\w", 4.0))),
    ("|>", Signal("pipe", (), at(rf"\|>\s*(?:{PIPED})\b(?!\s*\()", 2.5), repeat=0.8)),
    ("{{", Signal("template", (), at(r"\{\{-?\s*(?:ref|source|var|config|this|params)\b", 4.0))),
    ("{%", Signal("template", (), at(r"\{%-?\s*(?:if|for|set|macro|endif|endfor|call|do)\b", 3.0))),
)
"""Constructs without a trigger word."""

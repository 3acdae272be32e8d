"""Signals of Python: imports, data-frame verbs of pandas, polars, DuckDB and Spark, definitions and loops."""

from __future__ import annotations

from m4review.lint.pattern import Pattern
from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, leading

LIBRARIES = (
    "pandas|polars|duckdb|numpy|pyspark|sqlalchemy|psycopg2?|sqlite3|dask|pyarrow|ibis|scipy|sklearn|pandasql|modin|"
    "vaex|datatable|google|xarray|statsmodels|cudf"
)
STANDARD = "os|sys|csv|json|re|math|datetime|pathlib|collections|itertools|functools|statistics|bisect|gzip"
NAMESPACES = ("pd", "pl", "np", "f", "dd", "duckdb", "ibis", "sqlite3", "psycopg2", "con", "conn", "cursor", "spark")
STRONG_VERBS = words(
    """groupby group_by merge_asof join_asof agg with_columns with_column withcolumn withcolumnrenamed sort_values
    orderby drop_duplicates dropduplicates drop_nulls dropna fillna fill_null fill_nan reset_index set_index
    to_csv write_csv to_parquet write_parquet sink_csv to_pandas topandas to_df fetchdf fetchall fetchone fetch_df
    fetchnumpy pivot_table group_by_dynamic rolling resample nunique n_unique idxmax idxmin value_counts astype
    isin is_in is_between isnull notnull isna notna is_null is_not_null select_dtypes forward_fill ffill bfill
    cumsum cum_sum cummax cum_max partitionby rowsbetween createorreplacetempview iterrows itertuples unpivot
    read_sql eval combine_first map_elements total_seconds to_datetime read_csv read_parquet scan_parquet scan_csv iloc
    loc strptime dt nlargest nsmallest assign with_row_index over_window sql execute executemany from_pandas
    to_frame to_list tolist to_dict sort_by rename_columns"""
)
WEAK_VERBS = words(
    """merge join filter select sort pivot where alias cast agg limit distinct show write read max min mean sum first
    last median head tail any count size copy std collect query apply transform unique aggregate over shift clip
    lazy explode mutate melt append extend items keys values round abs diff rank eq gt lt ge le ne get split strip
    replace format isnull str drop rename concat between"""
)
ARGUMENT = (
    r"\(\s*(?:\)|[\"'(\[{~!]|pl\.|f\.|col\(|lambda\b|axis\s*=|on\s*=|\w+\s*=[^=]|\w+\s*[,)\]]|"
    r"\w+\s*[<>=!]=?|\w+\.|\w+\[|-?\d)"
)

CODE_LINE = Pattern(
    r"[ \t]*(?:[\w.\[\]\"',][\w.\[\]\"', \t]*[-+*/|&]?=(?!=)|(?:def|class|for|while|if|try|with|import|"
    r"from|return|assert)\b|@\w|"
    r"[\w.]+\(|print\b)"
)

SIGNALS = (
    Signal("assertion", ("assert",), leading(r"assert[ \t]+[\w.]+(?:[ \t]*[<>=!(\[]|[ \t]*(?:\n|\Z))", 2.0), 0.6),
    Signal("frame", ("df", "df1", "df2", "dfs"), at(r"df\d?s?(?=\.[a-z_]\w*\s*[(\[=]|\[)", 2.0), 0.5),
    Signal("frame", ("df",), at(r"df\.\w+\s*[-+*/<>=]=?\s*df\.\w+", 4.0), 0.5),
    Signal(
        "return",
        ("return",),
        leading(r"return[ \t]+[\w.]+\([^()\n]{0,120}\)[ \t]*(?:;[ \t]*)?(?:\n|\Z)", 4.0, prefix=r"[ \t>]*"),
        0.5,
    ),
    Signal("return", ("return",), at(r"return\s+[^\n;]{1,80}?\sif\s[^\n;.]{1,60}?\selse\s+[\w'\"(-]", 4.0), 0.5),
    Signal("grouping", ("groupby", "group_by"), at(r"group_?by\(\s*[\"'\[:]", 2.75), 0.7),
    Signal(
        "python import",
        ("import", "from"),
        leading(rf"(?:import|from)[ \t]+(?:{LIBRARIES})\b(?=[ \t]*(?:$|\n|[`;,.]|as\b|import\b))", 4.0),
        0.3,
    ),
    Signal("python import", ("import",), at(rf"import[ \t]+(?:{LIBRARIES})[ \t]+as[ \t]+\w+", 4.0), 0.3),
    Signal("python import", ("from",), leading(r"from[ \t]+[\w.]+[ \t]+import[ \t]+\w", 3.0), 0.3),
    Signal(
        "python import",
        ("import",),
        leading(rf"import[ \t]+(?:{STANDARD})\b(?:[ \t]*,[ \t]*\w+)*[ \t]*(?=\n|\Z)", 3.0),
        0.3,
    ),
    Signal(
        "namespace call",
        NAMESPACES,
        at(r"(?<![\w.])(?:f|dd)\.[a-z]\w*(?:\.\w+)?\s*[(\[]", 3.0),
        0.5,
    ),
    Signal(
        "namespace call",
        NAMESPACES,
        at(r"(?<![\w.])(?:pd|pl|np|duckdb|ibis|sqlite3|psycopg2)\.[a-z]\w*(?:\.\w+)?\s*[(\[]", 4.0),
        0.5,
    ),
    Signal(
        "namespace call",
        NAMESPACES,
        at(
            r"(?<![\w.])(?:con|conn|cursor|spark|duckdb)\s*\.\s*(?:sql|execute|executemany|query|table|"
            r"register|read)\b",
            4.0,
        ),
        0.5,
    ),
    Signal("namespace call", ("np",), at(r"(?<![\w.])np\.(?:select|where)\s*\(\s*[\w\[(]", 4.0), 0.5),
    Signal(
        "standard call",
        words("math os json re sys itertools functools statistics collections random object array number"),
        at(
            r"(?<![\w./-])(?:math|os|json|re|sys|itertools|functools|statistics|collections|random|object|array|"
            r"number)"
            r"\.[a-z_]\w*(?:\.[a-z_]\w*)?\((?=[\w\"'\[(/*)])",
            4.0,
        ),
        0.5,
    ),
    Signal("attempt", ("try",), leading(r"try[ \t]*:[ \t]*\n[ \t]+\S", 2.5), 0.8),
    Signal("attempt", ("except",), leading(r"except(?:[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?)?[ \t]*:", 2.5), 0.8),
    Signal("database call", ("execute", "executemany"), at(r"(?<=\.)execute(?:many)?\s*\(\s*(?:f?[\"']|\w)", 4.0), 0.5),
    Signal(
        "frame verb",
        STRONG_VERBS,
        at(r"(?<=[\w)\]}\s]\.)\w+(?:\.\w+)?\s*[(\[](?!\s*(?:…|\.\.\.)\s*[)\]])", 2.75),
        0.7,
    ),
    Signal("short verb", WEAK_VERBS, at(rf"(?<=[\w)\]}}\s]\.)\w+\s*{ARGUMENT}", 2.0), 0.7),
    Signal(
        "definition",
        ("def", "async"),
        leading(r"(?:async[ \t]+)?def[ \t]+\w+\s*\([^)]{0,300}\)[ \t]*(?:->[^:\n]+)?:", 4.0),
        0.5,
    ),
    Signal("definition", ("class",), leading(r"class[ \t]+\w+(?:\([^)\n]*\))?:[ \t]*\n", 2.5), 0.5),
    Signal(
        "loop",
        ("for",),
        leading(
            r"for[ \t]+[\w, ()]{1,80}[ \t]+in[ \t]+[^\n]{0,200}[\w)\]][ \t]*:[ \t]*(?:\n|\Z|\w+[ \t]*[.+(=])", 2.75
        ),
        0.6,
    ),
    Signal("loop", ("while",), leading(r"while[ \t]+[^\n]*(?:[<>=!]|true)[^\n]*:[ \t]*\n", 2.5), 0.6),
    Signal("loop", ("with",), leading(r"with[ \t]+(?:\w+\.)?\w+\([^\n]*\)[ \t]+as[ \t]+\w+:", 3.0), 0.6),
    Signal(
        "branch",
        ("if", "elif"),
        leading(
            r"(?:el)?if[ \t]+(?:not[ \t]+)?[\w.\[\]\"']+(?:[ \t]*(?:[<>=!]=?|is|in|"
            r"not)[ \t]+[^\n]*)?:[ \t]*\n[ \t]+(?:\w+[ \t]*[-+*/]?=|return\b|continue\b|break\b|\w+\()",
            2.0,
            prefix=r"[ \t>]*",
        ),
        0.8,
    ),
    Signal(
        "comprehension",
        ("for",),
        after(r"[\[({][^\[\]{}\n]{1,80}\s", r"for\s+\w+(?:\s*,\s*\w+)*\s+in\s+\w[^\n]{0,80}[\])}]", 2.75, reach=90),
        0.6,
    ),
    Signal("lambda", ("lambda",), after(r"[=(,]\s?", r"lambda(?:\s+\w+(?:\s*,\s*\w+)*)?\s*:", 4.0), 0.5),
    Signal("lambda", ("lambda",), at(r"lambda(?:\s+\w+(?:\s*,\s*\w+)*)?\s*:", 3.0), 0.5),
    Signal(
        "return", ("return",), leading(r"return[ \t]+[\w\[({][^\n.;]*(?:[\[(=+*/<>]|\n)", 1.5, prefix=r"[ \t>]+"), 0.5
    ),
    Signal(
        "keyword",
        (
            "on",
            "how",
            "axis",
            "ascending",
            "inplace",
            "subset",
            "keep",
            "columns",
            "left_on",
            "right_on",
            "as_index",
            "descending",
            "strategy",
            "by",
        ),
        at(r"\w+\s*=\s*(?:[\"'\[]|true\b|false\b)", 1.5),
        0.5,
    ),
    Signal(
        "choice",
        ("if",),
        after(r"[\w'\")]\s", r"if\s+\w+(?:\.\w+)?\s*[<>=]=?\s*[\w.]+\s+else\s+[\w'\"(-]", 2.0),
        1.0,
    ),
    Signal(
        "choice",
        ("if",),
        after(r"[\w'\")]\s", r"if\s+(?:not\s+)?[a-z]\w*[_.]\w+(?:\(\w*\))?\s+else\s+[\w'\"(-]", 2.25),
        1.0,
    ),
    Signal("print", ("print",), at(r"print\((?:f?[\"']|[a-z_]\w*[.)\[,(])", 4.0), 0.5),
    Signal("print", ("print",), leading(r"print\s*\(", 1.5), 0.5),
    Signal(
        "spark",
        ("sparksession", "window", "col"),
        at(r"sparksession\b|window\s*\.\s*(?:partitionby|orderby)\b|col\(\s*[\"']\w+[\"']\s*\)\s*(?:[<>=!]=?|\.)", 3.5),
        0.5,
    ),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    ('"] = ', Signal("column assigned", (), after(r"[a-z_]\w*\[[\"']\w{1,40}", r"\"\] = \S", 3.0), 0.7)),
    ("'] = ", Signal("column assigned", (), after(r"[a-z_]\w*\[[\"']\w{1,40}", r"'\] = \S", 3.0), 0.7)),
    (
        "[",
        Signal(
            "row filter", (), at(r"(?<=\w)\[\s*\(?~?\(?\s*(?:df|data|labs?|chart\w*|vitals?|stays?)\.\w+", 4.0), 0.5
        ),
    ),
    (
        "[",
        Signal(
            "row filter",
            (),
            after(r"[a-z_]\w*", r"\[\s*\(*\s*~?\(?\s*[a-z_]\w*\s*(?:\[\s*[\"']|\.\w+\s*(?:[<>=!]=?|\.|\())", 2.5),
            0.7,
        ),
    ),
    (
        "[",
        Signal(
            "column by name", (), after(r"[a-z_)\]]\w*\s*", r"\[\s*\[?\s*[\"'][\w ]{1,40}[\"']\s*(?:\]|,)", 1.5), 0.7
        ),
    ),
    (
        "[",
        Signal(
            "comprehension", (), at(r"\[\s*[^\[\]\n]{0,40}?\b(\w+)\b[^\[\]\n]{0,40}?\s+for\s+\1\s+in\s+\w", 4.0), 0.5
        ),
    ),
    ("+= ", Signal("accumulation", (), after(r"(?:^|\n)[ \t>]+[\w.\[\]]+[ \t]*", r"\+= ", 1.5), 0.5)),
)


def is_code_line(line: str) -> bool:
    """Whether a line could begin a block of Python."""
    return CODE_LINE.match(line) is not None

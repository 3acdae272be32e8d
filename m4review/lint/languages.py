"""The signals of a program: Python (pandas, polars, DuckDB, Spark), R, Stata, SAS, Julia, Scala and the shell.

The patterns run on the ``plain`` view in lower case, at trigger words and literals. A verb of English counts only
where the characters around it are a program's: ``.merge(``, ``group_by(x``, ``keep if x == 1``.
"""

from __future__ import annotations

import re

from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, by_word, leading

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
    read_sql combine_first map_elements total_seconds to_datetime read_csv read_parquet scan_parquet scan_csv iloc
    loc strptime dt nlargest nsmallest assign with_row_index over_window sql execute executemany from_pandas
    to_frame to_list tolist to_dict sort_by rename_columns"""
)
WEAK_VERBS = words(
    """merge join filter select sort pivot where alias cast agg limit distinct show write read max min mean sum first
    last median head tail any count size copy std collect query apply transform unique aggregate over shift clip
    lazy explode mutate melt append extend items keys values round abs diff rank eq gt lt ge le ne get split strip
    replace format isnull str drop rename concat between"""
)
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
JULIA_VERBS = words(
    """leftjoin innerjoin rightjoin outerjoin semijoin antijoin groupby combine transform subset dropmissing unstack
    byrow select sort filter"""
)
JULIA_MACROS = (
    "chain|r?subset|r?transform|combine|r?select|by|r?orderby|linq|pipe|filter|mutate|summari[sz]e|group_by|left_join"
)

ARGUMENT = (
    r"\(\s*(?:\)|[\"'(\[{~!]|pl\.|f\.|col\(|lambda\b|axis\s*=|on\s*=|\w+\s*=[^=]|\w+\s*[,)\]]|"
    r"\w+\s*[<>=!]=?|\w+\.|\w+\[|-?\d)"
)
STATA_LEFT = r"(?:qui(?:etly)?[ \t]+)?"

SIGNALS = (
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
        at(r"(?<![\w.])(?:pd|pl|np|f|dd|duckdb|ibis|sqlite3|psycopg2)\.[a-z]\w*(?:\.\w+)?\s*[(\[]", 3.0),
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
    Signal("database call", ("execute", "executemany"), at(r"(?<=\.)execute(?:many)?\s*\(\s*(?:f?[\"']|\w)", 4.0), 0.5),
    Signal("frame verb", STRONG_VERBS, at(r"(?<=[\w)\]}\s]\.)\w+(?:\.\w+)?\s*[(\[]", 2.75), 0.7),
    Signal("short verb", WEAK_VERBS, at(rf"(?<=[\w)\]}}\s]\.)\w+\s*{ARGUMENT}", 2.0), 0.7),
    Signal(
        "definition",
        ("def", "async"),
        leading(r"(?:async[ \t]+)?def[ \t]+\w+\s*\([^)]{0,300}\)[ \t]*(?:->[^:\n]+)?:", 3.5),
        0.5,
    ),
    Signal("definition", ("class",), leading(r"class[ \t]+\w+(?:\([^)\n]*\))?:[ \t]*\n", 2.5), 0.5),
    Signal(
        "loop",
        ("for",),
        leading(r"for[ \t]+[\w, ()]+[ \t]+in[ \t]+[^\n]*[\w)\]][ \t]*:[ \t]*(?:\n|\Z|\w+[ \t]*[.+(=])", 2.75),
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
    Signal("r argument", ("fun", "data"), at(r"fun\s*=\s*\w+\s*\)|data\s*=\s*\w+\s*[,(\[]", 1.5), 0.5),
    Signal("r argument", ("subset",), at(r"(?<![.\w])subset\s*\(\s*\w+\s*,\s*\w+\s*[<>=!%]", 3.0), 0.5),
    Signal(
        "perl", ("my", "our", "foreach"), at(r"(?:foreach[ \t]+)?(?:my|our)[ \t]+\(?[$@%][a-z_]\w*\s*[=;,()]", 2.5), 0.6
    ),
    Signal("print", ("print",), leading(r"print\s*\(", 1.5), 0.5),
    Signal(
        "spark",
        ("sparksession", "window", "col"),
        at(r"sparksession\b|window\s*\.\s*(?:partitionby|orderby)\b|col\(\s*[\"']\w+[\"']\s*\)\s*(?:[<>=!]=?|\.)", 3.5),
        0.5,
    ),
    # R
    Signal(
        "r library",
        ("library", "require", "requirenamespace"),
        at(rf"(?:library|require|requirenamespace)\(\s*[\"']?(?:{R_LIBRARIES})\b", 4.0),
        0.3,
    ),
    Signal(
        "r verb",
        R_VERBS,
        at(r"(?<![.\w])\w+\s?\(\s*(?:\)|\n|[\w.]+\s*(?:,|\)|=|[<>!]|%in%|\(|%)|[\"'!~(]|-\w|desc\()", 2.0),
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
    # Stata and SAS
    Signal(
        "stata",
        ("by", "bys", "bysort", "qui", "quietly"),
        leading(
            rf"{STATA_LEFT}by(?:s(?:ort)?)?[ \t]+[\w ]+(?:\([\w ]+\))?[ \t]*(?:,[ \t]*sort[ \t]*)?:[ \t]*(?:gen|"
            rf"egen|replace|keep|drop|sum|su|count)\w*\b",
            4.0,
        ),
        0.8,
    ),
    Signal(
        "stata",
        ("egen", "gen", "generate"),
        at(r"(?:egen|gen(?:erate)?)[ \t]+(?:(?:byte|int|long|float|double|str\d*)[ \t]+)?\w+[ \t]*=", 3.0),
        0.8,
    ),
    Signal(
        "stata",
        (
            "collapse",
            "merge",
            "reshape",
            "joinby",
            "import",
            "use",
            "insheet",
            "tsset",
            "xtset",
            "tsfill",
            "save",
            "foreach",
            "forvalues",
            "rangejoin",
            "duplicates",
            "gsort",
        ),
        leading(
            r"(?:collapse[ \t]*\(\w+\)|merge[ \t]+[1mn]:[1mn]\b|joinby[ \t]+\w+_\w+|"
            r"reshape[ \t]+(?:wide|long)[ \t]+\w+|import[ \t]+delimited\b|use[ \t]+(?:\"?[\w./-]+\.dta|"
            r"\"?\w+\"?,[ \t]*clear)|insheet[ \t]+using|(?:tsset|xtset)[ \t]+\w+_\w+|tsfill[ \t]*(?:\n|"
            r",)|save[ \t]+\"?[\w./]+\"?,[ \t]*replace|foreach[ \t]+\w+[ \t]+(?:of|in)[ \t][^\n]*\{|"
            r"forvalues[ \t]+\w+[ \t]*=|rangejoin[ \t]+\w+|duplicates[ \t]+drop[ \t]+\w+_\w+|"
            r"gsort[ \t]+[-+]?\w)",
            3.5,
        ),
        0.8,
    ),
    Signal(
        "stata",
        ("collapse", "merge"),
        at(
            r"(?:collapse[ \t]+\((?:max|min|mean|sum|first|last|median|count|p50)\)|merge[ \t]+[1mn]:[1mn][ \t]+\w+)",
            3.5,
        ),
        0.8,
    ),
    Signal(
        "stata",
        ("keep", "drop"),
        leading(r"(?:keep|drop)[ \t]+if[ \t]+!?\(?(?:\w+[ \t]*(?:[<>=~!]=?)|(?:inrange|inlist|missing|mi)\()", 2.25),
        0.8,
    ),
    Signal("stata", ("keep", "drop"), at(r"(?:keep|drop)[ \t]+if[ \t]+\w+[ \t]*==", 2.25), 0.8),
    Signal("stata", ("replace",), leading(r"replace[ \t]+\w+[ \t]*=[ \t]*\S+[ \t]+if\b", 3.0), 0.8),
    Signal("stata", ("sort", "keep"), leading(r"(?:sort|keep)[ \t]+\w+_\w+(?:[ \t]+\w+)*[ \t]*(?:\n|\Z)", 1.75), 0.8),
    Signal("stata", ("inrange", "inlist"), at(r"(?:inrange|inlist)\(\w+[ \t]*,", 1.5), 0.5),
    Signal(
        "sas",
        ("proc",),
        leading(r"proc[ \t]+(?:sql|means|sort|freq|summary|import|transpose|univariate)\b[^\n]*;", 4.0),
        0.5,
    ),
    Signal("sas", ("data", "set"), leading(r"(?:data|set|merge)[ \t]+[\w.]+(?:[ \t]+\w+)*[ \t]*;", 2.5), 0.7),
    Signal(
        "sas",
        ("run", "quit", "by", "retain", "output"),
        leading(r"(?:run|quit|output|by[ \t]+\w+(?:[ \t]+\w+)*|retain[ \t]+\w+)[ \t]*;", 1.5),
        0.7,
    ),
    # Julia
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
    # shell, Scala, C-like
    Signal(
        "shell",
        ("duckdb", "sqlite3", "psql", "bq", "mysql", "clickhouse"),
        at(
            r"(?:duckdb|sqlite3|psql|bq|mysql|"
            r"clickhouse)[ \t]+(?:-[\w-]+[ \t]+)*[^\n]{0,80}(?:-c[ \t]*[\"']|[\"']\s*(?:select|copy|"
            r"from|with)\b|<[ \t]*\w+\.sql|query[ \t]+[\"'-])",
            4.0,
        ),
        0.5,
    ),
    Signal(
        "shell",
        ("python", "python3", "rscript", "julia", "perl", "bash", "sh"),
        at(r"(?:python3?|rscript|julia|perl|bash|sh)[ \t]+(?:-[ce][ \t]+[\"']|[\w./-]+\.(?:py|r|jl|pl|sh)\b)", 4.0),
        0.5,
    ),
    Signal("shell", ("cut",), at(r"cut[ \t]+-[dfc]\S+[ \t]+(?:-|[\w./*]+\.)", 4.0), 0.5),
    Signal("shell", ("uniq",), at(r"uniq[ \t]+-\w\b", 3.0), 0.5),
    Signal(
        "shell",
        ("grep", "zgrep", "sed"),
        at(r"(?:z?grep|sed)[ \t]+(?:-\S+[ \t]+)*\S+[ \t]+[\w./*-]+\.[ct]sv\b", 4.0),
        0.5,
    ),
    Signal("shell", ("mlr",), at(r"mlr[ \t]+(?:--?[\w-]+[ \t]+)+\w", 4.0), 0.5),
    Signal(
        "c-like function",
        ("private", "public", "static", "int", "double", "float", "void", "bool", "boolean", "string"),
        at(r"(?:(?:private|public|static|final)[ \t]+)*[a-z]\w*[ \t]+[a-z]\w*[ \t]*\([^)\n]*\)[ \t\n]*\{", 4.0),
        0.6,
    ),
    Signal(
        "matlab",
        ("function",),
        leading(r"function[ \t]+(?:\[?[\w, ]+\]?[ \t]*=[ \t]*)?\w+\([\w, ]*\)[ \t]*(?:\n|\Z)", 3.0),
        0.5,
    ),
    Signal("matlab", ("elseif", "elif", "elsif"), leading(r"els?e?if[ \t]+[\w.(]+[ \t]*[<>=~!]", 2.5), 0.6),
    Signal(
        "awk",
        ("awk", "gawk"),
        at(r"(?:awk|gawk)[ \t]+(?:-\S*[ \t]+(?:[^\s'][ \t]+)?){0,3}'[^'\n]*[{$]", 4.0),
        0.5,
    ),
    Signal(
        "shell",
        ("awk", "gawk", "mlr", "csvsql", "csvcut", "xsv", "zcat", "qsv"),
        at(r"(?:awk|gawk|mlr|csvsql|csvcut|xsv|qsv|zcat)[ \t]+(?:-[\w-]+|['\"{]|[\w./-]+\.csv)", 3.5),
        0.5,
    ),
    Signal(
        "scala",
        ("val", "var", "let", "const"),
        leading(r"(?:val|var|let|const)[ \t]+\w+[ \t]*=[ \t]*\w+(?:\.\w+)*[.(]\w*[(\"]", 3.0),
        0.5,
    ),
    Signal(
        "c-like",
        ("if", "for", "while", "else"),
        at(r"(?:if|for|while|else[ \t]+if)[ \t]*\([^\n{}]*\)[ \t]*\{", 3.0),
        0.6,
    ),
)
BY_WORD = by_word(SIGNALS)

LITERALS = (
    ("%>%", Signal("r pipe", (), at(r"%>%", 2.5), 0.7)),
    ("%<>%", Signal("r pipe", (), at(r"%<>%", 2.5), 0.7)),
    ("%in%", Signal("r pipe", (), at(r"%in%\s*(?:c\(|[\w.]+)", 2.5), 0.7)),
    ("|>", Signal("r pipe", (), after(r"[\w)\]\"'`]\s*", r"\|>\s*(?:[a-z_.]+!?\s*\(|@|\n|\w+\.\w+)", 2.5), 0.7)),
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
                3.0,
            ),
            0.5,
        ),
    ),
    (".(", Signal("r data.table", (), after(r"(?:,|\bby\s*=|\[)\s*", r"\.\(\s*\w+", 4.0), 0.5)),
    (".sd", Signal("r data.table", (), at(r"\.sd(?:cols)?\b", 3.0), 0.5)),
    (
        "[",
        Signal(
            "row filter",
            (),
            after(r"[a-z_]\w*", r"\[\s*\(*\s*~?\(?\s*[a-z_]\w*\s*(?:\[\s*[\"']|\.\w+\s*(?:[<>=!]=|\.|\())", 2.5),
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
            "r data.table",
            (),
            after(r"[a-z_]\w*", r"\[\s*\w+\s*(?:==|%in%|%between%|<=|>=|<|>)\s*[^\]\n]+,\s*[^\]\n]*\]", 2.5),
            0.5,
        ),
    ),
    ("[", Signal("r data.table", (), after(r"[a-z_\])]\w*", r"\[\s*order\s*\(", 3.0), 0.5)),
    ("$", Signal("r column", (), after(r"(?<![\w$])[a-z]\w{0,20}", r"\$[a-z_]\w+", 1.75), 0.6)),
    ("@", Signal("julia macro", (), at(rf"@(?:{JULIA_MACROS})!?\b\s*[(:\w]", 3.5), 0.6)),
    (
        "[",
        Signal(
            "comprehension", (), at(r"\[\s*[^\[\]\n]{0,40}?\b(\w+)\b[^\[\]\n]{0,40}?\s+for\s+\1\s+in\s+\w", 4.0), 0.5
        ),
    ),
    ("=>", Signal("arrow function", (), after(r"[(,=\s]\(?\w+(?:\s*,\s*\w+)*\)?\s*", r"=>\s*\w+[.\[(]\w", 2.5), 0.6)),
    ("=>", Signal("julia pair", (), at(r"=>\s*(?::\w+|\w+(?:∘|\s*=>)|byrow\b|\(?\w+\s*->)", 2.5), 0.6)),
    ("->", Signal("arrow function", (), after(r"[(,=]\s*\(?\w+(?:\s*,\s*\w+)*\)?\s*", r"->\s*\w+[.\[:(]", 2.5), 0.6)),
    (".==", Signal("julia broadcast", (), at(r"\.==\s*\S", 3.0), 0.6)),
    (".>", Signal("julia broadcast", (), at(r"\.>=?\s*[\d:\w]", 2.0), 0.6)),
    (".<", Signal("julia broadcast", (), at(r"\.<=?\s*[\d:\w]", 2.0), 0.6)),
    ("->{", Signal("perl", (), after(r"[\w\]})]", r"->\{\s*['\w$]", 2.5), 0.6)),
    ("{$", Signal("perl", (), after(r"[$@%]", r"\{\s*\$\w", 2.0), 0.6)),
    ('$"', Signal("scala", (), at(r"\$\"\w+\"", 2.5), 0.6)),
    ("#!", Signal("shell", (), leading(r"#!\s*/", 4.0), 0.5)),
    (" ? ", Signal("choice", (), after(r"[<>=]=?\s*[\w.]+", r" \? (?:-?\d[\d.]*|'[^'\n]*'|null) : \S", 2.5), 0.6)),
    (
        ";\n",
        Signal(
            "statement",
            (),
            after(r"\n[ \t]*[a-z_][\w.]*[ \t]*[-+*/]?=[ \t]*[^;=\n]{1,60}", r";\n", 1.25, reach=90),
            0.5,
        ),
    ),
    ("+= ", Signal("accumulation", (), after(r"(?:^|\n)[ \t>]+[\w.\[\]]+[ \t]*", r"\+= ", 1.5), 0.5)),
)


def is_code_line(line: str) -> bool:
    """Whether a line could begin a block of Python."""
    return CODE_LINE.match(line) is not None


CODE_LINE = re.compile(
    r"[ \t]*(?:[\w.\[\]\"', ]+[ \t]*[-+*/|&]?=(?!=)|(?:def|class|for|while|if|try|with|import|"
    r"from|return|assert)\b|@\w|"
    r"[\w.]+\(|print\b)"
)

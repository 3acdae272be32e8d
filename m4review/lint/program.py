"""Family *program*: data-frame and statistics programs, and scripts.

Python is parsed with ``ast`` where a block of lines allows it; other languages, and pieces of Python too small to
parse, are recognised by the verbs of their libraries. A short formula (``GCS = motor + verbal + eyes``) is method.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.signals import REFUSED, Evidence, windows
from m4review.lint.views import View

FRAME_VERBS = (
    "groupby|group_by|groupBy|merge|merge_asof|join_asof|agg|aggregate|with_columns?|withColumn|withColumnRenamed|"
    "sort_values|orderBy|drop_duplicates|dropDuplicates|drop_nulls|dropna|fillna|fill_null|fill_nan|reset_index|"
    "set_index|to_csv|write_csv|to_parquet|write_parquet|sink_csv|to_pandas|toPandas|to_df|fetchdf|fetchall|fetch_df|"
    "pivot_table|rolling|group_by_dynamic|resample|nunique|idxmax|idxmin|value_counts|astype|apply|transform|"
    "isin|is_in|is_between|isnull|notnull|isna|notna|is_null|is_not_null|unique|select_dtypes|assign|"
    "forward_fill|ffill|bfill|shift|cumsum|cummax|query|collect|lazy|partitionBy|rowsBetween|createOrReplaceTempView|"
    "execute|iterrows|itertuples|melt|unpivot|explode|mutate|read_sql|over|clip|combine_first|map_elements|"
    "to_datetime|total_seconds|dt\\.\\w+|str\\.\\w+|loc\\s*\\[|iloc\\s*\\["
)
WEAK_VERBS = re.compile(
    r"collect|query|apply|transform|execute|unique|aggregate|over|shift|clip|merge|assign|lazy|explode"
)

# (name, weight, repeat, pattern), on the plain view as typed
_TABLE: tuple[tuple[str, float, float, str], ...] = (
    (
        "python import",
        4.0,
        0.3,
        r"(?m)(?:^|[;`>])[ \t]*(?:import|from)[ \t]+(?:pandas|polars|duckdb|numpy|pyspark|sqlalchemy|psycopg2?|sqlite3|dask|pyarrow|ibis|scipy|sklearn|pandasql|modin|vaex|datatable|google\.cloud)\b",
    ),
    (
        "python import",
        3.0,
        0.3,
        r"(?m)^[ \t>]*from[ \t]+[\w.]+[ \t]+import[ \t]+\w|^[ \t>]*import[ \t]+(?:os|sys|csv|json|re|math|datetime|pathlib|collections|itertools|functools)\b(?:[ \t]*,[ \t]*\w+)*[ \t]*$",
    ),
    (
        "namespace call",
        3.0,
        0.5,
        r"(?<![\w.])(?:pd|pl|np|F|ddf|dd|duckdb|ibis|sqlite3|psycopg2)\.(?:col|when|lit|read_\w+|scan_\w+|DataFrame|LazyFrame|Series|merge\w*|concat|to_\w+|isna|notna|cut|where|select|sql|connect|query|max|min|sum|mean|first|last|expr|len|all|any|nan\w*|Timedelta|Timestamp|duration|table|row_number|count|coalesce|nan\b)\b",
    ),
    ("frame verb", 2.75, 0.7, rf"[\w)\]}}]\s*\.\s*(?:{FRAME_VERBS})\s*(?:\(|\[|(?<=\[)|(?<=\())"),
    (
        "frame verb",
        2.0,
        0.7,
        r"[\w)\]]\s*\.\s*(?:max|min|mean|sum|first|last|median|head|tail|any|count|size|copy|std|join|filter|select|sort|pivot|where|alias|cast|agg|limit|distinct|show|write|read)\s*\(\s*(?:\)|[\"'\[{]|pl\.|F\.|col\(|\w+[\s,)]|\w+\s*=[^=]|lambda\b|on=|axis=)",
    ),
    ("column by name", 1.5, 0.7, r"(?<![\w\]])[a-z_]\w*\s*\[\s*[\"'][\w ]{1,40}[\"']\s*\]"),
    ("column by name", 2.0, 0.7, r"[a-z_]\w*\s*\[\s*\[\s*[\"'][\w ]{1,40}[\"']"),
    ("row filter", 2.5, 0.7, r"(?<![\w\]])([a-z_]\w*)\s*\[\s*\(*\s*~?\1\s*[.\[]"),
    ("definition", 3.0, 0.5, r"(?m)^[ \t>]*(?:async[ \t]+)?def[ \t]+\w+\([^)\n]*\)[ \t]*(?:->[^:\n]+)?:"),
    ("definition", 2.0, 0.5, r"(?m)^[ \t>]*(?:class[ \t]+\w+(?:\([^)\n]*\))?:|@\w+(?:\.\w+)*(?:\(.*\))?[ \t]*$)"),
    (
        "loop",
        2.5,
        0.6,
        r"(?m)^[ \t>]*(?:for[ \t]+[\w, ()]+[ \t]+in[ \t]+[^\n]*[\w)\]]:[ \t]*$|while[ \t]+[^\n]*[<>=!][^\n]*:[ \t]*$|with[ \t]+(?:open|duckdb|\w+\.\w+)\([^\n]*\)[ \t]+as[ \t]+\w+:)",
    ),
    ("comprehension", 2.5, 0.6, r"[\[({][^\[\](){}\n]{1,80}\sfor\s+\w+(?:\s*,\s*\w+)*\s+in\s+\w[^\n]{0,80}[\])}]"),
    ("lambda", 3.0, 0.5, r"\blambda\s+\w+(?:\s*,\s*\w+)*\s*:"),
    (
        "call with keyword",
        1.5,
        0.5,
        r"\b(?:on|by|how|axis|ascending|inplace|subset|keep|columns|index|left_on|right_on|as_index|descending|strategy|every|period|closed)\s*=\s*(?:[\"'\[]|True\b|False\b|\d)",
    ),
    ("return", 1.5, 0.5, r"(?m)^[ \t>]+return[ \t]+[\w\[({][\w.\[\](){}\"', +\-*/<>=]*$"),
    ("assignment of call", 0.75, 0.6, r"(?m)^[ \t>]*[a-z_]\w*[ \t]*=[ \t]*[a-z_][\w.]*\([^)\n]*[\"'\[=]"),
    (
        "sql in python",
        4.0,
        0.5,
        r"\b(?:con|conn|connection|cursor|cur|db|duckdb|spark|session|engine|client)\s*\.\s*(?:sql|execute|executemany|query|table|register)\s*\(",
    ),
    (
        "spark",
        3.5,
        0.5,
        r"\bSparkSession\b|\bWindow\s*\.\s*(?:partitionBy|orderBy)\b|\bspark\s*\.\s*(?:read|table|sql)\b|\.filter\s*\(\s*\$\"|\bcol\(\s*[\"']\w+[\"']\s*\)\s*[<>=!.]",
    ),
    # R
    ("r pipe", 2.5, 0.7, r"%>%|%<>%|%\$%|%in%|(?<=[\w)\]])\s*\|>\s*[a-z_.]+\("),
    (
        "r library",
        4.0,
        0.3,
        r"\b(?:library|require|requireNamespace|pacman::p_load)\(\s*[\"']?(?:dplyr|tidyverse|data\.table|dbplyr|DBI|duckdb|tidyr|lubridate|readr|arrow|zoo|purrr|bigrquery|dtplyr|RPostgres(?:QL)?|sqldf|fuzzyjoin|collapse)\b",
    ),
    (
        "r namespace",
        3.0,
        0.5,
        r"\b(?:dplyr|tidyr|data\.table|DBI|duckdb|readr|lubridate|arrow|purrr|zoo|stats|base|fuzzyjoin|collapse)::\w+",
    ),
    (
        "r verb",
        2.0,
        0.8,
        r"(?<![\w.])(?:group_by|summari[sz]e|mutate|transmute|left_join|inner_join|right_join|full_join|semi_join|anti_join|arrange|case_when|if_else|slice_(?:min|max|head|tail)|pivot_(?:wider|longer)|rename|distinct|filter|select|across|n_distinct|ungroup|coalesce|replace_na|bind_rows|tbl|dbConnect|dbGetQuery|dbReadTable|read_csv|read_parquet|open_dataset|write_csv|fread|fwrite|setDT|setkey|setorder|rollapply|foverlaps|fcase|fifelse|shift|rbindlist|nafill)\s*\(\s*(?:\)|\n|[.\w]+\s*(?:,|\)|=|[<>]|%in%|\(|==)|[\"'!~(]|-\w|desc\()",
    ),
    (
        "r assignment",
        2.0,
        0.5,
        r"(?m)(?:^|[;`])[ \t>]*[A-Za-z.][\w.]*\s*<-\s*(?=[\w.]+[\[($%|]|[\w.]+\s*(?:%>%|\|>)|function\b|c\()",
    ),
    (
        "r data.table",
        4.0,
        0.5,
        r"\[[^\[\]\n]{0,120},\s*(?:\.\(|`?:=`?|:=|\.SD|\.N|lapply\()|\bby\s*=\s*\.\(|\bby\s*=\s*\"?\w+\"?\s*\]|:=\s*(?:fifelse|fcase|shift|cumsum|max|min|frank|nafill)\(",
    ),
    ("r data.table", 2.0, 0.5, r"\w\[\s*\w+\s*(?:==|%in%|%between%|<=|>=|<|>)\s*[^\]\n]+,\s*[^\]\n]*\]"),
    (
        "r function",
        3.0,
        0.5,
        r"\bfunction\s*\([^)\n]*\)\s*\{|\b(?:sapply|lapply|vapply|mapply|tapply|aggregate|ave|Reduce|do\.call)\s*\(|\bwith\(\s*\w+\s*,",
    ),
    ("r data frame", 2.0, 0.6, r"(?<![\w$])[a-z_]\w{0,20}\$[a-z_]\w+"),
    # Stata and SAS
    (
        "stata",
        3.0,
        0.8,
        r"(?m)(?:^|[`>])[ \t]*(?:qui(?:etly)?[ \t]+)?(?:by(?:sort)?[ \t]+[\w ]+(?:\([\w ]+\))?[ \t]*(?:,[ \t]*sort[ \t]*)?:[ \t]*\w|egen[ \t]+(?:\w+[ \t]+)?\w+[ \t]*=|(?:gen|generate)[ \t]+(?:(?:byte|int|long|float|double|str\d*)[ \t]+)?\w+[ \t]*=|collapse[ \t]*\(|merge[ \t]+[1mn]:[1mn]\b|joinby[ \t]+\w+|reshape[ \t]+(?:wide|long)\b|import[ \t]+delimited\b|use[ \t]+\"?[\w./-]+\.dta|insheet\b|replace[ \t]+\w+[ \t]*=[^\n]*\bif\b|(?:tsset|xtset)[ \t]+\w+|tsfill\b|save[ \t]+\"?[\w./]+\"?,[ \t]*replace|foreach[ \t]+\w+[ \t]+(?:of|in)\b|forvalues[ \t]+\w+|rangejoin\b|duplicates[ \t]+drop|gsort[ \t]+[-+\w])",
    ),
    (
        "stata",
        2.0,
        0.8,
        r"(?m)(?:^|`)[ \t]*(?:(?:keep|drop)[ \t]+if[ \t]+[\w!(]+[^\n]*(?:[<>=~!]=?|\()|sort[ \t]+\w+_\w+(?:[ \t]+\w+)*[ \t]*$|keep[ \t]+\w+_\w+(?:[ \t]+\w+)*[ \t]*$|replace[ \t]+\w+[ \t]*=|recode[ \t]+\w+[ \t]*\(|local[ \t]+\w+)",
    ),
    (
        "sas",
        4.0,
        0.5,
        r"(?im)(?:^|`)[ \t]*proc[ \t]+(?:sql|means|sort|freq|summary|import|transpose|univariate)\b[^\n]*;|^[ \t]*data[ \t]+[\w.]+[ \t]*;|^[ \t]*set[ \t]+[\w.]+[ \t]*;|^[ \t]*(?:run|quit)[ \t]*;",
    ),
    # Julia
    (
        "julia",
        4.0,
        0.4,
        r"(?m)^[ \t>]*using[ \t]+(?:DataFrames|DataFramesMeta|CSV|DuckDB|Query|Tidier|TidierData|DataFrameMacros|Parquet2?|SQLite|LibPQ|Statistics|Dates|Chain)\b",
    ),
    (
        "julia",
        3.5,
        0.6,
        r"@(?:chain|subset|transform|combine|select|rsubset|rtransform|by|orderby|linq|pipe|filter|mutate|summarize|group_by|left_join)!?\b\s*[(\s]|\b(?:leftjoin|innerjoin|rightjoin|outerjoin|semijoin|antijoin|groupby|combine|transform|subset|dropmissing|unstack|nrow|DataFrame|ByRow|CSV\.read|DBInterface\.execute|coalesce\.)!?\s*\(\s*(?:\w|:|\[|\(|\"|\))",
    ),
    (
        "julia",
        2.0,
        0.6,
        r"[\w\]]\s*\.(?:==|>=|<=|>|<|&|\|)\s*\S|:\w+\s*=>|=>\s*:\w+|\b(?:row|r|x)\s*->\s*\w|(?m:^[ \t]*end[ \t]*$)|\bskipmissing\(",
    ),
    # shell and others
    (
        "shell",
        4.0,
        0.5,
        r"(?m)^#!|(?:^|[`$>])[ \t]*(?:\$[ \t]+)?(?:duckdb|sqlite3|psql|bq|mysql|clickhouse)[ \t]+(?:-[\w-]+[ \t]+)*[^\n]{0,80}(?:-c[ \t]*[\"']|[\"']select\b|<[ \t]*\w+\.sql|query[ \t]+)|\b(?:python3?|Rscript|julia|perl)[ \t]+(?:-[ce][ \t]|[\w./-]+\.(?:py|R|jl|pl)\b)",
    ),
    (
        "shell",
        3.5,
        0.5,
        r"(?m)(?:^|[`|;])[ \t]*(?:awk|gawk|mlr|csvsql|csvcut|xsv|zcat)[ \t]+(?:-[\w-]+|'|[\w./-]+\.csv)",
    ),
    (
        "scala",
        3.0,
        0.5,
        r"(?m)^[ \t]*(?:val|var|let|const)[ \t]+\w+[ \t]*=[ \t]*[^\n]*[.(]|\bimport[ \t]+org\.apache\.spark",
    ),
    (
        "brackets language",
        3.0,
        0.5,
        r"(?m)^[ \t>]*(?:if|for|while|else[ \t]+if)[ \t]*\([^\n]*\)[ \t]*\{|^[ \t]*(?:public|private|static|function)[ \t]+\w+[^\n]*\{",
    ),
)
SIGNALS = tuple((name, weight, repeat, re.compile(pattern)) for name, weight, repeat, pattern in _TABLE)

PROGRAM_FENCE = re.compile(
    r"(?:```+|~~~+)[ \t]*\{?\.?(?:python|py|ipython|pycon|r|rscript|julia|jl|stata|sas|scala|java|javascript|js|bash|sh|shell|"
    r"zsh|pandas|polars|pyspark|dplyr|matlab|octave|perl|ruby|rust|go|c|cpp)\b[^\n`]*\n(?P<body>(?:(?!```|~~~)[^\n]*\n){1,400})"
)
MAX_PARSED = 20_000
CODE_LINE = re.compile(
    r"^\s*(?:[\w.\[\]\"', ]+\s*(?:[-+*/|&]?=)(?!=)|(?:def|class|for|while|if|elif|else|try|except|with|import|from|return|print|assert|@)\b|[\w.]+\(|[)\]}])"
)


def check_program(plain: View, flow: View) -> Iterator[Hit]:
    """Windows of the text that read as a program."""
    evidence = list(evidence_of(plain))
    hits = [plain.raw(window.start, window.end) for window in windows(plain, evidence, threshold=REFUSED)]
    if flow.text != plain.text:
        loose = windows(flow, evidence_of(flow), threshold=REFUSED)
        hits += [flow.raw(window.start, window.end) for window in loose]
    hits += [plain.raw(start, end) for start, end in _python_blocks(plain)]
    reported: list[tuple[int, int]] = []
    for start, end in sorted(hits):
        if any(start < other_end and other_start < end for other_start, other_end in reported):
            continue
        reported.append((start, end))
        yield Hit("program", start, end, "program code, or a piece of it")
    for match in PROGRAM_FENCE.finditer(plain.lower):
        start, end = plain.raw(match.start(), match.end("body"))
        if not any(start < other_end and other_start < end for other_start, other_end in reported):
            first = plain.raw(match.start(), match.start("body") - 1)
            yield Hit("program-fence", *first, "a code block announced as a programming language")


def evidence_of(view: View) -> Iterator[Evidence]:
    """Everything in ``view`` that speaks for a program."""
    for name, weight, repeat, pattern in SIGNALS:
        for match in pattern.finditer(view.text):
            value = weight
            if name == "frame verb" and WEAK_VERBS.search(match.group()):
                value = 1.75
            yield Evidence(name, value, match.start(), match.end(), repeat)


def _python_blocks(plain: View) -> Iterator[tuple[int, int]]:
    """Runs of code-like lines that parse as Python and do more than compute a formula."""
    lines = plain.text.split("\n")
    starts = plain.line_starts
    first = 0
    while first < len(lines):
        if not CODE_LINE.match(lines[first]):
            first += 1
            continue
        last = first
        while (
            last + 1 < len(lines)
            and lines[last + 1].strip()
            and not lines[last + 1].lstrip().startswith(("```", "~~~"))
        ):
            last += 1
        block = "\n".join(lines[first : last + 1])
        if last > first and len(block) <= MAX_PARSED and _is_python_program(block):
            yield starts[first], starts[last] + len(lines[last])
        first = last + 1


def _is_python_program(block: str) -> bool:
    if block.count("(") + block.count("[") + block.count("{") > 400 or re.search(
        r"[(\[{][(\[{ ]{30}|[-+~ ]{60}", block
    ):
        return False
    margin = len(block) - len(block.lstrip(" "))
    dedented = "\n".join(line[margin:] if line[:margin].strip() == "" else line for line in block.split("\n"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(dedented)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    weight = 0.0
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            weight += 3
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.With | ast.Try):
            weight += 3
        elif isinstance(node, ast.For | ast.While | ast.ListComp | ast.DictComp | ast.GeneratorExp | ast.SetComp):
            weight += 2.5
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            weight += 1.5
        elif isinstance(node, ast.Subscript):
            weight += 1
        elif isinstance(node, ast.AugAssign):
            weight += 1
        elif isinstance(node, ast.If):
            weight += 1.5
        elif isinstance(node, ast.Return | ast.Raise | ast.Assert):
            weight += 1
    return weight >= REFUSED


RULES = (
    Rule(
        "program",
        "program",
        "error",
        "A program that computes the variable is the solution itself; a trial with it would measure copying.",
        "Describe the rule: the measurement, the window, the order of precedence, what happens when a value is missing.",
        refused=texts(
            "```python\nimport pandas as pd\ndf = pd.read_parquet('chartevents.parquet')\nhr = df.groupby('stay_id')['valuenum'].max()\n```",
            "Use df.groupby('stay_id')['valuenum'].max() for the worst value.",
            "df = pl.scan_parquet('labs').filter(pl.col('itemid') == 50912).group_by('stay_id').agg(pl.col('valuenum').max())",
            "labs %>%\n  filter(itemid == 50912) %>%\n  group_by(stay_id) %>%\n  summarise(cr = max(valuenum))",
            "setDT(labs)\nlabs[itemid == 50912, .(cr = max(valuenum)), by = .(stay_id)]",
            "bysort stay_id (charttime): gen first = _n == 1\nkeep if first == 1\ncollapse (max) valuenum, by(stay_id)",
            "using DataFrames\n@chain labs begin\n  @subset(:itemid .== 50912)\n  groupby(:stay_id)\n  combine(:valuenum => maximum)\nend",
            "con.execute(text).fetchdf().to_csv('output.csv')",
            "w = Window.partitionBy('stay_id').orderBy('charttime')\ndf = df.withColumn('n', F.row_number().over(w))",
            "total = 0\nfor value in readings:\n    if value > limit:\n        total += 1\nprint(total)",
        ),
        accepted=texts(
            "```\nGCS = motor + verbal + eyes\n```",
            "```\nMELD = 3.78 × ln(max(bilirubin, 1)) + 6.43\nMELD_Na = MELD + 1.32 × (137 − Na) − 0.033 × MELD × (137 − Na)\n```",
            "Filter out values outside the range, group by stay, and merge episodes less than 14 hours apart.",
            "Mean = round(sum / count, 2). Keep if in doubt, drop if implausible.",
            "Replace missing = 0. Sort by time; use the first value.",
        ),
    ),
    Rule(
        "program-fence",
        "program",
        "warning",
        "A code block marked as a programming language invites readers to look for a program.",
        "Write formulas in a block without a language.",
        refused=texts("```python\ngcs = motor + verbal + eyes\n```"),
        accepted=texts("```\ngcs = motor + verbal + eyes\n```"),
    ),
)

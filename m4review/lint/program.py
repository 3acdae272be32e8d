"""Family *program*: data-frame and statistics programs, and scripts.

Python is parsed with ``ast`` where a block of lines allows it; other languages, and pieces of Python too small to
parse, are recognised by the verbs of their libraries. A short formula (``GCS = motor + verbal + eyes``) is method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from m4review.lint.languages import BY_WORD, LITERALS
from m4review.lint.languages.density import marked_lines
from m4review.lint.languages.python import is_code_line
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Claimed, Hit, Rule, texts, words
from m4review.lint.signals import FENCES, REFUSED, Evidence, gather, windows
from m4review.lint.views import View

PROGRAM_FENCE = Pattern(
    r"(?<![`~])(?:`{3,8}|~{3,8})[ \t]*\{?\.?(?:python|py|ipython|pycon|r|rscript|julia|jl|stata|sas|scala|"
    r"java|javascript|js|bash|sh|shell|"
    r"zsh|pandas|polars|pyspark|dplyr|matlab|octave|perl|ruby|rust|go|c|"
    r"cpp)\b[^\n`]*\n(?P<body>(?:(?!```|~~~)[^\n]*\n){1,400})"
)
MAX_PARSED = 20_000
NODE_WEIGHTS = {
    **dict.fromkeys(words("FunctionDef AsyncFunctionDef ClassDef Lambda Import ImportFrom With Try For While"), 3.0),
    **dict.fromkeys(words("ListComp DictComp GeneratorExp SetComp"), 2.5),
    **dict.fromkeys(words("Subscript AugAssign Return Raise Assert"), 1.0),
    "If": 1.5,
}
"""What a parsed block must add up to: a formula has calls and operators only."""


def check_program(plain: View, flow: View) -> Iterator[Hit]:
    """Windows of the text that read as a program."""
    marked = list(marked_lines(plain))
    ends = {item.start: item.end for item in marked}
    markers = [Evidence(item.name, item.weight, item.start, item.start, item.repeat) for item in marked]
    hits = []
    for window in windows(plain, [*evidence_of(plain), *markers], threshold=REFUSED):
        hits.append(plain.raw(window.start, max(window.end, ends.get(window.end, 0))))
    if flow.text != plain.text:
        loose = windows(flow, evidence_of(flow), threshold=REFUSED)
        hits += [flow.raw(window.start, window.end) for window in loose]
    hits += [plain.raw(start, end) for start, end in _python_blocks(plain)]
    claimed = Claimed()
    for start, end in sorted(hits):
        if claimed.take(start, end):
            yield Hit("program", start, end, "program code, or a piece of it")
    for match in PROGRAM_FENCE.matches_at(plain.lower, plain.places(FENCES)):
        start, end = plain.raw(match.start(), match.end("body"))
        if claimed.take(start, end):
            first = plain.raw(match.start(), match.start("body") - 1)
            yield Hit("program-fence", *first, "a code block announced as a programming language")


def evidence_of(view: View) -> Iterator[Evidence]:
    """Everything in ``view`` that speaks for a program."""
    return gather(view, BY_WORD, LITERALS)


def _python_blocks(plain: View) -> Iterator[tuple[int, int]]:
    """Runs of code-like lines that parse as Python and do more than compute a formula."""
    lines = plain.text.split("\n")
    starts = plain.line_starts
    first = 0
    while first < len(lines):
        if not is_code_line(lines[first]):
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
    import ast  # here, with what it loads: most texts hold no line that could be Python
    import warnings

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
        weight += NODE_WEIGHTS.get(type(node).__name__, 0.0)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            weight += 1.5
    return weight >= REFUSED


RULES = (
    Rule(
        "program",
        "program",
        "error",
        "A program that computes the variable is the solution itself; a trial with it would measure copying.",
        "Describe the rule: the measurement, the window, the order of precedence, what happens "
        "when a value is missing.",
        refused=texts(
            "```python\nimport pandas as pd\ndf = pd.read_pickle('chartevents.pkl')\nhr = "
            "df.groupby('stay_id')['valuenum'].max()\n```",
            "Use df.groupby('stay_id')['valuenum'].max() for the worst value.",
            "df = pl.scan_parquet('labs').filter(pl.col('itemid') == "
            "50912).group_by('stay_id').agg(pl.col('valuenum').max())",
            "labs %>%\n  filter(itemid == 50912) %>%\n  group_by(stay_id) %>%\n  summarise(cr = max(valuenum))",
            "setDT(labs)\nlabs[itemid == 50912, .(cr = max(valuenum)), by = .(stay_id)]",
            "bysort stay_id (charttime): gen first = _n == 1\nkeep if first == 1\ncollapse (max) valuenum, by(stay_id)",
            "using DataFrames\n@chain labs begin\n  @subset(:itemid .== 50912)\n  groupby(:stay_id)\n  "
            "combine(:valuenum => maximum)\nend",
            "con.execute(text).fetchdf().to_csv('output.csv')",
            "w = Window.partitionBy('stay_id').orderBy('time')\ndf = df.withColumn('n', F.first('value').over(w))",
            "total = 0\nfor value in readings:\n    if value > limit:\n        total += 1\nprint(total)",
        ),
        accepted=texts(
            "```\nGCS = motor + verbal + eyes\n```",
            "```\nMELD = 3.78 × ln(max(bilirubin, 1)) + 6.43\nMELD_Na = MELD + 1.32 × (137 − Na) − "
            "0.033 × MELD × (137 − Na)\n```",
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

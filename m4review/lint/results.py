"""Family *results*: counts, means and distributions of the output that a task asks for.

Published figures ("mortality was 20 % at 7–9 points") are literature and may be cited. What gives an answer away is a
figure that is said to belong to the expected output, or a table of the task's own columns with numbers under it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from m4review.lint.context import PUBLISHED_ANSWERS, LintContext
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import View

OUTPUT = (
    r"\b(?:(?:expected|correct|right|true|hidden|oracle|your|gold(?:[ -]standard)?)\s+"
    r"(?:(?!urine|urinary|cardiac|stoma|drain|fluid|lab|test|culture)[a-z][\w-]*\s+)?|"
    r"reference\s+(?:quer(?:y|ies)(?:'s)?\s+|sql\s+|task\s+|solution(?:'s)?\s+)?)"
    r"(?:outputs?|answers?|results?|tables?|files?|csv|distributions?|counts?|solution|query)\b"
)
UNIT = (
    r"(?:icu\s+|hospital\s+|distinct\s+|unique\s+|[a-z]+\s+)?(?:rows?|stays?|lines|records|patients|admissions|hours)"
)
QUANTITY = (
    rf"(?:\d{{1,3}}(?:[,' ]\d{{3}})+|\d{{3,}})\s+{UNIT}\b|\d+(?:\.\d+)?\s*%\s*of\s+(?:all\s+|the\s+)?{UNIT}\b|"
    r"\b(?:mean|median|average|sd|standard deviation|maximum|total|sum)\b[^.\n]{0,24}?\s\d+(?:\.\d+)?"
    r"(?![\d.]*\d|\s*(?:mm|m[lg]\b|m[lg]/|kg|[µμu]g|mcg|cm\b|g/|mmol|/|l/|°|bpm|h\b|hours?\b|min|iu\b|points?\b))"
)
OUTPUT_WORDS = ("expected", "correct", "right", "true", "hidden", "oracle", "your", "gold", "reference")
NEAR = 160
OF_OUTPUT = Pattern(OUTPUT)
FIGURES = Pattern(QUANTITY)
LEVEL_COUNT = (
    r"(?:\b[a-z]{1,20}\s+)?\b\d{1,2}\s*[:=→]\s*(?:\d{1,3}(?:[,' ]\d{3})+|\d{2,})\s+(?:icu\s+)?(?:stays|rows)\b"
)
COUNTED_LEVEL = Pattern(r"\b\d{1,2}\s*[:=→]\s*(?:\d{1,3}(?:[,' ]\d{3})+|\d{2,})\s+(?:icu\s+)?(?:stays|rows)\b")
SERIES = Pattern(rf"{LEVEL_COUNT}(?:[,;\s|-]+(?:and\s+)?{LEVEL_COUNT}){{2,}}")
AT_LEVEL = (
    r"\d\d{0,2}(?:[,' ]\d{3})+\s+(?:icu\s+)?(?:(?:stays|rows|patients)\s+)?(?:at|with|in|have|had|reach(?:ed)?|"
    r"scored?)\s+(?:a\s+)?(?:score\s+|stage\s+|class\s+|level\s+)?(?:of\s+)?\d{1,2}\b(?!\.?\d|\s*%)"
)
COUNTS_AT = Pattern(rf"{AT_LEVEL}(?:[,;]?\s+(?:and\s+)?{AT_LEVEL}){{2,}}")
"""Counts with the level behind them."""
TO_COUNT = r"\b\d{1,2}\s*(?:→|->|=>|:|=)\s*(?:\d{1,3}(?:[,' ]\d{3})+|\d{4,7})\b"
ARROWS = Pattern(rf"{TO_COUNT}(?:[,;]?\s+(?:and\s+)?{TO_COUNT}){{2,}}")
OF_STAYS = Pattern(r"\b(?:stays|rows|records|output|answer)\b")
SHARE = (
    r"(?:(?:stage|score|grade|class|level|points?)\s+)?\b\d{1,2}\s*(?:[:=(]|in|was|is|at|has|for|makes?)?\s*"
    r"\d{1,2}(?:\.\d+)?\s*%(?:\s+of\s+(?:the\s+)?(?:icu\s+)?(?:stays|rows|patients))?\)?"
)
SHARE_OF_LEVEL = Pattern(r"\b\d{1,2}\s*(?:[:=(]|in|was|is|at|has|for|makes?)?\s*\d{1,2}(?:\.\d+)?\s*%")
SHARES = Pattern(rf"{SHARE}(?:[,;]?\s+(?:and\s+)?{SHARE}){{2,}}")
QUANTILES_OF = Pattern(
    r"\b(?:quantiles?|quartiles?|percentiles?)\s+of\s+(?:the\s+)?[\w ]{1,30}:\s*(?:p?\d{1,2}\s*%?|"
    r"min)\s*[=:]?\s*\d[^\n]{0,20}?,\s*(?:p?\d|med)"
)
SHARE_OF = Pattern(
    r"\b(?:share|proportion|fraction|percentage)\s+of\s+(?:the\s+|all\s+)?(?:icu\s+)?(?:stays|rows|patients|"
    r"admissions)\s+(?:with|at|whose|having)\s+"
    r"[^.\n]{1,40}?[:=]\s*(?:\d{1,3}(?:\.\d+)?\s*%|0\.\d+)"
)
OF_LEVELS = Pattern(r"\bdistributions?\s+of\b|%\s+of\s+(?:all\s+|the\s+)?(?:icu\s+)?(?:stays|rows)\b")
OF_THE_OUTPUT = Pattern(
    r"\b(?:of|in)\s+(?:the|your)\s+(?:reference|expected|correct|hidden|output|answer|oracle|ground)\b|"
    r"\b(?:expected|reference|correct|hidden)\s+(?:outputs?|answers?|results?|distribution|shares)\b"
)
BIG = r"\d{1,3}(?:[,' ]\d{3})+|\d{4,}"
SAID = (
    (
        Pattern(
            rf"\b(?:expected|reference|correct|target|answer)\s*:\s*(?:{BIG})\s+(?:icu\s+|distinct\s+)?(?:rows|lines|"
            r"records|stays)\b"
        ),
        ("expected", "reference", "correct", "target", "answer"),
        "a count of the expected output",
    ),
    (
        Pattern(r"\b(?:expected|reference|correct|target|answer)\b\s*[:=-]?\s*(?:n|rows|mean|sum|count)\s*[=:]\s*\d"),
        ("expected", "reference", "correct", "target", "answer"),
        "a figure of the expected output",
    ),
    (
        Pattern(
            rf"\b(?:you|your|must|should|exactly|expect|ends?\s+up)\b[^.\n]{{0,60}}?(?:{BIG})\s+(?:icu\s+|"
            r"distinct\s+)?"
            r"(?:rows|lines|records|stays)\b"
        ),
        ("you", "must", "should", "exactly", "expect", "end"),
        "a count of the expected output",
    ),
    (
        Pattern(
            r"\b(?:expected|reference|correct|target|answer)\s*:\s*(?:mean|median|"
            r"average)\b[^.\n]{0,30}?\d[\d.]*\s*[,;(]?\s*"
            r"(?:sd|n|max|min|rows|stays)\b|\b(?:expected|reference|correct|hidden)\s*(?:outputs?|answers?|"
            r"results?)?\s*:\s*"
            r"(?:\d{1,2}(?:st|nd|rd|th)\s+percentile|median|mean|quartiles?)\s+-?\d[^\n]{0,20}?,\s*(?:\d{1,2}(?:st|"
            r"nd|rd|th)\s+"
            r"percentile|median|mean|max|min|sd)\s+\d"
        ),
        ("expected", "reference", "correct", "target", "answer", "hidden"),
        "a figure of the expected output",
    ),
    (
        Pattern(
            r"\b(?:the|this|whole|final|finished|complete)\s+(?:outputs?|answers?|result(?:s|ing\s+table)?|"
            r"output\s+(?:file|table))\s+"
            r"(?:has|have|holds?|contains?|comprises?|counts?|is|are|should\s+\w+|will\s+\w+)\s+(?:about\s+|"
            r"exactly\s+|roughly\s+|some\s+)?"
            rf"(?:{BIG})\s+(?:icu\s+|distinct\s+)?(?:rows|lines|records|stays)\b"
        ),
        ("the", "this", "whole", "final", "finished", "complete"),
        "a count of the output",
    ),
    (
        Pattern(
            r"\b(?:percentiles?|quartiles?|quantiles?|median|mean)\b[^.\n]{0,30}?\bof\s+the\s+(?:expected|reference|"
            r"correct|"
            r"hidden)\b[^.\n]{0,60}?\d"
        ),
        ("percentile", "quartile", "quantile", "median", "mean"),
        "a figure of the expected output",
    ),
    (
        Pattern(
            r"\b(?:sum|mean|median|count|rows|total|average)\b[^.\n]{0,40}?\d[\d,.]*[^.\n]{0,20}?\b(?:in|of)\s+the\s+"
            r"(?:correct|expected|reference|hidden)\s+(?:outputs?|answers?|results?|files?|tables?)\b"
        ),
        ("sum", "mean", "median", "count", "rows", "total", "average"),
        "a figure of the expected output",
    ),
    (
        Pattern(
            r"\b(?:mean|median|average|total|count|number|share)\s+(?:(?:of\s+(?:the\s+)?)?(?:scores?|stages?|"
            r"points|stays|rows|cases|outputs?|"
            r"column)|[a-z]\w*_\w+|sofa|sirs|oasis|meld|sapsii|apsiii)\b[^.\n]{0,60}?\b(?:should|must|has\s+to|"
            r"ought\s+to|will)\s+(?:be|come|"
            r"equal|lie|match|end)\b[^.\n]{0,30}?\d+(?:[.,]\d+)+"
        ),
        ("mean", "median", "average", "total", "count", "number", "share"),
        "a figure of the expected output",
    ),
    (
        Pattern(
            r"\byour\s+(?:mean|median|average|row\s+count|count\s+of\s+(?:stays|rows|patients|cases)|"
            r"number\s+of\s+(?:rows|stays)|distribution)\b[^.\n]{0,40}?\d"
        ),
        ("your",),
        "a figure of the expected output",
    ),
    (
        Pattern(
            r"\b(?:expected|reference|correct)\s+(?:mean|median|sum|count|average|"
            r"total)\s+of\s+[`\"']?[a-z]+_\w+[`\"']?\s*"
            r"(?:is|:|=)?\s*\d"
        ),
        ("expected", "reference", "correct"),
        "a figure of the expected output",
    ),
    (
        Pattern(r"\bthe\s+answer\s*(?:is|:|has)\s*[^.\n]{0,40}?\d+(?:\.\d+)?\s*%"),
        ("the",),
        "a figure of the expected output",
    ),
    (
        Pattern(r"[\"'](?:n_?rows|rows|row_count|n_?stays|num_rows)[\"']\s*[:=]\s*\d{3,}"),
        ('"n', "'n", '"row', "'row"),
        "a count of the output",
    ),
)
"""(pattern, literals of which one opens each match, message)"""
LEVEL_LINE = Pattern(
    r"^[ \t>|]{0,8}(?P<level>\d{1,2})[ \t]{1,20}(?P<count>\d[\d,]{1,9})"
    r"(?:[ \t]{1,20}\d[\d.]{0,9}%?)?[ \t]*$",
    re.M,
)
DICTIONARY = Pattern(r"\{\s*[\"']?\d{1,2}[\"']?\s*:\s*\d{2,}(?:\s*,\s*[\"']?\d{1,2}[\"']?\s*:\s*\d{2,}){2,}")
"""Counts by level as a program prints them."""
MOMENTS = Pattern(
    r"\b(?P<column>[a-z]\w*_\w+|\w+)\b[\"'`]?\s*[:=(]?\s*\b(?:mean|avg|median|"
    r"average)\s*[:=]?\s*\d+\.\d+[^\w\n]{1,4}(?:std|sd|min|max|"
    r"median|iqr|q1|p25|n)\b\s*[:=]?\s*\d"
)
MOMENT_OF = Pattern(
    r"\b(?:mean|avg|median|average|sd|std|stddev)\s*\(\s*[\"'`]?(?P<column>[a-z]\w*)[\"'`]?\s*\)\s*[=:≈]\s*\d"
)
COLUMN_FIGURE = Pattern(
    r"^[ \t>|\"'`*-]{0,8}(?P<column>[a-z]\w{1,40})[\"'`]?(?:[ \t]{2,20}|"
    r"[ \t]?[:|=,\t][ \t]?)\d{1,4}\.\d{2,8}[ \t|,]*$",
    re.M,
)
"""A column and one figure with decimals: as printed for the means of a frame."""
LEVEL_OF_COUNT = Pattern(
    r"\b(?:\d{1,3}(?:[,' ]\d{3})+|\d{4,6})\s+(?:of\s+(?:them|these|all|the\s+stays)\s+|stays\s+|rows\s+|patients\s+|"
    r"icu\s+stays\s+)?(?:had|have|has|got|get|with|reached|"
    r"scored)\s+(?:an?\s+)?(?:score\s+|stage\s+|total\s+|value\s+|sofa\s+)?(?:of\s+)?\d{1,2}\b(?![.,:]?\d|\s*(?:%|"
    r"[<>≤≥]|or\s|points?\s+(?:or|in)))"
)
LEVELS_LISTED = Pattern(
    r"\b(?:value_counts|counts?|distribution|frequenc\w{1,3}|"
    r"hist(?:ogram)?)\b[^\n\d]{0,40}\b\d{1,2}\s*[\s=:]\s*\d{3,6}"
    r"(?:\s*[\s,;]\s*\d{1,2}\s*[\s=:]\s*\d{3,6}){2,}\b"
)
LEVELS_IN_BRACKETS = Pattern(
    r"\b\d{1,2}\s*\((?:n\s*=\s*)?\d{1,3}[,' ]\d{3}\)"
    r"(?:\s*[,;]\s*(?:and\s+)?\d{1,2}\s*\((?:n\s*=\s*)?\d{1,3}[,' ]\d{3}\)){2,}"
)
PUBLISHED = Pattern(
    r"\b(?:doi|pmid|et\s+al|stud(?:y|ies)|cohorts?|derivation|validation|trials?|registr(?:y|ies)|published?|"
    r"literature|papers?|"
    r"authors?|publications?|centres|centers|hospitals|units|survey|guideline|consensus|(?:19|20)\d\d)\b"
)
"""What a figure of the literature stands beside."""
COLUMN_HEADS = frozenset(
    ("component", "criterion", "item", "column", "variable", "name", "field", "output", "measure", "")
)
LEVEL_ROW = Pattern(
    r"^[ \t>|]{0,8}(?:[a-z_]\w{1,30}[ \t:=]{1,4})?(?P<level>\d{1,2})[ \t]{0,20}[|,;:=→\t][ \t]{0,20}"
    r"(?P<count>\d{1,3}(?:,\d{3})+|\d{4,6})"
    r"(?:[ \t]{0,20}[|,;\t][ \t]{0,20}\d[\d.]{0,6}[ \t]?%?)?[ \t]{0,20}\|?[ \t]*$",
    re.M,
)
"""The same as a row of a table: a count has thousands here, for a limit of a score may stand beside its points."""
ITEM_OR_YEAR = Pattern(r"(?:22\d{4}|5[01]\d{3}|(?:19|20)\d\d)\Z")
MEAN_CELL = Pattern(r"[|,;\t][ \t]{0,40}(?:mean|avg|average|median)(?: \(sd\))?[ \t]{0,40}(?=[|,;\t\n])")
HOUR = Pattern(r"hr|hour|day|hours|stay|stay_id|t")
ANSWER_COLUMN = Pattern(rf"(?:{'|'.join(PUBLISHED_ANSWERS)})(?:_\w+)?\Z")
"""Beside an hour, the score of this hour."""
SAID_COLUMN = Pattern(r"(?:expected|reference|correct)\s+(?:n|count|counts|number|stays|rows|mean|share|%)")
LEAST_LEVELS = 3
SUMMARY_LINE = Pattern(
    r"^[ \t>|\"'`*-]{0,12}(?P<label>count|mean|std|sd|min|25\s?%|50\s?%|75\s?%|median|max)[ \t|,;:\"'`*]{1,20}-?\d",
    re.M,
)
SUMMARY_LINES = 24
"""How many lines of a printed summary are looked at together."""
SUMMARY_LABELS = 4
COUNTED = Pattern(
    r"n|nr|no\.?|counts?|freq(?:uency)?|rows|stays|n[_ ]\w+|num(?:ber)?[_ ](?:of[_ ])?\w+|%|percent(?:age)?|pct|"
    r"share|"
    r"mean|avg|average|median|(?:mean|avg|median|count)[_ ]\w+|\w+[_ ](?:count|mean|avg|median)"
)
FIGURE = Pattern(r"-?\d[\d,.' ]*%?|null|nan|na|-|–|")
LEVEL = Pattern(r"-?\d{1,3}(?:\.0)?|null|nan|na|total|all|≥?\s*\d{1,2}\+?")
SEPARATORS = ("|", "\t", ",", ";")
RULER = " |:-+=\t>"
NUMERIC_ROW = Pattern(r"^[ \t>|\"'`*]*-?\d[\d.,' ]*[\"'`*]*[ \t]*[|,;\t]", re.M)
MIN_COLUMNS = 3
MIN_LEVELS = 3


def check_results(plain: View, tables: Iterable[View], context: LintContext) -> Iterator[Hit]:
    """Figures of the expected output. ``tables``: the readings of ``plain`` in which tables stand in lines."""
    lower = plain.lower
    for stated in OF_OUTPUT.matches_at(lower, plain.places(OUTPUT_WORDS)):
        reach = lower.find("\n\n", stated.end(), stated.end() + NEAR)
        figure = FIGURES.search(lower, stated.end(), reach if reach >= 0 else stated.end() + NEAR)
        if figure is not None:
            yield Hit("result-figures", *plain.raw(*figure.span()), "a figure of the expected output")
    for match in SERIES.finditer(lower) if _at_numbers(plain, COUNTED_LEVEL) else ():
        yield Hit("result-figures", *plain.raw(*match.span()), "a distribution of the output")
    distributions = (
        (COUNTS_AT.finditer(lower), OF_STAYS),
        (ARROWS.matches_at(lower, plain.numbers), OF_STAYS),
        (SHARES.finditer(lower) if "%" in lower and _at_numbers(plain, SHARE_OF_LEVEL) else (), OF_THE_OUTPUT),
    )
    for matches, needed in distributions:
        for match in matches:
            near = max(0, match.start() - NEAR), match.end() + NEAR
            if needed.search(lower, *near) or (
                OF_LEVELS.search(lower, *near) and not PUBLISHED.search(_paragraph(lower, match.start()))
            ):
                yield Hit("result-figures", *plain.raw(*match.span()), "a distribution of the output")
    for pattern, starts, message in SAID:
        for match in pattern.matches_at(lower, plain.places(starts)):
            yield Hit("result-figures", *plain.raw(*match.span()), message)
    for match in DICTIONARY.finditer(lower) if "{" in lower else ():
        yield Hit("result-figures", *plain.raw(*match.span()), "a distribution of the output")
    for match in MOMENTS.finditer(lower) if plain.holds(("mean", "avg", "median", "average")) else ():
        if "_" in match.group("column") or _is_output(match.group("column"), context):
            yield Hit("result-figures", *plain.raw(*match.span()), "figures of a column of the output")
    for match in LEVELS_LISTED.finditer(lower) if plain.holds(("count", "distribution", "frequenc", "hist")) else ():
        yield Hit("result-figures", *plain.raw(*match.span()), "a distribution of the output")
    for match in QUANTILES_OF.matches_at(lower, plain.places(("quantile", "quartile", "percentile"))):
        if not PUBLISHED.search(_paragraph(lower, match.start())):
            yield Hit("result-figures", *plain.raw(*match.span()), "a distribution of the output")
    for match in SHARE_OF.matches_at(lower, plain.places(("share", "proportion", "fraction", "percentage"))):
        if not PUBLISHED.search(_paragraph(lower, match.start())):
            yield Hit("result-figures", *plain.raw(*match.span()), "a share of the output")
    for match in LEVELS_IN_BRACKETS.matches_at(lower, plain.numbers):
        if not PUBLISHED.search(_paragraph(lower, match.start())):
            yield Hit("result-figures", *plain.raw(*match.span()), "a distribution of the output")
    for match in MOMENT_OF.matches_at(lower, plain.places(("mean", "avg", "median", "average", "sd", "std"))):
        if "_" in match.group("column") or _is_output(match.group("column"), context):
            yield Hit("result-figures", *plain.raw(*match.span()), "a figure of a column of the output")
    for match in LEVEL_OF_COUNT.matches_at(lower, plain.numbers):
        if not PUBLISHED.search(_paragraph(lower, match.start())):
            yield Hit("result-figures", *plain.raw(*match.span()), "a count of one level of the output")
    for reading in tables:
        yield from _tables(reading, context)
    yield from _column_figures(plain, context)
    yield from _value_counts(plain)
    yield from _moments(plain, context)
    yield from _summaries(plain)


def _paragraph(lower: str, place: int) -> str:
    start = lower.rfind("\n\n", max(0, place - 1000), place)
    end = lower.find("\n\n", place, place + 1000)
    return lower[max(start, place - 1000, 0) : end if end >= 0 else place + 1000]


def _column_figures(plain: View, context: LintContext) -> Iterator[Hit]:
    """Three columns of the output below each other, each with a figure that has decimals."""
    run: list[re.Match[str]] = []
    for match in COLUMN_FIGURE.finditer(plain.lower) if context.columns else ():
        if match.group("column") not in context.columns:
            run = []
            continue
        if run and plain.line_of(match.start()) - plain.line_of(run[-1].start()) != 1:
            run = []
        run.append(match)
        if len(run) == LEAST_LEVELS:
            yield Hit("result-table", *plain.raw(run[0].start(), match.end()), "figures of columns of the output")


def _at_numbers(plain: View, level: Pattern) -> bool:
    """Whether the text holds as many levels of this form as a distribution has at least."""
    return len(list(islice(level.matches_at(plain.lower, plain.numbers), LEAST_LEVELS))) == LEAST_LEVELS


def _tables(plain: View, context: LintContext) -> Iterator[Hit]:
    """Headers with rows of numbers under them. The rows are looked for first: most lines of a text hold none."""
    lines: list[str] = []
    header_before = -1
    for match in NUMERIC_ROW.finditer(plain.lower):
        lines = lines or plain.lower.split("\n")
        first = plain.line_of(match.start())
        index = first - 1 if first and lines[first - 1].strip(RULER) else first - 2
        if index < 0 or index == header_before or NUMERIC_ROW.match(lines[index]):
            continue
        header_before = index
        separator = next((sign for sign in SEPARATORS if sign in lines[index]), None)
        if separator is not None:
            yield from _table(plain, lines, index, separator, context)


def _value_counts(plain: View) -> Iterator[Hit]:
    """Levels counted up line by line, each with an uneven count, as data-frame libraries print them."""
    for form in (LEVEL_LINE, LEVEL_ROW):
        run: list[re.Match[str]] = []
        for match in (*form.finditer(plain.lower), None):
            if match is not None and run and _follows(plain, run[-1], match):
                run.append(match)
                continue
            counts = [item.group("count").replace(",", "") for item in run]
            uneven = [
                count
                for count in counts
                if len(count) > 2 and not count.endswith("0") and not ITEM_OR_YEAR.match(count)
            ]
            if len(run) >= LEAST_LEVELS and len(uneven) >= 2:
                yield Hit("result-table", *plain.raw(run[0].start(), run[-1].end()), "a distribution of the output")
            run = [match] if match is not None else []


def _follows(plain: View, before: re.Match[str], match: re.Match[str]) -> bool:
    next_line = plain.line_of(match.start()) == plain.line_of(before.start()) + 1
    return next_line and int(match.group("level")) == int(before.group("level")) + 1


def _summaries(plain: View) -> Iterator[Hit]:
    """Count, mean, deviation and quartiles below each other, as data-frame libraries print them."""
    found: list[re.Match[str]] = []
    for match in SUMMARY_LINE.finditer(plain.lower) if "std" in plain.lower or "25%" in plain.lower else ():
        if found and plain.line_of(match.start()) - plain.line_of(found[-1].start()) > 2:
            found = []
        found = [*found[1 - SUMMARY_LINES :], match]
        labels = {item.group("label").replace(" ", "") for item in found}
        if (len(labels) == SUMMARY_LABELS and labels & {"std", "25%", "75%"}) or labels == {"count", "mean", "std"}:
            yield Hit("result-table", *plain.raw(found[0].start(), match.end()), "summary statistics")


def _table(plain: View, lines: list[str], index: int, separator: str, context: LintContext) -> Iterator[Hit]:
    header = _cells(lines[index], separator)
    kind = _kind(header, context)
    if kind is None:
        return
    rows = _numeric_rows(lines, index + 1, separator, len(header))
    if kind == "output":
        message, enough = "numbers under the columns of the output", len(rows) >= 1
    elif kind == "expected":
        message = "a count of the expected output"
        enough = len(rows) > 1 and all(len(re.sub(r"\D", "", cells[1])) > 2 for _, cells in rows)
    else:
        level = next(position for position, name in enumerate(header) if not COUNTED.fullmatch(name))
        message = "a distribution of the output"
        enough = len(rows) >= MIN_LEVELS and all(LEVEL.fullmatch(cells[level]) for _, cells in rows)
    if enough:
        last = rows[-1][0]
        span = plain.raw(plain.line_starts[index], plain.line_starts[last] + len(lines[last]))
        yield Hit("result-table", *span, message, "warning" if kind == "plain" else None)


def _moments(plain: View, context: LintContext) -> Iterator[Hit]:
    """Tables with a row per output column, and its mean or spread."""
    lines = plain.lower.split("\n")
    # A line is split once, however many of its cells name a mean.
    for index in dict.fromkeys(plain.line_of(match.start()) for match in MEAN_CELL.finditer(plain.lower)):
        separator = next((sign for sign in SEPARATORS if sign in lines[index]), None)
        header = _cells(lines[index], separator) if separator is not None else []
        if separator is not None and len(header) > 1 and header[0] in COLUMN_HEADS:
            yield from _moment_rows(plain, lines, index, separator, len(header), context)


def _moment_rows(
    plain: View, lines: list[str], index: int, separator: str, width: int, context: LintContext
) -> Iterator[Hit]:
    for row in range(index + 1, min(index + 40, len(lines))):
        cells = _cells(lines[row], separator)
        if (
            len(cells) == width
            and _is_output(cells[0], context)
            and plain.text[plain.line_starts[row] :].lstrip(" |`*>").startswith(cells[0])
            and FIGURE.fullmatch(cells[1])
            and cells[1]
        ):
            start = plain.line_starts[row]
            yield Hit("result-table", *plain.raw(start, start + len(lines[row])), "figures of a column of the output")
            return


def _cells(line: str, separator: str) -> list[str]:
    line = line.strip(" >\t" if separator != "\t" else " >")
    return [cell.strip(" \"'`*") for cell in (line.strip("|") if separator == "|" else line).split(separator)]


def _is_output(name: str, context: LintContext) -> bool:
    return name in context.columns or name in PUBLISHED_ANSWERS


def _kind(header: list[str], context: LintContext) -> str | None:
    """``output``: nothing but output columns; ``coded``: a column and its counts; ``plain``: the same in words."""
    if len(header) >= MIN_COLUMNS and all(name in context.columns for name in header):
        return "output"
    if len(header) >= MIN_COLUMNS and any("_" in name and name in context.columns for name in header):
        return "output"
    if len(header) >= MIN_COLUMNS and any(map(HOUR.fullmatch, header)) and any(map(ANSWER_COLUMN.match, header)):
        return "output"
    if len(header) == 2 and header[1] in {"expected", "reference", "correct", "target"}:
        return "expected"
    if any(SAID_COLUMN.fullmatch(name) for name in header) and len(header) <= 4:
        return "output"
    counts = [name for name in header if COUNTED.fullmatch(name)]
    levels = [name for name in header if name and not COUNTED.fullmatch(name)]
    if not counts or len(levels) != 1 or len(header) > 4:
        return None
    name = levels[0]
    if _is_output(name, context) or re.fullmatch(r"[a-z]\w*_\w+", name):
        return "coded"
    return "plain" if re.fullmatch(r"(?:[\w-]+\s+)?(?:stage|score|points|class)", name) else None


def _numeric_rows(lines: list[str], first: int, separator: str, width: int) -> list[tuple[int, list[str]]]:
    rows: list[tuple[int, list[str]]] = []
    for index in range(first, min(first + 60, len(lines))):
        text = lines[index]
        if not text.strip(RULER) and text.strip():
            continue
        cells = _cells(text, separator)
        if len(cells) != width or not any(cells) or not all(FIGURE.fullmatch(cell) for cell in cells):
            break
        rows.append((index, cells))
    return rows


RULES = (
    Rule(
        "result-figures",
        "results",
        "error",
        "A count, mean or distribution of the expected output lets a run tune its answer until the figure fits.",
        "Leave the figure out. A published figure may be cited with its source.",
        refused=texts(
            "The reference output has 73,181 rows.",
            "In the expected result 41 % of stays reach stage 1.",
            "The correct answer has a mean of 4.87.",
            "Score 0: 1203 stays, score 1: 5410 stays, score 2: 8120 stays.",
        ),
        accepted=texts(
            "Expected output: one row per stay and hour; 24 rows per day.",
            "The dataset holds 94,458 ICU stays; in the derivation study mortality was 20 % at 7–9 points.",
            "Reference range 4000–11000/µL; results are compared with a tolerance of 0.01.",
        ),
    ),
    Rule(
        "result-table",
        "results",
        "error",
        "A table of the output's columns with numbers under it is a piece of the answer.",
        "Describe each column in words: meaning, unit, range.",
        refused=texts(
            "| aki_stage | count |\n|---|---|\n| 0 | 41,234 |\n| 1 | 9,821 |\n| 2 | 14,210 |",
            "sofa_24hours,n_stays\n0,1203\n1,5410\n2,8120",
        ),
        accepted=texts(
            "| Points | Published mortality (%) |\n|---|---|\n| 0 | 3 |\n| 1 | 7 |\n| 2 | 20 |",
            "| aki_stage | meaning |\n|---|---|\n| 1 | mild |\n| 2 | moderate |\n| 3 | severe |",
            "| age_score | count from (years) |\n|---|---|\n| 0 | 18 |\n| 1 | 50 |\n| 2 | 60 |",
        ),
    ),
)

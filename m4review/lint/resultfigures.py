"""Figures of the output in running text: distributions, shares, moments of a column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from m4review.lint.context import LintContext
from m4review.lint.pattern import Pattern
from m4review.lint.resultdensity import dense_paragraphs
from m4review.lint.resultsayings import SAID, TOLD
from m4review.lint.resulttables import LEAST_LEVELS, is_output
from m4review.lint.rule import Hit
from m4review.lint.views import View

OUTPUT = (
    r"\b(?:(?:expected|correct|right|true|hidden|oracle|your|gold(?:[ -]standard)?)\s+"
    r"(?:(?!urine|urinary|cardiac|stoma|drain|fluid|lab|test|culture)[a-z][\w-]*\s+)?|"
    r"reference\s+(?:quer(?:y|ies)(?:'s)?\s+|sql\s+|task\s+|solution(?:'s)?\s+)?)"
    r"(?:outputs?|answers?|results?|tables?|files?|csv|distributions?|counts?|solution|query)\b|"
    r"\b(?:the|this)\s+(?:solution|final\s+(?:file|table|output))\b|\banswer\s+key\b"
)
UNIT = (
    r"(?:icu\s+|hospital\s+|distinct\s+|unique\s+|[a-z]+\s+)?(?:rows?|stays?|lines|records|patients|admissions|hours)"
)
QUANTITY = (
    rf"(?:\d{{1,3}}(?:[,' ]\d{{3}})+|\d{{3,}})\s+{UNIT}\b|\d+(?:\.\d+)?\s*%\s*of\s+(?:all\s+|the\s+)?{UNIT}\b|"
    r"\b(?:mean|median|average|sd|standard deviation|maximum|total|sum)\b[^.\n]{0,24}?\s\d+(?:,\d{3})*(?:\.\d+)?"
    r"(?![\d.,]*\d|\s*(?:mm|m[lg]\b|m[lg]/|kg|[µμu]g|mcg|cm\b|g/|mmol|/|l/|°|bpm|h\b|hours?\b|min|iu\b|points?\b))"
)
OUTPUT_WORDS = (
    "expected",
    "correct",
    "right",
    "true",
    "hidden",
    "oracle",
    "your",
    "gold",
    "reference",
    "the",
    "this",
    "answer",
)
NEAR = 160
OF_OUTPUT = Pattern(OUTPUT)
FIGURES = Pattern(QUANTITY)
LEVEL_COUNT = (
    r"(?:\b[a-z]\w{0,20}\s{1,3}(?:=\s{1,3})?)?\b\d{1,2}\s*(?:[:=→]|for|in|has|had)\s*"
    r"(?:\d{1,3}(?:[,' ]\d{3})+|\d{2,})\s+(?:icu\s+)?(?:stays|rows)\b"
)
COUNTED_LEVEL = Pattern(
    r"\b\d{1,2}\s*(?:[:=→]|for|in|has|had)\s*(?:\d{1,3}(?:[,' ]\d{3})+|\d{2,})\s+(?:icu\s+)?(?:stays|rows)\b"
)
SERIES = Pattern(rf"{LEVEL_COUNT}(?:[,;\s|-]+(?:and\s+)?{LEVEL_COUNT}){{2,}}")
AT_LEVEL = (
    r"\d\d{0,2}(?:[,' ]\d{3})+\s+(?:icu\s+)?(?:(?:stays|rows|patients)\s+)?(?:at|with|in|have|had|reach(?:ed)?|"
    r"scored?)\s+(?:a\s+)?(?:score\s+|stage\s+|class\s+|level\s+)?(?:of\s+)?\d{1,2}\b(?!\.?\d|\s*%)"
)
COUNTS_AT = Pattern(rf"{AT_LEVEL}(?:[,;]?\s+(?:and\s+)?{AT_LEVEL}){{2,}}")
"""Counts with the level behind them."""
COUNT_AT_LEVEL = Pattern(
    r"\d{3}\s+(?:icu\s+)?(?:(?:stays|rows|patients)\s+)?(?:at|with|in|have|had|reach(?:ed)?|scored?)\s"
)
"""The end of a count in thousands with its level behind it."""
TO_COUNT = r"\b\d{1,2}\s*(?:→|->|=>|:|=)\s*(?:\d{1,3}(?:[,' ]\d{3})+|\d{4,7})\b"
ARROWS = Pattern(rf"{TO_COUNT}(?:\s?[,;·|/]?\s+(?:and\s+)?{TO_COUNT}){{2,}}")
OF_STAYS = Pattern(r"\b(?:stays|rows|records|output|answer|sanity|done|expect\w{0,3})\b")
SHARE = (
    r"(?:(?:stage|score|grade|class|level|points?)\s+)?\b\d{1,2}\s*(?:[:=(]|in|was|is|at|has|for|makes?|takes?|gets?|covers?)?\s*"
    r"\d{1,2}(?:\.\d+)?\s*%(?:\s+of\s+(?:the\s+)?(?:icu\s+)?(?:stays|rows|patients))?\)?"
)
SHARE_OF_LEVEL = Pattern(
    r"\b\d{1,2}\s*(?:[:=(]|in|was|is|at|has|for|makes?|takes?|gets?|covers?)?\s*\d{1,2}(?:\.\d+)?\s*%"
)
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
OF_LEVELS = Pattern(
    r"\bdistributions?\s+of\b|\b(?:stays|rows)\s{1,3}\(\d[\d.]{0,5}\s?%|%\s+of\s+(?:all\s+|the\s+)?(?:icu\s+)?(?:stays|rows)\b"
)
OF_THE_OUTPUT = Pattern(
    r"\b(?:of|in)\s+(?:the|your)\s+(?:reference|expected|correct|hidden|output|answer|oracle|ground)\b|"
    r"\b(?:expected|reference|correct|hidden)\s+(?:outputs?|answers?|results?|distribution|shares)\b|"
    r"\b(?:in|of|from)\s+our\s+(?:table|output|results?|run|answer)\b"
)
DICTIONARY = Pattern(r"\{\s*[\"']?\d{1,2}[\"']?\s*:\s*\d{2,}(?:\s*,\s*[\"']?\d{1,2}[\"']?\s*:\s*\d{2,}){2,}")
"""Counts by level as a program prints them."""
MOMENTS = Pattern(
    r"(?<!\w)(?P<column>\w{1,60})(?!\w)[\"'`]?[\s:=(]{1,4}(?:mean|avg|median|average)[\s:=]{1,4}\d{1,9}\.\d{1,9}[^\w\n]{1,4}"
    r"(?:std|sd|min|max|median|iqr|q1|p25|n)[\s:=]{1,4}\d"
)
MEAN_GIVEN = Pattern(r"(?:mean|avg|median|average)[\s:=]{1,4}\d{1,9}\.\d")
MOMENT_SAID = Pattern(
    r"\b(?:mean|avg|median|average|sd|std|stddev)[ _](?:of\s+)?[\"'`]?(?P<column>[a-z]\w*)[\"'`]?\s{0,3}[=:≈]\s{0,3}\d"
)
VALUES = Pattern(r"\w{1,60}[\"'`]?\s?[:=]\s?\[?(?P<values>-?\d{1,3}(?:\s?,\s?-?\d{1,3}){5,40})(?![\d.])")
"""Values one after the other; a list of the possible ones would ascend."""
MOMENT_OF = Pattern(
    r"\b(?:mean|avg|median|average|sd|std|stddev)\s*\(\s*[\"'`]?(?P<column>[a-z]\w*)[\"'`]?\s*\)\s*[=:≈]\s*\d"
)
LEVEL_OF_COUNT = Pattern(
    r"\b(?:\d{1,3}(?:[,' ]\d{3})+|\d{4,6})\s+(?:of\s+(?:them|these|all|the\s+stays)\s+|stays\s+|rows\s+|patients\s+|"
    r"icu\s+stays\s+)?(?:had|have|has|got|get|with|reached|"
    r"scored)\s+(?:an?\s+)?(?:score\s+|stage\s+|total\s+|value\s+|sofa\s+)?(?:of\s+)?\d{1,2}\b(?![.,:]?\d|\s*(?:%|"
    r"[<>≤≥]|or\s|points?\s+(?:or|in)))"
)
LEVELS_LISTED = Pattern(
    r"\b(?:value_counts|counts?|distribution|frequenc\w{1,3}|hist(?:ogram)?)\b[^\n\d]{0,40}\b\d{1,2}[\s=:]{1,4}\d{3,6}"
    r"(?:[\s,;]{1,4}\d{1,2}[\s=:]{1,4}\d{3,6}){2,}\b"
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


UNPUBLISHED: tuple[tuple[Pattern, tuple[str, ...], str], ...] = (
    (QUANTILES_OF, ("quantile", "quartile", "percentile"), "a distribution of the output"),
    (SHARE_OF, ("share", "proportion", "fraction", "percentage"), "a share of the output"),
    (LEVELS_IN_BRACKETS, (), "a distribution of the output"),
    (LEVEL_OF_COUNT, (), "a count of one level of the output"),
    *TOLD,
)
"""(pattern, literals of which one opens each match, or none where a number does, message): figures without a source."""
LISTS = ("value_count", "count", "distribution", "frequenc", "hist")
MEANS = ("mean", "avg", "median", "average", "sd", "std")


def check_figures(plain: View, context: LintContext) -> Iterator[Hit]:
    """Figures of the expected output that a text states."""
    for start, end in dense_paragraphs(plain):
        if not _is_published(plain.lower, start + 1):
            yield Hit("result-figures", *plain.raw(start, end), "a paragraph of figures of an output")
    for match, message in (*_stated(plain), *_distributions(plain), *_unpublished(plain), *_of_columns(plain, context)):
        yield Hit("result-figures", *plain.raw(*match.span()), message)


def _stated(plain: View) -> Iterator[tuple[re.Match[str], str]]:
    """Figures that are said to be those of the expected output."""
    lower = plain.lower
    for stated in OF_OUTPUT.matches_at(lower, plain.places(OUTPUT_WORDS)):
        reach = lower.find("\n\n", stated.end(), stated.end() + NEAR)
        figure = FIGURES.search(lower, stated.end(), reach if reach >= 0 else stated.end() + NEAR)
        if figure is not None:
            yield figure, "a figure of the expected output"
    for pattern, starts, message in SAID:
        for match in pattern.matches_at(lower, plain.places(starts)):
            yield match, message


def _distributions(plain: View) -> Iterator[tuple[re.Match[str], str]]:
    """Levels with their counts or shares, in running text or as a program prints them."""
    lower = plain.lower
    distributions = (
        (SERIES.finditer(lower) if _at_numbers(plain, COUNTED_LEVEL) else (), None),
        (DICTIONARY.finditer(lower) if "{" in lower else (), None),
        (LEVELS_LISTED.matches_at(lower, plain.places(LISTS)), None),
        (COUNTS_AT.finditer(lower) if _at_numbers(plain, COUNT_AT_LEVEL) else (), OF_STAYS),
        (ARROWS.matches_at(lower, plain.numbers), OF_STAYS),
        (SHARES.finditer(lower) if "%" in lower and _at_numbers(plain, SHARE_OF_LEVEL) else (), OF_THE_OUTPUT),
    )
    for matches, needed in distributions:
        for match in matches:
            near = max(0, match.start() - NEAR), match.end() + NEAR
            if (
                needed is None
                or needed.search(lower, *near)
                or (OF_LEVELS.search(lower, *near) and not _is_published(lower, match.start()))
            ):
                yield match, "a distribution of the output"


def _unpublished(plain: View) -> Iterator[tuple[re.Match[str], str]]:
    """Figures of stays beside which no publication stands."""
    for pattern, starts, message in UNPUBLISHED:
        for match in pattern.matches_at(plain.lower, plain.places(starts) if starts else plain.numbers):
            if not _is_published(plain.lower, match.start()):
                yield match, message


def _of_columns(plain: View, context: LintContext) -> Iterator[tuple[re.Match[str], str]]:
    """Means and deviations of what is called like a column."""
    matches = (
        *(MOMENTS.finditer(plain.lower) if any(MEAN_GIVEN.matches_at(plain.lower, plain.places(MEANS[:4]))) else ()),
        *MOMENT_OF.matches_at(plain.lower, plain.places(MEANS)),
    )
    for match in matches:
        if "_" in match.group("column") or is_output(match.group("column"), context):
            yield match, "a figure of a column of the output"
    named = [name for name in plain.words if is_output(name, context)]
    for match in VALUES.matches_at(plain.lower, sorted(place for name in named for place in plain.words[name])):
        values = [int(value) for value in match.group("values").split(",")]
        if sorted(values) not in (values, values[::-1]):
            yield match, "values of a column of the output"
    for match in MOMENT_SAID.matches_at(plain.lower, plain.places(MEANS)):
        if is_output(match.group("column"), context) and not _is_published(plain.lower, match.start()):
            yield match, "a figure of a column of the output"


def _is_published(lower: str, place: int) -> bool:
    """Whether a source stands in the paragraph around ``place``."""
    start = lower.rfind("\n\n", max(0, place - 1000), place)
    end = lower.find("\n\n", place, place + 1000)
    around = lower[max(start, place - 1000, 0) : end if end >= 0 else place + 1000]
    return PUBLISHED.search(around) is not None


def _at_numbers(plain: View, level: Pattern) -> bool:
    """Whether the text holds as many levels of this form as a distribution has at least."""
    return len(list(islice(level.matches_at(plain.lower, plain.numbers), LEAST_LEVELS))) == LEAST_LEVELS

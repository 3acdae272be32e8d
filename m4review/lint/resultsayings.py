"""Sentences that state a figure of the expected output."""

from __future__ import annotations

from m4review.lint.pattern import Pattern

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
            r"\byour\s+(?:mean|median|average|row\s+count|count\s+of\s+(?:[a-z]+\s+){0,2}(?:stays|rows|patients|cases)|"
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
        Pattern(r"\banswer\s+key\b[^.\n]{0,60}?\d+(?:\.\d+)?\s*%"),
        ("answer",),
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

SOME = r"(?:[1-9]\d{0,2}(?:[,'_ ]\d{3})+|\d{3,})"
MADE_BY = r"(?:implementation|quer(?:y|ies)|script|solution|code|run|pipeline|notebook|program|version)"
COUNTED_THINGS = r"(?:icu\s+|distinct\s+|unique\s+)?(?:rows|stays|lines|records)"
TOLD = (
    (
        Pattern(
            rf"(?:it\s+worked|sanity\s+check|you\s+are\s+(?:right|done)|(?:works?|is\s+right|is\s+correct)\s+if)\b[^\n]{{0,80}}?"
            rf"(?:{SOME}\s+{COUNTED_THINGS}\b|\d(?:[\d.]{{0,5}}\d)?\s*%\s+of\s+(?:all\s+|the\s+)?{COUNTED_THINGS}\b)"
        ),
        ("it", "sanity", "you", "work", "is"),
        "a figure that tells whether the output is right",
    ),
    (
        Pattern(
            rf"{MADE_BY}\s+(?:gives?|gave|returns?|returned|yields?|yielded|prints?|printed|produces?|produced|"
            rf"ends?\s+(?:up\s+)?with|arrives?\s+at|finds?|found)\b[^.\n]{{0,60}}?(?:{SOME}\s+{COUNTED_THINGS}\b|"
            r"(?:mean|median|average)\s+(?:of\s+)?(?:[a-z]\w*\s+)?(?:of\s+|is\s+|=\s*)?\d)"
        ),
        ("implementation", "quer", "script", "solution", "code", "run", "pipeline", "notebook", "program", "version"),
        "a figure of what a query or program gives",
    ),
    (
        Pattern(
            r"\bshape\s{0,3}[:=]?\s{0,3}\(\s?\d[\d_]{2,9}\s?,\s?\d{1,3}\s?\)|\bshape\[0\]\s?==\s?\d{3}|"
            r"\blen\(\w{1,40}\)\s?==\s?\d{3}|\bcount\s{1,12}\d{2,9}\.0+\b"
        ),
        ("shape", "len", "count"),
        "the size of the output",
    ),
    (
        Pattern(rf"\b(?:total|distinct|unique|number\s+of)\s+{COUNTED_THINGS}\s*[:=]\s*{SOME}\b"),
        ("total", "distinct", "unique", "number"),
        "a count of the output",
    ),
    (
        Pattern(
            r"\b(?:first|second|third|last|top)\s+(?:\w+\s+)?(?:stay|row|patient)s?\s+(?:of|in)\s+the\s+(?:dataset|data|"
            r"database|table|output|results?|file)\b[^.\n]{0,60}?\d"
        ),
        ("first", "second", "third", "last", "top"),
        "values of one row of the output",
    ),
    (
        Pattern(
            r"\bcount\W{1,30}\d[\d.,]{0,12}\W{1,30}mean\W{1,30}\d[\d.,]{0,12}\W{1,30}(?:std|sd)\W{1,30}\d|"
            r"\bmean\W{1,30}\d[\d.,]{0,12}\W{1,30}(?:std|sd)\W{1,30}\d[\d.,]{0,12}\W{1,30}min\W{1,30}\d"
        ),
        ("count", "mean"),
        "summary statistics",
    ),
    (
        Pattern(
            rf"{SOME}\s+(?:{COUNTED_THINGS}\s+(?:remain|survive|(?:are|were)\s+(?:left|kept|dropped|lost))\b|"
            r"(?:zeros|zeroes|nulls|nans|non-?nulls?)\b)"
        ),
        (),
        "a count of the output",
    ),
    (
        Pattern(
            r"\byou\s+(?:will\s+|should\s+)?(?:get|see|obtain|end\s+up\s+with)\s+(?:about\s+|exactly\s+)?\d[\d,]{1,9}\s+"
            rf"{COUNTED_THINGS}\b(?!\s+(?:per|for\s+(?:each|every)|a|each|every)\b)"
        ),
        ("you",),
        "a count of the output",
    ),
    (
        Pattern(
            r"(?:count|stays|rows|hist|freq|dist)\w{0,30}\s?[:=]\s?[\[({]\s?\d{2,6}(?:\s?,\s?\d{2,6}){2,20}\s?[\])}]"
        ),
        ("count", "stays", "rows", "hist", "freq", "dist"),
        "a distribution of the output",
    ),
    (
        Pattern(rf"\brow\s+(?:number|count)s?\b[^.\n\d]{{0,20}}{SOME}\b"),
        ("row",),
        "a count of the output",
    ),
    (
        Pattern(
            r"\b(?:quartiles|quantiles|percentiles)\s+of\b[^.\n\d]{0,40}:\s?-?\d[\d.]{0,6}(?:\s?[/,;|]\s?-?\d[\d.]{0,6}){2}"
        ),
        ("quartiles", "quantiles", "percentiles"),
        "a distribution of the output",
    ),
    (
        Pattern(
            r"\d{1,3},\d{3}\s?(?:/|of|out\s+of)\s?\d{1,3},\d{3}\b(?!,\d|\s+(?:patients|adults|children|admissions))"
        ),
        (),
        "a share of the output",
    ),
)
"""The same, where no source of the figure stands beside it; without literals a number opens each match."""

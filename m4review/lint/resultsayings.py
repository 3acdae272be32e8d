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

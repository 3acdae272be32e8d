"""Signals of MATLAB and Octave, and of spreadsheets: functions that work on whole tables and ranges."""

from __future__ import annotations

from m4review.lint.rule import words
from m4review.lint.signals import Signal, at, leading

TABLE_FUNCTIONS = words(
    "readtable findgroups splitapply groupsummary accumarray varfun rowfun retime writetable readmatrix table2array "
    "array2table fillmissing sortrows grpstats unstack joindata parquetread sqlread"
)
SHEET_FUNCTIONS = words(
    "maxifs minifs sumifs countifs averageifs sumif countif averageif vlookup hlookup xlookup sumproduct arrayformula "
    "iferror aggregate xmatch"
)

SIGNALS = (
    Signal("matlab loop", ("for",), leading(r"for[ \t]+\w+[ \t]*=[ \t]*\w+[ \t]*:[ \t]*[\w(]", 4.0), 0.5),
    Signal("matlab table", TABLE_FUNCTIONS, at(r"\w+\s*\(\s*[\w'\"@]", 3.0), 0.6),
    Signal("matlab handle", ("max", "min", "mean", "sum", "median", "numel"), at(r"(?<=@)\w+\s*[,)]", 2.0), 0.5),
    Signal("matlab end", ("end",), leading(r"end[ \t]*;?[ \t]*(?:\n|\Z)", 0.5), 0.5),
    Signal(
        "matlab branch",
        ("if", "while"),
        leading(r"(?:if|while)[ \t]+[\w.(]+[ \t]*(?:[<>]=?|==|~=)[^\n]{0,120}\n", 1.0),
        0.5,
    ),
    Signal(
        "sheet function",
        SHEET_FUNCTIONS,
        at(r"\w+\s*\(\s*(?:\w+!)?\$?[a-z]{1,3}(?:\$?\d{0,7})?\s*(?::|,)", 4.0),
        0.5,
    ),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    (",:)", Signal("matlab rows", (), at(r",:\)", 2.5), 0.5)),
    (", :)", Signal("matlab rows", (), at(r", :\)", 2.5), 0.5)),
    ("=query(", Signal("sheet formula", (), at(r"=query\(\s*\w+", 4.0), 0.5)),
    ("=filter(", Signal("sheet formula", (), at(r"=filter\(\s*\w+", 4.0), 0.5)),
    (
        "table.",
        Signal(
            "power query",
            (),
            at(r"table\.(?:group|selectrows|addcolumn|nestedjoin|join|sort|renamecolumns|transformcolumns)\s*\(", 4.0),
            0.5,
        ),
    ),
    ("=if(", Signal("sheet formula", (), at(r"=if\(\s*\$?[a-z]{1,3}\$?\d", 4.0), 0.5)),
)

"""Signals that most languages share: comparisons with two signs, returns, branches, blocks, and functions by name."""

from __future__ import annotations

import re

from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, leading

OPERAND = r"[\w.'\"\[\]$]{1,40}"

SIGNALS = (
    Signal(
        "return",
        ("return",),
        at(r"return\s+(?:-?\d[\d.]*|[\w.]{1,40})\s*(?:;|\}|\n[ \t]*(?:end|els?e?if|\}))", 1.75),
        0.8,
    ),
    Signal("branch word", ("elsif", "elseif", "endif"), at(r"(?:els?e?if|endif)\b", 2.0), 0.5),
    Signal("branch word", ("end",), at(r"end\s+(?:if|loop|function)\s*;", 2.5), 0.5),
    Signal("assignment", ("then",), at(r"then\s+\w+\s*:?=\s*[\w.'\"]{1,40}\s*;", 2.25), 0.8),
    Signal(
        "function",
        ("function", "fn", "func", "procedure"),
        at(r"\w+\s+\w+\s*\([^()\n]{0,200}\)\s*(?:->\s*[\w<>\[\]&]{1,30}\s*)?[\w<>]{0,12}\s*(?:\{|:)", 3.5),
        0.5,
    ),
    Signal("module entry", ("if",), at(r"if\s+__name__\s*==", 4.0), 0.5),
    Signal("case label", ("case",), leading(r"case[ \t]+[\w|'\" ]{1,40}:[ \t]+\w+[ \t]*=", 2.25), 0.9),
    Signal("range loop", ("for",), at(r"for\s+\w+\s*(?:,\s*\w+\s*)?:=\s*range\b", 4.0), 0.5),
    Signal("items", ("items",), after(r"\w\.", r"items\(\)", 2.0), 0.5),
    Signal(
        "one of two",
        ("if",),
        at(r"if\s+\[?[a-z]\w*\]?\s*[<>=]=?\s*[\d.]+\s+then\s+[\d.'\"]+(?=\s+else\s*(?:if\b|\s[\d'\"]))", 2.5),
        0.8,
    ),
    Signal(
        "one of two",
        ("if",),
        at(r"if\s+\(?[a-z]\w*\s*[<>=]=?\s*[\d.]+\)?\s*\{\s*(?:return\s+)?[\d.'\"]+;?\s*\}", 3.0),
        0.8,
    ),
    Signal(
        "table calculation",
        ("fixed", "include", "exclude"),
        after(r"\{\s?", r"\w+\s+\[?\w[\w ]{0,60}\]?(?:\s{0,4},\s{0,4}\[?\w{1,60}\]?){0,12}\s{0,4}:", 4.0),
        0.8,
    ),
    Signal("comparison between stops", words("ge gt le lt eq ne"), after(r"\w\s?\.", r"\w\w\.\s?[\w.'-]", 2.5), 0.8),
    Signal(
        "branch word",
        ("end",),
        at(r"end[ -](?:if|sub|function|loop|select|do|evaluate|perform)\b[ \t]*(?:[;.)]|\n|\Z)", 2.0),
        0.8,
    ),
    Signal("cobol", ("move",), at(r"move\s+\d+\s+to\s+[a-z][\w-]*", 2.25), 0.8),
    Signal("basic", ("sub",), leading(r"sub[ \t]+\w+\([^)\n]{0,80}\)[ \t]*(?:\n|\Z)", 2.5), 0.8),
    Signal("basic", ("dim",), leading(r"dim[ \t]+\w+[ \t]+as[ \t]+\w", 3.0), 0.8),
    Signal(
        "cells of a sheet",
        words("cells range sheets worksheets"),
        at(r"\w+\(\s*(?:\w{1,8}\s*,\s*\w{1,8}|\"[^\"\n]{1,20}\")\s*\)", 2.5),
        0.8,
    ),
    Signal(
        "definition with a guard",
        ("def", "defp"),
        at(r"defp?\s+\w+[!?]?\([^()\n]{0,60}\)\s*(?:when\b|=\s|do\b|,\s*do:)", 4.0),
        0.8,
    ),
    Signal(
        "decorated",
        ("class", "def"),
        after(r"@[\w.]{2,40}(?:\([^()\n]{0,60}\))?[ \t]*\n[ \t]*", r"\w+\s+\w+", 4.0, reach=110),
        0.8,
    ),
    Signal("algorithm", ("algorithmic", "algorithm"), after(r"\\(?:begin|end)\{", r"\w+", 4.0), 0.8),
    Signal(
        "algorithm",
        words("state for if gets endfor endif endwhile while return elsif"),
        after(r"\\", r"(?:state|gets|end(?:for|if|while))\b|(?:for|if|while|elsif)\{", 2.0),
        0.8,
    ),
    Signal("return", ("return",), after(r"if\s?\([^\n]{1,60}\)\s*", r"return\s?\([\w\"'(-]", 4.0, reach=80), 0.8),
    Signal("match", ("match",), at(r"match\s+[a-z]\w*\s+with\b", 2.5), 0.8),
    Signal("comparison in letters", ("if",), at(r"if\s*\(\s*\w+\s+(?:lt|le|gt|ge|eq|ne)\s+-?\d", 4.0), 0.8),
    Signal(
        "comparison in letters", words("lt gt ge eq ne"), after(r"[a-z]\w*\)?\s?[-.]?", r"\w\w\.?\s+-?\d", 2.0), 0.8
    ),
    Signal("choice by function", ("ifelse", "iif"), at(r"(?:ifelse|iif)\s*\(\s*\w", 3.0), 0.7),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    *(
        (
            mark,
            Signal(
                "rows assigned",
                (),
                after(
                    r"[\w)]\[[^\[\]\n]{0,60}[<>=]=?[^\[\]\n]{1,60}", rf"{re.escape(mark)}\s?[\w('\"-]", 4.0, reach=130
                ),
                0.6,
            ),
        )
        for mark in ("] =", "]=", "] <-", "]<-")
    ),
    *(
        (sign, Signal("array sign", (), at(re.escape(sign), 4.0), 0.5))
        for sign in ("⌈/", "⌊/", "⍴", "⍳", "⍋", "⍒", "⌽")
    ),
    ("=$", Signal("function by a sign", (), at(r"=\$[a-z]{1,10}\(", 4.0), 0.6)),
    ("<-", Signal("comprehension", (), after(r"\[[^\]\n]{1,40}\|[^\]\n]{0,40}", r"<-\s?\w", 4.0, reach=90), 0.6)),
    ("$", Signal("rule on a column", (), at(r"\$\w+\$\s*[<>=]=?\s*[\w.\"]+\s*=>\s*\S", 2.5), 0.8)),
    ("_ ->", Signal("last arm", (), after(r"[\s{,|]", r"_ -> \S", 3.0), 0.8)),
    ("] = ", Signal("several results", (), after(r"(?:^|\n)[ \t]*\[\w+(?:,\s*\w+)+", r"\] = \w+\(", 2.5), 0.6)),
    (" = ", Signal("field assigned", (), after(r"(?:^|\n)[ \t]*[a-z]\w*\.[a-z]\w*", r" = [\w(\[-]", 1.5), 0.6)),
    ("==", Signal("comparison", (), after(rf"{OPERAND}\s?", rf"==\s?{OPERAND}", 1.75), 0.7)),
    ("&&", Signal("both", (), after(r"[\w)]\s?", r"&&\s?[\w(!]", 1.5), 0.7)),
    (
        "&",
        Signal(
            "both",
            (),
            after(rf"(?:[<>]=?|[=!~]=)\s?{OPERAND}\)?\s?", rf"&\s?\(?[~!]?{OPERAND}\s?(?:[<>]=?|[=!~]=)", 2.5),
            0.6,
        ),
    ),
    ("{ |", Signal("block", (), at(r"\{ \|\w+(?:\s*,\s*\w+)*\|", 4.0), 0.5)),
    ("{|", Signal("block", (), at(r"\{\|\w+(?:\s*,\s*\w+)*\|", 4.0), 0.5)),
    (
        " for ",
        Signal(
            "comprehension", (), after(r"[{(\[]\s*\w+\s*:\s*[^{}\n]{1,30}", r" for \w+(?:\s*,\s*\w+)* in \w", 4.0), 0.5
        ),
    ),
)

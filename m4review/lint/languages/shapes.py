"""Shapes that programs of any language share: calls in calls, chains, bodies under a condition, elements of a loop.

Prose puts a blank before a bracket and a word after a full stop. Where neither is so, and brackets of two kinds meet,
a program is being written, whatever its library is called.
"""

from __future__ import annotations

from m4review.lint.pattern import Pattern
from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, leading

NAME = r"[a-z_]\w{1,30}"
LOOP = Pattern(r"for\s+(\w{1,30})(?:\s*,\s*(\w{1,30}))*\s+in\s+[\w({\[]")
LOOP_REACH = 120
"""How far before its ``for`` an expression may begin."""
BODY = r"(?:[\w.\[\]\"'$]{1,60}[ \t]*(?:[-+*/]?=|<-|:=)[ \t]*\S|return\b|continue\b|break\b|yield\b|[\w.]{1,60}\()"


def _weigh_element(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """``x.value for x in``, ``f(x) for x in``, ``x["value"] for x in``: the expression uses the loop's own name."""
    loop = LOOP.match(lower, position)
    if loop is None:
        return None
    name = loop.group(1)
    line = lower[max(0, position - LOOP_REACH) : position].rpartition("\n")[2]
    used = (f"{name}.", f"{name}[", f"({name})", f"({name},", f"{{{name}}}")
    for form in used:
        place = line.find(form)
        before = line[place - 1 : place]
        if place >= 0 and not before.isalnum() and line[place + len(form) : place + len(form) + 1].strip():
            return 4.0, loop.end()
        if place >= 0 and form[0] == "(" and before.isalnum():
            return 4.0, loop.end()
    return None


SIGNALS = (
    Signal("element of a loop", ("for",), _weigh_element, 0.5),
    Signal(
        "branch",
        ("if", "elif", "for", "while"),
        leading(rf"(?:if|elif|for|while)[ \t]+[^\n]{{1,120}}:[ \t]*\n[ \t>]+{BODY}", 2.0, prefix=r"[ \t>]*"),
        0.8,
    ),
    Signal("branch", ("else",), leading(rf"else[ \t]*:[ \t]*\n[ \t>]+{BODY}", 1.25, prefix=r"[ \t>]*"), 0.8),
    Signal("branch word", ("elif",), leading(r"elif[ \t]+[\w(]", 2.25), 0.5),
    Signal("no value", ("is",), at(r"is\s+not\s+none\b", 2.0), 0.5),
    Signal(
        "builtin",
        words("enumerate zip isinstance defaultdict sorted len range bisect_left bisect_right setdefault hasattr"),
        at(r"\w+\([\w\[({\"'~-]", 2.0),
        0.6,
    ),
    Signal("filled text", ("f",), at(r"f[\"'][^\"'\n]{0,80}\{[a-z_]", 2.5), 0.5),
    Signal(
        "sas step",
        ("data",),
        at(r"data[ \t]+[\w.]{1,60}[ \t]*;\s*(?:set|merge|infile|input)[ \t]+[\w.]{1,60}", 4.0),
        0.5,
    ),
    Signal("sas group", ("first", "last"), at(r"(?:first|last)\.\w{1,40}(?:[ \t]*=[ \t]*1)?[ \t]+then\b", 3.0), 0.5),
    Signal("sas end", ("run", "quit"), at(r"(?:run|quit)[ \t]*;", 1.25), 0.5),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    (").", Signal("chain", (), after(rf"{NAME}\([^()\n]{{0,60}}", r"\)\.(?=[a-z_]\w*\s?[(\[])", 2.25, reach=100), 0.7)),
    ("\n.", Signal("chain line", (), at(r"\n\.(?=[a-z_]\w*!?\()", 2.0), 0.8)),
    (" .", Signal("chain line", (), after(r"(?:^|\n)[ \t>|]*", r" \.(?=[a-z_]\w*!?\()", 2.0), 0.8)),
    ("\t.", Signal("chain line", (), after(r"(?:^|\n)[ \t>|]*", r"\t\.(?=[a-z_]\w*!?\()", 2.0), 0.8)),
    ("([", Signal("call of a list", (), after(NAME, r"\(\[(?=\s{0,40}[\w\"'])(?![^\]\n]{0,200}\]\()", 1.75), 0.7)),
    ("((", Signal("call of a pair", (), after(rf"\.{NAME}", r"\(\((?=\s*\w+,)", 2.25), 0.7)),
    ("({", Signal("call of a record", (), after(NAME, r"\(\{(?=\s*[\w\"'])", 2.0), 0.7)),
    ('("', Signal("call of a text", (), after(rf"[a-z]{NAME}", r"\(\"(?=[\w./ -]{1,40}\"\s*[,)])", 1.25), 0.6)),
    ("('", Signal("call of a text", (), after(rf"[a-z]{NAME}", r"\('(?=[\w./ -]{1,40}'\s*[,)])", 1.25), 0.6)),
    (")[", Signal("piece of a result", (), at(r"\)\[(?=\s*(?:-\d|:-?\d|\d+:|[\"']\w))", 2.0), 0.7)),
    ("+=", Signal("accumulation", (), after(r"[\w\])]\s?", r"\+=\s?[\w(\[.]", 1.75), 0.6)),
    ("})", Signal("closing brackets", (), after(r"[\w\"'\])]\s?", r"\}\)", 1.5), 0.5)),
    ('"])', Signal("closing brackets", (), at(r"\"\]\)", 1.5), 0.5)),
    ("'])", Signal("closing brackets", (), at(r"'\]\)", 1.5), 0.5)),
    ("(\n", Signal("call over lines", (), after(NAME, r"\(\n(?=[ \t>]*[\w\"'~!-])", 1.5), 0.6)),
    ("\n)", Signal("call over lines", (), at(r"\n\)(?=[ \t]*(?:\n|\Z|,|%>%|\.|\|>|;))", 1.25), 0.6)),
    (
        "=",
        Signal(
            "named argument",
            (),
            after(r"\w[(,]\s?[a-z_][\w.]{0,30}\s?", r"=\s?(?:true|false|none|null|na|\"|'|\[|c\()(?!\w)", 1.25),
            0.6,
        ),
    ),
)

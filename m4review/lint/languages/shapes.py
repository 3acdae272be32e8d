"""Shapes that programs of any language share: calls in calls, chains, bodies under a condition, elements of a loop.

Prose puts a blank before a bracket and a word after a full stop. Where neither is so, and brackets of two kinds meet,
a program is being written, whatever its library is called.
"""

from __future__ import annotations

from m4review.lint.pattern import Pattern
from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, leading

NAME = r"[a-z_]\w{1,30}"
MATHEMATICS = r"(?:ln|log|log2|log10|exp|sqrt|abs|max|min|sum|mean|avg|median|round|floor|ceil(?:ing)?|int|f|p|n|sd)"
"""Functions of formulas: with these alone, a call in a call is still method."""
LOOP = Pattern(r"for\s+\(?(\w{1,30}(?:\s*,\s*\w{1,30}){0,5})\)?\s+in\s+[\w({\[]")
LOOP_REACH = 120
"""How far before its ``for`` an expression may begin."""
OPENING = {")": "(", "]": "[", "}": "{"}
BRANCH = Pattern(
    r"(?:if|elif|for|while)[ \t]+(?P<condition>[^\n]{1,120}?):(?:[ \t]*\n[ \t>]+(?:return\b|continue\b|break\b|"
    r"yield\b|[\w.]{1,60}\(|[\w.\[\]\"'$]{1,60}[ \t]*(?:[-+*/]?=|<-|:=)[ \t]*\S)|"
    r"[ \t]+(?:return\b|[\w.\[\]\"'$]{1,60}[ \t]*(?:[-+*/]?=|<-)[ \t]*[\w\"'(\[-]))"
)
EQUAL_RULE = Pattern(
    r"(?:el)?if[ \t]+(?:not[ \t]+)?[a-z_][\w.\[\]\"']{0,40}(?:[ \t]*[=!]=|[ \t]+(?:not[ \t]+)?in\b|"
    r"[ \t]+is[ \t]+(?:not[ \t]+)?None\b)[ \t]*[^:\n]{1,80}:[ \t]*"
    r"(?:[a-z_][\w.\[\]\"']{0,40}[ \t]*[-+*/]?=[ \t]*\S|return\b|continue\b|break\b|[a-z_][\w.]{0,40}\()"
)
"""The same with a comparison of two signs or a member of a list, and any statement behind it."""
PLAIN_RULE = Pattern(
    r"(?:el)?if[ \t]+(?:[a-z_]\w*[ \t]*(?:[<>=]=|[<>])[ \t]*[\d.]+|[a-z_]\w*)(?:[ \t]+(?:and|"
    r"or)[ \t]+(?:not[ \t]+)?[a-z_]\w*"
    r"(?:[ \t]*(?:[<>=]=|[<>])[ \t]*[\d.]+)?){0,6}:[ \t]*[a-z_]\w*[ \t]*[-+]?=[ \t]*-?[\d.]+[ \t]*(?:\n|\Z)"
)
"""A condition on names in small letters, and nothing but an assignment behind it."""
COMPARED = Pattern(r"[<>=!]=|[<>]\s?[\w.'\"-]|\b(?:in|not|is)\s|[\w.]+\(")
DECLARED = "int integer float double long string str char bool boolean auto var let const final"


def _weigh_element(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """``x.value for x in``, ``f(x) for x in``, ``[a + b for a, b in``: the expression uses the loop's own names."""
    loop = LOOP.match(lower, position)
    if loop is None:
        return None
    names = {name.strip() for name in loop.group(1).split(",")}
    line = lower[max(0, position - LOOP_REACH) : position].rpartition("\n")[2]
    bracket = _unclosed(line)
    if bracket is not None:
        used = names.intersection(_words(line[bracket:]))
        tight = line[bracket] != "(" or line[max(0, bracket - 1) : bracket].strip() != ""
        if used and (tight or any(len(name) == 1 for name in used)):
            return 4.0, loop.end()
    for name in names:
        for form in (f"{name}.", f"{name}[", f"{{{name}}}"):
            place = line.find(form)
            if place >= 0 and not line[max(0, place - 1) : place].isalnum() and line[place + len(form) :][:1].strip():
                return 4.0, loop.end()
    return None


def _unclosed(line: str) -> int | None:
    """Where the innermost bracket opens that ``line`` leaves open."""
    closed: list[str] = []
    for place in range(len(line) - 1, -1, -1):
        sign = line[place]
        if sign in OPENING:
            closed.append(OPENING[sign])
        elif sign in "([{":
            if not closed:
                return place
            closed.pop()
    return None


def _words(piece: str) -> set[str]:
    return set("".join(sign if sign.isalnum() or sign == "_" else " " for sign in piece).split())


def _weigh_branch(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """A condition with a colon, and under it, indented, a statement. A capital opens a rule in words."""
    if lower[max(0, position - 60) : position].rpartition("\n")[2].strip(" \t>"):
        return None
    branch = BRANCH.match(lower, position)
    if branch is None:
        return None
    if PLAIN_RULE.match(text, position) or EQUAL_RULE.match(text, position):
        return 4.0, branch.end()
    exact = text[position].islower() and COMPARED.search(branch.group("condition")) is not None
    return (2.25 if exact else 2.0), branch.end()


NESTED = Pattern(rf"\((?!\s*{MATHEMATICS}\()[a-z_][\w.]{{1,30}}\((?=[\w\"'\[()])")
NESTED_MATHEMATICS = Pattern(rf"\({MATHEMATICS}\((?=[\w\"'\[(])")
OWNED = Pattern(r"\([a-z_]\w{0,30}[.$][a-z_]\w{1,30}\s?(?:[,)]|[<>=!]=|[<>])")
OUTER = Pattern(r"(?<![\w.])([a-z_][\w.]{1,30})\Z")
DOTTED = Pattern(r"[a-z]{2,20}\.[a-z]{2,20}\Z")
ARGUMENT = Pattern(r"\((?:[\w\"'\[({~)-]|\n)")
FORMULA = Pattern(rf"{MATHEMATICS}\Z")


def _weigh_nested(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """``as.numeric(difftime(``, ``write.csv(``: a call in a call (unless both are of formulas), or with a dot."""
    before = lower[max(0, position - 42) : position]
    if not before or not (before[-1].isalnum() or before[-1] == "_"):
        return None
    outer = OUTER.search(before)
    if outer is None:
        return None
    if NESTED.match(lower, position) or (
        not FORMULA.match(outer.group(1)) and NESTED_MATHEMATICS.match(lower, position)
    ):
        return 2.0, position + 1
    if OWNED.match(lower, position):
        return 2.25, position + 1
    if DOTTED.match(outer.group(1)) and ARGUMENT.match(lower, position):
        return 2.25, position + 1
    return None


SIGNALS = (
    Signal("element of a loop", ("for",), _weigh_element, 0.5),
    Signal("branch", ("if", "elif", "for", "while"), _weigh_branch, 0.8),
    Signal(
        "branch",
        ("else",),
        leading(r"else[ \t]*:[ \t]*\n[ \t>]+[\w.\[\]]{1,60}[ \t]*[-+*/=<(]", 1.25, prefix=r"[ \t>]*"),
        0.8,
    ),
    Signal("branch word", ("elif",), leading(r"elif[ \t]+[\w(]", 2.25), 0.5),
    Signal("no value", ("is",), at(r"is\s+not\s+none\b", 2.0), 0.5),
    Signal(
        "builtin",
        words("enumerate zip isinstance defaultdict sorted len range bisect_left bisect_right setdefault hasattr"),
        at(r"\w+\([\w\[({\"'~-]", 2.0),
        0.6,
    ),
    Signal(
        "declaration",
        words(DECLARED),
        leading(r"\w+[ \t]+[a-z_]\w*[ \t]*=[ \t]*[^=\n;]{1,80};", 3.0),
        0.8,
    ),
    Signal(
        "branch in brackets", ("if",), at(r"if[ \t]?\([^()\n]{1,80}\)[ \t]*\w+[ \t]*[-+]?=[^=\n;]{1,80};", 3.0), 0.8
    ),
    Signal("count loop", ("do",), at(r"do[ \t]+(?:over[ \t]+)?\w+[ \t]*=[ \t]*\w+[ \t]+to[ \t]+\w+[ \t]*;", 4.0), 0.5),
    Signal("loop", ("for",), at(r"for\s+\w+\s+in\s+[&\w][\w.]*(?:\([^()\n]{0,40}\))?\s*\{", 4.0), 0.5),
    Signal("declaration", ("let",), at(r"let\s+mut\s+\w", 4.0), 0.5),
    Signal(
        "prompt",
        words("sqlite mysql mariadb duckdb julia scala postgres psql mongo irb ghci"),
        leading(r"\w+(?:=#|[>#])[ \t]\S", 3.0),
        0.8,
    ),
    Signal(
        "declaration", ("int", "float", "bool"), leading(r"\w+[ \t]+[a-z_]\w*[ \t]*=[ \t]*[^=\n;]{1,80};", 4.0), 0.8
    ),
    Signal(
        "then",
        ("if",),
        leading(
            r"if[ \t]+[^\n;]{1,80}?[ \t]then[ \t]+[a-z_]\w*[ \t]*=[ \t]*[\w.'\"-]+[ \t]*;[ \t]*(?:\n|\Z)",
            4.0,
            prefix=r"[ \t>`]*",
        ),
        0.8,
    ),
    Signal("counted", ("for",), after(r"\w\(\s*\d+\s+", r"for\s+\w+\s+in\b", 4.0), 0.8),
    Signal("then", ("if",), at(r"if\s+[^\n;]{1,60}?\sthen\s+\w+\s*=\s*[\w.'\"-]+\s*;", 2.75), 0.8),
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
    *(
        (sign, Signal("text put together", (), after(r"[\w ][\"']\s?", r"\+\s?[\"'][\w ]", 2.25), 0.9))
        for sign in ('+"', "+'", '+ "', "+ '")
    ),
    (").", Signal("chain", (), after(rf"{NAME}\([^()\n]{{0,60}}", r"\)\.(?=[a-z_]\w*\s?[(\[])", 2.25, reach=100), 0.7)),
    ("\n.", Signal("chain line", (), at(r"\n\.(?=[a-z_]\w*!?\()", 2.0), 0.8)),
    (").", Signal("call on a bracket", (), at(r"\)\.(?=[a-z_]\w+\(\s*(?:\)|[\w\"'\[]))", 3.0), 0.7)),
    (" .", Signal("chain line", (), after(r"(?:^|\n)[ \t>|]*", r" \.(?=[a-z_]\w*!?\()", 2.0), 0.8)),
    ("\t.", Signal("chain line", (), after(r"(?:^|\n)[ \t>|]*", r"\t\.(?=[a-z_]\w*!?\()", 2.0), 0.8)),
    ("([", Signal("call of a list", (), after(NAME, r"\(\[(?=\s{0,40}[\w\"'])(?![^\]\n]{0,200}\]\()", 1.75), 0.7)),
    ("((", Signal("call of a pair", (), after(rf"\.{NAME}", r"\(\((?=\s*\w+,)", 2.25), 0.7)),
    ("(", Signal("call in a call", (), _weigh_nested, 0.7)),
    (
        "(",
        Signal(
            "condition first", (), after(NAME, r"\(\s*[a-z_][\w.]*\s?[<>=]=?\s?[\w.'\"-]+\s?,(?=\s?[\w'\"-])", 2.5), 0.7
        ),
    ),
    ("].", Signal("call on a piece", (), after(r"\w\[[^\[\]\n]{1,40}", r"\]\.(?=[a-z_]\w+\()", 2.5, reach=60), 0.7)),
    ("][", Signal("piece of a list", (), at(r"\]\[(?=[a-z_]\w*[.(])", 3.0), 0.6)),
    ("#(", Signal("lisp", (), after(r"[\s(]", r"#\([<>=+*/a-z]", 3.0), 0.6)),
    ("(:", Signal("lisp", (), after(r"[\s(]", r"\(:[a-z][\w-]*\s[\w%(]", 2.0), 0.6)),
    (">>>", Signal("prompt", (), leading(r">>>[ \t]\S", 3.0), 0.8)),
    (">>>", Signal("prompt", (), leading(r">>>[ \t][a-z_]\w*(?:\.\w|\[|\(|[ \t]*=)", 4.0), 0.8)),
    ("(def", Signal("lisp", (), at(r"\((?:defn|defun|def|define)\s+[\w(]", 4.0), 0.5)),
    ("(<", Signal("prefix comparison", (), at(r"\(<=?\s[a-z]\w*\s-?\d", 2.0), 0.8)),
    ("(>", Signal("prefix comparison", (), at(r"\(>=?\s[a-z]\w*\s-?\d", 2.0), 0.8)),
    ("({", Signal("call of a record", (), after(NAME, r"\(\{(?=\s*[\w\"'])", 2.25), 0.7)),
    ('("', Signal("call of a text", (), after(rf"[a-z]{NAME}", r"\(\"(?=[\w./ -]{1,40}\"\s*[,)])", 1.25), 0.6)),
    ("('", Signal("call of a text", (), after(rf"[a-z]{NAME}", r"\('(?=[\w./ -]{1,40}'\s*[,)])", 1.25), 0.6)),
    (
        "= {",
        Signal(
            "record", (), after(r"\w\s?", r"= \{\s*(?:\d+|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}')\s*:\s?[\w\"'(\[]", 4.0), 0.6
        ),
    ),
    *(
        (
            sign,
            Signal(
                "list assigned",
                (),
                after(
                    r"[a-z_]\w{0,30}", rf"{space}=\s?\[\s?(?:-?\d[\w.]*|\"[^\"\n]{{0,40}}\"|'[^'\n]{{0,40}}')\s?,", 2.25
                ),
                0.9,
            ),
        )
        for sign, space in (("=[", ""), (" = [", " "))
    ),
    ("}[", Signal("piece of a record", (), at(r"\}\[[a-z]\w*\s?[<>=\].]", 4.0), 0.6)),
    (")[", Signal("piece of a result", (), at(r"\)\[(?=\s*(?:-\d|:-?\d|\d+:|[\"']\w))", 2.0), 0.7)),
    ('{"', Signal("record", (), at(r"\{\"\w{1,40}\":\s", 1.5), 0.6)),
    ("{'", Signal("record", (), at(r"\{'\w{1,40}':\s", 1.5), 0.6)),
    (
        "<-",
        Signal(
            "assigned", (), after(r"(?:^|\n)[ \t>`|*-]{0,8}[a-z]\w{1,40}\s?", r"<-\s?[\w(\[-]", 1.75, reach=60), 0.6
        ),
    ),
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
            after(
                r"[a-z_][\w.]{2,30}\((?:[^()\n]{0,60}[(,]\s?)?[a-z_][\w.]{0,30}\s?",
                r"=\s?(?:[\w.]{1,40}\s?[,)(]|[\"'\[-])",
                1.75,
                reach=110,
            ),
            0.7,
        ),
    ),
)

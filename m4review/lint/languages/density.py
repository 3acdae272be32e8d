"""How densely one line is marked as code, whatever its language: calls, double signs, indexes, quoted words, braces.

No list of languages is complete. What all of them share is punctuation that prose and formulas do not have, close
together and of several kinds. A line is cut where English puts an article or an auxiliary verb; each piece is scored by
the marks it holds. One kind of mark alone says nothing: ``HGB, Na(S), INR(PT)`` has many brackets, a list of
charted values many quotation marks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from m4review.lint.pattern import Pattern
from m4review.lint.signals import REFUSED, Evidence
from m4review.lint.views import View

MATHEMATICS = (
    r"(?:ln|log|log2|log10|exp|sqrt|abs|max|min|sum|mean|avg|average|median|round|floor|ceil(?:ing)?|int|logit|age|"
    r"f|p|n|"
    r"sd|iqr|ci|r\d)"
)
"""Functions of formulas: calls of these weigh half."""

TELLING = Pattern(
    r"[\w\]]\((?:[\w.\"'$@\[{(:*-]|\))|\w\[[\w\"':$-]|[=!<>:+*/&|-]=|&&|\|\||<-|[←∈]|[=-]>|\|>|%>%|::|[{}]|;\s*$|"
    r"[(=,\[]\s?[\"']|\w\s\?\s|\$[a-z]|@[a-z]|\)\.|=\s?[A-Z]{2,12}\("
)
"""What a line must hold to be looked at."""
BREAK = Pattern(
    r"(?<![\w'\"_.(\[])(?:[Tt]he|of|an?|is|are|was|were|be|this|that|these|its|into|at|with|as|we|you|they|have|has|"
    r"had|"
    r"than|both|each|any|who|which|should|may|must|can|will)(?![\w'\"_(\[.=])|`+|\s\|\s"
)
"""Where a line is cut: words that stand in sentences and not between the operands of a program, and bars of a table."""
FORMULA_MARKUP = Pattern(r"\\[a-zA-Z]+")
"""LaTeX has braces and brackets of its own."""
LONGEST = 300
"""A piece is not read beyond this."""

Mark = tuple[str, float, Pattern]
"""A kind, what the first of its kind weighs in a piece (each further one weighs half, up to four), and how it looks."""

CODE_MARKS: tuple[Mark, ...] = (
    (
        "call",
        1.0,
        Pattern(
            rf"(?<![\w.])(?!{MATHEMATICS}\(|[A-Z]{{2,5}}\([A-Z]\d)[A-Za-z_][\w.:]*(?<![.:])[!?]?\((?:\)|"
            rf"[\"'$@\[{{(:]|-[A-Za-z]{{2}}|"
            r"[\w.$\"'%]+\s*(?:,\s*[\w\"'$@:{\[(.-]|[<>(\[+*&|!.]|->|=>)|[a-z_.]\w*\s?=[^<>]|"
            r"[a-z]\w*[_.]\w+\s*\))"
        ),
    ),
    ("compared", 1.25, Pattern(r"(?<![=<>!])(?:===?|!==?|=~|<>|~=|\.==)(?![=>])")),
    ("joined", 1.25, Pattern(r"&&|\|\|")),
    ("assigned", 1.25, Pattern(r":=|(?<=[\w\]])\s?(?:<-|←)\s?(?=[\w(\[{])|[-+*]=(?=\s?[\w(])")),
    ("piped", 1.5, Pattern(r"%>%|/@|#\w*\s?&(?=[\],)\s])|(?<!\w)\|>|<\$>|>>=")),
    ("arrow", 0.75, Pattern(r"(?<=[\w)_'\"\]}])\s?[-=]>\s?(?=[a-z\d({'\"\[:_])")),
    ("member", 0.75, Pattern(r"(?<=\w)::(?=\w)|\?\.|\)\.(?=[a-zA-Z_])|\]\.(?=[a-zA-Z_])")),
    (
        "index",
        1.0,
        Pattern(r"(?<=[\w)\]])\[(?:[\"':$@]|[a-z_]\w*[\].\[(,\s=<>!+-]|-\d|\d*:\d*\])(?![^\]\n]{0,200}\]\()"),
    ),
    ("brace", 0.75, Pattern(r"(?<![_^])\{(?![\d,\s]*\}|[A-Z]{2})|(?<=[\s;)])\}")),
    (
        "sigil",
        1.0,
        Pattern(
            r"(?<![\w$])\$[a-z_]\w*(?![\w$]*\$)|(?<![\w@.])@[a-z]\w+(?=[\s(.])|(?<=[\s(,\[{]):[a-z_]\w+(?![\w:])|"
            r"(?<![\w%])%[a-z]\w+%|(?<=[(,\s])~\s?[a-z.]\w*|(?<![\w#])#\("
        ),
    ),
    ("choice", 1.5, Pattern(r"[\w)]\s?\?\s?[\w'\"(-][^?:\n]{0,40}\s?:\s?[\w'\"(-]")),
    (
        "prefix",
        1.5,
        Pattern(
            r"\((?:[<>]=?|=|[-+*/])\s[a-z(][\w-]*[^)\n]{0,60}[\d)]\)|"
            r"\((?:and|or|not|if|cond|filter|map|reduce|let|setq|fn|lambda)\s\(|\((?:defn?|define|defun|setq)\s"
        ),
    ),
    (
        "keyword",
        0.6,
        Pattern(
            r"(?<![\w.-])(?:elif|elseif|elsif|endif|endfor|enddo|fi|esac|def|fn|func|var|val|const|let|lambda|"
            r"foreach|"
            r"printf?|println|echo|struct|nil|nan|self|return(?=\s+[\w({\[\"'-]+\s*(?:;|\Z|\}|if\b))|begin(?=\s*\Z)|"
            r"end(?=\s*[;)]|\s*\Z)|else(?=\s*[{:]|\s+if\s*\()|do(?=\s*\Z|:\s)|ELSEIF|ELSIF|ENDIF)(?![\w-])"
        ),
    ),
    (
        "branch",
        1.25,
        Pattern(
            r"\s*(?:[}|]\s*)?(?:if|elif|while|for|switch|case|match|when|unless|until|else\s?if)\b[^.\n]{1,80}"
            r"(?:(?:[:{]|\bthen|\bdo)\s*\Z|\bthen\s+\w[\w.\[\]$]*\s*(?::=|←|<-)\s*\S)"
        ),
    ),
    (
        "ladder",
        2.5,
        Pattern(
            r"[(\[][^\n]{0,80}?[<>=]\s?[\d.]+\s*[,;]\s*[\d.\"']+\s*[,;][^,;\n]{1,60}?[<>=]\s?[\d.]+\s*[,;]\s*[\d.\"']"
        ),
    ),
    ("sheet", 2.5, Pattern(r"(?:\A|[\s:\"])=[A-Z]{2,12}(?:\.[A-Z]{1,12})?\(")),
    ("list", 0.75, Pattern(r"[=(,]\s?\[\s?[-\d\"'\[(]")),
    (
        "counted condition",
        1.5,
        Pattern(r"\d\s?\*\s?\([^()\n]{1,40}[<>=]=?[^()\n]{1,40}\)|\([\w. ]{1,40}[<>=]=?\s?[\d.]+\)\s?[*+]\s?[\d(]"),
    ),
    (
        "argument",
        1.25,
        Pattern(
            r"\w\([^()\n]{0,60}?(?<=[(,\s])[a-z_.][\w.]*\s?=\s?(?:TRUE|FALSE|True|False|None|NULL|null|nil|[\"'\[]|"
            r"\d)"
        ),
    ),
)
"""Kinds that prose does not have."""

PROSE_MARKS: tuple[Mark, ...] = (
    ("call of a formula", 0.5, Pattern(rf"(?<![\w.]){MATHEMATICS}\((?=[a-z_]|\")")),
    (
        "quoted",
        0.75,
        Pattern(
            r"(?<=[,(=\[{:])\s?(?:\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')|(?:\"[^\"\n]{1,60}\"|"
            r"'[^'\n]{1,60}')(?=\s?[,)\]}:])"
        ),
    ),
    ("closed", 0.75, Pattern(r"(?<=[\w)\]}'\"]);\s*(?:\Z|\}|\\)|\)\s*[{:]\s*\Z|[)\]}]{2,}[;,]?\s*\Z|[)\]]\)")),
    ("cell", 0.5, Pattern(r"(?<![A-Za-z\d$])\$?[A-Z]{1,2}\$?\d{1,5}(?=\s?[:,;<>=)*/+-])")),
    ("constant", 0.75, Pattern(r"=\s?(?:TRUE|FALSE|True|False|None|NULL|null|true|false|nil)\b")),
    ("statements", 0.75, Pattern(r";\s+[a-z_]\w*\s*=\s*[\w(\[\"'-]")),
    ("set", 0.5, Pattern(r"\s*(?:[a-z]\w*\s+)?[a-z_][\w.$\[\]\"']*\s*=\s*[\w(\[{\"'$-]")),
    ("name", 0.2, Pattern(r"(?<!\w)[a-z]\w*_\w+|(?<![\w/.])[a-z]+[A-Z]\w+")),
    ("field", 0.4, Pattern(r"(?<![\w./@-])[a-z_]\w*\.[a-z_]\w*(?![\w./-]*[/@])(?!\.\s)")),
    ("limit", 0.3, Pattern(r"(?<=[\w)\]'\"])\s?[<>]=?\s?(?=[\w(\"'-])")),
)
"""Kinds that lists of values, formulas and scoring tables have as well: with each other alone they say nothing."""
AT_START = frozenset(("branch", "set"))

CERTAIN = 2.5
"""A piece of this score is code by itself."""
LIKELY = 2.0
POSSIBLE = 1.25
REMEMBERED = 1000
"""Longer lines are weighed anew each time: they are few, and would fill the memory."""
WEIGHTS = ((CERTAIN, REFUSED), (LIKELY, 2.25), (POSSIBLE, 1.0))


def marked_lines(plain: View) -> Iterator[Evidence]:
    """The pieces of lines that are marked as code, each a marker at its start that reaches to its end."""
    position = 0
    for line in plain.text.split("\n"):
        for start, end, weight in _marked(line) if len(line) <= REMEMBERED else _marked.__wrapped__(line):
            yield Evidence("marked line", weight, position + start, position + end, 0.8)
        position += len(line) + 1


@lru_cache(maxsize=2048)
def _marked(line: str) -> tuple[tuple[int, int, float], ...]:
    """The marked pieces of a line and their weights: a keystroke changes one line of those that were just weighed."""
    if not TELLING.search(line):
        return ()
    found = []
    for start, end in _pieces(line):
        weight = _weight(line[start:end])
        if weight:
            margin = len(line[start:end]) - len(line[start:end].lstrip(" \t>|*-"))
            found.append((start + margin, end, weight))
    return tuple(found)


def _pieces(line: str) -> Iterator[tuple[int, int]]:
    start = 0
    for cut in (*(match.span() for match in BREAK.finditer(line)), (len(line), len(line))):
        for first in range(start, cut[0], LONGEST):
            yield first, min(first + LONGEST, cut[0])
        start = cut[1]


def _weight(piece: str) -> float:
    score = _score(piece)
    return next((weight for least, weight in WEIGHTS if score >= least), 0.0)


def _score(piece: str) -> float:
    """The weight of all marks of ``piece``; zero where only the kinds of prose meet, or one kind stands alone."""
    if not TELLING.search(piece) or FORMULA_MARKUP.search(piece):
        return 0.0
    code, first = _counted(piece, CODE_MARKS)
    if not first:
        return 0.0
    prose, second = _counted(piece, PROSE_MARKS)
    return code + prose if first + second > 1 else 0.0


def _counted(piece: str, marks: tuple[Mark, ...]) -> tuple[float, int]:
    """The weight of the marks of a piece, and of how many kinds they are."""
    score, kinds = 0.0, 0
    for name, weight, pattern in marks:
        count = int(pattern.match(piece) is not None) if name in AT_START else sum(1 for _ in pattern.finditer(piece))
        if count:
            kinds += 1
            score += weight * (1 + 0.5 * min(count - 1, 4))
    return score, kinds

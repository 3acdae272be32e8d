"""A cell or sentence as tokens: known names, texts in backticks, numbers, signs and words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .terms import Value
from .wording import COMPARISONS, Unreadable, number, plain

MINUS = "\x05"
"""Stands for the minus sign between two operands, which a dash between two figures is not."""


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is name, span (text in backticks), number, sign, op, mark, word or end."""

    kind: str
    text: str


END = Token("end", "")

_TOKEN = re.compile(
    r"\s*(?:\x02(?P<name>\d+)\x02|\x03(?P<span>\d+)\x03|(?P<op><=|>=|<|>|=)"
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?![.,]?\d)"
    rf"|(?P<sign>[-+×·÷^{MINUS}]|/(?=\s|\())|(?P<mark>[(),;:])|(?P<word>[^\s(),;:<>=+×·÷^\x02\x03{MINUS}]+))"
)


def tokenize(text: str, names: Sequence[str]) -> list[Token]:
    """Read ``text`` with known ``names``; the longest name wins. What stands in backticks is no name here.

    Raises:
        Unreadable: something that is no token at all.
    """
    known = {plain(name): name for name in names}
    spans: list[str] = []

    def keep(match: re.Match[str]) -> str:
        spans.append(match.group(1))
        return f" \x03{len(spans) - 1}\x03 "

    sentence = re.sub(r"`([^`]+)`", keep, re.sub(r"[\x02\x03\x05]", "", text))
    sentence = re.sub(r"(?<=[\w)\]%°\x03])\s*−\s*", f" {MINUS} ", sentence)
    sentence = plain(sentence)
    shapes = sorted(known, key=len, reverse=True)
    for index, shape in enumerate(shapes):
        sentence = re.sub(rf"(?<![\w\x02\x03]){re.escape(shape)}(?![\w\x02\x03])", f" \x02{index}\x02 ", sentence)
    for phrase, sign in COMPARISONS:
        # "the modes below" is no comparison: a limit follows one.
        pattern = re.escape(phrase) if not phrase[0].isalpha() else rf"\b{re.escape(phrase)}(?=\s*[-\d\x02(])"
        sentence = re.sub(pattern, f" {sign} ", sentence)
    sentence = re.sub(r"(?<=\d)\s*-\s*(?=\d)", " to ", sentence)
    return list(_tokens(sentence.strip().rstrip("."), [known[shape] for shape in shapes], spans))


def _tokens(sentence: str, names: list[str], spans: list[str]) -> list[Token]:
    found: list[Token] = []
    position = 0
    while position < len(sentence):
        match = _TOKEN.match(sentence, position)
        if match is None or match.end() == position:
            if sentence[position:].strip():
                raise Unreadable(f"cannot read {_shown(sentence[position:])!r}")
            break
        kind = match.lastgroup or "word"
        text = match.group(kind)
        if kind == "name":
            text = names[int(text)]
        elif kind == "span":
            text = spans[int(text)]
        elif kind == "sign":
            text = {"×": "*", "·": "*", "÷": "/", MINUS: "-"}.get(text, text)
        found.append(Token(kind, text))
        position = match.end()
    return found


def _shown(text: str) -> str:
    return re.sub(r"[\x02\x03\x05]", "", text).strip()


DEEPEST = 20
"""Brackets inside brackets beyond this are refused."""

MINUTES = {"m": 1, "h": 60, "d": 1440}
"""Minutes of a unit of time, by its first letter."""

_STEP = re.compile(r"(?:minutes?|min|hours?|hrs?|h|days?|d)")
_NOT_A_UNIT = {"and", "or", "to", "missing", "else", "otherwise", "when", "if", "where", "rounded", "then", "up",
               "before", "after", "now", "is", "of", "in", "but", "from", "both"}  # fmt: skip


class TokenReader:
    """Takes tokens one by one."""

    def __init__(self, tokens: list[Token], subject: Value | None, columns: Sequence[str] = ()) -> None:
        self._tokens = tokens
        self._subject = subject
        self._columns = {plain(column): column for column in columns}
        self._next = 0
        self._depth = 0

    def end(self, kind: str) -> None:
        if self.peek().kind != "end":
            raise Unreadable(f"cannot read {self.peek().text!r} after a complete {kind}")

    def joint(self, word: str) -> bool:
        """Take ``or`` / ``, or`` / ``; or`` (the same with ``and``)."""
        ahead = self._next
        if self.peek(ahead).text in {",", ";"}:
            ahead += 1
        if self.peek(ahead) == Token("word", word):
            self._next = ahead + 1
            return True
        return False

    def duration(self) -> int:
        """``6 hours`` in minutes."""
        figure = number(self.advance().text)
        unit = self.advance().text
        if not _STEP.fullmatch(unit) or figure * MINUTES[unit[0]] != int(figure * MINUTES[unit[0]]):
            raise Unreadable(f"{figure} {unit} is not a duration in minutes, hours or days")
        return int(figure * MINUTES[unit[0]])

    def unit(self) -> str:
        words = []
        while self.peek().kind == "word" and self.peek().text not in _NOT_A_UNIT:
            words.append(self.advance().text)
        return " ".join(words)

    def is_word(self, *words: str) -> bool:
        return self.peek().kind == "word" and self.peek().text in words

    def word(self, *words: str) -> str:
        token = self.advance()
        if token.kind != "word" or token.text not in words:
            raise Unreadable(f"expected {' or '.join(map(repr, words))}, found {token.text!r}")
        return token.text

    def deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable("brackets nested too deeply")

    def column_of(self, token: Token) -> str:
        """The output column that a text in backticks is, or nothing."""
        return self._columns.get(plain(token.text), "") if token.kind == "span" else ""

    def take(self, kind: str, text: str) -> bool:
        """Take exactly this token, if it is next."""
        if self.peek() == Token(kind, text):
            self._next += 1
            return True
        return False

    def expect(self, kind: str, text: str | None = None) -> str:
        """The text of the next token, which must be of this kind."""
        token = self.advance()
        if token.kind != kind or (text is not None and token.text != text):
            raise Unreadable(f"expected a {kind}, found {token.text!r}" if token.text else f"a {kind} is missing")
        return token.text

    def peek(self, index: int | None = None) -> Token:
        """The next token, or the one at ``index``."""
        index = self._next if index is None else index
        return self._tokens[index] if index < len(self._tokens) else END

    def ahead(self, steps: int) -> Token:
        """The token ``steps`` after the next one."""
        return self.peek(self._next + steps)

    def advance(self) -> Token:
        """Take the next token."""
        token = self.peek()
        self._next += 1
        return token

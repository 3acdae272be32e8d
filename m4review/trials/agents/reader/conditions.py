"""Conditions as clinicians write them in a table cell: ``value < 20``, ``6.0 to < 12.0``, ``0 < dose ≤ 0.1``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from .wording import COMPARISONS, Unreadable, number, plain

Operator = Literal["<", "<=", ">", ">=", "="]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``name operator limit``; ``unit`` is the unit written beside the limit, or empty."""

    name: str
    operator: str
    limit: Decimal
    unit: str


@dataclass(frozen=True, slots=True)
class IsMissing:
    """All of ``names`` are missing; an empty tuple stands for all inputs of the component."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Otherwise:
    """Whatever no earlier line took."""


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[Condition, ...]


Condition = Comparison | IsMissing | Otherwise | AllOf | AnyOf

_OTHERWISE = {"otherwise", "else", "any other value", "all others", "everything else", "any other"}
_ALL_MISSING = re.compile(r"(?:all|both|all inputs|both inputs|every input)(?: are)? missing|missing|not measured")
_TOKEN = re.compile(
    r"\s*(?:(?P<name>\x02\d+\x03)|(?P<op><=|>=|<|>|=)|(?P<number>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?!\d|\.\d|,\d)"
    r"|(?P<mark>[(),;])|(?P<word>[^\s(),;<>=\x02]+))"
)


def parse_condition(text: str, names: Sequence[str], subject: str | None = None) -> Condition:
    """Read a condition over ``names``. ``subject`` is what a bare limit (``< 20``) is about.

    Raises:
        Unreadable: a word, name or number that cannot be read; nothing is guessed.
    """
    sentence = plain(text).rstrip(".")
    if sentence in _OTHERWISE:
        return Otherwise()
    if _ALL_MISSING.fullmatch(sentence):
        return IsMissing((subject,) if subject else ())
    known = sorted({plain(name): name for name in names}.items(), key=lambda item: -len(item[0]))
    for index, (shape, _) in enumerate(known):
        sentence = re.sub(rf"(?<![\w\x02]){re.escape(shape)}(?![\w\x03])", f"\x02{index}\x03", sentence)
    for phrase, sign in COMPARISONS:
        pattern = re.escape(phrase) if not phrase[0].isalpha() else rf"\b{re.escape(phrase)}\b"
        sentence = re.sub(pattern, f" {sign} ", sentence)
    sentence = re.sub(r"(?<=\d)\s*-\s*(?=\d)", " to ", sentence)
    order = [name for _, name in known]
    missing = _missing(sentence, order)
    if missing is not None:
        return missing
    return _Sentence(_tokens(sentence), order, subject).read()


def names_in(condition: Condition) -> tuple[str, ...]:
    """The names a condition speaks of, in order of appearance, each once."""
    found: dict[str, None] = {}
    stack: list[Condition] = [condition]
    while stack:
        part = stack.pop(0)
        if isinstance(part, Comparison):
            found[part.name] = None
        elif isinstance(part, IsMissing):
            found |= dict.fromkeys(part.names)
        elif isinstance(part, AllOf | AnyOf):
            stack = [*part.parts, *stack]
    return tuple(found)


def comparisons_in(condition: Condition) -> tuple[Comparison, ...]:
    """All comparisons of a condition."""
    if isinstance(condition, Comparison):
        return (condition,)
    if isinstance(condition, AllOf | AnyOf):
        return tuple(item for part in condition.parts for item in comparisons_in(part))
    return ()


def _missing(sentence: str, order: list[str]) -> IsMissing | None:
    """``A missing``, ``A and B both missing``, ``no A``, ``neither A nor B``."""
    name = r"(?:an?\s+)?\x02\d+\x03"
    listed = rf"{name}(?:(?:\s*,\s*(?:(?:and|nor|or)\s+)?|\s+(?:and|nor|or)\s+){name})*"
    match = re.fullmatch(rf"({listed})\s+(?:(?:is|are|both|all)\s+)*missing", sentence) or re.fullmatch(
        rf"(?:no|neither)\s+({listed})(?:\s+(?:in the window|measured))*", sentence
    )
    if match is None:
        return None
    return IsMissing(tuple(order[int(index)] for index in re.findall(r"\x02(\d+)\x03", match.group(1))))


def _tokens(sentence: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    position = 0
    while position < len(sentence):
        match = _TOKEN.match(sentence, position)
        if match is None or match.end() == position:
            if sentence[position:].strip():
                raise Unreadable(f"cannot read {_shown(sentence[position:])!r}")
            break
        kind = match.lastgroup or "word"
        tokens.append((kind, match.group(kind)))
        position = match.end()
    return tokens


def _shown(text: str) -> str:
    return re.sub(r"[\x02\x03]", "", text).strip()


class _Sentence:
    """Recursive descent over the tokens: or-lists of and-lists of comparisons."""

    def __init__(self, tokens: list[tuple[str, str]], names: list[str], subject: str | None) -> None:
        self._tokens = tokens
        self._names = names
        self._subject = subject
        self._next = 0
        self._depth = 0

    def read(self) -> Condition:
        condition = self._any()
        if self._next < len(self._tokens):
            raise Unreadable(f"cannot read {_shown(self._tokens[self._next][1])!r} after a complete condition")
        return condition

    def _any(self) -> Condition:
        self._depth += 1
        if self._depth > 20:
            raise Unreadable("brackets nested too deeply")
        parts = [self._all()]
        while self._take_joint("or"):
            parts.append(self._all())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self) -> Condition:
        parts = [self._atom()]
        while self._take_joint("and"):
            parts.append(self._atom())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _take_joint(self, word: str) -> bool:
        """Take ``or`` / ``, or`` / ``; or`` (the same with ``and``)."""
        ahead = self._next
        if self._peek(ahead) in {("mark", ","), ("mark", ";")}:
            ahead += 1
        if self._peek(ahead) == ("word", word):
            self._next = ahead + 1
            return True
        return False

    def _atom(self) -> Condition:
        while self._peek() in {("word", "either"), ("word", "the"), ("word", "a"), ("word", "an")}:
            self._next += 1
        if self._take("mark", "("):
            inner = self._any()
            if not self._take("mark", ")"):
                raise Unreadable("an opening bracket is not closed")
            return inner
        kind, text = self._peek()
        if kind == "number":
            following = self._peek(self._next + 1)[0]
            if following == "op" and self._peek(self._next + 2)[0] == "name":
                return self._sandwich()
            return self._limits()
        if kind == "name":
            self._next += 1
            self._subject = self._names[int(text[1:-1])]
            if self._take("word", "missing"):
                return IsMissing((self._subject,))
            for verb in ("is", "of", "from", "between"):
                self._take("word", verb)
            return self._limits()
        if kind == "op":
            return self._limits()
        raise Unreadable(f"cannot read {_shown(text)!r}" if text else "the condition ends too early")

    def _sandwich(self) -> Condition:
        """``0 < A ≤ 0.1``."""
        lower = number(self._advance()[1])
        first = self._advance()[1]
        name = self._names[int(self._advance()[1][1:-1])]
        kind, second = self._advance()
        if kind != "op" or first[0] != "<" or second[0] != "<":
            raise Unreadable("a value between two limits is written like '0 < A ≤ 1'")
        self._subject = name
        upper = self._number()
        unit = self._unit()
        return AllOf((Comparison(name, first.replace("<", ">"), lower, unit), Comparison(name, second, upper, unit)))

    def _limits(self) -> Condition:
        """``< 20``, ``6.0 to < 12.0``, ``13 to 14`` (both included unless a sign says otherwise)."""
        if self._subject is None:
            raise Unreadable("a limit without the input it is about")
        name = self._subject
        first = self._operator()
        lower = self._number()
        unit = self._unit()
        open_ended = {"more": ">=", "higher": ">=", "greater": ">=", "less": "<=", "lower": "<=", "fewer": "<="}
        if first is None and self._peek() == ("word", "or") and self._peek(self._next + 1)[1] in open_ended:
            self._next += 1
            return Comparison(name, open_ended[self._advance()[1]], lower, unit)
        if not self._take("word", "to"):
            if first is None:
                first = "="
            return Comparison(name, first, lower, unit)
        if first is not None and first[0] != ">":
            raise Unreadable("a range starts with its lower limit")
        second = self._operator() or "<="
        if second[0] != "<":
            raise Unreadable("a range ends with its upper limit")
        upper = self._number()
        unit = self._unit() or unit
        if upper < lower:
            raise Unreadable(f"the range runs backwards, from {lower} to {upper}")
        return AllOf((Comparison(name, first or ">=", lower, unit), Comparison(name, second, upper, unit)))

    def _operator(self) -> str | None:
        if self._peek()[0] != "op":
            return None
        return self._advance()[1]

    def _number(self) -> Decimal:
        kind, text = self._advance()
        if kind != "number":
            raise Unreadable(f"expected a number, found {_shown(text)!r}" if text else "a number is missing at the end")
        return number(text)

    def _unit(self) -> str:
        words = []
        while self._peek()[0] == "word" and self._peek()[1] not in {"and", "or", "to", "missing"}:
            words.append(self._advance()[1])
        return " ".join(words)

    def _take(self, kind: str, text: str) -> bool:
        if self._peek() == (kind, text):
            self._next += 1
            return True
        return False

    def _peek(self, index: int | None = None) -> tuple[str, str]:
        index = self._next if index is None else index
        return self._tokens[index] if index < len(self._tokens) else ("end", "")

    def _advance(self) -> tuple[str, str]:
        token = self._peek()
        self._next += 1
        return token

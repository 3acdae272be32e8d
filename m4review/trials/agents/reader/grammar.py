"""Reads conditions and values from a cell: ``A < 36.0 or A > 38.0``, ``100 × A ÷ B``, ``A, else 5``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from .lexicon import DEEPEST, Token, tokenize
from .terms import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Field,
    Figure,
    IsMissing,
    Name,
    Negation,
    Otherwise,
    SameAs,
    Text,
    TextTest,
    Value,
)
from .texttests import read_text_test, starts_test
from .values import ValueReader
from .wording import Unreadable, plain

_OTHERWISE = {"otherwise", "else", "any other value", "all others", "everything else", "any other", "all other cases",
              "all other situations", "in all other cases"}  # fmt: skip
_ALL_MISSING = re.compile(r"(?:all|both|all inputs|both inputs|every input)(?: are)? missing|missing|not measured")
_PRESENT = {"present", "charted", "measured", "recorded", "available", "known", "given"}
_OPEN_ENDED = {"more": ">=", "higher": ">=", "greater": ">=", "above": ">=", "less": "<=", "lower": "<=", "fewer": "<="}


def parse_condition(
    text: str, names: Sequence[str], subject: str | None = None, columns: Sequence[str] = ()
) -> Condition:
    """Read a condition over ``names`` and, in backticks, ``columns``. ``subject`` is what a bare limit (``< 20``) is
    about.

    Raises:
        Unreadable: a word, name or number that cannot be read; nothing is guessed.
    """
    sentence = plain(text).rstrip(".")
    if sentence in _OTHERWISE:
        return Otherwise()
    if _ALL_MISSING.fullmatch(sentence):
        return IsMissing((Name(subject),) if subject else ())
    return Sentence(tokenize(text, names), Name(subject) if subject else None, columns).condition()


def parse_value(text: str, names: Sequence[str], columns: Sequence[str] = ()) -> Value:
    """Read a value over ``names`` and, in backticks, ``columns``: a number, arithmetic, ``A, else B`` and the like.

    Raises:
        Unreadable: a word, name or number that cannot be read; nothing is guessed.
    """
    return Sentence(tokenize(text, names), None, columns).value()


class Sentence(ValueReader):
    """Recursive descent: or-lists of and-lists of tests."""

    def when(self) -> Condition:
        """A condition inside a value."""
        return self._any()

    def condition(self) -> Condition:
        """The whole text as one condition."""
        read = self._all_missing() or self._any()
        self.end("condition")
        return read

    def _all_missing(self) -> Condition | None:
        """``A and B both missing``, ``no A``, ``neither A nor B in the window``."""
        words = [token.text for token in self._tokens if token.kind == "word"]
        named = [token for token in self._tokens if token.kind == "name" or self.column_of(token)]
        others = [token for token in self._tokens if token not in named and token.kind != "word" and token.text != ","]
        listed = tuple(Name(self.column_of(token) or token.text) for token in named)
        filler = {
            "and",
            "or",
            "nor",
            "a",
            "an",
            "the",
            "is",
            "are",
            "all",
            "both",
            "in",
            "window",
            "measured",
            "charted",
        }
        if others or not listed or not words:
            return None
        ends = words[-1] == "missing" and set(words[:-1]) <= filler - {"or"} and words.count("missing") == 1
        starts = words[0] in {"no", "neither"} and set(words[1:]) <= filler
        if not (ends or starts) or (self._tokens[0].kind == "name" and starts):
            return None
        self._next = len(self._tokens)
        return IsMissing(listed)

    def _any(self) -> Condition:
        self.deeper()
        parts = [self._every()]
        while self.joint("or"):
            parts.append(self._every())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _every(self) -> Condition:
        parts = [self._atom()]
        while self.joint("and"):
            parts.append(self._atom())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _atom(self) -> Condition:
        while self.peek() in {Token("word", word) for word in ("either", "the", "a", "an", "both")}:
            self._next += 1
        if self.peek() == Token("mark", "("):
            return self._attempt(self._bracketed) or self._about(self.total())
        if self.take("word", "not"):
            if self.peek() != Token("mark", "("):
                raise Unreadable("'not' needs brackets around what it denies")
            return Negation(self._bracketed())
        if self.peek() in {Token("word", "yes"), Token("word", "no")} and self.peek(self._next + 1).kind != "name":
            answer = Decimal(self.advance().text == "yes")
            return Comparison(self._asked(), "=", Figure(answer))
        if self.take("word", "no"):
            return IsMissing((Name(self.expect("name")),))
        if self._subject is not None and self._bare_figure():
            return self._limits(self._subject)
        if self.peek().kind == "op":
            return self._limits(self._asked())
        same = self._same_as()
        if same is not None:
            return same
        if self.peek().kind == "span" and self._subject is not None and not starts_test(self.ahead(1)):
            return self._about(self._subject)
        if self.peek().kind == "end":
            raise Unreadable("the condition ends too early")
        return self._about(self.total())

    def _same_as(self) -> Condition | None:
        """```a` and `b` are those of an A``."""
        steps, columns = 0, []
        while self.ahead(steps).kind == "span":
            columns.append(self.ahead(steps).text)
            steps += 1
            while self.ahead(steps) in {Token("word", "and"), Token("mark", ",")}:
                steps += 1
        words = [self.ahead(steps + place).text for place in range(3)]
        if not columns or words[0] not in {"are", "is"} or words[1] not in {"those", "that"} or words[2] != "of":
            return None
        for _ in range(steps + 3):
            self.advance()
        while self.is_word("a", "an", "the"):
            self.advance()
        return SameAs(tuple(columns), self.expect("name"))

    def _bare_figure(self) -> bool:
        """Whether a figure stands next that is compared with the subject and with nothing that follows."""
        steps = 1 if self.peek() == Token("sign", "-") else 0
        return self.ahead(steps).kind == "number" and self.ahead(steps + 1).kind not in {"op", "sign"}

    def _asked(self) -> Value:
        if self._subject is None:
            raise Unreadable("a limit without the input it is about")
        return self._subject

    def _bracketed(self) -> Condition:
        self.expect("mark", "(")
        inner = self._any()
        if not self.take("mark", ")"):
            raise Unreadable("an opening bracket is not closed")
        return inner

    def _attempt(self, reading: Callable[[], Condition]) -> Condition | None:
        """What ``reading`` finds here; nothing, and no token taken, where it cannot read."""
        start, depth = self._next, self._depth
        try:
            return reading()
        except Unreadable:
            if self._depth > DEEPEST:
                raise
            self._next, self._depth = start, depth
            return None

    def _about(self, left: Value) -> Condition:
        if isinstance(left, Name | Field | Text):
            self._subject = left
        if isinstance(left, Figure):
            return self._sandwich(left)
        verbs = {Token("word", word) for word in ("is", "are", "was", "of", "from", "between")}
        test = read_text_test(self, left)
        if test is not None:
            return test
        while self.peek() in verbs:
            self._next += 1
        if self.take("word", "missing"):
            return IsMissing((left,))
        if self.take("word", "empty"):
            return AnyOf((IsMissing((left,)), TextTest(left, "is", ("",))))
        if self.take("word", "not"):
            if self.take("word", "missing"):
                return Negation(IsMissing((left,)))
            return Comparison(left, "!=", self.total())
        if self.peek().kind == "word" and self.peek().text in _PRESENT:
            self._next += 1
            return Negation(IsMissing((left,)))
        if self.peek() in {Token("word", "yes"), Token("word", "no")}:
            return Comparison(left, "=", Figure(Decimal(self.advance().text == "yes")))
        return self._limits(left)

    def _sandwich(self, lower: Figure) -> Condition:
        """``0 < A ≤ 0.1``."""
        first = self.expect("op")
        middle = self.total()
        second = self.expect("op")
        if first[0] != "<" or second[0] != "<":
            raise Unreadable("a value between two limits is written like '0 < A ≤ 1'")
        if isinstance(middle, Name):
            self._subject = middle
        upper = self.total()
        unit = upper.unit if isinstance(upper, Figure) else ""
        least = Comparison(middle, first.replace("<", ">"), Figure(lower.value, unit))
        return AllOf((least, Comparison(middle, second, upper)))

    def _limits(self, left: Value) -> Condition:
        """``< 20``, ``6.0 to < 12.0``, ``13 to 14`` (both included unless a sign says otherwise)."""
        first = self.advance().text if self.peek().kind == "op" else None
        lower = self.total()
        open_ended = self.peek(self._next + 1).text
        if first is None and self.peek() == Token("word", "or") and open_ended in _OPEN_ENDED:
            self._next += 2
            return Comparison(left, _OPEN_ENDED[open_ended], lower)
        if not self.take("word", "to"):
            return Comparison(left, first or "=", lower)
        if first is not None and first[0] != ">":
            raise Unreadable("a range starts with its lower limit")
        second = self.advance().text if self.peek().kind == "op" else "<="
        if second[0] != "<":
            raise Unreadable("a range ends with its upper limit")
        upper = self.total()
        if isinstance(lower, Figure) and isinstance(upper, Figure):
            if upper.value < lower.value:
                raise Unreadable(f"the range runs backwards, from {lower.value} to {upper.value}")
            lower = Figure(lower.value, lower.unit or upper.unit)
            upper = Figure(upper.value, upper.unit or lower.unit)
        return AllOf((Comparison(left, first or ">=", lower), Comparison(left, second, upper)))

"""Reads values: ``100 × A ÷ B``, ``A, else 5``, ``highest of A and B``, ``X when …, otherwise Y``."""

from __future__ import annotations

import re
from decimal import Decimal

from .lexicon import Token
from .terms import (
    Apply,
    Cases,
    Condition,
    Elapsed,
    Field,
    Figure,
    Holding,
    Name,
    Nothing,
    Previous,
    Rank,
    Text,
    Value,
)
from .timed import SPANS, TimedReader
from .wording import SUMMARIES, Unreadable, number

_PICKS = {"highest": "greatest", "larger": "greatest", "largest": "greatest", "greater": "greatest",
          "higher": "greatest", "lowest": "least", "smaller": "least", "smallest": "least", "lower": "least",
          "sum": "sum", "mean": "mean", "average": "mean"}  # fmt: skip
_FUNCTIONS = {"ln": "ln", "sqrt": "sqrt", "abs": "abs"}


class ValueReader(TimedReader):
    """Recursive descent: alternatives of sums of products of powers."""

    def when(self) -> Condition:
        """The condition behind ``when``; read by the reader of conditions."""
        raise NotImplementedError

    def value(self) -> Value:
        """The whole text as one value."""
        read = self.alternatives()
        self.end("value")
        return read

    def alternatives(self) -> Value:
        """``A, else B, else 5`` (the first that is present); ``X when …, otherwise Y`` (as the condition says)."""
        self.deeper()
        parts: list[Value] = []
        lines: list[tuple[Condition, Value]] = []
        joint = "else"
        while joint:
            part = self._previous_of(parts) or self._rounded(self.total())
            if self.take("word", "when") or self.take("word", "if"):
                self._subject = part if isinstance(part, Name | Field | Text) else None
                lines.append((self.when(), part))
                joint = self._else()
                if joint != "otherwise":
                    parts.append(Cases(tuple(lines), Nothing()))
                    lines = []
            else:
                parts.append(Cases(tuple(lines), part) if lines else part)
                lines = []
                joint = self._else()
        self._depth -= 1
        return parts[0] if len(parts) == 1 else Apply("else", tuple(parts))

    def _previous_of(self, parts: list[Value]) -> Value | None:
        """``A, else previous, else 6``: the same measure at the charting before."""
        if self.peek() != Token("word", "previous") or self.ahead(1).kind == "name":
            return None
        self._next += 1
        if not parts or not isinstance(parts[0], Name):
            raise Unreadable("'previous' without the measure it is about")
        return self.previous_limit(Previous(parts[0].name))

    def _else(self) -> str:
        """The joint taken, ``else`` or ``otherwise``, or nothing."""
        return next((word for word in ("else", "otherwise") if self.joint(word)), "")

    def _rounded(self, value: Value) -> Value:
        """``… rounded to 3 decimals, then (rounded) to 1 decimal``."""
        while True:
            start = self._next
            self.take("mark", ",")
            then = self.take("word", "then")
            if not (self.take("word", "rounded") or then):
                self._next = start
                return value
            self.word("to")
            digits = number(self.advance().text)
            named = self.take("word", "decimal") or self.take("word", "decimals")
            if (
                not (named or (then and isinstance(value, Apply) and value.operation.startswith("round")))
                or not 0 <= digits <= 9
                or digits != int(digits)
            ):
                raise Unreadable("rounding is written 'rounded to N decimals', N from 0 to 9")
            value = Apply(f"round {int(digits)}", (value,))

    def total(self) -> Value:
        left = self._product()
        while (self.peek().kind == "sign" and self.peek().text in "+-") or self.is_word("plus", "minus"):
            sign = {"plus": "+", "minus": "-"}.get(self.peek().text, self.peek().text)
            self._next += 1
            left = Apply(sign, (left, self._product()))
        return left

    def _product(self) -> Value:
        left = self._power()
        while (self.peek().kind == "sign" and self.peek().text in "*/") or self.is_word("times"):
            sign = "*" if self.peek().text == "times" else self.peek().text
            self._next += 1
            right = self._power()
            if sign == "/" and isinstance(right, Figure) and right.value == 0:
                raise Unreadable("a division by zero")
            left = Apply(sign, (left, right))
        return left

    def _power(self) -> Value:
        base = self._factor()
        if self.take("sign", "^"):
            return Apply("^", (base, self._factor()))
        return base

    def _factor(self) -> Value:
        self.deeper()
        try:
            return self._unwrapped()
        finally:
            self._depth -= 1

    def _unwrapped(self) -> Value:
        if self.take("sign", "-"):
            inner = self._factor()
            return Figure(-inner.value, inner.unit) if isinstance(inner, Figure) else Apply("neg", (inner,))
        if self.take("mark", "("):
            inner = self.alternatives()
            if not self.take("mark", ")"):
                raise Unreadable("an opening bracket is not closed")
            return inner
        token = self.peek()
        if token.kind == "number":
            self._next += 1
            return Figure(number(token.text), self.unit())
        if token.kind == "name":
            self._next += 1
            return self._named(token.text)
        if token.kind == "span":
            self._next += 1
            column = self.column_of(token)
            return self._named(column) if column else _span(token.text)
        if token.kind == "word":
            return self._worded()
        raise Unreadable(f"cannot read {token.text!r}" if token.text else "a number is missing at the end")

    def _named(self, name: str) -> Value:
        self.take("word", "now")
        start = self._next
        if self.take("word", "in") and self.take("word", "force"):
            while self.is_word("at", "that", "the", "time", "charting"):
                self.advance()
            return Holding(name, *self.ends())
        self._next = start
        behind = [("of", "at"), ("the",), ("previous",), ("charting",)]
        if all(self.is_word(*words) and self.advance() for words in behind):
            return self.previous_limit(Previous(name))
        self._next = start
        return Name(name)

    def _worded(self) -> Value:
        word = self.advance().text
        if word == "the":
            return self._factor()
        if word in {"yes", "no"}:
            return Figure(Decimal(word == "yes"))
        if word in {"missing", "empty", "nothing"}:
            return Nothing()
        if word == "previous":
            return self.previous_limit(Previous(self.expect("name")))
        if word in _FUNCTIONS:
            return Apply(_FUNCTIONS[word], (self._factor(),))
        if word == "number" and self.take("word", "within"):
            return self._rank()
        if word == "number" and self.take("word", "in"):
            return Apply("number", (self._factor(),))
        if word in {"year", "calendar"}:
            self.take("word", "year")
            self.word("of")
            return Apply("year", (self._factor(),))
        if word in {"minutes", "hours", "days"} and self.take("word", "from"):
            start = self._factor()
            self.word("to")
            return Elapsed(word, start, self._factor())
        if word in {"minutes", "hours", "days"} and self.take("word", "since"):
            return self.since(word)
        if word in _PICKS and not self._speaks_of_time() and self.take("word", "of"):
            return Apply(_PICKS[word], self._list())
        if word in SUMMARIES:
            self.take("word", "of")
            self.take("word", "the")
            return self.around(SUMMARIES[word])
        raise Unreadable(f"cannot read {word!r}")

    def _rank(self) -> Value:
        """``number within A in the order of B, C and D, missing first``."""
        within = self._factor()
        for words in ("in", "the", "order", "of"):
            self.word(words)
        keys = [self._factor()]
        while True:
            start = self._next
            taken = self.take("mark", ",")
            taken = self.take("word", "and") or taken
            if not taken or self.is_word("missing"):
                self._next = start
                break
            keys.append(self._factor())
        self.take("mark", ",")
        first = self.take("word", "missing") and self.word("first", "last") == "first"
        return Rank(within, tuple(keys), first)

    def _speaks_of_time(self) -> bool:
        """Whether ``of (the) A in …`` follows: a summary over time, not one of several values."""
        steps = 1
        while self.ahead(steps).text in {"the", "of"}:
            steps += 1
        return self.ahead(steps).kind == "name" and self.ahead(steps + 1).text in SPANS

    def _list(self) -> tuple[Value, ...]:
        """``A, B and C``; with semicolons each item may have its own ``else``."""
        self.take("mark", ":")
        depth, semicolons = 0, False
        for token in self._tokens[self._next :]:
            depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
            if depth < 0:
                break
            semicolons = semicolons or (depth == 0 and token.text == ";")
        items = [self.alternatives() if semicolons else self.total()]
        while True:
            start = self._next
            taken = self.take("mark", ";") if semicolons else self.take("mark", ",")
            taken = self.take("word", "and") or taken
            if not taken or self.peek() in {Token("word", "else"), Token("word", "otherwise")}:
                self._next = start
                return tuple(items)
            items.append(self.alternatives() if semicolons else self.total())


def _span(text: str) -> Value:
    """A text in backticks: ``table.column`` is a column; anything else is decided where it stands."""
    match = re.fullmatch(r"(?:\w+\.)?(\w+)\.(\w+)", text)
    return Field(match.group(1), match.group(2)) if match else Text(text)

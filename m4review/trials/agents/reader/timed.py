"""Reads what looks before or around the time of a value: ``less than 6 hours before``, ``in the 4 hours up to A``."""

from __future__ import annotations

from .lexicon import TokenReader
from .terms import Around, Previous, Since, Value
from .wording import Unreadable

SPANS = {"in", "within", "over"}
"""Words that begin a time over which values are summarised."""


class TimedReader(TokenReader):
    """The parts of a value that speak of other times."""

    def previous_limit(self, previous: Previous) -> Previous:
        """``… less than 6 hours before`` / ``at most 6 hours before``."""
        start = self._next
        self.take("mark", ",")
        if self.peek().kind != "op" or self.peek().text[0] != "<":
            self._next = start
            return previous
        included = self.advance().text == "<="
        minutes = self.duration()
        if not (self.take("word", "before") or self.take("word", "back") or self.take("word", "earlier")):
            raise Unreadable("how far the previous charting may lie back is written 'less than 6 hours before'")
        return Previous(previous.name, minutes, included)

    def since(self, unit: str) -> Value:
        """``hours since the previous charting`` / ``hours since the first A``."""
        self.take("word", "the")
        if self.take("word", "previous"):
            self.word("charting")
            return Since(unit)
        self.word("first")
        return Since(unit, self.expect("name"))

    def around(self, summary: str) -> Value:
        """``latest A in the 4 hours up to this time, both ends included``."""
        name = self.expect("name")
        for word in ("charted", "measured", "drawn", "recorded"):
            self.take("word", word)
        if not self.is_word(*SPANS):
            raise Unreadable(f"over which time {name!r} is summarised is not said")
        self.advance()
        self.take("word", "the")
        minutes = self.duration()
        after = self.take("word", "after")
        if not after and not self.take("word", "before"):
            self.word("up")
            self.word("to")
        while self.peek().kind in {"word", "name"} and self.peek().text not in {"start", "end", "both"}:
            self._next += 1
        ends = self.ends()
        return Around(summary, name, *((0, minutes) if after else (-minutes, 0)), *ends)

    def ends(self) -> tuple[bool, bool]:
        self.take("mark", ",")
        if self.take("word", "both"):
            self.take("word", "ends")
            included = self.word("included", "excluded") == "included"
            return included, included
        said: dict[str, bool] = {}
        while len(said) < 2 and self.peek().text in {"start", "end"}:
            side = self.advance().text
            said[side] = self.word("included", "excluded") == "included"
            self.take("mark", ",")
        if not said:
            raise Unreadable("it is not said whether both ends of the time belong to it")
        if len(said) == 1 and next(iter(said.values())):
            raise Unreadable("it is not said whether both ends of the time belong to it")
        return said.get("start", True), said.get("end", True)

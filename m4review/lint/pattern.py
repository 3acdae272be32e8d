"""A regular expression that is compiled when it is first used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property


class Pattern:
    """What ``re.compile`` gives, only later: most patterns never meet their text, and a hook must start fast."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self.flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.source, self.flags)

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.match

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.fullmatch

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.search

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self._compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[str]]:
        return self._compiled.findall

    @cached_property
    def split(self) -> Callable[..., list[str]]:
        return self._compiled.split

    @cached_property
    def sub(self) -> Callable[..., str]:
        return self._compiled.sub

    def matches_at(self, text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
        """What :meth:`finditer` gives, when every match begins at one of the ``places`` (ascending)."""
        done = 0
        for place in places:
            if place >= done and (match := self.match(text, place)) is not None:
                yield match
                done = match.end()

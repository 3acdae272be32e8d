"""What the cells of a source map name: items, a value column, an identifier."""

from __future__ import annotations

import re

from .conversions import VALUE
from .wording import Unreadable, code_spans, exact_spans, plain, says_nothing


def items_of(text: str) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...], str, str]:
    """``11 (label); 12 (label), text in `value``` -> ids, texts of the item, value column, what it holds.

    Raises:
        Unreadable: no item, or one that cannot be read.
    """
    column, kind = "", ""
    match = re.search(r"[,;]?\s*(text|number|result)?\s*(?:in|from) `([^`]+)`", text)
    if match:
        column = match.group(2).strip()
        kind = {"text": "text", "number": "number"}.get(match.group(1) or "", VALUE)
        text = text[: match.start()] + text[match.end() :]
    if plain(text).startswith("every row") or plain(text) in {"every entry", "all rows"}:
        return (), (), column, kind
    if exact_spans(text):
        parts = re.split(r"`\s*(?:;|\bor\b|,)\s*(?=`)", text)
        texts = tuple(tuple(exact_spans(part if part.endswith("`") else part + "`")) for part in parts)
        return (), texts, column, kind
    items: list[int] = []
    for part in re.split(r"[;,]|\band\b", plain(_without_brackets(text))):
        head = re.match(r"\s*(\d{1,12})(?![\w.])", part)
        if head:
            items.append(int(head.group(1)))
        elif re.search(r"\d", part):
            raise Unreadable(f"cannot read the item {part.strip()!r}")
    if not items:
        raise Unreadable("the row names no item id")
    return tuple(dict.fromkeys(items)), (), column, kind


def _without_brackets(text: str) -> str:
    kept, depth = [], 0
    for character in text:
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(character)
    return "".join(kept)


def identifier(text: str) -> str:
    """The name a cell gives: its first code span, else its whole text when that is one word."""
    spans = code_spans(text)
    if spans:
        return spans[0]
    bare = text.strip()
    return bare if re.fullmatch(r"[\w.]+", bare) and not says_nothing(bare) else ""

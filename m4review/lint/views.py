"""Readings of one text: as typed, without disguise, and without layout. Every offset leads back to the raw text.

``plain`` undoes what hides text from a reader of the source: HTML entities, Markdown escapes, inline tags,
zero-width and other invisible characters, compatibility forms (full-width letters), and letters of other scripts
that look Latin. ``flow`` is ``plain`` without quoting and line prefixes, so that a statement reads the same in a
fence, a list, a quotation, a table cell or a comment.
"""

from __future__ import annotations

import html
import re
import unicodedata
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

INVISIBLE = frozenset(
    map(chr, (0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0))
) | frozenset(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070))))
"""Characters without a shape of their own, bidi controls included; tag characters and variation selectors apart."""

LOOKALIKES = dict(
    zip(
        "АВЕЅІЈКМНОРСТХУаеѕіјорсухԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧοѵ",
        "ABESIJKMHOPCTXYaesijopcyxdqwhABEZHIKMNOPTYXov",
        strict=True,
    )
)
"""Cyrillic and Greek letters drawn like a Latin one."""

ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
TAG = re.compile(
    r"</?(?:[bisu]|em|strong|span|code|wbr|font|mark|small|sub|sup|tt|kbd|samp|var|a)(?:\s[^<>]{0,200})?/?>", re.I
)
UNUSUAL = re.compile(r"[^\x00-\x7f]")
MIXED_WORD = re.compile(r"\w*(?:[A-Za-z][Ѐ-ӿԀ-ԯͰ-Ͽ]|[Ѐ-ӿԀ-ԯͰ-Ͽ][A-Za-z])\w*")
PREFIX = re.compile(
    r"^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,3}[.)](?=[ \t])|#{1,6}(?=[ \t'])|//+|--+(?![->|])|\|(?=[^|>])|%%?(?=[ \t])|<!--))+",
    re.M,
)
QUOTING = re.compile(r"[\"`]+|(?<=\s)/\*+|\*+/|(?<=[^|\n])\|(?=\s)|-->|\*\*")


@dataclass(frozen=True)
class View:
    """A reading of a text. ``offsets[i]`` is the raw position of character ``i``; ``None`` means: the same."""

    text: str
    offsets: array[int] | None = None
    anchor: tuple[int, int] | None = None
    """For decoded content: the raw span that was decoded; every place in this view points there."""
    label: str = ""
    """What this view was made of, for the message: ``base64``, ``a link target`` …; empty for the text itself."""

    @cached_property
    def lower(self) -> str:
        """The text in lower case with the same length."""
        lowered = self.text.lower()
        if len(lowered) != len(self.text):
            lowered = "".join(low if len(low := c.lower()) == 1 else c for c in self.text)
        return lowered

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line of this view."""
        return line_starts(self.text)

    def line_of(self, offset: int) -> int:
        """0-based line of an offset of this view."""
        return bisect_right(self.line_starts, offset) - 1

    def raw(self, start: int, end: int) -> tuple[int, int]:
        """The raw span behind ``[start, end)`` of this view."""
        if self.anchor is not None:
            return self.anchor
        if self.offsets is None:
            return start, end
        if not self.offsets:
            return 0, 0
        last = len(self.offsets) - 1
        return self.offsets[min(start, last)], self.offsets[min(max(end - 1, start), last)] + 1


def line_starts(text: str) -> list[int]:
    """Offset of the first character of each line."""
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def plain_view(text: str, anchor: tuple[int, int] | None = None, label: str = "") -> View:
    """``text`` without disguise."""
    if not ("&" in text or "\\" in text or "<" in text or UNUSUAL.search(text)):
        return View(text, None, anchor, label)
    skip: dict[int, int] = {}
    instead: dict[int, str] = {}
    for match in ENTITY.finditer(text) if "&" in text else ():
        decoded = html.unescape(match.group())
        if decoded != match.group():
            skip[match.start()] = match.end()
            instead[match.start()] = decoded
    for match in ESCAPE.finditer(text) if "\\" in text else ():
        skip[match.start()] = match.end()
    for match in TAG.finditer(text) if "<" in text else ():
        skip[match.start()] = match.end()
    characters: list[str] = []
    offsets = array("l")
    position = 0
    for point in (*sorted(skip), len(text)):
        if point < position:
            continue
        _append(text, position, point, characters, offsets)
        if point == len(text):
            break
        for character in instead.get(point, ""):
            shown = _visible(character)
            characters.extend(shown)
            offsets.extend([point] * len(shown))
        position = skip[point]
    return View(_unmix("".join(characters)), offsets, anchor, label)


def _append(text: str, start: int, end: int, characters: list[str], offsets: array[int]) -> None:
    position = start
    for match in UNUSUAL.finditer(text, start, end):
        at = match.start()
        characters.extend(text[position:at])
        offsets.extend(range(position, at))
        shown = _visible(text[at])
        characters.extend(shown)
        offsets.extend([at] * len(shown))
        position = at + 1
    characters.extend(text[position:end])
    offsets.extend(range(position, end))


def _visible(character: str) -> str:
    if character < "\x80":
        return character
    if character in INVISIBLE or "\ufe00" <= character <= "\ufe0f":
        return ""
    if "\U000e0020" <= character <= "\U000e007e":
        return chr(ord(character) - 0xE0000)
    if "\U000e0000" <= character <= "\U000e01ef":
        return ""
    if character in "\u2028\u2029\x85":
        return "\n"
    return unicodedata.normalize("NFKC", character)


def _unmix(text: str) -> str:
    """Latin letters for look-alikes in words that mix scripts."""
    if text.isascii():
        return text
    return MIXED_WORD.sub(lambda match: "".join(LOOKALIKES.get(c, c) for c in match.group()), text)


def flow_view(plain: View) -> View:
    """``plain`` without line prefixes (blanked) and quoting characters (removed)."""
    text = PREFIX.sub(lambda match: " " * (match.end() - match.start()), plain.text)
    kept: list[str] = []
    offsets = array("l")
    position = 0
    for match in QUOTING.finditer(text):
        kept.append(text[position : match.start()])
        offsets.extend(range(position, match.start()))
        if match.group()[0] not in '"`':
            kept.append(" ")
            offsets.append(match.start())
        position = match.end()
    if not kept:
        return View(text, plain.offsets, plain.anchor, plain.label)
    kept.append(text[position:])
    offsets.extend(range(position, len(text)))
    if plain.offsets is not None:
        source = plain.offsets
        offsets = array("l", (source[offset] for offset in offsets))
    return View("".join(kept), offsets, plain.anchor, plain.label)

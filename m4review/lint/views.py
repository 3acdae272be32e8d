"""Readings of one text: as typed, without disguise, and without layout. Every offset leads back to the raw text.

``plain`` undoes what hides text from a reader of the source: HTML entities, Markdown escapes, inline tags,
zero-width and other invisible characters, compatibility forms (full-width letters), and letters of other scripts
that look Latin. ``flow`` is ``plain`` without quoting and line prefixes, so that a statement reads the same in a
fence, a list, a quotation, a table cell or a comment.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from operator import add

from m4review.lint.pattern import Pattern

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

ENTITY = Pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
ESCAPE = Pattern(r"\\(?=[!-/:-@\[-`{-~])")
TAG = Pattern(
    r"</?(?:[bisu]|em|strong|span|code|wbr|font|mark|small|sub|sup|tt|kbd|samp|var|a)(?:\s[^<>]{0,200})?/?>", re.I
)
CELL_TAG = Pattern(r"</?(?:t[rdh]|table|thead|tbody)(?:\s[^<>]{0,200})?>", re.I)
"""Tags of an HTML table: shown as the lines and bars of the same table in Markdown."""
SHORT = 2000
"""Up to so many characters a text is searched as quickly as the list of its words."""
LONGEST_GAP = 300
"""Blanks and line ends in a row that are read; no pattern has to walk through more."""
GAP = Pattern(r"[ \t\n]{301,}")
MAX_SHOWN = 4
"""Letters that one character may stand for (``㏂``); longer forms are phrases of Arabic, which would swell a text."""
UNUSUAL = Pattern(r"[^\x00-\x7f]")
MIXED_WORD = Pattern(r"\w{0,40}(?:[A-Za-z][Ѐ-ӿԀ-ԯͰ-Ͽ]|[Ѐ-ӿԀ-ԯͰ-Ͽ][A-Za-z])\w{0,40}")
PREFIX = Pattern(
    r"^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,3}[.)](?=[ \t])|#{1,6}(?=[ \t'])|//+|--+(?![->|])|\|(?=[^|>])|"
    r"%%?(?=[ \t])|<!--))+",
    re.M,
)
# These begin with a character, and look behind it only then: the search skips to that character.
QUOTING = Pattern(
    r"`(?<!``)`?(?!`)|\"\"*|/\*+?(?=[^\n]{0,200}?\*/)|/(?<=\s/)\*+|\*\*{0,79}/|\|(?<=[^|\n]\|)(?=\s)|-->|\*\*"
)
EMPHASIS = Pattern(r"([*_])(?<![\w*)][*_])[A-Za-z](?:[^*_\n]{0,60}[A-Za-z])?\1(?![\w*])")
BRACKETED = Pattern(r"(?<![\w)\]!])\[[A-Za-z_]\w*\](?![\[(:])")
"""A name in brackets, as SQL Server writes it; links, notes and subscripts are none."""
SPACED = Pattern(r"[A-Za-z] (?<!\w[A-Za-z] )[A-Za-z](?: [A-Za-z]){2,}\b")
"""A word whose letters stand apart."""
WORD = Pattern(r"[a-z_]\w*")
DIGITS = Pattern(r"\d\d*")


class View:
    """A reading of a text. Character ``i`` of a segment that begins at ``starts[k]`` stands for ``origins[k] + i``.

    ``parent`` is the view whose places the origins count in (``None``: the raw text). For decoded content ``anchor`` is
    the raw span that was decoded, where every place of the view points to, and ``label`` says what it was: ``base64``,
    ``hex`` … ``alike`` is a view with the same words at the same places, so that they are not looked for again.
    """

    def __init__(
        self,
        text: str,
        starts: tuple[int, ...] = (),
        origins: tuple[int, ...] = (),
        parent: View | None = None,
        anchor: tuple[int, int] | None = None,
        label: str = "",
        alike: View | None = None,
    ) -> None:
        self.text = text
        self.starts = starts
        self.origins = origins
        self.parent = parent
        self.anchor = anchor
        self.label = label
        self.alike = alike

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

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """The places of each word of ``lower``, in order. Most patterns begin with a word, and are tried only there."""
        if self.alike is not None:
            return self.alike.words
        words, gaps = WORD.findall(self.lower), WORD.split(self.lower)
        # A word begins where the word before it began, later by that word and by what stands between.
        begun = accumulate(map(add, map(len, gaps), chain((0,), map(len, words))))
        found: dict[str, list[int]] = {}
        for word, start in zip(words, begun, strict=False):
            if word in found:
                found[word].append(start)
            else:
                found[word] = [start]
        return found

    @cached_property
    def numbers(self) -> list[int]:
        """The place of the first digit of each run of digits."""
        return [match.start() for match in DIGITS.finditer(self.lower)]

    @cached_property
    def _runs(self) -> str:
        """Each of the text's runs without a blank once: a third of the text."""
        return "\n".join(set(self.lower.split()))

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        """Every two characters that stand side by side in a run."""
        return frozenset(pairwise(self._runs))

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        return {}

    def holds(self, literals: Iterable[str]) -> bool:
        """Whether one of the literals occurs in ``lower``."""
        return any(self._of(literal) for literal in literals)

    def places(self, literals: Iterable[str]) -> list[int]:
        """Where one of the literals begins in ``lower``, in order."""
        found = [places for literal in literals if (places := self._of(literal))]
        return found[0] if len(found) == 1 else sorted({place for places in found for place in places})

    def _of(self, literal: str) -> list[int]:
        """The places of a literal; each is looked for once, and place by place only where it occurs."""
        known = self._places.get(literal)
        if known is None:
            if self.alike is not None and literal.isascii() and literal.isidentifier():
                known = self.alike._of(literal)  # a part of a word
            elif self._may_hold(literal):
                length = len(literal)
                # Each place is later than the one before by what stands between them, and by the literal.
                between = map(length.__add__, map(len, self.lower.split(literal)))
                known = [end - length for end in accumulate(between)][:-1]
            else:
                known = []
            self._places[literal] = known
        return known

    def _may_hold(self, literal: str) -> bool:
        """Whether a search is worth its time: most literals are of other languages than the text's."""
        if len(self.lower) <= SHORT:
            return literal in self.lower
        if not _pairs_of(literal) <= self._pairs:
            return False
        return literal in (self.lower if " " in literal or not literal.isprintable() else self._runs)

    def line_of(self, offset: int) -> int:
        """0-based line of an offset of this view."""
        return bisect_right(self.line_starts, offset) - 1

    def raw(self, start: int, end: int) -> tuple[int, int]:
        """The raw span behind ``[start, end)`` of this view."""
        if self.anchor is not None:
            return self.anchor
        first, last = self.origin(start), self.origin(max(end - 1, start)) + 1
        return (first, last) if self.parent is None else self.parent.raw(first, last)

    def origin(self, offset: int) -> int:
        """The place in the parent view (or the raw text) of an offset of this view."""
        if not self.starts:
            return offset
        segment = max(bisect_right(self.starts, offset) - 1, 0)
        return self.origins[segment] + offset - self.starts[segment]


@lru_cache(maxsize=4096)
def _pairs_of(literal: str) -> frozenset[tuple[str, str]]:
    """The characters that stand side by side in ``literal``, other than across a blank or line end."""
    return frozenset(pair for pair in pairwise(literal) if not (pair[0].isspace() or pair[1].isspace()))


def line_starts(text: str) -> list[int]:
    """Offset of the first character of each line."""
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def _rewritten(text: str, changes: list[tuple[int, int, str]]) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """``text`` with other characters at the places of ``changes``, and where each segment begins here and there.

    Of changes that overlap the first counts.
    """
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = position = 0
    for start, end, shown in sorted(changes):
        if start < position:
            continue
        if start > position:
            pieces.append(text[position:start])
            starts.append(length)
            origins.append(position)
            length += start - position
        for character in shown:
            pieces.append(character)
            starts.append(length)
            origins.append(start)
            length += 1
        position = end
    if position < len(text):
        pieces.append(text[position:])
        starts.append(length)
        origins.append(position)
    return "".join(pieces), tuple(starts), tuple(origins)


def plain_view(text: str, anchor: tuple[int, int] | None = None, label: str = "") -> View:
    """``text`` without disguise."""
    gaps = [match.span() for match in GAP.finditer(text)]
    if not (gaps or "&" in text or "\\" in text or "<" in text) and text.isascii():
        return View(text, anchor=anchor, label=label)
    changes = [(start + LONGEST_GAP, end, "\n" if "\n" in text[start:end] else "") for start, end in gaps]
    if "&" in text:
        import html

        changes += [(*match.span(), _shown(html.unescape(match.group()))) for match in ENTITY.finditer(text)]
    if "\\" in text:
        changes += [(*match.span(), "") for match in ESCAPE.finditer(text)]
    if "<" in text:
        changes += [(*match.span(), "") for match in TAG.finditer(text)]
        changes += [(*match.span(), _table_sign(match.group().lower())) for match in CELL_TAG.finditer(text)]
    if not text.isascii():
        changes += [
            (*match.span(), shown)
            for match in UNUSUAL.finditer(text)
            if (shown := _visible(match.group())) != match.group()
        ]
    if not changes:
        return View(_unmix(text), anchor=anchor, label=label)
    shown, starts, origins = _rewritten(text, changes)
    return View(_unmix(shown), starts, origins, None, anchor, label)


def _table_sign(tag: str) -> str:
    if tag.startswith("</"):
        return " | " if tag[2:4] in {"td", "th"} else "\n"
    return ""


def _shown(text: str) -> str:
    return "".join(map(_visible, text))


@lru_cache(maxsize=4096)
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
    shown = unicodedata.normalize("NFKC", character)
    return shown if len(shown) <= MAX_SHOWN else character


def _unmix(text: str) -> str:
    """Latin letters for look-alikes in words that mix scripts."""
    if text.isascii() or LOOKALIKES.keys().isdisjoint(set(text)):
        return text
    return MIXED_WORD.sub(lambda match: "".join(LOOKALIKES.get(c, c) for c in match.group()), text)


def flow_view(plain: View) -> View:
    """``plain`` without line prefixes (blanked) and quoting characters (removed)."""
    text = PREFIX.sub(lambda match: " " * (match.end() - match.start()), plain.text)
    changes = [(*match.span(), "" if text[match.start()] in '"`' else " ") for match in QUOTING.finditer(text)]
    for match in (*EMPHASIS.finditer(text), *(BRACKETED.finditer(text) if "[" in text else ())):
        changes += [(match.start(), match.start() + 1, ""), (match.end() - 1, match.end(), "")]
    for match in SPACED.finditer(text):
        changes += [(gap, gap + 1, "") for gap in range(match.start() + 1, match.end(), 2)]
    if not changes:
        return View(text, parent=plain, anchor=plain.anchor, label=plain.label)
    return View(*_rewritten(text, changes), plain, plain.anchor, plain.label)

"""Family *hidden-text*: what a reader of the page does not see, and what is encoded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from m4review.lint import instructions
from m4review.lint.encodings import encoded_runs, short_runs
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import INVISIBLE, LOOKALIKES

BIDI = Pattern("[\u202a-\u202e\u2066-\u2069]")
TAGS = Pattern("[\U000e0000-\U000e007f]+")
FLAG = Pattern("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")
"""A subdivision flag (Scotland, Wales, England) is spelt with tag characters."""
DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
SOFT_HYPHEN = "\u00ad"
ZERO_WIDTH = Pattern(
    "[" + "".join(sorted(INVISIBLE - DIRECTION - {SOFT_HYPHEN})) + "\ufe00-\ufe0d\U000e0100-\U000e01ef]+"
)
JOINERS = Pattern("[\u200c\u200d]")
LOOKALIKE = Pattern(r"\w{0,40}(?:[A-Za-z][" + "".join(LOOKALIKES) + "]|[" + "".join(LOOKALIKES) + r"][A-Za-z])\w{0,40}")

DATA_URI = Pattern(r"data:[\w/+.-]{0,60}(?:;[\w=-]+)*,", re.I)
DIGEST = Pattern(r"[0-9a-f]+|[0-9A-F]+")
DIGEST_LENGTHS = frozenset((40, 56, 64, 96, 128))
"""Hexadecimal digits of a SHA digest."""
DIGEST_WORDS = Pattern(r"(?:sha-?(?:1|224|256|384|512)|md5|blake2\w?|digest|checksum|fingerprint|commit)\W*\Z", re.I)


def check_hidden(raw: str) -> Iterator[Hit]:
    """Invisible and look-alike characters, and long encoded runs, in the text as typed."""
    if not raw.isascii():
        yield from _invisible(raw)
    for _, match in encoded_runs(raw):
        if not _is_legitimate(raw, match):
            yield Hit("encoded-run", *match.span(), "a long encoded run")
    for start, end in short_runs(raw):
        yield Hit("encoded-run", start, end, "encoded text")
    yield from instructions.check_concealed(raw)
    for match in DATA_URI.finditer(raw) if ":" in raw else ():
        yield Hit("encoded-run", *match.span(), "data inside a link")


def _invisible(raw: str) -> Iterator[Hit]:
    characters = frozenset(raw)
    # Of each kind of character one search among the few different ones; most texts hold none.
    different = "".join(characters)
    if TAGS.search(different):
        flags = {match.start() + 1 for match in FLAG.finditer(raw)}
        for match in TAGS.finditer(raw):
            if match.start() not in flags:
                yield Hit("tag-characters", *match.span(), "invisible tag characters")
    for match in BIDI.finditer(raw) if BIDI.search(different) else ():
        yield Hit("bidi-control", *match.span(), "a character that turns the direction of the text")
    for match in ZERO_WIDTH.finditer(raw) if ZERO_WIDTH.search(different) else ():
        if not _joins_letters(raw, match):
            yield Hit("zero-width", *match.span(), "invisible characters")
    for match in () if LOOKALIKES.keys().isdisjoint(characters) else LOOKALIKE.finditer(raw):
        yield Hit("mixed-script", *match.span(), "a word that mixes letters of two scripts that look alike")


def _joins_letters(raw: str, match: re.Match[str]) -> bool:
    """Joiners are spelling in emoji and in several scripts; a leading byte order mark is reported elsewhere."""
    text = match.group()
    if text == "\ufeff":
        return match.start() == 0
    if len(text) != 1 or not JOINERS.fullmatch(text) or not 0 < match.start() < len(raw) - 1:
        return False
    return all(
        unicodedata.category(neighbour) in {"So", "Sk", "Mn", "Lo", "Mc"}
        for neighbour in (raw[match.start() - 1], raw[match.end()])
    )


def _is_legitimate(raw: str, match: re.Match[str]) -> bool:
    """Digests, long identifiers, rulers and paths are no encoded text."""
    text = re.sub(r"[\s|>]", "", match.group())
    if len(set(text)) < 8 or DIGEST_WORDS.search(raw[max(0, match.start() - 24) : match.start()]):
        return True
    if len(text) in DIGEST_LENGTHS and DIGEST.fullmatch(text) and not _reads_as_ascii(bytes.fromhex(text)):
        return True
    if (
        re.fullmatch(r"[A-Za-z]+(?:[-_/][A-Za-z0-9]+)*", text)
        and re.search(r"[-_/]", text)
        and not re.search(r"[a-z][A-Z][a-z]?[A-Z0-9]", text)
    ):
        return True
    if "/" in text and max(map(len, re.split(r"[-_/]", text))) < 14:
        return True
    if re.fullmatch(r"[a-z0-9]+(?:[-_/+][a-z0-9]+)+", text) and max(map(len, re.split(r"[-_/+]", text))) < 24:
        return True
    if re.fullmatch(r"[A-Za-z]+", text) and (text.islower() or text.istitle()):
        return True
    if re.fullmatch(r"[\d\s:,.]+", match.group()):
        return True
    start = raw.rfind(" ", 0, match.start()) + 1
    return (
        re.match(r"[(<\[]*https?://(?:doi\.org|dx\.doi\.org|www\.|pubmed|pmc)", raw[start : match.start()]) is not None
    )


def _reads_as_ascii(data: bytes) -> bool:
    """Whether most of the bytes are characters that one types."""
    return sum(32 <= byte < 127 or byte in b"\n\t" for byte in data) > 0.9 * len(data)


RULES = (
    Rule(
        "zero-width",
        "hidden-text",
        "error",
        "Invisible characters hide text from the reviewers who sign the skill.",
        "Delete the invisible characters; retype the word.",
        refused=texts("The sel\u200bect step.", "A word\u2060 with a joiner."),
        accepted=texts("Emoji may join: \U0001f469\u200d\u2695\ufe0f.", "Plain text."),
    ),
    Rule(
        "bidi-control",
        "hidden-text",
        "error",
        "Direction controls make a line read differently from what it says.",
        "Delete the control characters.",
        refused=texts("Score \u202e4\u202c points."),
        accepted=texts("Score 4 points."),
    ),
    Rule(
        "tag-characters",
        "hidden-text",
        "error",
        "Tag characters spell text that no reviewer can see and every program can read.",
        "Delete them.",
        refused=texts("Plain.\U000e0073\U000e0065\U000e006c"),
        accepted=texts("Developed in Scotland \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f."),
    ),
    Rule(
        "mixed-script",
        "hidden-text",
        "error",
        "A word with look-alike letters of two scripts is not the word it seems to be.",
        "Retype the word with one keyboard.",
        refused=texts("The s\u0435lect step."),
        accepted=texts(
            "Give 5 μg of α-agonist; ΔSOFA and β-lactam.", "Оценка по шкале SOFA складывается из шести частей."
        ),
    ),
    Rule(
        "encoded-run",
        "hidden-text",
        "error",
        "Nobody can review encoded text.",
        "Write it out, or leave it out.",
        refused=texts(
            "Q2FsY3VsYXRlIHRoZSB3b3JzdCB2YWx1ZSBvZiB0aGUgZmlyc3QgZGF5LCB0aGVuIHNjb3JlIGl0Lg==",
            "![x](data:image/png;base64,iVBORw0KGgo=)",
        ),
        accepted=texts(
            "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "See https://www.kidney-international.org/article/S0085-2538(15)55234-7/fulltext and "
            "norepinephrine-equivalent-dose-first-24-hours-of-stay.",
            "Merge branch 'main' of /media/ward/shared-drive/m4review-group/repository-of-the-ward",
        ),
    ),
)

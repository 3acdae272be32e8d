"""What a text encodes: base64, hex, base32, escapes, percent-encoding, character codes, rot13, mirrored words.

Decoding is bounded (depth 3, 1 MB). A decoded reading points at the raw span that was decoded. Long runs are a finding
by themselves; short ones only when what they decode to reads as text.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache

from m4review.lint.pattern import Pattern
from m4review.lint.views import View, plain_view

# Every pattern here begins with a character, and looks behind it only then: the search skips to that character.
BASE64 = Pattern(
    r"[A-Za-z0-9+/_-](?<![A-Za-z0-9+/=_-][A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{39,}|"
    r"[A-Za-z0-9+/_-]{19,}(?=[ \t|]*\n[ \t>|]*[A-Za-z0-9+/_-]{20}))"
    r"(?:[ \t>|]*\n[ \t>|]*[A-Za-z0-9+/_-]{8,})*={0,2}(?![A-Za-z0-9+/=_-])"
)
BASE64_RUN = Pattern(r"[A-Za-z0-9+/_-]{20,}")
LINES_OF_CODE = Pattern(
    r"\n[ \t>|]*[A-Za-z0-9+/_-]{20,}={0,2}[ \t|]*\n[ \t>|]*[A-Za-z0-9+/_-]{8,}={0,2}[ \t|]*(?:\n|\Z)"
)
HEX_PAIRS = Pattern(r"(?:[0-9a-fA-F]{2}[ :,\n]+){12}")
HEX = Pattern(
    r"[0-9a-fA-F\\](?<![A-Za-z0-9][0-9a-fA-F\\])(?:(?<=[0\\])x(?:[0-9a-fA-F]{2}(?:[ :,]|\\x|0x)*){20,}|"
    r"(?<!\\)[0-9a-fA-F](?:[ :,]|\\x|0x)*(?:[0-9a-fA-F]{2}(?:[ :,]|\\x|0x)*){19,})"
)
BASE32 = Pattern(r"[A-Z2-7](?<![A-Za-z0-9][A-Z2-7])[A-Z2-7]{47,}={0,6}(?![A-Za-z0-9=])")
ESCAPE = r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|&#\d{2,6};?|\\[0-7]{3})"
ESCAPES = Pattern(rf"{ESCAPE}{ESCAPE}{{7,}}")
# Bounded repeats, here and in LOOKALIKE: an unbounded one reads a run of letters again from each of its letters.
PERCENT = Pattern(r"(?:[\w.,*()'=<>-]{0,40}(?:%[0-9a-fA-F]{2}|\+)){2,}[\w.,*()'=<>-]{0,40}")
PERCENT_SIGNS = Pattern(r"[%+](?:(?<=%)[0-9a-fA-F]{2}|(?<=\+))[\w.,*()'=<>-]{0,40}(?:%[0-9a-fA-F]{2}|\+)")
"""What every text in percent-encoding holds."""
SHORT_BASE64 = Pattern(
    r"[A-Za-z0-9+/_-](?<![A-Za-z0-9+/=_.-][A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{15,199}={0,2}(?![A-Za-z0-9+/=_-])"
)
GROUPED_BASE64 = Pattern(
    r"[A-Za-z0-9+/](?<![A-Za-z0-9+/=][A-Za-z0-9+/])[A-Za-z0-9+/]{3} (?:[A-Za-z0-9+/]{4} ){4,}"
    r"[A-Za-z0-9+/]{1,4}={0,2}(?![A-Za-z0-9+/=])"
)
SHORT_HEX = Pattern(
    r"[0-9a-fA-F](?<![A-Za-z0-9][0-9a-fA-F])(?:(?<=0)x(?:[0-9a-fA-F]{2}[ :,]?){10,80}|"
    r"[0-9a-fA-F][ :,]?(?:[0-9a-fA-F]{2}[ :,]?){9,79})(?![A-Za-z0-9])"
)
TYPED = Pattern(r"(?:[ -~\n\t]|[^\x00-\xa0])+")
LETTERS = Pattern(r"[A-Za-z _]")
READABLE = 0.7
"""Share of letters and blanks in what a short run must decode to."""
BITS = Pattern(r"(?<!\d)(?:[01]{8}[ ,;\n]{0,3}){8,}(?!\d)")
CODES = Pattern(r"\d(?<![\d.]\d)\d\d?[ ,;]{1,3}(?:\d{2,3}[ ,;]{1,3}){10,}\d{2,3}(?![\d.])")
ROTATIONS = ("fryrpg", "jurer", "tebhc", "vzcbeg", "cnaqnf", "qhpxqo", "vtaber", "rkcrpgrq", "ersrerapr")
ROTATED = Pattern(rf"\b(?:{'|'.join(ROTATIONS)})\b")
REFLECTIONS = ("tceles", "erehw", "yb", "tropmi", "sadnap", "erongi", "snoitcurtsni")
MIRRORED = Pattern(r"(?<![^\W_])(?:tceles|erehw|yb[ \t]{1,4}puorg|tropmi|sadnap|erongi|snoitcurtsni)(?![^\W_])")
LINE_REACH = 1000
"""How far around a respelt word its line is read."""
LETTER_APART = Pattern(r"[-._·*/|~][A-Za-z][-._·*/|~]")
"""What every word whose letters stand apart holds."""
APART = Pattern(r"[A-Za-z](?<![A-Za-z]{2})[-._·*/|~]{1,2}(?:[A-Za-z][-._·*/|~]{1,2}){2,}[A-Za-z](?![A-Za-z])")
STATEMENT_WORDS = frozenset(
    ("select", "from", "where", "group", "order", "join", "import", "filter", "ignore", "insert")
)
REMEMBERED = 1000
"""What a longer line holds is looked for anew each time: such lines are few, and would fill the memory."""
MAX_DECODED = 1_000_000
MAX_DEPTH = 3


def decoded_views(plain: View) -> list[View]:
    """Readings of what the text encodes: base64, hex, base32, escapes, percent-encoding; to depth 3 within 1 MB."""
    found: list[View] = []
    budget = MAX_DECODED
    pending = [(plain, 0)]
    while pending:
        view, depth = pending.pop()
        if depth == MAX_DEPTH:
            continue
        for label, start, end, text in _decode_runs(view):
            if len(text) > budget:
                continue
            budget -= len(text)
            child = plain_view(text, view.raw(start, end), label)
            found.append(child)
            pending.append((child, depth + 1))
    return found


def unbroken(text: str, least: int = 16) -> list[tuple[int, int]]:
    """Where the runs of at least so many characters without a blank stand."""
    found: list[tuple[int, int]] = []
    end = 0
    for run in text.split():
        if len(run) >= least:
            start = text.index(run, end)
            end = start + len(run)
            found.append((start, end))
    return found


def encoded_runs(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Long runs that look encoded, each with its encoding. Most of a text is no unbroken run, and is not searched."""
    runs = unbroken(text)
    longest = max((end - start for start, end in runs), default=0)
    if longest >= 40 or (longest >= 20 and LINES_OF_CODE.search(text)):
        begun = (run.start() for start, end in runs for run in BASE64_RUN.finditer(text, start, end))
        for match in BASE64.matches_at(text, begun):
            yield "base64", match
        for start, end in runs:
            if end - start >= 48:
                yield from (("base32", match) for match in BASE32.finditer(text, start, end))
    if longest >= 40 or HEX_PAIRS.search(text):
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            if len(line) > REMEMBERED or _holds_hex(line):
                yield from (("hex", match) for match in HEX.finditer(text, start, end))
            start = end + 1
    for start, end in runs:
        if end - start >= 24:
            yield from (("escapes", match) for match in ESCAPES.finditer(text, start, end))


@lru_cache(maxsize=4096)
def _holds_hex(line: str) -> bool:
    return HEX.search(line) is not None


def _decode_runs(view: View) -> Iterator[tuple[str, int, int, str]]:
    text = view.text
    escapes = []
    for label, match in encoded_runs(text):
        if label == "escapes":
            escapes.append(match)
            continue
        decoded = _decode(label, match.group())
        if decoded is not None:
            yield label, *match.span(), decoded
    yield from _short_runs(text)
    for match in escapes if "\\" in text or "%" in text else ():
        yield "escapes", *match.span(), _unescape(match.group())
    for match in PERCENT.finditer(text) if "%" in text and PERCENT_SIGNS.search(text) else ():
        from urllib.parse import unquote_plus

        plain = unquote_plus(match.group())
        if plain != match.group():
            yield "percent-encoding", *match.span(), plain
    yield from _binary(text)
    yield from _respelt(view)


def short_runs(text: str) -> Iterator[tuple[int, int]]:
    """Runs too short to be conspicuous that decode to readable text."""
    for _, start, end, _ in _short_runs(text):
        yield start, end
    for _, start, end, decoded in _binary(text):
        if _reads_as_text(decoded):
            yield start, end


def _short_runs(text: str) -> Iterator[tuple[str, int, int, str]]:
    longest = max(map(len, text.split()), default=0)
    with_hex = longest >= 20 or HEX_PAIRS.search(text) is not None
    found = []
    position = 0
    for line in text.split("\n"):
        in_line = _short_in_line if len(line) <= REMEMBERED else _short_in_line.__wrapped__
        for kind, start, end, decoded in in_line(line, with_hex):
            found.append((kind, position + start, position + end, decoded))
        position += len(line) + 1
    for kind, start, end, decoded in sorted(found):
        yield ("base64", "base64", "hex")[kind], start, end, decoded


@lru_cache(maxsize=4096)
def _short_in_line(line: str, with_hex: bool) -> tuple[tuple[int, int, int, str], ...]:
    """Unbroken, grouped (1) and hexadecimal (2) runs of a line; raw and plain text share most lines, as edits do."""
    forms = (
        (match for start, end in unbroken(line) for match in SHORT_BASE64.finditer(line, start, end)),
        GROUPED_BASE64.finditer(line),
        SHORT_HEX.finditer(line) if with_hex else (),
    )
    return tuple(
        (kind, *match.span(), decoded)
        for kind, matches in enumerate(forms)
        for match in matches
        if (decoded := _decode("hex" if kind == 2 else "base64", match.group())) is not None and _reads_as_text(decoded)
    )


def _reads_as_text(text: str) -> bool:
    if not TYPED.fullmatch(text) or len(text) < 10 or sum(c > "\x7f" for c in text) > 0.2 * len(text):
        return False
    return len(LETTERS.findall(text)) >= READABLE * len(text)


def _binary(text: str) -> Iterator[tuple[str, int, int, str]]:
    for match in BITS.finditer(text) if "0110" in text or "0111" in text else ():
        octets = re.findall(r"[01]{8}", match.group())
        yield "binary", *match.span(), "".join(chr(int(octet, 2)) for octet in octets)


def _respelt(view: View) -> Iterator[tuple[str, int, int, str]]:
    """Text spelt in character codes, rotated, mirrored, or with its letters apart."""
    text, lower = view.text, view.lower
    for match in CODES.matches_at(text, view.numbers):
        codes = [int(code) for code in re.findall(r"\d+", match.group())]
        if all(code in {9, 10, 13} or 32 <= code < 127 for code in codes):
            yield "character codes", *match.span(), "".join(map(chr, codes))
    undone: tuple[tuple[str, tuple[str, ...], Pattern, Callable[[str], str]], ...] = (
        ("rot13", ROTATIONS, ROTATED, lambda line: line.translate(_ROT13)),
        ("mirrored", REFLECTIONS, MIRRORED, lambda line: line[::-1]),
    )
    for label, starts, pattern, undo in undone:
        done = 0
        for match in pattern.matches_at(lower, view.places(starts)):
            if match.start() >= done:
                start, done = _line_around(text, match.start(), match.end())
                yield label, start, done, undo(text[start:done])
    apart = APART.finditer(text) if LETTER_APART.search(text) else ()
    words = [(match.span(), re.sub(r"[^A-Za-z]", "", match.group())) for match in apart]
    if any(word.lower() in STATEMENT_WORDS for _, word in words):
        start, _ = _line_around(text, *words[0][0])
        _, stop = _line_around(text, *words[-1][0])
        yield (
            "letters apart",
            start,
            stop,
            APART.sub(lambda match: re.sub(r"[^A-Za-z]", "", match.group()), text[start:stop]),
        )


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    first = max(0, start - LINE_REACH)
    last = min(len(text), end + LINE_REACH)
    line = text.rfind("\n", first, start)
    stop = text.find("\n", end, last)
    return (line + 1 if line >= 0 else first), (stop if stop >= 0 else last)


_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)


def _decode(label: str, run: str) -> str | None:
    try:
        if label == "hex":
            compact = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", run)
            data = bytes.fromhex(compact[: len(compact) // 2 * 2])
        elif label == "base32":
            compact = run.rstrip("=")
            data = base64.b32decode(compact + "=" * (-len(compact) % 8))
        else:
            compact = re.sub(r"[^A-Za-z0-9+/_-]", "", run).replace("-", "+").replace("_", "/")
            compact = compact[: len(compact) - (1 if len(compact) % 4 == 1 else 0)]
            data = base64.b64decode(compact + "=" * (-len(compact) % 4))
    except (binascii.Error, ValueError):
        return None
    return _as_text(data)


def _as_text(data: bytes) -> str | None:
    if data[:2] in {b"\x1f\x8b", b"\x78\x9c", b"\x78\xda", b"\x78\x01"}:
        inflater = zlib.decompressobj(wbits=47)
        try:
            data = inflater.decompress(data, MAX_DECODED)
        except zlib.error:
            return None
    for encoding in ("utf-8", "utf-16-le"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        odd = sum(unicodedata.category(c) in {"Cc", "Cn", "Co", "Cs"} and c not in "\n\r\t" for c in text)
        if text and odd <= 0.05 * len(text):
            return text
    return None


def _unescape(run: str) -> str:
    def one(match: re.Match[str]) -> str:
        token = match.group()
        if token.startswith("\\u"):
            return chr(int(token[2:], 16))
        if token.startswith("\\x"):
            return chr(int(token[2:], 16))
        if token.startswith("%"):
            return chr(int(token[1:], 16))
        if token.startswith("&#"):
            return chr(min(int(token.strip("&#;")), 0x10FFFF))
        return chr(int(token[1:], 8))

    return re.sub(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|&#\d{2,6};?|\\[0-7]{3}", one, run)

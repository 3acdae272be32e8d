"""Secret-shaped text: recognised in a stream, and replaced before a byte of it is stored.

A key that an agent finds or a server echoes must not outlive the run. Everything that a run keeps passes a
:class:`SecretStream` on its way to the disk; what was replaced is remembered by kind, place and length only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from m4review.trials.literals import Haystack

LONGEST_HELD = 1 << 14
"""Bytes of an unfinished line that wait for its end, so that a key cut by two reads is still seen whole."""

LONGEST_TOKEN = 1 << 10
"""Bytes that are held back of a longer line: no key is longer."""

LONGEST_BLOCK = 1 << 16
"""Bytes of a private key that are left out at most, so that its first line alone cannot hide a whole trace."""

SHOWN = 6
"""Characters of a secret that may be shown."""

SHORTEST_KNOWN = 8
"""A known value below this length is no secret, and replacing it would spoil ordinary text."""


@dataclass(frozen=True, slots=True)
class SecretShape:
    """One kind of secret. Every match of ``pattern`` begins with one of the lower-case ``literals``.

    A group of the pattern is the secret; without one the whole match is.
    """

    name: str
    literals: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


WORD_BEGINS = rb"(?:(?<![\w-])|(?<=\\[nrt]))"
"""Where a word begins, also after the ``\\n`` of a JSON text."""


def _shape(name: str, literals: tuple[bytes, ...], pattern: bytes) -> SecretShape:
    return SecretShape(name, literals, re.compile(WORD_BEGINS + rb"(?:" + pattern + rb")(?![\w-])", re.IGNORECASE))


SHAPES = (
    _shape("model key", (b"sk-",), rb"sk-(?=[\w-]*\d)[\w-]{24,}"),
    _shape("Google key", (b"aiza",), rb"AIza[\w-]{35}"),
    _shape("AWS key", (b"akia", b"asia"), rb"A[KS]IA[0-9A-Z]{16}"),
    _shape("GitHub token", (b"gho_", b"ghp_", b"ghs_", b"ghu_", b"ghr_"), rb"gh[opsur]_[0-9A-Za-z]{36,}"),
    _shape("GitHub token", (b"github_pat_",), rb"github_pat_\w{50,}"),
    _shape("Hugging Face token", (b"hf_",), rb"hf_[A-Za-z0-9]{30,}"),
    _shape("Slack token", (b"xox",), rb"xox[abprs]-[\w-]{20,}"),
    _shape("web token", (b"eyj",), rb"eyJ[\w-]{16,}\.eyJ[\w-]{16,}\.[\w-]{16,}"),
    SecretShape(
        "bearer token", (b"bearer ",), re.compile(rb"bearer ((?=[\w.~+/-]*\d)[\w.~+/-]{20,}=*)", re.IGNORECASE)
    ),
    SecretShape(
        "password in an address", (b"://",), re.compile(rb"://([\w.%+-]{1,64}:[^\s/@:\"'\\<>{}$]{3,128})(?=@)")
    ),
)
PRIVATE_KEY = "private key"
BEGIN_HINT = b"-----BEGIN "
BEGIN = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----", re.IGNORECASE)
END = re.compile(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----", re.IGNORECASE)
KNOWN = "key of the model server"


@dataclass(frozen=True, slots=True)
class SecretFound:
    """Where a secret stood: never the secret. ``line`` is 1-based; ``beginning`` are its first characters."""

    stream: str
    line: int
    kind: str
    length: int
    beginning: str


@dataclass
class SecretScreen:
    """What one run keeps passes here. ``known`` are secrets by value, whatever they look like."""

    known: tuple[bytes, ...] = field(default=(), repr=False)
    found: list[SecretFound] = field(default_factory=list)

    def stream(self, name: str) -> SecretStream:
        """A filter for one stream or file, whose findings come to :attr:`found`."""
        return SecretStream(name, self)

    def chunks(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """``chunks`` without their secrets."""
        stream = self.stream(name)
        for chunk in chunks:
            yield stream.feed(chunk)
        yield stream.finish()


class SecretStream:
    """Takes bytes as they come and gives them back with secrets replaced, whole lines at a time."""

    def __init__(self, name: str, screen: SecretScreen) -> None:
        self._name = name
        self._screen = screen
        self._pending = b""
        self._lines = 1
        self._block = 0
        """Bytes of an open private key left out so far; 0 outside one."""

    def feed(self, data: bytes) -> bytes:
        """The part of what came so far that can be stored."""
        text = self._pending + data
        cut = text.rfind(b"\n") + 1
        if len(text) - cut > LONGEST_HELD:
            cut = len(text) - LONGEST_TOKEN
            while cut < len(text) and _in_token(text[cut]) and _in_token(text[cut - 1]):
                cut += 1
        ready, self._pending = text[:cut], text[cut:]
        return self._screened(ready)

    def finish(self) -> bytes:
        """The rest, when nothing more comes."""
        ready, self._pending = self._pending, b""
        return self._screened(ready)

    def _screened(self, text: bytes) -> bytes:
        if self._block or BEGIN_HINT in text.upper():
            text = self._without_blocks(text)
        parts, done = [], 0
        for secret in _secrets(text, self._screen.known):
            self._note(secret.kind, text[secret.at : secret.end], self._lines + text.count(b"\n", 0, secret.at))
            parts += [text[done : secret.at], _mark(secret.kind, secret.end - secret.at)]
            done = secret.end
        self._lines += text.count(b"\n")
        return b"".join([*parts, text[done:]])

    def _without_blocks(self, text: bytes) -> bytes:
        parts = []
        while text:
            if not self._block:
                begin = BEGIN.search(text)
                if begin is None:
                    parts.append(text)
                    break
                self._note(PRIVATE_KEY, begin.group(), self._lines + text.count(b"\n", 0, begin.start()))
                parts += [text[: begin.start()], _mark(PRIVATE_KEY, None)]
                text = text[begin.end() :]
                self._block = 1
            end = END.search(text)
            room = LONGEST_BLOCK - self._block
            stop = end.end() if end is not None and end.end() <= room else min(len(text), max(room, 0))
            # The line ends stay, so that a line of the stored text is the line that was written.
            parts.append(b"\n" * text.count(b"\n", 0, stop))
            self._block += stop
            if (end is not None and stop == end.end()) or self._block >= LONGEST_BLOCK:
                self._block = 0
            text = text[stop:]
        return b"".join(parts)

    def _note(self, kind: str, found: bytes, line: int) -> None:
        beginning = "" if kind == KNOWN else found[:SHOWN].decode("ascii", "replace")
        self._screen.found.append(SecretFound(self._name, line, kind, len(found), beginning))


@dataclass(frozen=True, slots=True)
class _Secret:
    kind: str
    at: int
    end: int


def secrets_in(hay: Haystack) -> Iterator[tuple[str, int, bytes]]:
    """Kind, offset and text of every secret in a text; a private key by its first line."""
    for at in hay.places(BEGIN_HINT.lower()):
        begin = BEGIN.match(hay.text, at)
        if begin is not None:
            yield PRIVATE_KEY, at, begin.group()
    for secret in _shaped(hay):
        yield secret.kind, secret.at, hay.text[secret.at : secret.end]


def _secrets(text: bytes, known: Iterable[bytes]) -> list[_Secret]:
    """The secrets in a text by their place, none within another."""
    found = list(_shaped(Haystack(text)))
    for value in known:
        if len(value) >= SHORTEST_KNOWN:
            found += [_Secret(KNOWN, match.start(), match.end()) for match in re.finditer(re.escape(value), text)]
    kept: list[_Secret] = []
    for secret in sorted(found, key=lambda secret: (secret.at, -secret.end)):
        if not kept or secret.at >= kept[-1].end:
            kept.append(secret)
        elif secret.end > kept[-1].end:
            kept[-1] = _Secret(kept[-1].kind, kept[-1].at, secret.end)
    return kept


def _shaped(hay: Haystack) -> Iterator[_Secret]:
    for shape in SHAPES:
        for literal in shape.literals:
            for at in hay.places(literal):
                match = shape.pattern.match(hay.text, at)
                if match is not None:
                    yield _Secret(shape.name, *match.span(1 if shape.pattern.groups else 0))


def _mark(kind: str, length: int | None) -> bytes:
    size = "" if length is None else f", {length} characters"
    return f"[redacted: {kind}{size}]".encode()


def _in_token(byte: int) -> bool:
    return chr(byte).isalnum() or byte in b"_-.~+/=:@%"

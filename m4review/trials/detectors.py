"""What the audit looks for in bytes: names of answers, of the task's internals, of other runs, and secrets.

Detectors read lower-cased text and know words only; a word of ordinary English (*reference*, *expected*) is none
without the form of a path or file. They see through the escapes of JSON, so that a notebook hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from m4review.trials.literals import Haystack
from m4review.trials.secrets import SHOWN, WORD_BEGINS, secrets_in

AuditRule = Literal[
    "answer-path", "task-internals", "earlier-run", "secret", "network", "copied-reference", "unfinished-audit"
]

LONGEST_EXCERPT = 100
DATA_FILE = rb"\.(?:csv|tsv|parquet|jsonl?|sql|feather|arrow|xlsx|pkl|duckdb|db)(?:\.gz|\.zst)?"
SLASH_ESCAPES = (b"\\/", b"\\u002f", b"\\x2f")
"""How a slash may be written in JSON and in program text."""


@dataclass(frozen=True, slots=True)
class Detector:
    """A rule's pattern over lower-cased bytes. Every match begins with one of the ``literals``."""

    rule: AuditRule
    literals: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    why: str


@dataclass(frozen=True, slots=True)
class Match:
    """What a detector found, and at which byte of the text."""

    rule: AuditRule
    at: int
    excerpt: str
    why: str


DETECTORS = (
    Detector(
        "answer-path",
        (b"ground", b"expected", b"references/", b"gold", b"answer"),
        re.compile(
            rb"(?:ground[_-]?truths?|expected[_-]?(?:outputs?|results?)|gold[_-]?(?:standard|answers?)|answer[_-]?keys?)"
            rb"[\w./-]{0,80}?" + DATA_FILE + rb"(?![\w])"
            rb"|" + WORD_BEGINS + rb"references/[\w./-]{1,80}?" + DATA_FILE + rb"(?![\w])"
        ),
        "names a file of expected answers",
    ),
    Detector(
        "answer-path",
        (b"/answer", b"/solution", b"/oracle", b"/ground", b"/grader"),
        re.compile(rb"(?<![\w.:/)-])/(?:answers?|solutions?|oracle|ground[_-]?truths?|grader)/[\w./-]{1,80}"),
        "names a folder in which other harnesses keep answers",
    ),
    Detector(
        "task-internals",
        (b"task.toml", b"operational-spec.md", b"test_outputs.py", b"m4review/", b"m4review."),
        re.compile(
            WORD_BEGINS + rb"(?:task\.toml|operational-spec\.md|test_outputs\.py"
            rb"|m4review/(?:ehr|scoring|trials)/[\w./-]{1,60}|m4review\.(?:ehr|scoring|trials)(?:\.\w{1,30})+)"
        ),
        "names a part of the task or the scoring that no agent is given",
    ),
    Detector(
        "earlier-run",
        (b".m4review/", b"runs/", b"trials/"),
        re.compile(
            rb"\.m4review/[\w./-]{1,80}|"
            + WORD_BEGINS
            + rb"(?:runs|trials)/[0-9a-hjkmnp-tv-z]{26}(?![\w])[\w./-]{0,40}"
        ),
        "names the records of other runs",
    ),
)
SECRET_WHY = "looks like a key or password"


def matches(data: bytes, forbidden: Iterable[bytes], own: Iterable[bytes]) -> Iterator[Match]:
    """Everything the detectors find in ``data``.

    ``forbidden`` are lower-cased paths of the host; ``own`` are lower-cased paths that may be named and are not looked
    at.
    """
    hay = Haystack(data)
    for kind, at, secret in secrets_in(hay):
        beginning = secret[:SHOWN].decode("ascii", "replace")
        yield Match("secret", at, f"{beginning}… ({kind}, {len(secret)} characters)", SECRET_WHY)
    for path in own:
        if path in hay.lower:
            hay = Haystack(hay.lower.replace(path, b""))
    yield from _named(hay, forbidden)
    other = _read_otherwise(hay.lower)
    if other is not None:
        yield from _named(Haystack(other), forbidden)


def _named(hay: Haystack, forbidden: Iterable[bytes]) -> Iterator[Match]:
    for path in forbidden:
        at = hay.lower.find(path)
        if at >= 0:
            yield Match("answer-path", at, _excerpt(path), "names a path of the host that the sandbox does not show")
    found = [
        (match.start(), -match.end(), detector.rule, _excerpt(match.group()), detector.why)
        for detector in DETECTORS
        for literal in detector.literals
        for at in hay.places(literal)
        if (match := detector.pattern.match(hay.lower, at)) is not None
    ]
    ends: dict[AuditRule, int] = {}
    for at, negative_end, rule, excerpt, why in sorted(found):
        if at >= ends.get(rule, 0):  # of matches within each other the longest
            ends[rule] = -negative_end
            yield Match(rule, at, excerpt, why)


def _read_otherwise(text: bytes) -> bytes | None:
    """The text as wide characters or program escapes would have it read, where that makes a difference."""
    plain = text.replace(b"\0", b"") if b"\0" in text else text
    if b"\\" in plain:
        for escape in SLASH_ESCAPES:
            plain = plain.replace(escape, b"/")
    return plain if plain != text else None


def _excerpt(found: bytes) -> str:
    return found[:LONGEST_EXCERPT].decode("utf-8", errors="replace")


NETWORK_PROGRAMS = frozenset({"curl", "wget", "nc", "ncat", "netcat", "ssh", "scp", "sftp", "ftp", "telnet", "rsync"})
NETWORK_COMMANDS = (
    ("git", ("clone", "fetch", "pull", "push")),
    ("pip", ("install", "download")),
    ("pip3", ("install", "download")),
    ("uv", ("pip", "add", "sync")),
    ("npm", ("install", "ci")),
    ("npx", ()),
    ("apt", ("install", "update")),
    ("apt-get", ("install", "update")),
)
NETWORK_CALLS = re.compile(
    r"\b(?:requests|httpx)\.(?:get|post|put|head|request)\(|\burlopen\(|\burlretrieve\(|\bsocket\.create_connection\("
    r"|\bhttp\.client\.HTTPS?Connection\(|\baiohttp\.ClientSession\(|/dev/tcp/"
)
PREFIXES = frozenset({"sudo", "env", "timeout", "exec", "time", "nohup", "nice"})


def network_command(command: str) -> str | None:
    """The program or call by which a command reaches for the network; a URL in a text and a comment are none."""
    for line in command.splitlines():
        code = line.partition("#")[0] if line.lstrip().startswith("#") or " # " in line else line
        call = NETWORK_CALLS.search(code)
        if call is not None:
            return call.group().rstrip("(")
        for part in re.split(r"&&|\|\||[;|&]|\$\(|`", code):
            found = _program(part.split())
            if found is not None:
                return found
    return None


def _program(words: list[str]) -> str | None:
    while words and (re.fullmatch(r"\w+=\S*|\d+[smh]?|-\w+", words[0]) or words[0] in PREFIXES):
        words = words[1:]
    if not words:
        return None
    program = words[0].rpartition("/")[2].strip("\"'()")
    if program in {"bash", "sh"} and len(words) > 2 and words[1].startswith("-") and "c" in words[1]:
        return _program([words[2].lstrip("\"'"), *words[3:]])
    if program in NETWORK_PROGRAMS:
        return program
    if program.startswith("python") and words[1:3] in (["-m", "pip"], ["-m", "pip3"]):
        program, words = "pip", words[2:]
    for name, verbs in NETWORK_COMMANDS:
        if program == name and (not verbs or (len(words) > 1 and words[1] in verbs)):
            return f"{name} {words[1]}" if len(words) > 1 else name
    return None

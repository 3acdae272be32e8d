"""The audit of a run: what in the agent's files and trace a person must look at before the run counts.

By construction the answers are not in the sandbox; the audit looks for evidence that they got there all the same. It
reads content, not file names, and it never repeats a row: a finding names the file, the line and the matched words,
and of a secret only its beginning. A perfect answer is no offence, nor is a word like *reference* in a note.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from m4review.trials.agents.trace import TraceEvent, TraceSummary
from m4review.trials.sandbox.job import LeftFile

AuditRule = Literal[
    "answer-path", "task-internals", "earlier-run", "secret", "network", "copied-reference", "unfinished-audit"
]

CHUNK = 1 << 20
OVERLAP = 1 << 10
"""Bytes of the chunk before that are looked at again, so that a match across two chunks is seen."""

MOST_FINDINGS = 50
MOST_LISTED = 200
LONGEST_EXCERPT = 100

DATA_FILE = rb"\.(?:csv|tsv|parquet|jsonl?|sql|feather|arrow|xlsx|pkl|duckdb|db)(?:\.gz|\.zst)?"


class AuditFinding(BaseModel):
    """One reason to hold a run. ``line`` is 1-based, ``None`` where the file has no lines."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: AuditRule
    file: str
    line: int | None
    excerpt: str
    why: str


class LeftEntry(BaseModel):
    """A file the agent left in its work folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    kind: str
    size: int
    sha256: str | None


class Audit(BaseModel):
    """What the audit looked at and found. A finding holds the run; a note does not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    findings: tuple[AuditFinding, ...]
    notes: tuple[str, ...]
    left: tuple[LeftEntry, ...]
    left_count: int
    bytes_read: int

    @property
    def held(self) -> bool:
        """Whether a person has to decide before the run counts."""
        return bool(self.findings)


@dataclass(frozen=True, slots=True)
class Detector:
    """A rule's pattern over lower-cased bytes. ``hints`` are literals of which one stands in every match."""

    rule: AuditRule
    hints: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    why: str
    masked: bool = False


DETECTORS = (
    Detector(
        "answer-path",
        (b"ground", b"expected", b"references/", b"gold"),
        re.compile(
            rb"(?:ground[_-]?truths?|expected[_-]?(?:outputs?|results?)|gold[_-]?(?:standard|answers?))[\w./-]{0,80}?"
            + DATA_FILE
            + rb"(?![\w])|(?<![\w-])references/[\w./-]{1,80}?"
            + DATA_FILE
            + rb"(?![\w])"
        ),
        "names a file of expected answers",
    ),
    Detector(
        "task-internals",
        (b"task.toml", b"operational-spec.md", b"test_outputs.py", b"m4review/"),
        re.compile(
            rb"(?<![\w-])(?:task\.toml|operational-spec\.md|test_outputs\.py|m4review/(?:ehr|scoring)/[\w./-]{1,60})"
        ),
        "names a part of the task or the scoring that no agent is given",
    ),
    Detector(
        "earlier-run",
        (b".m4review/", b"runs/", b"trials/"),
        re.compile(rb"\.m4review/[\w./-]{1,80}|(?<![\w-])(?:runs|trials)/[0-9a-hjkmnp-tv-z]{26}(?![\w])[\w./-]{0,40}"),
        "names the records of other runs",
    ),
    Detector(
        "secret",
        (b"sk-", b"akia", b"ghp_", b"github_pat_", b"aiza", b"xox", b"private key-----", b"eyj"),
        re.compile(
            rb"(?<![\w-])(?:sk-(?:ant-|proj-)?[\w-]{24,}|akia[0-9a-z]{16}|ghp_[0-9a-z]{36}|github_pat_\w{50,}"
            rb"|aiza[\w-]{35}|xox[abprs]-[\w-]{20,}|eyj[\w-]{16,}\.eyj[\w-]{16,}\.[\w-]{16,})(?![\w-])"
            rb"|-----begin [a-z ]*private key-----"
        ),
        "looks like a key or password",
        masked=True,
    ),
)

NETWORK_PROGRAMS = frozenset({"curl", "wget", "nc", "ncat", "netcat", "ssh", "scp", "sftp", "ftp", "telnet", "rsync"})
NETWORK_COMMANDS = (
    ("git", ("clone", "fetch", "pull", "push")),
    ("pip", ("install", "download")),
    ("pip3", ("install", "download")),
    ("npm", ("install", "ci")),
    ("apt", ("install", "update")),
    ("apt-get", ("install", "update")),
)


class Auditor:
    """Looks at everything one run left; :meth:`result` sums up.

    ``forbidden`` are host paths that nothing in a sealed sandbox can know. ``own`` are host paths that a run without
    isolation was given and may name. ``reference`` is the SHA-256 of the hidden reference file.
    """

    def __init__(self, *, forbidden: Iterable[Path], own: Iterable[Path], reference: str) -> None:
        self._forbidden = [str(path).encode().lower() for path in forbidden if len(path.parts) > 2]
        self._own = sorted((str(path).encode().lower() for path in own), key=len, reverse=True)
        self._reference = reference
        self._findings: list[AuditFinding] = []
        self._notes: list[str] = []
        self._left: list[LeftEntry] = []
        self._count = 0
        self._bytes = 0

    def visit(self, left: LeftFile) -> None:
        """Look at a file of the work folder."""
        self._count += left.kind != "folder"
        digest = self._scan(left.path, left.chunks) if left.kind == "file" else None
        if left.size and digest == self._reference:
            self._add(
                "copied-reference", left.path, None, "the whole file", "is byte for byte the hidden reference file"
            )
        if len(self._left) < MOST_LISTED and left.kind != "folder":
            self._left.append(LeftEntry(path=left.path, kind=left.kind, size=left.size, sha256=digest))

    def look_at_record(self, path: Path) -> None:
        """Look at a stream the host captured."""
        if path.is_file():
            with path.open("rb") as stream:
                self._scan(path.name, iter(lambda: stream.read(CHUNK), b""))

    def look_at_event(self, event: TraceEvent) -> None:
        """Look at a command the agent ran."""
        command = event.values.get("command") if event.kind == "tool_call" else None
        if isinstance(command, str):
            program = network_command(command)
            if program is not None:
                self._add("network", "trace", event.line, program, "tried to reach the network")

    def unfinished(self, why: str, *, scored: bool) -> None:
        """Say that something could not be looked at. It holds a run that would be scored; another failed anyway."""
        if scored:
            self._add("unfinished-audit", "(work folder)", None, "", why)
        else:
            self._notes.append(why)

    def result(self, trace: TraceSummary, *, trace_truncated: bool) -> Audit:
        """The audit of the run."""
        if trace_truncated:
            self._notes.append("the trace was longer than its limit; its end was not read")
        if not trace.readable:
            self._notes.append("the trace says nothing; what the agent did is not known")
        elif trace.understood < trace.lines:
            self._notes.append(f"{trace.lines - trace.understood} of {trace.lines} trace lines were not understood")
        if self._count > len(self._left):
            self._notes.append(f"{self._count} files were left; the first {len(self._left)} are listed")
        return Audit(
            findings=tuple(self._findings),
            notes=tuple(self._notes),
            left=tuple(self._left),
            left_count=self._count,
            bytes_read=self._bytes,
        )

    def _scan(self, name: str, chunks: Iterator[bytes]) -> str:
        digest = hashlib.sha256()
        before = b""
        lines = 1
        seen: set[tuple[str, bytes]] = set()
        for chunk in chunks:
            digest.update(chunk)
            self._bytes += len(chunk)
            window = before + chunk.lower()
            text = window
            for path in self._own:
                text = text.replace(path, b"")
            for rule, found, start, why, masked in self._matches(text):
                if (rule, found) not in seen:
                    seen.add((rule, found))
                    line = lines + text[:start].count(b"\n")
                    self._add(rule, name, line, _excerpt(found, masked), why)
            keep = window[-OVERLAP:]
            lines += window.count(b"\n") - keep.count(b"\n")
            before = keep
        return digest.hexdigest()

    def _matches(self, text: bytes) -> Iterator[tuple[AuditRule, bytes, int, str, bool]]:
        for path in self._forbidden:
            at = text.find(path)
            if at >= 0:
                yield "answer-path", path, at, "names a path of the host that the sandbox does not show", False
        for detector in DETECTORS:
            if any(hint in text for hint in detector.hints):
                for match in detector.pattern.finditer(text):
                    yield detector.rule, match.group(), match.start(), detector.why, detector.masked

    def _add(self, rule: AuditRule, file: str, line: int | None, excerpt: str, why: str) -> None:
        if len(self._findings) < MOST_FINDINGS:
            self._findings.append(AuditFinding(rule=rule, file=file, line=line, excerpt=excerpt, why=why))


def network_command(command: str) -> str | None:
    """The program by which a shell command reaches for the network, if its own words do; a URL in a text is none."""
    for part in re.split(r"&&|\|\||[;|\n&]", command):
        words = part.split()
        while words and (re.fullmatch(r"\w+=\S*", words[0]) or words[0] in {"sudo", "env", "timeout", "exec", "time"}):
            words = words[1:]
        if not words:
            continue
        program = words[0].rpartition("/")[2]
        if program in NETWORK_PROGRAMS:
            return program
        if program.startswith("python") and words[1:3] in (["-m", "pip"], ["-m", "pip3"]):
            program, words = "pip", words[2:]
        for name, verbs in NETWORK_COMMANDS:
            if program == name and len(words) > 1 and words[1] in verbs:
                return f"{name} {words[1]}"
    return None


def _excerpt(found: bytes, masked: bool) -> str:
    text = found.decode("utf-8", errors="replace")
    if masked:
        return f"{text[:6]}… ({len(text)} characters)"
    return text[:LONGEST_EXCERPT]

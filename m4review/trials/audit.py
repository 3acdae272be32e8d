"""The audit of a run: what in the agent's files and trace a person must look at before the run counts.

By construction the answers are not in the sandbox; the audit looks for evidence that they got there all the same. It
reads content, not file names, also inside archives and files of columns, and it never repeats a row: a finding names
the file, the line and the matched words, and of a secret only its beginning. A perfect answer is no offence, nor is a
word like *reference* in a note.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ConfigDict

from m4review.trials.agents.trace import TraceEvent, TraceSummary
from m4review.trials.detectors import AuditRule, matches, network_command
from m4review.trials.sandbox.capture import run_folder_error
from m4review.trials.sandbox.job import Egress, LeftFile
from m4review.trials.secrets import SecretFound
from m4review.trials.unpacking import DAMAGED, DEEPEST, HEAD, Budget, Form, LockedError, TooMuchError, form_of, unpacked

CHUNK = 1 << 20
OVERLAP = 1 << 10
"""Bytes of the chunk before that are looked at again, so that a match across two chunks is seen."""

MOST_FINDINGS = 50
MOST_NOTES = 50
MOST_LISTED = 200


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


class Auditor:
    """Looks at everything one run left; :meth:`result` sums up.

    ``forbidden`` are host paths that nothing in a sealed sandbox can know. ``own`` are host paths that a run without
    isolation was given and may name. ``reference`` is the SHA-256 of the hidden reference file. ``spool`` is a private
    folder for packed files while they are looked into.
    """

    def __init__(
        self,
        *,
        forbidden: Iterable[Path],
        own: Iterable[Path],
        reference: str,
        spool: Path,
        budget: Budget | None = None,
    ) -> None:
        self._forbidden = [str(path).encode().lower() for path in forbidden if len(path.parts) > 2]
        self._own = sorted((str(path).encode().lower() for path in own), key=len, reverse=True)
        self._reference = reference
        self._spool = spool
        self._budget = budget or Budget()
        self._findings: list[AuditFinding] = []
        self._notes: list[str] = []
        self._left: list[LeftEntry] = []
        self._count = 0
        self._bytes = 0
        self._unread: list[str] = []

    def visit(self, left: LeftFile) -> None:
        """Look at a file of the work folder.

        Raises:
            TrialError: the disk of the run folder is full or not writable.
        """
        self._count += left.kind != "folder"
        digest = self._look(left.path, left.chunks, 0) if left.kind == "file" and left.size else None
        if left.kind == "file" and not left.size:
            digest = hashlib.sha256().hexdigest()
        if len(self._left) < MOST_LISTED and left.kind != "folder":
            self._left.append(LeftEntry(path=left.path, kind=left.kind, size=left.size, sha256=digest))

    def look_at_record(self, path: Path) -> None:
        """Look at a stream the host captured."""
        if path.is_file():
            with path.open("rb") as stream:
                self._scan(path.name, _chunks(stream))

    def look_at_secrets(self, found: Iterable[SecretFound]) -> None:
        """Say which secrets were replaced in what the host captured."""
        for secret in found:
            excerpt = f"{secret.beginning}… ({secret.kind}, {secret.length} characters)"
            self._add("secret", secret.stream, secret.line, excerpt, "looks like a key or password; it was not stored")

    def look_at_event(self, event: TraceEvent) -> None:
        """Look at a command the agent ran."""
        command = event.values.get("command") if event.kind == "tool_call" else None
        if isinstance(command, list):
            command = " ".join(str(word) for word in command)
        if isinstance(command, str):
            program = network_command(command)
            if program is not None:
                self._add("network", "trace", event.line, program, "tried to reach the network")

    def look_at_egress(self, attempts: Iterable[Egress]) -> None:
        """Look at what the agent reached for through the sandbox's network: what was refused was not its to reach."""
        seen: dict[tuple[str, int | None], int] = {}
        for attempt in attempts:
            if attempt.kind == "refused":
                place = (attempt.host, attempt.port)
                seen[place] = seen.get(place, 0) + 1
        for (host, port), count in seen.items():
            times = f" ({count} times)" if count > 1 else ""
            excerpt = (host if port is None else f"{host}:{port}") + times
            self._add(
                "network", "egress.jsonl", None, excerpt, "tried to reach a host that it may not, and was refused"
            )

    def unfinished(self, why: str, *, scored: bool) -> None:
        """Say that something could not be looked at. It holds a run that would be scored; another failed anyway."""
        if scored:
            self._add("unfinished-audit", "(work folder)", None, "", why)
        else:
            self._notes.append(why)

    def note(self, text: str) -> None:
        """Say something that holds nothing."""
        self._notes.append(text)

    def result(self, trace: TraceSummary, *, trace_truncated: bool, scored: bool = True) -> Audit:
        """The audit of the run. ``scored`` says whether its output would be scored."""
        for name in self._unread:
            self.unfinished(f"{name}: there is more inside than can be looked at", scored=scored)
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
            notes=tuple(dict.fromkeys(self._notes))[:MOST_NOTES],
            left=tuple(self._left),
            left_count=self._count,
            bytes_read=self._bytes,
        )

    def _look(self, name: str, chunks: Iterator[bytes], depth: int) -> str:
        """Scan a file and what is inside it; returns its SHA-256."""
        first = next(chunks, b"")
        while len(first) < HEAD and (more := next(chunks, b"")):
            first += more
        form = form_of(first)
        if form is None or depth >= DEEPEST:
            if form is not None:
                self._unread.append(name)
            digest = self._scan(name, _again(first, chunks))
        else:
            digest = self._look_inside(name, _again(first, chunks), form, depth)
        if digest == self._reference:
            self._add("copied-reference", name, None, "the whole file", "is byte for byte the hidden reference file")
        return digest

    def _look_inside(self, name: str, chunks: Iterator[bytes], form: Form, depth: int) -> str:
        place = self._spool / f"packed-{depth}"
        try:
            with _spool(place) as spool:
                digest = self._scan(name, _copied(chunks, spool, self._spool))
            self._open(name, place, form, depth)
        finally:
            place.unlink(missing_ok=True)
        return digest

    def _open(self, name: str, path: Path, form: Form, depth: int) -> None:
        try:
            for inside in unpacked(path, form, self._budget):
                self._look(f"{name}/{inside.name}", inside.chunks, depth + 1)
        except LockedError:
            self._add("unfinished-audit", name, None, form, "is locked with a password and cannot be looked into")
        except TooMuchError:
            self._unread.append(name)
        except DAMAGED:
            self._notes.append(f"{name}: begins like {form} and cannot be opened; its bytes were looked at as they are")

    def _scan(self, name: str, chunks: Iterator[bytes]) -> str:
        digest = hashlib.sha256()
        before = b""
        lines = 1
        seen: set[tuple[str, str]] = set()
        for chunk in chunks:
            digest.update(chunk)
            self._bytes += len(chunk)
            window = before + chunk
            for match in matches(window, self._forbidden, self._own):
                if (match.rule, match.excerpt) not in seen:
                    seen.add((match.rule, match.excerpt))
                    line = lines + window.count(b"\n", 0, match.at)
                    self._add(match.rule, name, line, match.excerpt, match.why)
            keep = window[-OVERLAP:]
            lines += window.count(b"\n") - keep.count(b"\n")
            before = keep
        return digest.hexdigest()

    def _add(self, rule: AuditRule, file: str, line: int | None, excerpt: str, why: str) -> None:
        finding = AuditFinding(rule=rule, file=file, line=line, excerpt=excerpt, why=why)
        if len(self._findings) < MOST_FINDINGS and finding not in self._findings:
            self._findings.append(finding)


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _again(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _spool(place: Path) -> IO[bytes]:
    try:
        return place.open("wb")
    except OSError as error:
        raise run_folder_error(place, error) from None


def _copied(chunks: Iterator[bytes], target: IO[bytes], folder: Path) -> Iterator[bytes]:
    """``chunks`` as they pass, written to ``target`` too."""
    for chunk in chunks:
        try:
            target.write(chunk)
            target.flush()
        except OSError as error:
            raise run_folder_error(folder, error) from None
        yield chunk

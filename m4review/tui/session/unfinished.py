"""Ballots that were begun and not given: on disk, so that neither a crash nor a closed terminal loses what was typed.

One file per reviewer and skill, beside the drafts of texts and like them never in git. It counts for nothing: only a
verdict that was given does, and giving it removes the file.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from m4review.reviews import Decision
from m4review.reviews.anchors import locate
from m4review.reviews.eventparts import Answer, Finding
from m4review.textfile import write_bytes
from m4review.workspace import Scope

SCHEMA = "m4review.ballot.v1"
SUFFIX = ".ballot.json"


class UnfinishedBallot(BaseModel):
    """What one reviewer had put on the ballot for one exact content."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    skill: str
    reviewer: str
    content: str
    """Digest of the text that was judged."""
    decisions: dict[Scope, Decision] = {}
    answers: dict[str, Answer] = {}
    findings: tuple[Finding, ...] = ()
    notes: str = ""
    conflict: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is on it."""
        return not (self.decisions or self.answers or self.findings or self.notes.strip() or self.conflict.strip())

    def carried_to(self, content: str, text: str, scopes: Sequence[Scope]) -> UnfinishedBallot:
        """The ballot as it may begin on the text of today.

        What was decided and answered of another text is not: it has to be judged anew. What was written stays;
        a passage that is gone is no longer quoted.
        """
        if content == self.content:
            kept = {scope: said for scope, said in self.decisions.items() if scope in scopes}
            return self.model_copy(update={"decisions": kept})
        findings = tuple(
            finding
            if finding.anchor is None or locate(text, finding.anchor).line is not None
            else finding.model_copy(update={"anchor": None})
            for finding in self.findings
        )
        return self.model_copy(update={"content": content, "decisions": {}, "answers": {}, "findings": findings})


class UnfinishedBallots:
    """The begun ballots of one workspace. Writing is safe from any thread; a late older one never replaces a newer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()
        self._newest: dict[Path, int] = {}
        self._turns = itertools.count(1)

    def turn(self) -> int:
        """The next serial: taken when a ballot is read from the screen, so that threads may write in any order."""
        return next(self._turns)

    def keep(self, ballot: UnfinishedBallot, serial: int) -> None:
        """Write a ballot, or remove the file when nothing is on it; ignored when a later ``serial`` was seen.

        Raises:
            TextFileError: the disk is full or the folder is not writable.
        """
        file = self._file(ballot.skill, ballot.reviewer)
        with self._writing:
            if serial < self._newest.get(file, 0):
                return
            self._newest[file] = serial
            if ballot.is_empty:
                file.unlink(missing_ok=True)
            else:
                values = {"schema": SCHEMA} | ballot.model_dump(mode="json")
                write_bytes(file, json.dumps(values, ensure_ascii=False).encode("utf-8"))

    def drop(self, skill: str, reviewer: str, serial: int) -> None:
        """Forget a ballot up to ``serial``: it was given or given up."""
        file = self._file(skill, reviewer)
        with self._writing:
            self._newest[file] = serial + 1
            file.unlink(missing_ok=True)

    def find(self, skill: str, reviewer: str) -> UnfinishedBallot | None:
        """The ballot that a reviewer began; ``None`` when there is none, or the file is not one."""
        try:
            values = json.loads(self._file(skill, reviewer).read_bytes())
            if not isinstance(values, dict) or values.pop("schema", None) != SCHEMA:
                return None
            found = UnfinishedBallot.model_validate(values)
        except (OSError, ValueError):
            return None
        return found if (found.skill, found.reviewer) == (skill, reviewer) else None

    def _file(self, skill: str, reviewer: str) -> Path:
        return self._folder / f"{skill}--{reviewer}{SUFFIX}"

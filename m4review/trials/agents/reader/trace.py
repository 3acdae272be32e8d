"""What the reader did, as one JSON object per line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal, TextIO

GapKind = Literal["prose", "unclear", "not executed"]


@dataclass
class Trace:
    """Writes events to ``stream``; counts queries and gaps. Never holds or writes a row of a patient."""

    stream: TextIO
    queries: int = 0
    gaps: int = 0
    _listed: set[tuple[str, str, str]] = field(default_factory=set)

    def message(self, text: str) -> None:
        """Say what is being done."""
        self._write({"event": "message", "text": text})

    def executed(self, column: str, lines: str) -> None:
        """An output column was executed, from these lines of a text."""
        self._write({"event": "message", "text": f"{column}: executed from {lines}", "column": column, "from": lines})

    def opened(self, path: str) -> None:
        """A file of the task was opened."""
        self._write({"event": "tool_call", "name": "open", "path": path})

    def query(self, title: str, sql: str) -> None:
        """A query is about to run; the whole statement is shown."""
        self.queries += 1
        self._write({"event": "tool_call", "name": "query", "title": title, "sql": sql})

    def result(self, title: str, rows: int) -> None:
        """How many rows a query gave."""
        self._write({"event": "tool_result", "name": "query", "title": title, "rows": rows})

    def gap(self, where: str, text: str, why: str, kind: GapKind = "unclear") -> None:
        """The text at ``where`` says something that is not executed. The same gap is listed once.

        ``prose`` is free text that was not read, ``unclear`` a place meant for execution that cannot be read, and
        ``not executed`` an output column or an input that is lost because of an unclear or absent place.
        """
        entry = (where, text, why)
        if entry in self._listed:
            return
        self._listed.add(entry)
        self.gaps += 1
        self._write({"event": "gap", "where": where, "text": text, "why": why, "kind": kind})

    def end(self, status: Literal["ok", "error"], text: str) -> None:
        """The last lines of a trace: what it cost and how it ended."""
        self._write({"event": "usage", "input_tokens": 0, "output_tokens": 0, "queries": self.queries})
        self._write({"event": "end", "status": status, "text": text, "gaps": self.gaps})

    def _write(self, event: dict[str, object]) -> None:
        self.stream.write(json.dumps(event, ensure_ascii=False) + "\n")
        self.stream.flush()

"""What of a run may be published: its record without anybody's words in it, and its trace without rows or places.

A published record is a run record like any other, so that every figure can be computed from it again. Left out are the
texts in which something of the data or of a machine could stand: excerpts of the audit, names of left files, notes,
gaps, the agent's last error messages, and the address of a model's server that is not public.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from m4review.campaigns.leaks import masked_places
from m4review.trials.records import Inputs, RunRecord
from m4review.trials.sandbox.job import OUTPUT_NAME, STDERR_NAME, TRACE_NAME
from m4review.trials.timeline import TimelineEntry, read_timeline

WITHHELD = "withheld"
KNOWN_FILES = frozenset({TRACE_NAME, STDERR_NAME, OUTPUT_NAME, "trace", "egress.jsonl", "events.jsonl"})
PUBLIC_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", re.IGNORECASE)
LOCAL_ENDINGS = (".local", ".internal", ".lan", ".home", ".localdomain", ".corp", ".intranet", ".test", ".invalid")


def published_record(record: RunRecord) -> RunRecord:
    """A run's record as it is published, with what a person decided about it applied."""
    audit, trace = record.audit, record.trace
    if audit is not None:
        findings = tuple(
            finding.model_copy(
                update={"file": finding.file if finding.file in KNOWN_FILES else WITHHELD, "excerpt": "", "line": None}
            )
            for finding in audit.findings
        )
        audit = audit.model_copy(update={"findings": findings, "notes": (), "left": ()})
    if trace is not None:
        trace = trace.model_copy(update={"gaps": (), "problems": ()})
    return record.model_copy(
        update={
            "inputs": published_inputs(record.inputs),
            "audit": audit,
            "trace": trace,
            "files": {name: kept for name, kept in record.files.items() if name in KNOWN_FILES},
            "reason": None if record.reason is None else WITHHELD,
            "notes": (),
            "decision": None,
        }
    )


def published_inputs(inputs: Inputs) -> Inputs:
    """A run's inputs; the address of a server that is not public is withheld."""
    if inputs.server is None or is_public(inputs.server):
        return inputs
    return inputs.model_copy(update={"server": WITHHELD})


def is_public(server: str) -> bool:
    """Whether a server's address names a host of the public internet."""
    host = urlsplit(server).hostname or ""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return bool(PUBLIC_HOST.fullmatch(host)) and not host.lower().endswith(LOCAL_ENDINGS)


def published_trace(folder: Path, roots: Iterable[Path]) -> bytes:
    """The trace of a run in its common form, one JSON object per line, without places of a machine.

    Rows, long numbers and dates were left out when it was written; of what a tool returned only the size is in it.

    Raises:
        TrialError: the file cannot be understood.
    """
    roots = tuple(roots)
    lines = [_published(entry, roots).model_dump_json(exclude_none=True) for entry in read_timeline(folder)]
    return "".join(f"{line}\n" for line in lines).encode()


def _published(entry: TimelineEntry, roots: tuple[Path, ...]) -> TimelineEntry:
    return entry.model_copy(update={"text": masked_places(entry.text, roots)})

"""Writing events: the keys that all share, and files that are committed together or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from m4review import __version__
from m4review.errors import LedgerError
from m4review.reviews.digests import SCHEME, check_text
from m4review.reviews.events import EVENT_SCHEMA, TIME_FORMAT, event_path, parse_event, render_event
from m4review.reviews.ledger import Ledger
from m4review.reviews.signing import sign_event
from m4review.reviews.subjects import Subject
from m4review.textfile import write_bytes
from m4review.workspace import Reviewer, Workspace

WORDS: Mapping[str, str] = {
    "open": "Opening",
    "seal": "Sealed verdict",
    "verdict": "Verdict",
    "reveal": "Reveal",
    "comment": "Comment",
    "resolve": "Resolution",
    "consensus": "Consensus",
    "sign-off": "Sign-off",
    "carry": "Carry",
    "trial": "Trial evidence",
    "assign": "Assignment",
    "recuse": "Recusal",
    "withdraw": "Withdrawal",
    "revoke": "Revocation",
    "override": "Override",
}
"""Kind → the word that the commit message says. It never says what was decided."""


def common_values(ledger: Ledger, subject: Subject, kind: str, reviewer: Reviewer, time: datetime) -> dict[str, Any]:
    """The keys that every event has, but for what it means."""
    return {
        "schema": EVENT_SCHEMA,
        "kind": kind,
        "skill": subject.skill,
        "scheme": SCHEME,
        "content": subject.content,
        "tasks": dict(subject.tasks),
        "actor": reviewer.id,
        "at": time.strftime(TIME_FORMAT),
        "clock": ledger.next_clock(subject.skill),
        "after": list(ledger.heads(subject.skill)),
        "policy": ledger.rules.policy_digest,
        "tool": f"m4review {__version__}",
    }


def rendered(values: Mapping[str, Any], notes: str) -> tuple[str, bytes]:
    """Place (relative to the events folder) and bytes of a new event, read back once to be sure of them.

    Raises:
        LedgerError: it would not be an event.
    """
    data = render_event(values, notes)
    name = event_path(values, data)
    check_text(data, name)
    parse_event(data, name)
    return name, data


def write_events(
    workspace: Workspace, ledger: Ledger, events: Sequence[tuple[str, bytes]], reviewer: Reviewer, commit: bool
) -> Path:
    """Write events, each signed if the reviewer has a key, and commit exactly them; on any failure all are gone again.

    Returns the file of the last one.

    Raises:
        LedgerError: one of them is recorded already.
        HistoryError: git refused the commit.
    """
    written: list[Path] = []
    path = Path()
    try:
        for name, data in events:
            path = workspace.events_dir / name
            signature = sign_event(workspace, reviewer.id, data)
            try:
                write_bytes(path, data, exclusive=True)
            except FileExistsError:
                raise LedgerError("this very event is recorded already", where=workspace.relative(path)) from None
            written.append(path)
            if signature is not None:
                written.append(path.with_name(f"{path.name}.sig"))
                write_bytes(written[-1], signature)
        if commit:
            assert ledger.snapshot.repository is not None
            last = parse_event(events[-1][1], events[-1][0])
            message = f"{WORDS[last.kind]} of {reviewer.id} on {last.skill}"
            ledger.snapshot.repository.commit(written, message, reviewer.git_identity)
    except BaseException:
        for file in written:
            file.unlink(missing_ok=True)
        for folder in {file.parent for file in written}:
            _remove_empty(folder, workspace.reviews_dir)
        raise
    return path


def _remove_empty(folder: Path, stop: Path) -> None:
    """Remove folders that recording made and that hold nothing."""
    while folder != stop and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent

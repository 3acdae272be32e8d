"""Event files written by hand: intact, under names that fit their bytes, and saying whatever they like."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from reviews_ward import Ward

from m4review.reviews import Ledger
from m4review.reviews.digests import event_id
from m4review.reviews.events import Event, event_path, parse_event, render_event
from m4review.reviews.signing import SshKeygen, key_file

APPROVE = {"definition": "approve", "schema": "approve", "output": "approve"}


def forge(ward: Ward, kind: str, actor: str, *, signer: str | None = None, **more: Any) -> Path:
    """Write and commit an intact event with the digests of the present text and whatever else it claims."""
    ledger = Ledger.load(ward.workspace)
    subject = ledger.snapshot.subject("lactate", ward.workspace.policy)
    values: dict[str, Any] = {
        "schema": "m4review.event.v1",
        "kind": kind,
        "skill": "lactate",
        "scheme": "m4review.digest.v1",
        "content": subject.content,
        "tasks": dict(subject.tasks),
        "actor": actor,
        "at": "2098-01-31T12:00:00Z",
        "clock": ledger.next_clock("lactate"),
        "after": [],
        "policy": ledger.rules.policy_digest,
        "tool": "by hand",
        "meaning": "By hand.",
    }
    if kind == "verdict":
        values |= {
            "scopes": dict(subject.scopes),
            "round": "independent",
            "decisions": APPROVE,
            "looked_at": ["text"],
            "conflict_of_interest": "none",
            "supersedes": [],
        }
    path = written(ward, values | more, signer=signer)
    ward.commit("by hand")
    return path


def written(ward: Ward, values: dict[str, Any], notes: str = "", *, signer: str | None = None) -> Path:
    """The file of an event with these values, signed with ``signer``'s key where one is named; not committed."""
    data = render_event(values, notes)
    path = ward.workspace.events_dir / event_path(values, data)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if signer is not None:
        sign(path, signer)
    return path


def reforged(ward: Ward, path: Path, *, signer: str | None = None, **changes: Any) -> Path:
    """An event like the one at ``path`` with other values, under a name that fits its bytes; not committed."""
    event = event_at(path)
    values = event.model_dump(mode="json", by_alias=True, exclude={"id", "path", "notes", "raw"}) | changes
    ordered = {"schema": values.pop("schema"), "kind": values.pop("kind")} | values
    return written(ward, ordered, event.notes, signer=signer)


def renamed_to_fit(ward: Ward, data: bytes, old: Path, skill: str = "lactate") -> Path:
    """Write changed bytes under the name that fits them, with the old signature, as one who knows the rules would."""
    stem, _, _ = old.name.rpartition("-")
    path = ward.root / "reviews/events" / skill / f"{stem}-{event_id(data)[7:19]}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if signature_of(old).exists():
        shutil.copyfile(signature_of(old), signature_of(path))
    return path


def replaced(ward: Ward, old: Path, before: bytes, after: bytes) -> Path:
    """The event at ``old`` with other bytes, under a fitting name and with its old signature; the old one is gone."""
    data = old.read_bytes()
    assert before in data
    path = renamed_to_fit(ward, data.replace(before, after), old)
    removed(old)
    return path


def removed(path: Path) -> None:
    """Delete an event with its signature."""
    path.unlink()
    signature_of(path).unlink(missing_ok=True)


def sign(path: Path, reviewer: str) -> None:
    """Sign an event's exact bytes with a reviewer's own key."""
    key = key_file(reviewer)
    assert key is not None
    signature_of(path).write_bytes(SshKeygen().sign(path.read_bytes(), key))


def signature_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.sig")


def event_at(path: Path) -> Event:
    return parse_event(path.read_bytes(), f"{path.parent.name}/{path.name}")


def one_event(ward: Ward, actor: str, kind: str) -> Path:
    """The newest event file of that actor and kind."""
    return [path for path in ward.events() if f"-{actor}-{kind}-" in path.name][-1]

"""Review events: one file each, written once, read strictly.

An event is YAML front matter and Markdown notes. Its id is the SHA-256 of its exact bytes, and the first twelve hex
digits of it are part of the file name, so that an edited event no longer matches its own name. Two reviewers on two
branches add two files and never meet in a merge conflict. The kinds and their keys are in
:mod:`m4review.reviews.kinds`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from m4review.errors import LedgerError
from m4review.reviews.digests import SCHEME, check_text, event_id
from m4review.reviews.eventparts import APPROVING as APPROVING
from m4review.reviews.eventparts import DECISIONS as DECISIONS
from m4review.reviews.eventparts import TIME_FORMAT as TIME_FORMAT
from m4review.reviews.eventparts import Decision as Decision
from m4review.reviews.eventparts import LookedAt as LookedAt
from m4review.reviews.eventparts import Round as Round
from m4review.reviews.eventparts import moment as moment
from m4review.reviews.eventyaml import read_event_block
from m4review.reviews.kinds import KINDS as KINDS
from m4review.reviews.kinds import Event as Event
from m4review.reviews.kinds import Opening as Opening
from m4review.reviews.kinds import Verdict as Verdict
from m4review.reviews.kinds import Withdrawal as Withdrawal
from m4review.skills.frontmatter import FENCE, FrontMatter, split_front_matter

EVENT_SCHEMA = "m4review.event.v1"
NAME_PATTERN = re.compile(r"(?P<clock>\d{4,})-(?P<actor>C[1-9]\d*)-(?P<kind>[a-z][a-z-]*)-(?P<hash>[0-9a-f]{12})\.md")
SIGNATURE_SUFFIX = ".md.sig"
"""A detached signature lies beside its event, under the event's name and ``.sig``."""
FROM_FILE = ("id", "path", "notes", "raw")


class NotUnderstoodError(LedgerError):
    """An intact event of a kind or scheme that this version does not know. It is listed and never counted."""


def parse_event(data: bytes, path: str) -> Event:
    """The event in a file; ``path`` is relative to the events folder.

    Raises:
        NotUnderstoodError: intact, but of an unknown kind, schema or digest scheme.
        LedgerError: the name does not match the bytes, or the front matter is not exactly what its kind asks for.
    """
    folder, _, name = path.rpartition("/")
    match = NAME_PATTERN.fullmatch(name)
    if match is None or "/" in folder or not folder:
        raise LedgerError(
            "not the name of an event", where=path, expected="<skill>/<clock>-<actor>-<kind>-<12 hex digits>.md"
        )
    identity = event_id(data)
    if identity[7:19] != match["hash"]:
        raise LedgerError(
            f"the event was changed after it was recorded: its bytes hash to {identity[7:19]}, its name says "
            f"{match['hash']}",
            where=path,
            fix="restore the file from git; a correction is a new event, never an edit",
        )
    front = _front_matter(check_text(data, path), path)
    _refuse_unknown(front.values, path)
    values = dict(front.values)
    for key in FROM_FILE:
        if key in values:
            raise LedgerError(f"unknown key {key!r}", where=path, line=front.lines[key])
    notes = "\n".join(data.decode("utf-8").split("\n")[front.body_line - 1 :]).strip("\n")
    values |= {"id": identity, "path": path, "notes": notes, "raw": data}
    try:
        event: Event = KINDS[values["kind"]].model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        keys = [str(part) for part in first["loc"]]
        raise LedgerError(
            f"{'.'.join(keys)}: {first['msg'].removeprefix('Value error, ')}",
            where=path,
            line=front.lines.get(keys[0]) if keys else None,
            expected=f"the keys of a {values['kind']} event, docs/events.md",
        ) from None
    said = (event.skill, f"{event.clock:04d}", event.actor, event.kind)
    named = (folder, match["clock"], match["actor"], match["kind"])
    if said != named:
        raise LedgerError(
            f"the name and the content disagree: {'-'.join(named)} and {'-'.join(said)}",
            where=path,
            fix="restore the file from git under its own name",
        )
    return event


def render_event(values: Mapping[str, Any], notes: str) -> bytes:
    """The bytes of a new event: ``values`` in their order as front matter, then the notes."""
    import yaml

    block = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=sys.maxsize)
    body = notes.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return f"{FENCE}\n{block}{FENCE}\n{f'{chr(10)}{body}{chr(10)}' if body.strip() else ''}".encode()


def event_path(values: Mapping[str, Any], data: bytes) -> str:
    """Where an event with these bytes lies, relative to the events folder."""
    return f"{values['skill']}/{values['clock']:04d}-{values['actor']}-{values['kind']}-{event_id(data)[7:19]}.md"


def _refuse_unknown(values: Mapping[str, Any], path: str) -> None:
    for key, known in (("schema", (EVENT_SCHEMA,)), ("scheme", (SCHEME,)), ("kind", tuple(KINDS))):
        value = values.get(key)
        if isinstance(value, str) and value not in known:
            raise NotUnderstoodError(
                f"the {key} {value!r} is not understood by this version",
                where=path,
                expected=" or ".join(known),
                fix="use a newer m4review; until then the event is listed and not counted",
            )
        if not isinstance(value, str):
            raise LedgerError(f"the key {key!r} is missing or not a text", where=path)


def _front_matter(text: str, path: str) -> FrontMatter:
    end = text.find(f"\n{FENCE}\n", len(FENCE))
    if end > len(FENCE) and text.startswith(f"{FENCE}\n"):
        block = text[len(FENCE) + 1 : end]
        found = read_event_block(block)
        if found is not None:
            values, lines = found
            body_line = block.count("\n") + 4
            return FrontMatter(values, {key: line + 2 for key, line in lines.items()}, body_line)
    return split_front_matter(text, path, LedgerError)

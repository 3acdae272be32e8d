"""Proofs about the event files themselves: intact, in order, rightly dated, by whom they say, never touched again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from m4review.errors import LedgerError, M4ReviewError
from m4review.reviews.digests import event_id
from m4review.reviews.events import NAME_PATTERN, SIGNATURE_SUFFIX, Event
from m4review.reviews.kinds import Verdict
from m4review.reviews.people import human_addresses
from m4review.reviews.status import SkillStatus
from m4review.reviews.verify.evidence import Evidence
from m4review.reviews.verify.proofs import Outcome, Proof
from m4review.workspace import EVENTS

CLOCK_SKEW = timedelta(minutes=5)
"""How far apart the clocks of two reviewers' computers may be."""
LATE = timedelta(days=1)
"""How long after it was written an event may be recorded, by its author's time, before that needs a signature."""


def names_proof(evidence: Evidence) -> Proof:
    """Every event lies under a name that holds the hash of its bytes; every signature lies beside an event."""
    details = [
        f"{path.removeprefix(f'{EVENTS}/')}: a link, which is no event"
        for path in evidence.ledger.snapshot.links
        if path.startswith(f"{EVENTS}/")
    ]
    for path, data in evidence.ledger.snapshot.events.items():
        name = path.rpartition("/")[2]
        if any(part.startswith(".") for part in path.split("/")):
            continue
        if name.endswith(SIGNATURE_SUFFIX):
            if path.removesuffix(".sig") not in evidence.ledger.snapshot.events:
                details.append(f"{path}: a signature whose event is gone")
            continue
        match = NAME_PATTERN.fullmatch(name)
        if match is None or path.count("/") != 1:
            details.append(f"{path}: not the name of an event")
        elif event_id(data)[7:19] != match["hash"]:
            details.append(f"{path}: its bytes hash to {event_id(data)[7:19]}, so it was changed")
    count = sum(1 for path in evidence.ledger.snapshot.events if path.endswith(".md"))
    return _proof("event names match their bytes", details, "integrity failure", f"{count} event files")


def front_matter_proof(evidence: Evidence) -> Proof:
    """Every event says exactly what its kind asks for. What this version does not know stays undecided."""
    damaged = [
        f"{problem.path}: {problem.error.what}"
        for problem in evidence.ledger.problems
        if problem.kind == "damaged" and _has_own_name(evidence, problem.path)
    ]
    unknown = [
        f"{problem.path}: {problem.error.what}; {problem.error.fix}"
        for problem in evidence.ledger.problems
        if problem.kind == "not understood"
    ]
    if unknown and not damaged:
        return Proof("front matter is strict", "cannot decide", "events of another version", tuple(unknown))
    understood = f"{len(evidence.ledger.events)} events, no key unknown or given twice"
    return _proof("front matter is strict", damaged, "integrity failure", understood)


def digests_proof(evidence: Evidence, statuses: Mapping[str, SkillStatus]) -> Proof:
    """The digests that verdicts on present texts name are those of the blobs.

    ``statuses`` hold subjects that were digested from this revision's blobs already; the others are digested here.
    """
    snapshot, policy = evidence.ledger.snapshot, evidence.ledger.policy
    details, checked = [], 0
    subjects = {}
    for skill in snapshot.skills:
        try:
            subject = statuses[skill].subject if skill in statuses else snapshot.subject(skill, policy)
        except M4ReviewError:
            continue  # its state says why it cannot be reviewed
        if subject is None:
            continue
        subjects[skill, subject.content] = subject
    for event in evidence.ledger.events:
        found = subjects.get((event.skill, event.content))
        if not isinstance(event, Verdict) or found is None or event.id in evidence.settled:
            continue
        checked += 1
        if event.policy == evidence.ledger.rules.policy_digest and dict(event.scopes) != dict(found.scopes):
            details.append(f"{event.path}: the scope digests it names are not those of the text it names")
    why = f"{len(subjects)} present texts digested from their blobs, {checked} verdicts name exactly these"
    return _proof("digests recomputed from blobs", details, "integrity failure", why)


def order_proof(evidence: Evidence) -> Proof:
    """Every event that another one had seen is there, and came before it by the logical clock."""
    by_id = {event.id: event for event in evidence.ledger.events}
    unread = {
        event_id(evidence.ledger.snapshot.events[problem.path])
        for problem in evidence.ledger.problems
        if problem.kind == "not understood"
    }
    details = []
    for event in evidence.ledger.events:
        for seen in event.after:
            before = by_id.get(seen)
            if before is None and seen not in unread:
                details.append(f"{event.path}: had seen event {seen[:19]}, which is no longer there")
            elif before is not None and before.clock >= event.clock:
                details.append(f"{event.path}: had seen {before.path}, which claims to be later")
    return _proof("nothing was dropped or reordered", details, "integrity failure", f"{len(by_id)} events in order")


def dates_proof(evidence: Evidence) -> Proof:
    """No event is dated before one that its actor had seen, nor recorded long after its date without a signature."""
    by_id = {event.id: event for event in evidence.ledger.events}
    early, late = [], []
    for event in evidence.ledger.events:
        seen = [by_id[other] for other in event.after if other in by_id]
        newest = max(seen, key=lambda other: other.time, default=None)
        if newest is not None and event.time + CLOCK_SKEW < newest.time:
            early.append(f"{event.path}: dated {event.at}, and its actor had seen {newest.path} of {newest.at}")
            continue
        added, on_top = evidence.added(event), evidence.recorded_after(event)
        unsigned = evidence.assurances[event.id].level == 0 and event.id not in evidence.settled
        if added is not None and on_top is not None and unsigned and event.time + LATE < min(added.authored, on_top):
            late.append(
                f"{event.path}: dated {event.at}, recorded on {added.authored.astimezone(UTC):%Y-%m-%d} on top of a "
                f"commit of {on_top.astimezone(UTC):%Y-%m-%d}, and not signed"
            )
    outcome: Outcome = "integrity failure" if early else "policy not met"
    return _proof("nothing is backdated", early + late, outcome, f"{len(by_id)} dates fit what their actors had seen")


def unmodified_proof(evidence: Evidence) -> Proof:
    """No file of the ledger was ever changed or removed, on the first-parent line or on any branch merged into it."""
    name = "nothing was ever modified or deleted"
    if evidence.files.violations:
        return Proof(name, "integrity failure", "the ledger only grows", evidence.files.violations)
    if not evidence.source.is_complete:
        return Proof(name, "cannot decide", f"the history is not all here; {evidence.source.where_history_is}")
    return Proof(name, "proven", f"{len(evidence.files.added)} files, each added once")


def attribution_proof(evidence: Evidence) -> Proof:
    """An event without a signature was at least recorded by the person it names, who has no key to sign with."""
    details, unknown, unsigned = [], [], 0
    for event in evidence.ledger.events:
        if evidence.assurances[event.id].level > 0 or evidence.assurances[event.id].problem:
            continue
        unsigned += 1
        if event.id in evidence.settled:
            continue
        why = unattributed(evidence, event)
        if why is not None:
            details.append(f"{event.path}: {why}")
        elif evidence.added(event) is None:
            unknown.append(f"{event.path}: not signed, and who recorded it is not in this history")
    if unknown and not details:
        return Proof("events are by whom they say", "cannot decide", "the history is not all here", tuple(unknown))
    signed = len(evidence.ledger.events) - unsigned
    why = f"{signed} signed; {unsigned} unsigned, which prove no more than who recorded them"
    return _proof("events are by whom they say", details, "policy not met", why)


def unattributed(evidence: Evidence, event: Event) -> str | None:
    """Why an unsigned event is not its actor's, as far as can be told; ``None`` when nothing speaks against it."""
    rules = evidence.rules_of(event)
    if event.actor not in {reviewer.id for reviewer in rules.roster.reviewers}:
        return None  # the roster's proof says so
    try:
        keys = rules.allowed.of(event.actor)
    except LedgerError:
        keys = ()
    if any(key.valid_at(event.time) for key in keys):
        return f"not signed, and {event.actor} had a key to sign with"
    added = evidence.added(event)
    if added is not None and not added.people & human_addresses(rules.roster, event.actor):
        return f"not signed, and recorded by {', '.join(sorted(added.people))} instead of {event.actor}"
    return None


def roster_proof(evidence: Evidence) -> Proof:
    """Every actor was on the roster in force when the event was recorded, and on its day."""
    details: list[str] = []
    unknown: list[str] = []
    for event in evidence.ledger.events:
        if event.id in evidence.settled:
            continue
        why, is_certain = off_roster(evidence, event)
        if why is not None:
            (details if is_certain else unknown).append(f"{event.path}: {why}")
    if unknown and not details:
        return Proof("actors were on the roster", "cannot decide", "dates near an end", tuple(unknown))
    count = len({event.actor for event in evidence.ledger.events})
    return _proof(
        "actors were on the roster", details + unknown, "policy not met", f"{count} actors, each at that time"
    )


def off_roster(evidence: Evidence, event: Event) -> tuple[str | None, bool]:
    """Why the actor could not give the event, and whether that is certain; ``None`` when they could."""
    roster = evidence.rules_of(event).roster
    reviewer = next((entry for entry in roster.reviewers if entry.id == event.actor), None)
    if reviewer is None:
        return f"{event.actor} was not on the roster when it was recorded", True
    if not reviewer.active_on(event.time.date()):
        return f"{event.actor} was not on the roster on {event.at[:10]}", True
    on_top = evidence.recorded_after(event)
    if on_top is not None and on_top > event.time and not reviewer.active_on(_day(on_top)):
        return (
            f"dated {event.at[:10]} and recorded after {_day(on_top)}, when {event.actor} had left the roster: "
            "it cannot be told from a backdated one",
            False,
        )
    return None, True


def _day(time: datetime) -> date:
    return time.astimezone(UTC).date()


def _has_own_name(evidence: Evidence, path: str) -> bool:
    """Whether the file's name fits its bytes, so that what is wrong is what it says."""
    match = NAME_PATTERN.fullmatch(path.rpartition("/")[2])
    data = evidence.ledger.snapshot.events.get(path)
    return data is not None and match is not None and path.count("/") == 1 and event_id(data)[7:19] == match["hash"]


def _proof(name: str, details: list[str], otherwise: Outcome, why: str) -> Proof:
    if details:
        return Proof(name, otherwise, f"{len(details)} found", tuple(details))
    return Proof(name, "proven", why)

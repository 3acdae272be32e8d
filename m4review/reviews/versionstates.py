"""The state of every recorded version of a skill, the earlier ones included: what became of each text.

An earlier version has the state that its own events give it, as if no later text had been written. Once a later version
is approved it is *superseded*, and says by which event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4review.reviews.kinds import Carry, Consensus, Event, Override, Reveal, Seal, SignOff, Verdict
from m4review.reviews.ledger import Ledger
from m4review.reviews.overview import skill_status
from m4review.reviews.recorded import changes_between
from m4review.reviews.scopes import ScopeDigests
from m4review.reviews.standing import short
from m4review.reviews.status import APPROVED_STATES, SkillStatus, State, skill_state
from m4review.reviews.subjects import Pair, Subject, pair_of
from m4review.reviews.visibility import as_seen_by
from m4review.workspace import Workspace

ABOUT_ONE_TEXT = (Verdict, Seal, Reveal, Consensus, Carry, SignOff, Override)
"""Events that speak of exactly the text they name; the others may take back or set aside what was said of any."""


@dataclass(frozen=True, slots=True)
class VersionState:
    """One recorded version with its state, as a viewer may see it."""

    number: int
    content: str
    state: State
    label: str
    because: tuple[str, ...]
    """Sentences: which event, which digest, which rule."""


def version_states(
    workspace: Workspace, ledger: Ledger, skill: str, viewer: str | None = None
) -> tuple[VersionState, ...]:
    """Every recorded version of ``skill`` whose text can be digested, oldest first, as ``viewer`` may see it.

    Raises:
        M4ReviewError: there is no such skill, or the rules in force cannot be read.
    """
    past = ledger.snapshot.past
    now = skill_status(workspace, ledger, skill, viewer)
    contents = [] if past is None else past.versions(skill)
    found: list[tuple[int, SkillStatus]] = []
    for number, content in enumerate(contents, start=1):
        if content is None:
            continue
        is_present = now.subject is not None and content == now.subject.content
        later = {one for one in contents[number:] if one is not None} - {*contents[:number]}
        status = now if is_present else _status_of(ledger, skill, content, later, viewer)
        if status is not None:
            found.append((number, status))
    return tuple(_version(number, status, found) for number, status in found)


def _status_of(ledger: Ledger, skill: str, content: str, later: set[str], viewer: str | None) -> SkillStatus | None:
    """The status of an earlier text, from the events that its later texts did not bring."""
    snapshot, policy, roster, past = ledger.snapshot, ledger.policy, ledger.roster, ledger.snapshot.past
    files = snapshot.files_of(content)
    if past is None or files is None:
        return None
    nodes = past.nodes(skill)
    pairs = [node.pair for node in nodes if node.pair is not None and node.pair[0] == content]
    if not pairs:
        return None
    events = [
        event
        for event in ledger.about(skill, content)
        if not (isinstance(event, ABOUT_ONE_TEXT) and event.content in later)
    ]
    judged = [event for event in events if isinstance(event, Verdict) and _pair(event) in pairs]
    last = judged[-1] if judged else None
    pair = pairs[-1] if last is None else _pair(last)
    tasks = _named(pair, snapshot.task_digests) if last is None else dict(last.tasks)
    knew = ({}, {}) if last is None else (last.deps or {}, last.context or {})
    subject = Subject(skill, content, tasks, ScopeDigests(files, policy), *knew)
    status = skill_state(
        subject,
        events,
        policy,
        roster,
        nodes,
        is_complete=snapshot.is_complete,
        change_of=changes_between(snapshot, policy),
        levels=ledger.levels,
    )
    return as_seen_by(status, viewer, policy, roster)


def _version(number: int, status: SkillStatus, everything: Sequence[tuple[int, SkillStatus]]) -> VersionState:
    assert status.subject is not None
    content = status.subject.content
    for later, other in reversed(everything):
        if other.subject is None or other.subject.content == content or later <= number:
            break  # the same text came back later, or no later version is left
        if other.state in APPROVED_STATES:
            by = other.sign_off or next(
                (judged.verdict for judged in reversed(other.verdicts) if judged.standing == "counts"), None
            )
            event = "" if by is None else f", last by {by.actor} ({by.path})"
            why = (
                f"version {later}, {short(other.subject.content)}, is {other.label}{event}; a later approved version "
                f"takes the place of {short(content)}, which until then was {status.label}"
            )
            return VersionState(number, content, "superseded", f"superseded (by version {later})", (why,))
    return VersionState(number, content, status.state, status.label, status.because)


def _pair(event: Event) -> Pair:
    return pair_of(event.content, event.tasks.values())


def _named(pair: Pair, names: Mapping[str, str]) -> dict[str, str]:
    """Task → digest of a pair; a card of another time is named by its digest."""
    known = {digest: name for name, digest in names.items()}
    return {known.get(digest, short(digest)): digest for digest in pair[1]}

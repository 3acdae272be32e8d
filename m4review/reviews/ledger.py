"""The ledger: every event file of a workspace, sorted into what counts, what is damaged and what is not understood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from m4review.errors import LedgerError, M4ReviewError
from m4review.reviews.events import SIGNATURE_SUFFIX, Event, NotUnderstoodError, Opening, parse_event
from m4review.reviews.inforce import InForce, Ruled, rules_in_force
from m4review.reviews.kinds import Assignment
from m4review.reviews.references import references
from m4review.reviews.signing.allowed import REVOKED_KEYS_FILE
from m4review.reviews.signing.assurance import SignedEvent, assurance_of
from m4review.reviews.snapshot import Snapshot, take_snapshot
from m4review.workspace import EVENTS, Roster, Workspace


@dataclass(frozen=True, slots=True)
class Problem:
    """An event file that is named and never counted."""

    kind: Literal["damaged", "not understood"]
    skill: str
    path: str
    """Relative to the events folder."""
    error: M4ReviewError


@dataclass(frozen=True)
class Ledger(Ruled):
    """The events of one moment, together with the snapshot they are judged against."""

    events: tuple[Event, ...]
    """Intact and understood, in logical order."""
    problems: tuple[Problem, ...]
    snapshot: Snapshot
    rules: InForce
    """What everything is judged by."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Event id → assurance level, for events with a valid signature; all others are unsigned."""

    @classmethod
    def load(cls, workspace: Workspace, revision: str | None = None, *, rules: InForce | None = None) -> Ledger:
        """Read the ledger of the working copy, or of a revision. Nothing is written.

        ``rules`` are those in force, where they are known already.

        Raises:
            HistoryError: git failed, or there is no such revision.
            LedgerError: the rules in force cannot be read.
        """
        snapshot = take_snapshot(workspace, revision)
        rules = rules or rules_in_force(snapshot.reviews, snapshot.repository, snapshot.revision)
        events, problems = read_events(snapshot.events)
        problems += tuple(_link(path) for path in snapshot.links if path.startswith(f"{EVENTS}/"))
        levels = proven_levels(events, snapshot, rules) if rules.policy.minimum_assurance > 0 else {}
        return cls(events, problems, snapshot, rules, levels)

    def about(self, skill: str, content: str | None) -> tuple[Event, ...]:
        """The events that concern a skill: given under its name, or on exactly its content under another one."""
        chosen = list(self._by_skill.get(skill, ()))
        chosen += [event for event in self._by_content.get(content or "", ()) if event.skill != skill]
        known = {event.id for event in chosen}
        waiting = [*chosen]
        while waiting:
            for event in self._by_reference.get(waiting.pop().id, ()):
                if event.id not in known:
                    known.add(event.id)
                    chosen.append(event)
                    waiting.append(event)
        return tuple(sorted(chosen, key=_order))

    def asked(self, skill: str, roster: Roster) -> tuple[str, ...]:
        """The reviewers named by the newest opening or assignment of the skill that names any; empty when none does."""
        known = {reviewer.id for reviewer in roster.reviewers}
        for event in reversed(self._by_skill.get(skill, ())):
            if isinstance(event, Opening | Assignment) and event.actor in known and event.reviewers:
                return tuple(name for name in event.reviewers if name in known)
        return ()

    def problems_of(self, skill: str) -> tuple[Problem, ...]:
        """The damaged and not understood event files in the skill's folder."""
        return tuple(problem for problem in self.problems if problem.skill == skill)

    def heads(self, skill: str) -> tuple[str, ...]:
        """Ids of the skill's events that no other event names in ``after``, sorted."""
        mine = self._by_skill.get(skill, ())
        seen = {identity for event in mine for identity in event.after}
        return tuple(sorted(event.id for event in mine if event.id not in seen))

    def next_clock(self, skill: str) -> int:
        """The logical clock of the skill's next event: one more than the highest seen, unreadable ones included."""
        names = [
            path.rpartition("/")[2].partition("-")[0] for path in self.snapshot.events if path.startswith(f"{skill}/")
        ]
        return max((int(name) for name in names if name.isascii() and name.isdigit()), default=0) + 1

    @cached_property
    def _by_skill(self) -> Mapping[str, Sequence[Event]]:
        return _grouped((event.skill, event) for event in self.events)

    @cached_property
    def _by_content(self) -> Mapping[str, Sequence[Event]]:
        return _grouped((event.content, event) for event in self.events)

    @cached_property
    def _by_reference(self) -> Mapping[str, Sequence[Event]]:
        return _grouped((identity, event) for event in self.events for identity in references(event))


def proven_levels(events: Sequence[Event], snapshot: Snapshot, rules: InForce) -> dict[str, int]:
    """Event id → assurance level, from the signatures beside the events and the list of keys in force.

    Without a usable list every event is unsigned; ``m4review verify`` says why.
    """
    try:
        allowed = rules.rules.allowed
    except LedgerError:
        return {}
    revoked = snapshot.reviews.get(REVOKED_KEYS_FILE) or rules.rules.revoked
    signed = [SignedEvent(event, snapshot.events.get(f"{event.path}.sig")) for event in events]
    return {identity: found.level for identity, found in assurance_of(signed, allowed, revoked).items()}


def read_events(files: Mapping[str, bytes]) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
    """Parse event files (path relative to the events folder → bytes).

    Hidden files and the signatures beside events are passed over.
    """
    events: list[Event] = []
    problems: list[Problem] = []
    for path, data in sorted(files.items()):
        if path.endswith(SIGNATURE_SUFFIX) or any(part.startswith(".") for part in path.split("/")):
            continue
        try:
            events.append(parse_event(data, path))
        except NotUnderstoodError as error:
            problems.append(Problem("not understood", path.split("/")[0], path, error))
        except LedgerError as error:
            problems.append(Problem("damaged", path.split("/")[0], path, error))
    return tuple(sorted(events, key=_order)), tuple(problems)


def _link(path: str) -> Problem:
    name = path.removeprefix(f"{EVENTS}/")
    error = LedgerError(
        "a link, which is no event", where=name, fix="restore the file from git; a correction is a new event"
    )
    return Problem("damaged", name.split("/")[0], name, error)


def _order(event: Event) -> tuple[int, str]:
    return event.clock, event.id


def _grouped(pairs: Iterable[tuple[str, Event]]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for key, event in pairs:
        found.setdefault(key, []).append(event)
    return found

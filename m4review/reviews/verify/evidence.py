"""Everything the proofs look at, read once from a revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from m4review.errors import LedgerError
from m4review.history.filehistory import Added, FileHistory, left_line_at, read_file_history
from m4review.reviews.chain import Chain, read_chain
from m4review.reviews.events import SIGNATURE_SUFFIX, Event
from m4review.reviews.governance import ADOPTIONS, Rules
from m4review.reviews.inforce import InForce
from m4review.reviews.ledger import Ledger
from m4review.reviews.signing.assurance import Assurance, SignedEvent, assurance_of
from m4review.reviews.verify.source import Source
from m4review.textfile import write_bytes
from m4review.workspace import EVENTS, POLICY_FILE, REVIEWS, ROSTER_FILE, Workspace

LEDGER = f"{REVIEWS}/{EVENTS}"


@dataclass(frozen=True)
class Evidence:
    """A revision with its ledger, its history and the rules in force."""

    source: Source
    workspace: Workspace
    """With the policy and the roster in force, whatever the files of the revision say."""
    ledger: Ledger
    files: FileHistory
    chain: Chain
    assurances: Mapping[str, Assurance]
    """Event id → what its signature proves under the keys in force when it was recorded."""

    def rules_of(self, event: Event) -> Rules:
        """The rules in force when the event was recorded."""
        return self.chain.at(self.files.reached.get(ledger_path(event)))

    def policies_of(self, event: Event) -> set[str]:
        """Digests of the policies that the event may name: the one in force where it was recorded; on a side branch
        also those in force since the branch left the line, of which its actor may not have known."""
        position = self.files.reached.get(ledger_path(event))
        found, added = {self.rules_of(event).policy_digest}, self.files.added.get(ledger_path(event))
        if position is None or added is None or added.commit in self.files.order or event.policy in found:
            return found
        left = left_line_at(self.source.repository, added.commit, self.files.order)
        rules = self.chain.between(0 if left is None else left + 1, position)
        return found | {one.policy_digest for one in rules}

    def added(self, event: Event) -> Added | None:
        """The commit that brought the event in; ``None`` where this history does not hold it."""
        found = self.files.added.get(ledger_path(event))
        at_edge = found is not None and not found.parents and not self.source.is_complete
        return None if at_edge else found

    def recorded_after(self, event: Event) -> datetime | None:
        """A time before which the event cannot have been recorded."""
        return self.files.after(ledger_path(event))

    @cached_property
    def settled(self) -> frozenset[str]:
        """Ids of events that a later event takes back or declares void: they claim nothing any more."""
        found: set[str] = set()
        owner = {event.id: event.actor for event in self.ledger.events}
        trusted = self.chain.in_force.policy.may_override
        for event in self.ledger.events:
            targets = (event.target,) if event.kind == "withdraw" else event.targets if event.kind == "revoke" else ()
            found.update(target for target in targets if owner.get(target) == event.actor or (event.actor in trusted))
        return frozenset(found)

    def counting(self, left_out: frozenset[str]) -> Ledger:
        """The ledger for the states: with the proven assurance levels, without events that proved nothing."""
        events = tuple(event for event in self.ledger.events if event.id not in left_out)
        levels = {identity: assurance.level for identity, assurance in self.assurances.items()}
        return replace(self.ledger, events=events, levels=levels)


def gather(source: Source) -> Evidence:
    """Read everything there is to prove about a source.

    Raises:
        HistoryError: git failed, or objects are missing.
        LedgerError, WorkspaceError: the rules in force cannot be read, or ``ssh-keygen`` is missing where it is needed.
    """
    history = (LEDGER, f"{REVIEWS}/{ADOPTIONS}")
    files = read_file_history(source.repository, source.revision, history)
    first = min((at for path, at in files.reached.items() if path.startswith(f"{LEDGER}/")), default=None)
    chain = read_chain(source.repository, source.revision, files.order, first)
    workspace = _ruled(source, chain.in_force)
    ledger = Ledger.load(workspace, source.revision, rules=InForce(chain.in_force))
    return Evidence(source, workspace, ledger, files, chain, _assurances(ledger, files, chain))


def ledger_path(event: Event) -> str:
    """The path of an event relative to the workspace."""
    return f"{LEDGER}/{event.path}"


def _ruled(source: Source, rules: Rules) -> Workspace:
    """The workspace of the source with the rules in force where they are looked for."""
    if not rules.files:
        raise LedgerError(
            "there is no roster at this revision, so nobody can have reviewed",
            where=f"{REVIEWS}/{ROSTER_FILE}",
            fix="name a revision of a workspace, or run this inside one",
        )
    for name in (ROSTER_FILE, POLICY_FILE):
        if name in rules.files:
            write_bytes(source.repository.root / REVIEWS / name, rules.files[name])
    return Workspace(source.repository.root)


def _assurances(ledger: Ledger, files: FileHistory, chain: Chain) -> dict[str, Assurance]:
    """Every event's assurance, each under the keys that were in force when it was recorded."""
    grouped: dict[str, tuple[Rules, list[SignedEvent]]] = {}
    for event in ledger.events:
        path = ledger_path(event)
        rules = chain.at(files.reached.get(path))
        signature = ledger.snapshot.events.get(event.path.removesuffix(".md") + SIGNATURE_SUFFIX)
        _, signed = grouped.setdefault(rules.digest, (rules, []))
        signed.append(SignedEvent(event, signature))
    found: dict[str, Assurance] = {}
    for rules, signed in grouped.values():
        try:
            allowed = rules.allowed
        except LedgerError:
            allowed = None
        found |= assurance_of(signed, allowed, chain.present.revoked or rules.revoked)
    return found

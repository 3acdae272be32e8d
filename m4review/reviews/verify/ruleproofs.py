"""Proofs about keys and rules: signatures hold, the list of keys is usable, no rule changed but by the rules before."""

from __future__ import annotations

from m4review.errors import LedgerError
from m4review.reviews.events import SIGNATURE_SUFFIX, Event
from m4review.reviews.signing.allowed import MissingAllowedSignersError
from m4review.reviews.standing import short
from m4review.reviews.verify.evidence import Evidence
from m4review.reviews.verify.proofs import Proof


def keys_proof(evidence: Evidence) -> Proof:
    """The list of keys can be used. Without one nothing is decided, unless nothing is signed and nothing need be."""
    name = "the list of keys is usable"
    needed = evidence.chain.in_force.policy.minimum_assurance > 0 or any(
        path.endswith(SIGNATURE_SUFFIX) for path in evidence.ledger.snapshot.events
    )
    try:
        allowed = evidence.chain.present.allowed
    except MissingAllowedSignersError as error:
        if not needed:
            return Proof(name, "proven", "there is none; nothing is signed and the policy asks for no signature")
        return _unusable(name, error)
    except LedgerError as error:
        return _unusable(name, error)
    people = sorted({key.principal for key in allowed.keys})
    return Proof(name, "proven", f"{len(allowed.keys)} keys of {', '.join(people)}")


def signatures_proof(evidence: Evidence) -> Proof:
    """Every signature holds: over these bytes, for this purpose, by a key of the actor that was valid then."""
    name = "signatures hold"
    details = [
        f"{event.path}: {evidence.assurances[event.id].problem}"
        for event in evidence.ledger.events
        if evidence.assurances[event.id].problem
    ]
    if details:
        return Proof(name, "integrity failure", f"{len(details)} do not", tuple(details))
    late = [f"{event.path}: {why}" for event in evidence.ledger.events if (why := _after_the_key(evidence, event))]
    if late:
        return Proof(name, "cannot decide", "keys near the end of their validity", tuple(late))
    levels = [assurance.level for assurance in evidence.assurances.values()]
    return Proof(
        name,
        "proven",
        f"{levels.count(2)} by hardware keys, {levels.count(1)} by own keys, {levels.count(0)} events unsigned",
    )


def assurance_proof(evidence: Evidence) -> Proof:
    """Every event that claims something is signed as well as the policy in force asks."""
    name = "signed as the policy asks"
    minimum = evidence.chain.in_force.policy.minimum_assurance
    weak = [
        f"{event.path}: level {evidence.assurances[event.id].level}"
        for event in evidence.ledger.events
        if evidence.assurances[event.id].level < minimum and event.id not in evidence.settled
    ]
    if weak:
        return Proof(name, "policy not met", f"the policy asks for level {minimum}", tuple(weak))
    return Proof(name, "proven", f"the policy asks for level {minimum}")


def chain_proof(evidence: Evidence) -> Proof:
    """Policy, roster and keys changed only as the rules before each change allowed."""
    name = "rules changed only by the rules before"
    chain = evidence.chain
    if chain.damaged:
        return Proof(name, "integrity failure", "adoptions that do not hold", chain.damaged)
    if chain.refused:
        return Proof(name, "policy not met", "a change of the rules was not adopted", chain.refused)
    if not evidence.source.is_complete:
        return Proof(name, "cannot decide", "where the rules come from is not in this history")
    adopted = sum(position >= 0 for position, _ in chain.steps)
    return Proof(name, "proven", f"{adopted} changes since the first event, each adopted; now {chain.present.digest}")


def policies_proof(evidence: Evidence) -> Proof:
    """Every event names the policy that was in force at its place in the history."""
    name = "events name the policy in force"
    details = []
    once = {rules.policy_digest for _, rules in evidence.chain.steps}
    for event in evidence.ledger.events:
        if event.id in evidence.settled or event.policy in evidence.policies_of(event):
            continue
        when = "was in force at another time" if event.policy in once else "was never in force"
        now = short(evidence.rules_of(event).policy_digest)
        details.append(f"{event.path}: names the policy {short(event.policy)}, which {when}; in force was {now}")
    if not details:
        count = len({event.policy for event in evidence.ledger.events})
        return Proof(name, "proven", f"{len(evidence.ledger.events)} events, {count} policies, each in its time")
    if not evidence.source.is_complete:
        why = "which policies were in force before is not in this history"
        return Proof(name, "cannot decide", why, tuple(details))
    return Proof(name, "policy not met", f"{len(details)} do not", tuple(details))


def _unusable(name: str, error: LedgerError) -> Proof:
    line = "" if error.line is None else f" (line {error.line})"
    return Proof(name, "cannot decide", f"{type(error).__name__.removesuffix('Error')}: {error.what}{line}")


def _after_the_key(evidence: Evidence, event: Event) -> str | None:
    """Why a signature that fits its event's date may be younger than its key allows."""
    assurance, on_top = evidence.assurances[event.id], evidence.recorded_after(event)
    if assurance.level == 0 or on_top is None or on_top <= event.time:
        return None
    key = next(known for known in evidence.rules_of(event).allowed.keys if known.key == assurance.key)
    if key.valid_at(on_top):
        return None
    return (
        f"dated {event.at[:10]} and recorded after {on_top:%Y-%m-%d}, when the key was no longer valid: "
        "it cannot be told from a backdated one"
    )

"""Which events an event is about: what it takes back, replaces, shows, settles or relies on."""

from __future__ import annotations

from m4review.reviews.kinds import (
    Assignment,
    Consensus,
    Event,
    Resolve,
    Reveal,
    Revocation,
    SignOff,
    Verdict,
    Withdrawal,
)


def references(event: Event) -> tuple[str, ...]:
    """Ids of the events that an event is about, ``after`` aside."""
    match event:
        case Withdrawal():
            return (event.target,)
        case Revocation() | Assignment():
            return event.targets
        case Reveal():
            return event.seal, event.verdict
        case Resolve():
            return (event.finding.partition("#")[0],)
        case Consensus():
            return event.verdicts
        case SignOff():
            return event.relied_on
        case Verdict():
            return event.supersedes
        case _:
            return ()

"""Who a reviewer is in git, and which roster entries are one human."""

from __future__ import annotations

from m4review.workspace import Reviewer, Roster


def addresses(reviewer: Reviewer) -> frozenset[str]:
    """Every address (lower case) under which this reviewer commits."""
    return reviewer.addresses


def humans(roster: Roster) -> dict[str, str]:
    """Reviewer id → the first id of the same human: entries that share an address, directly or in a chain, are one."""
    return roster.humans


def human_addresses(roster: Roster, identity: str) -> frozenset[str]:
    """Every address of the human behind a roster id, whatever other ids they hold."""
    same = humans(roster)
    return frozenset(
        address
        for reviewer in roster.reviewers
        if same[reviewer.id] == same[identity]
        for address in addresses(reviewer)
    )

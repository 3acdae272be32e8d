"""Who a reviewer is in git, and which roster entries are one human."""

from __future__ import annotations

from functools import lru_cache

from m4review.workspace import Reviewer, Roster


def addresses(reviewer: Reviewer) -> frozenset[str]:
    """Every address (lower case) under which this reviewer commits."""
    return frozenset(email.strip().lower() for email in (reviewer.git_identity[1], *reviewer.git_emails))


def humans(roster: Roster) -> dict[str, str]:
    """Reviewer id → the first id of the same human: entries that share an address, directly or in a chain, are one."""
    return _humans(roster.reviewers)


@lru_cache(maxsize=8)
def _humans(reviewers: tuple[Reviewer, ...]) -> dict[str, str]:
    groups: list[tuple[set[str], list[str]]] = []
    for reviewer in reviewers:
        mine, members = set(addresses(reviewer)), [reviewer.id]
        apart = []
        for group in groups:
            if group[0] & mine:
                mine |= group[0]
                members = [*group[1], *members]
            else:
                apart.append(group)
        groups = [*apart, (mine, members)]
    order = [reviewer.id for reviewer in reviewers]
    return {member: min(members, key=order.index) for _, members in groups for member in members}


def human_addresses(roster: Roster, identity: str) -> frozenset[str]:
    """Every address of the human behind a roster id, whatever other ids they hold."""
    same = humans(roster)
    return frozenset(
        address
        for reviewer in roster.reviewers
        if same[reviewer.id] == same[identity]
        for address in addresses(reviewer)
    )

"""Who had a hand in each pair since the last approved one, from the history of a skill.

A pair's origin is taken where it first appeared: whoever later reverts to it, squashes or moves it adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from m4review.reviews.subjects import Node, Origin, Pair

IsApproved = Callable[[Pair, Origin], bool]


def origins(history: Sequence[Node], is_approved: IsApproved) -> dict[Pair, Origin]:
    """The origin of every pair of ``history`` (parents first).

    ``is_approved`` says whether a pair is approved, given its origin; everything before an approved pair is settled.
    """
    before = ancestors(history)
    found: dict[Pair, Origin] = {}
    first: dict[Pair, int] = {}
    settled = [0] * len(history)
    for position, node in enumerate(history):
        for parent in node.parents:
            settled[position] |= settled[parent]
        if node.pair is None:
            continue
        earlier = first.get(node.pair, 0) & before[position]
        if not earlier:
            origin = _people(history, before[position] & ~settled[position])
            found[node.pair] = merged(found[node.pair], origin) if node.pair in found else origin
        first[node.pair] = first.get(node.pair, 0) | (1 << position)
        if is_approved(node.pair, found[node.pair]):
            settled[position] |= before[position]
    return found


def origin_of_new_text(history: Sequence[Node], is_approved: Callable[[Pair], bool]) -> Origin:
    """The origin of a text that is on disk and not recorded: everyone since the last approved pair."""
    if not history:
        return Origin(frozenset(), {})
    before = ancestors(history)
    last = before[-1]
    settled = 0
    for position, node in enumerate(history):
        if last >> position & 1 and node.pair is not None and is_approved(node.pair):
            settled |= before[position]
    return _people(history, last & ~settled)


def merged(one: Origin, other: Origin) -> Origin:
    """The people of both."""
    return Origin(one.authors | other.authors, _earliest([*one.committers.items(), *other.committers.items()]))


def ancestors(history: Sequence[Node]) -> list[int]:
    """For each node the set (bit mask) of itself and everything before it."""
    masks: list[int] = []
    for position, node in enumerate(history):
        mask = 1 << position
        for parent in node.parents:
            mask |= masks[parent]
        masks.append(mask)
    return masks


def _people(history: Sequence[Node], positions: int) -> Origin:
    changes = [node for position, node in enumerate(history) if node.changed and positions >> position & 1]
    authors = frozenset(address for node in changes for address in node.authors)
    return Origin(authors, _earliest([(node.committer, node.committed) for node in changes]))


def _earliest(times: Sequence[tuple[str, datetime]]) -> Mapping[str, datetime]:
    found: dict[str, datetime] = {}
    for address, time in times:
        if address and (address not in found or time < found[address]):
            found[address] = time
    return found

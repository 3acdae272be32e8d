"""The author rule: who may not judge a text because they had a hand in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from m4review.reviews.decisions import is_approved as is_pair_approved
from m4review.reviews.kinds import Carry, Event, Opening, Verdict
from m4review.reviews.origins import origin_of_new_text, origins
from m4review.reviews.people import human_addresses
from m4review.reviews.standing import ChangeOf, judge, unknown_change
from m4review.reviews.subjects import Node, Origin, Pair, Subject, pair_of
from m4review.workspace import Policy, Reviewer, Roster


class Authorship:
    """Origin of each pair, computed once; ``None`` where it cannot be told."""

    def __init__(
        self,
        subject: Subject,
        events: Sequence[Event],
        policy: Policy,
        roster: Roster,
        history: Sequence[Node],
        is_complete: bool,
        change_of: ChangeOf = unknown_change,
        levels: Mapping[str, int] | None = None,
    ) -> None:
        judged_pairs = {
            pair_of(event.content, event.tasks.values()) for event in events if isinstance(event, Verdict | Carry)
        }
        earlier: dict[Pair, Origin] = {}

        def is_approved(pair: Pair, origin: Origin) -> bool:
            earlier[pair] = origin
            if pair not in judged_pairs:
                return False
            judgement = judge(events, pair, policy, roster, earlier.get, change_of, levels)
            return is_pair_approved(pair, judgement, policy, roster)

        history = with_declared_authors(history, events, roster)
        self.known = origins(history, is_approved) if is_complete else {}
        if is_complete and subject.pair not in self.known:
            new = origin_of_new_text(history, lambda pair: is_approved(pair, self.known[pair]))
            self.known[subject.pair] = new

    def __call__(self, pair: Pair) -> Origin | None:
        return self.known.get(pair)

    def excluded(self, pair: Pair, policy: Policy, roster: Roster) -> dict[str, str] | None:
        """Reviewer → why the author rule keeps them from judging ``pair``; ``None`` when it cannot be told."""
        if not policy.exclude_authors:
            return {}
        if pair not in self.known:
            return None
        found = {reviewer.id: exclusion(reviewer, roster, self.known[pair]) for reviewer in roster.reviewers}
        return {identity: why for identity, why in found.items() if why}


def with_declared_authors(history: Sequence[Node], events: Sequence[Event], roster: Roster) -> list[Node]:
    """The history with the authors that openings declare added to the states they declare them for."""
    known = {reviewer.id for reviewer in roster.reviewers}
    declared: dict[Pair, frozenset[str]] = {}
    for event in events:
        if isinstance(event, Opening) and event.actor in known:
            pair = pair_of(event.content, event.tasks.values())
            named = [human_addresses(roster, name) for name in event.authors if name in known]
            declared[pair] = declared.get(pair, frozenset()).union(*named)
    return [
        node if node.pair is None else replace(node, authors=node.authors | declared.get(node.pair, frozenset()))
        for node in history
    ]


def exclusion(reviewer: Reviewer, roster: Roster, origin: Origin) -> str | None:
    """Why the author rule keeps a reviewer from giving a verdict now, or ``None``."""
    if human_addresses(roster, reviewer.id) & (origin.authors | origin.committers.keys()):
        return f"{reviewer.id} had a hand in this text since it was last approved; an author does not review it"
    return None

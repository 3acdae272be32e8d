"""The change between two texts that a snapshot still holds."""

from __future__ import annotations

from functools import cache

from m4review.reviews.changes import Change, classify
from m4review.reviews.snapshot import Snapshot
from m4review.reviews.standing import ChangeOf
from m4review.reviews.subjects import Pair
from m4review.workspace import Policy


def changes_between(snapshot: Snapshot, policy: Policy) -> ChangeOf:
    """Class changes between pairs whose texts are recorded; ``None`` for one that is in no recorded version."""

    @cache
    def change_of(before: Pair, after: Pair) -> Change | None:
        old, new = snapshot.files_of(before[0]), snapshot.files_of(after[0])
        if old is None or new is None:
            return None
        return classify(old, new, policy, same_cards=before[1] == after[1])

    return change_of

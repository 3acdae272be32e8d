"""Attacks on a ledger and accidents with it, each on a real repository, with what verification must say of it.

``attack_table.py`` prints them as a table, ``test_reviews_attacks.py`` holds every one to its exit code and words.
"""

from __future__ import annotations

from attack_kinds import Attack
from attacks_on_events import ON_EVENTS
from attacks_on_history import ON_HISTORY
from attacks_on_holds import ON_HOLDS
from attacks_on_rounds import ON_ROUNDS
from attacks_on_settlements import ON_SETTLEMENTS
from reviews_stories import approved, carried, fixed, released, revealed
from reviews_ward import Ward


def nothing(ward: Ward) -> None:
    """No attack."""


ATTACKS: tuple[Attack, ...] = (*ON_EVENTS, *ON_HISTORY, *ON_ROUNDS, *ON_SETTLEMENTS, *ON_HOLDS)
CLEAN: tuple[Attack, ...] = tuple(
    Attack(f"{story.__name__}, untouched", story, nothing, 0, "", "")
    for story in (approved, revealed, released, carried, fixed)
)

"""What an attack on a ledger is, and the names of the proofs that find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reviews_stories import Story
from reviews_ward import Ward

NAMES = "event names match their bytes"
STRICT = "front matter is strict"
WRITE_ONCE = "nothing was ever modified or deleted"
ORDER = "nothing was dropped or reordered"
DATES = "nothing is backdated"
KEYS = "the list of keys is usable"
SIGNED = "signatures hold"
ATTRIBUTED = "events are by whom they say"
ROSTER = "actors were on the roster"
RULES = "rules changed only by the rules before"
POLICIES = "events name the policy in force"
ASSURANCE = "signed as the policy asks"
DIGESTS = "digests recomputed from blobs"
REVEALS = "reveals open their seals, and none came early"
RELIES = "what events rest on is there"
BLOCKERS = "no blocker is open"
CONSENSUS = "consensus is complete"
CHECKPOINT = "nothing is missing since the checkpoint"
STATE = "lactate"
"""In the place of a proof: the skill's own line, whose state is not an approved one."""

C1, C2 = ("C1", "c1@reviewers.invalid"), ("C2", "c2@reviewers.invalid")
C4, MERGER = ("C4", "c4@reviewers.invalid"), ("Merger", "merger@forge.example")
ABSENT = "sha256:" + "0" * 64


@dataclass(frozen=True)
class Handed:
    """What is verified, where it is not the ward itself."""

    place: Path
    checkpoint: Path | None = None


@dataclass(frozen=True)
class Attack:
    """``do`` is done to a ward in which ``story`` has happened; ``verify lactate`` then ends with ``exit_code``, and
    ``proof`` (or the skill's own line) says ``says``."""

    what: str
    story: Story
    do: Callable[[Ward], Handed | None]
    exit_code: int
    proof: str
    says: str

"""Task cards as a review sees them: which skills each names, and its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from m4review.errors import M4ReviewError, TaskError
from m4review.reviews.digests import task_digest
from m4review.tasks import INSTRUCTION_FILE, TASK_FILE, task_values
from m4review.textfile import decode


@dataclass(frozen=True, slots=True)
class Card:
    """One task card. ``digest`` is ``None`` when the card is incomplete or cannot be digested; ``error`` says why."""

    family: str
    skills: tuple[str, ...]
    digest: str | None
    error: M4ReviewError | None = None
    database: tuple[str, str] | None = None
    """Layout and version of the dataset that the task is about."""


def read_cards(files: Mapping[str, bytes]) -> dict[str, Card]:
    """Task name → card, from the files of the tasks folder (``<family>/<task>/<file>`` → bytes), sorted by name."""
    found = {}
    for path in sorted(files):
        family, _, rest = path.partition("/")
        name, _, file = rest.partition("/")
        if file == TASK_FILE:
            found[name] = card_of(family, files[path], files.get(f"{family}/{name}/{INSTRUCTION_FILE}"), path)
    return dict(sorted(found.items()))


def cards_of(cards: Mapping[str, Card], skill: str) -> dict[str, Card]:
    """The cards that name the skill."""
    return {name: card for name, card in cards.items() if skill in card.skills}


@lru_cache(maxsize=4096)
def card_of(family: str, card: bytes, instruction: bytes | None, path: str) -> Card:
    """The card in these bytes of ``task.toml`` and ``instruction.md``. Kept, as most versions share most cards."""
    skills: tuple[str, ...] = ()
    try:
        values = task_values(decode(card, path).text, Path(path))
        named = values.get("skills", [])
        if isinstance(named, list):
            skills = tuple(name for name in named if isinstance(name, str))
        if instruction is None:
            raise TaskError(f"there is no {INSTRUCTION_FILE} beside it", where=path)
        about = values.get("database"), values.get("database_version")
        database = (str(about[0]), str(about[1])) if about[0] is not None else None
        return Card(family, skills, task_digest(card, instruction), database=database)
    except M4ReviewError as error:
        return Card(family, skills, None, error)

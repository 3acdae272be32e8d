"""What restricts the values of an input: tests of the same sample, of the row's columns, and episodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .grammar import parse_condition
from .terms import Condition
from .wording import Unreadable, exact_spans, plain, says_nothing, singular


@dataclass(frozen=True, slots=True)
class During:
    """The value lies inside an episode (of one of ``texts``, if any are named); or in none."""

    episodes: str
    texts: tuple[str, ...]
    negated: bool
    start_included: bool
    end_included: bool
    same_patient: bool = False
    """Episodes of any stay of the patient count, not only those of the stay."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """All ``conditions`` hold, and of each group of ``during`` at least one."""

    conditions: tuple[Condition, ...] = ()
    during: tuple[tuple[During, ...], ...] = ()
    within: str = ""
    """A window of the stay in which the value lies; each stay then has values of its own."""


def read_restriction(text: str, names: Sequence[str], episodes: Sequence[str]) -> Restriction:
    """Read a cell 'Only where'; its parts are joined by semicolons.

    Raises:
        Unreadable: a part that is neither a condition nor an episode.
    """
    if says_nothing(text):
        return Restriction()
    conditions: list[Condition] = []
    groups: list[tuple[During, ...]] = []
    within = ""
    for part in (piece.strip() for piece in text.split(";")):
        if not part:
            continue
        if re.match(r"(?:not )?during\b", plain(part)):
            pieces = re.split(r",?\s+or (?=(?:not )?during\b)", part)
            groups.append(tuple(_during(piece, episodes) for piece in pieces))
        elif re.match(r"within (?:the )?[a-z]", plain(part)):
            within = re.sub(r"^within (?:the )?", "", plain(part))
        else:
            conditions.append(parse_condition(re.sub(r"^with (?:an? )?", "", part), names))
    return Restriction(tuple(conditions), tuple(groups), within)


def _during(text: str, episodes: Sequence[str]) -> During:
    sentence = plain(re.sub(r"`[^`]*`", "", text))
    known = {singular(plain(name)): plain(name) for name in episodes}
    found = max((name for name in known if re.search(rf"\b{re.escape(name)}", sentence)), key=len, default="")
    if not found:
        raise Unreadable(f"no episodes of the text are named in {text!r}")
    if "both ends included" in sentence:
        ends = True, True
    elif "both ends excluded" in sentence:
        ends = False, False
    else:
        start, end = (re.search(rf"\b{side} (included|excluded)", sentence) for side in ("start", "end"))
        if not (start and end) and not any(side and side.group(1) == "excluded" for side in (start, end)):
            raise Unreadable("it is not said whether both ends of the episode belong to it")
        ends = not start or start.group(1) == "included", not end or end.group(1) == "included"
    patient = "of the same patient" in sentence
    return During(known[found], tuple(exact_spans(text)), sentence.startswith("not "), *ends, same_patient=patient)

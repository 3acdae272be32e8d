"""The questions answered beside a verdict: every list item of the files under ``reviews/checklists/``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from m4review.reviews.snapshot import CHECKLISTS

ITEM = re.compile(r"[ ]{0,3}(?:[-*+]|\d{1,3}[.)])[ ]+(?:\[[ xX]\][ ]+)?(?P<text>\S.*)")
CONTINUED = re.compile(r"[ ]{2,}(?P<text>\S.*)")
HEADING = re.compile(r"#{1,6}[ ]+(?P<text>.*?)[ #]*")


@dataclass(frozen=True, slots=True)
class Question:
    """One item. ``text`` is what an answer names; ``group`` is the heading above it, empty where there is none."""

    text: str
    group: str


def checklist_questions(reviews: Mapping[str, bytes]) -> tuple[Question, ...]:
    """The questions in the order of files and lines; ``reviews`` maps paths below the reviews folder to bytes.

    An item may go on over indented lines. A question that is asked twice is one question.
    """
    found: dict[str, Question] = {}
    for path in sorted(reviews):
        if path.startswith(f"{CHECKLISTS}/") and path.endswith(".md"):
            found |= {one.text: one for one in _questions(reviews[path].decode("utf-8", "replace")) if one.text}
    return tuple(found.values())


def _questions(text: str) -> list[Question]:
    found: list[Question] = []
    group, goes_on = "", False
    for line in text.splitlines():
        heading, item, more = HEADING.fullmatch(line), ITEM.fullmatch(line), CONTINUED.fullmatch(line)
        if heading:
            group, goes_on = heading["text"], False
        elif item:
            found.append(Question(" ".join(item["text"].split()), group))
            goes_on = True
        elif more and goes_on:
            found[-1] = Question(f"{found[-1].text} {' '.join(more['text'].split())}", group)
        else:
            goes_on = False
    return found

"""The questions answered beside a verdict: every list item of the files under ``reviews/checklists/``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4review.errors import LedgerError
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


def asked(questions: Sequence[Question], name: str) -> Question:
    """The question that ``name`` means: its number in the checklists from 1 on, its text, or how it begins.

    Raises:
        LedgerError: there is none, or several begin so.
    """
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(questions):
        return questions[int(name) - 1]
    found = [one for one in questions if one.text == name] or [
        one for one in questions if one.text.casefold().startswith(name.casefold())
    ]
    if len(found) != 1:
        raise LedgerError(
            f"{'no' if not found else 'more than one'} question of the checklists is {name!r}",
            where=f"reviews/{CHECKLISTS}",
            expected=f"a number from 1 to {len(questions)}, or how a question begins" if questions else "no answer",
            fix="'m4review review packet SKILL' lists the questions with their numbers",
        )
    return found[0]


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

"""The line above a review: what comes next for whoever reads it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from m4review.errors import LedgerError
from m4review.tui.render.notices import notice_of

HAND = "C2 had a hand in this text since it was last approved; an author does not review it"
CHANGE = "Changes are asked for by C1 (schema): somebody now makes the change in the editor and records it."


def packet(**values: Any) -> Any:
    """A packet of C2 on a text that two reviewers asked to change; ``status`` values go to its state."""
    verdict = SimpleNamespace(actor="C1", decisions={"schema": "changes"})
    status = {
        "state": "changes requested",
        "given": 2,
        "required": 2,
        "consensus": None,
        "verdicts": (SimpleNamespace(verdict=verdict, standing="counts"),),
        "findings": (),
        "excluded": {"C2": HAND},
        "subject": object(),
        "is_recorded": True,
    } | values.pop("status", {})
    given = {
        "rules_not_in_force": (),
        "status": SimpleNamespace(**status),
        "refusal": LedgerError(HAND),
        "refusals": {},
        "others": ("C3",),
        "viewer": "C2",
        "replaces": False,
    }
    return SimpleNamespace(**(given | values))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            packet(),
            f"You cannot give a verdict now: {HAND}. {CHANGE}",
        ),
        (
            packet(status={"state": "in review", "given": 1}),
            f"You cannot give a verdict now: {HAND}. C3 can: F2, then o, asks for a review.",
        ),
        (
            packet(status={"state": "in review", "given": 1}, others=()),
            f"You cannot give a verdict now: {HAND}. Nobody else on the roster can judge it now.",
        ),
        (
            packet(status={"given": 1}, refusal=None, replaces=True),
            "You gave a verdict on this text; a new one replaces it.",
        ),
        (
            packet(refusal=None, replaces=True),
            f"You gave a verdict on this text; a new one replaces it. {CHANGE}",
        ),
    ],
    ids=["author, round over", "author", "nobody left", "round not over", "reviewer, round over"],
)
def test_a_notice_names_what_comes_next(given: Any, told: str) -> None:
    assert notice_of(given) == told

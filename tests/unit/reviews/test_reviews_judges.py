"""Who may judge a text now, and what recording a version in somebody's name would do to that."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from reviews_ward import NOON, Ward

from m4review.reviews import Ledger
from m4review.reviews.acts import record
from m4review.reviews.duties import recuse
from m4review.reviews.judges import authoring, may_judge
from m4review.reviews.overview import full_status

SKILL = "lactate"


def judges(ward: Ward, now: datetime = NOON) -> tuple[str, ...]:
    ledger = Ledger.load(ward.workspace)
    return may_judge(ledger, full_status(ward.workspace, ledger, SKILL), now)


def says(ward: Ward, me: str | None, author: str | None) -> str:
    return authoring(ward.workspace, SKILL, me, NOON).says(author)


def by(ward: Ward, reviewer: str) -> None:
    ward.edit("50813", "50814")
    ward.commit(f"by {reviewer}", author=(reviewer, f"{reviewer.lower()}@reviewers.invalid"))


def test_whoever_wrote_judged_or_stepped_back_is_left_out(ward: Ward) -> None:
    assert judges(ward) == ("C1", "C2", "C3", "C4")
    by(ward, "C2")
    assert judges(ward) == ("C1", "C3", "C4")
    ward.say("C1")
    assert judges(ward) == ("C3", "C4")
    record(ward.workspace, SKILL, "C4", recuse("I wrote the guideline."))
    assert judges(ward) == ("C3",)


def test_whoever_left_the_roster_is_left_out_from_that_day_on(ward: Ward) -> None:
    ward.rule("roster.toml", 'id = "C3"', 'id = "C3"\nuntil = 2098-01-31')
    assert "C3" in judges(ward)
    assert "C3" not in judges(ward, NOON + timedelta(days=1))


@pytest.mark.parametrize(
    ("me", "author", "told"),
    [
        ("C2", "C2", "As C2 you can then not judge this version; C1, C3 and C4 can. If somebody else wrote it"),
        ("C2", "C1", "Who writes a text does not judge it: of this version C2, C3 and C4 can."),
        ("C2", None, "Who writes a text does not judge it: of this version C1, C2, C3 and C4 can."),
        (None, "C4", "Who writes a text does not judge it: of this version C1, C2 and C3 can."),
    ],
)
def test_each_author_says_who_could_judge(ward: Ward, me: str | None, author: str | None, told: str) -> None:
    assert says(ward, me, author).startswith(told)


def test_a_hand_in_an_earlier_change_counts_until_the_text_is_approved(ward: Ward) -> None:
    by(ward, "C2")
    told = says(ward, "C2", "C1")
    assert told.startswith("As C2 you cannot judge this version, whoever wrote it")
    assert told.endswith("C3 and C4 can.")
    ward.approve("C1", "C4")
    ward.edit("50814", "50815")
    assert says(ward, "C2", "C1") == "Who writes a text does not judge it: of this version C2, C3 and C4 can."


def test_gits_own_user_is_somebody_where_the_address_is_theirs(ward: Ward) -> None:
    ward.git("config", "user.name", "Three")
    ward.git("config", "user.email", "C3@Reviewers.invalid")
    assert says(ward, "C3", None).startswith("As C3 you can then not judge this version; C1, C2 and C4 can.")
    assert says(ward, "C2", None) == "Who writes a text does not judge it: of this version C1, C2 and C4 can."


def test_a_policy_without_the_rule_says_nothing(ward: Ward) -> None:
    ward.rule("policy.toml", "required = 2", "required = 2\nexclude_authors = false")
    assert says(ward, "C2", "C2") == ""

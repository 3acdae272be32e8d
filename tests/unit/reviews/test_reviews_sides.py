"""What a comparison says of each version: who approved it, and what they agreed on afterwards."""

from __future__ import annotations

from reviews_ward import Ward

from m4review.reviews.acts import record
from m4review.reviews.settling import confirm, propose
from m4review.reviews.sides import load_sides

SKILL = "lactate"


def standings(ward: Ward, viewer: str | None) -> dict[int | None, str]:
    return {side.number: side.standing for side in load_sides(ward.workspace, SKILL, viewer)}


def test_an_approval_does_not_outlast_the_agreement_to_change_the_text(ward: Ward) -> None:
    ward.say("C1")
    ward.say("C4", schema="changes")
    assert standings(ward, "C1")[1] == "approving verdict of C1; changes asked for by C4"
    record(ward.workspace, SKILL, "C4", propose({"schema": "changes"}, "The item is another."))
    assert standings(ward, "C1")[1] == "approving verdict of C1; changes asked for by C4", "not confirmed yet"
    record(ward.workspace, SKILL, "C1", confirm())
    ward.edit("50813", "50814")
    ward.commit("an item")
    assert standings(ward, "C2") == {
        None: "nobody has approved it",
        1: "C1 and C4 agreed on changes to schema",
        2: "nobody has approved it",
    }


def test_what_others_said_is_withheld_until_ones_own_verdict(ward: Ward) -> None:
    ward.say("C1")
    assert standings(ward, "C4")[1] == "nobody has approved it"
    assert standings(ward, None)[1] == "nobody has approved it"
    ward.say("C4", output="abstain")
    assert standings(ward, "C4")[1] == "approving verdict of C1"


def test_the_newest_version_that_holds_what_was_judged_last_is_marked(ward: Ward) -> None:
    ward.say("C1")
    ward.edit("50813", "50814")
    ward.commit("an item")
    ward.edit("50814", "50813")
    ward.commit("back")

    def marked(viewer: str | None) -> list[int | None]:
        return [side.number for side in load_sides(ward.workspace, SKILL, viewer) if side.is_own_last]

    assert (marked("C1"), marked("C4"), marked(None)) == ([3], [], [])

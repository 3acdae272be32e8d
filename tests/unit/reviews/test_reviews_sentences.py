"""The sentences of a status and of a verdict hold for the case at hand."""

from __future__ import annotations

from reviews_ward import Ward


def test_the_author_sentence_speaks_of_an_approval_only_when_there_was_one(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.edit("50813", "50814")
    ward.commit()
    ward.say("C2")
    first, second, third = (judged.verdict.meaning for judged in ward.truth().verdicts)
    for said in (first, second):
        assert "I wrote no part of this text." in said
    assert "I wrote no part of what changed since it was last approved." in third


def test_more_approvals_than_needed_are_counted_without_a_riddle(ward: Ward) -> None:
    ward.approve("C1", "C4", "C2")
    assert "definition 3, 2 needed" in ward.status().because[-1]
    assert "3 of 2" not in " ".join(ward.status().because)


def test_a_round_with_more_verdicts_than_needed_says_both_numbers(ward: Ward) -> None:
    ward.approve("C1", "C4", "C2", definition="abstain")
    assert ward.status().label == "in review (3, 2 needed)"

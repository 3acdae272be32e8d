"""Event files written by hand: intact, and still without the effect they claim."""

from __future__ import annotations

from reviews_forgery import forge
from reviews_ward import Ward


def test_nobody_withdraws_the_verdict_of_another(ward: Ward) -> None:
    ward.approve("C1", "C4")
    theirs = ward.truth().verdicts[1].verdict.id
    forge(ward, "withdraw", "C1", target=theirs, reason="I know better.")
    assert ward.truth().label == "approved"


def test_nobody_replaces_the_verdict_of_another(ward: Ward) -> None:
    ward.say("C1", schema="changes")
    theirs = ward.truth().verdicts[0].verdict.id
    forge(ward, "verdict", "C4", supersedes=[theirs])
    status = ward.truth()
    assert status.label == "changes requested"
    assert status.verdicts[1].why == "claims to replace a verdict of C1; a reviewer replaces only their own"


def test_a_verdict_that_leaves_a_scope_out_is_void(ward: Ward) -> None:
    ward.say("C1")
    forge(ward, "verdict", "C4", decisions={"definition": "approve", "schema": "approve"})
    assert ward.truth().label == "in review (1 of 2)"
    assert ward.truth().verdicts[1].why == "says nothing about output; the policy asks for every scope"


def test_a_verdict_on_digests_that_never_existed_approves_nothing(ward: Ward) -> None:
    ward.say("C1")
    forge(ward, "verdict", "C4", content="sha256:" + "0" * 64)
    forge(ward, "verdict", "C3", tasks={})
    status = ward.truth()
    assert [judged.standing for judged in status.verdicts] == ["counts", "stale", "stale"]
    assert status.verdicts[2].why == "given on the same text beside other task cards"
    assert status.label == "in review (1 of 2), stale (task cards)"


def test_a_verdict_by_somebody_who_is_no_reviewer_is_void(ward: Ward) -> None:
    forge(ward, "verdict", "C9")
    forge(ward, "open", "C9", authors=["C1"], reviewers=["C9"])
    ward.approve("C1", "C4")
    assert [judged.standing for judged in ward.truth().verdicts] == ["void", "counts", "counts"]
    assert ward.truth().label == "approved"


def test_a_withdrawn_replacement_does_not_revive_what_it_replaced(ward: Ward) -> None:
    ward.say("C1")
    ward.say("C4")
    first = next(judged.verdict.id for judged in ward.truth().verdicts if judged.verdict.actor == "C1")
    forge(ward, "verdict", "C1", supersedes=[first])
    second = ward.truth().verdicts[-1].verdict.id
    forge(ward, "withdraw", "C1", target=second, reason="Neither.")
    assert [judged.standing for judged in ward.truth().verdicts] == ["superseded", "counts", "withdrawn"]


def test_one_text_under_two_names_is_one_text(ward: Ward) -> None:
    """A verdict binds bytes, never a name: a folder moved as it is keeps its approval, whatever it is called."""
    (ward.root / "tasks").rename(ward.root / "kept")
    (ward.root / "tasks").mkdir()
    (ward.root / "tasks/README").write_text("no cards\n")
    ward.commit("no cards")
    ward.approve("C1", "C4")
    ward.git("mv", "skills/lactate", "skills/renamed")
    ward.commit("moved")
    status = ward.truth("renamed")
    assert status.label == "approved"
    assert status.verdicts[0].verdict.skill == "lactate"

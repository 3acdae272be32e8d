"""What waits for whom once a round is over: a consensus to confirm, a change that somebody has to make."""

from __future__ import annotations

from reviews_ward import Ward

from m4review.reviews import queue
from m4review.reviews.acts import record
from m4review.reviews.settling import confirm, propose
from m4review.reviews.waiting import QueueItem
from m4review.tui.render.shelf import queue_label

SKILL = "lactate"


def waiting(ward: Ward, reviewer: str) -> dict[str, QueueItem]:
    return {item.kind: item for item in queue(ward.workspace, reviewer) if item.skill == SKILL}


def test_a_consensus_says_who_put_it_forward_and_no_size_of_a_change_from_an_older_text(ward: Ward) -> None:
    ward.say("C1")
    ward.edit("above 2", "above 4")
    ward.commit("a threshold")
    ward.say("C1")
    ward.say("C4", schema="changes")
    record(ward.workspace, SKILL, "C4", propose({"schema": "changes"}, "The item is another."))
    item = waiting(ward, "C1")["consensus"]
    assert item.why == "C4 put a consensus forward; it waits for you"
    assert item.change is None, "C1 judged exactly this text"
    said = item.status.consensus
    assert said is not None
    assert item.since == said.statement.at
    assert waiting(ward, "C4") == {}


def test_changes_that_are_agreed_on_wait_for_everybody_where_nobody_on_the_roster_wrote_the_text(ward: Ward) -> None:
    ward.say("C1")
    ward.say("C4", schema="changes", output="changes")
    assert set(waiting(ward, "C4")) == {"consensus"}
    record(ward.workspace, SKILL, "C4", propose({"schema": "changes", "output": "approve"}, "The item is another."))
    record(ward.workspace, SKILL, "C1", confirm())
    for reviewer in ("C1", "C2", "C3", "C4"):
        assert waiting(ward, reviewer)["change"].why == (
            "C1 and C4 agreed on changes to schema; whoever makes the change does not judge the new text"
        )
    ward.edit("50813", "50814")
    ward.commit("by C2", author=("C2", "c2@reviewers.invalid"))
    assert "change" not in waiting(ward, "C1")
    assert set(waiting(ward, "C2")) == {"stale"}


def test_changes_wait_for_the_author_alone_where_one_is_on_the_roster(ward: Ward) -> None:
    ward.edit("50813", "50814")
    ward.commit("by C2", author=("C2", "c2@reviewers.invalid"))
    ward.say("C1", definition="changes", output="abstain")
    ward.say("C4", definition="changes", output="changes")
    assert ward.status(viewer="C1").state == "changes requested"
    assert waiting(ward, "C2")["change"].why == ("changes are asked for by C1 (definition) and C4 (definition, output)")
    assert not {"change"} & {*waiting(ward, "C1"), *waiting(ward, "C3"), *waiting(ward, "C4")}


def test_one_request_for_changes_does_not_tell_those_who_still_judge(ward: Ward) -> None:
    ward.say("C1", definition="changes")
    assert ward.status(viewer="C1").state == "changes requested"
    assert waiting(ward, "C1") == {}
    assert set(waiting(ward, "C4")) == {"review"}
    assert waiting(ward, "C2") == {}


def test_a_single_line_is_counted_in_the_singular(ward: Ward) -> None:
    ward.say("C1")
    ward.edit("50813", "50814")
    ward.commit("an item")
    assert waiting(ward, "C1")["review again"].change == "substantive, 1 line added, 1 removed"


def test_a_text_that_is_saved_and_in_no_version_says_that_it_has_to_be_recorded_first(ward: Ward) -> None:
    ward.say("C1")
    ward.edit("50813", "50814")
    recorded_first = "not recorded yet: F2 in the editor records it; "
    (again,) = waiting(ward, "C1").values()
    assert again.why == f"{recorded_first}since your verdict of 2098-01-31 the text changed (schema)"
    assert queue_label(again).plain == f"review again: lactate · {again.why}"
    (first,) = waiting(ward, "C4").values()
    assert first.why.startswith(f"{recorded_first}you are asked to review it")
    ward.commit("an item")
    assert recorded_first not in waiting(ward, "C1")["review again"].why
    assert recorded_first not in waiting(ward, "C4")["review"].why

"""Who may judge, whose verdict counts, and what a refused reviewer is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from reviews_ward import AUTHOR, NOON, Ward

from m4review.errors import HistoryError, LedgerError, WorkspaceError
from m4review.reviews import queue
from m4review.reviews.people import human_addresses, humans
from m4review.workspace import Roster


def change_by(ward: Ward, author: tuple[str, str], committer: tuple[str, str] | None = None, trailer: str = "") -> None:
    ward.edit("above 2", "above 4")
    ward.commit(f"a threshold\n\n{trailer}", author=author, committer=committer)


CLEO = ("Cleo", "cleo@clinic.EXAMPLE")


@pytest.mark.parametrize(
    ("make", "reviewer"),
    [
        (lambda ward: change_by(ward, ("C1", "c1@reviewers.invalid")), "C1"),
        (lambda ward: change_by(ward, AUTHOR, ("C1", "C1@Reviewers.invalid")), "C1"),
        (lambda ward: change_by(ward, AUTHOR, trailer="Co-authored-by: Cee One <c1@reviewers.invalid>"), "C1"),
        (lambda ward: change_by(ward, CLEO), "C2"),
    ],
    ids=["author", "committer", "co-author", "further address"],
)
def test_whoever_had_a_hand_in_the_text_cannot_judge_it(
    ward: Ward, make: Callable[[Ward], None], reviewer: str
) -> None:
    make(ward)
    assert set(ward.truth().excluded or {}) == {reviewer}
    with pytest.raises(LedgerError, match=f"{reviewer} had a hand in this text") as refused:
        ward.say(reviewer)
    assert "C3" in str(refused.value.expected)
    assert ward.events() == []
    ward.approve("C3", "C4")
    assert ward.truth().state == "approved"


def test_a_verdict_of_an_author_that_got_into_git_is_void_and_says_why(ward: Ward) -> None:
    past = "2098-01-01T12:00:00Z"
    ward.approve("C1", "C4")
    ward.git("switch", "-q", "--orphan", "rewritten")
    ward.git("checkout", "-q", "main", "--", ".")
    ward.commit("the same bytes, now by C1", author=("C1", "c1@reviewers.invalid"), date=past)
    status = ward.truth()
    assert status.label == "in review (1 of 2)"
    assert (status.verdicts[0].standing, status.verdicts[1].standing) == ("void", "counts")
    assert "C1 had a hand in this text" in status.verdicts[0].why


def test_an_author_of_an_approved_text_may_judge_the_next_change(ward: Ward) -> None:
    change_by(ward, ("C1", "c1@reviewers.invalid"))
    ward.approve("C3", "C4")
    ward.edit("above 4", "above 5")
    ward.commit("by somebody else")
    assert ward.truth().excluded == {}
    ward.approve("C1", "C4")
    assert ward.truth().state == "approved"


def test_the_author_of_a_task_card_had_a_hand_in_what_is_judged(ward: Ward) -> None:
    (ward.root / "tasks/perfusion/lactate-24h/instruction.md").write_text("# other\n", encoding="utf-8")
    ward.commit("card", author=("C4", "c4@reviewers.invalid"))
    assert set(ward.truth("lactate").excluded or {}) == {"C4"}
    assert ward.truth("shock").excluded == {}


def test_a_policy_may_let_authors_judge(ward: Ward) -> None:
    policy = ward.root / "reviews/policy.toml"
    policy.write_text("exclude_authors = false\n" + policy.read_text())
    change_by(ward, ("C1", "c1@reviewers.invalid"))
    ward.approve("C1", "C4")
    assert ward.truth().state == "approved"
    assert "I wrote no part" not in ward.truth().verdicts[0].verdict.meaning


def test_a_verdict_after_the_last_day_is_refused_and_void(ward: Ward) -> None:
    late = datetime(2099, 1, 1, 0, 0, tzinfo=UTC)
    with pytest.raises(LedgerError, match="C4 is not on the roster on 2099-01-01"):
        ward.say("C4", now=late)
    ward.say("C1")
    ward.say("C4", now=datetime(2098, 12, 31, 23, 59, tzinfo=UTC))
    assert ward.truth().state == "approved"
    ward.rule("roster.toml", "until = 2098-12-31", "until = 2098-12-30", "C1", "C2")
    status = ward.truth()
    assert status.label == "in review (1 of 2)"
    assert (status.verdicts[1].standing, status.verdicts[1].why) == (
        "void",
        "given on 2098-12-31; C4 is on the roster until 2098-12-30",
    )


def test_a_verdict_of_somebody_who_left_the_roster_is_void(ward: Ward) -> None:
    ward.approve("C1", "C2")
    ward.rule("roster.toml", 'id = "C2"', 'id = "C9"', "C1", "C3")
    assert ward.truth().verdicts[1].why == "C2 is not on the roster"
    assert ward.truth().label == "in review (1 of 2)"


def test_one_human_counts_once_whatever_ids_they_hold(ward: Ward) -> None:
    ward.rule("roster.toml", 'expertise = "prediction"', 'expertise = "p"\ngit_emails = ["c1@reviewers.invalid"]')
    ward.approve("C1", "C3")
    assert ward.truth().label == "in review (1 of 2)"
    ward.approve("C4")
    assert ward.truth().label == "approved"
    change_by(ward, ("C1", "c1@reviewers.invalid"))
    assert set(ward.truth().excluded or {}) == {"C1", "C3"}


def test_nobody_outside_the_roster_gives_a_verdict(ward: Ward) -> None:
    with pytest.raises(WorkspaceError, match="'C7' is not on the roster"):
        ward.say("C7")


def test_only_a_recorded_text_is_judged(ward: Ward) -> None:
    ward.edit("above 2", "above 4")
    with pytest.raises(HistoryError, match="not the last recorded version") as refused:
        ward.say("C1")
    assert "m4review version lactate" in str(refused.value.fix)
    ward.commit()
    (ward.root / "tasks/perfusion/lactate-24h/instruction.md").write_text("# other\n", encoding="utf-8")
    with pytest.raises(HistoryError, match="not the last recorded version"):
        ward.say("C1")
    assert ward.events() == []


def test_an_edit_of_another_skill_is_no_obstacle(ward: Ward) -> None:
    ward.edit("above 2", "above 4", skill="shock")
    ward.say("C1", skill="lactate")
    assert ward.git("status", "--porcelain").strip() == "M skills/shock/SKILL.md"


def test_policies_this_version_cannot_keep_are_refused_not_ignored(ward: Ward) -> None:
    for old, new, message in (
        ("required = 2", 'required = 2\nindependent = "sealed"', "sealed"),
        ('independent = "sealed"', "minimum_assurance = 1", "signed"),
    ):
        ward.rule("policy.toml", old, new)
        with pytest.raises(LedgerError, match=message):
            ward.say("C1")


def test_an_unsigned_verdict_is_void_once_the_policy_asks_for_signatures(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.rule("policy.toml", "required = 2", "required = 2\nminimum_assurance = 1", "C1", "C4")
    assert [judged.standing for judged in ward.truth().verdicts] == ["void", "void"]
    assert ward.truth().state == "void"


def test_a_shallow_clone_takes_no_verdict_because_authors_cannot_be_told(ward: Ward) -> None:
    ward.edit("above 2", "above 4")
    ward.commit()
    clone = Ward(ward.root.parent / "shallow")
    ward.git("clone", "-q", "--depth", "1", f"file://{ward.root}", str(clone.root))
    with pytest.raises(HistoryError, match="shallow"):
        clone.say("C1")


def test_the_queue_names_what_waits_and_why(ward: Ward) -> None:
    def waiting(reviewer: str) -> list[tuple[str, str]]:
        return [(item.kind, item.skill) for item in queue(ward.workspace, reviewer)]

    assert waiting("C1") == [("review", "lactate"), ("review", "shock")]
    assert waiting("C2") == []
    ward.say("C1")
    assert waiting("C1") == [("review", "shock")]
    ward.say("C4", schema="changes", notes="Which item?")
    ward.edit("50813", "50814")
    ward.commit("by C1", author=("C1", "c1@reviewers.invalid"))
    assert waiting("C4") == [("review again", "lactate"), ("review", "shock")]
    assert queue(ward.workspace, "C4")[0].why == "since your verdict of 2098-01-31 the text changed (schema)"
    assert waiting("C2") == [("review", "lactate")], "C1 wrote it, so another one is needed"
    assert "C1 had a hand in the text" in queue(ward.workspace, "C2")[0].why
    assert waiting("C1") == [("review", "shock"), ("stale", "lactate")]
    ward.say("C4", schema="changes")
    assert waiting("C1") == [("change", "lactate"), ("review", "shock")]
    assert "C4 (schema)" in queue(ward.workspace, "C1")[0].why


def test_a_skill_without_a_pair_waits_for_everybody(ward: Ward) -> None:
    folder = ward.root / "skills/orphan"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: orphan\ndescription: None uses it.\n---\n\n# Orphan\n")
    ward.commit()
    assert "orphan" in {item.skill for item in queue(ward.workspace, "C3")}
    ward.approve("C1", "C2", skill="orphan")
    assert "orphan" not in {item.skill for item in queue(ward.workspace, "C3")}


def test_times_are_utc_and_only_for_display(ward: Ward) -> None:
    ward.say("C1", now=NOON)
    ward.say("C4", now=datetime(2020, 1, 1, tzinfo=UTC))
    status = ward.truth()
    assert [judged.verdict.clock for judged in status.verdicts] == [1, 2]
    assert status.verdicts[1].verdict.after == (status.verdicts[0].verdict.id,)


def test_entries_that_share_addresses_in_a_chain_are_one_human() -> None:
    entries = [("C1", ["a@x"]), ("C2", ["b@x"]), ("C3", ["A@x", "b@x"]), ("C4", [])]
    roster = Roster.model_validate(
        {"reviewers": [{"id": name, "role": "r", "expertise": "e", "git_emails": mails} for name, mails in entries]}
    )
    assert humans(roster) == {"C1": "C1", "C2": "C1", "C3": "C1", "C4": "C4"}
    assert human_addresses(roster, "C2") >= {"a@x", "b@x", "c1@reviewers.invalid", "c3@reviewers.invalid"}


def test_whoever_began_the_repository_had_no_hand_in_a_skill_that_came_later(ward: Ward) -> None:
    ward.git("commit", "-q", "--amend", "--no-edit", "--reset-author", GIT_AUTHOR_EMAIL="c1@reviewers.invalid")
    folder = ward.root / "skills/later"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: later\ndescription: Later.\n---\n")
    ward.commit()
    assert set(ward.truth("lactate").excluded or {}) == {"C1"}
    assert ward.truth("later").excluded == {}

"""The states of a skill on real repositories, in the words of those who review."""

from __future__ import annotations

import pytest
from reviews_ward import AUTHOR, NOON, Ward, people

from m4review.errors import LedgerError
from m4review.reviews import withdraw_verdict


def test_two_distinct_eligible_reviewers_approve(ward: Ward) -> None:
    assert ward.truth().label == "draft"
    ward.say("C1")
    assert ward.truth().label == "in review (1 of 2)"
    ward.say("C4", output="approve-with-notes", notes="Fine; see the window.")
    status = ward.truth()
    assert status.label == "approved"
    assert [judged.standing for judged in status.verdicts] == ["counts", "counts"]
    assert any("C4: definition approve, schema approve, output approve-with-notes" in line for line in status.because)


@pytest.mark.parametrize(
    ("old", "new", "scopes"),
    [
        ("above 2 mmol", "above 4 mmol", ("definition",)),
        ("Perfusion.", "Perfusion!", ("definition",)),
        ("50813", "50814", ("schema",)),
        ("One row", "one row", ("output",)),
        ("Free text.", "Free text. ", ("definition", "schema", "output")),
        ("How to derive", "How to get", ("definition", "schema", "output")),
    ],
)
def test_one_changed_byte_is_stale_and_names_the_scopes(
    ward: Ward, old: str, new: str, scopes: tuple[str, ...]
) -> None:
    ward.approve("C1", "C4")
    ward.edit(old, new)
    for committed in (False, True):
        if committed:
            ward.commit()
        status = ward.truth()
        assert (status.state, status.stale and status.stale.scopes) == ("stale", scopes)
        assert [judged.standing for judged in status.verdicts] == ["stale", "stale"]
        assert status.is_recorded is committed


def test_a_byte_that_is_no_text_is_stale_too(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.file().write_bytes(ward.file().read_bytes().replace(b"Perfusion", b"Perfus\xffon"))
    status = ward.truth()
    assert status.state == "stale"
    assert "skills/lactate/SKILL.md:14" in status.because[0]
    assert ward.truth("shock").state == "draft"


def test_reverting_the_text_brings_the_approval_back(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.edit("above 2", "above 4")
    ward.commit("a threshold", author=("C1", "c1@reviewers.invalid"))
    assert ward.truth().state == "stale"
    ward.edit("above 4", "above 2")
    assert ward.truth().state == "approved"
    ward.commit("back again", author=("C4", "c4@reviewers.invalid"))
    assert ward.truth().state == "approved"


def test_a_changed_task_card_is_stale_and_named(ward: Ward) -> None:
    ward.approve("C1", "C4")
    instruction = ward.root / "tasks/perfusion/shock-24h/instruction.md"
    instruction.write_text("# shock\n\nDerive it over 48 hours.\n", encoding="utf-8")
    ward.commit()
    status = ward.truth()
    assert status.state == "stale"
    assert status.stale is not None
    assert (status.stale.scopes, status.stale.tasks) == ((), ("shock-24h",))
    assert status.label == "stale (task cards)"


def test_a_card_that_starts_to_use_the_skill_makes_it_stale(ward: Ward) -> None:
    ward.approve("C1", "C4")
    card = ward.root / "tasks/elsewhere/shock-48h/task.toml"
    card.write_text(card.read_text().replace('["shock"]', '["shock", "lactate"]'))
    stale = ward.truth().stale
    assert stale is not None
    assert stale.tasks == ("shock-48h",)


def test_a_broken_card_is_not_the_card_that_was_judged(ward: Ward) -> None:
    ward.approve("C1", "C4")
    (ward.root / "tasks/perfusion/shock-24h/task.toml").write_text("title = ", encoding="utf-8")
    assert ward.truth().state == "stale"


def test_renaming_a_task_keeps_the_approval(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.git("mv", "tasks/perfusion/shock-24h", "tasks/elsewhere/shock-first-day")
    ward.commit("rename")
    assert ward.truth().state == "approved"


def test_changing_the_mode_of_a_file_keeps_the_approval(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.file().chmod(0o755)
    ward.commit("executable")
    assert ward.truth().state == "approved"


def test_squash_amend_rebase_and_cherry_pick_keep_the_approval(ward: Ward) -> None:
    ward.git("switch", "-q", "-c", "topic")
    ward.edit("above 2", "above 4")
    ward.commit("a threshold")
    ward.edit("One row per stay.", "One row per ICU stay.")
    ward.commit("a word")
    ward.approve("C1", "C4")
    assert ward.truth().state == "approved"
    ward.git("switch", "-q", "main")
    (ward.root / "README").write_text("elsewhere\n")
    ward.commit("main moves on")
    author = people(AUTHOR, AUTHOR)

    ward.git("switch", "-q", "-c", "squashed", "main")
    ward.git("merge", "-q", "--squash", "topic")
    ward.commit("squashed")
    assert ward.truth().state == "approved"
    ward.git("commit", "-q", "--amend", "-m", "said better", **author)
    assert ward.truth().state == "approved"

    ward.git("switch", "-q", "-c", "picked", "main")
    ward.git("cherry-pick", "main..topic", **author)
    assert ward.truth().state == "approved"

    ward.git("switch", "-q", "topic")
    ward.git("rebase", "-q", "main", **author)
    assert ward.truth().state == "approved"


def test_a_reviewer_who_rebases_an_approved_text_does_not_become_its_author(ward: Ward) -> None:
    past, given = "2098-01-01T12:00:00Z", "2098-02-01T12:00:00Z"
    ward.git("switch", "-q", "-c", "topic")
    ward.edit("above 2", "above 4")
    ward.commit("a threshold", date=past)
    ward.approve("C1", "C4")
    ward.git("switch", "-q", "main")
    (ward.root / "README").write_text("elsewhere\n")
    ward.commit("main moves on")
    ward.git("switch", "-q", "topic")
    ward.git(
        "rebase", "-q", "main", GIT_COMMITTER_NAME="C4", GIT_COMMITTER_EMAIL="c4@reviewers.invalid",
        GIT_COMMITTER_DATE=given,
    )  # fmt: skip
    assert ward.truth().state == "approved"


def test_changes_and_disagreement_are_states_of_their_own(ward: Ward) -> None:
    ward.say("C1", schema="changes", notes="The item is wrong.")
    assert ward.truth().label == "changes requested"
    ward.say("C4")
    assert ward.truth().label == "disputed"
    ward.say("C2")
    assert ward.truth().label == "disputed", "a majority does not overrule a request for changes"


def test_two_requests_for_changes_are_no_dispute(ward: Ward) -> None:
    ward.say("C1", schema="changes", output="abstain")
    ward.say("C4", schema="changes", output="abstain")
    assert ward.truth().label == "changes requested"


def test_an_abstention_approves_nothing(ward: Ward) -> None:
    ward.say("C1", output="abstain")
    ward.say("C4")
    assert ward.truth().label == "in review (2 of 2)"
    assert "output 1 of 2" in ward.truth().because[-1]
    ward.say("C2", definition="abstain", schema="abstain")
    assert ward.truth().label == "approved", "every scope has two distinct approvals"


def test_new_verdicts_on_the_new_text_end_staleness(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.edit("above 2", "above 4")
    ward.commit()
    ward.say("C1")
    assert ward.truth().label == "in review (1 of 2), stale (definition)"
    ward.say("C4")
    status = ward.truth()
    assert (status.label, status.stale) == ("approved", None)
    assert [judged.standing for judged in status.verdicts] == ["stale", "stale", "counts", "counts"]
    assert [judged.verdict.round for judged in status.verdicts][2:] == ["delta", "delta"]


def test_two_drafts_from_one_base_coexist_and_their_merge_is_a_third_text(ward: Ward) -> None:
    ward.git("switch", "-q", "-c", "one")
    ward.edit("above 2", "above 4")
    ward.commit("one", author=("Ben", "ben@clinic.example"))
    ward.approve("C1", "C4")
    ward.git("switch", "-q", "-c", "two", "main")
    ward.edit("One row per stay.", "One row per ICU stay.")
    ward.commit("two", author=("C3", "c3@reviewers.invalid"))
    ward.approve("C1", "C4")
    ward.git("merge", "-q", "-m", "both", "one", **people(AUTHOR, AUTHOR))
    status = ward.truth()
    assert status.state == "stale"
    assert [judged.standing for judged in status.verdicts] == ["stale"] * 4
    assert status.excluded == {}, "both sides are settled by their approvals"
    ward.approve("C3", "C4")
    assert ward.truth().state == "approved"


def test_a_change_on_a_side_branch_counts_for_the_author_rule_after_the_merge(ward: Ward) -> None:
    ward.git("switch", "-q", "-c", "side")
    ward.edit("One row per stay.", "One row per ICU stay.")
    ward.commit("by C1", author=("C1", "c1@reviewers.invalid"))
    ward.git("switch", "-q", "main")
    ward.approve("C1", "C4")
    ward.git("merge", "-q", "-m", "both", "side", **people(AUTHOR, AUTHOR))
    assert set(ward.truth().excluded or {}) == {"C1"}
    with pytest.raises(LedgerError, match="C1 had a hand in this text"):
        ward.say("C1")


def test_a_withdrawn_verdict_no_longer_counts(ward: Ward) -> None:
    ward.approve("C1", "C4")
    withdraw_verdict(ward.workspace, "lactate", "C4", "I looked at another table.", now=NOON)
    status = ward.truth()
    assert (status.label, status.verdicts[1].standing) == ("in review (1 of 2)", "withdrawn")
    ward.say("C4")
    assert ward.truth().label == "approved"


def test_a_verdict_is_replaced_only_when_that_is_said(ward: Ward) -> None:
    ward.say("C1", schema="changes")
    with pytest.raises(LedgerError, match="already gave a verdict on exactly this text"):
        ward.say("C1")
    ward.say("C1", replace=True)
    ward.say("C4")
    status = ward.truth()
    assert status.label == "approved"
    assert [judged.standing for judged in status.verdicts] == ["superseded", "counts", "counts"]


def test_states_of_other_skills_are_their_own(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.say("C1", skill="shock")
    ward.edit("above 2", "above 4", skill="shock")
    assert ward.truth("lactate").label == "approved"
    assert ward.truth("shock").label == "stale (definition)"


def test_a_shallow_clone_says_that_it_cannot_decide(ward: Ward) -> None:
    ward.approve("C1", "C4")
    clone = Ward(ward.root.parent / "shallow")
    ward.git("clone", "-q", "--depth", "1", f"file://{ward.root}", str(clone.root))
    status = clone.truth()
    assert status.state == "undecided"
    assert any("cannot be told" in line for line in status.because)


def test_a_clone_with_other_line_ends_computes_the_same_state(ward: Ward) -> None:
    ward.approve("C1", "C4")
    clone = Ward(ward.root.parent / "windows")
    ward.git("clone", "-q", "-c", "core.autocrlf=true", str(ward.root), str(clone.root))
    assert b"\r\n" in clone.file().read_bytes()
    assert b"\r\n" in clone.events()[0].read_bytes()
    assert clone.truth().label == "approved"
    assert clone.truth().subject == ward.truth().subject
    clone.edit("above 2", "above 4")
    assert clone.truth().label == "stale (definition)"
    assert clone.is_clean() is False


def test_without_git_nothing_is_approved_and_nothing_crashes(ward: Ward) -> None:
    ward.approve("C1", "C4")
    (ward.root / ".git").rename(ward.root.parent / "elsewhere.git")
    status = ward.truth()
    assert (status.state, status.label) == ("not recorded", "not recorded: no version history")

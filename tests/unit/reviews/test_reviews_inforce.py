"""Everything is judged by the rules in force; files on disk that differ are said on every surface, and never obeyed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reviews_forgery import forge
from reviews_ward import NOON, Ward

from m4review.errors import LedgerError, WorkspaceError
from m4review.reviews import Ledger, open_review, queue
from m4review.reviews.verify import verify

EDITS = [
    ("policy.toml", "required = 2", "required = 1"),
    ("policy.toml", "required = 2", 'required = 2\nindependent = "open"'),
    ("policy.toml", 'output = ["Output"]', 'output = ["Output"]\n\n[rubbish'),
    ("roster.toml", 'id = "C3"', 'id = "C9"'),
]


def change(ward: Ward, name: str, old: str, new: str) -> None:
    path = ward.root / "reviews" / name
    path.write_text(path.read_text().replace(old, new, 1))


@pytest.mark.parametrize(("name", "old", "new"), EDITS)
@pytest.mark.parametrize("recorded", [False, True])
def test_an_edited_rule_file_changes_no_state_and_is_named(
    ward: Ward, m4review: Any, name: str, old: str, new: str, recorded: bool
) -> None:
    ward.say("C1")
    before = ward.truth()
    change(ward, name, old, new)
    if recorded:
        ward.commit("rules")
    after = ward.truth()
    assert (after.label, after.given, after.required) == (before.label, before.given, before.required)
    note = f"reviews/{name} on disk: not in force"
    assert note in after.because[-1]
    assert ("adopted by nobody" in after.because[-1]) == recorded
    if new.endswith("[rubbish"):
        return  # who works here is looked up in the files on disk, which cannot be read
    for words in (
        ("review", "status"),
        ("review", "status", "lactate"),
        ("review", "status", "--json"),
        ("review", "status", "--format", "md"),
        ("review", "packet", "lactate"),
        ("review", "queue", "--as", "C4"),
        ("review", "queue", "--as", "C4", "--json"),
    ):
        assert note in m4review(*words)[1].replace("\\", ""), words
    rules = json.loads(m4review("review", "status", "--json")[1])["rules"]
    assert rules["policy"] == ward.truth().verdicts[0].verdict.policy


def test_an_adopted_change_is_in_force_everywhere_and_nothing_is_said(ward: Ward) -> None:
    ward.say("C1")
    ward.rule("policy.toml", "required = 2", "required = 1", "C1")
    assert ward.truth().label == "in review (1 of 2)"
    ward.rule("policy.toml", "required = 1", "required = 1 ", "C1", "C2")
    status = ward.truth()
    assert (status.label, status.required) == ("approved", 1)
    assert not any("not in force" in sentence for sentence in status.because)
    assert [item.skill for item in queue(ward.workspace, "C4")] == ["shock"]


def test_an_event_names_the_policy_in_force_and_not_the_one_on_disk(ward: Ward) -> None:
    ward.say("C1")
    change(ward, "policy.toml", "required = 2", "required = 1")
    ward.say("C4")
    first, second = (judged.verdict.policy for judged in ward.truth().verdicts)
    assert first == second


def test_who_is_only_on_the_disks_roster_records_nothing(ward: Ward) -> None:
    ward.say("C1")
    change(ward, "roster.toml", 'id = "C3"', 'id = "C9"')
    with pytest.raises(WorkspaceError, match="'C9' is not on the roster"):
        ward.say("C9")
    with pytest.raises(WorkspaceError, match="'C9' is not on the roster"):
        open_review(ward.workspace, "lactate", "C2", reviewers=["C9"], now=NOON)
    ward.say("C3")
    assert ward.truth().state == "approved"


def test_before_the_first_event_a_recorded_change_is_in_force_at_once(ward: Ward) -> None:
    change(ward, "policy.toml", "required = 2", "required = 1")
    assert "the change is not recorded (git commit" in ward.truth().because[-1]
    assert ward.truth().required == 2
    ward.commit("one is enough")
    assert ward.truth().required == 1
    ward.say("C1")
    assert ward.truth().label == "approved"


def test_rules_in_force_that_cannot_be_read_name_their_line(ward: Ward) -> None:
    change(ward, "policy.toml", "required = 2", "required = 0")
    ward.commit("nobody is enough")
    with pytest.raises(LedgerError, match="required") as refused:
        ward.truth()
    assert (str(refused.value.where), refused.value.line) == ("reviews/policy.toml", 2)


def test_rules_that_are_in_no_commit_hold_and_are_named(ward: Ward) -> None:
    ward.git("rm", "-q", "--cached", "-r", "reviews")
    ward.git("commit", "-q", "-m", "not the reviews")
    assert Ledger.load(ward.workspace).rules.notes == (
        "reviews/roster.toml is not recorded; until it is, the rules of review are those on disk",
    )


def test_a_verdict_on_a_branch_that_left_before_the_policy_changed_is_proven(ward: Ward) -> None:
    ward.say("C1")
    ward.git("checkout", "-q", "-b", "side")
    ward.say("C4")
    ward.git("checkout", "-q", "main")
    ward.rule("policy.toml", "required = 2", 'required = 2\neditorial = "review"', "C1", "C2")
    ward.git("merge", "-q", "--no-edit", "side")
    report = verify(ward.root, skills=("lactate",))
    proof = next(proof for proof in report.proofs if proof.name == "events name the policy in force")
    assert (proof.outcome, proof.why) == ("proven", "2 events, 1 policies, each in its time")
    ward.say("C3")
    proof = next(proof for proof in verify(ward.root).proofs if proof.name == "events name the policy in force")
    assert (proof.outcome, proof.why) == ("proven", "3 events, 2 policies, each in its time")


def test_a_verdict_whose_branch_left_after_the_policy_changed_may_not_name_the_one_before(ward: Ward) -> None:
    ward.say("C1")
    before = Ledger.load(ward.workspace).rules.policy_digest
    ward.rule("policy.toml", "required = 2", 'required = 2\neditorial = "review"', "C1", "C2")
    ward.git("checkout", "-q", "-b", "side")
    forge(ward, "verdict", "C4", policy=before)
    ward.git("checkout", "-q", "main")
    ward.git("merge", "-q", "--no-ff", "--no-edit", "side")
    proof = next(proof for proof in verify(ward.root).proofs if proof.name == "events name the policy in force")
    assert (proof.outcome, len(proof.details)) == ("policy not met", 1)
    assert "was in force at another time" in proof.details[0]

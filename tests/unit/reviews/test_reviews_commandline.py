"""Parts of a review that only the command line is asked for: checklists, the queue of a sealed round, overrides."""

from __future__ import annotations

import json
from collections.abc import Callable

from reviews_stories import with_policy
from reviews_ward import Ward

from m4review.reviews.events import parse_event
from m4review.reviews.kinds import Verdict
from m4review.reviews.verify import verify

Command = Callable[..., tuple[int, str, str]]


def with_checklists(ward: Ward) -> None:
    folder = ward.root / "reviews/checklists"
    folder.mkdir()
    (folder / "definition.md").write_text("# Definition\n\n- Every threshold has a unit.\n- Bands leave\n  no gap.\n")
    (folder / "output.md").write_text("# Output\n\n1. The key is stated.\n")
    ward.commit("checklists")


def test_questions_are_numbered_in_the_packet_and_answered_by_number_or_words(ward: Ward, m4review: Command) -> None:
    with_checklists(ward)
    out = m4review("review", "packet", "lactate")[1]
    assert "== checklist: Definition\n  1. Every threshold has a unit.\n  2. Bands leave no gap.\n" in out
    assert "== checklist: Output\n  3. The key is stated.\n" in out
    answers = ("--answer", "1=yes", "--answer", "bands leave=no", "--answer", "The key is stated.=n/a")
    code, _, err = m4review("review", "verdict", "lactate", "--approve-all", *answers, "--as", "C1", "--yes")
    assert (code, err) == (0, "")
    path = ward.events()[0]
    verdict = parse_event(path.read_bytes(), f"lactate/{path.name}")
    assert isinstance(verdict, Verdict)
    assert dict(verdict.answers) == {
        "Every threshold has a unit.": "yes",
        "Bands leave no gap.": "no",
        "The key is stated.": "not applicable",
    }
    assert verdict.checklist is not None


def test_an_answer_to_a_question_nobody_asks_is_refused(ward: Ward, m4review: Command) -> None:
    words = ("review", "verdict", "lactate", "--approve-all", "--as", "C1", "--yes")
    code, _, err = m4review(*words, "--answer", "1=yes")
    assert (code, "there is no checklist to answer" in err) == (2, True)
    with_checklists(ward)
    for answer, said in (("4=yes", "no question"), ("=yes", "is not an answer"), ("1=perhaps", "is not an answer")):
        code, _, err = m4review(*words, "--answer", answer)
        assert (code, said in err) == (2, True), err
    assert ward.events() == []


def test_the_queue_asks_for_the_reveal_once_enough_have_sealed(ward: Ward, m4review: Command) -> None:
    with_policy(ward, 'independent = "sealed"')

    def kinds(reviewer: str) -> list[str]:
        items = json.loads(m4review("review", "queue", "--as", reviewer, "--json")[1])["items"]
        return [item["kind"] for item in items if item["skill"] == "lactate"]

    assert m4review("review", "seal", "lactate", "--approve-all", "--as", "C1", "--yes")[0] == 0
    assert (kinds("C1"), kinds("C4")) == ([], ["review"])
    assert m4review("review", "seal", "lactate", "--approve-all", "--as", "C4", "--yes")[0] == 0
    assert (kinds("C1"), kinds("C4")) == (["reveal"], ["reveal"])
    assert "reveal        lactate" in m4review("review", "queue", "--as", "C4")[1]
    assert m4review("review", "reveal", "lactate", "--as", "C4", "--yes")[0] == 0
    assert (kinds("C1"), kinds("C4")) == (["reveal"], [])
    assert m4review("review", "reveal", "lactate", "--as", "C1", "--yes")[0] == 0
    assert (kinds("C1"), kinds("C4")) == ([], [])
    assert ward.truth().label == "approved"
    assert verify(ward.root, skills=("lactate",)).exit_code == 0


def test_one_human_with_two_ids_seals_once_and_shows_nothing_alone(ward: Ward, m4review: Command) -> None:
    roster = ward.root / "reviews/roster.toml"
    second = '[[reviewers]]\nid = "C5"\nrole = "surgeon"\nexpertise = "r"\ngit_emails = ["c1@reviewers.invalid"]\n\n'
    roster.write_text(roster.read_text().replace("[pairs]", f"{second}[pairs]"))
    with_policy(ward, 'independent = "sealed"')
    assert m4review("review", "seal", "lactate", "--approve-all", "--as", "C1", "--yes")[0] == 0
    code, _, err = m4review("review", "seal", "lactate", "--approve-all", "--as", "C5", "--yes")
    assert (code, "C5 has sealed a verdict on exactly this text" in err) == (2, True)
    code, _, err = m4review("review", "reveal", "lactate", "--as", "C1", "--yes")
    assert (code, "1 of 2 reviewers have sealed" in err) == (2, True)
    assert ward.truth().label == "in review (0 of 2, 1 sealed)"


def test_one_reviewer_is_enough_only_by_an_override_that_everybody_sees(ward: Ward, m4review: Command) -> None:
    with_policy(ward, 'may_override = ["C4"]')
    assert m4review("review", "verdict", "lactate", "--approve-all", "--as", "C1", "--yes")[0] == 0
    words = ("review", "override", "lactate", "--rule", "reviewers", "--reason", "The others are away.", "--yes")
    code, _, err = m4review(*words, "--as", "C2")
    assert (code, "may not set a rule aside" in err) == (2, True)
    assert m4review(*words, "--as", "C4")[0] == 0
    assert ward.truth().label == "approved (by override)"
    report = verify(ward.root, skills=("lactate",))
    (proof,) = [one for one in report.proofs if one.name == "enough distinct humans judged every scope"]
    assert proof.details == ("lactate: approved by an override",)
    assert [one for one in report.proofs if one.outcome != "proven"] == []
    assert report.exit_code == 0, report.skills
    for reading in (("status", "lactate"), ("status", "--json"), ("status", "--format", "md")):
        assert "The others are away." in m4review("review", *reading)[1]
    assert m4review("review", "sign-off", "lactate", "--as", "C4", "--yes")[0] == 0
    (skill,) = json.loads(m4review("review", "status", "lactate", "--json")[1])["skills"]
    assert "2 are asked for, set aside by C4" in skill["sign_off"]["rules"][0]["why"]


def test_three_sides_and_a_change_of_the_text_meet_in_one_merge(ward: Ward) -> None:
    """An octopus: two verdicts, each on a side of its own, and a changed text on a third."""
    for actor in ("C1", "C4"):
        ward.git("switch", "-q", "-c", f"by-{actor}", "main")
        ward.say(actor)
    ward.git("switch", "-q", "-c", "rewritten", "main")
    ward.edit("above 2", "above 4")
    ward.commit("a new threshold", author=("C3", "c3@reviewers.invalid"))
    ward.git("switch", "-q", "main")
    ward.edit("Free text.", "It is free.", skill="shock")
    ward.commit("main moves on")
    ward.git("merge", "-q", "--no-edit", "by-C1", "by-C4")
    assert len(ward.git("rev-list", "--parents", "-n", "1", "HEAD").split()) == 4
    assert ward.truth().label == "approved"
    ward.git("merge", "-q", "--no-edit", "rewritten")
    status = ward.truth()
    assert status.label == "stale (definition)"
    assert set(status.excluded or {}) == {"C3"}
    ward.git("reset", "-q", "--hard", "HEAD~1")
    assert ward.truth().label == "approved"


def test_a_new_version_of_the_dataset_makes_an_approval_lapse(ward: Ward, m4review: Command) -> None:
    """The version stands in the task cards, so the cards are stale too; which dataset it was is said beside it."""
    ward.approve("C1", "C4")
    for card in (ward.root / "tasks").glob("*/*/task.toml"):
        card.write_text(card.read_text().replace('database_version = "3.1"', 'database_version = "3.2"'))
    ward.commit("another version of the dataset")
    status = ward.truth()
    assert (status.label, status.lapsed) == ("stale (task cards), lapsed (mimic-iv)", ("mimic-iv",))
    assert any("judged for another layout or version of mimic-iv" in line for line in status.because)
    assert "lapsed (mimic-iv)" in m4review("review", "status")[1]
    assert json.loads(m4review("review", "status", "lactate", "--json")[1])["skills"][0]["lapsed"] == ["mimic-iv"]
    report = verify(ward.root, skills=("lactate",))
    (proof,) = [one for one in report.proofs if one.name == "dependencies and context are current"]
    assert (report.exit_code, proof.outcome) == (1, "policy not met")
    assert "its dataset changed since it was judged: mimic-iv" in proof.details[0]
    ward.approve("C1", "C4")
    assert (ward.truth().label, ward.truth().lapsed) == ("approved", ())
    for card in (ward.root / "tasks").glob("*/*/task.toml"):
        card.write_text(card.read_text().replace("easy", "hard"))
    ward.commit("cards change otherwise")
    assert (ward.truth().label, ward.truth().lapsed) == ("stale (task cards)", ())

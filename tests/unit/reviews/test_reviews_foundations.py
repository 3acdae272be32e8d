"""What an approval rests on beside its own verdicts: earlier texts, other skills, a history that still holds them."""

from __future__ import annotations

from typing import Any

import pytest
from reviews_ward import NOON, Ward

from m4review.errors import LedgerError
from m4review.reviews import Ledger, record_verdict
from m4review.reviews.acts import record
from m4review.reviews.provenance import Provenance, provenance
from m4review.reviews.sealing import reveal_verdict, seal_verdict
from m4review.reviews.settling import carry, sign_off
from m4review.reviews.verdicts import Said
from m4review.reviews.verify import verify

APPROVE = {"definition": "approve", "schema": "approve", "output": "approve"}


def carried(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.edit("Free text.", "Free text.  ")
    ward.commit("blanks")
    record(ward.workspace, "lactate", "C2", carry("the difference"), now=NOON)


def entry(ward: Ward) -> Provenance:
    found = provenance(ward.workspace, Ledger.load(ward.workspace))
    return next(one for one in found if one.task == "lactate-24h")


def without_history(ward: Ward) -> None:
    """The present texts in one new commit, the reviews in another; what came before is gone."""
    ward.git("checkout", "-q", "--orphan", "fresh")
    ward.git("rm", "-q", "-r", "--cached", "reviews")
    ward.git("commit", "-q", "-m", "the texts")
    trailers = "\n".join(f"Co-authored-by: C{one} <c{one}@reviewers.invalid>" for one in (1, 2, 4))
    ward.commit(f"their reviews\n\n{trailers}")


def builds_on(ward: Ward, skill: str, other: str) -> None:
    ward.edit("description:", f"metadata:\n  builds-on: {other}\ndescription:", skill=skill)


def third_skill(ward: Ward) -> None:
    folder = ward.root / "skills" / "perfusion"
    folder.mkdir()
    (folder / "SKILL.md").write_text(ward.file().read_text().replace("lactate", "perfusion"))


def test_a_carried_approval_names_the_reviewers_of_its_base_and_who_carried_it(ward: Ward) -> None:
    carried(ward)
    record(ward.workspace, "lactate", "C1", sign_off(), now=NOON)
    found = entry(ward)
    assert (found.state, found.reviewers) == ("signed off", ("C1", "C4"))
    assert [(said.actor, said.round, said.standing) for said in found.statements] == [
        ("C1", "independent", "stale"),
        ("C4", "independent", "stale"),
        ("C2", "carry", "counts"),
        ("C1", "sign-off", "counts"),
    ]
    assert "It is editorial" in found.statements[2].meaning


def test_an_approval_of_one_changed_scope_names_the_reviewers_of_the_rest(ward: Ward, m4review: Any) -> None:
    ward.say("C3", schema="changes")
    ward.edit("Free text.", "Any text.")
    ward.commit("other remarks")
    ward.approve("C1", "C4")
    ward.edit("Perfusion.", "Perfusion of tissue.")
    ward.commit("a clearer rationale")
    for reviewer in ("C2", "C3"):
        record_verdict(ward.workspace, "lactate", reviewer, {"definition": "approve"}, now=NOON)
    found = entry(ward)
    assert (found.state, found.reviewers) == ("approved", ("C1", "C4", "C2", "C3"))
    assert len(found.statements) == 4, "C3's verdict on the first text is nothing that this approval rests on"
    assert "C1 + C4 + C2 + C3" in m4review("provenance")[1]
    report = verify(ward.root, skills=("lactate",))
    proof = next(proof for proof in report.proofs if proof.name == "enough distinct humans judged every scope")
    assert (proof.outcome, proof.why) == ("proven", "1 approved skills, 2 humans each")


def test_a_carry_whose_base_fell_out_of_history_says_so_everywhere(ward: Ward, m4review: Any) -> None:
    carried(ward)
    assert ward.truth().state == "approved"
    without_history(ward)
    status = ward.truth()
    assert status.state == "stale"
    assert any("is in no recorded version any more (history was rewritten)" in one for one in status.because)
    assert "history was rewritten" in m4review("review", "status", "lactate")[1]
    assert "history was rewritten" in m4review("review", "status", "lactate", "--json")[1]
    proof = next(proof for proof in verify(ward.root).proofs if proof.name == "carried approvals are editorial")
    assert "history was rewritten" in proof.details[0]
    with pytest.raises(LedgerError, match="in no recorded version any more"):
        record(ward.workspace, "lactate", "C3", carry("again"), now=NOON)
    assert "in no recorded version any more" in m4review("review", "carry", "lactate", "--as", "C3", "--yes")[2]


def test_a_verdict_on_one_scope_whose_base_fell_out_of_history_says_so(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.edit("Perfusion.", "Perfusion of tissue.")
    ward.commit("a clearer rationale")
    record_verdict(ward.workspace, "lactate", "C2", {"definition": "approve"}, now=NOON)
    without_history(ward)
    found = next(judged for judged in ward.truth().verdicts if judged.verdict.actor == "C2")
    assert (found.standing, "history was rewritten" in found.why) == ("void", True)


def test_a_change_two_skills_away_makes_an_approved_skill_suspect(ward: Ward) -> None:
    third_skill(ward)
    builds_on(ward, "shock", "perfusion")
    builds_on(ward, "perfusion", "lactate")
    ward.commit("shock builds on perfusion, which builds on lactate")
    ward.approve("C1", "C4", skill="shock")
    ward.edit("above 2", "above 4")
    ward.commit("lactate changes")
    assert ward.truth("shock").label == "suspect (lactate)"
    ward.edit("Free text.", "Other text.", skill="perfusion")
    ward.commit("perfusion changes")
    assert ward.truth("shock").label == "suspect (lactate, perfusion)"
    proof = next(proof for proof in verify(ward.root).proofs if proof.name == "dependencies and context are current")
    assert (proof.outcome, "lactate, perfusion" in proof.details[0]) == ("policy not met", True)


def test_skills_that_build_on_each_other_make_each_other_suspect_and_end(ward: Ward) -> None:
    builds_on(ward, "shock", "lactate")
    builds_on(ward, "lactate", "shock")
    ward.commit("in a circle")
    ward.approve("C1", "C4")
    ward.approve("C1", "C4", skill="shock")
    assert (ward.truth().state, ward.truth("shock").state) == ("approved", "approved")
    subject = ward.truth().subject
    assert subject is not None
    assert sorted(subject.deps) == ["shock"]
    ward.edit("above 2", "above 4", skill="shock")
    ward.commit("shock changes")
    assert (ward.truth().label, ward.truth("shock").state) == ("suspect (shock)", "stale")


def test_a_sealed_round_holds_in_a_clone_with_other_line_ends(ward: Ward) -> None:
    ward.rule("policy.toml", "required = 2", 'required = 2\nindependent = "sealed"')
    for reviewer in ("C1", "C4"):
        seal_verdict(ward.workspace, "lactate", reviewer, Said(APPROVE, "Two\nlines.", ("text",), "none"), now=NOON)
    reveal_verdict(ward.workspace, "lactate", "C1", now=NOON)
    clone = Ward(ward.root.parent / "clone")
    ward.git("clone", "-q", "-c", "core.autocrlf=true", str(ward.root), str(clone.root))
    assert b"\r\n" in clone.events()[0].read_bytes()
    (ward.root / ".m4review").rename(clone.root / ".m4review")
    clone.git("checkout", "-q", "-b", "theirs")
    reveal_verdict(clone.workspace, "lactate", "C4", now=NOON)
    assert clone.truth().label == "approved"
    report = verify(clone.root, skills=("lactate",))
    assert [proof for proof in report.proofs if proof.outcome != "proven"] == []
    assert report.exit_code == 0
    ward.git("pull", "-q", str(clone.root), "theirs")
    assert ward.truth().label == "approved"
    assert verify(ward.root, skills=("lactate",)).exit_code == 0

"""Whole rounds on real repositories: sealed verdicts, disagreement, consensus, findings, sign-off, edits."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from reviews_forgery import reforged
from reviews_ward import NOON, Ward

from m4review.errors import LedgerError
from m4review.reviews import record_verdict
from m4review.reviews.acts import record
from m4review.reviews.duties import assign, override, recuse, revoke, withdraw_event
from m4review.reviews.eventparts import Finding
from m4review.reviews.events import parse_event
from m4review.reviews.kinds import Reveal
from m4review.reviews.remarks import comment, resolve
from m4review.reviews.rounds import commitment
from m4review.reviews.sealing import reveal_verdict, seal_verdict
from m4review.reviews.settling import carry, confirm, propose, sign_off
from m4review.reviews.verdicts import Said

APPROVE = {"definition": "approve", "schema": "approve", "output": "approve"}


def policy(ward: Ward, line: str) -> None:
    path = ward.root / "reviews/policy.toml"
    path.write_text(line + "\n" + path.read_text())
    ward.commit("policy")


def said(notes: str = "", **decisions: str) -> Said:
    return Said({**APPROVE, **decisions}, notes, ("text",), "none")


def act(ward: Ward, actor: str, plan: Any, skill: str = "lactate") -> Path:
    return record(ward.workspace, skill, actor, plan, now=NOON)


def found(severity: str = "blocker", scope: str = "schema") -> Finding:
    return Finding(id="f1", scope=scope, severity=severity, text="The item is wrong.")


def test_a_sealed_round_shows_nothing_before_both_have_sealed(ward: Ward, m4review: Any) -> None:
    policy(ward, 'independent = "sealed"')
    with pytest.raises(LedgerError, match="sealed first verdicts"):
        ward.say("C1")
    seal_verdict(ward.workspace, "lactate", "C1", said("SECRET WORD", schema="changes"), now=NOON)
    assert ward.is_clean()
    ward.git("add", "-A")
    assert ward.is_clean()
    assert ward.truth().label == "in review (0 of 2, 1 sealed)"
    everything = b"".join(path.read_bytes() for path in (ward.root / "reviews").rglob("*") if path.is_file())
    assert b"SECRET WORD" not in everything
    assert b"changes" not in everything
    assert "SECRET WORD" not in ward.git("log", "--all", "-p")
    for viewer in ((), ("--as", "C4"), ("--as", "C2")):
        for words in (("status", "lactate"), ("status", "--json"), ("status", "--format", "md")):
            code, out, err = m4review("review", *words, *viewer)
            assert (code, err) == (0, "")
            assert "SECRET WORD" not in out
            assert "changes requested" not in out
    with pytest.raises(LedgerError, match="1 of 2 reviewers have sealed"):
        reveal_verdict(ward.workspace, "lactate", "C1", now=NOON)
    with pytest.raises(LedgerError, match="has sealed a verdict on exactly this text"):
        seal_verdict(ward.workspace, "lactate", "C1", said(), now=NOON)
    seal_verdict(ward.workspace, "lactate", "C4", said(), now=NOON)
    reveal_verdict(ward.workspace, "lactate", "C1", now=NOON)
    assert ward.truth().label == "changes requested"
    reveal_verdict(ward.workspace, "lactate", "C4", now=NOON)
    assert ward.truth().label == "disputed"
    assert [judged.standing for judged in ward.truth().verdicts] == ["counts", "counts"]
    assert [judged.verdict.round for judged in ward.truth().verdicts] == ["independent", "independent"]
    assert not list((ward.root / ".m4review" / "sealed").rglob("*.json"))
    assert ward.is_clean()


def test_a_reveal_names_every_seal_of_the_round(ward: Ward) -> None:
    policy(ward, 'independent = "sealed"')
    for actor in ("C1", "C4"):
        seal_verdict(ward.workspace, "lactate", actor, said(), now=NOON)
    path = reveal_verdict(ward.workspace, "lactate", "C1", now=NOON)
    event = parse_event(path.read_bytes(), f"lactate/{path.name}")
    assert isinstance(event, Reveal)
    seals = {parse_event(one.read_bytes(), f"lactate/{one.name}").id for one in ward.events() if "-seal-" in one.name}
    assert len(seals) == 2
    assert seals <= set(event.after)


def test_two_clones_seal_at_once_and_reveal_after_the_merge(ward: Ward) -> None:
    policy(ward, 'independent = "sealed"')
    other = Ward(ward.root.parent / "other")
    shutil.copytree(ward.root, other.root)
    seal_verdict(ward.workspace, "lactate", "C1", said(), now=NOON)
    seal_verdict(other.workspace, "lactate", "C4", said(), now=NOON)
    for here, there in ((ward, other), (other, ward)):
        here.git("pull", "-q", "--no-rebase", "--no-edit", str(there.root), "main")
    reveal_verdict(ward.workspace, "lactate", "C1", now=NOON)
    reveal_verdict(other.workspace, "lactate", "C4", now=NOON)
    ward.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    assert ward.truth().label == "approved"


def test_a_verdict_that_is_not_what_was_sealed_is_void(ward: Ward) -> None:
    policy(ward, 'independent = "sealed"')
    for actor in ("C1", "C4"):
        seal_verdict(ward.workspace, "lactate", actor, said(), now=NOON)
    kept = next(path for path in (ward.root / ".m4review/sealed").rglob("*.json"))
    whose = json.loads(kept.read_text())["path"].split("-")[1]
    kept.write_text(kept.read_text().replace('"nonce": "', '"nonce": "0'))
    with pytest.raises(LedgerError, match="was changed after it was sealed"):
        reveal_verdict(ward.workspace, "lactate", whose, now=NOON)
    kept.unlink()
    with pytest.raises(LedgerError, match="not on this computer"):
        reveal_verdict(ward.workspace, "lactate", whose, now=NOON)


def test_a_verdict_without_a_seal_or_with_a_forged_reveal_is_void(ward: Ward) -> None:
    policy(ward, 'independent = "sealed"')
    for actor in ("C1", "C4"):
        seal_verdict(ward.workspace, "lactate", actor, said(), now=NOON)
    for actor in ("C1", "C4"):
        reveal_verdict(ward.workspace, "lactate", actor, now=NOON)
    assert ward.truth().label == "approved"
    mine = next(path for path in ward.events() if "-C1-verdict-" in path.name)
    changed = reforged(ward, mine, decisions={**APPROVE, "schema": "abstain"})
    judged = {one.verdict.path: one for one in ward.truth().verdicts}
    assert judged[f"lactate/{changed.name}"].why.startswith("given without a seal")
    reveal = next(path for path in ward.events() if "-C1-reveal-" in path.name)
    reforged(ward, reveal, verdict=parse_event(changed.read_bytes(), f"lactate/{changed.name}").id)
    judged = {one.verdict.path: one for one in ward.truth().verdicts}
    assert "does not open its seal" in judged[f"lactate/{changed.name}"].why


def test_a_reveal_before_the_others_sealed_is_void(ward: Ward) -> None:
    policy(ward, 'independent = "sealed"')
    for actor in ("C1", "C4"):
        seal_verdict(ward.workspace, "lactate", actor, said(), now=NOON)
    path = reveal_verdict(ward.workspace, "lactate", "C1", now=NOON)
    own = next(p for p in ward.events() if "-C1-seal-" in p.name)
    reforged(ward, path, after=[parse_event(own.read_bytes(), f"lactate/{own.name}").id])
    path.unlink()
    (judged,) = ward.truth().verdicts
    assert (judged.standing, "when 1 of 2 had sealed" in judged.why) == ("void", True)


def test_a_commitment_is_over_nonce_zero_and_bytes() -> None:
    assert commitment("00" * 32, b"") == "sha256:7f9c9e31ac8256ca2f258583df262dbc7d6f68f2a03043d5c99a4ae5a7396ce9"


def test_a_disagreement_is_settled_by_all_who_took_part(ward: Ward, m4review: Any) -> None:
    ward.say("C1", schema="changes")
    with pytest.raises(LedgerError, match="1 of 2 verdicts are given"):
        act(ward, "C1", propose({"schema": "approve"}, "We looked again."))
    ward.say("C4")
    code, out, _ = m4review("review", "consensus", "lactate", "--as", "C1")
    assert (code, out.splitlines()) == (
        0,
        ["schema: the reviewers disagree", "    C1: changes", "    C4: approve"],
    )
    with pytest.raises(LedgerError, match="no disagreement on output"):
        act(ward, "C1", propose({"schema": "approve", "output": "changes"}, "We looked again."))
    with pytest.raises(LedgerError, match="disagree on schema"):
        act(ward, "C1", propose({}, "We looked again."))
    with pytest.raises(LedgerError, match="C2 gave no verdict"):
        act(ward, "C2", propose({"schema": "approve"}, "We looked again."))
    act(
        ward,
        "C1",
        propose({"schema": "approve"}, "The item is the arterial one.", dissent="I would add the venous one."),
    )
    assert ward.truth().label == "consensus pending (1 of 2 confirmed)"
    with pytest.raises(LedgerError, match="confirmed it already"):
        act(ward, "C1", confirm())
    act(ward, "C4", confirm())
    status = ward.truth()
    assert (status.label, status.basis) == ("approved (by consensus)", "consensus")
    assert any("C1 dissents: I would add the venous one." in line for line in status.because)


@pytest.mark.parametrize("how", ["withdraw", "replace", "third", "unconfirm"])
def test_a_consensus_whose_inputs_change_is_invalid_and_says_so(ward: Ward, how: str) -> None:
    ward.say("C1", schema="changes")
    ward.say("C4")
    act(ward, "C1", propose({"schema": "approve"}, "We looked again."))
    last = act(ward, "C4", confirm())
    assert ward.truth().state == "approved"
    if how == "withdraw":
        given = next(one.verdict.path for one in ward.truth().verdicts if one.verdict.actor == "C4")
        act(ward, "C4", withdraw_event(given, "I misread it."))
    elif how == "replace":
        ward.say("C1", schema="changes", replace=True)
    elif how == "third":
        ward.say("C2", output="changes")
    else:
        act(ward, "C4", withdraw_event(last.name, "I do not agree after all."))
    status = ward.truth()
    assert status.state == ("consensus pending" if how == "unconfirm" else {
        "withdraw": "changes requested", "replace": "disputed", "third": "disputed"
    }[how])  # fmt: skip
    words = {"withdraw": "no longer stands", "replace": "no longer stands", "third": "does not settle"}
    if how in words:
        assert any("is invalid" in line and words[how] in line for line in status.because)


def test_an_open_blocker_holds_the_approval_until_its_giver_names_the_fix(ward: Ward) -> None:
    with pytest.raises(LedgerError, match="approved at the same time"):
        ward.say("C1", findings=[found()])
    ward.say("C1", schema="changes", findings=[found()])
    ward.edit("50813", "52442")
    ward.commit("another item")
    ward.approve("C1", "C4")
    status = ward.truth()
    assert status.state == "changes requested"
    assert any("blocker of C1 on schema, open" in line for line in status.because)
    with pytest.raises(LedgerError, match="the finding is of C1"):
        act(ward, "C4", resolve("f1", "fixed", "It is fixed."))
    first = next(one.verdict.content for one in status.verdicts if one.standing == "stale")
    with pytest.raises(LedgerError, match="cannot be the one that fixes it"):
        act(ward, "C1", resolve("f1", "fixed", "It is fixed.", fixed_in=first))
    with pytest.raises(LedgerError, match="in no recorded version"):
        act(ward, "C1", resolve("f1", "fixed", "It is fixed.", fixed_in="sha256:" + "0" * 64))
    act(ward, "C1", resolve("f1", "fixed", "It is fixed."))
    assert ward.truth().state == "approved"


def test_going_back_to_the_text_with_the_defect_opens_the_finding_again(ward: Ward) -> None:
    ward.say("C1", schema="changes", findings=[found()])
    ward.edit("50813", "52442")
    ward.commit("another item")
    act(ward, "C1", resolve("f1", "fixed", "It is fixed."))
    assert not ward.truth().findings[0].is_open
    ward.edit("52442", "50813")
    ward.commit("back")
    assert ward.truth().findings[0].is_open


def test_a_finding_that_was_none_is_settled_on_the_same_text(ward: Ward) -> None:
    ward.say("C1", findings=[found("minor")])
    assert ward.truth().findings[0].is_open
    act(ward, "C1", resolve("f1", "no defect", "I misread it."))
    assert not ward.truth().findings[0].is_open


def test_an_editorial_change_costs_one_carry(ward: Ward, m4review: Any) -> None:
    ward.approve("C1", "C4")
    ward.edit("Free text.\n", "Free text.  \n\n")
    ward.commit("blanks")
    assert ward.truth().state == "stale"
    code, out, _ = m4review("review", "carry", "lactate", "--as", "C4", "--yes")
    assert code == 0
    assert "+Free text.··" in out
    status = ward.truth()
    assert (status.label, status.basis) == ("approved", "carry")
    ward.edit("above 2", "above 4")
    ward.commit("a threshold")
    with pytest.raises(LedgerError, match="not editorial; it is substantive"):
        act(ward, "C1", carry(""))
    assert ward.truth().state == "stale"


def test_the_author_of_an_editorial_change_does_not_carry_it(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.edit("Free text.\n", "Free text. \n")
    ward.commit("blanks", author=("C1", "c1@reviewers.invalid"))
    with pytest.raises(LedgerError, match="C1 had a hand"):
        act(ward, "C1", carry(""))
    act(ward, "C4", carry(""))
    assert ward.truth().state == "approved"


def test_a_change_of_words_in_one_scope_costs_two_verdicts_on_that_scope(ward: Ward, m4review: Any) -> None:
    ward.approve("C1", "C4")
    ward.edit("Perfusion.", "Blood flow.")
    ward.commit("a word")
    with pytest.raises(LedgerError, match="no decision on definition"):
        record_verdict(ward.workspace, "lactate", "C1", {"output": "approve"}, now=NOON)
    for number, actor in enumerate(("C1", "C4"), start=1):
        code, _, err = m4review("review", "verdict", "lactate", "--definition", "approve", "--as", actor, "--yes")
        assert (code, err) == (0, "")
        assert ward.truth().given == number
    status = ward.truth()
    assert status.label == "approved"
    assert all(set(one.verdict.decisions) == {"definition"} for one in status.verdicts if one.standing == "counts")


def test_a_changed_number_in_one_scope_costs_full_verdicts(ward: Ward, m4review: Any) -> None:
    ward.approve("C1", "C4")
    ward.edit("above 2", "above 4")
    ward.commit("a threshold")
    code, _, err = m4review("review", "verdict", "lactate", "--definition", "approve", "--as", "C1", "--yes")
    assert code == 2
    assert "no decision on schema, output" in err


def test_a_sign_off_names_what_it_relies_on_and_falls_with_it(ward: Ward, m4review: Any) -> None:
    ward.say("C1")
    with pytest.raises(LedgerError, match="only an approved text is signed off"):
        act(ward, "C1", sign_off())
    ward.say("C4")
    act(ward, "C1", sign_off())
    status = ward.truth()
    assert status.label == "signed off"
    assert status.sign_off is not None
    assert set(status.sign_off.relied_on) == {one.verdict.id for one in status.verdicts}
    assert all(result.passed for result in status.sign_off.rules)
    given = next(one.verdict.path for one in status.verdicts if one.verdict.actor == "C4")
    act(ward, "C4", withdraw_event(given, "I misread it."))
    ward.say("C2")
    status = ward.truth()
    assert status.label == "approved"
    assert any("the sign-off of C1" in line and "no longer stand" in line for line in status.because)


def test_a_reviewer_who_is_away_is_replaced_and_it_is_recorded(ward: Ward) -> None:
    ward.say("C1", schema="changes")
    ward.say("C4")
    with pytest.raises(LedgerError, match="taken back, not set aside"):
        act(ward, "C1", assign(["C2"], "I leave.", instead_of=["C1"]))
    act(ward, "C4", assign(["C2"], "C1 is away for months.", instead_of=["C1"]))
    status = ward.truth()
    assert status.label == "in review (1 of 2)"
    assert "set aside" in status.verdicts[0].why
    ward.say("C2")
    assert ward.truth().label == "approved"


def test_an_author_sets_no_verdict_aside(ward: Ward) -> None:
    ward.edit("above 2", "above 4")
    ward.commit("a threshold", author=("C3", "c3@reviewers.invalid"))
    ward.say("C1", schema="changes")
    with pytest.raises(LedgerError, match="an author sets no verdict aside"):
        act(ward, "C3", assign(["C2"], "C1 is away.", instead_of=["C1"]))


def test_who_steps_back_does_not_count_and_may_return(ward: Ward) -> None:
    ward.approve("C1", "C4")
    path = act(ward, "C4", recuse("I joined the guideline group."))
    assert ward.truth().label == "in review (1 of 2)"
    with pytest.raises(LedgerError, match="stepped back"):
        ward.say("C4")
    act(ward, "C4", withdraw_event(path.name, "I left the group."))
    assert ward.truth().label == "approved"


def test_only_whom_the_policy_trusts_revokes_or_overrides_and_it_stays_visible(ward: Ward, m4review: Any) -> None:
    ward.say("C1", schema="changes", findings=[found()])
    ward.edit("50813", "52442")
    ward.commit("another item")
    ward.approve("C2", "C4")
    with pytest.raises(LedgerError, match="may not set a rule aside"):
        act(ward, "C2", override(["open-blocker"], "C1 has left."))
    with pytest.raises(LedgerError, match="may not revoke"):
        act(ward, "C2", revoke([ward.events()[0].name], "C1 has left."))
    ward.rule("policy.toml", "required = 2", 'required = 2\nmay_override = ["C4"]', "C1", "C2")
    act(ward, "C4", override(["open-blocker"], "C1 has left."))
    assert ward.truth().label == "approved (by override)"
    ward.edit("above 2", "above 4")
    ward.commit("a threshold")
    assert ward.truth().state == "stale"
    for words in (("status", "lactate"), ("status", "--format", "md")):
        assert "C1 has left." in m4review("review", *words)[1]
    (skill, _) = json.loads(m4review("review", "status", "--json")[1])["skills"]
    assert [one["reason"] for one in skill["overrides"]] == ["C1 has left."]


def test_a_changed_skill_that_another_builds_on_makes_it_suspect(ward: Ward, m4review: Any) -> None:
    ward.edit("Free text.", "It builds on `lactate`.", skill="shock")
    ward.commit("named")
    ward.approve("C1", "C4", skill="shock")
    assert ward.truth("shock").label == "approved"
    ward.edit("above 2", "above 4")
    ward.commit("lactate changes")
    status = ward.truth("shock")
    assert (status.state, status.label, status.suspect) == ("suspect", "suspect (lactate)", ("lactate",))
    assert "it builds on lactate, changed since your verdict" in m4review("review", "queue", "--as", "C1")[1]
    ward.approve("C1", "C4", skill="shock", replace=True)
    assert ward.truth("shock").label == "approved"


def test_what_comments_and_findings_say_is_withheld_before_the_own_verdict(ward: Ward, m4review: Any) -> None:
    ward.say("C1", findings=[Finding(id="f1", scope="schema", severity="minor", text="HIDDEN FINDING")])
    act(ward, "C1", comment("HIDDEN REMARK", quote="above 2 mmol/L"))
    ways = (("status", "lactate"), ("status", "--json"), ("status", "--format", "md"), ("packet", "lactate"))
    for viewer in ((), ("--as", "C4"), ("--as", "C2")):
        for words in ways:
            out = m4review("review", *words, *viewer)[1]
            assert "HIDDEN" not in out, (words, viewer)
            assert "minor" not in out, (words, viewer)
        queue = m4review("review", "queue", "--as", "C4", "--json")[1]
        assert "HIDDEN" not in queue
    assert "HIDDEN FINDING" in m4review("review", "status", "lactate", "--as", "C1")[1]
    ward.say("C4")
    out = m4review("review", "status", "lactate", "--as", "C4")[1]
    assert "HIDDEN FINDING" in out
    assert "HIDDEN REMARK" in out
    assert "exact, line 10" in out


def test_a_comment_on_a_deleted_passage_is_listed_as_orphan_with_its_context(ward: Ward, m4review: Any) -> None:
    ward.approve("C1", "C4")
    act(ward, "C1", comment("Is this arterial?", quote="above 2 mmol/L"))
    ward.edit("# Lactate\n", "# Lactate\n" + "More.\n" * 20)
    ward.commit("more")
    assert "moved, line 30" in m4review("review", "status", "lactate", "--as", "C1")[1]
    ward.edit("Lactate above 2 mmol/L counts.", "It counts.")
    ward.commit("less")
    assert "orphan, the passage is gone:" in m4review("review", "status", "lactate", "--as", "C1")[1]
    assert "[above 2 mmol/L]" in m4review("review", "status", "lactate", "--as", "C1")[1]


@pytest.mark.parametrize(
    "words",
    [
        ("comment", "lactate", "--text", "Fine."),
        ("recuse", "lactate", "--reason", "Too close."),
        ("assign", "lactate", "--reviewer", "C2", "--reason", "C1 is away."),
        ("seal", "lactate", "--approve-all"),
        ("verdict", "lactate", "--approve-all"),
    ],
)
def test_the_meaning_is_repeated_back_and_nothing_is_recorded_without_a_yes(
    ward: Ward, m4review: Any, words: tuple[str, ...]
) -> None:
    code, out, err = m4review("review", *words, "--as", "C4")
    assert code == 2
    assert "As C4 I" in out
    assert "--yes" in err
    assert ward.events() == []
    code, out, err = m4review("review", *words, "--as", "C4", "--yes", "--json")
    assert code == 0
    assert json.loads(out)["schema"] == "m4review.review-event.v1"
    assert "As C4 I" in err
    assert len(ward.events()) == 1
    assert ward.is_clean()

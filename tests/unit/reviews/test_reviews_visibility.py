"""Before the own verdict nothing reveals the other's decision; after both, everything is open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reviews_ward import Ward

from m4review.reviews import Ledger, visible_verdicts, withdraw_verdict

SECRET = "The window is too narrow, I think."


def everything_printed(m4review: Any, viewer: str | None) -> str:
    """Standard output and error of every reading command, as ``viewer``."""
    who = () if viewer is None else ("--as", viewer)
    commands = [
        ("review", "status"), ("review", "status", "lactate"), ("review", "status", "--json"), ("skills",),
        ("skills", "--json"), ("show", "lactate"), ("tasks",), ("show", "lactate-24h"),
    ]  # fmt: skip
    if viewer is not None:
        commands += [("review", "queue"), ("review", "queue", "--json")]
    return "\n".join(out + err for words in commands for _, out, err in [m4review(*who, *words)])


@pytest.mark.parametrize("viewer", [None, "C4", "C2"])
def test_no_command_tells_an_approval_from_a_request_for_changes(ward: Ward, m4review: Any, viewer: str | None) -> None:
    printed = {}
    for decision in ("approve", "changes"):
        start = ward.git("rev-parse", "HEAD").strip()
        path = ward.say("C1", schema=decision, notes=SECRET)
        text = everything_printed(m4review, viewer)
        assert SECRET not in text
        assert "in review (1 of 2)" in text
        assert "C1 gave a verdict" in text
        identity = ward.truth().verdicts[0].verdict.id
        printed[decision] = text.replace(path.name, "NAME").replace(identity, "ID")
        ward.git("reset", "-q", "--hard", start)
    assert printed["approve"] == printed["changes"]


def test_the_history_does_not_tell_either(ward: Ward) -> None:
    ward.say("C1", schema="changes", notes=SECRET)
    assert ward.git("log", "-1", "--format=%an %ae %cn %ce %B").strip() == (
        "C1 c1@reviewers.invalid C1 c1@reviewers.invalid Verdict of C1 on lactate"
    )


def test_after_the_own_verdict_the_other_is_shown(ward: Ward, m4review: Any) -> None:
    ward.say("C1", schema="changes", notes=SECRET)
    ward.say("C4")
    for viewer in ("C4", "C1", "C2", None):
        text = everything_printed(m4review, viewer)
        assert SECRET in text
        assert "disputed" in text


def test_the_own_verdict_is_always_shown(ward: Ward) -> None:
    ward.say("C1", schema="changes", notes=SECRET)
    status = ward.status(viewer="C1")
    assert (status.label, status.decisions_hidden, status.verdicts[0].verdict.notes) == (
        "changes requested",
        False,
        SECRET,
    )


def test_whoever_wrote_the_text_sees_what_is_asked_of_them(ward: Ward) -> None:
    ward.edit("above 2", "above 4")
    ward.commit("by C3", author=("C3", "c3@reviewers.invalid"))
    ward.say("C1", schema="changes", notes=SECRET)
    assert ward.status(viewer="C3").label == "changes requested"
    assert ward.status(viewer="C4").label == "in review (1 of 2)"


def test_an_earlier_verdict_stays_hidden_from_the_reviewer_of_the_next_text(ward: Ward, m4review: Any) -> None:
    ward.say("C1", schema="changes", notes=SECRET)
    ward.edit("50813", "50814")
    ward.commit()
    assert SECRET not in everything_printed(m4review, "C4")
    assert ward.status(viewer="C4").label == "stale (schema)"
    ward.say("C4")
    assert SECRET in everything_printed(m4review, "C4")


def test_taking_a_verdict_back_does_not_hide_what_was_seen(ward: Ward) -> None:
    ward.say("C1", schema="changes")
    ward.say("C4")
    withdraw_verdict(ward.workspace, "lactate", "C4", "Too fast.")
    assert ward.status(viewer="C4").label == "changes requested"
    assert ward.status(viewer="C2").label == "in review (1 of 2)"
    ward.say("C4", schema="changes")
    assert ward.truth().verdicts[-1].verdict.round == "after-discussion"


def test_an_open_policy_hides_nothing(ward: Ward) -> None:
    ward.rule("policy.toml", "required = 2", 'required = 2\nindependent = "open"')
    ward.say("C1", schema="changes")
    assert ward.status().label == "changes requested"
    ward.say("C4")
    assert [judged.verdict.round for judged in ward.truth().verdicts] == ["independent", "after-discussion"]


def test_an_invalid_verdict_is_no_way_to_peek(ward: Ward) -> None:
    """The other's decision stays hidden while the round is not complete and the viewer has said nothing."""
    ward.say("C1", schema="changes")
    status = ward.truth()
    seen = visible_verdicts(status, "C4", ward.workspace.policy, ward.workspace.roster)
    assert [(judged.hidden, dict(judged.verdict.decisions)) for judged in seen] == [(True, {})]
    assert Ledger.load(ward.workspace).events[0].id == seen[0].verdict.id


def test_json_says_that_decisions_are_withheld(ward: Ward, m4review: Any) -> None:
    ward.say("C1", schema="changes", notes=SECRET)
    _, out, _ = m4review("review", "status", "lactate", "--json", "--as", "C4")
    (skill,) = json.loads(out)["skills"]
    assert (skill["state"], skill["decisions_hidden"]) == ("in review", True)
    assert (skill["verdicts"][0]["decisions"], skill["verdicts"][0]["notes"]) == (None, None)


@pytest.mark.parametrize("author", [("Ana Author", "ana@clinic.example"), ("C2", "c2@reviewers.invalid")])
def test_ones_own_earlier_verdict_stays_readable_after_any_change(
    ward: Ward, m4review: Any, author: tuple[str, str]
) -> None:
    ward.say("C2", schema="changes", notes=SECRET)
    ward.edit("50813", "50814")
    for recorded in (False, True):
        if recorded:
            ward.commit(author=author)
        assert SECRET in m4review("review", "status", "lactate", "--as", "C2")[1]
        assert SECRET in m4review("--as", "C2", "review", "status", "--json")[1]
        assert SECRET not in m4review("review", "status", "lactate", "--as", "C1")[1]
        assert "say who you are" in m4review("review", "status", "lactate")[1]

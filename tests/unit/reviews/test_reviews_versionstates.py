"""Every recorded version has a state of its own, and says which event, which digest and which rule it follows from."""

from __future__ import annotations

import json
from typing import Any

from reviews_forgery import forge
from reviews_ward import NOON, Ward

from m4review.reviews import Ledger, withdraw_verdict
from m4review.reviews.acts import record
from m4review.reviews.duties import assign
from m4review.reviews.versionstates import VersionState, version_states


def versions(ward: Ward, viewer: str | None = "C1") -> tuple[VersionState, ...]:
    return version_states(ward.workspace, Ledger.load(ward.workspace), "lactate", viewer)


def labels(ward: Ward) -> list[str]:
    return [version.label for version in versions(ward)]


def next_version(ward: Ward, number: int) -> None:
    ward.edit(f"above {number}", f"above {number + 1}")
    ward.commit(f"above {number + 1}")


def test_an_earlier_version_keeps_its_state_until_a_later_one_is_approved(ward: Ward, m4review: Any) -> None:
    ward.approve("C1", "C4")
    next_version(ward, 2)
    next_version(ward, 3)
    ward.say("C1", schema="changes")
    ward.say("C4")
    next_version(ward, 4)
    assert labels(ward) == ["approved", "stale (definition)", "disputed", "stale (definition)"]
    ward.approve("C1", "C4")
    assert labels(ward) == [*(["superseded (by version 4)"] * 3), "approved"]
    first = versions(ward)[0]
    (why,) = first.because
    assert "lactate/0006-C4-verdict" in why, "the event"
    for digest in (first.content, versions(ward)[3].content):
        assert digest[:19] in why
    assert why.endswith("which until then was approved"), "the rule"
    shown = json.loads(m4review("review", "status", "lactate", "--json", "--as", "C1")[1])["versions"]
    assert [one["state"] for one in shown] == ["superseded", "superseded", "superseded", "approved"]
    assert "version 1: superseded (by version 4)" in m4review("review", "status", "lactate", "--as", "C1")[1]


def test_going_back_to_approved_bytes_supersedes_what_came_between(ward: Ward) -> None:
    ward.approve("C1", "C4")
    next_version(ward, 2)
    ward.approve("C1", "C4")
    ward.edit("above 3", "above 2")
    ward.commit("back")
    assert labels(ward) == ["approved", "superseded (by version 3)", "approved"]


def test_a_version_whose_only_verdicts_are_void_says_by_which_rule(ward: Ward) -> None:
    forge(ward, "verdict", "C9")
    status = ward.truth()
    assert (status.state, status.label) == ("void", "void")
    assert any("C9 is not on the roster" in sentence and "-C9-verdict-" in sentence for sentence in status.because)
    assert status.subject is not None
    assert any(status.subject.content[:19] in sentence and "has an effect" in sentence for sentence in status.because)
    ward.say("C1")
    assert ward.truth().state == "in review"


def test_a_version_whose_only_verdict_was_set_aside_is_superseded_and_says_by_which_event(ward: Ward) -> None:
    ward.say("C1", schema="changes")
    record(ward.workspace, "lactate", "C2", assign(["C4"], "C1 is away.", instead_of=["C1"]), now=NOON)
    status = ward.truth()
    assert (status.state, status.label) == ("superseded", "superseded")
    assert any("0002-C2-assign-" in sentence for sentence in status.because)
    ward.say("C4")
    withdraw_verdict(ward.workspace, "lactate", "C4", "Misread.", now=NOON)
    assert ward.truth().state == "withdrawn"
    assert any("withdrawn by C4" in one and "-C4-withdraw-" in one for one in ward.truth().because)


def test_the_states_of_versions_tell_nobody_what_they_may_not_know(ward: Ward) -> None:
    ward.say("C1", schema="changes")
    assert [version.label for version in versions(ward, "C4")] == ["in review (1 of 2)"]
    next_version(ward, 2)
    assert versions(ward, "C4")[0].label == "in review (1 of 2)"
    assert versions(ward, "C1")[0].label == "changes requested"

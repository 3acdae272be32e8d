"""What a verdict or an act is about is what its author had before them, also when somebody else was quicker."""

from __future__ import annotations

import pytest
from reviews_ward import Ward

from m4review.errors import ReadAnotherTextError
from m4review.reviews import Ledger, record_verdict
from m4review.reviews.acts import prepare, record
from m4review.reviews.recording import pair_now
from m4review.reviews.settling import sign_off
from m4review.workspace import SCOPES

ALL = dict.fromkeys(SCOPES, "approve")


def read(ward: Ward):
    return pair_now(ward.workspace, Ledger.load(ward.workspace), "lactate")


def test_a_verdict_on_the_text_that_was_read_is_recorded(ward: Ward) -> None:
    record_verdict(ward.workspace, "lactate", "C1", ALL, read=read(ward))
    assert len(ward.events()) == 1


def test_a_verdict_is_refused_once_the_text_that_was_read_is_replaced(ward: Ward) -> None:
    before = read(ward)
    ward.edit("above 2", "above 4")
    ward.commit("another threshold")
    with pytest.raises(ReadAnotherTextError, match="changed after it was read") as refused:
        record_verdict(ward.workspace, "lactate", "C1", ALL, read=before)
    assert "read it again" in str(refused.value)
    assert ward.is_clean()
    assert ward.events() == []


def test_a_verdict_is_refused_once_a_task_card_that_was_read_is_another(ward: Ward) -> None:
    before = read(ward)
    card = next(path for path in ward.root.glob("tasks/*/*/task.toml") if '"lactate"' in path.read_text("utf-8"))
    card.write_text(card.read_text("utf-8").replace('difficulty = "easy"', 'difficulty = "hard"'), "utf-8")
    ward.commit("another card")
    assert read(ward) != before
    with pytest.raises(ReadAnotherTextError):
        record_verdict(ward.workspace, "lactate", "C1", ALL, read=before)


def test_an_act_that_means_something_else_by_now_is_not_recorded(ward: Ward) -> None:
    ward.approve("C1", "C2")
    meaning = prepare(ward.workspace, "lactate", "C1", sign_off()).meaning
    ward.edit("above 2", "above 4")
    ward.commit("another threshold")
    ward.approve("C1", "C2")
    given = ward.events()
    with pytest.raises(ReadAnotherTextError, match="changed meanwhile"):
        record(ward.workspace, "lactate", "C1", sign_off(), confirmed=meaning)
    assert ward.events() == given
    now = prepare(ward.workspace, "lactate", "C1", sign_off()).meaning
    record(ward.workspace, "lactate", "C1", sign_off(), confirmed=now)
    assert len(ward.events()) == len(given) + 1

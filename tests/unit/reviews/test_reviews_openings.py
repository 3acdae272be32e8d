"""Asking for a review: authors that git does not know, and who is to judge."""

from __future__ import annotations

from typing import Any

import pytest
from reviews_ward import NOON, Ward

from m4review.errors import HistoryError, LedgerError, WorkspaceError
from m4review.reviews import open_review, queue


def test_a_declared_author_is_excluded_like_one_that_git_names(ward: Ward) -> None:
    open_review(ward.workspace, "lactate", "C2", authors=["C1"], now=NOON)
    assert set(ward.truth().excluded or {}) == {"C1"}
    with pytest.raises(LedgerError, match="C1 had a hand in this text"):
        ward.say("C1")
    assert ward.truth("shock").excluded == {}


def test_declaring_an_author_later_voids_the_verdict_they_gave(ward: Ward) -> None:
    ward.approve("C1", "C4")
    open_review(ward.workspace, "lactate", "C2", authors=["C1"], now=NOON)
    status = ward.truth()
    assert (status.label, status.verdicts[0].standing) == ("in review (1 of 2)", "void")


def test_a_declaration_reaches_the_texts_built_on_it_until_one_is_approved(ward: Ward) -> None:
    open_review(ward.workspace, "lactate", "C2", authors=["C3"], now=NOON)
    ward.edit("above 2", "above 4")
    ward.commit()
    assert set(ward.truth().excluded or {}) == {"C3"}
    ward.approve("C1", "C4")
    ward.edit("above 4", "above 5")
    ward.commit()
    assert ward.truth().excluded == {}


def test_the_named_reviewers_are_asked_instead_of_the_pair(ward: Ward) -> None:
    def asked(reviewer: str) -> bool:
        return "lactate" in {item.skill for item in queue(ward.workspace, reviewer)}

    open_review(ward.workspace, "lactate", "C1", reviewers=["C2", "C3"], now=NOON)
    assert [asked(name) for name in ("C1", "C2", "C3", "C4")] == [False, True, True, False]
    ward.edit("above 2", "above 4")
    ward.commit()
    assert asked("C2"), "the request outlives the text"
    open_review(ward.workspace, "lactate", "C1", reviewers=["C4", "C3"], now=NOON)
    assert [asked(name) for name in ("C1", "C2", "C3", "C4")] == [False, False, True, True]
    open_review(ward.workspace, "lactate", "C1", authors=["C2"], now=NOON)
    assert asked("C4"), "an opening that names nobody asks nobody else"


def test_an_opening_must_make_sense(ward: Ward) -> None:
    with pytest.raises(LedgerError, match="names authors, reviewers or both"):
        open_review(ward.workspace, "lactate", "C1")
    with pytest.raises(LedgerError, match="C3 wrote the text and is asked to judge it"):
        open_review(ward.workspace, "lactate", "C1", authors=["C3"], reviewers=["C3", "C4"])
    with pytest.raises(WorkspaceError, match="'C7' is not on the roster"):
        open_review(ward.workspace, "lactate", "C1", authors=["C7"])
    ward.edit("above 2", "above 4")
    with pytest.raises(HistoryError, match="not the last recorded version"):
        open_review(ward.workspace, "lactate", "C1", authors=["C3"])
    assert ward.events() == []


def test_a_review_is_opened_on_the_command_line(ward: Ward, m4review: Any) -> None:
    words = ("review", "open", "lactate", "--author", "C3", "--reviewer", "C1", "--reviewer", "C2", "--as", "C4")
    code, out, err = m4review(*words)
    assert (code, "not confirmed" in err) == (2, True)
    assert "As C4 I ask for a review of lactate by C1, C2. C3 had a hand in this text." in out
    assert not ward.workspace.events_dir.exists()
    code, out, _ = m4review(*words, "--yes")
    assert code == 0
    assert "recorded reviews/events/lactate/0001-C4-open-" in out
    assert "lactate: draft" in out
    assert "not eligible: C3 had a hand" in m4review("review", "status", "lactate")[1]
    assert "you are asked to review it" in m4review("review", "queue", "--as", "C2")[1]
    assert m4review("review", "open", "lactate", "--as", "C4")[0] == 2

"""The journal: what is kept, who may take it over, and that late writes never undo newer ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.errors import TextFileError
from m4review.tui.session import Journal

BASE = "0" * 64


def test_a_session_that_ends_without_saving_leaves_its_text_to_the_next(tmp_path: Path) -> None:
    first = Journal(tmp_path, "first")
    first.keep("sirs", "typed ≥ 38 °C", BASE, version=1)
    first.close()
    (draft,) = Journal(tmp_path, "second").claim_orphans()
    assert (draft.skill, draft.text, draft.base_digest) == ("sirs", "typed ≥ 38 °C", BASE)


def test_the_text_of_a_living_session_is_not_offered_to_another(tmp_path: Path) -> None:
    first = Journal(tmp_path, "first")
    first.keep("sirs", "typed", BASE, version=1)
    assert Journal(tmp_path, "second").claim_orphans() == []


def test_two_sessions_on_one_skill_keep_their_own_texts(tmp_path: Path) -> None:
    first, second = Journal(tmp_path, "first"), Journal(tmp_path, "second")
    first.keep("sirs", "mine", BASE, version=1)
    second.keep("sirs", "yours", BASE, version=1)
    first.close()
    second.close()
    assert sorted(draft.text for draft in Journal(tmp_path, "third").claim_orphans()) == ["mine", "yours"]


def test_a_draft_is_offered_to_one_session_only(tmp_path: Path) -> None:
    first = Journal(tmp_path, "first")
    first.keep("sirs", "typed", BASE, version=1)
    first.close()
    second, third = Journal(tmp_path, "second"), Journal(tmp_path, "third")
    assert len(second.claim_orphans()) == 1
    assert third.claim_orphans() == []


def test_an_offered_draft_that_nobody_decided_on_is_offered_again(tmp_path: Path) -> None:
    first = Journal(tmp_path, "first")
    first.keep("sirs", "typed", BASE, version=1)
    first.close()
    second = Journal(tmp_path, "second")
    second.claim_orphans()
    second.close()
    assert [draft.text for draft in Journal(tmp_path, "third").claim_orphans()] == ["typed"]


def test_own_typing_does_not_replace_a_claimed_draft_of_the_same_skill(tmp_path: Path) -> None:
    first = Journal(tmp_path, "first")
    first.keep("sirs", "old", BASE, version=1)
    first.close()
    second = Journal(tmp_path, "second")
    (claimed,) = second.claim_orphans()
    second.keep("sirs", "new", BASE, version=1)
    second.close()
    assert claimed.file is not None
    assert {draft.text for draft in Journal(tmp_path, "third").claim_orphans()} == {"old", "new"}


def test_saved_text_leaves_nothing_behind(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "first")
    journal.keep("sirs", "typed", BASE, version=1)
    journal.drop("sirs", version=1)
    journal.close()
    assert list(tmp_path.iterdir()) == []


def test_a_late_write_of_an_older_text_is_ignored(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "first")
    journal.keep("sirs", "newer", BASE, version=5)
    journal.keep("sirs", "older", BASE, version=4)
    journal.close()
    assert [draft.text for draft in Journal(tmp_path, "second").claim_orphans()] == ["newer"]


def test_a_late_write_after_the_save_does_not_bring_the_draft_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "first")
    journal.drop("sirs", version=5)
    journal.keep("sirs", "typed before the save", BASE, version=5)
    journal.keep("sirs", "typed after the save", BASE, version=6)
    journal.close()
    assert [draft.text for draft in Journal(tmp_path, "second").claim_orphans()] == ["typed after the save"]


def test_a_dropped_draft_is_gone(tmp_path: Path) -> None:
    first = Journal(tmp_path, "first")
    first.keep("sirs", "typed", BASE, version=1)
    first.close()
    second = Journal(tmp_path, "second")
    (draft,) = second.claim_orphans()
    second.discard(draft)
    second.close()
    assert Journal(tmp_path, "third").claim_orphans() == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"schema": "other"}', b"[]", b"\xff\xfe", b'{"schema": "m4review.draft.v1"}']
)
def test_a_damaged_file_among_the_drafts_stops_nobody_and_is_left_alone(tmp_path: Path, content: bytes) -> None:
    first = Journal(tmp_path, "first")
    first.keep("sirs", "typed", BASE, version=1)
    first.close()
    damaged = tmp_path / "gone--0--sofa.draft.json"
    damaged.write_bytes(content)
    assert [draft.text for draft in Journal(tmp_path, "second").claim_orphans()] == ["typed"]
    assert damaged.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    blocked = tmp_path / "drafts"
    blocked.write_text("a file where the folder should be")
    with pytest.raises(TextFileError, match="drafts cannot be kept"):
        Journal(blocked, "first").keep("sirs", "typed", BASE, version=1)

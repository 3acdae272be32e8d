"""A new workspace starts with its own version history."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.errors import HistoryError
from m4review.history.creation import create_repository


def test_a_new_repository_has_no_version_and_is_on_main(tmp_path: Path) -> None:
    repository = create_repository(tmp_path)
    assert repository.head() is None
    assert repository.branch() == "main"


def test_the_first_version_can_be_recorded_at_once(tmp_path: Path) -> None:
    repository = create_repository(tmp_path)
    (tmp_path / "note.md").write_text("one\n")
    commit = repository.commit(["note.md"], "Begin", ("A. Writer", "writer@example.invalid"))
    assert repository.head() == commit


def test_a_folder_that_keeps_versions_already_is_refused_and_left_alone(tmp_path: Path) -> None:
    create_repository(tmp_path)
    with pytest.raises(HistoryError, match="keeps versions already"):
        create_repository(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="no such folder"):
        create_repository(tmp_path / "nowhere")

"""A demonstration is found again: which ones this computer has, and how one goes on in them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from m4review.cli.main import main
from m4review.cli.wayback import MOST, earlier
from m4review.demonstrations import Demonstration, demonstrations_file, remember, remembered
from m4review.errors import WorkspaceError
from m4review.places import DEMONSTRATION_FILE
from m4review.tui.session import Journal


def made(folder: Path, day: int) -> Demonstration:
    folder.mkdir()
    (folder / DEMONSTRATION_FILE).write_text("# A demonstration\n")
    one = Demonstration(folder, datetime(2026, 3, day, 8, 30, tzinfo=UTC))
    remember(os.environ, one)
    return one


def test_a_deleted_demonstration_and_a_cut_off_line_are_not_listed(tmp_path: Path) -> None:
    first, second = made(tmp_path / "first", 1), made(tmp_path / "second", 2)
    (made(tmp_path / "deleted", 3).root / DEMONSTRATION_FILE).unlink()
    file = demonstrations_file(os.environ)
    assert file is not None
    with file.open("ab") as stream:
        stream.write(b'{"folder": "/cut o')
    assert remembered(os.environ) == [second, first]


def test_without_a_home_nothing_is_remembered_and_a_list_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    one = made(tmp_path / "one", 1)
    assert demonstrations_file({}) is None
    assert remembered({}) == []
    remember({}, one)
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="cannot be remembered"):
        remember({"XDG_STATE_HOME": str(tmp_path / "file")}, one)


def test_the_list_names_the_way_to_each_and_which_holds_unsaved_text(tmp_path: Path) -> None:
    older, newer = made(tmp_path / "a name with blanks", 1), made(tmp_path / "newer", 2)
    journal = Journal(older.root / ".m4review" / "drafts", "ended")
    journal.keep("sirs-criteria", "text", "digest", 1)
    said = earlier(remembered(os.environ))
    assert f"  made 2026-03-02 08:30 UTC\n    cd {newer.root}\n" in said
    assert f"  made 2026-03-01 08:30 UTC, unsaved text of sirs-criteria\n    cd '{older.root}'\n" in said
    assert "m4review demo --continue" in said
    journal.close()
    for day in range(3, 3 + MOST):
        made(tmp_path / f"day-{day}", day)
    assert "  … and 2 older" in earlier(remembered(os.environ))


def test_going_on_without_a_demonstration_says_so_and_makes_none(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(SystemExit) as end:
        main(["demo", "--continue"])
    assert end.value.code == 2
    assert "no demonstration is left on this computer" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_going_on_cannot_be_asked_for_with_a_new_folder(capsys, tmp_path) -> None:
    with pytest.raises(SystemExit) as end:
        main(["demo", "--continue", "--dir", str(tmp_path / "new")])
    assert end.value.code == 2
    assert "neither --dir nor --headless" in capsys.readouterr().err

"""An open text and its file: what is saved, what is refused, what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.errors import ChangedOnDiskError, TextFileError
from m4review.tui.session import OpenedSkill


def file_with(folder: Path, data: bytes) -> Path:
    path = folder / "SKILL.md"
    path.write_bytes(data)
    return path


def test_a_fresh_text_is_saved_and_typing_makes_it_unsaved(tmp_path: Path) -> None:
    opened = OpenedSkill.open("sirs", file_with(tmp_path, b"one\n"))
    assert not opened.unsaved
    opened.edit("one two\n")
    assert opened.unsaved
    opened.edit("one\n")
    assert not opened.unsaved


def test_each_change_has_a_higher_version_and_no_change_keeps_it(tmp_path: Path) -> None:
    opened = OpenedSkill.open("sirs", file_with(tmp_path, b"one\n"))
    first = opened.version
    assert not opened.edit("one\n")
    assert opened.version == first
    assert opened.edit("two\n")
    assert opened.version > first


def test_a_windows_file_keeps_its_line_ends_on_save(tmp_path: Path) -> None:
    path = file_with(tmp_path, b"one\r\ntwo\r\n")
    opened = OpenedSkill.open("sirs", path)
    opened.edit("one\nthree\n")
    opened.save()
    assert path.read_bytes() == b"one\r\nthree\r\n"
    assert not opened.unsaved


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"one\r\ntwo\n", "line-end styles"),
        (b"\xef\xbb\xbfone\n", "byte order mark"),
        ("one\x0ctwo\u2028three\n".encode(), "line separators"),
    ],
)
def test_what_a_save_will_change_is_said_on_opening(tmp_path: Path, data: bytes, word: str) -> None:
    opened = OpenedSkill.open("sirs", file_with(tmp_path, data))
    assert any(word in notice for notice in opened.notices)
    assert not opened.unsaved


def test_a_plain_file_has_no_notices(tmp_path: Path) -> None:
    assert OpenedSkill.open("sirs", file_with(tmp_path, b"one\ntwo\n")).notices == ()


def test_a_file_changed_by_someone_else_is_never_overwritten_silently(tmp_path: Path) -> None:
    path = file_with(tmp_path, b"one\n")
    opened = OpenedSkill.open("sirs", path)
    opened.edit("mine\n")
    path.write_bytes(b"theirs\n")
    with pytest.raises(ChangedOnDiskError):
        opened.save()
    assert path.read_bytes() == b"theirs\n"
    assert opened.unsaved


def test_overwriting_after_looking_works_only_on_what_was_looked_at(tmp_path: Path) -> None:
    path = file_with(tmp_path, b"one\n")
    opened = OpenedSkill.open("sirs", path)
    opened.edit("mine\n")
    path.write_bytes(b"theirs\n")
    seen = opened.on_disk()
    assert seen is not None
    path.write_bytes(b"theirs again\n")
    with pytest.raises(ChangedOnDiskError):
        opened.save_over(seen)
    again = opened.on_disk()
    assert again is not None
    opened.save_over(again)
    assert path.read_bytes() == b"mine\n"


def test_taking_the_other_text_leaves_nothing_unsaved(tmp_path: Path) -> None:
    path = file_with(tmp_path, b"one\n")
    opened = OpenedSkill.open("sirs", path)
    opened.edit("mine\n")
    path.write_bytes(b"theirs\n")
    opened.take_from_disk()
    assert (opened.text, opened.unsaved) == ("theirs\n", False)


def test_a_deleted_file_can_be_brought_back_and_only_then(tmp_path: Path) -> None:
    path = file_with(tmp_path, b"one\n")
    opened = OpenedSkill.open("sirs", path)
    opened.edit("mine\n")
    path.unlink()
    with pytest.raises(ChangedOnDiskError):
        opened.save()
    assert opened.on_disk() is None
    with pytest.raises(TextFileError, match="deleted"):
        opened.take_from_disk()
    opened.bring_back()
    assert path.read_bytes() == b"mine\n"
    path.write_bytes(b"theirs\n")
    with pytest.raises(ChangedOnDiskError):
        opened.bring_back()


def test_text_typed_upon_another_content_is_not_saved_without_asking(tmp_path: Path) -> None:
    opened = OpenedSkill.open("sirs", file_with(tmp_path, b"one\n"))
    opened.typed_upon("0" * 64)
    opened.edit("mine\n")
    with pytest.raises(ChangedOnDiskError):
        opened.save()

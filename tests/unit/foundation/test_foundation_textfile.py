"""Text files: what is read, what is refused, and that a write is whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from m4review.errors import ChangedOnDiskError, TextFileError
from m4review.textfile import decode, file_digest, read_text, write_bytes, write_text


@pytest.mark.parametrize(
    ("data", "text", "newline", "mixed"),
    [
        (b"a\nb\n", "a\nb\n", "\n", False),
        (b"a\r\nb\r\n", "a\nb\n", "\r\n", False),
        (b"a\r\nb\r\nc\n", "a\nb\nc\n", "\r\n", True),
        (b"a\nb\nc\r\n", "a\nb\nc\n", "\n", True),
        (b"a\rb\n", "a\nb\n", "\n", True),
        (b"", "", "\n", False),
        ("≥ 38 °C".encode(), "≥ 38 °C", "\n", False),
    ],
)
def test_newline_styles_are_kept_and_mixtures_reported(data: bytes, text: str, newline: str, mixed: bool) -> None:
    file = decode(data, "a.md")
    assert (file.text, file.newline, file.mixed_newlines, file.had_bom) == (text, newline, mixed, False)
    assert file.digest == hashlib.sha256(data).hexdigest()


def test_a_byte_order_mark_is_dropped_and_reported() -> None:
    file = decode(b"\xef\xbb\xbfa\n", "a.md")
    assert (file.text, file.had_bom) == ("a\n", True)


@pytest.mark.parametrize(
    ("data", "encoding", "line"),
    [
        ("temperatur 38 °C".encode("latin-1"), "Latin-1", 1),
        ("one\ntwo – three".encode("windows-1252"), "Windows-1252", 2),
        ("a\nb".encode("utf-16"), "UTF-16", 1),
        (b"\x89PNG\r\n\x00\x00", "a binary file", 1),
    ],
)
def test_another_encoding_is_named_with_its_line(data: bytes, encoding: str, line: int) -> None:
    with pytest.raises(TextFileError, match=encoding) as refused:
        decode(data, "a.md")
    assert (refused.value.where, refused.value.line) == ("a.md", line)
    assert "save the file as UTF-8" in str(refused.value)


def test_a_nul_is_no_text() -> None:
    with pytest.raises(TextFileError, match="NUL") as refused:
        decode(b"a\nb\x00", "a.md")
    assert refused.value.line == 2


def test_two_megabytes_are_refused_before_parsing(tmp_path: Path) -> None:
    big = tmp_path / "big.md"
    big.write_bytes(b"a" * 2_000_000)
    with pytest.raises(TextFileError, match="2,000,000 bytes"):
        read_text(big)
    assert read_text(big, max_bytes=2_000_000).text == "a" * 2_000_000


def test_what_is_no_file_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match="no such file"):
        read_text(tmp_path / "missing.md")
    with pytest.raises(TextFileError, match="a folder, not a file"):
        read_text(tmp_path)


def test_a_write_keeps_the_newline_style_and_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.md"
    digest = write_text(path, "a\nb\n", newline="\r\n")
    assert path.read_bytes() == b"a\r\nb\r\n"
    assert digest == file_digest(path) == hashlib.sha256(b"a\r\nb\r\n").hexdigest()
    path.chmod(0o640)
    write_text(path, "c\r\nd\n")
    assert path.read_bytes() == b"c\nd\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in path.parent.iterdir()] == ["a.md"]


def test_a_file_that_changed_on_disk_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write_text(path, "mine\n", expect_digest="")
    opened = read_text(path)
    path.write_text("theirs\n")
    with pytest.raises(ChangedOnDiskError):
        write_text(path, "mine again\n", expect_digest=opened.digest)
    with pytest.raises(ChangedOnDiskError):
        write_text(path, "new\n", expect_digest="")
    assert path.read_text() == "theirs\n"
    path.unlink()
    with pytest.raises(ChangedOnDiskError):
        write_text(path, "mine again\n", expect_digest=opened.digest)
    assert file_digest(path) == ""


def test_an_exclusive_write_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "event.md"
    write_bytes(path, b"one", exclusive=True)
    with pytest.raises(FileExistsError):
        write_bytes(path, b"two", exclusive=True)
    assert path.read_bytes() == b"one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["event.md"]


def test_a_folder_in_the_way_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(TextFileError, match="cannot be written"):
        write_text(tmp_path / "file" / "a.md", "text")
    target = tmp_path / "folder"
    (target / "inside").mkdir(parents=True)
    with pytest.raises(TextFileError):
        write_text(target, "text")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]


def test_a_full_disk_leaves_the_old_text(tmp_path: Path, mount_small_disk: Callable[[Path, str], None]) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount_small_disk(disk, "64k")
    path = disk / "a.md"
    write_text(path, "old\n")
    with pytest.raises(TextFileError, match="No space left"):
        write_text(path, "x" * 200_000)
    assert path.read_text() == "old\n"
    assert [entry.name for entry in disk.iterdir()] == ["a.md"]

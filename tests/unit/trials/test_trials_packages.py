"""Fetching what an image is made of: only what was recorded, and one clear error where it cannot be had."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from m4review.errors import TrialError
from m4review.trials.sandbox.packages import fetch_locked, fetch_versions, last_error


def silent(line: str) -> None:
    """Progress nobody looks at."""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one package, and nothing else to fetch from."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    with zipfile.ZipFile(folder / "thing-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("thing.py", "VALUE = 1\n")
        wheel.writestr("thing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
        wheel.writestr("thing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("thing-1.0.dist-info/RECORD", "thing.py,,\n")
    for name, value in {"CONFIG_FILE": "/dev/null", "NO_INDEX": "1", "FIND_LINKS": str(folder)}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    return folder


def test_a_package_with_the_recorded_digest_is_unpacked(shelf, tmp_path):
    digest = hashlib.sha256((shelf / "thing-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    (tmp_path / "lock.txt").write_text(f"thing==1.0 --hash=sha256:{digest}\n")
    fetch_locked(tmp_path / "site", tmp_path / "lock.txt", "x86_64", silent)
    assert (tmp_path / "site" / "thing.py").read_text() == "VALUE = 1\n"


def test_a_package_with_another_digest_is_refused(shelf, tmp_path):
    (tmp_path / "lock.txt").write_text(f"thing==1.0 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(TrialError, match="could not be fetched"):
        fetch_locked(tmp_path / "site", tmp_path / "lock.txt", "x86_64", silent)
    assert not (tmp_path / "site" / "thing.py").exists()


def test_an_index_without_the_package_is_one_clear_error(shelf, tmp_path):
    with pytest.raises(TrialError, match=r"nowhere==1\.0") as wrong:
        fetch_versions(tmp_path / "site", {"nowhere": "1.0"}, "x86_64", silent)
    assert "package index" in wrong.value.expected


def test_the_telling_line_of_a_program_s_last_words_is_taken():
    assert (
        last_error("npm error code EINTEGRITY\nnpm error A complete log of this run\n") == "npm error code EINTEGRITY"
    )
    assert last_error("\n") == "no message"

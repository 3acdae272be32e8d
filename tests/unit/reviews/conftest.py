"""Fixtures of the review tests: a ward, and the command run in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from reviews_ward import Ward, run_main, write_workspace


@pytest.fixture(scope="session")
def first_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ward with one commit by an author who is no reviewer, made once and copied."""
    root = tmp_path_factory.mktemp("template") / "ward"
    write_workspace(root)
    ward = Ward(root)
    ward.git("init", "-q", "-b", "main")
    ward.commit("first version")
    return root


@pytest.fixture
def ward(tmp_path: Path, first_version: Path) -> Ward:
    """A fresh ward."""
    shutil.copytree(first_version, tmp_path / "ward")
    return Ward(tmp_path / "ward")


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for signing keys, outside of the ward; no key agent of this machine answers."""
    monkeypatch.setenv("M4REVIEW_KEYS", str(tmp_path / "keys"))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return tmp_path / "keys"


@pytest.fixture
def m4review(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command, run in the ward: returns exit code, standard output and standard error."""
    monkeypatch.chdir(ward.root)

    def run(*words: str) -> tuple[int, str, str]:
        return run_main(words, capsys)

    return run

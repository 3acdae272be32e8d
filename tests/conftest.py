"""Shared by all tests: no test reads the user's git configuration, editor or data home."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def isolated_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    for name in ("M4REVIEW_DATA", "EDITOR", "VISUAL", "NO_COLOR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ".local" / "state"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(Path(home) / "gitconfig"))


@pytest.fixture
def mount_small_disk() -> Iterator[Callable[[Path, str], None]]:
    """Mount a tmpfs of a size (``"64k"``) on a folder until the test ends. Skips where mounting is refused."""
    mounted: list[Path] = []

    def mount(folder: Path, size: str) -> None:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("no small disk can be mounted here (it needs root and the right to mount)")
        mounted.append(folder)

    yield mount
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)

"""A repository with a workspace for each test of the lint."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lint_repository import Repo, make


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository made once, with its hooks, to be copied for each test."""
    root = tmp_path_factory.mktemp("template")
    made = make(root, root)
    made.git("init", "-q", "-b", "main")
    made.git("add", ".")
    made.git("commit", "-q", "-m", "First skill")
    assert made.run("hooks", "install").code == 0
    return root


@pytest.fixture
def repo(tmp_path: Path, template: Path) -> Repo:
    """A workspace at the top of its repository, one clean skill committed, hooks installed."""
    root = tmp_path / "work space α"
    shutil.copytree(template, root)
    return Repo(root, root)

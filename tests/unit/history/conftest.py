"""Real git repositories, built by plain git commands and read through the product."""

from __future__ import annotations

from pathlib import Path

import pytest
from history_sandbox import FILE, Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    """An empty repository on branch main whose workspace is a subfolder with a difficult name."""
    top = tmp_path / "repo"
    root = top / "my wörk α"
    root.mkdir(parents=True)
    box = Sandbox(root)
    box.git("init", "-q", cwd=top)
    box.git("symbolic-ref", "HEAD", "refs/heads/main", cwd=top)
    return box


@pytest.fixture
def recorded(sandbox: Sandbox) -> Sandbox:
    """The same with three commits, two of which changed the skill."""
    sandbox.write(FILE, "# SOFA\n\nWorst value of the first 24 hours.\n")
    sandbox.commit_all("First text")
    sandbox.write("README.md", "about\n")
    sandbox.commit_all("Unrelated")
    sandbox.write(FILE, "# SOFA\n\nWorst value of the first 48 hours.\n")
    sandbox.commit_all(
        "Widen the window\n\nAs published.\n\nCo-authored-by: Bea <Bea@Example.org>\n", "Cem", "cem@x.org"
    )
    return sandbox

"""The layering contract as a reader would state it, checked in fresh interpreters."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import m4review

HEAVY = ("textual", "duckdb", "docker", "git")
ROOMS_BELOW_THE_SCREEN = [
    name
    for _, name, _ in pkgutil.walk_packages(m4review.__path__, "m4review.")
    if not name.startswith(("m4review.tui", "m4review.cli.workbench", "m4review.__main__"))
    and ".agents.reader." not in name
]


def modules_loaded_by(code: str, folder: Path | None = None) -> set[str]:
    """Top-level modules in ``sys.modules`` after running ``code`` in a fresh interpreter."""
    program = (
        f"import sys, json\ntry:\n    {code}\nexcept SystemExit:\n    pass\n"
        "print('LOADED ' + json.dumps(sorted({n.partition('.')[0] for n in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOADED "))
    return set(json.loads(line.removeprefix("LOADED ")))


def test_nothing_below_the_screens_loads_textual() -> None:
    imports = "; ".join(f"import {name}" for name in ROOMS_BELOW_THE_SCREEN)
    assert len(ROOMS_BELOW_THE_SCREEN) > 30
    assert "textual" not in modules_loaded_by(imports)


def test_the_screens_do_load_textual_so_that_the_test_above_can_fail() -> None:
    assert "textual" in modules_loaded_by("import m4review.tui.app")


def test_the_lint_starts_without_database_engine_screen_or_git_library(tmp_path: Path) -> None:
    skill = tmp_path / "skills" / "plain" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    (tmp_path / "tasks").mkdir()
    skill.write_text("---\nname: plain\ndescription: A plain skill.\n---\n# Plain\n\nUse the worst value.\n")
    loaded = modules_loaded_by("from m4review.cli.main import main; main(['lint', '--all'])", tmp_path)
    assert "m4review" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("command", ["--help", "--version"])
def test_help_and_version_load_no_command(command: str) -> None:
    loaded = modules_loaded_by(f"from m4review.cli.main import main; main(['{command}'])")
    assert not loaded & {*HEAVY, "pydantic"}

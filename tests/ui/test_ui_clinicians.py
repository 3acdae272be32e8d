"""docs/clinicians.md and the README, done as they are written: keys in the workbench, commands in a shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from m4review.demo import make_example
from m4review.reviews import Ledger, skill_status
from m4review.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
GUIDE, README = ROOT / "docs" / "clinicians.md", ROOT / "README.md"
STAYS = 50
NO_ENGINE = "unix:///nonexistent/docker.sock"
STEP = re.compile(r"^\| (\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
PRESSED = re.compile(r"(type )?`([^`]+)`")
NAMES = {"Enter": "enter", "Esc": "escape", "Tab": "tab", "Left": "left", "/": "slash"}


@pytest.fixture(scope="module")
def guide() -> str:
    return GUIDE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of `make demo`, with fewer patients."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("M4REVIEW_DATA", raising=False)
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
        return make_example(tmp_path_factory.mktemp("demo") / "workspace", lambda _line: None, stays=STAYS).root


@pytest.fixture
def demonstration(example: Path, tmp_path: Path) -> Workspace:
    return Workspace(shutil.copytree(example, tmp_path / "demo", symlinks=True))


@pytest.fixture
def shell(demonstration: Workspace, tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Runs the ``sh`` blocks of a page line by line in the demonstration; what each line printed."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GIT_AUTHOR_NAME": "Ward Office", "GIT_AUTHOR_EMAIL": "ward@office.invalid",
        "GIT_COMMITTER_NAME": "Ward Office", "GIT_COMMITTER_EMAIL": "ward@office.invalid",
        "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }  # fmt: skip

    def run(page: str) -> dict[str, str]:
        printed = {}
        for command in "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)).splitlines():
            done = subprocess.run(
                command,
                shell=True,
                cwd=demonstration.root,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            printed[command] = done.stdout + done.stderr
            allowed = {0, 1} if command.startswith("m4review verify") else {0}  # 1: not everything is approved yet
            assert done.returncode in allowed, f"{command}\n{printed[command]}"
        return printed

    return run


def key_of(name: str) -> str:
    return NAMES.get(name, name.lower())


async def test_every_key_of_the_ten_minutes_does_what_the_table_says(demonstration, bench, guide, monkeypatch) -> None:
    monkeypatch.setattr("m4review.tui.app.worth_showing", lambda checks: False)
    steps = STEP.findall(guide)
    assert [int(number) for number, _, _ in steps] == list(range(1, 18))
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)
    async with bench(demonstration, None) as person:
        await person.sees("Who are you?")
        for number, keys, said in steps:
            before = person.app.trial
            for typed, name in PRESSED.findall(keys):
                await (person.types(name) if typed else person.presses(key_of(name)))
                if name == "F5":
                    await person.sees("Trial ·")
                if name == "F2":
                    await person.sees("Record a version of")
            if int(number) == len(steps):
                await person.until(lambda: not person.app.is_running, "the end")
                break
            for words in re.findall(r"\*\*(.+?)\*\*", said):
                await person.sees(words.replace("\\", ""))
            if "`F5`" in keys:
                await person.until(
                    lambda before=before: person.app.trial is not before and person.app.trial.is_over, "the trial's end"
                )
    status = skill_status(Workspace(demonstration.root), Ledger.load(demonstration), "sirs-criteria", "C2")
    assert status.label == "in review (1 of 2)"


def test_every_command_of_the_guide_runs_as_it_is_written_and_signs(shell, guide) -> None:
    printed = shell(guide)
    assert len(printed) > 15
    assert "sofa-score: approved" in printed["m4review review status sofa-score --as C2"]
    assert "1 signed" in printed["m4review verify --json"]


def test_the_review_and_the_trial_of_the_readme_run_as_they_are_written(shell) -> None:
    printed = shell(README.read_text(encoding="utf-8"))
    assert "sirs-criteria: disputed" in printed["m4review review status sirs-criteria --as C2"]
    assert "changes requested" in printed["m4review review consensus sirs-criteria --as C4 --confirm --yes"]


def test_the_table_of_keys_names_what_the_keys_do(guide) -> None:
    from m4review.tui.actions import ACTIONS

    rooms = ("home", "workbench", "review", "compare", "trial")
    rows = re.findall(r"^\| `(F\d+)` \| (.*) \|$", guide, re.MULTILINE)
    used = {action.key.upper() for room in rooms for action in ACTIONS[room] if re.fullmatch(r"f\d+", action.key)}
    assert {key for key, _ in rows} == used
    for key, cells in rows:
        for room, cell in zip(rooms, cells.split("|"), strict=True):
            does = any(action.key == key.lower() for action in ACTIONS[room])
            if cell.strip():
                assert does, f"{key} does nothing on {room}, but the guide says {cell.strip()!r}"

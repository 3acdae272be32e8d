"""``m4review data …`` and ``m4review reference`` as a user types them."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from m4review.cli.main import main
from m4review.ehr import Dataset

ROOT = Path(__file__).parents[3]


class Shell:
    """Runs commands in a workspace and keeps what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.out = self.err = ""

    def __call__(self, *words: str) -> int:
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        self.out, self.err = self.capsys.readouterr()
        code = stopped.value.code
        return code if isinstance(code, int) else 0


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell in a workspace with the project's own skills and task cards, outside git."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for folder in ("skills", "tasks"):
        shutil.copytree(ROOT / folder, workspace / folder)
    monkeypatch.chdir(workspace)
    monkeypatch.delenv("M4REVIEW_DATA", raising=False)
    return Shell(capsys)


def keep_as_demo(dataset: Dataset) -> None:
    """Put a copy of the dataset into the workspace's data home under the name ``demo``."""
    shutil.copytree(dataset.path, Path(".m4review/data/demo"))
    manifest = Path(".m4review/data/demo/manifest.json")
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"fresh"', '"demo"'), encoding="utf-8")


def test_from_nothing_to_a_reference(shell: Shell, tmp_path: Path) -> None:
    assert shell("data", "list") == 0
    assert "no datasets" in shell.out
    assert shell("data", "synth", "--layout", "mimic-iv", "--stays", "9", "--seed", "4", "--name", "demo") == 0
    assert shell.out.startswith("demo: mimic-iv, 9 ICU stays, synthetic")
    assert "mimiciv_hosp.admissions" in shell.err
    assert Path(".m4review/data/demo/manifest.json").is_file()
    assert shell("data", "build", "--dataset", "demo") == 0
    assert "sofa-24h" in shell.out
    assert "sirs-24h" in shell.out
    assert "concepts: 1/" in shell.err
    assert shell("data", "build", "--dataset", "demo") == 0
    assert shell.out.startswith("demo: 0 made, ")
    assert shell("reference", "mimic-sofa-24h", "--dataset", "demo", "--out", str(tmp_path / "r.csv.gz")) == 0
    lines = gzip.decompress((tmp_path / "r.csv.gz").read_bytes()).decode().split("\n")
    assert lines[0] == "subject_id,hadm_id,stay_id,sofa,respiration,coagulation,liver,cardiovascular,cns,renal"
    assert len(lines) == 11
    assert lines[-1] == ""
    stays = [int(line.split(",")[2]) for line in lines[1:-1]]
    assert stays == sorted(stays)
    assert shell("data", "list", "--json") == 0
    listed = json.loads(shell.out)
    assert listed["schema"] == "m4review.datasets.v1"
    (demo,) = listed["datasets"]
    assert (demo["name"], demo["stays"], demo["layout"]) == ("demo", 9, "mimic-iv")
    assert {"sirs-24h", "sofa-24h"} <= set(demo["references"])
    assert shell("data", "rm", "demo") == 0
    assert not Path(".m4review/data/demo").exists()


def test_a_single_task_builds_only_what_it_needs(shell: Shell, unbuilt: Dataset) -> None:
    keep_as_demo(unbuilt)
    assert shell("data", "build", "--dataset", "demo", "--task", "mimic-sirs-24h-raw") == 0
    assert "ventilation" not in shell.out


def test_a_reference_never_lands_under_git(shell: Shell, unbuilt: Dataset, tmp_path: Path) -> None:
    keep_as_demo(unbuilt)
    shell("data", "build", "--dataset", "demo", "--task", "mimic-sirs-24h-raw")
    subprocess.run(["git", "init", "-q", str(tmp_path / "repository")], check=True)
    (tmp_path / "repository" / "deep").mkdir()
    for out in (tmp_path / "repository" / "r.csv", tmp_path / "repository" / "deep" / "r.csv"):
        assert shell("reference", "mimic-sirs-24h-raw", "--dataset", "demo", "--out", str(out)) == 2
        assert "the folder is under git" in shell.err
        assert not out.exists()


def test_a_reference_that_is_not_built_is_a_plain_message(shell: Shell, unbuilt: Dataset, tmp_path: Path) -> None:
    keep_as_demo(unbuilt)
    assert shell("reference", "mimic-sirs-24h-raw", "--dataset", "demo", "--out", str(tmp_path / "r.csv")) == 2
    assert "m4review data build --dataset demo --task mimic-sirs-24h-raw" in shell.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["data", "build", "--dataset", "none"], "no dataset 'none'"),
        (["data", "rm", "none"], "no dataset 'none'"),
        (["data", "rm", "../../etc"], "is not a dataset name"),
        (["data", "synth", "--layout", "hirid", "--name", "x"], "expected: one of eicu, mimic-iv"),
        (["data", "synth", "--layout", "mimic-iv", "--stays", "0", "--name", "x"], "--stays"),
        (["data", "import", "--layout", "mimic-iv", "--source", "nowhere", "--name", "x"], "no such folder"),
        (["data", "import", "--layout", "mimic-iv", "--source", "skills", "--name", "x"], "nothing of the layout"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(shell: Shell, words: list[str], message: str) -> None:
    assert shell(*words) == 2
    assert message in shell.err
    assert "Traceback" not in shell.err


def test_outside_a_workspace_the_environment_names_the_data_home(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert shell("data", "list") == 2
    assert "M4REVIEW_DATA" in shell.err
    monkeypatch.setenv("M4REVIEW_DATA", str(tmp_path / "my-data"))
    assert shell("data", "synth", "--layout", "mimic-iv", "--stays", "2", "--name", "demo") == 0
    assert (tmp_path / "my-data" / "demo" / "manifest.json").is_file()


def test_a_damaged_manifest_is_named(shell: Shell, unbuilt: Dataset) -> None:
    keep_as_demo(unbuilt)
    manifest = Path(".m4review/data/demo/manifest.json")
    manifest.write_text('{"schema": "m4review.dataset.v1", "name": 3', encoding="utf-8")
    assert shell("data", "build", "--dataset", "demo") == 2
    assert str(manifest) in shell.err


def test_the_room_loads_neither_the_screen_nor_docker_nor_git() -> None:
    script = (
        "import sys, m4review.ehr\n"
        "unwanted = ('textual', 'docker', 'git', 'm4review.tui', 'm4review.trials')\n"
        "print([name for name in unwanted if name in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"

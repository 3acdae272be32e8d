"""``m4review data …`` and ``m4review reference`` as a user types them."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from ehr_shell import Shell

from m4review.ehr import Dataset


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
        (
            ["data", "import", "--layout", "mimic-iv", "--source", "tasks/sofa/family.md", "--name", "x"],
            "a file, not a",
        ),
        (["data", "import", "--layout", "mimic-iv", "--source", "/dev/null", "--name", "x"], "not a folder"),
        (["data", "rm", "../../etc"], "is not a dataset name"),
        (["data", "synth", "--layout", "hirid", "--name", "x"], "expected: one of eicu, mimic-iv"),
        (["data", "synth", "--layout", "mimic-iv", "--stays", "0", "--name", "x"], "--stays"),
        (["data", "synth", "--layout", "mimic-iv", "--name", "x", "--memory", "plenty"], "is not an amount like 2GB"),
        (["data", "build", "--dataset", "x", "--memory", "1MB"], "is too little; at least 256 MiB"),
        (["data", "import", "--layout", "mimic-iv", "--source", "nowhere", "--name", "x"], "no such folder"),
        (["data", "import", "--layout", "mimic-iv", "--source", "skills", "--name", "x"], "nothing of the layout"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(shell: Shell, words: list[str], message: str) -> None:
    assert shell(*words) == 2
    assert message in shell.err
    assert "Traceback" not in shell.err


def test_removing_what_is_not_there_never_advises_to_make_it(shell: Shell, unbuilt: Dataset) -> None:
    assert shell("data", "rm", "nope") == 2
    assert "there is nothing to remove" in shell.err
    assert "data synth" not in shell.err
    keep_as_demo(unbuilt)
    assert shell("data", "rm", "dmeo") == 2
    assert "one of demo; did you mean demo?" in shell.err
    assert "data synth" not in shell.err
    assert shell("data", "build", "--dataset", "Demo") == 2
    assert "did you mean demo?" in shell.err


def test_a_reference_is_private_has_a_csv_name_and_replaces_nothing_unasked(
    shell: Shell, unbuilt: Dataset, tmp_path: Path
) -> None:
    keep_as_demo(unbuilt)
    task = "mimic-sirs-24h-raw"
    assert shell("data", "build", "--dataset", "demo", "--task", task) == 0
    for name in ("r.parquet", "r.gz", "r", "csv"):
        assert shell("reference", task, "--dataset", "demo", "--out", str(tmp_path / name)) == 2
        assert "a name that ends in .csv or .csv.gz" in shell.err
        assert not (tmp_path / name).exists()
    out = tmp_path / "r.csv"
    out.write_text("mine\n", encoding="utf-8")
    assert shell("reference", task, "--dataset", "demo", "--out", str(out)) == 2
    assert "--force" in shell.err
    assert out.read_text(encoding="utf-8") == "mine\n"
    assert shell("reference", task, "--dataset", "demo", "--out", str(out), "--force") == 0
    assert out.read_text(encoding="utf-8").startswith("subject_id,")
    assert out.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "workspace"]


def test_a_folder_that_takes_no_file_is_named_for_a_reference(shell: Shell, unbuilt: Dataset) -> None:
    keep_as_demo(unbuilt)
    assert shell("data", "build", "--dataset", "demo", "--task", "mimic-sirs-24h-raw") == 0
    assert shell("reference", "mimic-sirs-24h-raw", "--dataset", "demo", "--out", "/proc/r.csv") == 2
    assert "/proc/r.csv: cannot be written" in shell.err


def test_what_a_refused_import_left_is_listed_and_can_be_removed(shell: Shell, unbuilt: Dataset) -> None:
    keep_as_demo(unbuilt)
    source = Path("source")
    for table in unbuilt.tables:
        target = source / table.schema_name.removeprefix("mimiciv_") / f"{table.name}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(unbuilt.table_path(table), target)
    (source / "icu" / "icustays.parquet").rename(source / "icu" / "icustays.csv")  # told only when it is read
    stays = source / "icu" / "icustays.csv"
    stays.write_text("subject_id,hadm_id,stay_id,first_careunit,last_careunit,intime,outtime,los\n1,2,x,A,A,,,1\n")
    assert shell("data", "import", "--layout", "mimic-iv", "--source", str(source), "--name", "ward") == 2
    assert shell("data", "list") == 0
    assert "unfinished: ward (" in shell.out
    assert "m4review data rm ward" in shell.out
    assert shell("data", "list", "--json") == 0
    (left,) = json.loads(shell.out)["unfinished"]
    assert left["name"] == "ward"
    assert left["bytes"] > 1000
    assert shell("data", "rm", "ward") == 0
    assert shell("data", "list") == 0
    assert "unfinished" not in shell.out
    assert "demo: " in shell.out


def test_a_full_disk_names_the_folder_and_says_what_to_do(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr("m4review.ehr.lock.os.write", refuse)
        assert shell("data", "synth", "--layout", "mimic-iv", "--stays", "2", "--name", "demo") == 2
    assert "internal error" not in shell.err
    assert ".m4review/data" in shell.err
    assert "No space left on device" in shell.err
    assert "free disk space" in shell.err
    assert shell("data", "list") == 0
    assert "unfinished" not in shell.out


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


def test_an_import_prints_what_it_checked_and_the_list_what_is_built(shell: Shell, source: Path) -> None:
    words = ["data", "import", "--layout", "mimic-iv", "--source", str(source), "--name", "taken", "--memory", "1GB"]
    assert shell(*words) == 0
    stays = next(line for line in shell.out.splitlines() if line.startswith("mimiciv_icu.icustays"))
    assert "12 rows, 8 of 8 columns, stay_id unique" in " ".join(stays.split())
    assert "absent; nothing needs it" in shell.out
    assert "MB (0 %)" in shell.err
    assert shell("data", "build", "--dataset", "taken", "--task", "mimic-sirs-24h-raw") == 0
    assert shell("data", "list") == 0
    assert "12 ICU stays, imported" in shell.out
    assert "concepts and 1 references built" in shell.out


def test_an_import_says_which_tables_are_empty_and_which_checksums_it_compared(shell: Shell, own_source: Path) -> None:
    stays, inputs = own_source / "icu" / "icustays.parquet", own_source / "icu" / "inputevents.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE it AS FROM '{inputs}' LIMIT 0")
        connection.execute(f"COPY it TO '{inputs}' (FORMAT parquet)")
    listed = f"{hashlib.sha256(stays.read_bytes()).hexdigest()} icu/icustays.parquet\n"
    (own_source / "SHA256SUMS.txt").write_text(listed, encoding="utf-8")
    words = ["data", "import", "--layout", "mimic-iv", "--source", str(own_source), "--name", "taken"]
    assert shell(*words) == 0
    lines = {line.split()[0]: " ".join(line.split()) for line in shell.out.splitlines()}
    assert lines["mimiciv_icu.icustays"].endswith("stay_id unique, checksum as published")
    assert lines["mimiciv_hosp.patients"].endswith("not in the list of checksums")
    assert "0 rows" in lines["mimiciv_icu.inputevents"]
    assert lines["mimiciv_icu.inputevents"].endswith("; empty: whatever is derived from it is missing")
    assert "checksums: 1/1 icustays.parquet" in shell.err


def test_an_import_of_a_changed_file_is_refused_in_one_message(shell: Shell, own_source: Path) -> None:
    stays = own_source / "icu" / "icustays.parquet"
    (own_source / "SHA256SUMS.txt").write_text(f"{'0' * 64} icu/icustays.parquet\n", encoding="utf-8")
    words = ["data", "import", "--layout", "mimic-iv", "--source", str(own_source), "--name", "taken"]
    assert shell(*words) == 2
    assert f"{stays}: the file is not the published one" in shell.err
    assert "Traceback" not in shell.err

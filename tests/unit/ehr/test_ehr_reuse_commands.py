"""Reused derived tables as a user types and reads them: every surface says that the concepts are not ours."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from ehr_shell import Shell

from m4review.ehr.dataset import LINEAGE

TASK = "mimic-sofa-24h-raw"
RAW = "mimic-sirs-24h-raw"


def words(source: Path, *more: str) -> list[str]:
    return ["data", "import", "--layout", "mimic-iv", "--source", str(source), "--name", "taken", *more]


@pytest.fixture
def partly(derived_source: Path, tmp_path: Path) -> Path:
    """The database with two usable derived tables, one that lacks a column, and one that is no concept of ours."""
    path = Path(shutil.copy(derived_source, tmp_path / "partly.duckdb"))
    with duckdb.connect(str(path)) as connection:
        names = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'mimiciv_derived'"
        ).fetchall()
        for (name,) in names:
            if name not in ("gcs", "vitalsign", "chemistry"):
                connection.execute(f"DROP TABLE mimiciv_derived.{name}")
        connection.execute("ALTER TABLE mimiciv_derived.chemistry DROP creatinine")
        connection.execute("ALTER TABLE mimiciv_derived.vitalsign DROP temperature_site")
        connection.execute("CREATE TABLE mimiciv_derived.icustay_detail AS SELECT 1 AS stay_id")
    return path


def lineage(shell: Shell) -> str:
    assert shell("data", "list", "--json") == 0
    (entry,) = json.loads(shell.out)["datasets"]
    return str(entry["lineage"])


def test_an_import_says_what_it_reused_and_why_not_the_rest(shell: Shell, partly: Path) -> None:
    assert shell(*words(partly, "--reuse-derived")) == 0
    lines = {line.split()[0].rstrip(":"): " ".join(line.split()) for line in shell.out.splitlines()}
    assert lines["mimiciv_derived.gcs"].endswith("rows, reused as the concept")
    assert lines["mimiciv_derived.vitalsign"].endswith("without temperature_site, which nothing reads")
    refused = lines["mimiciv_derived.chemistry"]
    assert "not reused, made by us instead: the column creatinine is missing; read by" in refused
    assert "icustay_detail" not in shell.out
    assert f"reused concepts: gcs, vitalsign; lineage {LINEAGE}+reused:" in lines["taken"]


def test_without_the_flag_the_import_says_that_the_derived_schema_is_left_alone(shell: Shell, partly: Path) -> None:
    assert shell(*words(partly)) == 0
    assert "mimiciv_derived: 3 tables of the source are left alone" in shell.out
    assert "--reuse-derived takes them" in shell.out
    assert lineage(shell) == LINEAGE
    assert "reused concepts" not in shell.out


def test_the_list_the_build_the_reference_and_the_score_name_the_lineage(
    shell: Shell, partly: Path, tmp_path: Path
) -> None:
    assert shell(*words(partly, "--reuse-derived")) == 0
    named = lineage(shell)
    (entry,) = json.loads(shell.out)["datasets"]
    assert named.startswith(f"{LINEAGE}+reused:")
    assert set(entry["reused_concepts"]) == {"gcs", "vitalsign"}
    assert entry["reused_concepts"]["gcs"]["source"] == "mimiciv_derived.gcs in partly.duckdb"
    assert set(entry["not_reused"]) == {"chemistry"}
    assert shell("data", "list") == 0
    assert f"reused concepts: gcs, vitalsign; lineage {named}" in shell.out
    assert shell("data", "build", "--dataset", "taken", "--task", RAW) == 0
    assert "vitalsign                    reused, not ours: mimiciv_derived.vitalsign in partly.duckdb" in shell.out
    assert f"lineage {named}" in shell.out
    out = tmp_path / "reference.csv"
    assert shell("reference", RAW, "--dataset", "taken", "--out", str(out)) == 0
    assert f"lineage {named}" in shell.out
    assert shell("score", "--task", RAW, "--output", str(out), "--dataset", "taken") == 0
    assert f"reference: dataset taken, lineage {named}" in shell.out
    assert shell("score", "--task", RAW, "--output", str(out), "--dataset", "taken", "--json") == 0
    assert json.loads(shell.out)["reference_lineage"] == named


def test_a_trial_on_reused_concepts_records_and_prints_its_lineage(shell: Shell, partly: Path) -> None:
    assert shell(*words(partly, "--reuse-derived")) == 0
    named = lineage(shell)
    assert shell("data", "build", "--dataset", "taken", "--task", RAW) == 0
    assert shell("trial", RAW, "--dataset", "taken", "--sandbox", "local", "--condition", "no-skill") == 0
    assert f"REUSED CONCEPTS, not ours: the references' lineage is {named}." in shell.out
    records = [json.loads(path.read_text(encoding="utf-8")) for path in Path(".m4review").glob("runs/*/run.json")]
    assert [record["inputs"]["reference_lineage"] for record in records] == [named]
    assert shell("trial", "list", "--json") == 0
    assert named in shell.out


def test_own_concepts_are_made_again_on_demand_and_the_label_is_gone(
    shell: Shell, partly: Path, tmp_path: Path
) -> None:
    assert shell(*words(partly, "--reuse-derived")) == 0
    assert shell("data", "build", "--dataset", "taken", "--task", RAW) == 0
    assert shell("data", "build", "--dataset", "taken", "--task", RAW, "--own-concepts") == 0
    made = {line.split()[1] for line in shell.out.splitlines() if line.startswith(("concept", "reference"))}
    assert made == {"vitalsign", "first_day_vitalsign", "sirs-24h"}
    assert "lineage" not in shell.out
    assert lineage(shell) == LINEAGE
    assert shell("data", "build", "--dataset", "taken", "--task", RAW, "--own-concepts") == 0
    assert shell.out.startswith("taken: 0 made, ")


def test_asking_to_reuse_what_is_not_there_is_one_clear_message(shell: Shell, source: Path) -> None:
    assert shell(*words(source, "--reuse-derived")) == 2
    assert "no table of a concept in mimiciv_derived to reuse" in shell.err
    assert "Traceback" not in shell.err
    assert shell("data", "list") == 0
    assert "taken" not in shell.out


def test_every_reference_is_the_same_file_from_reused_and_from_own_concepts(
    shell: Shell, derived_source: Path, tmp_path: Path
) -> None:
    assert shell(*words(derived_source, "--reuse-derived")) == 0
    for option, name in ((), "reused"), (("--own-concepts",), "own"):
        assert shell("data", "build", "--dataset", "taken", "--task", TASK, "--task", RAW, *option) == 0
        for task in (TASK, RAW):
            out = tmp_path / f"{name}-{task}.csv"
            assert shell("reference", task, "--dataset", "taken", "--out", str(out)) == 0
    for task in (TASK, RAW):
        assert (tmp_path / f"reused-{task}.csv").read_bytes() == (tmp_path / f"own-{task}.csv").read_bytes()

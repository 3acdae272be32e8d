"""A finished campaign's report, and its outputs scored once more when the task card changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign_bench import Bench, make_bench, plan_text
from click.testing import CliRunner, Result
from trials_bench import TASK, expected_output

from m4review.campaigns.runfile import read_run_file
from m4review.campaigns.runs import task_facts
from m4review.cli.campaign import campaign
from m4review.errors import M4ReviewError
from m4review.workspace import Workspace

NAME, REPEATS = "trial", 2
GROUPS = f"""
[[groups]]
name = "pair"
tasks = ["{TASK}"]
conditions = ["no-skill", "with-skill"]
repeats = {REPEATS}
"""
SPOILT = "sed 's/,[0-9]*$/,9/' EXPECTED > {output}"
"""The right answer with its last column wrong."""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, campaign_data: Path) -> Bench:
    """With the skill the agent gives the right answer, without it one column is wrong in every row."""
    bench = make_bench(tmp_path_factory.mktemp("analysed") / "workspace", campaign_data)
    expected = bench.workspace.root / "expected.csv"
    expected.write_text(expected_output(), encoding="utf-8")
    script = f"if [ -d {{skills}} ]; then cp EXPECTED {{output}}; else {SPOILT}; fi"
    bench.write_agent(script.replace("EXPECTED", str(expected)))
    bench.run(bench.freeze(NAME, plan_text(GROUPS)))
    return bench


@pytest.fixture
def other_columns(done: Bench) -> Iterator[None]:
    """While a test lasts, the task card scores all columns but the last."""
    card = done.workspace.task(TASK).path / "task.toml"
    before = card.read_text(encoding="utf-8")
    scored = '"sirs", "temp_score", "heart_rate_score", "resp_score"'
    card.write_text(before.replace(f'{scored}, "wbc_score"]', f"{scored}]"), encoding="utf-8")
    yield
    card.write_text(before, encoding="utf-8")


@pytest.fixture
def here(done: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The campaign's workspace as the current folder."""
    monkeypatch.chdir(done.workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(done.data_home))
    return done


def told(*words: str) -> Result:
    return CliRunner().invoke(campaign, [*words, "--draws", "200"], catch_exceptions=True)


def records(bench: Bench) -> dict[str, bytes]:
    folder = bench.opened_campaign(NAME).path
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_campaign_is_reported_by_its_name_with_what_its_runs_say_of_themselves(here: Bench) -> None:
    said = told("report", NAME, "--format", "text")
    assert said.exit_code == 0, said.output
    assert "4 runs from campaign trial; 4 of them in the primary comparison" in said.stdout
    assert "One task, no inference" in said.stdout
    assert "4 of 4 runs were not isolated." in said.stdout
    assert "mimic-code" in said.stdout
    assert "wbc_score" in said.stdout


def test_the_written_runs_of_a_campaign_give_the_same_report_without_the_campaign(here: Bench, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    direct = told("report", NAME, "--format", "json", "--runs-out", str(path))
    again = told("report", "--runs", str(path), "--format", "json")
    assert json.loads(direct.stdout) == json.loads(again.stdout)
    runs = read_run_file(path, task_facts(Workspace(here.workspace.root)))
    assert [run.reward for run in runs if run.condition == "with-skill"] == [1.0] * REPEATS
    assert [run.reward for run in runs if run.condition == "no-skill"] == [0.8] * REPEATS


def test_a_campaign_and_a_file_of_its_own_runs_are_not_counted_twice(here: Bench, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    told("report", NAME, "--runs-out", str(path))
    said = told("report", NAME, "--runs", str(path))
    assert isinstance(said.exception, M4ReviewError)
    assert "4 of its runs are in campaign trial too" in str(said.exception)


def test_outputs_score_as_before_while_nothing_changed(here: Bench) -> None:
    before = records(here)
    said = told("rescore", NAME)
    assert said.exit_code == 0, said.output
    assert "4 of 4 runs were scored again from the output they kept; 0 score differently." in said.stdout
    assert "Every output scores exactly as before." in said.stdout
    assert records(here) == before


@pytest.mark.usefixtures("other_columns")
def test_another_task_card_gives_old_and_new_figures_side_by_side_and_changes_no_record(
    here: Bench, tmp_path: Path
) -> None:
    before = records(here)
    path = tmp_path / "new.csv"
    said = told("rescore", NAME, "--format", "md", "--runs-out", str(path))
    assert said.exit_code == 0, said.output
    line = next(line for line in said.stdout.splitlines() if line.startswith("| with-skill − no-skill |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == [
        "with-skill − no-skill",
        "0.8000 → 1.0000", "+0.2000", "none (n = 1)",
        "1.0000 → 1.0000", "0.0000", "none (n = 1)",
        "-0.2000",
    ]  # fmt: skip
    assert f"task cards changed since: {TASK}" in said.stdout
    assert f"| {TASK} | wbc_score | 4 | 0.5000 | none |" in said.stdout
    assert records(here) == before
    runs = read_run_file(path, task_facts(Workspace(here.workspace.root)))
    assert {run.reward for run in runs} == {1.0}


def test_a_run_whose_output_is_gone_keeps_its_old_score_and_is_named(here: Bench) -> None:
    folder = here.opened_campaign(NAME)
    _, _, record = folder.records()[0]
    output = folder.run_folder(record.id) / "output.csv"
    kept = output.read_bytes()
    output.unlink()
    try:
        said = told("rescore", NAME)
    finally:
        output.write_bytes(kept)
    assert said.exit_code == 0, said.output
    assert "3 of 4 runs were scored again" in said.stdout
    assert f"keeps its old score: {record.id}" in " ".join(said.stdout.split())

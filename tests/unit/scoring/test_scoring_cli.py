"""``m4review score`` as typed in a shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scoring_texts import GOOD

from m4review.cli.main import main

CARD = """title = "Score of a stay"
database = "mimic-iv"
database_version = "3.1"
mode = "raw"
difficulty = "easy"
reference = "stay-score"

[output]
key_columns = ["stay_id"]
scored_columns = ["score", "temperature", "onset", "status"]
required_columns = ["subject_id", "stay_id", "score", "temperature", "onset", "status"]

[thresholds]
accuracy = 0.75

[tolerances]
numbers = { temperature = 0.1 }
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    task = tmp_path / "tasks" / "ward" / "stay-score"
    task.mkdir(parents=True)
    (tmp_path / "skills").mkdir()
    (task / "task.toml").write_text(CARD)
    (task / "instruction.md").write_text("Derive the score.\n")
    (tmp_path / "output.csv").write_text(GOOD.replace("36.5", "36.6").replace(",12,", ",11,"))
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(["score", "--task", "stay-score", *words])
        printed = capsys.readouterr()
        return int(stopped.value.code or 0), printed.out, printed.err

    return call


def test_the_table_shows_reward_columns_keys_errors_and_checks(run: Run, reference: Path) -> None:
    code, out, _ = run("--output", "output.csv", "--reference", str(reference))
    assert code == 0
    assert "reward 0.9375" in out
    row = next(line.split() for line in out.splitlines() if line.split()[:1] == ["score"])
    assert row == ["score", "0.7500", "3", "4", "0.0208"]
    assert "F1 1.0000" in out
    assert "FAIL  required_columns: 5 of 6 present; missing: subject_id" in out
    assert "pass  accuracy:score" in out
    assert all(len(line) <= 80 for line in out.splitlines() if "required_columns" not in line)


def test_json_is_one_object_with_a_schema_and_every_figure(run: Run, reference: Path) -> None:
    code, out, err = run("--output", "output.csv", "--reference", str(reference), "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["schema"] == "m4review.score.v1"
    assert answer["task"] == "stay-score"
    assert answer["reward"] == 0.9375
    assert answer["strict_passed"] is False
    assert answer["keys"]["f1"] == 1.0
    assert {column["name"]: column["rate"] for column in answer["columns"]}["temperature"] == 1.0
    assert {check["name"] for check in answer["checks"]} >= {"valid_csv", "required_columns", "row_coverage"}
    assert answer["ordered_nmae"] > 0
    assert len(answer["output_sha256"]) == len(answer["reference_sha256"]) == 64


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--output", "nothing.csv"), "there is no output"),
        (("--output", "tasks"), "a folder"),
        (("--output", "empty.csv"), "empty"),
    ],
)
def test_an_output_that_cannot_be_scored_exits_with_two(
    run: Run, reference: Path, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    (tmp_path / "empty.csv").touch()
    code, out, err = run(*words, "--reference", str(reference))
    assert (code, out) == (2, "")
    assert says in err


def test_the_table_says_what_was_compared_with(run: Run, reference: Path) -> None:
    out = run("--output", "output.csv", "--reference", str(reference))[1]
    assert f"\nreference: {reference}\n" in out
    assert "No key of this output" not in out


def test_an_output_of_other_stays_is_told_apart_from_a_bad_one(run: Run, reference: Path, tmp_path: Path) -> None:
    header, *rows = GOOD.strip().split("\n")
    column = header.split(",").index("stay_id")
    moved = [line.split(",") for line in rows]
    others = [[str(90_000_000 + n) if i == column else cell for i, cell in enumerate(r)] for n, r in enumerate(moved)]
    (tmp_path / "other.csv").write_text("\n".join([header, *(",".join(row) for row in others)]) + "\n")
    code, out, _ = run("--output", "other.csv", "--reference", str(reference))
    assert code == 0
    assert "No key of this output is in the reference. Was the output made from another\ndataset?" in out
    assert "--dataset NAME or --reference FILE" in out


def test_without_a_reference_and_without_a_dataset_the_way_out_is_printed(run: Run) -> None:
    code, _, err = run("--output", "output.csv")
    assert code == 2
    assert "--dataset NAME" in err


def test_a_reference_and_a_dataset_exclude_each_other(run: Run, reference: Path) -> None:
    code, _, err = run("--output", "output.csv", "--reference", str(reference), "--dataset", "x")
    assert code == 2
    assert "not both" in err


def test_an_unknown_dataset_and_an_unknown_task_are_named(run: Run) -> None:
    code, _, err = run("--output", "output.csv", "--dataset", "nowhere")
    assert code == 2
    assert "nowhere" in err
    with pytest.raises(SystemExit) as stopped:
        main(["score", "--task", "nothing", "--output", "output.csv"])
    assert stopped.value.code == 2

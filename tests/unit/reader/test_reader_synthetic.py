"""The reader on patients made from a seed, scored as a trial scores it."""

from __future__ import annotations

from pathlib import Path

import pytest
from reader_texts import ROOT

from m4review.ehr import Dataset, build, build_task_database, reference_path, synthesise
from m4review.scoring import ScoringSpec, score_output
from m4review.tasks import Task, load_task
from m4review.trials.agents.reader.program import main

CARDS = {path.parent.name: load_task(path.parent) for path in sorted((ROOT / "tasks").glob("*/*/task.toml"))}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    home = tmp_path_factory.mktemp("data")
    made = synthesise(home, "seeded", layout="mimic-iv", stays=150, seed=23)
    build(made, [task for task in CARDS.values() if task.database == made.layout_name])
    return made


def reward(dataset: Dataset, task: Task, folder: Path, *, with_skill: bool) -> tuple[float, dict[str, float]]:
    database = build_task_database(dataset, task, folder / "data", sandboxed=False)
    words = ["--instruction", str(task.path / "instruction.md"), "--database", str(database.path)]
    if with_skill:
        words += ["--skills", str(ROOT / "skills")]
    output = folder / "work" / "output.csv"
    folder.mkdir(exist_ok=True)
    with (folder / "trace.jsonl").open("w", encoding="utf-8") as trace:
        assert main([*words, "--output", str(output)], trace) == 0
    score = score_output(output, reference_path(dataset, task), ScoringSpec.from_task(task))
    return score.reward, {column.name: column.rate for column in score.columns}


def test_the_sirs_skill_is_worth_everything_on_other_patients(dataset: Dataset, tmp_path: Path) -> None:
    task = CARDS["mimic-sirs-24h-raw"]
    assert reward(dataset, task, tmp_path / "with", with_skill=True)[0] == 1.0
    assert reward(dataset, task, tmp_path / "without", with_skill=False)[0] < 0.7


EXACT = [
    "mimic-apsiii-24h-raw",
    "mimic-charlson-raw",
    "mimic-creatinine-baseline-raw",
    "mimic-gcs-24h-raw",
    "mimic-kdigo-48h-raw",
    "mimic-meld-24h-raw",
    "mimic-oasis-24h-raw",
    "mimic-sapsii-24h-raw",
    "mimic-sofa-24h",
    "mimic-sofa-24h-raw",
    "mimic-suspicion-infection-raw",
    "mimic-urine-output-rate-raw",
    "mimic-vasopressor-equivalents-raw",
    "mimic-ventilation-raw",
]


@pytest.mark.parametrize("name", EXACT)
def test_the_skill_of_a_score_is_worth_nearly_everything_on_other_patients(
    dataset: Dataset, tmp_path: Path, name: str
) -> None:
    total, _ = reward(dataset, CARDS[name], tmp_path / "with", with_skill=True)
    without, _ = reward(dataset, CARDS[name], tmp_path / "without", with_skill=False)
    assert without < 0.75 * total
    assert total > 0.99

"""At 2,000 stays the made-up ward reaches every level of every score; the coverage report would say if it did not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from m4review.ehr import Dataset, build, synthesise
from m4review.ehr.coverage import coverage, known_levels
from m4review.ehr.derivations import load_derivations
from m4review.ehr.layout import layout_names
from m4review.tasks import Task, load_task

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def tasks() -> tuple[Task, ...]:
    return tuple(load_task(folder) for folder in sorted((ROOT / "tasks").glob("*/mimic-*")))


@pytest.fixture(scope="module")
def large_ward(tmp_path_factory: pytest.TempPathFactory, tasks: tuple[Task, ...]) -> Iterator[Dataset]:
    dataset = synthesise(tmp_path_factory.mktemp("large"), "large", layout="mimic-iv", stays=2000, seed=1)
    build(dataset, tasks)
    return dataset


def test_every_level_of_every_score_is_reached_at_two_thousand_stays(
    large_ward: Dataset, tasks: tuple[Task, ...]
) -> None:
    columns = coverage(large_ward, tasks)
    assert {column.reference for column in columns} == set(load_derivations("mimic-iv").references)
    assert [(column.reference, column.column, column.never) for column in columns if column.never] == []
    assert all(column.distinct > 1 for column in columns if column.column != "sepsis3")
    assert all(sum(level.rows for level in column.levels) == column.rows for column in columns if column.levels)


def test_a_level_that_no_stay_has_is_named(large_ward: Dataset, tasks: tuple[Task, ...], tmp_path: Path) -> None:
    few = synthesise(tmp_path, "few", layout="mimic-iv", stays=3, seed=1)
    sirs = [task for task in tasks if task.reference == "sirs-24h"]
    build(few, sirs)
    (total, *_) = coverage(few, sirs)
    levels = {level.value for level in total.levels}
    assert total.rows == 3
    assert set(total.never) == {"0", "1", "2", "3", "4"} - levels


@pytest.mark.parametrize("layout", layout_names())
def test_every_known_level_belongs_to_a_scored_column(layout: str) -> None:
    tasks = [load_task(path.parent) for path in (ROOT / "tasks").glob("*/*/task.toml")]
    scored = {task.reference: task.output.scored_columns for task in tasks if task.database == layout}
    known = known_levels(layout)
    assert known
    for reference, columns in known.items():
        assert set(columns) <= set(scored[reference]), reference


@pytest.mark.parametrize(
    "what",
    [
        "suspicion_of_infection WHERE culture_time IS NULL",
        "suspicion_of_infection WHERE antibiotic_time IS NULL",
        "suspicion_of_infection WHERE culture_time > antibiotic_time",
        "suspicion_of_infection WHERE culture_time = date_trunc('day', culture_time)",
        "suspicion_of_infection WHERE stay_id IS NULL",
        "rrt WHERE dialysis_type = 'IHD'",
        "rrt WHERE dialysis_type = 'CVVHDF'",
        "rrt WHERE dialysis_type = 'Peritoneal'",
        "rrt WHERE dialysis_active = 0",
        "crrt WHERE clotted = 1",
        "creatinine_baseline WHERE ckd = 1",
        "creatinine_baseline WHERE scr_min > 1.1 AND ckd = 0",
        "creatinine_baseline WHERE scr_min IS NULL",
        "vasoactive_agent WHERE phenylephrine IS NOT NULL AND vasopressin IS NOT NULL",
        "vasoactive_agent WHERE milrinone IS NOT NULL",
        "inputevents WHERE itemid = 221749 AND rateuom = 'mcg/min'",
        "inputevents WHERE itemid = 222315 AND rateuom = 'units/min'",
        "weight_durations WHERE weight_type = 'daily'",
        "urine_output_rate WHERE weight IS NULL",
        "urine_output_rate WHERE uo_mlkghr_24hr IS NULL",
        "kdigo_uo WHERE uo_rt_12hr = 0",
        "kdigo_stages WHERE creat >= 4 AND aki_stage_creat = 0",
        "ages WHERE age > 89",
        "ages WHERE age < 24",
    ],
)
def test_the_large_ward_knows(large_ward: Dataset, what: str) -> None:
    with duckdb.connect() as connection:
        for path in large_ward.path.rglob("*.parquet"):
            connection.execute(f"CREATE OR REPLACE VIEW \"{path.stem}\" AS FROM read_parquet('{path}')")
        connection.execute("CREATE VIEW ages AS FROM age")
        row = connection.execute(f"SELECT count(*) FROM {what}").fetchone()
    assert row is not None
    assert row[0] > 0

"""Synthetic eICU data: the same for a seed, plausible, and wide enough to reach every level of both tasks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from eicu_bench import EXAM, OUTPUT, eicu_task

from m4review.cli.main import main
from m4review.ehr import Dataset, build, list_datasets, synthesise
from m4review.ehr.coverage import coverage, known_levels

STAYS = 2_000
TASKS = (eicu_task("gcs"), eicu_task("oasis"))
FEWEST = 5
"""Stays that each level must have, so that a comparison of two derivations sees it."""


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    dataset = synthesise(tmp_path_factory.mktemp("unit"), "unit", layout="eicu", stays=STAYS, seed=1)
    build(dataset, TASKS)
    return dataset


@pytest.fixture(scope="module")
def unit(made_up: Dataset) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(made_up) as connection:
        yield connection


def opened(dataset: Dataset) -> duckdb.DuckDBPyConnection:
    """A connection in which table and reference names stand alone."""
    connection = duckdb.connect()
    for path in dataset.path.rglob("*.parquet"):
        connection.execute(f"CREATE VIEW \"{path.stem}\" AS FROM read_parquet('{path}')")
    return connection


def ask(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[object, ...]]:
    return connection.execute(query).fetchall()


def number(connection: duckdb.DuckDBPyConnection, query: str) -> float:
    value = ask(connection, query)[0][0]
    assert isinstance(value, int | float | Decimal)
    return float(value)


def test_every_level_of_every_column_is_reached_often_enough(made_up: Dataset) -> None:
    columns = [column for column in coverage(made_up, TASKS) if column.column != "oasis"]
    known = known_levels("eicu")
    assert {(column.reference, column.column) for column in columns} == {
        (reference, column) for reference, levels in known.items() for column in levels
    }
    for column in columns:
        assert {level.value for level in column.levels} == set(known[column.reference][column.column])
        assert (column.never, column.missing) == ((), 0)
        assert min(level.rows for level in column.levels) >= FEWEST, column


def test_oasis_spreads_as_in_intensive_care(unit: duckdb.DuckDBPyConnection) -> None:
    assert 22 <= number(unit, "SELECT median(oasis) FROM oasis") <= 33
    assert number(unit, "SELECT count(DISTINCT oasis) FROM oasis") > 40


DAY = "nursingchartoffset > 0 AND nursingchartoffset <= 1440"


@pytest.mark.parametrize(
    "what",
    {
        "a total with its parts": "nursecharting WHERE nursingchartcelltypevalname = 'GCS Total'",
        "one score": "nursecharting WHERE nursingchartcelltypevallabel = 'Score (Glasgow Coma Scale)'",
        "parts without a total": "(SELECT 1 FROM nursecharting GROUP BY patientunitstayid, nursingchartoffset HAVING "
        "count(*) FILTER (nursingchartcelltypevalname = 'Motor') > 0 "
        "AND count(*) FILTER (nursingchartcelltypevalname = 'GCS Total') = 0)",
        "two totals at one time": "(SELECT 1 FROM nursecharting WHERE nursingchartcelltypevalname = 'GCS Total' "
        "GROUP BY patientunitstayid, nursingchartoffset HAVING count(*) > 1)",
        "a scale that cannot be tested": "nursecharting WHERE nursingchartvalue = 'Unable to score due to medication'",
        "an impossible total": "nursecharting WHERE nursingchartcelltypevalname = 'GCS Total' AND "
        "TRY_CAST(nursingchartvalue AS DOUBLE) NOT BETWEEN 3 AND 15",
        "a scale in another category": "nursecharting WHERE nursingchartcelltypevallabel = 'Glasgow coma score' "
        "AND nursingchartcelltypecat = 'Ordered Protocol'",
        "charting before the unit": "nursecharting WHERE nursingchartoffset < -360",
        "a word for a heart rate": "nursecharting WHERE nursingchartcelltypevalname = 'Heart Rate' "
        "AND nursingchartvalue = 'unable'",
        "arterial line": "nursecharting WHERE nursingchartcelltypevalname = 'Invasive BP Mean'",
        "arterial line by another name": "nursecharting "
        "WHERE nursingchartcelltypevallabel = 'Arterial Line MAP (mmHg)'",
        "mean pressure by another name": "nursecharting WHERE nursingchartcelltypevallabel = 'MAP (mmHg)'",
        "temperature from Fahrenheit": "nursecharting WHERE nursingchartcelltypevalname = 'Temperature (C)' "
        "AND nursingchartvalue LIKE '__.__'",
        "exam instead of charting": f"physicalexam ANTI JOIN (FROM nursecharting WHERE {DAY} AND "
        "nursingchartcelltypevallabel IN ('Glasgow coma score', 'Score (Glasgow Coma Scale)')) AS n USING "
        f"(patientunitstayid) WHERE physicalexampath LIKE '{EXAM}_' AND physicalexamoffset BETWEEN 1 AND 1440",
        "exam without a score": "physicalexam WHERE physicalexamvalue = 'score not available due to medication'",
        "urine from APACHE alone": "apacheapsvar ANTI JOIN (FROM intakeoutput WHERE cellpath LIKE '%rin%' OR cellpath "
        "LIKE '%oley%') AS n USING (patientunitstayid) WHERE urine > 0",
        "anuria": "(SELECT 1 FROM intakeoutput WHERE celllabel = 'Urine' GROUP BY patientunitstayid "
        "HAVING sum(cellvaluenumeric) = 0)",
        "a cell that only sounds like urine": f"intakeoutput WHERE cellpath = '{OUTPUT}Foley irrigation'",
        "tube that APACHE missed": "respiratorycare JOIN apacheapsvar USING (patientunitstayid) "
        "WHERE intubated = 0 AND airwaytype IS NOT NULL",
        "note without an airway": "respiratorycare WHERE airwaytype IS NULL",
        "stay without APACHE": "patient ANTI JOIN apachepredvar USING (patientunitstayid)",
        "elective operation": "apachepredvar WHERE electivesurgery = 1",
        "unplanned operation": "apachepredvar WHERE electivesurgery = 0",
        "elective by way of the emergency department": "apachepredvar JOIN patient USING (patientunitstayid) "
        "WHERE electivesurgery = 1 AND unitadmitsource = 'Emergency Department'",
        "stay without vital signs": "patient ANTI JOIN nursecharting USING (patientunitstayid)",
        "unit before hospital": "patient WHERE hospitaladmitoffset > 0",
        "unknown age": "patient WHERE age IS NULL",
        "patient with several stays": "(SELECT 1 FROM patient GROUP BY uniquepid HAVING count(*) > 1)",
        "hospital stay with several unit stays": "(SELECT 1 FROM patient GROUP BY patienthealthsystemstayid "
        "HAVING count(*) > 1)",
        "short stay": "patient WHERE unitdischargeoffset < 1440",
        "death in the unit": "patient WHERE unitdischargestatus = 'Expired'",
    }.items(),
    ids=lambda what: what[0],
)
def test_the_unit_knows(unit: duckdb.DuckDBPyConnection, what: tuple[str, str]) -> None:
    assert number(unit, f"SELECT count(*) FROM {what[1]}") > 0


def charted(name: str) -> str:
    return f"FROM nursecharting WHERE nursingchartcelltypevalname = '{name}'"


VALUE = "TRY_CAST(nursingchartvalue AS DOUBLE)"


@pytest.mark.parametrize(
    ("query", "low", "high"),
    [
        (f"SELECT median({VALUE}) {charted('Heart Rate')}", 75, 92),
        (f"SELECT quantile_cont({VALUE}, 0.99) {charted('Heart Rate')}", 95, 140),
        (f"SELECT median({VALUE}) {charted('Respiratory Rate')}", 15, 21),
        (f"SELECT median({VALUE}) {charted('Non-Invasive BP Mean')}", 70, 90),
        (f"SELECT median({VALUE}) {charted('Invasive BP Mean')}", 68, 88),
        (f"SELECT quantile_cont({VALUE}, 0.01) {charted('Non-Invasive BP Mean')}", 45, 65),
        (f"SELECT median({VALUE}) {charted('Temperature (C)')}", 36.5, 37.2),
        (f"SELECT quantile_cont({VALUE}, 0.995) {charted('Temperature (C)')}", 38.5, 41),
        (f"SELECT median({VALUE}) {charted('O2 Saturation')}", 95, 99),
        (f"SELECT median({VALUE}) {charted('GCS Total')}", 14, 15),
        ("SELECT median(unitdischargeoffset) / 1440 FROM patient", 1.2, 2.2),
        ("SELECT avg((hospitaldischargestatus = 'Expired')::INTEGER) FROM patient", 0.05, 0.14),
        ("SELECT avg((unitdischargestatus = 'Expired')::INTEGER) FROM patient", 0.03, 0.09),
        ("SELECT median(CASE age WHEN '> 89' THEN 91 ELSE age::INTEGER END) FROM patient", 60, 68),
        ("SELECT avg((mechvent_score = 9)::INTEGER) FROM oasis", 0.15, 0.4),
        ("SELECT median(u) FROM (SELECT sum(cellvaluenumeric) AS u FROM intakeoutput JOIN patient USING "
         "(patientunitstayid) WHERE celllabel = 'Urine' AND intakeoutputoffset BETWEEN 1 AND 1440 "
         "AND unitdischargeoffset > 1440 GROUP BY patientunitstayid)", 1200, 2400),
        ("SELECT median(labresult) FROM lab WHERE labname = 'sodium'", 136, 141),
        ("SELECT max(labresult) FROM lab WHERE labname = 'creatinine'", 3, 9),
        ("SELECT count(*) FROM patient WHERE hospitaldischargeoffset < unitdischargeoffset", 0, 0),
        ("SELECT count(*) FROM patient WHERE hospitaldischargestatus = 'Alive' AND unitdischargestatus = 'Expired'",
         0, 0),
        ("SELECT count(*) FROM (SELECT 1 FROM patient GROUP BY patienthealthsystemstayid HAVING "
         "count(DISTINCT uniquepid) + count(DISTINCT hospitalid) + count(DISTINCT hospitaladmittime24) "
         "+ count(DISTINCT hospitaldischargestatus) > 4 OR count(*) <> count(DISTINCT hospitaladmitoffset) "
         "OR count(*) <> count(DISTINCT unitvisitnumber))", 0, 0),
        ("SELECT count(*) FROM patient a JOIN patient b USING (patienthealthsystemstayid) WHERE "
         "b.unitvisitnumber > a.unitvisitnumber "
         "AND b.hospitaladmitoffset > a.hospitaladmitoffset - a.unitdischargeoffset", 0, 0),
        ("SELECT count(*) FROM nursecharting SEMI JOIN (FROM patient WHERE unitdischargeoffset < 60) AS p USING "
         "(patientunitstayid) WHERE nursingchartoffset > 100", 0, 0),
        ("SELECT count(*) - count(DISTINCT nursingchartid) FROM nursecharting", 0, 0),
        ("SELECT count(*) - count(DISTINCT intakeoutputid) FROM intakeoutput", 0, 0),
        ("SELECT count(*) - count(DISTINCT labid) FROM lab", 0, 0),
        ("SELECT count(*) - count(DISTINCT physicalexamid) FROM physicalexam", 0, 0),
        ("SELECT count(*) FROM patient ANTI JOIN hospital USING (hospitalid)", 0, 0),
        ("SELECT count(*) FROM nursecharting WHERE nursingchartentryoffset < nursingchartoffset", 0, 0),
    ],
)  # fmt: skip
def test_a_clinician_would_not_laugh(unit: duckdb.DuckDBPyConnection, query: str, low: float, high: float) -> None:
    assert low <= number(unit, query) <= high


def test_a_seed_gives_the_same_rows_in_the_same_order_whatever_the_threads(tmp_path: Path) -> None:
    one = synthesise(tmp_path, "one", layout="eicu", stays=20, seed=9, threads=1)
    four = synthesise(tmp_path, "four", layout="eicu", stays=20, seed=9, threads=4)
    other = synthesise(tmp_path, "other", layout="eicu", stays=20, seed=10)
    assert [table.sha256 for table in one.tables] == [table.sha256 for table in four.tables]
    assert not {table.sha256 for table in one.tables} & {table.sha256 for table in other.tables}


def test_more_stays_do_not_change_the_charting_of_the_first_ones(tmp_path: Path) -> None:
    few = synthesise(tmp_path, "few", layout="eicu", stays=8, seed=9)
    more = synthesise(tmp_path, "more", layout="eicu", stays=12, seed=9)
    with opened(few) as first, opened(more) as second:
        for table in ("nursecharting", "intakeoutput", "physicalexam", "respiratorycare"):
            assert set(ask(first, f"FROM {table}")) <= set(ask(second, f"FROM {table}"))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_stay_is_enough_to_build_both_tasks(tmp_path: Path, seed: int) -> None:
    dataset = synthesise(tmp_path, "one", layout="eicu", stays=1, seed=seed)
    build(dataset, [eicu_task("gcs"), eicu_task("oasis")])
    with opened(dataset) as connection:
        assert number(connection, "SELECT count(*) FROM oasis JOIN gcs USING (patientunitstayid)") == 1


def test_the_command_makes_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("M4REVIEW_DATA", str(tmp_path / "data"))
    with pytest.raises(SystemExit) as stopped:
        main(["data", "synth", "--layout", "eicu", "--stays", "3", "--seed", "4", "--name", "unit"])
    assert not stopped.value.code
    assert capsys.readouterr().out.startswith("unit: eicu, 3 ICU stays, synthetic")
    assert [dataset.layout_name for dataset in list_datasets(tmp_path / "data")] == ["eicu"]

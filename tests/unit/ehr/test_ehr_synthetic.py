"""Synthetic data: the same for a seed, plausible, and wide enough to exercise every score level."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from ehr_bench import SIRS, SOFA, make_task

from m4review.ehr import Dataset, build, synthesise
from m4review.errors import DatasetError

STAYS = 300


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    dataset = synthesise(tmp_path_factory.mktemp("ward"), "ward", layout="mimic-iv", stays=STAYS, seed=1)
    build(dataset, [make_task("standard"), make_task(reference="sirs-24h")])
    return dataset


def ask(dataset: Dataset, query: str) -> list[tuple[object, ...]]:
    """Rows of a query in which table and concept names stand alone."""
    with duckdb.connect() as connection:
        for path in dataset.path.rglob("*.parquet"):
            name = path.stem.replace("-", "_")
            connection.execute(f"CREATE VIEW \"{name}\" AS FROM read_parquet('{path}')")
        return connection.execute(query).fetchall()


def number(dataset: Dataset, query: str) -> float:
    value = ask(dataset, query)[0][0]
    assert isinstance(value, int | float | Decimal)
    return float(value)


def test_every_component_of_sofa_reaches_all_levels_from_0_to_4(ward: Dataset) -> None:
    for organ in SOFA[1:]:
        levels = {row[0] for row in ask(ward, f"SELECT DISTINCT {organ} FROM sofa_24h")}
        assert levels == {0, 1, 2, 3, 4}, organ


def test_every_criterion_and_total_of_sirs_is_reached(ward: Dataset) -> None:
    for criterion in SIRS[1:]:
        assert {row[0] for row in ask(ward, f"SELECT DISTINCT {criterion} FROM sirs_24h")} == {0, 1}, criterion
    assert {row[0] for row in ask(ward, "SELECT DISTINCT sirs FROM sirs_24h")} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    "what",
    {
        "Fahrenheit": "chartevents WHERE itemid = 223761",
        "Celsius": "chartevents WHERE itemid = 223762",
        "arterial gas": "bg WHERE specimen = 'ART.'",
        "venous gas": "bg WHERE specimen = 'VEN.'",
        "unlabelled gas": "bg WHERE specimen IS NULL",
        "laboratory oxygen": "bg WHERE fio2 IS NOT NULL",
        "charted oxygen alone": "bg WHERE fio2 IS NULL AND fio2_chartevents IS NOT NULL",
        "no oxygen known": "bg WHERE pao2fio2ratio IS NULL",
        "invasive ventilation": "ventilation WHERE ventilation_status = 'InvasiveVent'",
        "noninvasive ventilation": "ventilation WHERE ventilation_status = 'NonInvasiveVent'",
        "high flow": "ventilation WHERE ventilation_status = 'HFNC'",
        "oxygen": "ventilation WHERE ventilation_status = 'SupplementalOxygen'",
        "tracheostomy": "ventilation WHERE ventilation_status = 'Tracheostomy'",
        "norepinephrine in mg": "inputevents WHERE itemid = 221906 AND rateuom = 'mg/kg/min'",
        "norepinephrine": "norepinephrine WHERE vaso_rate > 0.1",
        "epinephrine": "epinephrine",
        "dopamine": "dopamine",
        "dobutamine": "dobutamine",
        "bolus without rate": "inputevents WHERE rate IS NULL",
        "rate of zero": "inputevents WHERE rate = 0",
        "intubated verbal": "gcs WHERE gcs_unable = 1",
        "coma scale part missing": "gcs WHERE gcs_motor IS NULL OR gcs_verbal IS NULL OR gcs_eyes IS NULL",
        "irrigant": "outputevents WHERE itemid = 227488",
        "bands": "blood_differential WHERE bands IS NOT NULL",
        "laboratory before the look-back": "labevents SEMI JOIN icustays ON labevents.subject_id = icustays.subject_id "
        "AND charttime BETWEEN intime - INTERVAL 28 HOUR AND intime - INTERVAL 7 HOUR",
        "laboratory in the look-back": "labevents SEMI JOIN icustays ON labevents.subject_id = icustays.subject_id "
        "AND charttime BETWEEN intime - INTERVAL 6 HOUR AND intime - INTERVAL 1 HOUR",
        "result without admission": "labevents WHERE hadm_id IS NULL",
        "cancelled result": "labevents WHERE valuenum IS NULL AND comments IS NOT NULL",
        "patient with several stays": "(SELECT subject_id FROM icustays GROUP BY subject_id HAVING count(*) > 1)",
        "admission with several stays": "(SELECT hadm_id FROM icustays GROUP BY hadm_id HAVING count(*) > 1)",
        "stay without vital signs": "first_day_vitalsign WHERE heart_rate_max IS NULL",
        "stay without urine": "first_day_urine_output WHERE urineoutput IS NULL",
        "stay without bilirubin": "first_day_lab WHERE bilirubin_total_max IS NULL",
        "short stay": "icustays WHERE los < 1",
    }.items(),
    ids=lambda what: what[0],
)
def test_the_ward_knows(ward: Dataset, what: tuple[str, str]) -> None:
    assert number(ward, f"SELECT count(*) FROM {what[1]}") > 0


@pytest.mark.parametrize(
    ("query", "low", "high"),
    [
        ("SELECT median(valuenum) FROM chartevents WHERE itemid = 220045", 75, 95),
        ("SELECT quantile_cont(valuenum, 0.99) FROM chartevents WHERE itemid = 220045", 100, 140),
        ("SELECT median(valuenum) FROM chartevents WHERE itemid IN (220052, 220181)", 68, 90),
        ("SELECT median(valuenum) FROM chartevents WHERE itemid = 220210", 14, 20),
        ("SELECT median(temperature) FROM vitalsign", 36.5, 37.3),
        ("SELECT min(temperature) FROM vitalsign", 31, 36),
        ("SELECT max(temperature) FROM vitalsign", 38.5, 41.3),
        ("SELECT median(valuenum) FROM labevents WHERE itemid = 50983", 136, 142),
        ("SELECT max(valuenum) FROM labevents WHERE itemid = 50912", 5, 9),
        ("SELECT median(valuenum) FROM labevents WHERE itemid = 50820", 7.3, 7.45),
        ("SELECT max(po2) FROM bg WHERE specimen = 'ART.'", 150, 550),
        ("SELECT min(po2) FROM bg WHERE specimen = 'ART.'", 38, 60),
        ("SELECT median(los) FROM icustays", 1.2, 3),
        ("SELECT avg(sofa) FROM sofa_24h", 2.5, 6.5),
        ("SELECT count(*) FILTER (outtime < intime) FROM icustays", 0, 0),
        ("SELECT count(*) FROM admissions WHERE dischtime < admittime", 0, 0),
        ("SELECT count(*) FROM icustays JOIN admissions USING (hadm_id) "
         "WHERE intime < admittime OR outtime > dischtime", 0, 0),
        ("SELECT count(*) FROM admissions a JOIN admissions b USING (subject_id) "
         "WHERE a.deathtime < b.admittime", 0, 0),
        ("SELECT count(*) FROM admissions a JOIN admissions b USING (subject_id) "
         "WHERE a.hadm_id <> b.hadm_id AND a.admittime BETWEEN b.admittime AND b.dischtime", 0, 0),
        ("SELECT count(*) FROM chartevents ANTI JOIN d_items USING (itemid)", 0, 0),
        ("SELECT count(*) FROM inputevents ANTI JOIN d_items USING (itemid)", 0, 0),
        ("SELECT count(*) FROM procedureevents ANTI JOIN d_items USING (itemid)", 0, 0),
        ("SELECT count(*) FROM procedureevents WHERE endtime <= starttime", 0, 0),
        ("SELECT count(*) FROM diagnoses_icd ANTI JOIN d_icd_diagnoses USING (icd_code, icd_version)", 0, 0),
        ("SELECT count(*) - count(DISTINCT (hadm_id, icd_code)) FROM diagnoses_icd", 0, 0),
        ("SELECT count(*) FROM services JOIN admissions USING (hadm_id) "
         "WHERE transfertime < admittime OR transfertime > dischtime", 0, 0),
        ("SELECT count(*) FROM admissions ANTI JOIN services USING (hadm_id)", 0, 0),
        ("SELECT count(*) - count(DISTINCT microevent_id) FROM microbiologyevents", 0, 0),
        ("SELECT count(*) FROM prescriptions WHERE stoptime < starttime", 0, 0),
        ("SELECT count(DISTINCT stay_id) FROM procedureevents WHERE itemid IN (225441, 225802, 225803, 225809)", 3, 30),
        ("SELECT count(DISTINCT subject_id) FROM diagnoses_icd WHERE icd_code IN ('042', 'B20')", 1, 12),
        ("SELECT avg(CAST(org_name IS NULL AS INTEGER)) FROM microbiologyevents WHERE ab_name IS NULL", 0.6, 0.95),
        ("SELECT median(valuenum) FROM labevents WHERE itemid = 50818", 36, 44),
        ("SELECT median(valuenum) FROM labevents WHERE itemid = 50882", 21, 26),
        # the analyser's acidity, carbon dioxide and total carbon dioxide agree with each other
        ("SELECT max(abs(a.valuenum - 6.1 - log10((t.valuenum - 0.0307 * c.valuenum) / (0.0307 * c.valuenum)))) "
         "FROM labevents a JOIN labevents c USING (specimen_id) JOIN labevents t USING (specimen_id) "
         "JOIN labevents s USING (specimen_id) WHERE a.itemid = 50820 AND c.itemid = 50818 AND t.itemid = 50804 "
         "AND s.itemid = 52033 AND s.value = 'ART.'", 0, 0.1),
        ("SELECT count(*) FROM labevents ANTI JOIN d_labitems USING (itemid)", 0, 0),
        ("SELECT count(*) - count(DISTINCT labevent_id) FROM labevents", 0, 0),
        ("SELECT count(*) FROM (SELECT specimen_id FROM labevents GROUP BY 1 "
         "HAVING count(DISTINCT subject_id) > 1)", 0, 0),
    ],
)  # fmt: skip
def test_a_clinician_would_not_laugh(ward: Dataset, query: str, low: float, high: float) -> None:
    assert low <= number(ward, query) <= high


def rows(dataset: Dataset) -> dict[str, list[tuple[object, ...]]]:
    return {table.name: ask(dataset, f"FROM {table.name}") for table in dataset.tables}


def test_a_seed_gives_the_same_rows_in_the_same_order_whatever_the_threads(tmp_path: Path) -> None:
    one = synthesise(tmp_path, "one", layout="mimic-iv", stays=20, seed=9, threads=1)
    four = synthesise(tmp_path, "four", layout="mimic-iv", stays=20, seed=9, threads=4)
    other = synthesise(tmp_path, "other", layout="mimic-iv", stays=20, seed=10)
    assert rows(one) == rows(four)
    assert one.digest == four.digest
    assert rows(one) != rows(other)


def test_more_stays_do_not_change_the_first_ones(tmp_path: Path) -> None:
    few = synthesise(tmp_path, "few", layout="mimic-iv", stays=8, seed=9)
    more = synthesise(tmp_path, "more", layout="mimic-iv", stays=12, seed=9)
    assert set(ask(few, "SELECT stay_id, intime, outtime FROM icustays")) <= set(
        ask(more, "SELECT stay_id, intime, outtime FROM icustays")
    )


def test_one_stay_is_enough_and_none_is_refused(tmp_path: Path) -> None:
    assert synthesise(tmp_path, "one", layout="mimic-iv", stays=1, seed=1).stays() == 1
    with pytest.raises(DatasetError, match="expected: 1 or more"):
        synthesise(tmp_path, "none", layout="mimic-iv", stays=0, seed=1)

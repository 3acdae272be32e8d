"""A measurement is looked up by its words: its id, label, unit, table, and how often it occurs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from ehr_shell import Shell

from m4review.ehr import Dataset, synthesise
from m4review.ehr.itemlookup import datasets_to_ask, find_items, look_up_items
from m4review.errors import DatasetError


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A few synthetic stays in the layout that has no dictionary."""
    return synthesise(tmp_path_factory.mktemp("units"), "units", layout="eicu", stays=6, seed=3)


def rows_of(dataset: Dataset, table: str, where: str) -> int:
    path = next(dataset.table_path(one) for one in dataset.tables if one.name == table)
    ((count,),) = duckdb.execute(f"SELECT count(*) FROM read_parquet('{path}') WHERE {where}").fetchall()
    return int(count)


def test_a_label_leads_to_its_item_with_unit_table_and_count(unbuilt: Dataset) -> None:
    (item,) = look_up_items(unbuilt, "Heart Rate").items
    assert (item.id, item.label, item.unit, item.table) == ("220045", "Heart Rate", "bpm", "mimiciv_icu.chartevents")
    assert item.occurrences == rows_of(unbuilt, "chartevents", "itemid = 220045") > 0


@pytest.mark.parametrize("words", ["heart RATE", "rate heart", "22004"])
def test_case_order_abbreviation_and_the_beginning_of_an_id_do_not_matter(unbuilt: Dataset, words: str) -> None:
    assert "220045" in [item.id for item in find_items(unbuilt, words).items]


def test_a_laboratory_item_takes_its_unit_from_the_records(unbuilt: Dataset) -> None:
    item = next(item for item in look_up_items(unbuilt, "creatinine").items if item.id == "50912")
    assert (item.unit, item.table) == ("mg/dL", "mimiciv_hosp.labevents")
    assert item.occurrences == rows_of(unbuilt, "labevents", "itemid = 50912")


def test_the_very_label_comes_first_and_what_only_holds_the_words_last(unbuilt: Dataset) -> None:
    labels = [item.label.casefold() for item in find_items(unbuilt, "respiratory rate").items]
    assert labels[0] == "respiratory rate"
    assert len(labels) > 1


def test_what_does_not_fit_in_the_answer_is_counted(unbuilt: Dataset) -> None:
    everything = find_items(unbuilt, "ra", limit=1000)
    few = find_items(unbuilt, "ra", limit=3)
    assert few.items == everything.items[:3]
    assert few.left_out == len(everything.items) - 3 > 0


def test_a_word_that_is_a_pattern_or_a_query_elsewhere_is_only_a_word_here(unbuilt: Dataset) -> None:
    for words in ("%%", "__", "') OR true --", ".*"):
        assert find_items(unbuilt, words).items == ()


def test_without_a_dictionary_the_names_in_the_records_are_found(units: Dataset) -> None:
    by_table = {item.table: item for item in look_up_items(units, "heart rate").items}
    item = by_table["eicu_crd.nursecharting"]
    assert (item.id, item.label) == ("Heart Rate", "Heart Rate")
    assert item.occurrences == rows_of(units, "nursecharting", "nursingchartcelltypevalname = 'Heart Rate'") > 0
    creatinine = look_up_items(units, "creatinine").items[0]
    assert (creatinine.id, creatinine.unit, creatinine.table) == ("creatinine", "mg/dL", "eicu_crd.lab")


def test_too_little_to_look_for_is_refused(unbuilt: Dataset) -> None:
    with pytest.raises(DatasetError, match="too little"):
        find_items(unbuilt, " h ")


def test_an_item_whose_table_was_not_imported_is_not_counted(unbuilt: Dataset, tmp_path: Path) -> None:
    less = unbuilt.model_copy(update={"tables": tuple(one for one in unbuilt.tables if one.name != "chartevents")})
    (item,) = look_up_items(less, "Heart Rate").items
    assert (item.table, item.occurrences) == ("chartevents", None)


def test_a_damaged_table_is_named_with_what_to_do(unbuilt: Dataset, tmp_path: Path) -> None:
    home = Path(shutil.copytree(unbuilt.path.parent, tmp_path / "home"))
    (dataset,) = datasets_to_ask(home)
    broken = next(dataset.table_path(table) for table in dataset.tables if table.name == "d_items")
    broken.write_bytes(b"no Parquet at all")
    with pytest.raises(DatasetError, match="d_items cannot be read") as told:
        look_up_items(dataset, "heart rate")
    assert "data rm fresh" in str(told.value.fix)


def test_without_a_dataset_of_the_layout_it_says_how_to_get_one(unbuilt: Dataset) -> None:
    with pytest.raises(DatasetError, match="no dataset of the layout eicu") as told:
        datasets_to_ask(unbuilt.path.parent, layout="eicu")
    assert "data synth --layout eicu" in str(told.value.fix)
    assert [one.name for one in datasets_to_ask(unbuilt.path.parent, layout="mimic-iv")] == ["fresh"]


def test_the_command_prints_a_table_or_one_object(
    unbuilt: Dataset, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("M4REVIEW_DATA", str(unbuilt.path.parent))
    assert shell("data", "items", "Heart", "Rate") == 0
    count = rows_of(unbuilt, "chartevents", "itemid = 220045")
    assert f"220045  Heart Rate  bpm   mimiciv_icu.chartevents  {count:,}" in shell.out
    assert shell("data", "items", "Heart Rate", "--json") == 0
    answer = json.loads(shell.out)
    assert answer["schema"] == "m4review.items.v1"
    assert answer["answers"][0]["dataset"] == "fresh"
    assert answer["answers"][0]["items"][0]["occurrences"] == count
    assert shell("data", "items", "no such thing") == 0
    assert "nothing is called" in shell.out


def test_the_command_without_a_dataset_fails_with_what_to_do(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("M4REVIEW_DATA", str(tmp_path / "none"))
    assert shell("data", "items", "Heart Rate") == 2
    assert "data synth" in shell.err

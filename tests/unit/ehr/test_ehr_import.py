"""Importing a source folder: what is read, what is refused, and in which words."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import pytest

from m4review.ehr import Dataset, import_dataset, list_datasets
from m4review.ehr import storing as storing_module
from m4review.errors import DatasetError


def take(source: Path, home: Path, name: str = "taken") -> Dataset:
    return import_dataset(home, name, layout="mimic-iv", source=source)


def refusal(source: Path, home: Path) -> str:
    with pytest.raises(DatasetError) as caught:
        take(source, home)
    assert list_datasets(home) == ()
    return str(caught.value)


def rewrite(path: Path, query: str) -> None:
    """Replace a Parquet file by what a query makes of it (``it`` is the old content)."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE it AS FROM read_parquet('{path}')")
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


def to_csv(source: Path, table: str, *, compressed: bool = True, header: str | None = None) -> Path:
    """Turn a Parquet table of the source into CSV, as PhysioNet writes it."""
    path = source / f"{table}.parquet"
    with duckdb.connect() as connection:
        rows = connection.execute(f"COPY (FROM read_parquet('{path}')) TO '{path}.csv' (HEADER)")
        assert rows is not None
    text = Path(f"{path}.csv").read_text(encoding="utf-8")
    Path(f"{path}.csv").unlink()
    path.unlink()
    if header is not None:
        text = header + text[text.index("\n") :]
    target = source / f"{table}.csv{'.gz' if compressed else ''}"
    target.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    return target


def content(dataset: Dataset, table: str) -> list[tuple[object, ...]]:
    schema, name = table.split(".")
    with duckdb.connect() as connection:
        path = dataset.path / schema / f"{name}.parquet"
        return sorted(connection.execute(f"FROM read_parquet('{path}')").fetchall(), key=repr)


def test_parquet_csv_and_gzipped_csv_give_the_same_tables(source: Path, own_source: Path, tmp_path: Path) -> None:
    plain = take(source, tmp_path / "home", "plain")
    to_csv(own_source, "hosp/labevents")
    to_csv(own_source, "icu/chartevents")
    to_csv(own_source, "icu/inputevents", compressed=False)
    mixed = take(own_source, tmp_path / "home", "mixed")
    for table in plain.tables:
        assert content(plain, str(table.relation)) == content(mixed, str(table.relation))
        assert mixed.table(table.relation).columns == table.columns  # type: ignore[union-attr]


def test_what_is_already_in_our_form_is_not_copied(source: Path, tmp_path: Path) -> None:
    dataset = take(source, tmp_path / "home")
    (stays,) = [table for table in dataset.tables if table.name == "icustays"]
    assert dataset.table_path(stays).samefile(source / "icu" / "icustays.parquet")


def test_null_strings_are_missing_but_none_and_trailing_blanks_are_text(own_source: Path, tmp_path: Path) -> None:
    path = to_csv(own_source, "icu/chartevents", compressed=False)
    header, first, *_ = path.read_text(encoding="utf-8").split("\n")
    cells = first.split(",")
    value, number = header.split(",").index("value"), header.split(",").index("valuenum")
    lines = []
    for text, figure in [
        ("None", "1.5"), ("Trach mask ", ""), ('"Venti mask "', "NA"), ("NULL", "N/A"), ("___", "___"), ("", "NULL"),
        ('"a ""quoted"", comma"', "2"),
    ]:  # fmt: skip
        cells[value], cells[number] = text, figure
        lines.append(",".join(cells))
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    rows = [
        (row[value], row[number]) for row in content(take(own_source, tmp_path / "home"), "mimiciv_icu.chartevents")
    ]
    assert sorted(rows, key=repr) == sorted(
        [("None", 1.5), ("Trach mask ", None), ("Venti mask ", None), (None, None), (None, None), (None, None),
         ('a "quoted", comma', 2.0)],
        key=repr,
    )  # fmt: skip


def test_headers_may_have_another_case_and_further_columns(own_source: Path, tmp_path: Path) -> None:
    rewrite(own_source / "icu/icustays.parquet", "SELECT *, 'x' AS ward FROM it")
    to_csv(
        own_source,
        "icu/icustays",
        header="SUBJECT_ID,HADM_ID,Stay_Id,FIRST_CAREUNIT,LAST_CAREUNIT,INTIME,OUTTIME,LOS,WARD",
    )
    dataset = take(own_source, tmp_path / "home")
    (stays,) = [table for table in dataset.tables if table.name == "icustays"]
    assert stays.rows == 12
    assert list(stays.columns) == [
        "subject_id", "hadm_id", "stay_id", "first_careunit", "last_careunit", "intime", "outtime", "los",
    ]  # fmt: skip


def test_rows_are_stored_in_the_order_of_the_stays(own_source: Path, tmp_path: Path) -> None:
    rewrite(own_source / "icu/chartevents.parquet", "FROM it ORDER BY hash(charttime)")
    to_csv(own_source, "icu/chartevents")
    dataset = take(own_source, tmp_path / "home")
    with duckdb.connect() as connection:
        path = dataset.path / "mimiciv_icu" / "chartevents.parquet"
        stays = [row[0] for row in connection.execute(f"SELECT stay_id FROM read_parquet('{path}')").fetchall()]
    assert stays == sorted(stays)


def test_a_missing_table_is_named_with_what_needs_it(own_source: Path, tmp_path: Path) -> None:
    (own_source / "icu/outputevents.parquet").unlink()
    message = refusal(own_source, tmp_path / "home")
    assert str(own_source / "icu/outputevents.csv.gz") in message
    needed = message.split("needed by ")[1]
    assert "urine_output" in needed
    assert "sofa-24h" in needed


def test_a_table_that_nothing_reads_may_be_absent(own_source: Path, tmp_path: Path) -> None:
    (own_source / "icu/d_items.parquet").unlink()
    assert "d_items" not in {table.name for table in take(own_source, tmp_path / "home").tables}


def test_a_missing_column_is_named_with_its_type_and_what_needs_it(own_source: Path, tmp_path: Path) -> None:
    rewrite(own_source / "icu/inputevents.parquet", "SELECT * EXCLUDE (rateuom) FROM it")
    message = refusal(own_source, tmp_path / "home")
    assert str(own_source / "icu/inputevents.parquet") in message
    assert "rateuom VARCHAR" in message
    needed = message.split("needed by ")[1]
    assert "norepinephrine" in needed
    assert "sofa-24h" in needed


def test_a_column_that_nothing_reads_may_be_absent(own_source: Path, tmp_path: Path) -> None:
    rewrite(own_source / "icu/inputevents.parquet", "SELECT * EXCLUDE (caregiver_id, storetime) FROM it")
    dataset = take(own_source, tmp_path / "home")
    (inputs,) = [table for table in dataset.tables if table.name == "inputevents"]
    assert "caregiver_id" not in inputs.columns
    assert "rate" in inputs.columns


@pytest.mark.parametrize(
    ("table", "column", "kind", "expected"),
    [
        ("hosp/labevents", "valuenum", "VARCHAR", "valuenum DOUBLE"),
        ("icu/icustays", "intime", "VARCHAR", "intime TIMESTAMP"),
        ("icu/icustays", "intime", "TIMESTAMPTZ", "intime TIMESTAMP"),
        ("icu/chartevents", "itemid", "VARCHAR", "itemid INTEGER"),
        ("icu/icustays", "stay_id", "BOOLEAN", "stay_id INTEGER"),
    ],
)
def test_a_wrong_column_type_is_named_with_the_file(
    own_source: Path, tmp_path: Path, table: str, column: str, kind: str, expected: str
) -> None:
    rewrite(own_source / f"{table}.parquet", f"SELECT * REPLACE (CAST({column} AS {kind}) AS {column}) FROM it")
    message = refusal(own_source, tmp_path / "home")
    assert str(own_source / f"{table}.parquet") in message
    assert f"expected: {expected}" in message
    assert "needed by" in message


def test_wider_and_float_numbers_are_taken_when_they_are_whole(own_source: Path, tmp_path: Path) -> None:
    path = own_source / "icu/icustays.parquet"
    rewrite(path, "SELECT * REPLACE (stay_id::BIGINT AS stay_id, hadm_id::DOUBLE AS hadm_id) FROM it")
    dataset = take(own_source, tmp_path / "home")
    with duckdb.connect() as connection:
        types = connection.execute(
            f"DESCRIBE FROM read_parquet('{dataset.path}/mimiciv_icu/icustays.parquet')"
        ).fetchall()
    assert [row[1] for row in types][:3] == ["INTEGER", "INTEGER", "INTEGER"]
    rewrite(path, "SELECT * REPLACE (hadm_id + 0.5 AS hadm_id) FROM it")
    assert "hadm_id" in refusal(own_source, tmp_path / "other")


def test_a_changed_type_deep_in_a_csv_is_named_with_its_line_and_without_its_value(
    own_source: Path, tmp_path: Path
) -> None:
    path = to_csv(own_source, "icu/outputevents", compressed=False)
    lines = path.read_text(encoding="utf-8").split("\n")
    value = lines[0].split(",").index("value")
    cells = lines[200].split(",")
    cells[value] = "about a cup"
    lines[200] = ",".join(cells)
    path.write_text("\n".join(lines), encoding="utf-8")
    message = refusal(own_source, tmp_path / "home")
    assert f"{path}:201: a value of column value does not fit its type" in message
    assert "value DOUBLE" in message
    assert "cup" not in message


def test_a_fractional_identifier_in_a_csv_is_refused_instead_of_rounded(own_source: Path, tmp_path: Path) -> None:
    path = to_csv(own_source, "icu/outputevents", compressed=False)
    text = path.read_text(encoding="utf-8")
    item = text.split("\n")[1].split(",")[6]
    path.write_text(text.replace(f",{item},", f",{item}.5,", 1), encoding="utf-8")
    assert "column itemid" in refusal(own_source, tmp_path / "home")


def test_a_cut_off_gzip_file_is_told_apart_from_bad_rows(own_source: Path, tmp_path: Path) -> None:
    path = to_csv(own_source, "icu/chartevents")
    path.write_bytes(path.read_bytes()[:-2000])
    message = refusal(own_source, tmp_path / "home")
    assert f"{path}: the compressed file is damaged or cut off" in message


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b\x08\x00", b"not gzip at all"])
def test_a_file_that_is_no_gzip_is_refused(own_source: Path, tmp_path: Path, data: bytes) -> None:
    path = to_csv(own_source, "icu/chartevents")
    path.write_bytes(data)
    assert str(path) in refusal(own_source, tmp_path / "home")


def test_a_file_that_is_no_parquet_is_refused(own_source: Path, tmp_path: Path) -> None:
    path = own_source / "icu/chartevents.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    assert f"{path}: not a readable Parquet file" in refusal(own_source, tmp_path / "home")


def test_stay_ids_that_occur_twice_are_refused_without_naming_them(own_source: Path, tmp_path: Path) -> None:
    rewrite(own_source / "icu/icustays.parquet", "FROM it UNION ALL (FROM it LIMIT 1)")
    message = refusal(own_source, tmp_path / "home")
    assert "stay_id is not unique; values that occur in more than one row: 1\n" in message


def test_an_empty_table_is_a_table(own_source: Path, tmp_path: Path) -> None:
    rewrite(own_source / "icu/inputevents.parquet", "FROM it LIMIT 0")
    dataset = take(own_source, tmp_path / "home")
    assert {table.name: table.rows for table in dataset.tables}["inputevents"] == 0


@pytest.mark.parametrize("as_csv", [False, True])
def test_a_source_without_a_single_stay_is_refused_before_anything_is_stored(
    own_source: Path, tmp_path: Path, as_csv: bool
) -> None:
    stays = own_source / "icu" / "icustays.parquet"
    rewrite(stays, f"SELECT * FROM read_parquet('{stays}') WHERE false")
    if as_csv:
        to_csv(own_source, "icu/icustays")
    said = refusal(own_source, tmp_path / "home")
    assert "icustays" in said
    assert "has no rows, so there is no ICU stay" in said
    assert not list((tmp_path / "home").rglob("*.parquet"))


def test_the_wrong_folder_is_told_with_the_right_one(own_source: Path, tmp_path: Path) -> None:
    assert f"give the folder {own_source}" in refusal(own_source / "icu", tmp_path / "home")
    assert f"give the folder {own_source}" in refusal(own_source.parent, tmp_path / "home")


def test_an_eicu_folder_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "eicu").mkdir()
    (tmp_path / "eicu" / "patient.csv.gz").write_bytes(gzip.compress(b"patientunitstayid\n"))
    (tmp_path / "eicu" / "vitalPeriodic.csv.gz").write_bytes(gzip.compress(b"vitalperiodicid\n"))
    assert "it looks like eicu" in refusal(tmp_path / "eicu", tmp_path / "home")


def test_a_layout_that_is_not_there_says_what_is(own_source: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no layout 'hirid'\n  expected: one of eicu, mimic-iv"):
        import_dataset(tmp_path, "x", layout="hirid", source=own_source)


@pytest.mark.parametrize("name", ["../out", ".hidden", "", "a/b", "a b"])
def test_a_name_must_be_a_plain_folder_name(own_source: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError, match="is not a dataset name"):
        take(own_source, tmp_path / "home", name)


def test_a_name_that_is_taken_is_refused(own_source: Path, tmp_path: Path) -> None:
    take(own_source, tmp_path / "home")
    with pytest.raises(DatasetError, match="there is already a dataset 'taken'"):
        take(own_source, tmp_path / "home")


def test_an_interrupted_import_goes_on_with_the_tables_that_are_missing(
    own_source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_csv(own_source, "hosp/labevents")
    to_csv(own_source, "icu/outputevents")
    converted: list[str] = []
    convert = storing_module._convert

    def interrupted(connection, file, query, path, watch):  # type: ignore[no-untyped-def]
        converted.append(file.table.name)
        if file.table.name == "outputevents" and converted.count("outputevents") == 1:
            raise KeyboardInterrupt
        return convert(connection, file, query, path, watch)

    monkeypatch.setattr(storing_module, "_convert", interrupted)
    with pytest.raises(KeyboardInterrupt):
        take(own_source, tmp_path / "home")
    assert list_datasets(tmp_path / "home") == ()
    dataset = take(own_source, tmp_path / "home")
    assert converted.count("labevents") == 1
    assert {table.name for table in dataset.tables} >= {"labevents", "outputevents", "chartevents"}
    assert not list(dataset.path.rglob("*.done.json")) + list((tmp_path / "home").glob(".staging-*"))

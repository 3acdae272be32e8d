"""Importing a PhysioNet folder of eICU: one flat folder, file names with capitals."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import duckdb
import pytest
from eicu_bench import eicu_task

from m4review.ehr import Dataset, build, build_task_database, import_dataset, list_datasets, reference_path, synthesise
from m4review.ehr.layout import load_layout
from m4review.errors import DatasetError

LAYOUT = load_layout("eicu")
FILE_NAMES = {table.name: table.file_name for table in LAYOUT.tables}


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return synthesise(tmp_path_factory.mktemp("unit-home"), "unit", layout="eicu", stays=20, seed=3)


@pytest.fixture(scope="module")
def one_download(unit: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as PhysioNet gives it: gzipped CSV under the published file names."""
    folder = tmp_path_factory.mktemp("download")
    with duckdb.connect() as connection:
        for table in unit.tables:
            target = folder / f"{FILE_NAMES[table.name]}.csv.gz"
            connection.execute(f"COPY (FROM read_parquet('{unit.table_path(table)}')) TO '{target}' (HEADER)")
    return folder


@pytest.fixture
def download(one_download: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(one_download, tmp_path / "download"))


def take(source: Path, home: Path, layout: str = "eicu") -> Dataset:
    return import_dataset(home, "taken", layout=layout, source=source)


def refusal(source: Path, home: Path, layout: str = "eicu") -> str:
    with pytest.raises(DatasetError) as caught:
        take(source, home, layout)
    assert list_datasets(home) == ()
    assert len(str(caught.value).splitlines()) <= 3
    return str(caught.value)


def lines_of(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def rewrite(path: Path, lines: list[str]) -> None:
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))


def change(path: Path, column: str, value: str, *, line: int = 1) -> None:
    """Another value in one cell; only for rows without quoted commas before it."""
    lines = lines_of(path)
    cells = lines[line].split(",")
    cells[lines[0].split(",").index(column)] = value
    rewrite(path, [*lines[:line], ",".join(cells), *lines[line + 1 :]])


def content(dataset: Dataset, table: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        path = dataset.path / "eicu_crd" / f"{table}.parquet"
        return sorted(connection.execute(f"FROM read_parquet('{path}')").fetchall(), key=repr)


def test_the_published_folder_gives_the_same_tables_and_scores(unit: Dataset, download: Path, tmp_path: Path) -> None:
    taken = take(download, tmp_path / "home")
    assert {table.name for table in taken.tables} == {table.name for table in unit.tables}
    for table in unit.tables:
        assert content(taken, table.name) == content(unit, table.name), table.name
        assert taken.table(table.relation).columns == table.columns  # type: ignore[union-attr]
    tasks = [eicu_task("gcs"), eicu_task("oasis")]
    build(unit, tasks)
    build(taken, tasks)
    with duckdb.connect() as connection:
        for task in tasks:
            ours, theirs = (f"FROM read_parquet('{reference_path(dataset, task)}')" for dataset in (taken, unit))
            assert connection.execute(ours).fetchall() == connection.execute(theirs).fetchall()


@pytest.mark.parametrize("name", ["nursecharting.csv.gz", "NURSECHARTING.CSV.GZ", "NurseCharting.csv.gz"])
def test_file_names_and_headers_may_be_in_any_case(unit: Dataset, download: Path, tmp_path: Path, name: str) -> None:
    path = download / "nurseCharting.csv.gz"
    lines = lines_of(path)
    rewrite(path, [lines[0].replace("patientunit", "patientUnit").replace("nursing", "NURSING"), *lines[1:]])
    path.rename(download / name)
    assert content(take(download, tmp_path / "home"), "nursecharting") == content(unit, "nursecharting")


def test_of_two_files_that_differ_in_case_the_published_name_counts(download: Path, tmp_path: Path) -> None:
    if (download / "PATIENT.csv.gz").exists():
        pytest.skip("this filesystem does not tell capitals apart")
    for name in ("patient.CSV.gz", "Patient.csv.gz", "PATIENT.csv.gz"):
        shutil.copy(download / "patient.csv.gz", download / name)
        rewrite(download / name, lines_of(download / name)[:5])
    assert take(download, tmp_path / "home").stays() == 20


def test_null_strings_are_missing_but_words_and_blanks_stay(download: Path, tmp_path: Path) -> None:
    path = download / "nurseCharting.csv.gz"
    lines = lines_of(path)
    values = ["None", "unable ", "", "NULL", "NA", "N/A", "___", "4 - Spontaneous"]
    rewrite(path, [lines[0], *(",".join([*lines[1].split(",")[:-1], value]) for value in values)])
    rows = content(take(download, tmp_path / "home"), "nursecharting")
    assert sorted((row[-1] for row in rows), key=repr) == sorted(
        ["None", "unable ", None, None, None, None, None, "4 - Spontaneous"], key=repr
    )


def test_every_published_table_is_known_and_the_names_differ_only_in_capitals() -> None:
    assert len(LAYOUT.tables) == 31
    assert all(table.file_name.lower() == table.name for table in LAYOUT.tables)
    assert all(name == name.lower() for table in LAYOUT.tables for name in table.columns)


@pytest.mark.parametrize(
    ("table", "readers"),
    [
        ("patient", "gcs, oasis"), ("nurseCharting", "gcs, oasis"), ("intakeOutput", "oasis"),
        ("physicalExam", "oasis"), ("respiratoryCare", "oasis"), ("apacheApsVar", "oasis"), ("apachePredVar", "oasis"),
    ],
)  # fmt: skip
def test_a_missing_table_is_named_with_what_needs_it(download: Path, tmp_path: Path, table: str, readers: str) -> None:
    (download / f"{table}.csv.gz").unlink()
    message = refusal(download, tmp_path / "home")
    assert f"{download / table}.csv.gz: the table eicu_crd.{table.lower()} is missing" in message
    assert f"needed by {readers} (for {readers})" in message


def test_tables_that_nothing_reads_may_be_absent(download: Path, tmp_path: Path) -> None:
    needed = {
        "patient",
        "nurseCharting",
        "intakeOutput",
        "physicalExam",
        "respiratoryCare",
        "apacheApsVar",
        "apachePredVar",
    }
    for path in download.iterdir():
        if path.name.split(".")[0] not in needed:
            path.unlink()
    assert {table.name for table in take(download, tmp_path / "home").tables} == {name.lower() for name in needed}


def test_a_missing_column_is_named_with_its_type_and_what_needs_it(download: Path, tmp_path: Path) -> None:
    path = download / "patient.csv.gz"
    lines = lines_of(path)
    rewrite(path, [lines[0].replace("unitadmitsource", "source"), *lines[1:]])
    message = refusal(download, tmp_path / "home")
    assert f"{path}: the column unitadmitsource is missing" in message
    assert "unitadmitsource VARCHAR" in message
    assert "needed by oasis" in message


def test_a_column_that_nothing_reads_may_be_absent(download: Path, tmp_path: Path) -> None:
    path = download / "patient.csv.gz"
    lines = lines_of(path)
    rewrite(path, [lines[0].replace("ethnicity", "origin"), *lines[1:]])
    (patient,) = [table for table in take(download, tmp_path / "home").tables if table.name == "patient"]
    assert "ethnicity" not in patient.columns


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [
        ("patient", "patientunitstayid", "BIGINT"),
        ("nurseCharting", "nursingchartoffset", "BIGINT"),
        ("intakeOutput", "cellvaluenumeric", "DOUBLE"),
        ("apacheApsVar", "urine", "DOUBLE"),
    ],
)
def test_a_word_in_a_number_column_is_told_with_file_line_and_type_but_without_the_word(
    download: Path, tmp_path: Path, table: str, column: str, kind: str
) -> None:
    path = download / f"{table}.csv.gz"
    change(path, column, "soon", line=4)
    message = refusal(download, tmp_path / "home")
    assert f"{path}:5: a value of column {column} does not fit its type" in message
    assert f"{column} {kind}" in message
    assert "soon" not in message


def test_a_wrong_column_type_in_parquet_is_named_with_the_file(unit: Dataset, download: Path, tmp_path: Path) -> None:
    path = download / "patient.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW it AS FROM read_parquet('{unit.path}/eicu_crd/patient.parquet')")
        connection.execute(f"COPY (SELECT * REPLACE (age = '60' AS age) FROM it) TO '{path}' (FORMAT parquet)")
    message = refusal(download, tmp_path / "home")
    assert f"{path}: the column age is BOOLEAN" in message
    assert "age VARCHAR" in message


def test_a_cut_off_download_is_told_as_such(download: Path, tmp_path: Path) -> None:
    path = download / "nurseCharting.csv.gz"
    path.write_bytes(path.read_bytes()[:-3000])
    assert f"{path}: the compressed file is damaged or cut off" in refusal(download, tmp_path / "home")


@pytest.mark.parametrize("table", ["patient", "apacheApsVar", "apachePredVar"])
def test_a_stay_that_occurs_twice_is_refused_without_naming_it(download: Path, tmp_path: Path, table: str) -> None:
    path = download / f"{table}.csv.gz"
    lines = lines_of(path)
    rewrite(path, [*lines, lines[1]])
    message = refusal(download, tmp_path / "home")
    assert f"{path}: patientunitstayid is not unique; values that occur in more than one row: 1\n" in message
    stay = lines[1].split(",")[lines[0].split(",").index("patientunitstayid")]
    assert stay not in message


def test_an_empty_table_is_a_table(download: Path, tmp_path: Path) -> None:
    path = download / "respiratoryCare.csv.gz"
    rewrite(path, lines_of(path)[:1])
    dataset = take(download, tmp_path / "home")
    assert {table.name: table.rows for table in dataset.tables}["respiratorycare"] == 0
    build(dataset, [eicu_task("oasis")])


def test_a_folder_of_the_other_layout_is_told_with_the_layout_to_give(
    source: Path, download: Path, tmp_path: Path
) -> None:
    message = refusal(download, tmp_path / "home", "mimic-iv")
    assert "nothing of the layout mimic-iv here; it looks like eicu" in message
    assert "give the layout eicu" in message
    message = refusal(source, tmp_path / "home", "eicu")
    assert "nothing of the layout eicu here; it looks like mimic-iv" in message
    assert "give the layout mimic-iv" in message


def test_the_folder_above_is_told_with_the_right_one(download: Path, tmp_path: Path) -> None:
    assert f"give the folder {download}" in refusal(download.parent, tmp_path / "home")


def test_a_task_of_the_other_layout_is_refused(unit: Dataset, built: Dataset) -> None:
    with pytest.raises(DatasetError, match="eicu-gcs needs a dataset in eicu layout"):
        build(built, [eicu_task("gcs")])
    with pytest.raises(DatasetError, match="needs a dataset in mimic-iv layout"):
        build(unit, [eicu_task("gcs").model_copy(update={"database": "mimic-iv"})])


def test_a_task_sees_every_source_table_and_nothing_else(unit: Dataset, tmp_path: Path) -> None:
    build(unit, [eicu_task("oasis")])
    database = build_task_database(unit, eicu_task("oasis"), tmp_path, sandboxed=False)
    assert database.relations == tuple(sorted(f"eicu_crd.{table.name}" for table in unit.tables))
    with duckdb.connect(str(database.path), read_only=True) as connection:
        seen = connection.execute("SELECT DISTINCT schema_name FROM duckdb_views() WHERE NOT internal").fetchall()
        stays = connection.execute("SELECT count(*) FROM eicu_crd.patient").fetchone()
    assert (seen, stays) == ([("eicu_crd",)], (20,))

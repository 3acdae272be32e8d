"""Sources other than a plain folder: DuckDB databases, open demos, folders one level off; and disturbed imports."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from m4review.ehr import Dataset, Progress, import_dataset, list_datasets
from m4review.ehr.engine import bytes_of, default_memory, engine, run
from m4review.ehr.importing import published_version
from m4review.ehr.lock import writing_lock
from m4review.errors import DatasetError

SCHEMAS = {"hosp": "mimiciv_hosp", "icu": "mimiciv_icu"}


def take(source: Path, home: Path, name: str = "taken", layout: str = "mimic-iv") -> Dataset:
    return import_dataset(home, name, layout=layout, source=source)


def refusal(source: Path, home: Path) -> str:
    with pytest.raises(DatasetError) as caught:
        take(source, home)
    assert list_datasets(home) == ()
    assert not list(home.glob("*/*.parquet"))
    return str(caught.value)


def load(
    source: Path, database: Path, *, schemas: dict[str, str] = SCHEMAS, changed: dict[str, str] | None = None
) -> Path:
    """A DuckDB database with the source's tables; ``changed`` gives the SELECT of some of them."""
    with duckdb.connect(str(database)) as connection:
        for folder, schema in schemas.items():
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            for path in sorted((source / folder).glob("*.parquet")):
                query = (
                    (changed or {})
                    .get(path.stem, "SELECT * FROM it")
                    .replace("FROM it", f"FROM read_parquet('{path}')")
                )
                connection.execute(f"CREATE TABLE {schema}.{path.stem} AS {query}")
    return database


def rows_of(dataset: Dataset, table: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        path = dataset.path / f"{table.replace('.', '/')}.parquet"
        return sorted(connection.execute(f"FROM read_parquet('{path}')").fetchall(), key=repr)


@pytest.mark.parametrize("schemas", [SCHEMAS, {"hosp": "hosp", "icu": "icu"}, {"hosp": "main", "icu": "main"}])
def test_a_duckdb_database_gives_the_same_dataset_as_its_files(
    source: Path, tmp_path: Path, schemas: dict[str, str]
) -> None:
    database = load(source, tmp_path / "mimic.duckdb", schemas=schemas)
    before = database.read_bytes()
    plain, taken = take(source, tmp_path / "home", "plain"), take(database, tmp_path / "home")
    assert taken.origin.format == "duckdb"
    assert [(t.relation, t.rows, t.columns) for t in taken.tables] == [
        (t.relation, t.rows, t.columns) for t in plain.tables
    ]
    for table in ("mimiciv_icu.icustays", "mimiciv_hosp.labevents", "mimiciv_icu.inputevents"):
        assert rows_of(plain, table) == rows_of(taken, table)
    assert database.read_bytes() == before, "the source is only read"


def test_derived_tables_of_a_database_are_left_alone(source: Path, tmp_path: Path) -> None:
    database = load(source, tmp_path / "mimic.duckdb")
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE SCHEMA mimiciv_derived")
        connection.execute("CREATE TABLE mimiciv_derived.gcs AS SELECT 15 AS gcs")
    dataset = take(database, tmp_path / "home")
    assert {table.schema_name for table in dataset.tables} == set(SCHEMAS.values())
    assert dataset.built_concepts() == []


def test_a_32_bit_number_is_taken_as_the_decimal_that_was_loaded(source: Path, tmp_path: Path) -> None:
    changed = {"chartevents": "SELECT * REPLACE (CAST(0.6 AS FLOAT) AS valuenum) FROM it"}
    dataset = take(load(source, tmp_path / "mimic.duckdb", changed=changed), tmp_path / "home")
    with duckdb.connect() as connection:
        path = dataset.path / "mimiciv_icu" / "chartevents.parquet"
        values = connection.execute(f"SELECT DISTINCT valuenum FROM read_parquet('{path}')").fetchall()
    assert values == [(0.6,)]


def test_what_is_wrong_in_a_database_is_named(source: Path, tmp_path: Path) -> None:
    changed = {"icustays": "SELECT * REPLACE (CAST(stay_id AS VARCHAR) AS stay_id) FROM it"}
    message = refusal(load(source, tmp_path / "text.duckdb", changed=changed), tmp_path / "home")
    assert "the column stay_id is VARCHAR" in message
    database = load(source, tmp_path / "twice.duckdb")
    with duckdb.connect(str(database)) as connection:
        connection.execute("INSERT INTO mimiciv_icu.icustays FROM mimiciv_icu.icustays LIMIT 1")
    assert "stay_id is not unique" in refusal(database, tmp_path / "home")
    with duckdb.connect(str(database)) as connection:
        connection.execute("DROP TABLE mimiciv_icu.outputevents")
    assert "the table mimiciv_icu.outputevents is missing" in refusal(database, tmp_path / "home")


def test_a_database_of_another_layout_is_recognised(source: Path, tmp_path: Path) -> None:
    database = load(source, tmp_path / "mimic.duckdb")
    with pytest.raises(DatasetError, match="it looks like mimic-iv"):
        take(database, tmp_path / "home", layout="eicu")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 an archive", b"stay_id,value\n1,2\n"])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "download.zip"
    path.write_bytes(content)
    message = refusal(path, tmp_path / "home")
    assert str(path) in message
    assert "DuckDB database" in message or "nothing of the layout" in message


def test_a_folder_far_above_the_tables_is_told_with_the_right_one(source: Path, tmp_path: Path) -> None:
    for version in ("3.0", "3.1"):
        shutil.copytree(source, tmp_path / "physionet.org" / "files" / "mimiciv" / version)
    message = refusal(tmp_path / "physionet.org", tmp_path / "home")
    assert f"give the folder {tmp_path}/physionet.org/files/mimiciv/3.0 or {tmp_path}" in message


@pytest.mark.parametrize(
    ("folder", "version"),
    [
        ("physionet.org/files/mimiciv/3.1", "3.1"),
        ("mimic-iv-3.1", "3.1"),
        ("mimic-iv-clinical-database-demo-2.2", "demo 2.2"),
        ("physionet.org/files/mimic-iv-demo/2.2", "demo 2.2"),
        ("eicu-collaborative-research-database-demo-2.0.1", "demo 2.0.1"),
        ("eicu-crd/2.0", "2.0"),
        ("python3.11/my-tables", None),
        ("my-tables", None),
    ],
)
def test_the_version_is_read_off_the_names_of_the_folders(folder: str, version: str | None) -> None:
    assert published_version(Path("/downloads") / folder) == version


def test_the_open_demo_comes_in_as_it_unpacks(own_source: Path, tmp_path: Path) -> None:
    demo = tmp_path / "mimic-iv-clinical-database-demo-2.2"
    for path in own_source.rglob("*.parquet"):
        target = demo / path.parent.name / f"{path.stem}.csv.gz"
        target.parent.mkdir(parents=True, exist_ok=True)
        with duckdb.connect() as connection:
            connection.execute(f"COPY (FROM read_parquet('{path}')) TO '{target}' (FORMAT csv, COMPRESSION gzip)")
    for name in ("LICENSE.txt", "README.txt", "SHA256SUMS.txt", "demo_subject_id.csv"):
        (demo / name).write_text("subject_id\n", encoding="utf-8")
    dataset = take(demo, tmp_path / "home")
    assert (dataset.origin.version, dataset.origin.format, dataset.stays()) == ("demo 2.2", "csv.gz", 12)


def test_the_bytes_of_an_import_grow_to_the_size_of_the_source(source: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    import_dataset(tmp_path / "home", "taken", layout="mimic-iv", source=source, progress=seen.append)
    total = sum(path.stat().st_size for path in source.rglob("*.parquet"))
    done = [progress.bytes_done for progress in seen]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, total)
    assert {progress.bytes_total for progress in seen} == {total}


def test_two_imports_of_one_name_at_once_are_refused(source: Path, tmp_path: Path) -> None:
    unfinished = tmp_path / "home" / ".staging-taken"
    unfinished.mkdir(parents=True)
    with writing_lock(unfinished, "an import"), pytest.raises(DatasetError, match="busy: an import"):
        take(source, tmp_path / "home")
    assert take(source, tmp_path / "home").stays() == 12


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small-disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_during_an_import_leaves_no_dataset(own_source: Path, small_disk: Path) -> None:
    path = own_source / "hosp" / "omr.csv.gz"
    (own_source / "hosp" / "omr.parquet").unlink(missing_ok=True)
    lines = (f"1,2150-01-01,1,weight,{(n * 2654435761) % 4294967296}" for n in range(200_000))
    path.write_bytes(
        gzip.compress("\n".join(["subject_id,chartdate,seq_num,result_name,result_value", *lines]).encode())
    )
    assert "the disk is full" in refusal(own_source, small_disk)
    assert not list(small_disk.rglob("*.part"))


def test_an_engine_keeps_to_its_memory_and_leaves_nothing_spilled(tmp_path: Path) -> None:
    with engine(tmp_path, memory=bytes_of("64MB"), threads=1) as connection:
        run(
            connection,
            "CREATE TABLE t AS SELECT hash(range) AS h, 'text ' || range AS s FROM range(2000000) ORDER BY h",
        )
        assert list(tmp_path.glob(".spill-*/*"))
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_told_as_such(tmp_path: Path) -> None:
    with (
        pytest.raises(DatasetError, match="needs more memory than it may use"),
        engine(tmp_path, memory=bytes_of("4MB"), threads=1) as connection,
    ):
        run(connection, "SELECT list(range ORDER BY hash(range)) FROM range(3000000)")


def test_without_a_wish_at_most_half_of_the_memory_is_used() -> None:
    with duckdb.connect(config={"memory_limit": "800MiB"}) as connection:
        assert default_memory(connection) == 500 * 2**20
    with duckdb.connect(config={"memory_limit": "64GiB"}) as connection:
        assert default_memory(connection) == 3 * 2**30


@pytest.mark.parametrize(("text", "size"), [("2GB", 2 * 10**9), ("1.5 GiB", 3 * 2**29), ("512mib", 2**29)])
def test_an_amount_of_memory_is_read_in_the_usual_units(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "lots", "2", "-1GB", "2 XB"])
def test_what_is_no_amount_of_memory_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an amount"):
        bytes_of(text)

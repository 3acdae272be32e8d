"""The folders that PhysioNet publishes: laid out as they unpack, with every documented column and their checksums."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from ehr_bench import make_task
from eicu_bench import eicu_task

from m4review.ehr import Dataset, Progress, build, import_dataset, list_datasets, synthesise
from m4review.ehr.checksums import published_checksums
from m4review.ehr.derivations import load_derivations
from m4review.ehr.layout import load_layout
from m4review.errors import DatasetError

PUBLISHED: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "published_columns.toml").read_text(encoding="utf-8")
)
MIMIC, MIMIC_DEMO = "physionet.org/files/mimiciv/3.1", "mimic-iv-clinical-database-demo-2.2"
EICU, EICU_DEMO = "eicu-collaborative-research-database-2.0", "eicu-collaborative-research-database-demo-2.0.1"
FOLDERS = {
    MIMIC: ("mimic-iv", "3.1", ("CHANGELOG.txt", "LICENSE.txt", "index.html", "hosp/index.html", "icu/index.html")),
    MIMIC_DEMO: (
        "mimic-iv",
        "demo 2.2",
        ("LICENSE.txt", "README.txt", "demo_subject_id.csv", "d_labitems_to_loinc.csv"),
    ),
    EICU: ("eicu", "2.0", ("LICENSE.txt", "index.html")),
    EICU_DEMO: ("eicu", "demo 2.0.1", ("LICENSE.txt", "README.md", "sqlite/eicu_v2_0_1.sqlite3.gz")),
}
"""By folder: its layout, the version that its name says, and what lies in it beside the tables."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Dataset]:
    home = tmp_path_factory.mktemp("rows")
    return {name: synthesise(home, name, layout=name, stays=6, seed=4) for name in PUBLISHED}


MADE_UP = {
    "VARCHAR": "'a text, with a comma'",
    "TIMESTAMP": "TIMESTAMP '2150-01-10 12:00:00'",
    "DATE": "DATE '2150-01-10'",
}


def write_published(dataset: Dataset, folder: Path) -> None:
    """The tables as gzipped CSV under their published names, with the documented columns and quoted blanks.

    What the dataset does not have is made up: a table has one row then, a column is empty.
    """
    with duckdb.connect() as connection:
        for place, listed in PUBLISHED[dataset.layout_name].items():
            (table,) = [table for table in dataset.layout.tables if table.source_path == place]
            stored, columns = dataset.table(table.relation), table.columns
            if stored is None:
                cells, source = {name: MADE_UP.get(kind, "1") for name, kind in columns.items()}, ""
            else:
                cells = {name: name if name in stored.columns else f"NULL::{kind}" for name, kind in columns.items()}
                source = f"FROM '{dataset.table_path(stored)}'"
            texts = [name for name in listed.split() if columns[name] == "VARCHAR"]
            written = [
                f"coalesce({cells[n]}, '') AS {n}" if n in texts else f"{cells[n]} AS {n}" for n in listed.split()
            ]
            target = folder / f"{place}.csv.gz"
            target.parent.mkdir(parents=True, exist_ok=True)
            quote = f", FORCE_QUOTE ({', '.join(texts)})" if texts else ""
            connection.execute(
                f"COPY (SELECT {', '.join(written)} {source}) TO '{target}' "
                f"(FORMAT csv, HEADER, COMPRESSION gzip{quote})"
            )


def write_checksums(folder: Path, line: str = "{sum} {path}") -> None:
    """The list as PhysioNet writes it: one blank between sum and path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS.txt")
    sums = ((hashlib.sha256(path.read_bytes()).hexdigest(), path.relative_to(folder).as_posix()) for path in files)
    (folder / "SHA256SUMS.txt").write_text("".join(line.format(sum=s, path=p) + "\n" for s, p in sums), "utf-8")


@pytest.fixture(scope="module")
def downloads(rows: dict[str, Dataset], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All four folders as they unpack. Tests copy what they change."""
    home = tmp_path_factory.mktemp("downloads")
    for name, (layout, _, beside) in FOLDERS.items():
        write_published(rows[layout], home / name)
        for other in beside:
            (home / name / other).parent.mkdir(exist_ok=True)
            (home / name / other).write_text("subject_id\n10000032\n", encoding="utf-8")
        write_checksums(home / name)
    return home


@pytest.fixture
def own(downloads: Path, tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: Path(shutil.copytree(downloads / name, tmp_path / name))


def take(folder: Path, home: Path, layout: str) -> Dataset:
    return import_dataset(home, "taken", layout=layout, source=folder)


def refusal(folder: Path, home: Path, layout: str) -> str:
    with pytest.raises(DatasetError) as caught:
        take(folder, home, layout)
    assert list_datasets(home) == ()
    return str(caught.value)


@pytest.mark.parametrize("layout", PUBLISHED)
def test_every_documented_column_is_known_and_no_other(layout: str) -> None:
    known = {table.source_path: set(table.columns) for table in load_layout(layout).tables}
    assert known == {place: set(columns.split()) for place, columns in PUBLISHED[layout].items()}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_published_folder_comes_in_as_it_unpacks(
    name: str, downloads: Path, rows: dict[str, Dataset], tmp_path: Path
) -> None:
    layout, version, _ = FOLDERS[name]
    taken = take(downloads / name, tmp_path / "home", layout)
    assert (taken.origin.version, taken.origin.format, taken.stays()) == (version, "csv.gz", 6)
    assert len(taken.tables) == len(PUBLISHED[layout])
    assert all(table.published for table in taken.tables)
    with duckdb.connect() as connection:
        for table in rows[layout].tables:
            columns = ", ".join(table.columns)
            ours, theirs = (f"SELECT {columns} FROM '{dataset.table_path(table)}'" for dataset in (taken, rows[layout]))
            assert connection.execute(f"({ours}) EXCEPT ALL ({theirs})").fetchone() is None, table.name
            assert taken.table(table.relation).rows == table.rows  # type: ignore[union-attr]
    build(taken, [make_task(reference="sirs-24h") if layout == "mimic-iv" else eicu_task("oasis")])


@pytest.mark.parametrize("name", [MIMIC, EICU])
def test_the_tables_that_something_reads_are_enough(name: str, own: Callable[[str], Path], tmp_path: Path) -> None:
    layout, folder = FOLDERS[name][0], own(name)
    derivations = load_derivations(layout)
    needed = {table.source_path for table in derivations.layout.tables if derivations.readers(table.relation)}
    for path in folder.rglob("*.csv.gz"):
        if path.relative_to(folder).as_posix().removesuffix(".csv.gz") not in needed:
            path.unlink()
    taken = take(folder, tmp_path / "home", layout)
    assert 0 < len(taken.tables) == len(needed) < len(PUBLISHED[layout])


@pytest.mark.parametrize(
    "line", ["{sum} {path}", "{sum}  {path}", "{sum} *{path}", "{sum} ./{path}", "{sum}\t{path}\r"]
)
def test_the_list_of_checksums_may_have_any_usual_form(line: str, tmp_path: Path) -> None:
    (tmp_path / "hosp").mkdir()
    (tmp_path / "hosp" / "patients.csv.gz").write_bytes(b"rows")
    write_checksums(tmp_path, line)
    assert published_checksums(tmp_path) == {tmp_path / "hosp/patients.csv.gz": hashlib.sha256(b"rows").hexdigest()}


@pytest.mark.parametrize("text", ["", "not a list\n", "abc  hosp/admissions.csv.gz\n", f"{'a' * 64}\n"])
def test_a_list_without_a_checksum_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "SHA256SUMS.txt").write_text(text, encoding="utf-8")
    assert published_checksums(tmp_path) == {}


def test_a_file_that_is_not_the_published_one_is_named_before_anything_is_stored(
    own: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = own(MIMIC_DEMO)
    path = folder / "icu" / "outputevents.csv.gz"
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(lines[:-1])))
    message = refusal(folder, tmp_path / "home", "mimic-iv")
    assert f"{path}: the file is not the published one: its SHA-256 differs from the listed one" in message
    assert "download the file again" in message
    assert not list((tmp_path / "home").rglob("*.parquet"))


def test_a_file_that_the_list_does_not_name_is_taken_unchecked(own: Callable[[str], Path], tmp_path: Path) -> None:
    folder = own(MIMIC_DEMO)
    path = folder / "icu" / "outputevents.csv.gz"
    (folder / "icu" / "outputevents.csv").write_bytes(gzip.decompress(path.read_bytes()))
    path.unlink()
    taken = take(folder, tmp_path / "home", "mimic-iv")
    assert [table.name for table in taken.tables if not table.published] == ["outputevents"]
    assert all(table.published is False for table in taken.tables if table.name == "outputevents")


def test_without_a_list_nothing_is_said_of_checksums(own: Callable[[str], Path], tmp_path: Path) -> None:
    folder = own(EICU)
    (folder / "SHA256SUMS.txt").unlink()
    seen: list[Progress] = []
    taken = import_dataset(tmp_path / "home", "taken", layout="eicu", source=folder, progress=seen.append)
    assert {table.published for table in taken.tables} == {None}
    assert "checksums" not in {progress.stage for progress in seen}


def test_checking_tells_its_progress_in_bytes(downloads: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    import_dataset(tmp_path / "home", "taken", layout="eicu", source=downloads / EICU, progress=seen.append)
    checking = [progress for progress in seen if progress.stage == "checksums"]
    size = sum(path.stat().st_size for path in (downloads / EICU).glob("*.csv.gz"))
    assert [progress.done for progress in checking] == list(range(len(PUBLISHED["eicu"]) + 1))
    assert (checking[0].item, checking[0].bytes_done) == ("admissionDrug.csv.gz", 0)
    assert (checking[-1].item, checking[-1].bytes_done, checking[-1].bytes_total) == ("", size, size)

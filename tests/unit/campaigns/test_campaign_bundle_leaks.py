"""The scanner of a bundle: a leak in any part of it is found, and what belongs there is none."""

from __future__ import annotations

import csv
import io
import json
import struct
import zlib
from pathlib import Path, PurePosixPath

import duckdb
import pytest
from trials_bench import DATASET

from m4review.campaigns import bundleparts as parts
from m4review.campaigns.bundle import Bundle
from m4review.campaigns.leaks import Surroundings
from m4review.campaigns.scanner import scan
from m4review.ehr import Dataset, open_dataset

AROUND = Surroundings((Path("/srv/wards/m4"),), ("icu-node-7", "anabel"))
NO_DATA = {
    "a secret (model key)": "sk-proj-" + "a1b2c3d4" * 4,
    "a secret (private key)": "-----BEGIN RSA PRIVATE KEY-----",
    "a path of a machine": "see /home/" + "ana/work/notes",
    "a path of a machine ": "see /srv/wards/m4/tasks",
    "a path of a machine  ": r"see C:\Users\ana\notes",
    "the name of a machine or user": "ran on icu-node-7 overnight",
    "the name of a machine or user ": "by anabel@ward",
    "an address of a private network": "from 192.168.4.20 at night",
    "an address of a private network ": "from models.hospital.local",
    "a date of a patient's time": "admitted 2180-05-06",
    "a patient's identifier": "WHERE stay_id = 31234567",
    "a patient's identifier ": '{"hadm_id": "22595853"}',
    "a row of patient data": "10023117,22595853,39553978,3",
    "a row of patient data ": "| 39553978 | 7 | 2 |",
}
"""Kind → what has it. Blanks at the end of a kind tell several of one kind apart."""


@pytest.fixture(scope="module")
def dataset(campaign_data: Path) -> Dataset:
    return open_dataset(campaign_data, DATASET)


def identifiers(dataset: Dataset) -> tuple[int, ...]:
    """Patient, admission and stay of one row of the data."""
    with duckdb.connect(":memory:") as connection:
        path = dataset.path / "mimiciv_icu" / "icustays.parquet"
        (row,) = connection.execute(f"SELECT subject_id, hadm_id, stay_id FROM '{path}' LIMIT 1").fetchall()
    return row


def every_kind_of_file(files: dict[str, bytes]) -> list[str]:
    """One file of each place and suffix."""
    found = {(name.rpartition("/")[0], PurePosixPath(name).suffix): name for name in sorted(files)}
    return sorted({*found.values(), *(name for name in files if "/" not in name)} - {parts.SUMS})


def with_leak(name: str, data: bytes, said: str) -> bytes:
    """A file with a text put where texts of its kind stand."""
    match PurePosixPath(name).suffix:
        case ".json":
            return json.dumps({**json.loads(data), "note": [{"said": said}]}).encode()
        case ".jsonl":
            return data + json.dumps({"line": 1, "seconds": 0.0, "kind": "message", "text": said}).encode() + b"\n"
        case ".csv":
            out = io.StringIO()
            rows = list(csv.reader(io.StringIO(data.decode())))
            rows[1][rows[0].index("publishable_reason")] = said
            csv.writer(out).writerows(rows)
            return out.getvalue().encode()
        case ".png":
            text = b"tEXtComment\0" + said.encode()
            part = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
            return data[:33] + part + data[33:]
        case _:
            return data + f"\n{said}\n".encode()


def test_what_belongs_in_a_bundle_is_no_leak(bundle: Bundle, dataset: Dataset) -> None:
    assert scan(bundle.files, AROUND, [dataset]).leaks == ()


@pytest.mark.parametrize("kind", NO_DATA)
def test_a_leak_in_any_part_is_found_without_the_data_and_never_repeated(bundle: Bundle, kind: str) -> None:
    files, said = dict(bundle.files), NO_DATA[kind]
    parts_of_all_kinds = every_kind_of_file(files)
    assert len(parts_of_all_kinds) >= 15
    spoilt = {name: with_leak(name, files[name], said) for name in parts_of_all_kinds}
    leaks = scan(spoilt, AROUND).leaks
    pictures = {name for name in spoilt if name.endswith(".png")}
    assert {leak.file for leak in leaks if leak.kind == kind.strip()} >= spoilt.keys() - pictures
    assert {leak.file for leak in leaks if "picture" in leak.kind} == pictures
    assert not [leak for leak in leaks if said in f"{leak.place}{leak.kind}"]


@pytest.mark.parametrize("form", ["stay {0} died", "s{0}.txt", "p_{0}", "{0}.", "({0}.0)", "'{0}'", "x={0}"])
def test_an_identifier_of_the_data_is_found_in_any_part_and_form(bundle: Bundle, dataset: Dataset, form: str) -> None:
    for number in identifiers(dataset):
        spoilt = {
            name: with_leak(name, bundle.files[name], form.format(number))
            for name in every_kind_of_file(bundle.files)
            if not name.endswith(".png")
        }
        leaks = scan(spoilt, AROUND, [dataset]).leaks
        assert {leak.file for leak in leaks if leak.kind == "a patient's identifier"} == spoilt.keys()


def test_an_identifier_as_a_number_is_found_wherever_no_figure_belongs(bundle: Bundle, dataset: Dataset) -> None:
    record = next(name for name in bundle.files if name.startswith("records/"))
    values = json.loads(bundle.files[record])
    stay = identifiers(dataset)[2]
    for key in ("anything", "stay_id", f"{stay}"):
        leaks = scan({record: json.dumps({**values, key: stay}).encode()}, AROUND, [dataset]).leaks
        assert [leak.file for leak in leaks if leak.kind == "a patient's identifier"], key
    assert scan({f"records/{stay}.md": b"nothing"}, AROUND, [dataset]).leaks


def test_rows_below_a_header_of_identifiers_are_found_however_short_their_numbers(bundle: Bundle) -> None:
    table = "| `stay_id` | sofa |\n|---|---|\n| 17 | 3 |\n"
    assert [leak.line for leak in scan({"reports/report.md": table.encode()}, AROUND).leaks] == [3]
    columns = "| column | meaning |\n|---|---|\n| `stay_id` | ICU stay |\n| `sofa` | total, 0 to 24 |\n"
    assert not scan({"reports/report.md": columns.encode()}, AROUND).leaks


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("output.parquet", b"PAR1"),
        ("reports/data.csv.gz", b"\x1f\x8b"),
        ("reports/report.md", b"\xff\xfe"),
        ("campaign/tasks.json", b"{"),
        ("reports/figures/forest.png", b"GIF89a"),
        ("results/runs.csv", b'a,b\n"1'),
    ],
)
def test_a_file_that_is_not_what_a_bundle_has_is_refused_whatever_it_holds(name: str, data: bytes) -> None:
    assert [leak.file for leak in scan({name: data}, AROUND).leaks] == [name]


def test_bytes_behind_the_end_of_a_picture_are_refused(bundle: Bundle) -> None:
    name = next(name for name in bundle.files if name.endswith(".png"))
    assert not scan({name: bundle.files[name]}, AROUND).leaks
    assert scan({name: bundle.files[name] + b"10023117,1,2\n"}, AROUND).leaks


@pytest.mark.parametrize(
    "said",
    [
        "items 220045, 220179 and 50813 of the texts",
        "/data/task.duckdb and /task/skills/sirs-criteria/SKILL.md",
        "/home/agent/.config of the container",
        "sha256:" + "0123456789abcdef" * 4,
        "01M8NR7TW7VW97GY7HKD0HD9TJ",
        "12,345,678 tokens in 1,234.5 s, reward 0.12345678",
        "the stay_id of the output, one row per stay_id",
        "version 10.2.3.4567 on 2026-11-30",
    ],
)
def test_ordinary_words_and_figures_are_no_leak(said: str, dataset: Dataset) -> None:
    assert not scan(
        {"README.md": said.encode(), "traces/a.jsonl": json.dumps({"text": said}).encode()}, AROUND, [dataset]
    ).leaks

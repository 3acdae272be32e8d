"""The audit looks inside what an agent packed, whatever the file is called, and is neither fooled nor stuck."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from m4review.trials.agents.trace import TraceReader
from m4review.trials.audit import Audit, Auditor
from m4review.trials.sandbox.job import LeftFile
from m4review.trials.unpacking import Budget

LEAK = b"first line\ncopied from /answers/ground_truth/sirs.csv\n"
INNOCENT = b"stay_id,sirs\n1,2\nsee data_dictionary.json and https://example.invalid/sirs.html\n"
Look = Callable[..., Audit]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """The audit of one file that an agent left."""

    def audit(data: bytes, *, name: str = "notes", reference: str = "", budget: Budget | None = None) -> Audit:
        auditor = Auditor(forbidden=[], own=[], reference=reference, spool=tmp_path, budget=budget)
        pieces = (data[at : at + 1000] for at in range(0, len(data), 1000))
        auditor.visit(LeftFile(name, "file", len(data), pieces))
        audit = auditor.result(TraceReader("m4review-events").summary(), trace_truncated=False)
        assert list(tmp_path.glob("packed-*")) == [], "nothing unpacked stays behind"
        return audit

    return audit


def zipped(data: bytes, name: str = "inner.txt") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


def tarred(data: bytes, mode: str = "w") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        member = tarfile.TarInfo("inner.txt")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("../../escape")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return stream.getvalue()


def in_columns(data: bytes, kind: str, folder: Path) -> bytes:
    """A table with the text in one of its cells, as a file of that kind."""
    place = folder / f"table.{kind}"
    with duckdb.connect(str(place) if kind == "duckdb" else ":memory:") as connection:
        connection.execute("CREATE TABLE notes AS SELECT 1 AS stay_id, ?::VARCHAR AS note", [data.decode()])
        if kind != "duckdb":
            form = "FORMAT parquet, COMPRESSION zstd" if kind == "parquet" else "FORMAT csv, COMPRESSION zstd"
            connection.execute(f"COPY notes TO '{place}' ({form})")
    return place.read_bytes()


def notebook(data: bytes) -> bytes:
    cell = {"cell_type": "code", "source": data.decode().splitlines(keepends=True), "outputs": []}
    return json.dumps({"cells": [cell], "nbformat": 4}, indent=1).replace("/", "\\/").encode()


PACKINGS: dict[str, Callable[[bytes, Path], bytes]] = {
    "a plain file": lambda data, _: data,
    "a notebook with escaped slashes": lambda data, _: notebook(data),
    "UTF-16 text": lambda data, _: data.decode().encode("utf-16"),
    "gzip": lambda data, _: gzip.compress(data),
    "bzip2": lambda data, _: bz2.compress(data),
    "xz": lambda data, _: lzma.compress(data),
    "zip": lambda data, _: zipped(data),
    "tar": lambda data, _: tarred(data),
    "tar.gz": lambda data, _: tarred(data, "w:gz"),
    "gzip in zip": lambda data, _: zipped(gzip.compress(data)),
    "Parquet": lambda data, folder: in_columns(data, "parquet", folder),
    "a DuckDB database": lambda data, folder: in_columns(data, "duckdb", folder),
    "packed CSV": lambda data, folder: in_columns(data, "csv.zst", folder),
    "Parquet in zip": lambda data, folder: zipped(in_columns(data, "parquet", folder), "model.pkl"),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_an_answer_path_is_found_in(packing, look, tmp_path):
    assert "answer-path" in [finding.rule for finding in look(PACKINGS[packing](LEAK, tmp_path)).findings]


@pytest.mark.parametrize("packing", PACKINGS)
def test_an_ordinary_table_holds_nothing_in(packing, look, tmp_path):
    audit = look(PACKINGS[packing](INNOCENT, tmp_path))
    assert audit.findings == ()
    assert not any("cannot be opened" in note for note in audit.notes)


def test_a_copied_reference_is_found_by_its_bytes_plain_packed_and_renamed(look):
    reference = hashlib.sha256(b"PAR1 the reference").hexdigest()
    for data in (b"PAR1 the reference", gzip.compress(b"PAR1 the reference"), zipped(b"PAR1 the reference")):
        rules = [finding.rule for finding in look(data, name="tmp.bin", reference=reference).findings]
        assert rules == ["copied-reference"]


def test_a_right_answer_is_no_offence(look):
    assert look(b"stay_id,sirs\n1,2\n", reference=hashlib.sha256(b"stay_id,sirs\n1,3\n").hexdigest()).findings == ()


def test_an_archive_with_a_password_is_held_because_nobody_can_look_inside(look):
    data = bytearray(zipped(LEAK))
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(sign)
        data[at + place] |= 1
    (finding,) = look(bytes(data)).findings
    assert (finding.rule, "password" in finding.why) == ("unfinished-audit", True)


def test_a_bomb_is_held_after_a_bounded_amount_of_work(look):
    bomb = gzip.compress(bytes(50_000_000))
    audit = look(bomb, budget=Budget(size=5_000_000))
    assert [finding.rule for finding in audit.findings] == ["unfinished-audit"]
    assert audit.bytes_read < 10_000_000


def test_a_nest_deeper_than_is_looked_into_is_held(look):
    data = LEAK
    for _ in range(6):
        data = zipped(data)
    assert [finding.rule for finding in look(data).findings] == ["unfinished-audit"]


@pytest.mark.parametrize("head", [b"\x1f\x8b\x08", b"PK\x03\x04", b"PAR1", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"])
def test_a_file_that_only_begins_like_an_archive_is_read_as_it_is_and_noted(look, head):
    audit = look(head + LEAK * 30)
    assert "answer-path" in [finding.rule for finding in audit.findings]
    assert any("cannot be opened" in note for note in audit.notes)


def test_a_database_cannot_make_the_audit_read_another_file(look, tmp_path):
    (tmp_path / "secret.csv").write_text("a\n/answers/ground_truth/x.csv\n")
    place = tmp_path / "views.duckdb"
    with duckdb.connect(str(place)) as connection:
        connection.execute(f"CREATE VIEW v WITH (DEFER_BINDING) AS SELECT * FROM read_csv('{tmp_path}/secret.csv')")
    assert look(place.read_bytes()).findings == ()

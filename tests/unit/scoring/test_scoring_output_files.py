"""What an agent may leave instead of a table."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from scoring_texts import GOOD, SPEC, write_parquet

from m4review.errors import ScoringError
from m4review.scoring import InvalidOutputError, NoOutputError, ScoringLimits, ScoringSpec, score_output


def test_no_output_is_told_apart_from_a_bad_one(tmp_path: Path, reference: Path) -> None:
    with pytest.raises(NoOutputError, match="there is no output"):
        score_output(tmp_path / "output.csv", reference, SPEC)


@pytest.mark.parametrize("text", ["", "\n\n", "   \n", ",,,\n1,2,3,4\n"])
def test_a_file_without_a_header_is_invalid(tmp_path: Path, reference: Path, text: str) -> None:
    output = tmp_path / "output.csv"
    output.write_text(text)
    with pytest.raises(InvalidOutputError):
        score_output(output, reference, SPEC)


def test_a_missing_key_column_is_invalid_and_named(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    output.write_text(GOOD.replace("stay_id", "stay"))
    with pytest.raises(InvalidOutputError, match="no key column stay_id"):
        score_output(output, reference, SPEC)


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_another_separator_is_named(tmp_path: Path, reference: Path, sign: str, name: str) -> None:
    output = tmp_path / "output.csv"
    output.write_text(GOOD.replace(",", sign))
    with pytest.raises(InvalidOutputError, match=name):
        score_output(output, reference, SPEC)


def test_utf16_is_named(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    output.write_bytes(GOOD.encode("utf-16"))
    with pytest.raises(InvalidOutputError, match="UTF-16"):
        score_output(output, reference, SPEC)


def test_a_link_is_not_followed(tmp_path: Path, reference: Path) -> None:
    (tmp_path / "elsewhere.csv").write_text(GOOD)
    output = tmp_path / "output.csv"
    output.symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(InvalidOutputError, match="a link"):
        score_output(output, reference, SPEC)


def test_a_dangling_link_is_a_link(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    output.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InvalidOutputError, match="a link"):
        score_output(output, reference, SPEC)


def test_an_endless_pipe_is_refused_without_waiting(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    os.mkfifo(output)
    with pytest.raises(InvalidOutputError, match="a pipe"):
        score_output(output, reference, SPEC)


def test_a_folder_is_refused(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    output.mkdir()
    with pytest.raises(InvalidOutputError, match="a folder"):
        score_output(output, reference, SPEC)


def test_a_device_is_refused(reference: Path) -> None:
    with pytest.raises(InvalidOutputError, match="a device"):
        score_output(Path("/dev/zero"), reference, SPEC)


def test_twenty_gigabytes_are_refused_without_being_read(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    with output.open("wb") as stream:
        stream.write(GOOD.encode())
        stream.truncate(20 * 1024**3)
    with pytest.raises(InvalidOutputError, match=r"21,474,836,480 bytes"):
        score_output(output, reference, SPEC)


def test_the_limit_is_the_callers(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    output.write_text(GOOD)
    size = output.stat().st_size
    assert score_output(output, reference, SPEC, limits=ScoringLimits(max_output_bytes=size)).reward == 1.0
    with pytest.raises(InvalidOutputError):
        score_output(output, reference, SPEC, limits=ScoringLimits(max_output_bytes=size - 1))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(random.Random(4).randbytes(4096), id="noise"),
        pytest.param(b"\x1f\x8b\x08" + b"\0" * 99, id="gzip"),
        pytest.param(b"PAR1" + b"\xff" * 99, id="Parquet"),
    ],
)
def test_bytes_that_are_no_table_are_invalid(tmp_path: Path, reference: Path, data: bytes) -> None:
    output = tmp_path / "output.csv"
    output.write_bytes(data)
    with pytest.raises(InvalidOutputError):
        score_output(output, reference, SPEC)


def test_a_line_of_megabytes_is_invalid_and_its_text_stays_out_of_the_message(tmp_path: Path, reference: Path) -> None:
    output = tmp_path / "output.csv"
    output.write_text(GOOD + '30000009,"' + "private " * 1_000_000)
    with pytest.raises(InvalidOutputError) as caught:
        score_output(output, reference, SPEC)
    assert "private" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_scoring_leaves_the_files_and_the_temporary_folder_as_they_were(
    tmp_path: Path, reference: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    output = tmp_path / "output.csv"
    output.write_bytes(GOOD.encode() + b"1,\xff,,,\n")
    before = output.read_bytes()
    score_output(output, reference, SPEC)
    assert list(scratch.iterdir()) == []
    assert output.read_bytes() == before


def test_scoring_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    reference = write_parquet("SELECT i AS k, i AS v FROM range(3000000) t(i)", tmp_path / "r.parquet")
    output = tmp_path / "output.csv"
    output.write_text("k,v\n1,1\n")
    spec = ScoringSpec(key_columns=("k",), scored_columns=("v",))
    with pytest.raises(ScoringError, match="longer than"):
        score_output(output, reference, spec, limits=ScoringLimits(seconds=0.01))


def test_a_full_temporary_folder_is_said_plainly(
    tmp_path: Path, reference: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "output.csv"
    output.write_text(GOOD)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(ScoringError, match="temporary folder"):
        score_output(output, reference, SPEC)


@pytest.mark.parametrize("cells", [6, 100_000])
def test_a_line_with_too_many_cells_is_one_malformed_line_however_many_they_are(
    tmp_path: Path, reference: Path, cells: int
) -> None:
    output = tmp_path / "output.csv"
    output.write_text(GOOD + "9," * cells + "\n")
    score = score_output(output, reference, SPEC)
    (valid,) = (check for check in score.checks if "malformed" in check.detail)
    assert not valid.passed
    assert valid.detail.startswith("1 malformed line(s)")
    assert score.keys.matched == score.keys.reference_rows

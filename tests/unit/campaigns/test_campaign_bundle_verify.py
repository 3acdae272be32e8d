"""Checking a bundle without its data: whatever was changed after the fact is named."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from bundle_bench import checked, edited, problems, resealed, summed
from click.testing import CliRunner

from m4review.campaigns import bundleparts as parts
from m4review.campaigns.bundle import Bundle
from m4review.campaigns.bundlecheck import check_bundle
from m4review.campaigns.bundlefiles import zipped
from m4review.cli.campaign import campaign
from m4review.errors import CampaignError

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def files(bundle: Bundle) -> Files:
    return dict(bundle.files)


def one_run(files: Files) -> str:
    return json.loads(files[parts.LINEAGE])["runs"][0]["run"]


def test_every_file_that_was_edited_removed_or_added_is_named(files: Files, tmp_path: Path) -> None:
    def spoilt(data: bytes) -> bytes:
        middle = len(data) // 2
        return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]

    others = files.keys() - {parts.SUMS}
    whole = {name: spoilt(data) if name in others else data for name, data in files.items()}
    said = problems(checked(whole, tmp_path / "edited"))
    assert [name for name in others if f"{name}: was changed" not in said] == []
    for name in (parts.README, parts.RUNS, parts.CARD, parts.trace_file(one_run(files)), parts.REPORTS["tex"]):
        lacking = {other: data for other, data in files.items() if other != name}
        found = checked(lacking, tmp_path / "removed" / name.replace("/", "-"))
        assert f"{name}: is missing" in problems(found)
    found = checked({**files, "records/extra.json": b"{}"}, tmp_path / "added")
    assert "records/extra.json: was added" in problems(found)


def test_what_was_edited_is_found_too_when_the_checksums_were_made_anew(files: Files, tmp_path: Path) -> None:
    run = one_run(files)
    record, trace = parts.record_file(run), parts.trace_file(run)
    rows = files[parts.RUNS].decode().splitlines(keepends=True)
    variants: dict[str, tuple[Files, str]] = {
        "a row": (
            summed({**files, parts.RUNS: files[parts.RUNS].replace(b",1.0,", b",0.9,", 1)}),
            "is not what its record",
        ),
        "a row and its seal": (
            resealed({**files, parts.RUNS: files[parts.RUNS].replace(b",1.0,", b",0.9,", 1)}),
            "is not what its record comes to",
        ),
        "a row gone": (summed({**files, parts.RUNS: "".join(rows[:-1]).encode()}), "has 3 rows for 4 runs"),
        "rows in another order": (
            summed({**files, parts.RUNS: "".join([rows[0], *reversed(rows[1:])]).encode()}),
            "the way breaks at the row",
        ),
        "a record": (edited(files, record, lambda all_: all_.update(exit_code=7)), "the way breaks at the record"),
        "a record's reward, resealed": (
            resealed(edited(files, record, lambda all_: all_["score"].update(reward=0.123))),
            "is not what its record comes to",
        ),
        "a record's data, resealed": (
            resealed(edited(files, record, lambda all_: all_["inputs"].update(dataset_digest="0" * 64))),
            "was made from other inputs than were frozen",
        ),
        "a trace": (summed({**files, trace: files[trace] + files[trace]}), "the way breaks at the trace"),
        "a link": (
            edited(files, parts.LINEAGE, lambda all_: all_["runs"][0].update(reference="0" * 64)),
            "the way breaks at the reference",
        ),
        "a seal": (
            edited(files, parts.LINEAGE, lambda all_: all_["runs"][0].update(chain="0" * 64)),
            "the way breaks at the seal",
        ),
        "a figure": (
            edited(files, parts.ANALYSIS, lambda all_: all_["primary"].update(estimate=0.99)),
            "not what the runs come to",
        ),
        "a figure more": (
            edited(files, parts.ANALYSIS, lambda all_: all_.update(better=1)),
            "better: not what the runs",
        ),
        "the plan": (summed({**files, parts.PLAN: files[parts.PLAN] + b"\n"}), "is not the plan that was frozen"),
        "the manifest": (
            edited(files, parts.MANIFEST, lambda all_: all_.update(seed=all_["seed"] + 1)),
            "is not what was frozen",
        ),
        "a block's run": (
            edited(files, parts.BLOCKS, lambda all_: all_["blocks"][0]["runs"].update({"no-skill": "01ABC"})),
            "01ABC has no record",
        ),
        "a block gone": (
            edited(files, parts.BLOCKS, lambda all_: all_["blocks"].pop()),
            "does not name the blocks that are missing",
        ),
        "a threshold": (
            edited(files, parts.TASKS, lambda all_: next(iter(all_["tasks"].values())).update(digest="sha256:0")),
            "another task card than was run",
        ),
        "a held run": (
            edited(files, parts.CARD, lambda all_: all_.update(held=[run])),
            "does not name the runs that are held",
        ),
        "another campaign": (
            edited(files, parts.CARD, lambda all_: all_.update(manifest="x")),
            "belongs to another campaign",
        ),
        "a stranger": (summed({**files, "traces/01X.jsonl": b""}), "belongs to no block"),
    }
    for name, (spoilt, said) in variants.items():
        found = checked(spoilt, tmp_path / name)
        assert said in problems(found), (name, problems(found))


@pytest.mark.parametrize("form", parts.REPORTS)
def test_a_figure_that_was_edited_in_a_report_is_found_by_its_section(files: Files, tmp_path: Path, form: str) -> None:
    name = parts.REPORTS[form]
    text = files[name].decode()
    (estimate,) = re.findall(r"[+]0[.]\d{4}", text)[:1]
    found = checked(summed({**files, name: text.replace(estimate, "+0.9876").encode()}), tmp_path / form)
    assert f"{name}: does not say what the runs come to" in problems(found)
    assert "0.9876" not in problems(found)


def test_a_leak_that_was_put_in_later_is_named(files: Files, tmp_path: Path) -> None:
    spoilt = summed({**files, parts.README: files[parts.README] + b"\nsee /home/" + b"ana/notes\n"})
    assert "a path of a machine" in problems(checked(spoilt, tmp_path / "leak"))


def test_an_archive_is_checked_like_a_folder_and_has_the_same_digest(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(zipped(files))
    folder, archive = checked(files, tmp_path / "folder"), check_bundle(path)
    assert archive.good, problems(archive)
    assert archive == folder
    assert not check_bundle(path, digest="sha256:" + "0" * 64).good
    assert check_bundle(path, digest=archive.digest).good


def test_a_bundle_of_another_version_of_the_tool_is_checked_in_figures_and_says_so(
    files: Files, tmp_path: Path
) -> None:
    other = edited(files, parts.CARD, lambda all_: all_.update(tool_version="0.0.9", wording="0" * 64))
    for form, name in parts.REPORTS.items():
        text = other[name].decode()
        (effect,) = re.findall(r"[+]0[.]\d{4}", text)[:1]
        worded = {**other, name: text.replace("difference", "gain").encode()}
        found = checked(summed(worded), tmp_path / form)
        assert found.good, problems(found)
        assert "made by m4review 0.0.9" in found.notes[0]
        spoilt = {**other, name: text.replace(effect, "+0.9876").encode()}
        assert f"{name}: does not say what the runs come to" in problems(
            checked(summed(spoilt), tmp_path / f"{form}-spoilt")
        )
    future = edited(files, parts.CARD, lambda all_: all_.update(schema="m4review.campaign-bundle.v9"))
    assert f"{parts.CARD}: cannot be understood: schema" in problems(checked(future, tmp_path / "new"))


def test_links_and_special_files_are_refused_and_never_followed(files: Files, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not to be read", encoding="utf-8")
    checked(files, tmp_path / "linked")
    (tmp_path / "linked" / parts.README).unlink()
    (tmp_path / "linked" / parts.README).symlink_to(secret)
    with pytest.raises(CampaignError, match="a link or special file") as caught:
        check_bundle(tmp_path / "linked")
    assert caught.value.where == parts.README
    checked(files, tmp_path / "folders")
    (tmp_path / "folders" / "more").symlink_to(tmp_path)
    with pytest.raises(CampaignError, match="a link or special file"):
        check_bundle(tmp_path / "folders")
    checked(files, tmp_path / "piped")
    os.mkfifo(tmp_path / "piped" / "pipe")
    with pytest.raises(CampaignError, match="a link or special file"):
        check_bundle(tmp_path / "piped")
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    with pytest.raises(CampaignError, match="no bundle is there"):
        check_bundle(tmp_path / "link")


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "a\\out.txt", "C:/out.txt", "./out.txt"]
)
def test_names_that_leave_an_archive_are_refused_and_nothing_is_written(
    files: Files, tmp_path: Path, name: str
) -> None:
    buffer = io.BytesIO(zipped(files))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"out")
    (tmp_path / "slip.zip").write_bytes(buffer.getvalue())
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(CampaignError, match="a name that leaves the bundle"):
        check_bundle(tmp_path / "slip.zip")
    assert sorted(tmp_path.rglob("*")) == before


def test_archives_with_links_twins_or_damage_are_refused(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "odd.zip"
    link = zipfile.ZipInfo("records/link.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO(zipped(files))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    path.write_bytes(buffer.getvalue())
    with pytest.raises(CampaignError, match="a link"):
        check_bundle(path)
    buffer = io.BytesIO(zipped(files))
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(parts.README, "another")
    path.write_bytes(buffer.getvalue())
    with pytest.raises(CampaignError, match="a file is there twice"):
        check_bundle(path)
    whole = zipped(files)
    for data in (whole[: len(whole) // 2], b"", b"PK\x03\x04 nothing", os.urandom(100)):
        path.write_bytes(data)
        with pytest.raises(CampaignError, match="cannot be read"):
            check_bundle(path)
    broken = bytearray(whole)
    broken[200] ^= 0xFF
    path.write_bytes(bytes(broken))
    with pytest.raises(CampaignError):
        check_bundle(path)


def test_what_is_no_bundle_says_what_one_is(files: Files, tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="no bundle is there"):
        check_bundle(tmp_path / "absent")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CampaignError, match="it has no SHA256SUMS"):
        check_bundle(tmp_path / "empty")
    with pytest.raises(CampaignError, match="no line of a list of checksums") as caught:
        checked({**files, parts.SUMS: b"hello\n"}, tmp_path / "sums")
    assert caught.value.line == 1


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b'{"schema": 1}', b"[" * 100_000])
def test_a_record_that_cannot_be_understood_is_named_whatever_it_holds(
    files: Files, tmp_path: Path, data: bytes
) -> None:
    for name in (
        parts.CARD,
        parts.MANIFEST,
        parts.BLOCKS,
        parts.TASKS,
        parts.LINEAGE,
        parts.record_file(one_run(files)),
    ):
        found = checked(summed({**files, name: data}), tmp_path / PurePosixPath(name).name)
        assert f"{name}: cannot be understood" in problems(found)
    for name in (parts.ANALYSIS, parts.RUNS):
        found = checked(summed({**files, name: data}), tmp_path / f"{PurePosixPath(name).name}-data")
        assert not found.good


def test_the_command_ends_with_2_and_names_the_file(files: Files, tmp_path: Path) -> None:
    checked({**files, parts.README: b"another"}, tmp_path / "spoilt")
    result = CliRunner().invoke(campaign, ["verify", str(tmp_path / "spoilt")])
    assert result.exit_code == 2
    assert f"WRONG: {parts.README}: was changed: its checksum is another" in result.output
    assert "DOES NOT HOLD" in result.output

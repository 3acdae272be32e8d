"""What a commit alone proves, from every form in which a ledger can be handed over."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from reviews_forgery import forge
from reviews_ward import Ward, people

from m4review.errors import M4ReviewError
from m4review.reviews.signing import create_key
from m4review.reviews.verify import Report, verify

Command = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("keys")


@pytest.fixture
def signed(ward: Ward) -> Ward:
    """A ward whose two skills are approved by C1 and C4, each with a key."""
    for reviewer in ("C1", "C4"):
        create_key(ward.workspace, reviewer)
    ward.commit("keys")
    ward.approve("C1", "C4")
    ward.approve("C1", "C4", skill="shock")
    return ward


def outcomes(report: Report) -> dict[str, str]:
    return {proof.name: proof.outcome for proof in report.proofs if proof.outcome != "proven"}


def test_an_approved_and_signed_workspace_is_proven(signed: Ward, m4review: Command) -> None:
    code, out, _ = m4review("verify", "--json")
    report = json.loads(out)
    assert (code, report["schema"], report["outcome"]) == (0, "m4review.verify.v1", "proven")
    assert {proof["outcome"] for proof in report["proofs"]} == {"proven"}
    assert [skill["state"] for skill in report["skills"]] == ["approved", "approved"]
    assert set(report["levels"].values()) == {1}
    assert signed.is_clean()


def test_drafts_are_an_unmet_policy_and_not_a_broken_ledger(ward: Ward, m4review: Command) -> None:
    assert m4review("verify")[0] == 1
    ward.approve("C1", "C4")
    assert m4review("verify")[0] == 1
    assert m4review("verify", "lactate")[0] == 0


def test_an_earlier_revision_is_verified_as_it_was(signed: Ward, m4review: Command) -> None:
    signed.edit("above 2", "above 4")
    signed.commit("another threshold")
    code, out, _ = m4review("verify")
    assert (code, "stale" in out) == (1, True)
    assert m4review("verify", "--rev", "HEAD~1")[0] == 0


def test_what_lies_uncommitted_on_the_disk_is_no_part_of_a_commit(signed: Ward, m4review: Command) -> None:
    signed.edit("above 2", "above 4")
    (signed.root / "reviews/policy.toml").write_text("required = 1\n")
    assert m4review("verify")[0] == 0


@pytest.mark.parametrize("words", [("--rev", "nowhere"), ("--rev", "-x"), ("nosuchskill",), ("--source", "/dev/null")])
def test_what_cannot_be_looked_at_cannot_be_decided(signed: Ward, m4review: Command, words: tuple[str, ...]) -> None:
    code, _, err = m4review("verify", *words)
    assert (code, "internal error" in err) == (3, False)


def test_a_bare_clone_proves_the_same(signed: Ward, tmp_path: Path) -> None:
    signed.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    report = verify(tmp_path / "bare.git")
    assert (report.source, report.outcome) == ("bare repository", "proven")


def test_a_shallow_clone_decides_only_what_needs_no_history(signed: Ward, tmp_path: Path) -> None:
    signed.git("clone", "-q", "--depth", "1", f"file://{signed.root}", str(tmp_path / "shallow"))
    report = verify(tmp_path / "shallow")
    assert report.exit_code == 3
    unknown = outcomes(report)
    assert set(unknown.values()) == {"cannot decide"}
    assert "nothing was ever modified or deleted" in unknown
    assert "signatures hold" not in unknown
    signed.git("-C", str(tmp_path / "shallow"), "fetch", "-q", "--unshallow")
    assert verify(tmp_path / "shallow").exit_code == 0


@pytest.mark.parametrize("form", ["zip", "folder"])
def test_an_export_decides_only_what_needs_no_history(signed: Ward, tmp_path: Path, form: str) -> None:
    archive = tmp_path / "export.zip"
    signed.git("archive", "--format=zip", "--prefix=ward-main/", "-o", str(archive), "HEAD")
    place = archive
    if form == "folder":
        shutil.unpack_archive(archive, tmp_path / "export")
        place = tmp_path / "export" / "ward-main"
    report = verify(place)
    assert report.exit_code == 3
    assert set(outcomes(report).values()) == {"cannot decide"}
    assert set(report.levels.values()) == {1}


def test_an_edited_export_is_broken(signed: Ward, tmp_path: Path) -> None:
    shutil.copytree(signed.root, tmp_path / "export", ignore=shutil.ignore_patterns(".git"))
    event = next((tmp_path / "export/reviews/events/lactate").glob("*.md"))
    event.write_bytes(event.read_bytes().replace(b"approve", b"abstain", 1))
    assert verify(tmp_path / "export").exit_code == 2


def test_a_zip_file_that_leaves_its_folder_is_refused(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as file:
        file.writestr("../outside.md", "x")
    with pytest.raises(M4ReviewError, match="leaves it"):
        verify(tmp_path / "bad.zip")
    assert not (tmp_path / "outside.md").exists()


def test_other_line_ends_on_the_disk_change_nothing(signed: Ward, tmp_path: Path) -> None:
    signed.git("clone", "-q", "-c", "core.autocrlf=true", ".", str(tmp_path / "crlf"))
    assert b"\r\n" in (tmp_path / "crlf/skills/lactate/SKILL.md").read_bytes()
    assert verify(tmp_path / "crlf").exit_code == 0


def test_a_workspace_below_the_top_of_its_repository_is_verified(signed: Ward, tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "deep").mkdir(parents=True)
    for name in ("skills", "tasks", "reviews"):
        shutil.copytree(signed.root / name, top / "deep" / name)
    inner = Ward(top / "deep")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=top, check=True)
    inner.commit("all at once")
    report = verify(top / "deep")
    assert outcomes(report) == {}
    assert report.exit_code == 0


def test_verifying_writes_nothing_anywhere(signed: Ward, tmp_path: Path) -> None:
    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in signed.root.rglob("*") if path.is_file()}

    before = everything()
    verify(signed.root)
    assert everything() == before


def test_verifying_tells_nobody_what_one_reviewer_said(ward: Ward, m4review: Command) -> None:
    ward.say("C1", schema="changes", notes="The window is wrong.")
    for words in (("verify",), ("verify", "--json")):
        code, out, _ = m4review(*words)
        assert code == 1
        assert not any(word in out for word in ("schema changes", "changes requested", "asks for changes"))
        assert "window" not in out


def test_a_missing_an_empty_and_an_unreadable_list_of_keys_are_told_apart(signed: Ward) -> None:
    file = signed.root / "reviews/allowed_signers"
    said = []
    for change in (file.unlink, lambda: file.write_text("# nobody\n"), lambda: file.write_bytes(b"C1 \xff\n")):
        change()
        signed.commit("keys are gone")
        report = verify(signed.root)
        assert report.exit_code == 3
        said.append(next(proof.why for proof in report.proofs if proof.name == "the list of keys is usable"))
    assert [why.split(":")[0] for why in said] == [
        "MissingAllowedSigners",
        "EmptyAllowedSigners",
        "UnreadableAllowedSigners",
    ]


def test_a_policy_that_asks_for_signatures_counts_no_other_verdict(ward: Ward) -> None:
    create_key(ward.workspace, "C1")
    (ward.root / "reviews/policy.toml").write_text(
        (ward.root / "reviews/policy.toml").read_text().replace("required = 2", "required = 2\nminimum_assurance = 1")
    )
    ward.commit("signatures are asked for")
    events = unsigned_events(ward, "C1", "C4")
    assert len(events) == 2
    report = verify(ward.root, skills=("lactate",))
    assert report.exit_code == 1
    assert outcomes(report)["signed as the policy asks"] == "policy not met"
    assert report.skills[0].state != "approved"


def unsigned_events(ward: Ward, *reviewers: str) -> list[Path]:
    """Verdicts written as by a program that never signs."""
    for reviewer in reviewers:
        forge(ward, "verdict", reviewer)
    return ward.events()


def test_an_approval_survives_squash_rebase_and_merge_when_it_is_signed(signed: Ward) -> None:
    signed.git("checkout", "-q", "-b", "side", "HEAD~4")
    signed.git("merge", "-q", "--squash", "main")
    signed.commit("squashed", author=("Merger", "merger@forge.example"))
    report = verify(signed.root)
    assert outcomes(report) == {}
    assert report.exit_code == 0


def test_two_clones_that_review_at_once_are_merged_and_proven(signed: Ward, tmp_path: Path) -> None:
    signed.edit("above 2", "above 4")
    signed.commit("another threshold")
    clones = []
    for reviewer in ("C1", "C4", "C2"):
        path = tmp_path / f"clone-{reviewer}"
        signed.git("clone", "-q", ".", str(path))
        clone = Ward(path)
        clone.say(reviewer)
        clones.append(clone)
    for number, clone in enumerate(clones):
        signed.git("fetch", "-q", str(clone.root), f"main:side{number}")
    signed.git("merge", "-q", "--no-edit", "side0", "side1", "side2")
    assert len(signed.git("rev-list", "--parents", "-n", "1", "HEAD").split()) > 3
    report = verify(signed.root, skills=("lactate",))
    assert outcomes(report) == {}
    assert report.exit_code == 0


def test_co_authors_of_a_squashed_review_are_who_recorded_it(ward: Ward) -> None:
    ward.approve("C1", "C4")
    ward.git("reset", "-q", "--soft", "HEAD~2")
    together = "\n\nCo-authored-by: C1 <c1@reviewers.invalid>\nCo-authored-by: C4 <c4@reviewers.invalid>"
    ward.git("commit", "-q", "-m", f"reviewed{together}", **people(("M", "m@f.example"), ("M", "m@f.example")))
    assert verify(ward.root, skills=("lactate",)).exit_code == 0

"""What verification says where the plain catalogue of attacks ends: keys that expire, adoptions, checkpoints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from reviews_forgery import forge, renamed_to_fit
from reviews_ward import Ward, people

from m4review.reviews.events import event_path
from m4review.reviews.signing import SshKeygen, create_key
from m4review.reviews.verify import Report, read_checkpoint, verify

Command = Callable[..., tuple[int, str, str]]
C1, C2 = ("C1", "c1@reviewers.invalid"), ("C2", "c2@reviewers.invalid")

pytestmark = pytest.mark.usefixtures("keys")


@pytest.fixture
def signed(ward: Ward) -> Ward:
    """C1 and C4 have keys and approved lactate; C2 and C3 have none."""
    for reviewer in ("C1", "C4"):
        create_key(ward.workspace, reviewer)
    ward.commit("keys")
    ward.approve("C1", "C4")
    assert attacked(ward).exit_code == 0
    return ward


def attacked(ward: Ward) -> Report:
    return verify(ward.root, skills=("lactate",))


def failures(ward: Ward) -> dict[str, tuple[str, str]]:
    """Proof → outcome and details, of those that are not proven."""
    return {
        proof.name: (proof.outcome, "\n".join((proof.why, *proof.details)))
        for proof in attacked(ward).proofs
        if proof.outcome != "proven"
    }


def test_a_deleted_event_that_another_had_seen_is_missed_even_without_a_history(signed: Ward, tmp_path: Path) -> None:
    shutil.copytree(signed.root, tmp_path / "export", ignore=shutil.ignore_patterns(".git"))
    first = sorted((tmp_path / "export/reviews/events/lactate").glob("0001-*.md"))[0]
    first.unlink()
    report = verify(tmp_path / "export")
    found = {proof.name: proof for proof in report.proofs if proof.outcome == "integrity failure"}
    assert report.exit_code == 2
    assert "no longer there" in found["nothing was dropped or reordered"].details[0]
    assert "whose event is gone" in found["event names match their bytes"].details[0]


def test_a_later_number_written_into_an_unsigned_event_breaks_the_order(ward: Ward) -> None:
    ward.approve("C1", "C4")
    first = ward.events()[0]
    data = first.read_bytes().replace(b"clock: 1\n", b"clock: 9\n")
    forged = renamed_to_fit(ward, data, first.with_name(first.name.replace("0001-", "0009-")))
    ward.git("rm", "-q", str(first))
    ward.git("add", str(forged))
    ward.git("commit", "-q", "-m", "reordered", **people(C1, C1))
    assert failures(ward)["nothing was dropped or reordered"][0] == "integrity failure"
    assert attacked(ward).exit_code == 2


def test_an_approval_with_the_scope_digests_of_another_text_is_found(ward: Ward) -> None:
    forge(ward, "verdict", "C1", scopes=dict.fromkeys(("definition", "schema", "output"), "sha256:" + "0" * 64))
    assert failures(ward)["digests recomputed from blobs"][0] == "integrity failure"


def test_a_key_that_has_expired_cannot_sign_for_an_earlier_day(ward: Ward) -> None:
    create_key(ward.workspace, "C1", valid_before=datetime(2001, 1, 2, tzinfo=UTC))
    create_key(ward.workspace, "C4")
    ward.commit("keys")
    ward.say("C1", now=datetime(2001, 1, 1, tzinfo=UTC))
    ward.say("C4", now=datetime(2001, 1, 1, tzinfo=UTC))
    assert "cannot be told from a backdated one" in failures(ward)["signatures hold"][1]
    assert attacked(ward).exit_code == 3


def test_a_verdict_dated_before_the_reviewer_left_and_recorded_after_is_not_proven(ward: Ward) -> None:
    roster = ward.root / "reviews/roster.toml"
    roster.write_text(roster.read_text().replace("until = 2098-12-31", "until = 2001-12-31"))
    ward.commit("C4 left")
    forge(ward, "verdict", "C4", at="2001-12-30T12:00:00Z")
    assert "cannot be told from a backdated one" in failures(ward)["actors were on the roster"][1]
    assert attacked(ward).exit_code != 0


def test_a_verdict_after_the_last_day_of_a_reviewer_is_not_counted(ward: Ward) -> None:
    ward.say("C1")
    forge(ward, "verdict", "C4", at="2099-01-01T12:00:00Z")
    assert attacked(ward).exit_code == 1
    assert failures(ward)["actors were on the roster"][0] == "policy not met"


def test_a_force_push_that_drops_an_event_is_found_against_a_checkpoint(
    signed: Ward, tmp_path: Path, m4review: Command
) -> None:
    kept = tmp_path / "checkpoint.json"
    assert m4review("verify", "lactate", "--write-checkpoint", str(kept))[0] == 0
    assert m4review("verify", "lactate", "--checkpoint", str(kept))[0] == 0
    signed.git("reset", "-q", "--hard", "HEAD~1")
    signed.say("C2")
    code, out, _ = m4review("verify", "lactate", "--checkpoint", str(kept), "--json")
    proof = json.loads(out)["proofs"][-1]
    assert (code, proof["name"], proof["outcome"]) == (
        2,
        "nothing is missing since the checkpoint",
        "integrity failure",
    )
    assert "is gone since" in proof["details"][0]
    assert m4review("verify", "lactate")[0] == 0


def test_a_rebase_that_keeps_every_event_passes_the_checkpoint(signed: Ward, tmp_path: Path) -> None:
    kept = tmp_path / "checkpoint.json"
    verify(signed.root, keep=kept)
    signed.git("commit", "-q", "--amend", "--no-edit", "--date", "2026-01-01T00:00:00Z")
    report = verify(signed.root, skills=("lactate",), checkpoint=read_checkpoint(kept))
    assert report.exit_code == 0
    assert "which was rewritten" in report.proofs[-1].why


def test_a_file_that_is_no_checkpoint_decides_nothing(signed: Ward, tmp_path: Path, m4review: Command) -> None:
    (tmp_path / "not.json").write_text("[]")
    assert m4review("verify", "--checkpoint", str(tmp_path / "not.json"))[0] == 3
    assert m4review("verify", "--checkpoint", str(tmp_path / "nowhere.json"))[0] == 3


def add_key_and_lower_the_threshold(ward: Ward, tmp_path: Path) -> Path:
    """What C2 does in one commit: a key of their own under C3's name, and one reviewer is enough from now on."""
    SshKeygen().create(tmp_path / "c2s", "c2s")
    public = (tmp_path / "c2s.pub").read_text()
    signers = ward.root / "reviews/allowed_signers"
    line = f'C3 namespaces="m4review.event.v1" {public}'
    signers.write_text((signers.read_text() if signers.exists() else "") + line)
    policy = ward.root / "reviews/policy.toml"
    policy.write_text(policy.read_text().replace("required = 2", "required = 1"))
    ward.commit("small changes", author=C2)
    return tmp_path / "c2s"


def test_one_reviewer_alone_changes_no_rule(signed: Ward, tmp_path: Path, m4review: Command) -> None:
    add_key_and_lower_the_threshold(signed, tmp_path)
    assert m4review("review", "adopt", "--as", "C2", "--yes")[0] == 0
    assert "adopted by C2 " in failures(signed)["rules changed only by the rules before"][1]
    assert attacked(signed).exit_code == 1


def test_a_change_that_enough_reviewers_adopted_is_in_force(ward: Ward, m4review: Command) -> None:
    ward.say("C1")
    policy = ward.root / "reviews/policy.toml"
    policy.write_text(policy.read_text().replace("required = 2", "required = 1"))
    code, out, _ = m4review("review", "adopt", "--as", "C1", "--yes")
    assert (code, "+required = 1" in out) == (0, True)
    ward.commit("one reviewer is enough")
    assert attacked(ward).exit_code == 1
    assert m4review("review", "adopt", "--as", "C4", "--yes")[0] == 0
    report = attacked(ward)
    assert failures(ward) == {}
    assert (report.exit_code, report.skills[0].state) == (0, "approved")


def test_adopting_nothing_and_adopting_unasked_are_refused(ward: Ward, m4review: Command) -> None:
    ward.say("C1")
    code, _, err = m4review("review", "adopt", "--as", "C1", "--yes")
    assert (code, "nothing to adopt" in err) == (2, True)
    (ward.root / "reviews/policy.toml").write_text("required = 1\n")
    code, _, err = m4review("review", "adopt", "--as", "C1")
    assert (code, "not confirmed" in err) == (2, True)
    assert not (ward.root / "reviews/adoptions").exists()


def test_an_edited_adoption_is_found(ward: Ward, m4review: Command) -> None:
    ward.say("C1")
    policy = ward.root / "reviews/policy.toml"
    policy.write_text(policy.read_text().replace("required = 2", "required = 1"))
    for reviewer in ("C1", "C4"):
        assert m4review("review", "adopt", "--as", reviewer, "--yes")[0] == 0
    ward.commit("one reviewer is enough")
    adoption = next((ward.root / "reviews/adoptions").glob("C4-*.md"))
    adoption.write_text(adoption.read_text().replace("actor: C4", "actor: C3"))
    ward.commit("C3, I meant")
    assert attacked(ward).exit_code == 2


def test_a_new_key_does_not_vouch_for_itself(signed: Ward, m4review: Command) -> None:
    policy = signed.root / "reviews/policy.toml"
    create_key(signed.workspace, "C2")
    create_key(signed.workspace, "C3")
    policy.write_text(policy.read_text().replace("required = 2", "required = 2\nminimum_assurance = 1"))
    for reviewer in ("C2", "C3"):
        assert m4review("review", "adopt", "--as", reviewer, "--yes")[0] == 0
    assert not list((signed.root / "reviews/adoptions").glob("*.sig"))
    for reviewer in ("C1", "C4"):
        assert m4review("review", "adopt", "--as", reviewer, "--yes")[0] == 0
    assert len(list((signed.root / "reviews/adoptions").glob("*.sig"))) == 2
    signed.commit("keys for all")
    assert attacked(signed).exit_code == 0


def test_a_message_full_of_control_characters_hides_no_change(signed: Ward) -> None:
    event = signed.events()[0]
    event.unlink()
    Path(f"{event}.sig").unlink()
    signed.git("add", "-A")
    subprocess.run(
        ["git", "commit", "-q", "-F", "-"],
        cwd=signed.root,
        input=b"tidy\n\n\x02\x1f\x1f\x1f\n" + b"f" * 40 + b"\n",
        check=True,
        env={**os.environ, **people(C1, C1)},
    )
    assert failures(signed)["nothing was ever modified or deleted"][0] == "integrity failure"


def test_the_name_of_an_event_is_the_hash_of_its_bytes(ward: Ward) -> None:
    path = ward.say("C1")
    values = {"skill": "lactate", "clock": 1, "actor": "C1", "kind": "verdict"}
    assert event_path(values, path.read_bytes()).endswith(path.name)

"""Every attack of the catalogue is found by ``verify``, with its exit code and in words that name what was done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attack_kinds import DATES, Attack, Handed
from reviews_attacks import ATTACKS, CLEAN
from reviews_forgery import event_at, forge, one_event
from reviews_stories import Library, approved, blocked, disputed, keys_in, sealed, untouched

from m4review.reviews.verify import Report, read_checkpoint, verify

UNAPPROVED = (untouched, sealed, disputed, blocked)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("stories"))


@pytest.fixture(autouse=True)
def keys(library: Library) -> Iterator[Path]:
    with keys_in(library.keys) as folder:
        yield folder


def after(attack: Attack, library: Library, folder: Path) -> Report:
    ward = library.copy(attack.story, folder / "ward")
    handed = attack.do(ward) or Handed(ward.root)
    kept = None if handed.checkpoint is None else read_checkpoint(handed.checkpoint)
    return verify(handed.place, skills=("lactate",), checkpoint=kept)


@pytest.mark.parametrize("attack", CLEAN, ids=lambda attack: attack.what)
def test_before_the_attack_everything_is_proven(attack: Attack, library: Library, tmp_path: Path) -> None:
    report = after(attack, library, tmp_path)
    assert [proof for proof in report.proofs if proof.outcome != "proven"] == []
    assert report.exit_code == 0


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.what)
def test_verify_finds(attack: Attack, library: Library, tmp_path: Path) -> None:
    report = after(attack, library, tmp_path)
    said = {
        proof.name: "\n".join((proof.why, *proof.details)) for proof in report.proofs if proof.outcome != "proven"
    } | {entry.skill: "\n".join(entry.because) for entry in report.skills if entry.outcome != "proven"}
    assert report.exit_code == attack.exit_code, said
    assert attack.says in said.get(attack.proof, ""), said
    if attack.story in UNAPPROVED and attack.proof != DATES:  # a late date alone makes a reviewer's word nobody else's
        assert report.skills[0].state not in {"approved", "signed off"}, "the attack got its approval"


def test_no_two_attacks_have_the_same_name() -> None:
    assert len({attack.what for attack in ATTACKS}) == len(ATTACKS)


def test_a_file_mode_is_no_change_of_an_event(library: Library, tmp_path: Path) -> None:
    ward = library.copy(approved, tmp_path / "ward")
    ward.events()[0].chmod(0o755)
    ward.commit("executable")
    assert verify(ward.root, skills=("lactate",)).exit_code == 0
    assert ward.truth().label == "approved"


def test_a_sign_off_that_relies_on_one_of_two_reviewers_releases_nothing(library: Library, tmp_path: Path) -> None:
    ward = library.copy(approved, tmp_path / "ward")
    mine = event_at(one_event(ward, "C1", "verdict")).id
    rules = [{"rule": "distinct reviewers per scope", "passed": True, "why": "2 of 2"}]
    forge(ward, "sign-off", "C1", signer="C1", relied_on=[mine], rules=rules)
    status = ward.truth()
    assert status.label == "approved"
    assert any("it relies on the verdicts of 1 of 2 reviewers" in line for line in status.because)

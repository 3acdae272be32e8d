"""Colleagues on other computers: the lines of docs/clinicians.md, typed in clones of one shared repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from reviews_ward import Ward, people

from m4review.reviews import Ledger, skill_status

SHIPPED = Path(__file__).resolve().parents[3]
GUIDE = (SHIPPED / "docs" / "clinicians.md").read_text(encoding="utf-8")
SET_UP, JOIN, EXCHANGE = (
    block.splitlines() for block in re.findall(r"^```shell\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
)


class Computer:
    """Where one of the group works: a shell in a folder, with git's own user and the identity of nobody's roster."""

    def __init__(self, folder: Path, address: Path) -> None:
        self.folder, self.address = folder, address

    def types(self, line: str, *, is_refused: bool = False) -> None:
        done = subprocess.run(
            line.replace("ADDRESS", str(self.address)),
            shell=True,
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={
                **os.environ,
                **people(("Office", "office@clinic.invalid"), ("Office", "office@clinic.invalid")),
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            },
        )
        assert (done.returncode != 0) == is_refused, f"{line}\n{done.stderr}"

    def exchanges(self) -> None:
        for line in EXCHANGE:
            self.types(line)


@pytest.fixture
def group(ward: Ward, tmp_path: Path) -> tuple[Ward, Computer, Ward, Computer]:
    """The workspace of whoever set it up, and that of a colleague who joined, each with a shell in it."""
    address = tmp_path / "shared.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(address)], check=True)
    first = Computer(ward.root, address)
    for line in SET_UP:
        first.types(line)
    clone, hooks = JOIN
    Computer(tmp_path, address).types(clone)
    second = Computer(tmp_path / clone.split()[-1], address)
    second.types(hooks)
    return ward, first, Ward(second.folder), second


def label(ward: Ward) -> str:
    return skill_status(ward.workspace, Ledger.load(ward.workspace), "lactate", "C1").label


def test_verdicts_that_two_people_give_at_the_same_time_meet(group: tuple[Ward, Computer, Ward, Computer]) -> None:
    one, here, other, there = group
    one.say("C1")
    other.say("C4")
    here.exchanges()
    there.types("git push", is_refused=True)
    there.exchanges()
    here.exchanges()
    assert (label(one), label(other)) == ("approved", "approved")
    assert one.is_clean()
    assert other.is_clean()


def test_a_version_and_the_verdict_on_it_go_back_and_forth(group: tuple[Ward, Computer, Ward, Computer]) -> None:
    one, here, other, there = group
    one.edit("50813", "50814")
    one.commit("by C2", author=("C2", "c2@reviewers.invalid"))
    other.say("C4", skill="shock")
    here.exchanges()
    there.exchanges()
    assert label(other) == "draft"
    other.say("C1")
    other.say("C4")
    there.exchanges()
    here.exchanges()
    assert label(one) == "approved"
    assert set(one.status().excluded or {}) == {"C2"}, "the merge adds nobody's hand"

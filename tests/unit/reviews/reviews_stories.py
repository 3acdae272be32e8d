"""Reviews told to their end on real repositories: what the attacks start from. Each is made once and copied."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reviews_ward import NOON, Ward, write_workspace

from m4review.reviews.acts import record
from m4review.reviews.kinds import Finding
from m4review.reviews.remarks import resolve
from m4review.reviews.sealing import reveal_verdict, seal_verdict
from m4review.reviews.settling import carry, confirm, propose, sign_off
from m4review.reviews.signing import create_key
from m4review.reviews.verdicts import Said

APPROVE = {"definition": "approve", "schema": "approve", "output": "approve"}
BLOCKER = Finding(id="f1", scope="schema", severity="blocker", text="The item is the venous one.")
REMARK = Finding(id="f1", scope="schema", severity="minor", text="Name the specimen.")


def act(ward: Ward, actor: str, plan: Any) -> Path:
    return record(ward.workspace, "lactate", actor, plan, now=NOON)


def said(**decisions: str) -> Said:
    return Said({**APPROVE, **decisions}, "", ("text",), "none")


def with_policy(ward: Ward, line: str) -> None:
    """Put one more rule on top of the policy, before the first event."""
    path = ward.root / "reviews/policy.toml"
    path.write_text(f"{line}\n{path.read_text()}")
    ward.commit("policy")


def untouched(ward: Ward) -> None:
    """Nobody has said anything; C1 and C4 have keys."""


def approved(ward: Ward) -> None:
    """C1 and C4 approved lactate."""
    ward.approve("C1", "C4")


def sealed(ward: Ward) -> None:
    """C1 and C4 sealed their first verdicts and have shown none."""
    with_policy(ward, 'independent = "sealed"')
    for actor in ("C1", "C4"):
        seal_verdict(ward.workspace, "lactate", actor, said(), now=NOON)


def revealed(ward: Ward) -> None:
    """C1 and C4 sealed, then showed, and approved."""
    sealed(ward)
    for actor in ("C1", "C4"):
        reveal_verdict(ward.workspace, "lactate", actor, now=NOON)


def disputed(ward: Ward) -> None:
    """C1 asks for changes and raised a finding, C4 approves."""
    ward.say("C1", schema="changes", findings=[REMARK])
    ward.say("C4")


def released(ward: Ward) -> None:
    """The two disagreed, came to one mind, and C1 signed off."""
    disputed(ward)
    plan = propose({"schema": "approve"}, "The item is the arterial one.", resolutions={"f1": "Named in the remarks."})
    act(ward, "C1", plan)
    act(ward, "C4", confirm())
    act(ward, "C1", sign_off())


def carried(ward: Ward) -> None:
    """An approved text, then blanks at a line's end, carried over by C4."""
    approved(ward)
    ward.edit("Free text.\n", "Free text.  \n")
    ward.commit("blanks")
    act(ward, "C4", carry("+Free text.··"))


def blocked(ward: Ward) -> None:
    """C1 found a blocker; the next text is approved by C2 and C4, and the blocker is open."""
    ward.say("C1", schema="changes", findings=[BLOCKER])
    ward.edit("50813", "52442")
    ward.commit("another item")
    ward.approve("C2", "C4")


def fixed(ward: Ward) -> None:
    """C1 found a blocker, the next text mends it, C1 says so, and both approve."""
    ward.say("C1", schema="changes", findings=[BLOCKER])
    ward.edit("50813", "52442")
    ward.commit("another item")
    act(ward, "C1", resolve("f1", "fixed", "It is the arterial one now."))
    ward.approve("C1", "C4")


def redrafted(ward: Ward) -> None:
    """As ``fixed``, and before it stood a draft that nobody judged."""
    ward.edit("Free text.", "Other text.")
    ward.commit("a second draft")
    fixed(ward)


Story = Callable[[Ward], None]
STORIES: tuple[Story, ...] = (
    untouched, approved, sealed, revealed, disputed, released, carried, blocked, fixed, redrafted,
)  # fmt: skip


class Library:
    """Copies of told stories. A story is told at its first use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys = folder / "keys"

    def copy(self, story: Story, into: Path) -> Ward:
        """A fresh ward in which ``story`` has happened."""
        told = self.folder / story.__name__
        if not told.exists():
            start = self._start()
            shutil.copytree(start, told)
            story(Ward(told))
        shutil.copytree(told, into)
        return Ward(into)

    def _start(self) -> Path:
        root = self.folder / "start"
        if not root.exists():
            write_workspace(root)
            ward = Ward(root)
            ward.git("init", "-q", "-b", "main")
            ward.commit("first version")
            for reviewer in ("C1", "C4"):
                create_key(ward.workspace, reviewer)
            ward.commit("keys")
        return root


@contextmanager
def keys_in(folder: Path) -> Iterator[Path]:
    """Reviewers' keys lie in ``folder``, and no SSH agent is asked."""
    before = dict(os.environ)
    os.environ["M4REVIEW_KEYS"] = str(folder)
    os.environ.pop("SSH_AUTH_SOCK", None)
    try:
        yield folder
    finally:
        os.environ.clear()
        os.environ.update(before)

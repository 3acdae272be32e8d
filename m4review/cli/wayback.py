"""How to come back to a workspace: what is printed when its workbench ends, and of earlier demonstrations."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from m4review.demonstrations import Demonstration
from m4review.workspace import Workspace

MOST = 5
"""Demonstrations that are listed; of more, it is said how many."""


def program() -> str:
    """What to type for this program: its short name, or its whole path where a shell would not find that."""
    called = Path(sys.argv[0])
    if shutil.which("m4review") or called.name != "m4review":
        return "m4review"
    return shlex.quote(str(called.resolve()))


def way_back(root: Path) -> str:
    """The lines to type to open a workspace again, each short enough for its terminal not to break it early."""
    return f"To open it again:\n  cd {shlex.quote(str(root))}\n  {program()}"


def kept_here(root: Path) -> str:
    """What is said when a workbench was left: what stays, and the way back."""
    return f"What was saved, recorded or kept as a draft stays in {root}.\n{way_back(root)}"


def earlier(found: Sequence[Demonstration]) -> str:
    """The demonstrations that are still there, the newest first, with unsaved text and the way to each."""
    lines = ["Demonstrations that are still there, the newest first:"]
    for one in found[:MOST]:
        texts = unsaved_in(one)
        says = f", unsaved text of {', '.join(texts)}" if texts else ""
        lines += [f"  made {one.made:%Y-%m-%d %H:%M} UTC{says}", f"    cd {shlex.quote(str(one.root))}"]
    if len(found) > MOST:
        lines.append(f"  … and {len(found) - MOST} older")
    return "\n".join(
        [*lines, "To go on in the newest, from any folder:", f"  {program()} demo --continue"]
        + (["In another: its cd line, then:", f"  {program()}"] if len(found) > 1 else [])
    )


def unsaved_in(one: Demonstration) -> list[str]:
    """The skills of which a demonstration holds unsaved text."""
    from m4review.tui.session.journal import drafts_in

    return sorted({draft.skill for draft in drafts_in(Workspace(one.root).drafts_dir)})

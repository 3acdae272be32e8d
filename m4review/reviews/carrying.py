"""The difference between an approved text and the present one, as it is shown before an approval is carried over."""

from __future__ import annotations

import difflib

from m4review.errors import LedgerError
from m4review.reviews.acts import Scene
from m4review.reviews.settling import approved_base
from m4review.reviews.standing import short


def editorial_difference(scene: Scene) -> str:
    """What differs between the approved and the present text, file by file, blanks at line ends made visible.

    A carry keeps the digest of exactly this text.

    Raises:
        LedgerError: no earlier text is approved, or it is in no recorded version any more.
    """
    base = approved_base(scene)
    if base is None:
        raise LedgerError(
            "no earlier text of this skill is approved, so nothing can be carried over", where=scene.subject.skill
        )
    before = scene.ledger.snapshot.files_of(base.content)
    if before is None:
        raise LedgerError(
            f"the approved text {short(base.content)} is in no recorded version any more; what changed cannot be shown",
            where=scene.subject.skill,
            expected="a history that still holds it",
            fix="give a verdict: m4review review verdict",
        )
    after = scene.ledger.snapshot.skills[scene.subject.skill]
    lines: list[str] = []
    for path in sorted({*before, *after}):
        old, new = (_visible(files.get(path, b"")) for files in (before, after))
        lines += difflib.unified_diff(old, new, f"approved/{path}", f"now/{path}", lineterm="", n=1)
    return "\n".join(lines)


def _visible(data: bytes) -> list[str]:
    """The lines of a file; blanks at a line's end as ``·``, tabs there as ``→``."""
    lines = []
    for line in data.decode("utf-8").split("\n"):
        kept = line.rstrip(" \t")
        lines.append(kept + line[len(kept) :].replace(" ", "·").replace("\t", "→"))
    return lines

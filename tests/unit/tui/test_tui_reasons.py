"""A reason on the screen names what to do, and no command of a terminal."""

from __future__ import annotations

import pytest

from m4review.errors import LedgerError
from m4review.tui.render.reasons import reason_of


@pytest.mark.parametrize(
    ("fix", "shown"),
    [
        ("m4review review seal", "no seal"),
        ("to replace it, say so: --replace", "no seal"),
        ("git fetch --unshallow", "no seal"),
        ("settle it together with 'm4review review consensus'", "no seal"),
        ("give a verdict: m4review review verdict", "no seal. To fix: give a verdict"),
        ("record a version first (m4review version sirs -m MESSAGE), or undo the changes",
         "no seal. To fix: record a version first, or undo the changes"),
        ("wait for the others, and fetch what they recorded",
         "no seal. To fix: wait for the others, and fetch what they recorded"),
        ("use a newer m4review; until then the event is listed and not counted",
         "no seal. To fix: use a newer m4review; until then the event is listed and not counted"),
        (None, "no seal"),
    ],
)  # fmt: skip
def test_a_reason_leaves_commands_out(fix: str | None, shown: str) -> None:
    assert reason_of(LedgerError("no seal", fix=fix)) == shown

"""The transcript that the closing note shows: ten contaminations refused by plain git, five clean edits accepted."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "lint_corpus"))

from transcript import CONTAMINATIONS, EDITS, as_expected, play


def test_ten_contaminations_are_refused_and_five_edits_recorded_by_plain_git(tmp_path: Path) -> None:
    assert (len(CONTAMINATIONS), len(EDITS)) == (10, 5)
    wrong = {
        attempt.what: said
        for attempt, refused, said in play(tmp_path / "workspace")
        if not as_expected(attempt, refused, said)
    }
    assert wrong == {}

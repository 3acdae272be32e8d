"""The published run files give the published figures; skipped where the shared evidence is absent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from m4review.campaigns.analysis import Analysis, analyse
from m4review.campaigns.background import Background
from m4review.campaigns.forms import to_markdown
from m4review.campaigns.report import report_of
from m4review.campaigns.runs import Run

sys.path.insert(0, str(Path(__file__).parent))

from published_table import EVIDENCE, PublishedFigure, figures, published_runs

pytestmark = pytest.mark.skipif(not EVIDENCE.is_dir(), reason="the published run files are not beside the checkout")


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return published_runs()[0]


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    runs, facts = published_runs()
    return analyse(runs, facts, seed=1)


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_a_published_figure_is_what_the_published_runs_give(analysis: Analysis, figure: PublishedFigure) -> None:
    assert figure.agrees(analysis), f"{figure.ours(analysis)} is not {figure.values} within {figure.tolerance}"


def test_the_report_says_what_cannot_be_computed(analysis: Analysis, runs: list[Run]) -> None:
    text = to_markdown(report_of(analysis, runs, Background()))
    assert "skill effect on the obfuscated schema: the runs hold no no-skill partner there" in text
    assert "26 / 2" in text
    assert all(level.difference is None for level in analysis.schemas)
    assert "40 runs carried another condition's name before" in text
    assert "The files do not give: input tokens" in text

"""The published run files give the published figures; skipped where the shared evidence is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.campaigns.analysis import Analysis, Row, analyse
from m4review.campaigns.document import to_markdown
from m4review.campaigns.report import report_of
from m4review.campaigns.runfile import join_runs, read_run_file, task_facts
from m4review.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = ROOT.parent / "shared" / "evidence"
FILES = ("final_codex_runs.csv", "followup_canonical_runs.csv")
INTERVAL = 0.004
"""Random generators differ in the ends of an interval by some thousandths."""

pytestmark = pytest.mark.skipif(not EVIDENCE.is_dir(), reason="the published run files are not beside the checkout")


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    facts = task_facts(Workspace.find(ROOT))
    return analyse(join_runs({name: read_run_file(EVIDENCE / name, facts) for name in FILES}), facts, seed=1)


def close(row: Row, mean: float, low: float | None = None, high: float | None = None, up: int | None = None) -> None:
    assert row.effect.mean == pytest.approx(mean, abs=5.1e-5 if abs(mean) < 1 else 0)
    if low is not None:
        assert row.interval.low == pytest.approx(low, abs=INTERVAL)
        assert row.interval.high == pytest.approx(high, abs=INTERVAL)
    if up is not None:
        assert row.effect.directions()[0] == up


def named(rows: tuple[Row, ...], name: str) -> Row:
    (found,) = [row for row in rows if row.name == name]
    return found


def test_the_primary_effect_and_its_intervals(analysis: Analysis) -> None:
    close(analysis.primary, 0.1358, 0.0853, 0.1910, 26)
    assert analysis.primary.effect.levels == (pytest.approx(0.7031, abs=5e-5), pytest.approx(0.8389, abs=5e-5))
    assert analysis.p_exact == (176, 2**28)
    assert analysis.p_monte_carlo < 1e-4
    assert (analysis.clustered.low, analysis.clustered.high) == (
        pytest.approx(0.0650, abs=INTERVAL),
        pytest.approx(0.2066, abs=INTERVAL),
    )
    mean, balanced = analysis.balanced
    assert mean == pytest.approx(0.1197, abs=5e-5)
    assert (balanced.low, balanced.high) == (pytest.approx(0.0572, abs=INTERVAL), pytest.approx(0.1901, abs=INTERVAL))


def test_models_modes_declared_columns_and_crashed_runs(analysis: Analysis) -> None:
    rows = analysis.sensitivity
    close(named(rows, "model gpt-5.4-mini"), 0.1623, 0.099, 0.232, 26)
    close(named(rows, "model gpt-5.5"), 0.1092, 0.060, 0.167, 24)
    assert named(rows, "standard tasks").effect.mean == pytest.approx(0.154, abs=5e-4)
    assert named(rows, "standard tasks").effect.directions()[0] == 10
    assert named(rows, "raw tasks").effect.mean == pytest.approx(0.124, abs=5e-4)
    assert named(rows, "raw tasks").effect.directions()[0] == 16
    declared = named(rows, "declared value columns only")
    assert declared.effect.mean == pytest.approx(0.156, abs=5e-4)
    assert declared.effect.directions()[0] == 26
    close(named(rows, "runs that crashed left out"), 0.1435, 0.090, 0.203)


def test_the_controls_on_the_tasks_they_were_run_on(analysis: Analysis) -> None:
    rows = analysis.controls
    close(named(rows, "decoy − no-skill"), 0.0003, -0.026, 0.032)
    close(named(rows, "raw-sql − with-skill"), 0.0030, -0.065, 0.071)
    close(named(rows, "operational-spec − no-skill"), 0.1615, 0.0718, 0.2596)
    close(named(rows, "with-skill − operational-spec"), 0.0243, -0.0343, 0.0994)
    close(named(rows, "with-skill − no-skill, the 10 tasks of decoy"), 0.2800)
    close(named(rows, "with-skill − no-skill, the other 18 tasks than decoy's"), 0.0556)
    close(named(rows, "with-skill − no-skill, the 8 tasks of operational-spec"), 0.1858)
    close(named(rows, "with-skill − no-skill, the other 20 tasks than operational-spec's"), 0.1157)


def test_secondary_measures_strict_checks_and_changed_schemas(analysis: Analysis) -> None:
    assert analysis.key_f1 is not None
    assert analysis.key_f1.effect.levels == (pytest.approx(0.9617, abs=5e-5), pytest.approx(0.9646, abs=5e-5))
    assert analysis.key_f1.effect.directions() == (5, 3)
    assert analysis.ordered_nmae is not None
    assert len(analysis.ordered_nmae.effect.tasks) == 26
    assert analysis.ordered_nmae.effect.levels == (pytest.approx(0.1156, abs=5e-5), pytest.approx(0.0598, abs=5e-5))
    strict = analysis.strict
    assert {
        name: (strict[name].passed, strict[name].runs) for name in ("no-skill", "with-skill", "raw-sql", "decoy")
    } == {
        "no-skill": (13, 280),
        "with-skill": (25, 280),
        "raw-sql": (49, 100),
        "decoy": (0, 100),
    }
    assert strict["with-skill, tasks of raw-sql"].passed == 7
    assert (strict["primary"].values_only, strict["primary"].failed) == (468, 522)
    assert {str(level.arm): round(level.level, 4) for level in analysis.schemas} == {
        "with-skill on obfuscated": 0.6956,
        "with-skill on restructured": 0.6676,
    }
    assert all(level.difference is None for level in analysis.schemas)


def test_the_report_says_what_cannot_be_computed(analysis: Analysis) -> None:
    text = to_markdown(report_of(analysis))
    assert "skill effect on the obfuscated schema: the runs hold no no-skill partner there" in text
    assert "26 / 2" in text

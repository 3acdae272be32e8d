"""Which trials may run: a canary's report counts for its own engine, image and program, and for a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from m4review.errors import TrialError
from m4review.trials.canary.proofs import FRESH, PROOFS_FILE, keep_report, known_report, require_proof
from m4review.trials.canary.report import CanaryReport, ProbeResult, Proved, report_lines

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
ABOUT = Proved(
    engine="E:/var", engine_version="20", image="sha256:a", sidecars="sha256:s", tool_version="1", settings="sha256:x"
)


def report(*, held: bool = True, about: Proved = ABOUT, at: datetime = NOW) -> CanaryReport:
    happened = "3 tries, none succeeded" if held else "192.0.2.1:443 is reached"
    probe = ProbeResult(
        probe="direct-connection", expectation="nothing outside is reached", happened=happened, held=held
    )
    return CanaryReport(proved=about, started=at, finished=at, probes=(probe,))


def ask(home, *, networked=True, made=None, now=NOW):
    asked = []

    def make():
        asked.append(True)
        return made or report()

    require_proof(home, ABOUT, networked=networked, make=make, clock=lambda: now)
    return len(asked)


def test_a_trial_with_a_network_makes_a_canary_once_a_day(tmp_path):
    assert ask(tmp_path) == 1
    assert ask(tmp_path) == 0
    assert ask(tmp_path, now=NOW + FRESH + timedelta(seconds=1)) == 1
    assert ask(tmp_path, now=NOW - timedelta(hours=1)) == 1, "a report of the future proves nothing"


@pytest.mark.parametrize("part", sorted(Proved.model_fields))
def test_a_report_counts_for_nothing_else_than_what_it_was_made_with(tmp_path, part):
    keep_report(tmp_path, report(about=ABOUT.model_copy(update={part: "another"})))
    assert known_report(tmp_path, ABOUT, NOW) is None
    assert ask(tmp_path) == 1


def test_a_breach_refuses_every_trial_until_a_canary_passes(tmp_path):
    with pytest.raises(TrialError, match=r"1 breaches .*direct-connection \(192\.0\.2\.1:443 is reached\)"):
        ask(tmp_path, made=report(held=False))
    for networked in (True, False):
        with pytest.raises(TrialError, match="no trial runs"):
            ask(tmp_path, networked=networked)
    keep_report(tmp_path, report(at=NOW + timedelta(minutes=1)))
    assert ask(tmp_path, now=NOW + timedelta(minutes=2)) == 0


def test_a_trial_without_network_makes_no_canary(tmp_path):
    assert ask(tmp_path, networked=False) == 0


@pytest.mark.parametrize("text", ["", "{}x", '{"reports": [{"passed": true}]}', "\xff"])
def test_a_file_that_cannot_be_read_proves_nothing(tmp_path, text):
    (tmp_path / PROOFS_FILE).write_bytes(text.encode("latin-1"))
    assert ask(tmp_path) == 1
    assert known_report(tmp_path, ABOUT, NOW) is not None


def test_a_report_without_probes_proves_nothing_and_a_breach_is_named():
    assert not CanaryReport(proved=ABOUT, started=NOW, finished=NOW, probes=()).passed
    lines = list(report_lines(report(held=False)))
    assert lines[0].startswith("BREACH  direct-connection")
    assert lines[-1].startswith("1 of 1 probes found a breach")
    assert list(report_lines(report()))[-1] == "all 1 probes held"

"""Canary reports kept beside the data, so that a trial need not be preceded by a canary each time.

A report counts for the very engine, images and program it was made with, and for a day: an engine's settings may change
under it. The newest one counts.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from m4review.errors import TrialError
from m4review.trials.canary.report import CanaryReport, Proved, told

PROOFS_FILE = ".canary.json"
FRESH = timedelta(hours=24)
MOST_PROOFS = 20


class _Proofs(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    reports: tuple[CanaryReport, ...] = ()


def holds_reports(home: Path) -> bool:
    """Whether any report is kept, so that a look at the engine is worth while."""
    return (home / PROOFS_FILE).is_file()


def known_report(home: Path, about: Proved, now: datetime) -> CanaryReport | None:
    """The newest report of the last day on exactly this engine, image and program, if there is one."""
    for report in _load(home).reports:
        if report.proved == about and timedelta() <= now - report.finished <= FRESH:
            return report
    return None


def kept_reports(home: Path) -> tuple[CanaryReport, ...]:
    """Every report that is kept, the newest first."""
    return _load(home).reports


def keep_report(home: Path, report: CanaryReport) -> None:
    """Keep a report; it takes the place of an older one on the same things.

    Raises:
        TrialError: it cannot be written.
    """
    others = [known for known in _load(home).reports if known.proved != report.proved]
    kept = _Proofs(reports=(report, *others[: MOST_PROOFS - 1]))
    try:
        home.mkdir(parents=True, exist_ok=True)
        path = home / PROOFS_FILE
        fresh = path.with_name(f"{PROOFS_FILE}.{report.proved.image[-12:]}")
        fresh.write_text(kept.model_dump_json(by_alias=True, indent=1), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise TrialError(f"the canary's report cannot be kept ({error.strerror})", where=home) from None


def require_proof(
    home: Path,
    about: Proved,
    *,
    networked: bool,
    make: Callable[[], CanaryReport],
    clock: Callable[[], datetime],
) -> CanaryReport | None:
    """Refuse a trial unless the sandbox is proved. A trial with a network needs a report, which ``make`` makes.

    Raises:
        TrialError: a probe found a breach.
    """
    report = known_report(home, about, clock())
    if report is None and networked:
        report = make()
        keep_report(home, report)
    if report is not None and not report.passed:
        raise TrialError(
            f"the canary found {len(report.breaches)} breaches of the sandbox, so no trial runs: "
            + told([f"{result.probe} ({result.happened})" for result in report.breaches]),
            fix="m4review canary shows all; when the engine is mended, run it again",
        )
    return report


def _load(home: Path) -> _Proofs:
    """What is kept; a file that cannot be read proves nothing."""
    try:
        return _Proofs.model_validate_json((home / PROOFS_FILE).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return _Proofs()

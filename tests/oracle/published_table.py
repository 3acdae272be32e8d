"""The published figures beside those that the published run files give here: run it, or ``make published-figures``.

Levels and differences must agree to the last published digit, counts exactly, the ends of intervals within the spread
of random generators.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from m4review.campaigns.analysis import Analysis, analyse
from m4review.campaigns.comparisons import Row
from m4review.campaigns.document import Document, Section, Table
from m4review.campaigns.forms import to_text
from m4review.campaigns.resampling import Interval
from m4review.campaigns.runfile import join_runs, read_run_file
from m4review.campaigns.runs import Run, TaskFacts, task_facts
from m4review.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = ROOT.parent / "shared" / "evidence"
FILES = ("final_codex_runs.csv", "followup_canonical_runs.csv")
ENDS = 0.0025
"""Random generators differ in the ends of an interval by 0.002; some ends are published to three digits."""
FAMILY_ENDS = 0.004
"""Over 15 families they differ by more: with a million draws the ends here are 0.0659, 0.2091 and 0.0574, 0.1926."""
LAST_DIGIT = {4: 5.1e-5, 3: 5.1e-4, 0: 0.0}


@dataclass(frozen=True)
class PublishedFigure:
    """One published figure; ``ours`` takes the same from an analysis. ``within`` is the tolerance of an interval."""

    name: str
    values: tuple[float, ...]
    digits: int
    ours: Callable[[Analysis], tuple[float, ...]]
    within: float | None = None

    @property
    def tolerance(self) -> float:
        return LAST_DIGIT[self.digits] if self.within is None else self.within

    def agrees(self, analysis: Analysis) -> bool:
        """Whether every value is within the tolerance."""
        found = self.ours(analysis)
        pairs = zip(found, self.values, strict=True)
        return all(abs(mine - theirs) <= self.tolerance for mine, theirs in pairs)


def published_runs() -> tuple[list[Run], dict[str, TaskFacts]]:
    """The published runs of both files, and the facts of their tasks."""
    facts = task_facts(Workspace.find(ROOT))
    return join_runs({name: read_run_file(EVIDENCE / name, facts) for name in FILES}), facts


def figures() -> Iterator[PublishedFigure]:
    """Every figure of the evidence's own table."""
    yield PublishedFigure("levels", (0.7031, 0.8389), 4, lambda a: a.primary.effect.levels)
    yield from _row("skill effect", lambda a: a.primary, 0.1358, (0.0853, 0.1910), (26, 28))
    yield from _row("gpt-5.4-mini", _sensitivity("model gpt-5.4-mini"), 0.1623, (0.099, 0.232), (26, 28))
    yield from _row("gpt-5.5", _sensitivity("model gpt-5.5"), 0.1092, (0.060, 0.167), (24, 28))
    yield PublishedFigure("sign-flip p, exact", (176, 2**28), 0, lambda a: a.p_exact or (0, 0))
    yield PublishedFigure("sign-flip p < 1e-4, Monte Carlo", (1,), 0, lambda a: (float(a.p_monte_carlo < 1e-4),))
    yield _interval("family-clustered interval", (0.0650, 0.2066), lambda a: a.clustered)
    yield PublishedFigure("family-balanced mean", (0.1197,), 4, lambda a: (a.balanced[0],))
    yield _interval("family-balanced interval", (0.0572, 0.1901), lambda a: a.balanced[1])
    yield PublishedFigure("standard tasks, difference", (0.154,), 3, _mean(_sensitivity("standard tasks")))
    yield PublishedFigure("standard tasks, positive of", (10, 11), 0, _positive(_sensitivity("standard tasks")))
    yield PublishedFigure("raw tasks, difference", (0.124,), 3, _mean(_sensitivity("raw tasks")))
    yield PublishedFigure("raw tasks, positive of", (16, 17), 0, _positive(_sensitivity("raw tasks")))
    yield PublishedFigure("key F1, levels", (0.9617, 0.9646), 4, lambda a: _there(a.key_f1).effect.levels)
    yield PublishedFigure("key F1, up and down", (5, 3), 0, lambda a: _there(a.key_f1).effect.directions())
    yield PublishedFigure("ordered nMAE, levels", (0.1156, 0.0598), 4, lambda a: _there(a.ordered_nmae).effect.levels)
    yield PublishedFigure("ordered nMAE, tasks", (26,), 0, lambda a: (len(_there(a.ordered_nmae).effect.tasks),))
    for name, passed, runs in (
        ("no-skill", 13, 280),
        ("with-skill", 25, 280),
        ("raw-sql", 49, 100),
        ("with-skill, tasks of raw-sql", 7, 100),
        ("decoy", 0, 100),
    ):
        yield PublishedFigure(f"strict passes, {name}", (passed, runs), 0, _strict_passes(name))
    yield PublishedFigure("strict passes, the first file", (87, 760), 0, _first_file)
    yield PublishedFigure(
        "failures by values alone, of",
        (468, 522),
        0,
        lambda a: (a.strict["primary"].values_only, a.strict["primary"].failed),
    )
    yield from _row("decoy − no-skill", _control("decoy", "decoy − no-skill"), 0.0003, (-0.026, 0.032))
    yield from _row("raw-sql − with-skill", _control("raw-sql", "raw-sql − with-skill"), 0.0030, (-0.065, 0.071))
    ten, eight = ("decoy", "10", "18"), ("operational-spec", "8", "20")
    for (control, inside, outside), values in ((ten, (0.2800, 0.0556)), (eight, (0.1858, 0.1157))):
        names = (f"the {inside} tasks of {control}", f"the other {outside} tasks than {control}'s")
        for where, value in zip(names, values, strict=True):
            made = _control(control, f"with-skill − no-skill, {where}")
            yield PublishedFigure(f"skill effect, {where}", (value,), 4, _mean(made))
    spec = "operational-spec"
    yield from _row(f"{spec} − no-skill", _control(spec, f"{spec} − no-skill"), 0.1615, (0.0718, 0.2596))
    yield from _row(f"with-skill − {spec}", _control(spec, f"with-skill − {spec}"), 0.0243, (-0.0343, 0.0994))
    declared = _sensitivity("declared value columns only")
    yield PublishedFigure("declared columns, difference", (0.156,), 3, _mean(declared))
    yield _interval("declared columns, interval", (0.097, 0.221), lambda a: declared(a).interval)
    yield PublishedFigure("declared columns, positive of", (26, 28), 0, _positive(declared))
    yield from _row("crashed runs left out", _sensitivity("runs that crashed left out"), 0.1435, (0.090, 0.203))
    for place, (schema, level) in enumerate((("obfuscated", 0.6956), ("restructured", 0.6676))):
        yield PublishedFigure(f"with-skill on {schema}", (level,), 4, lambda a, n=place: (a.schemas[n].level,))  # type: ignore[misc]


Rows = Callable[[Analysis], Row]


def _row(
    name: str, row: Rows, mean: float, ends: tuple[float, float], positive: tuple[int, int] | None = None
) -> Iterator[PublishedFigure]:
    yield PublishedFigure(f"{name}, difference", (mean,), 4, _mean(row))
    yield _interval(f"{name}, interval", ends, lambda a: row(a).interval)
    if positive is not None:
        yield PublishedFigure(f"{name}, positive of", positive, 0, _positive(row))


def _interval(name: str, ends: tuple[float, float], of: Callable[[Analysis], Interval]) -> PublishedFigure:
    def ours(analysis: Analysis) -> tuple[float, ...]:
        found = of(analysis)
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high

    return PublishedFigure(name, ends, 4, ours, FAMILY_ENDS if name.startswith("family") else ENDS)


def _mean(row: Rows) -> Callable[[Analysis], tuple[float, ...]]:
    return lambda analysis: (row(analysis).effect.mean,)


def _positive(row: Rows) -> Callable[[Analysis], tuple[float, ...]]:
    return lambda analysis: (row(analysis).effect.directions()[0], len(row(analysis).effect.tasks))


def _sensitivity(name: str) -> Rows:
    return lambda analysis: next(row for row in analysis.sensitivity if row.name == name)


def _control(control: str, name: str) -> Rows:
    return lambda analysis: next(row for row in analysis.controls[control] if row.name == name)


def _there(row: Row | None) -> Row:
    assert row is not None
    return row


def _strict_passes(name: str) -> Callable[[Analysis], tuple[float, ...]]:
    return lambda analysis: (analysis.strict[name].passed, analysis.strict[name].runs)


def _first_file(analysis: Analysis) -> tuple[float, ...]:
    """Everything native but the operational specification, which is in the follow-up."""
    every, later = analysis.strict["all native"], analysis.strict["operational-spec"]
    return every.passed - later.passed, every.runs - later.runs


def _shown(values: tuple[float, ...], digits: int) -> str:
    return " … ".join(f"{value:.{digits}f}" for value in values)


def main() -> int:
    """Print the table; 1 when a figure disagrees, 2 when the run files are not there."""
    if not EVIDENCE.is_dir():
        print("the published run files are not beside the checkout", file=sys.stderr)
        return 2
    runs, facts = published_runs()
    analysis = analyse(runs, facts, seed=1)
    rows, agree = [], 0
    for figure in figures():
        fits = figure.agrees(analysis)
        agree += fits
        ours = _shown(figure.ours(analysis), figure.digits)
        rows.append(
            (figure.name, _shown(figure.values, figure.digits), ours, f"{figure.tolerance:g}", "yes" if fits else "NO")
        )
    table = Table(("figure", "published", "here", "tolerance", "agrees"), tuple(rows))
    cannot = tuple(said for said in analysis.cannot if "cannot be computed" in said)
    opening = (
        f"{agree} of {len(rows)} published figures agree with those computed here from {len(runs)} published runs."
    )
    print(to_text(Document("Published figures", opening, (Section("Figures", (table, *cannot)),))), end="")
    return 0 if agree == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())

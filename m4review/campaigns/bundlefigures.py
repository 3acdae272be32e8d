"""Whether the figures of a bundle, in its analysis and in its reports, are what its table of runs comes to."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from m4review import __version__
from m4review.campaigns import bundleparts as parts
from m4review.campaigns.analysis import analyse
from m4review.campaigns.bundle import analysis_json
from m4review.campaigns.bundleproblems import BundleRecords, Checked
from m4review.campaigns.headline import missing_figures, missing_lines, wording_digest
from m4review.campaigns.runfile import read_run_text
from m4review.errors import M4ReviewError

CLOSE = 1e-9
"""Figures that are nearer than this, relative to their size, are the same on any machine."""


def check_figures(found: BundleRecords, files: Mapping[str, bytes], checked: Checked) -> None:
    """Every figure from the table, against the analysis and the reports."""
    wrong = checked.wrong
    facts = {name: entry.facts for name, entry in found.tasks.tasks.items()}
    try:
        runs = read_run_text(files.get(parts.RUNS, b""), Path(parts.RUNS), facts)
        analysis = analyse(runs, facts, seed=found.card.seed, draws=found.card.draws)
        told = json.loads(files.get(parts.ANALYSIS, b""))
    except (M4ReviewError, ValueError, RecursionError) as error:
        said = error.what if isinstance(error, M4ReviewError) else "no JSON"
        wrong(parts.ANALYSIS, f"the figures cannot be recomputed: {said}", True)
        return
    other_version = found.card.tool_version != __version__
    count = 0
    for place, is_same in _compared(told, json.loads(analysis_json(analysis)), "", common_only=other_version):
        count += 1
        wrong(parts.ANALYSIS, f"{place}: not what the runs come to", not is_same)
    checked.done.append(f"{count} figures of the analysis from the table of runs")
    same_words = found.card.wording == wording_digest()
    for form, name in parts.REPORTS.items():
        text = files.get(name, b"").decode("utf-8", "replace")
        for place in (missing_lines if same_words else missing_figures)(analysis, runs, form, text):
            wrong(name, f"does not say what the runs come to: {place}", True)
    checked.done.append("the reports' sections on effects, controls, schemas, checks and compute from the same figures")


def _compared(told: object, made: object, place: str, *, common_only: bool) -> Iterator[tuple[str, bool]]:
    """Every figure of two JSON values and whether it is the same in both."""
    if isinstance(told, dict) and isinstance(made, dict):
        names = told.keys() & made.keys() if common_only else told.keys() | made.keys()
        for name in sorted(names):
            inside = f"{place}.{name}".lstrip(".")
            if name in told and name in made:
                yield from _compared(told[name], made[name], inside, common_only=common_only)
            else:
                yield inside, False
    elif isinstance(told, list) and isinstance(made, list):
        if len(told) != len(made):
            yield place, False
            return
        for number, (one, other) in enumerate(zip(told, made, strict=True)):
            yield from _compared(one, other, f"{place}[{number}]", common_only=common_only)
    elif isinstance(told, float) or isinstance(made, float):
        numbers = isinstance(told, int | float) and isinstance(made, int | float)
        yield place, numbers and math.isclose(told, made, rel_tol=CLOSE, abs_tol=CLOSE)  # type: ignore[arg-type]
    else:
        yield place, told == made

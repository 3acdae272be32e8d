"""A whole workspace linted by several processes: each takes some of the skills, and the findings are the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from m4review.lint.context import TaskIndex
from m4review.lint.engine import SourceFile, lint_files
from m4review.lint.finding import LintReport

if TYPE_CHECKING:
    from m4review.tasks.figures import Figures

MOST_PROCESSES = 4
WORTH_SHARING = 200_000
"""Bytes from which a second process saves more than it costs."""


def processes_here() -> int:
    """How many processes may share the work: those of this machine, where one can be copied cheaply and safely."""
    if sys.platform == "darwin" or not hasattr(os, "fork"):
        return 1
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, MOST_PROCESSES)


def lint_shared(
    files: Sequence[SourceFile],
    tasks: TaskIndex,
    *,
    profile: str | None,
    figures: Sequence[Figures],
    processes: int,
) -> LintReport:
    """As :func:`lint_files`, by so many processes. Not for a process with threads: it is copied as it stands."""
    lint = partial(lint_files, tasks=tasks, profile=profile, figures=figures)
    shares = shares_of(files, processes)
    if len(shares) == 1 or sum(file.size for file in files) < WORTH_SHARING:
        return lint(files)
    from multiprocessing import get_context

    with get_context("fork").Pool(len(shares) - 1) as pool:
        others = pool.map_async(lint, shares[1:])
        reports = [lint(shares[0]), *others.get()]
    findings = [finding for report in reports for finding in report.findings]
    findings.sort(key=lambda item: (item.path, item.line, item.column, item.rule))
    return LintReport(tuple(findings), len(files), sum(report.bytes for report in reports))


def shares_of(files: Sequence[SourceFile], processes: int) -> list[list[SourceFile]]:
    """The files in at most so many shares of about the same size, each skill whole in one of them."""
    wholes: dict[tuple[str | None, str], list[SourceFile]] = {}
    for file in files:
        wholes.setdefault((file.skill, "" if file.skill is not None else file.path), []).append(file)
    shares: list[list[SourceFile]] = [[] for _ in range(processes)]
    sizes = [0] * processes
    for whole in sorted(wholes.values(), key=lambda whole: -sum(file.size for file in whole)):
        lightest = sizes.index(min(sizes))
        shares[lightest] += whole
        sizes[lightest] += sum(file.size for file in whole)
    return [share for share in shares if share]

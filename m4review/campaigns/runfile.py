"""Run-level result files: one row per run, read strictly, with nothing but aggregate metrics in them.

The layout is that of the published run files: a CSV with a header, of which ``task``, ``condition``, ``schema``,
``model``, ``trial`` and ``reward`` are required. Every other metric may be absent or empty, and is then ``None``.
"""

from __future__ import annotations

import ast
import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from m4review.errors import M4ReviewError, one_of
from m4review.workspace import Workspace

REQUIRED = ("task", "condition", "schema", "model", "trial", "reward")
NO_VALUE = frozenset({"", "null", "none", "nan", "na", "n/a"})
FIELD_LIMIT = 1 << 20
"""Characters of one cell; the dictionary of column rates is the longest."""

CONDITION_NAMES = {"with-skill-decoy": "decoy", "with-skill-rawsql": "raw-sql", "with-skill-all": "all-skills"}
"""Names of conditions in the published files, and ours."""


class RunFileError(M4ReviewError):
    """A file of runs that cannot be understood."""


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What the statistics know of a task: its family, its mode, its declared value columns and its strict threshold."""

    family: str
    mode: str
    value_columns: tuple[str, ...]
    accuracy: float
    """The match rate a column must reach to pass its strict check."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run. ``reward`` and the match rates lie in [0, 1]; ``elapsed`` is in seconds.

    ``passed``, ``failed`` and ``errors`` count the strict checks; ``errors`` above zero means that the run crashed.
    """

    id: str
    task: str
    condition: str
    schema: str
    model: str
    repeat: int
    reward: float | None
    rates: Mapping[str, float] = field(default_factory=dict)
    key_precision: float | None = None
    key_recall: float | None = None
    key_f1: float | None = None
    extra_keys: int | None = None
    ordered_nmae: float | None = None
    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    returncode: int | None = None
    elapsed: float | None = None

    @property
    def strict(self) -> bool | None:
        """Whether every strict check passed; ``None`` where the file does not say."""
        if self.failed is None or self.errors is None:
            return None
        return self.failed == 0 and self.errors == 0

    @property
    def crashed(self) -> bool:
        """Whether the run ended without anything that could be checked."""
        return bool(self.errors)


def task_facts(workspace: Workspace) -> dict[str, TaskFacts]:
    """What the statistics need of every task card of the workspace; broken cards are passed over."""
    cards = [entry.task for entry in workspace.tasks if entry.task is not None]
    return {
        card.name: TaskFacts(card.family, card.mode, card.output.scored_columns, card.thresholds.accuracy)
        for card in cards
    }


def read_run_file(path: Path, tasks: Mapping[str, TaskFacts]) -> list[Run]:
    """The runs of ``path``, in file order.

    Raises:
        RunFileError: the file is missing, is not of this layout, names an unknown task, repeats a run or holds a
            reward that is no number in [0, 1]; place, expectation and remedy are named.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise RunFileError("no such file of runs", where=path) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise RunFileError(f"the file of runs cannot be read: {reason}", where=path) from None
    csv.field_size_limit(FIELD_LIMIT)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = [name for name in REQUIRED if name not in (reader.fieldnames or ())]
    if missing:
        raise RunFileError(
            "columns are missing: " + ", ".join(missing),
            where=path,
            line=1,
            expected="a header with " + ", ".join(REQUIRED),
        )
    runs = []
    try:
        for row in reader:
            runs.append(_run(row, path, reader.line_num, tasks))
    except csv.Error as error:
        raise RunFileError(f"not valid CSV: {error}", where=path, line=reader.line_num) from None
    if not runs:
        raise RunFileError("there is no run in it", where=path, expected="one row per run below the header")
    _each_once(runs, path)
    return runs


def join_runs(*files: Iterable[Run]) -> list[Run]:
    """The runs of several files as one list.

    Raises:
        RunFileError: the same run is in two files.
    """
    runs = [run for file in files for run in file]
    _each_once(runs, None)
    return runs


def _each_once(runs: Iterable[Run], path: Path | None) -> None:
    ids: set[str] = set()
    cells: dict[tuple[str, str, str, str, int], str] = {}
    for run in runs:
        if run.id in ids:
            raise RunFileError(
                f"run {run.id} is there twice", where=path, fix="remove one of the two, or give the other its own id"
            )
        ids.add(run.id)
        cell = (run.task, run.condition, run.schema, run.model, run.repeat)
        if cell in cells:
            raise RunFileError(
                f"two runs are repeat {run.repeat} of {run.task}, {run.condition}, {run.schema}, {run.model}: "
                f"{cells[cell]} and {run.id}",
                where=path,
                expected="one run per task, condition, schema, model and repeat",
                fix="two campaigns in one file? split it, or number the repeats",
            )
        cells[cell] = run.id


def _run(row: Mapping[str, str | None], path: Path, line: int, tasks: Mapping[str, TaskFacts]) -> Run:
    def fail(what: str, **more: str) -> RunFileError:
        return RunFileError(what, where=path, line=line, **more)

    def text(name: str) -> str:
        return (row.get(name) or "").strip()

    def number(name: str) -> float | None:
        value = text(name)
        if value.lower() in NO_VALUE:
            return None
        try:
            result = float(value)
        except ValueError:
            raise fail(f"{name} is not a number", expected="a number, or nothing") from None
        if not math.isfinite(result):
            raise fail(f"{name} is not finite", expected="a number, or nothing")
        return result

    def count(name: str) -> int | None:
        value = number(name)
        if value is None:
            return None
        if value != int(value):
            raise fail(f"{name} is not a whole number")
        return int(value)

    if None in row:
        raise fail("there are more cells than columns", expected="as many cells as the header has names")
    for name in REQUIRED[:5]:
        if not text(name):
            raise fail(f"{name} is empty", expected="every run says its " + ", ".join(REQUIRED[:5]))
    task = text("task")
    if task not in tasks:
        raise fail(f"no task {task!r}", expected=one_of(task, tasks))
    repeat = count("trial")
    assert repeat is not None
    reward = number("reward")
    if reward is not None and not 0 <= reward <= 1:
        raise fail("reward is not between 0 and 1", expected="the mean match rate of the scored columns")
    condition = CONDITION_NAMES.get(text("condition"), text("condition"))
    cell = (task, condition, text("schema"), text("model"), str(repeat))
    return Run(
        id=text("run_id") or "/".join(cell),
        task=task,
        condition=condition,
        schema=text("schema"),
        model=text("model"),
        repeat=repeat,
        reward=reward,
        rates=_rates(text("match_rates"), fail),
        key_precision=number("key_precision"),
        key_recall=number("key_recall"),
        key_f1=number("key_f1"),
        extra_keys=count("extra_keys"),
        ordered_nmae=number("ordered_value_nmae"),
        passed=count("passed"),
        failed=count("failed"),
        errors=count("errors"),
        returncode=count("agent_returncode"),
        elapsed=number("elapsed_seconds"),
    )


class _Fail(Protocol):
    def __call__(self, what: str, **more: str) -> RunFileError: ...


def _rates(cell: str, fail: _Fail) -> dict[str, float]:
    """The column rates of a cell: a dictionary as Python or JSON writes it."""
    if not cell:
        return {}
    wrong = "match_rates is not a dictionary of column and rate"
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise fail(wrong) from None
    if not isinstance(value, dict):
        raise fail(wrong)
    rates = {}
    for name, rate in value.items():
        if not isinstance(name, str) or isinstance(rate, bool) or not isinstance(rate, int | float):
            raise fail(wrong)
        if not 0 <= rate <= 1:
            raise fail(f"the rate of {name} is not between 0 and 1")
        rates[name] = float(rate)
    return rates

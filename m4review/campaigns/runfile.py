"""Run-level result files: one row per run, read strictly and written again, with nothing but aggregate metrics.

The layout is that of the published run files: a CSV with a header, of which ``task``, ``condition``, ``schema``,
``model``, ``trial`` and ``reward`` are required. Every other metric may be absent or empty, and is then ``None``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from m4review.campaigns.cells import Cells, RunFileError
from m4review.campaigns.runs import Run as Run
from m4review.campaigns.runs import TaskFacts as TaskFacts
from m4review.campaigns.runs import task_facts as task_facts
from m4review.errors import one_of
from m4review.textfile import write_bytes

REQUIRED = ("task", "condition", "schema", "model", "trial", "reward")
FIELD_LIMIT = 1 << 20
"""Characters of one cell; the dictionary of column rates is the longest."""

CONDITION_NAMES = {"with-skill-decoy": "decoy", "with-skill-rawsql": "raw-sql", "with-skill-all": "all-skills"}
"""Names of conditions in the published files, and ours."""

COLUMNS = {
    "run_id": "id", "task": "task", "condition": "condition", "schema": "schema", "agent": "agent", "model": "model",
    "reasoning_effort": "effort", "trial": "repeat", "outcome": "outcome", "reward": "reward", "match_rates": "rates",
    "key_precision": "key_precision", "key_recall": "key_recall", "key_f1": "key_f1", "extra_keys": "extra_keys",
    "agent_unique_keys": "output_keys", "truth_rows": "reference_rows", "ordered_value_nmae": "ordered_nmae",
    "passed": "passed", "failed": "failed", "errors": "errors", "publishable": "publishable",
    "publishable_reason": "publishable_reason", "isolated": "isolated", "filesystem_canary": "canary",
    "contamination_lint": "lint", "audit_hold": "held", "legacy_condition": "relabelled",
    "agent_returncode": "returncode", "elapsed_seconds": "elapsed", "input_tokens": "input_tokens",
    "cached_tokens": "cached_tokens", "output_tokens": "output_tokens", "requests": "requests",
    "tool_calls": "tool_calls", "price_usd": "price_usd", "given_texts": "texts",
}  # fmt: skip
"""The columns that are written, in this order, each with the field of a run it holds."""


def read_run_file(path: Path, tasks: Mapping[str, TaskFacts]) -> list[Run]:
    """The runs of ``path``, in file order.

    Raises:
        RunFileError: the file is missing, is not of this layout, names an unknown task, repeats a run or holds a
            reward that is no number in [0, 1]; place, expectation and remedy are named.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise RunFileError("no such file of runs", where=path) from None
    except OSError as error:
        raise RunFileError(f"the file of runs cannot be read: {error.strerror}", where=path) from None
    return read_run_text(data, path, tasks)


def read_run_text(data: bytes, path: Path, tasks: Mapping[str, TaskFacts]) -> list[Run]:
    """The runs of a file's bytes; ``path`` is what messages call it.

    Raises:
        RunFileError: as :func:`read_run_file`.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RunFileError("the file of runs cannot be read: it is not UTF-8 text", where=path) from None
    csv.field_size_limit(FIELD_LIMIT)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    runs = []
    try:
        _require_header(reader.fieldnames or (), path)
        for row in reader:
            runs.append(_run(Cells(row, path, reader.line_num), tasks))
    except csv.Error as error:
        raise RunFileError(f"not valid CSV: {error}", where=path, line=reader.line_num) from None
    if not runs:
        raise RunFileError("there is no run in it", where=path, expected="one row per run below the header")
    require_each_once(runs, path)
    return runs


def write_run_file(path: Path, runs: Iterable[Run]) -> None:
    """Write ``runs`` in the published layout, as :func:`read_run_file` reads them; an existing file is replaced.

    Raises:
        TextFileError: the file cannot be written.
    """
    write_bytes(path, run_file_text(runs).encode())


def run_file_text(runs: Iterable[Run]) -> str:
    """``runs`` as CSV in the published layout."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for run in runs:
        writer.writerow([_cell(getattr(run, name)) for name in COLUMNS.values()])
    return out.getvalue()


def join_runs(files: Mapping[str, list[Run]]) -> list[Run]:
    """The runs of several files, by the file's name, as one list.

    Raises:
        RunFileError: two files hold the same run.
    """
    owner: dict[str, str] = {}
    for name, runs in files.items():
        shared = [run.id for run in runs if run.id in owner]
        if shared:
            raise RunFileError(
                f"{len(shared)} of its runs {'is' if len(shared) == 1 else 'are'} in {owner[shared[0]]} too, "
                f"the first is {shared[0]}",
                where=name,
                expected="each run in one file only",
                fix="give only one of the two files, or take the shared runs out of one",
            )
        owner.update((run.id, name) for run in runs)
    joined = [run for runs in files.values() for run in runs]
    require_each_once(joined, None)
    return joined


def require_each_once(runs: Iterable[Run], where: Path | None) -> None:
    """Check that no run and no place of the matrix is there twice.

    Raises:
        RunFileError: one is; both runs are named.
    """
    ids: set[str] = set()
    cells: dict[tuple[str, str, str, str, int], str] = {}
    for run in runs:
        if run.id in ids:
            raise RunFileError(
                f"run {run.id} is there twice", where=where, fix="remove one of the two, or give the other its own id"
            )
        ids.add(run.id)
        if run.cell in cells:
            raise RunFileError(
                f"two runs are repeat {run.repeat} of {run.task}, {run.condition}, {run.schema}, {run.model}: "
                f"{cells[run.cell]} and {run.id}",
                where=where,
                expected="one run per task, condition, schema, model and repeat",
                fix="two campaigns in one file? split it, or number the repeats",
            )
        cells[run.cell] = run.id


def _require_header(names: Iterable[str], path: Path) -> None:
    names = list(names)
    missing = [name for name in REQUIRED if name not in names]
    twice = sorted({name for name in names if names.count(name) > 1})
    if missing or twice:
        what = (
            f"columns are missing: {', '.join(missing)}" if missing else f"columns are there twice: {', '.join(twice)}"
        )
        raise RunFileError(what, where=path, line=1, expected="a header with " + ", ".join(REQUIRED) + ", each once")


def _run(cells: Cells, tasks: Mapping[str, TaskFacts]) -> Run:
    for name in REQUIRED[:5]:
        if not cells.text(name):
            raise cells.error(f"{name} is empty", expected="every run says its " + ", ".join(REQUIRED[:5]))
    task, repeat = cells.text("task"), cells.whole("trial")
    if task not in tasks:
        raise cells.error(f"no task {task!r}", expected=one_of(task, tasks))
    if repeat is None:
        raise cells.error("trial is not a number", expected="the number of the repeat")
    condition = CONDITION_NAMES.get(cells.text("condition"), cells.text("condition"))
    schema, model = cells.text("schema"), cells.text("model")
    return Run(
        id=cells.text("run_id") or f"{task}/{condition}/{schema}/{model}/{repeat}",
        task=task,
        condition=condition,
        schema=schema,
        model=model,
        repeat=repeat,
        reward=cells.share("reward"),
        rates=cells.rates("match_rates"),
        key_precision=cells.share("key_precision"),
        key_recall=cells.share("key_recall"),
        key_f1=cells.share("key_f1"),
        extra_keys=cells.count("extra_keys"),
        output_keys=cells.count("agent_unique_keys"),
        reference_rows=cells.count("truth_rows"),
        ordered_nmae=cells.amount("ordered_value_nmae"),
        passed=cells.count("passed"),
        failed=cells.count("failed"),
        errors=cells.count("errors"),
        returncode=cells.whole("agent_returncode"),
        elapsed=cells.amount("elapsed_seconds"),
        agent=cells.text("agent") or None,
        effort=cells.text("reasoning_effort") or None,
        outcome=cells.text("outcome") or None,
        publishable=cells.flag("publishable"),
        publishable_reason=cells.text("publishable_reason") or None,
        isolated=cells.flag("isolated"),
        canary=cells.flag("filesystem_canary"),
        lint=cells.flag("contamination_lint"),
        held=cells.flag("audit_hold"),
        relabelled=cells.text("legacy_condition") or None,
        input_tokens=cells.count("input_tokens"),
        cached_tokens=cells.count("cached_tokens"),
        output_tokens=cells.count("output_tokens"),
        requests=cells.count("requests"),
        tool_calls=cells.count("tool_calls"),
        price_usd=cells.amount("price_usd"),
        texts=tuple(cells.text("given_texts").split()),
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, Mapping):
        return repr(dict(value)) if value else ""
    return str(value)

"""``m4review trial rescore``: score what runs kept once more, old and new figures side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from m4review.cli.trialfind import find
from m4review.errors import TrialError
from m4review.trials import RunRecord, stop_on_signals
from m4review.trials.conditions import arm_label
from m4review.trials.rescoring import Rescored, rescore
from m4review.trials.scorer import ScoringCancelledError
from m4review.trials.standing import runs_of
from m4review.trials.table import number, signed
from m4review.workspace import Workspace

RESCORE_SCHEMA = "m4review.rescore.v1"


@click.command("rescore")
@click.argument("identifier", metavar="ID")
@click.option("--other-reference", is_flag=True, help="Score against the present reference even if it is another one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def rescore_command(context: click.Context, identifier: str, other_reference: bool, as_json: bool) -> None:
    """Score a run's output again, or every output of a trial, without running anything.

    The output and the reference are checked by their digests first. Records stay as they are.
    """
    workspace = Workspace.find()
    found = find(workspace, identifier)
    runs = [found] if isinstance(found, RunRecord) else runs_of(workspace, found)
    scored, skipped = [], []
    with stop_on_signals() as stop:
        try:
            for run in runs:
                if run.output_sha256 is None and len(runs) > 1:
                    skipped.append(run.id)
                else:
                    scored.append(rescore(workspace, run, other_reference=other_reference, cancel=stop.event))
        except ScoringCancelledError:
            context.exit(stop.exit_code)
    if not scored:
        raise TrialError("no run of the trial left an output", where=identifier)
    if as_json:
        entries = [{**entry.model_dump(mode="json"), "same_reference": entry.same_reference} for entry in scored]
        click.echo(json.dumps({"schema": RESCORE_SCHEMA, "runs": entries, "without_output": skipped}, indent=1))
    else:
        click.echo("\n".join(_lines(scored, skipped)))


def _lines(scored: Sequence[Rescored], skipped: Sequence[str]) -> Iterator[str]:
    yield f"{'run':<26}  {'old':>7}  {'new':>7}  {'Δ':>7}  condition, replicate"
    for entry in scored:
        old, new = (None if score is None else score.reward for score in (entry.old, entry.new))
        change = None if old is None or new is None else new - old
        label = arm_label(entry.condition, entry.left_out)
        yield f"{entry.run}  {number(old):>7}  {number(new):>7}  {signed(change):>7}  {label}, {entry.replicate}"
        yield from _changes(entry)
    same = sum(1 for entry in scored if not entry.differs)
    yield f"{same} of {len(scored)} outputs score exactly as before."
    for run in skipped:
        yield f"{run}  left no output"


def _changes(entry: Rescored) -> Iterator[str]:
    if entry.problem is not None:
        yield f"  not scored now: {entry.problem}"
    if not entry.same_reference:
        yield f"  ANOTHER REFERENCE: {entry.reference_then[:16]}… then, {entry.reference_now[:16]}… now"
    if entry.card_changed:
        yield "  the task card changed since the run"
    if entry.tool_then != entry.tool_now:
        yield f"  scored by m4review {entry.tool_then} then, {entry.tool_now} now"
    if entry.old is None or entry.new is None:
        return
    now = {column.name: column.rate for column in entry.new.columns}
    then = {column.name: column.rate for column in entry.old.columns}
    for name in dict.fromkeys((*then, *now)):
        if then.get(name) != now.get(name):
            yield f"  {name:<24} {number(then.get(name))} → {number(now.get(name))}"

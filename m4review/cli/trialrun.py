"""``m4review trial run``: tasks with and without their skills and under the controls, several at a time if wanted."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from m4review.cli.trialtext import Progress
from m4review.ehr.schemas import SCHEMA_NAMES
from m4review.errors import TrialError, one_of
from m4review.trials import (
    AVAILABLE,
    PAIR,
    TrialRequest,
    TrialSummary,
    load_trials,
    parse_condition,
    stop_on_signals,
    trial_table,
)
from m4review.trials.detached import run_noted, start_detached
from m4review.trials.logbook import Asked
from m4review.trials.recorded import trials_by_version
from m4review.workspace import Workspace

BATCH_SCHEMA, BEGUN_SCHEMA = "m4review.trial-batch.v1", "m4review.trial-begun.v1"
AUDIT_HOLD_EXIT = 3
NATIVE = "native"
EVERY_SECTION = ""
"""``--ablate`` without a title."""


@click.command()
@click.argument("task", required=False)
@click.option("--task", "tasks", multiple=True, metavar="TASK", help="A task; repeatable, for several in one order.")
@click.option("--family", "families", multiple=True, metavar="FAMILY", help="Every task of a family; repeatable.")
@click.option("--agent", default="reader", show_default=True, help="An agent, or an agent's own .toml file.")
@click.option("--model", help="The model, for agents that use one.")
@click.argument("more", nargs=-1, metavar="")
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    help=f"One of {', '.join(AVAILABLE)}; repeatable. Default: {' and '.join(PAIR)}.",
)
@click.option(
    "--ablate",
    "sections",
    multiple=True,
    is_flag=False,
    flag_value=EVERY_SECTION,
    metavar="[SECTION]...",
    help="Leave out one section of the skill at a time: each one named, or every one when none is.",
)
@click.option(
    "--parallel",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Runs under way at once, as far as memory and processors allow.",
)
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Runs per condition.")
@click.option("--dataset", help="Default: the workspace's own, or the only one that fits.")
@click.option(
    "--schema",
    "schema_name",
    type=click.Choice([NATIVE, *SCHEMA_NAMES]),
    default=NATIVE,
    show_default=True,
    help="The tables that the agent finds; a changed schema is made once with 'm4review data schema'.",
)
@click.option("--schema-seed", type=click.IntRange(1), help="Which obfuscated schema. Default: 1.")
@click.option("--map-skill", is_flag=True, help="Put the changed schema's names into the skills.")
@click.option("--sandbox", type=click.Choice(["docker", "local"]), default="docker", show_default=True)
@click.option("--timeout", "seconds", type=click.IntRange(1, 86_400), help="Seconds the agent may take.")
@click.option("--seed", type=int, help="Decides the order of the runs; drawn and recorded by default.")
@click.option(
    "--resume",
    "--reuse",
    "reuse",
    is_flag=True,
    help="Take finished runs with the very same inputs, so that what was interrupted goes on.",
)
@click.option("--detach", is_flag=True, help="Return at once; 'm4review trial attach' follows it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def run(
    context: click.Context,
    task: str | None,
    tasks: tuple[str, ...],
    families: tuple[str, ...],
    more: tuple[str, ...],
    sections: tuple[str, ...],
    agent: str,
    model: str | None,
    conditions: tuple[str, ...],
    parallel: int,
    repeats: int,
    dataset: str | None,
    schema_name: str,
    schema_seed: int | None,
    map_skill: bool,
    sandbox: str,
    seconds: int | None,
    seed: int | None,
    reuse: bool,
    detach: bool,
    as_json: bool,
) -> None:
    """Run TASK under each condition and score the outputs. The default way to say it is 'm4review trial TASK'.

    With several tasks their runs share one shuffled order, and each task has its own trial and table.

    Exit 0: every condition has a run that counts. 2: it could not be run. 3: the audit holds a run for a person.
    """
    workspace = Workspace.find()
    if more and not sections:
        raise TrialError(
            f"{more[0]!r} is one word too many: {task!r} is named already",
            expected="one TASK, or --task A --task B for several; a section to leave out comes after --ablate",
        )
    names = _tasks(workspace, ([task] if task else []) + list(tasks), families)
    wishes = {
        "agent": agent,
        "model": model,
        "conditions": tuple(parse_condition(name) for name in conditions) or PAIR,
        "ablate": _ablated(sections, more),
        "repeats": repeats,
        "dataset": dataset,
        "schema_name": schema_name,
        "schema_seed": _seed(schema_name, schema_seed),
        "map_skill": map_skill,
        "sandbox": sandbox,
        "seconds": seconds,
        "seed": seed,
        "reuse": reuse,
    }
    requests = [TrialRequest.model_validate({"task": name, **wishes}) for name in names]
    if detach:
        _say_begun(start_detached(workspace, requests, parallel=parallel), as_json)
        return
    with stop_on_signals() as stop, Progress(sys.stderr, stop.event) as progress:
        made = run_noted(workspace, requests, parallel=parallel, listener=progress.show, cancel=stop.event)
    summaries = trials_by_version(workspace, made)
    if not as_json:
        earlier = load_trials(workspace)
        click.echo("\n\n".join(trial_table(summary, earlier=earlier) for summary in summaries))
    elif len(summaries) == 1:
        click.echo(summaries[0].model_dump_json(by_alias=True, indent=1))
    else:
        entries = [summary.model_dump(mode="json", by_alias=True) for summary in summaries]
        click.echo(json.dumps({"schema": BATCH_SCHEMA, "trials": entries}, ensure_ascii=False, indent=1))
    context.exit(stop.exit_code if any(one.cancelled for one in summaries) else exit_code_of(summaries))


def _say_begun(asked: Asked, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"schema": BEGUN_SCHEMA, "id": asked.id, "tasks": list(asked.tasks)}, indent=1))
    else:
        click.echo(f"{asked.id}: begun; 'm4review trial attach {asked.id}' follows it, 'trial stop {asked.id}' ends it")


def _tasks(workspace: Workspace, names: Sequence[str], families: Sequence[str]) -> list[str]:
    """The tasks asked for, each once, in the order in which they were named."""
    found = list(names)
    known = workspace.families()
    for family in families:
        if family not in known:
            raise TrialError(f"no family {family!r}", expected=one_of(family, known))
        found += [entry.name for entry in known[family]]
    if not found:
        raise TrialError("no task was named", expected="TASK, --task TASK or --family FAMILY")
    return list(dict.fromkeys(found))


def _seed(schema_name: str, wanted: int | None) -> int:
    if wanted is not None and schema_name != "obfuscated":
        raise TrialError(
            f"nothing of the {schema_name} schema is drawn from a seed",
            expected="--schema-seed with --schema obfuscated",
        )
    return wanted or 1


def _ablated(sections: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...] | None:
    """The sections named after ``--ablate``, none for all; ``None`` without the option."""
    if not sections:
        return None
    return tuple(name for name in (*sections, *more) if name != EVERY_SECTION)


def exit_code_of(summaries: Sequence[TrialSummary]) -> int:
    """3 when the audit holds a run for a person, 2 when a condition has no run that counts, else 0."""
    if any(summary.held for summary in summaries):
        return AUDIT_HOLD_EXIT
    return 0 if all(summary.complete for summary in summaries) else 2

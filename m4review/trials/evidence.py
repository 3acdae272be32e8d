"""A trial as evidence in a review: its aggregate result, bound to the exact skill and task card that it tried."""

from __future__ import annotations

from m4review.errors import LedgerError
from m4review.reviews.evidence import Measured
from m4review.trials.conditions import Condition
from m4review.trials.records import load_run
from m4review.trials.standing import load_trials
from m4review.workspace import Workspace


def measured(workspace: Workspace, skill: str, trial_id: str) -> Measured:
    """What the trial measured of ``skill``.

    Raises:
        LedgerError: there is no such trial, it did not give the skill to an agent, or no run of it counts.
    """
    trials = {trial.id: trial for trial in load_trials(workspace)}
    if trial_id not in trials:
        raise LedgerError(f"no trial {trial_id!r}", expected="the id of a trial, as 'm4review trial list' prints it")
    trial = trials[trial_id]
    own = trial.result(Condition.WITH_SKILL)
    used = [] if own is None else [one.digest for one in own.skills if one.name == skill and one.place == "skill"]
    if not used or trial.cancelled:
        what = "the trial was cancelled" if trial.cancelled else f"the trial did not give {skill} to an agent"
        raise LedgerError(what, where=trial_id)
    results = [result for result in trial.conditions if result.reward is not None and result.left_out is None]
    if own is None or own.reward is None or trial.held:
        raise LedgerError("no run with the skill counts, or one waits for a decision", where=trial_id)
    return Measured(
        trial=trial.id,
        task=trial.task,
        task_digest=_task_digest(workspace, trial.id, trial.order),
        content=used[0],
        agent=trial.agent,
        model=trial.model,
        dataset=trial.dataset,
        isolated=trial.isolated,
        n=min(result.counted for result in results),
        rewards={result.label: result.reward for result in results if result.reward is not None},
        columns={result.label: dict(result.columns) for result in results},
    )


def _task_digest(workspace: Workspace, trial_id: str, runs: tuple[str, ...]) -> str:
    digests = {load_run(workspace, run).inputs.task_digest for run in runs}
    if len(digests) != 1:
        raise LedgerError("the runs of the trial saw different task cards", where=trial_id)
    return digests.pop()

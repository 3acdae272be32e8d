"""Trials as they stand: summaries as they were written, with what people decided and recorded since."""

from __future__ import annotations

from m4review.errors import M4ReviewError
from m4review.trials.ablation import section_effects
from m4review.trials.conditions import PAIR, Arm
from m4review.trials.recorded import runs_by_version, trials_by_version
from m4review.trials.records import OnError, Outcome, RunRecord, load_run, read_record, read_records
from m4review.trials.summary import (
    TrialSummary,
    arm_result,
    column_deltas,
    make_pairs,
    mean_delta,
    recorded_decisions,
    trials_folder,
    unscored_runs,
)
from m4review.workspace import Workspace


def load_trials(workspace: Workspace, on_error: OnError = lambda error: None) -> list[TrialSummary]:
    """Every trial of the workspace, newest first, with decisions applied and texts by their present versions.

    A summary that cannot be understood is given to ``on_error`` and hides no other. One whose run records or decisions
    cannot be read is given to ``on_error`` too and stays as it was written.
    """
    paths = sorted(trials_folder(workspace).glob("*.json"), reverse=True)
    trials = []
    for summary in read_records(paths, TrialSummary, on_error):
        try:
            trials.append(with_decisions(workspace, summary))
        except M4ReviewError as error:
            on_error(error)
            trials.append(summary)
    return trials_by_version(workspace, trials)


def load_trial(workspace: Workspace, trial: str) -> TrialSummary:
    """One trial by its id, with decisions applied and texts by their present versions.

    Raises:
        TrialError: there is none, or it, one of its run records or a decision cannot be understood.
    """
    summary = with_decisions(workspace, read_record(trials_folder(workspace) / f"{trial}.json", TrialSummary))
    return trials_by_version(workspace, [summary])[0]


def with_decisions(workspace: Workspace, summary: TrialSummary) -> TrialSummary:
    """The summary, its figures computed again from the run records when a person decided about one of them.

    Raises:
        TrialError: a run record is gone or cannot be understood, or decisions were changed.
    """
    if not any(run.outcome is Outcome.AUDIT_HOLD for run in summary.unscored):
        return summary
    records = runs_of(workspace, summary)
    if all(record.decision is None for record in records):
        return summary
    results = tuple(arm_result(result.arm, records) for result in summary.conditions)
    paired = {Arm(end) for end in PAIR} <= {result.arm for result in results}
    pairs = make_pairs(records, summary.repeats) if paired else ()
    return summary.model_copy(
        update={
            "conditions": results,
            "pairs": pairs,
            "delta": mean_delta(pairs),
            "column_deltas": column_deltas(results),
            "unscored": unscored_runs(records),
            "decisions": recorded_decisions(records),
            "ablation": section_effects(results) if summary.ablation else (),
        }
    )


def runs_of(workspace: Workspace, summary: TrialSummary) -> list[RunRecord]:
    """The runs of a trial in its order, each as the replicate it stands for, with texts by their present versions.

    Raises:
        TrialError: a run record is gone or cannot be understood, or decisions about it were changed.
    """
    records = [load_run(workspace, run_id) for run_id in summary.order]
    stands_for = summary.replicates or tuple(record.replicate for record in records)
    return runs_by_version(
        workspace,
        [
            record.model_copy(update={"replicate": replicate})
            for record, replicate in zip(records, stands_for, strict=True)
        ],
    )

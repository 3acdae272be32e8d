"""Runs of our own campaigns as the statistics see them: a record's metrics, and nothing a patient's row could be in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import timedelta

from m4review.campaigns.matrix import Block, Cell
from m4review.campaigns.runs import Run
from m4review.trials.canary.proofs import FRESH
from m4review.trials.canary.report import CanaryReport
from m4review.trials.conditions import Arm, Condition
from m4review.trials.records import Outcome, RunRecord

CampaignRecord = tuple[Block, Arm, RunRecord]


def runs_of(records: Iterable[CampaignRecord], *, proofs: Iterable[CanaryReport] = ()) -> list[Run]:
    """The runs of a campaign's records, in their order. ``proofs`` are the canary's reports of this machine."""
    records, proofs = list(records), list(proofs)
    cells = dict.fromkeys(block.cell for block, _, _ in records)
    models, schemas = model_labels(cells), schema_labels(cells)
    return [
        run_of(
            record,
            schema=schemas[block.cell],
            repeat=block.replicate,
            model=models[block.cell],
            canary=proof_of(record, proofs),
        )
        for block, _, record in records
    ]


def proof_of(record: RunRecord, proofs: Iterable[CanaryReport]) -> bool | None:
    """Whether the canary held in the day before the run, on its image and version; ``None`` where none was run."""
    if not record.isolated:
        return None
    before = [
        report
        for report in proofs
        if report.proved.image == record.inputs.image
        and report.proved.tool_version == record.inputs.tool_version
        and timedelta() <= record.started - report.finished <= FRESH
    ]
    return max(before, key=lambda report: report.finished).passed if before else None


def model_labels(cells: Iterable[Cell]) -> Mapping[Cell, str]:
    """What tables call the model of each cell: its name, or the plan's label where several share it or it has none."""
    labels: dict[str | None, set[str]] = defaultdict(set)
    cells = list(cells)
    for cell in cells:
        labels[cell.model].add(cell.agent)
    return {cell: cell.model if cell.model and len(labels[cell.model]) == 1 else cell.agent for cell in cells}


def schema_labels(cells: Iterable[Cell]) -> Mapping[Cell, str]:
    """What tables call the schema of each cell: its name, ``mapped`` skills and several seeds told apart."""
    seeds: dict[str, set[int]] = defaultdict(set)
    cells = list(cells)
    for cell in cells:
        seeds[cell.schema_name].add(cell.schema_seed)

    def label(cell: Cell) -> str:
        seed = f"-seed{cell.schema_seed}" if len(seeds[cell.schema_name]) > 1 else ""
        return cell.schema_name + seed + ("-mapped" if cell.map_skill else "")

    return {cell: label(cell) for cell in cells}


def run_of(record: RunRecord, *, schema: str, repeat: int, model: str, canary: bool | None) -> Run:
    """One run. A run that ended without a score has one error among its strict checks and no rates.

    What an agent is given passes the lint before there can be a run; the reference query of ``raw-sql`` is exempt.
    """
    score, trace = record.score, record.trace
    scored = score if record.outcome is Outcome.SCORED else None
    failed = sum(not check.passed for check in scored.checks) if scored else 0
    unpublishable = why_unpublishable(record)
    return Run(
        id=record.id,
        task=record.inputs.task,
        condition=record.inputs.arm.label,
        schema=schema,
        model=model,
        repeat=repeat,
        reward=record.reward,
        rates={column.name: column.rate for column in scored.columns} if scored else {},
        key_precision=scored.keys.precision if scored else None,
        key_recall=scored.keys.recall if scored else None,
        key_f1=scored.keys.f1 if scored else None,
        extra_keys=scored.keys.extra if scored else None,
        output_keys=scored.keys.matched + scored.keys.extra if scored else None,
        reference_rows=scored.keys.reference_rows if scored else None,
        ordered_nmae=scored.ordered_nmae if scored else None,
        passed=len(scored.checks) - failed if scored else 0 if record.outcome.counts else None,
        failed=failed if record.outcome.counts else None,
        errors=None if not record.outcome.counts else 0 if scored else 1,
        returncode=record.exit_code,
        elapsed=round(record.seconds.get("agent", (record.finished - record.started).total_seconds()), 3),
        agent=record.inputs.agent,
        effort=record.inputs.effort,
        outcome=record.outcome.value,
        publishable=not unpublishable,
        publishable_reason=unpublishable or None,
        isolated=record.isolated,
        canary=canary,
        lint=None if record.inputs.condition is Condition.RAW_SQL else True,
        held=record.outcome is Outcome.AUDIT_HOLD,
        input_tokens=trace.input_tokens if trace else None,
        cached_tokens=trace.cached_tokens if trace else None,
        output_tokens=trace.output_tokens if trace else None,
        requests=record.egress.get("model", 0) if record.egress else None,
        tool_calls=trace.events.get("tool_call", 0) if trace and trace.readable else None,
        price_usd=record.price_usd,
        texts=tuple(skill.digest for skill in record.inputs.skills),
    )


def why_unpublishable(record: RunRecord) -> str:
    """Why a run may not stand behind a published figure; empty when it may."""
    if not record.outcome.counts:
        return f"does not count: {record.outcome.value}"
    if not record.isolated:
        return "ran without isolation"
    return "" if record.audit is not None else "was not audited"

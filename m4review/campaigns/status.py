"""How far a campaign is, from its files alone, so that a closed laptop or another terminal changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from m4review.campaigns.folder import BlockRecord, CampaignFolder
from m4review.errors import M4ReviewError
from m4review.trials.records import RUN_FILE, Outcome, RunRecord, read_run

STATUS_SCHEMA: Literal["m4review.campaign-status.v1"] = "m4review.campaign-status.v1"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ConditionStatus(_Part):
    """One condition on one schema by one agent. ``reward`` is the mean over the runs that count so far."""

    schema_name: str
    agent: str
    condition: str
    wanted: int
    done: int
    counted: int
    reward: float | None


class AtWork(_Part):
    """A block under way, and the program that works on it."""

    block: str
    host: str
    pid: int


class CampaignStatus(_Part):
    """A campaign as it stands."""

    schema_id: Literal["m4review.campaign-status.v1"] = Field(default=STATUS_SCHEMA, alias="schema")
    name: str
    title: str
    manifest: str
    sandbox: str
    isolated: bool
    blocks: int
    done: int
    runs: int
    counting: int
    """Runs that block files name."""
    outcomes: dict[str, int]
    """Of the runs that block files name."""
    waiting: tuple[str, ...]
    """Runs that the audit holds and nobody has decided about."""
    infra_errors: int
    """Runs that failed through no fault of the agent; none of them counts."""
    stray: int
    """Finished runs that no block names: of blocks that were stopped."""
    under_way: tuple[AtWork, ...]
    workers: dict[str, int]
    """Blocks done, by machine."""
    seconds: float
    """Time that the counting runs took together, on the steady clock."""
    conditions: tuple[ConditionStatus, ...]
    problems: tuple[str, ...] = ()
    """Records that cannot be read."""

    @property
    def complete(self) -> bool:
        """Whether every block is done."""
        return self.done == self.blocks


def status_of(folder: CampaignFolder) -> CampaignStatus:
    """The status of a campaign.

    Raises:
        CampaignError: a block file belongs to another campaign.
    """
    done = folder.done()
    problems: list[str] = []
    counting = _read(folder, [run for record in done.values() for run in record.runs.values()], problems)
    others = {path.parent.name for path in folder.runs_dir.glob(f"*/{RUN_FILE}")} - counting.keys()
    rest = _read(folder, sorted(others), problems)
    failed = sum(1 for record in rest.values() if record.outcome is Outcome.INFRA_ERROR)
    manifest = folder.manifest
    return CampaignStatus(
        name=folder.name,
        title=manifest.title,
        manifest=manifest.digest,
        sandbox=manifest.sandbox,
        isolated=manifest.sandbox == "docker",
        blocks=len(manifest.blocks),
        done=len(done),
        runs=manifest.runs(),
        counting=len(counting),
        outcomes=dict(sorted(Counter(record.outcome.value for record in counting.values()).items())),
        waiting=tuple(record.id for record in counting.values() if record.waits),
        infra_errors=failed,
        stray=len(rest) - failed,
        under_way=tuple(
            AtWork(block=block, host=owner.host, pid=owner.pid)
            for block, owner in folder.under_way().items()
            if block not in done
        ),
        workers=dict(sorted(Counter(record.worker for record in done.values()).items())),
        seconds=round(sum(sum(record.seconds.values()) for record in counting.values()), 1),
        conditions=_conditions(folder, done, counting),
        problems=tuple(problems),
    )


def _conditions(
    folder: CampaignFolder, done: dict[str, BlockRecord], counting: dict[str, RunRecord]
) -> tuple[ConditionStatus, ...]:
    wanted: Counter[tuple[str, str, str]] = Counter()
    runs: dict[tuple[str, str, str], list[RunRecord]] = {}
    for block in folder.manifest.blocks:
        for condition in block.conditions:
            schema = block.cell.schema_name + (" mapped" if block.cell.map_skill else "")
            key = (schema, block.cell.agent, condition.value)
            wanted[key] += 1
            there = runs.setdefault(key, [])
            if block.id in done and done[block.id].runs[condition] in counting:
                there.append(counting[done[block.id].runs[condition]])
    return tuple(
        ConditionStatus(
            schema_name=schema,
            agent=agent,
            condition=condition,
            wanted=count,
            done=len(runs[schema, agent, condition]),
            counted=sum(1 for record in runs[schema, agent, condition] if record.reward is not None),
            reward=_mean([record.reward for record in runs[schema, agent, condition] if record.reward is not None]),
        )
        for (schema, agent, condition), count in sorted(wanted.items())
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _read(folder: CampaignFolder, run_ids: Sequence[str], problems: list[str]) -> dict[str, RunRecord]:
    records = {}
    for run_id in run_ids:
        try:
            records[run_id] = read_run(folder.run_folder(run_id))
        except M4ReviewError as error:
            problems.append(str(error))
    return records

"""The parts of an evidence bundle: where each lies, and the two small files that say what the bundle is of."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from m4review.campaigns.runs import TaskFacts
from m4review.trials.conditions import Condition

BUNDLE_SCHEMA: Literal["m4review.campaign-bundle.v1"] = "m4review.campaign-bundle.v1"
BLOCKS_SCHEMA: Literal["m4review.campaign-blocks.v1"] = "m4review.campaign-blocks.v1"
TASKS_SCHEMA: Literal["m4review.campaign-tasks.v1"] = "m4review.campaign-tasks.v1"

CARD, README, LICENCES, SUMS, CROISSANT = "bundle.json", "README.md", "LICENCES.md", "SHA256SUMS", "croissant.json"
PLAN, MANIFEST = "campaign/plan.toml", "campaign/manifest.json"
BLOCKS, TASKS = "campaign/blocks.json", "campaign/tasks.json"
RUNS, LINEAGE, ANALYSIS = "results/runs.csv", "lineage/lineage.json", "reports/analysis.json"
REPORTS = {"md": "reports/report.md", "tex": "reports/report.tex", "html": "reports/report.html"}
FIGURES = "reports/figures"


def record_file(run_id: str) -> str:
    """Where the published record of a run lies."""
    return f"records/{run_id}.json"


def trace_file(run_id: str) -> str:
    """Where the published trace of a run lies."""
    return f"traces/{run_id}.jsonl"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class BundleCard(_Part):
    """What a bundle is of, and what it lacks."""

    schema_id: Literal["m4review.campaign-bundle.v1"] = Field(default=BUNDLE_SCHEMA, alias="schema")
    campaign: str
    title: str
    tool_version: str
    """Of the program that made the bundle; the runs name theirs."""
    wording: str
    """Digest of the part of the program that words reports."""
    manifest: str
    """Digest of the frozen campaign."""
    plan: str
    """Digest of the plan."""
    runs: int
    blocks: int
    """How many the plan has."""
    missing: tuple[str, ...] = ()
    """Blocks that are not done."""
    held: tuple[str, ...] = ()
    """Runs that wait for a person's decision; they enter no mean."""
    withheld: tuple[str, ...] = ()
    """Fields of the manifest and the records that are not published."""
    seed: int
    """Of every bootstrap and Monte-Carlo draw of the analysis."""
    draws: int

    @property
    def partial(self) -> bool:
        """Whether something of the campaign is still to come."""
        return bool(self.missing or self.held)


class BlockEntry(_Part):
    """A block that is done: its runs by condition, and how many failed before through no fault of the agent."""

    id: str
    runs: dict[Condition, str]
    infra_errors: int = 0


class BlockList(_Part):
    """The blocks that are done, in plan order."""

    schema_id: Literal["m4review.campaign-blocks.v1"] = Field(default=BLOCKS_SCHEMA, alias="schema")
    manifest: str
    blocks: tuple[BlockEntry, ...]


class TaskEntry(_Part):
    """What the statistics know of a task."""

    family: str
    mode: str
    value_columns: tuple[str, ...]
    accuracy: float
    coverage: float
    digest: str
    """Of the task card that the runs were scored by."""

    @property
    def facts(self) -> TaskFacts:
        """The same as the statistics take it."""
        return TaskFacts(self.family, self.mode, self.value_columns, self.accuracy, self.coverage)


class TaskList(_Part):
    """The tasks of the campaign, by name."""

    schema_id: Literal["m4review.campaign-tasks.v1"] = Field(default=TASKS_SCHEMA, alias="schema")
    tasks: dict[str, TaskEntry]

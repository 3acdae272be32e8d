"""The manifest of a campaign: everything that decides a result, by digest, fixed before the first run.

Per cell and condition it holds the very inputs that a run records, so that one comparison covers the task card, the
skills, the data, the reference, the agent, its image and its limits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from m4review.campaigns.matrix import Block, Cell
from m4review.errors import CampaignError
from m4review.trials.conditions import Condition
from m4review.trials.records import Inputs

MANIFEST_SCHEMA: Literal["m4review.campaign-manifest.v1"] = "m4review.campaign-manifest.v1"
MEANINGS = {
    "task_digest": "the task card",
    "skills": "what the condition gives",
    "agent_version": "the agent's version",
    "agent_source": "the agent's file or the recipe of its image",
    "image": "the agent's image",
    "server": "the address of the model's server",
    "limits": "the limits of a run",
    "dataset": "the dataset's name",
    "dataset_digest": "the dataset",
    "database_digest": "the task's database",
    "schema_digest": "the changed schema",
    "reference_digest": "the reference",
    "reference_lineage": "whose definitions the reference follows",
    "tool_version": "the version of m4review",
    "duckdb_version": "the version of DuckDB",
}
"""Fields of a run's inputs, as a person says them."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class FrozenCell(_Part):
    """A cell with the inputs of a run under each of its conditions."""

    cell: Cell
    inputs: tuple[Inputs, ...]

    @cached_property
    def by_condition(self) -> dict[Condition, Inputs]:
        """The inputs by condition."""
        return {one.condition: one for one in self.inputs}


class CampaignManifest(_Part):
    """A frozen campaign."""

    schema_id: Literal["m4review.campaign-manifest.v1"] = Field(default=MANIFEST_SCHEMA, alias="schema")
    name: str
    title: str
    plan_digest: str
    """SHA-256 of the plan's bytes."""
    seed: int
    sandbox: Literal["docker", "local"]
    tool_version: str
    duckdb_version: str
    datasets: dict[str, str]
    """Layout → dataset."""
    frozen: datetime
    cells: tuple[FrozenCell, ...]
    blocks: tuple[Block, ...]
    """In the order in which they are run."""
    digest: str = ""
    """SHA-256 over all of the above; every block that is done names it."""

    @cached_property
    def frozen_cells(self) -> dict[Cell, FrozenCell]:
        """The cells by what they are."""
        return {one.cell: one for one in self.cells}

    def sealed(self) -> CampaignManifest:
        """The manifest with its digest."""
        return self.model_copy(update={"digest": manifest_digest(self.model_dump(mode="json", by_alias=True))})

    def runs(self) -> int:
        """How many runs it is."""
        return sum(len(block.conditions) for block in self.blocks)


def manifest_digest(values: Mapping[str, object]) -> str:
    """What the digest of a manifest must be, from its values as they stand in the file.

    The file's own values and not a model's, so that a later version that knows more fields finds the same digest.
    """
    sealed = {key: value for key, value in values.items() if key != "digest"}
    return "sha256:" + hashlib.sha256(json.dumps(sealed, sort_keys=True).encode()).hexdigest()


def drift(frozen: Mapping[Condition, Inputs], now: Iterable[Inputs]) -> list[str]:
    """What is no longer as it was frozen, as a person says it; version numbers of skills are names and do not count."""
    found: dict[str, None] = {}
    for inputs in now:
        before = frozen.get(inputs.condition)
        if before is None:
            found[f"the condition {inputs.condition.value} was not frozen"] = None
        elif before.resume_key != inputs.resume_key:
            for field in _differing(before, inputs):
                meaning = MEANINGS.get(field, field)
                found[f"{inputs.condition.value}: {meaning}" if field == "skills" else meaning] = None
    return list(found)


def require_same(cell: Cell, frozen: FrozenCell, now: Iterable[Inputs], *, where: str) -> None:
    """Check that a run made now would be a run of the frozen campaign.

    Raises:
        CampaignError: something is not as it was frozen.
    """
    changed = drift(frozen.by_condition, now)
    if changed:
        raise CampaignError(
            f"{cell.label}: no longer as frozen: {'; '.join(changed)}",
            where=where,
            expected="what the manifest names, by digest",
            fix="undo the change, or freeze the plan once more under another name",
        )


def _differing(before: Inputs, after: Inputs) -> list[str]:
    old, new = (_comparable(inputs) for inputs in (before, after))
    return [field for field in old if old[field] != new[field]]


def _comparable(inputs: Inputs) -> dict[str, object]:
    values: dict[str, object] = inputs.model_dump(mode="json")
    values["skills"] = [skill.model_dump(exclude={"version"}) for skill in inputs.skills]
    return values

"""One run as the statistics see it: aggregate metrics only, whatever file or record it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from m4review.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What the statistics know of a task: family, mode, declared value columns and strict thresholds."""

    family: str
    mode: str
    value_columns: tuple[str, ...]
    accuracy: float
    """The match rate a column must reach to pass its strict check."""
    coverage: float = 1.0
    """The share of reference keys an output must give to pass its strict check."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run. ``reward``, the match rates and the key figures lie in [0, 1]. ``None``: not known.

    ``passed``, ``failed`` and ``errors`` count the strict checks; ``errors`` above zero means that the run crashed.
    """

    id: str
    task: str
    condition: str
    schema: str
    model: str
    repeat: int
    reward: float | None
    """What enters a mean; ``None`` for a run that does not count, which is never a 0."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """Match rate per scored column."""
    key_precision: float | None = None
    key_recall: float | None = None
    key_f1: float | None = None
    extra_keys: int | None = None
    output_keys: int | None = None
    """Distinct keys of the output."""
    reference_rows: int | None = None
    ordered_nmae: float | None = None
    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    returncode: int | None = None
    elapsed: float | None = None
    """Seconds."""
    agent: str | None = None
    effort: str | None = None
    outcome: str | None = None
    """How the run ended, in the words of a run record."""
    publishable: bool | None = None
    publishable_reason: str | None = None
    isolated: bool | None = None
    canary: bool | None = None
    """Whether a proof of the sandbox stood behind the run."""
    lint: bool | None = None
    """Whether what the agent was given passed the lint."""
    held: bool | None = None
    """Whether the audit holds the run and nobody has released it."""
    relabelled: str | None = None
    """The condition's former name, where the run was given another one later."""
    input_tokens: int | None = None
    """Cached ones included."""
    cached_tokens: int | None = None
    output_tokens: int | None = None
    requests: int | None = None
    """Requests to the model's server."""
    tool_calls: int | None = None
    price_usd: float | None = None
    texts: tuple[str, ...] = ()
    """Digests of the skills or control texts that the agent was given."""

    @property
    def cell(self) -> tuple[str, str, str, str, int]:
        """The place in the matrix that only one run may have."""
        return self.task, self.condition, self.schema, self.model, self.repeat

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
        card.name: TaskFacts(
            card.family, card.mode, card.output.scored_columns, card.thresholds.accuracy, card.thresholds.row_coverage
        )
        for card in cards
    }

"""Two trials beside each other: rewards, columns, and which of the inputs that decide a result are not the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, Field

from m4review.trials.records import Inputs, RunRecord
from m4review.trials.standing import runs_of
from m4review.trials.summary import ConditionResult, TrialSummary
from m4review.workspace import Workspace

SCHEMA = "m4review.trial-difference.v1"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class FigureDifference(_Part):
    """A figure in both trials; ``None`` where a trial does not have it."""

    name: str
    first: float | None
    second: float | None

    @property
    def change(self) -> float | None:
        """Second minus first."""
        return None if self.first is None or self.second is None else self.second - self.first


class ArmDifference(_Part):
    """One condition in both trials."""

    label: str
    reward: FigureDifference
    columns: tuple[FigureDifference, ...]
    key_f1: FigureDifference
    counted: tuple[int, int]
    """Runs that count in each trial."""


class InputDifference(_Part):
    """An input of a condition's runs that is not the same. ``None`` where the trial did not run the condition."""

    label: str
    name: str
    first: str | None
    second: str | None


class TrialDifference(_Part):
    """What is not the same in two trials."""

    schema_id: str = Field(default=SCHEMA, alias="schema")
    first: str
    second: str
    delta: FigureDifference
    """With-skill minus no-skill."""
    arms: tuple[ArmDifference, ...]
    inputs: tuple[InputDifference, ...]


def trial_difference(workspace: Workspace, first: TrialSummary, second: TrialSummary) -> TrialDifference:
    """What is not the same in the second trial as in the first, condition by condition.

    Raises:
        TrialError: a run record is gone or cannot be understood.
    """
    labels = list(dict.fromkeys(result.label for trial in (first, second) for result in trial.conditions))
    before, after = ({result.label: result for result in trial.conditions} for trial in (first, second))
    records = [runs_of(workspace, trial) for trial in (first, second)]
    return TrialDifference(
        first=first.id,
        second=second.id,
        delta=FigureDifference(name="Δ", first=first.delta, second=second.delta),
        arms=tuple(_arm(label, before.get(label), after.get(label)) for label in labels),
        inputs=tuple(_shared([entry for label in labels for entry in _inputs(label, *records)], labels)),
    )


def _arm(label: str, before: ConditionResult | None, after: ConditionResult | None) -> ArmDifference:
    both = [result for result in (before, after) if result is not None]
    names = list(dict.fromkeys(name for result in both for name in result.columns))
    return ArmDifference(
        label=label,
        reward=FigureDifference(
            name="reward",
            first=None if before is None else before.reward,
            second=None if after is None else after.reward,
        ),
        columns=tuple(
            FigureDifference(name=name, first=_column(before, name), second=_column(after, name)) for name in names
        ),
        key_f1=FigureDifference(
            name="key F1",
            first=None if before is None else before.key_f1,
            second=None if after is None else after.key_f1,
        ),
        counted=(0 if before is None else before.counted, 0 if after is None else after.counted),
    )


def _column(result: ConditionResult | None, name: str) -> float | None:
    return result.columns.get(name) if result is not None and result.counted else None


def _inputs(label: str, first: Sequence[RunRecord], second: Sequence[RunRecord]) -> Iterator[InputDifference]:
    before, after = (
        next((record.inputs for record in records if record.inputs.arm.label == label), None)
        for records in (first, second)
    )
    if before is None and after is None:
        return
    if before is None or after is None:
        yield InputDifference(label=label, name="condition", first=_was_run(before), second=_was_run(after))
        return
    for name in Inputs.model_fields:
        old, new = _said(before, name), _said(after, name)
        if old != new:
            yield InputDifference(label=label, name=name, first=old, second=new)


def _was_run(inputs: Inputs | None) -> str:
    return "not run" if inputs is None else "run"


def _said(inputs: Inputs, name: str) -> str:
    value = getattr(inputs, name)
    if name == "skills":
        named = (
            f"{used.name} {f'version {used.version}' if used.version else 'unrecorded'} {used.digest}" for used in value
        )
        return "; ".join(named) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry:g}" for key, entry in sorted(value.items()))
    return "none" if value is None else str(value)


def _shared(found: Sequence[InputDifference], labels: Sequence[str]) -> Iterator[InputDifference]:
    """What differs in the same way under every condition is said once, for ``every condition``."""
    by_words: dict[tuple[str, str | None, str | None], list[str]] = {}
    for entry in found:
        by_words.setdefault((entry.name, entry.first, entry.second), []).append(entry.label)
    for (name, first, second), where in by_words.items():
        everywhere = len(labels) > 1 and len(where) == len(labels)
        for label in ["every condition"] if everywhere else where:
            yield InputDifference(label=label, name=name, first=first, second=second)

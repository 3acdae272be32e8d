"""What is compared: keys, scored columns, tolerances and thresholds of one task."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from m4review.tasks import Task


class ScoringSpec(BaseModel):
    """The scoring contract of a task, without the rest of its card."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key_columns: tuple[str, ...] = Field(min_length=1)
    scored_columns: tuple[str, ...] = Field(min_length=1)
    required_columns: tuple[str, ...] = ()
    """Columns that the strict check looks for; keys and scored columns are always among them."""
    number_tolerances: dict[str, float] = {}
    """Largest accepted difference of a number, in the column's unit; 0 where nothing is said."""
    second_tolerances: dict[str, float] = {}
    """Largest accepted difference of a timestamp, in seconds; 0 where nothing is said."""
    accuracy_threshold: float = Field(default=1.0, ge=0, le=1)
    row_coverage_threshold: float = Field(default=1.0, ge=0, le=1)

    @model_validator(mode="after")
    def _columns_are_distinct(self) -> ScoringSpec:
        names = (*self.key_columns, *self.scored_columns)
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"{', '.join(repeated)} is listed twice among keys and scored columns")
        for column, tolerance in (*self.number_tolerances.items(), *self.second_tolerances.items()):
            if column not in self.scored_columns or not 0 <= tolerance < float("inf"):
                raise ValueError(f"the tolerance of {column} is not a limit of a scored column")
        return self

    @classmethod
    def from_task(cls, task: Task) -> ScoringSpec:
        """The contract that a task card states."""
        return cls(
            key_columns=task.output.key_columns,
            scored_columns=task.output.scored_columns,
            required_columns=task.output.required_columns,
            number_tolerances=task.tolerances.numbers,
            second_tolerances=task.tolerances.seconds,
            accuracy_threshold=task.thresholds.accuracy,
            row_coverage_threshold=task.thresholds.row_coverage,
        )

    @property
    def expected_columns(self) -> tuple[str, ...]:
        """Every column that a complete output holds: keys first, then scored, then the other required ones."""
        return tuple(dict.fromkeys((*self.key_columns, *self.scored_columns, *self.required_columns)))

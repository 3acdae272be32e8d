"""Task cards: what agents are asked."""

from m4review.tasks.task import (
    INSTRUCTION_FILE,
    TASK_FILE,
    Layout,
    Mode,
    OutputContract,
    Task,
    Thresholds,
    Tolerances,
    load_task,
    task_values,
)

__all__ = [
    "INSTRUCTION_FILE",
    "TASK_FILE",
    "Layout",
    "Mode",
    "OutputContract",
    "Task",
    "Thresholds",
    "Tolerances",
    "load_task",
    "task_values",
]

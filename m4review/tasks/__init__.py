"""Task cards: what agents are asked. Parts are loaded on first use, so that the lint starts without pydantic."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from m4review.tasks.values import FAMILY_FILE, INSTRUCTION_FILE, TASK_FILE, task_values

if TYPE_CHECKING:
    from m4review.tasks.task import Layout, Mode, OutputContract, Task, Thresholds, Tolerances, load_task

__all__ = [
    "FAMILY_FILE",
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


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(importlib.import_module("m4review.tasks.task"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

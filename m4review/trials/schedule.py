"""Which run comes when, how many at a time, and how long the rest will take."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass

from m4review.trials.conditions import Arm
from m4review.trials.sandbox.job import MEBIBYTE, Limits

WORKING_SHARE, WAITING_SHARE = 0.5, 0.125
"""Share of its processors' limit that a run uses over its time: an agent at work, and one that waits for its model."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One run that is to be made: which of the trials, which replicate, which arm, and its place in the order."""

    trial: int
    replicate: int
    arm: Arm
    position: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one trial wants to run."""

    arms: tuple[Arm, ...]
    repeats: int


def shuffled(trials: Sequence[Wanted], seed: int) -> list[Slot]:
    """The order of all runs, from 1.

    Replicate by replicate the trials come in a shuffled order, and the arms of each in a shuffled order beside each
    other: a drift in time is then not taken for an effect, and the runs of a pair are made close together.
    """
    dice = random.Random(seed)
    slots: list[Slot] = []
    for replicate in range(1, max((trial.repeats for trial in trials), default=0) + 1):
        due = [index for index, trial in enumerate(trials) if replicate <= trial.repeats]
        dice.shuffle(due)
        for index in due:
            arms = list(trials[index].arms)
            dice.shuffle(arms)
            slots += [Slot(index, replicate, arm, len(slots) + 1 + place) for place, arm in enumerate(arms)]
    return slots


@dataclass(frozen=True, slots=True)
class Machine:
    """What runs share: processors, and memory in MiB."""

    cpus: float
    memory_mib: int

    @classmethod
    def here(cls) -> Machine:
        """This machine."""
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 4096 * MEBIBYTE
        return cls(cpus=float(os.cpu_count() or 1), memory_mib=memory // MEBIBYTE)


def side_by_side(wanted: int, limits: Limits, machine: Machine, *, waits_for_model: bool) -> int:
    """How many of ``wanted`` runs may be under way at once, at least one.

    Memory is never promised twice, because a run that is short of it fails. Processors are shared as far as runs leave
    them idle and no further, because a run has a deadline.
    """
    cpus = min(limits.cpus, machine.cpus) * (WAITING_SHARE if waits_for_model else WORKING_SHARE)
    fitting = min(machine.memory_mib // limits.memory_mib, math.floor(machine.cpus / cpus + 1e-9))
    return max(1, min(wanted, fitting))


class Pace:
    """How long the remaining runs will take, from those that were measured; reused ones say nothing."""

    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._seconds = 0.0
        self._runs = 0

    def measured(self, seconds: float) -> None:
        """A run took so long, on the steady clock."""
        self._seconds += seconds
        self._runs += 1

    def seconds_left(self, runs: int) -> float | None:
        """For so many runs that have not ended; ``None`` while nothing was measured."""
        if not self._runs:
            return None
        return self._seconds / self._runs * math.ceil(runs / self._parallel)

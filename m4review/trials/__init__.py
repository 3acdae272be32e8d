"""Trials: the same agent with and without the skill, in a sealed sandbox, audited and scored.

Parts are loaded on first use: the scorer's and the local reader's processes need little of the room.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m4review.trials.agents.agent import Agent, agent_names, load_agent
    from m4review.trials.cleaning import clean_up
    from m4review.trials.conditions import AVAILABLE, CONTROLS, PAIR, Condition, parse_condition
    from m4review.trials.events import (
        Notice,
        PhaseEnded,
        PhaseStarted,
        Progressed,
        RunFinished,
        RunStarted,
        TokensCounted,
        TraceLine,
        TrialEvent,
        TrialStarted,
    )
    from m4review.trials.interruption import stop_on_signals
    from m4review.trials.records import Outcome, RunRecord, load_run, load_runs
    from m4review.trials.request import TrialRequest
    from m4review.trials.standing import load_trials
    from m4review.trials.summary import ConditionResult, TrialSummary
    from m4review.trials.table import trial_table
    from m4review.trials.trial import run_trial, run_trials

__all__ = [
    "AVAILABLE",
    "CONTROLS",
    "PAIR",
    "Agent",
    "Condition",
    "ConditionResult",
    "Notice",
    "Outcome",
    "PhaseEnded",
    "PhaseStarted",
    "Progressed",
    "RunFinished",
    "RunRecord",
    "RunStarted",
    "TokensCounted",
    "TraceLine",
    "TrialEvent",
    "TrialRequest",
    "TrialStarted",
    "TrialSummary",
    "agent_names",
    "clean_up",
    "load_agent",
    "load_run",
    "load_runs",
    "load_trials",
    "parse_condition",
    "run_trial",
    "run_trials",
    "stop_on_signals",
    "trial_table",
]

_PARTS = {
    "agents.agent": ("Agent", "agent_names", "load_agent"),
    "cleaning": ("clean_up",),
    "conditions": ("AVAILABLE", "CONTROLS", "PAIR", "Condition", "parse_condition"),
    "events": (
        "Notice",
        "PhaseEnded",
        "PhaseStarted",
        "Progressed",
        "RunFinished",
        "RunStarted",
        "TokensCounted",
        "TraceLine",
        "TrialEvent",
        "TrialStarted",
    ),
    "interruption": ("stop_on_signals",),
    "records": ("Outcome", "RunRecord", "load_run", "load_runs"),
    "standing": ("load_trials",),
    "summary": ("ConditionResult", "TrialSummary"),
    "table": ("trial_table",),
    "request": ("TrialRequest",),
    "trial": ("run_trial", "run_trials"),
}
_HOMES = {name: module for module, names in _PARTS.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(f"m4review.trials.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

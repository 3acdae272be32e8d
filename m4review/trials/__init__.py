"""Trials: the same agent with and without the skill, in a sealed sandbox, audited and scored."""

from m4review.trials.agents import Agent, agent_names, load_agent
from m4review.trials.conditions import AVAILABLE, Condition, parse_condition
from m4review.trials.events import (
    Notice,
    PhaseEnded,
    PhaseStarted,
    RunFinished,
    RunStarted,
    TraceLine,
    TrialEvent,
    TrialStarted,
)
from m4review.trials.records import Outcome, RunRecord, load_run, load_runs
from m4review.trials.summary import ConditionResult, TrialSummary, load_trials
from m4review.trials.trial import TrialRequest, run_trial

__all__ = [
    "AVAILABLE",
    "Agent",
    "Condition",
    "ConditionResult",
    "Notice",
    "Outcome",
    "PhaseEnded",
    "PhaseStarted",
    "RunFinished",
    "RunRecord",
    "RunStarted",
    "TraceLine",
    "TrialEvent",
    "TrialRequest",
    "TrialStarted",
    "TrialSummary",
    "agent_names",
    "load_agent",
    "load_run",
    "load_runs",
    "load_trials",
    "parse_condition",
    "run_trial",
]

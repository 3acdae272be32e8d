"""Agents as data: one declarative file per agent, and the parsers of their traces."""

from m4review.trials.agents.agent import Agent, agent_names, load_agent

__all__ = ["Agent", "agent_names", "load_agent"]

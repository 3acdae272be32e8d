"""Agents as data: one declarative file per agent, and the parsers of their traces."""

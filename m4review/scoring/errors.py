"""Failures of scoring that a run records as outcomes of their own."""

from __future__ import annotations

from m4review.errors import ScoringError


class NoOutputError(ScoringError):
    """There is no output file."""


class InvalidOutputError(ScoringError):
    """There is an output, but not a table that can be scored: not a regular file, too large, no header, no key."""

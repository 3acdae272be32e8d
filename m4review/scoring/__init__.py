"""Scoring: an agent's output against the reference, cell by cell, in DuckDB."""

from m4review.scoring.comparison import score_output
from m4review.scoring.engine import ScoringLimits
from m4review.scoring.errors import InvalidOutputError, NoOutputError
from m4review.scoring.score import ColumnScore, KeyScore, Score, StrictCheck
from m4review.scoring.spec import ScoringSpec

__all__ = [
    "ColumnScore",
    "InvalidOutputError",
    "KeyScore",
    "NoOutputError",
    "Score",
    "ScoringLimits",
    "ScoringSpec",
    "StrictCheck",
    "score_output",
]

"""Verification: what a commit alone proves about its reviews, offline and without writing anything."""

from m4review.reviews.verify.checkpoint import Checkpoint, read_checkpoint
from m4review.reviews.verify.proofs import (
    EXIT_CODES,
    Outcome,
    Proof,
    Report,
    SkillProof,
    VerificationError,
    report_values,
)
from m4review.reviews.verify.verification import verify

__all__ = [
    "EXIT_CODES",
    "Checkpoint",
    "Outcome",
    "Proof",
    "Report",
    "SkillProof",
    "VerificationError",
    "read_checkpoint",
    "report_values",
    "verify",
]

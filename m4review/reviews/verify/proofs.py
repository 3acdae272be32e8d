"""What a verification says: one proof after the other, each with its outcome, and the exit code of them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from m4review.errors import M4ReviewError

Outcome = Literal["proven", "policy not met", "integrity failure", "cannot decide"]
EXIT_CODES: dict[Outcome, int] = {"proven": 0, "policy not met": 1, "integrity failure": 2, "cannot decide": 3}
GRAVITY: tuple[Outcome, ...] = ("proven", "policy not met", "cannot decide", "integrity failure")
"""Of several outcomes the last one here holds: what is broken outweighs what is unknown, and that what is unmet."""
VERIFY_SCHEMA = "m4review.verify.v1"


class VerificationError(M4ReviewError):
    """Nothing could be verified at all: no such revision, no workspace, an unusable checkpoint."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Proof:
    """One thing that was to be proven. ``details`` name the events, files or commits that speak against it."""

    name: str
    outcome: Outcome
    why: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillProof:
    """Whether one skill is approved under the policy in force; ``because`` is the state's own explanation."""

    skill: str
    state: str
    label: str
    outcome: Outcome
    content: str | None
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole verification."""

    source: str
    revision: str
    is_complete: bool
    """Whether the whole history was there."""
    proofs: tuple[Proof, ...]
    skills: tuple[SkillProof, ...]
    levels: dict[str, int]
    """Event path → assurance level."""

    @property
    def outcome(self) -> Outcome:
        """The gravest outcome of all."""
        return gravest([*(proof.outcome for proof in self.proofs), *(skill.outcome for skill in self.skills)])

    @property
    def exit_code(self) -> int:
        """0 proven, 1 policy not met, 2 integrity failure, 3 cannot decide."""
        return EXIT_CODES[self.outcome]


def gravest(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome that holds for several."""
    return max(outcomes, key=GRAVITY.index, default="proven")


def report_values(report: Report) -> dict[str, Any]:
    """One object for ``verify --json``."""
    return {
        "schema": VERIFY_SCHEMA,
        "source": report.source,
        "revision": report.revision,
        "complete_history": report.is_complete,
        "outcome": report.outcome,
        "exit_code": report.exit_code,
        "proofs": [
            {"name": proof.name, "outcome": proof.outcome, "why": proof.why, "details": list(proof.details)}
            for proof in report.proofs
        ],
        "skills": [
            {
                "skill": entry.skill,
                "state": entry.state,
                "label": entry.label,
                "outcome": entry.outcome,
                "content": entry.content,
                "because": list(entry.because),
            }
            for entry in report.skills
        ],
        "levels": dict(sorted(report.levels.items())),
    }

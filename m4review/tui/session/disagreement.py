"""What two reviewers have to settle: where they differ, what is open, and the consensus that lies before them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from m4review.reviews import Decision, Verdict
from m4review.reviews.consensus import JudgedConsensus
from m4review.reviews.findings import JudgedFinding
from m4review.reviews.settling import open_questions
from m4review.tui.session.possible import scene_now
from m4review.workspace import Reviewer, Scope, Workspace


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The open questions on one text, as one participant sees them."""

    skill: str
    viewer: str
    scopes: tuple[Scope, ...]
    verdicts: tuple[Verdict, ...]
    """The verdicts in force that the viewer may read, in the order they were given."""
    disputed: tuple[Scope, ...]
    findings: tuple[JudgedFinding, ...]
    """Open findings of this text."""
    consensus: JudgedConsensus | None
    """The consensus that matters most, also one that has no effect."""

    @property
    def waits_for_viewer(self) -> bool:
        """Whether a consensus of another waits for the viewer's confirmation."""
        consensus = self.consensus
        return consensus is not None and not consensus.invalid and self.viewer in consensus.missing

    @property
    def has_statement(self) -> bool:
        """Whether there is a consensus that holds or can hold."""
        return self.consensus is not None and not self.consensus.invalid

    def said(self, scope: Scope) -> dict[str, Decision]:
        """Reviewer → decision on a scope."""
        return {verdict.actor: verdict.decisions[scope] for verdict in self.verdicts if scope in verdict.decisions}


def load_disagreement(workspace: Workspace, skill: str, reviewer: Reviewer, now: datetime) -> Disagreement:
    """What ``reviewer`` and the others have to settle.

    Raises:
        M4ReviewError: the ledger cannot be read, or the round is not complete, so that nothing can be compared yet.
    """
    scene = scene_now(workspace, skill, reviewer, now)
    disputed, findings = open_questions(scene)
    seen = scene.seen
    refs = {found.ref for found in findings}
    return Disagreement(
        skill=skill,
        viewer=reviewer.id,
        scopes=scene.policy.scopes,
        verdicts=tuple(judged.verdict for judged in seen.verdicts if judged.standing == "counts" and not judged.hidden),
        disputed=disputed,
        findings=tuple(found for found in seen.findings if found.ref in refs),
        consensus=seen.consensus,
    )

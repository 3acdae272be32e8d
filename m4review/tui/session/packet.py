"""What a reviewer is handed: the recorded text, what changed since their last verdict, the task cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from m4review.errors import LedgerError, M4ReviewError
from m4review.history import Comparison, compare
from m4review.reviews import (
    NO_CONFLICT,
    Decision,
    Ledger,
    SkillStatus,
    last_reviewed_content,
    skill_status,
    verdict_meaning,
    verdict_refusal,
)
from m4review.skills import SKILL_FILE
from m4review.tasks import Task
from m4review.textfile import read_text
from m4review.workspace import Policy, Reviewer, Roster, Scope, Workspace


@dataclass(frozen=True, slots=True)
class Packet:
    """One review, as this reviewer may see it."""

    skill: str
    status: SkillStatus
    scopes: tuple[Scope, ...]
    text: str
    tasks: tuple[Task, ...]
    since_mine: Comparison | None
    """What changed since the reviewer's own last verdict; ``None`` when there is none to compare with."""
    why_no_change: str
    """Why there is no comparison."""
    refusal: M4ReviewError | None
    """Why this reviewer may not give a verdict now; ``None`` when they may."""
    policy: Policy
    roster: Roster
    replaces: bool
    """Whether a verdict given now replaces an own one on the same text."""

    def meaning(self, reviewer: str, decisions: Mapping[Scope, Decision], conflict: str) -> str:
        """What a verdict with these decisions says, in whole sentences; an empty ``conflict`` of interest is none."""
        return verdict_meaning(self.status, reviewer, decisions, conflict or NO_CONFLICT, self.policy, self.roster)


def load_packet(workspace: Workspace, skill: str, reviewer: Reviewer | None, now: datetime) -> Packet:
    """Read everything a review needs; ``now`` (with a time zone) decides who is on the roster.

    Raises:
        TextFileError: the text cannot be read.
        M4ReviewError: the ledger, roster or policy cannot be read.
    """
    ledger = Ledger.load(workspace)
    viewer = reviewer.id if reviewer else None
    status = skill_status(workspace, ledger, skill, viewer)
    text = read_text(workspace.skill_file(skill)).text
    since_mine, why = _since_mine(workspace, ledger, skill, viewer, text)
    replaces = any(judged.standing == "counts" and judged.verdict.actor == viewer for judged in status.verdicts)
    refusal: M4ReviewError | None = LedgerError("you are just looking", fix="say who you are on the first screen (F12)")
    if reviewer is not None:
        refusal = verdict_refusal(workspace, ledger, status, reviewer, now, replace=replaces)
    return Packet(
        skill=skill,
        status=status,
        scopes=workspace.policy.scopes,
        text=text,
        tasks=workspace.tasks_of_skill(skill),
        since_mine=since_mine,
        why_no_change=why,
        refusal=refusal,
        policy=workspace.policy,
        roster=workspace.roster,
        replaces=replaces,
    )


def review_state(workspace: Workspace, skill: str, viewer: str | None) -> SkillStatus:
    """The state of a skill as ``viewer`` may see it, from the ledger as it is now.

    Raises:
        M4ReviewError: the ledger, roster or policy cannot be read.
    """
    return skill_status(workspace, Ledger.load(workspace), skill, viewer)


def _since_mine(
    workspace: Workspace, ledger: Ledger, skill: str, viewer: str | None, text: str
) -> tuple[Comparison | None, str]:
    if viewer is None:
        return None, "You are just looking, so there is no earlier verdict of yours to compare with."
    try:
        files = last_reviewed_content(workspace, skill, viewer, ledger)
    except LedgerError as error:
        return None, f"{error.what}; read the whole text."
    if files is None or SKILL_FILE not in files:
        return None, "You have given no verdict on this skill yet; read the whole text."
    before = files[SKILL_FILE].decode("utf-8").replace("\r\n", "\n")
    return compare(before, text), ""

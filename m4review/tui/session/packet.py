"""What a reviewer is handed: the recorded text, what changed since their last verdict, evidence, questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from m4review.errors import LedgerError, M4ReviewError
from m4review.history import Comparison, compare
from m4review.reviews import Decision, Ledger, SkillStatus, last_reviewed_content, skill_status, verdict_refusal
from m4review.reviews.acts import Scene
from m4review.reviews.checklists import Question, checklist_questions
from m4review.reviews.judges import may_judge
from m4review.reviews.kinds import RuleResult
from m4review.reviews.lastreview import last_verdict
from m4review.reviews.overview import full_status
from m4review.reviews.releases import policy_results
from m4review.reviews.scopes import changed_parts
from m4review.reviews.sealing import seal_refusal
from m4review.reviews.subjects import Pair
from m4review.reviews.verdicts import scoped_base
from m4review.skills import SKILL_FILE
from m4review.tasks import Task
from m4review.textfile import read_text
from m4review.tui.session.possible import refusals
from m4review.workspace import Policy, Reviewer, Scope, Workspace

NOBODY = LedgerError("you are just looking", fix="say who you are on the first screen (F12)")


@dataclass(frozen=True, slots=True)
class Packet:
    """One review, as this reviewer may see it."""

    skill: str
    viewer: str | None
    status: SkillStatus
    scopes: tuple[Scope, ...]
    """The scopes that need a decision: all of the policy, or the only one that changed since the approval."""
    text: str
    tasks: tuple[Task, ...]
    questions: tuple[Question, ...]
    """The checklist."""
    since_mine: Comparison | None
    """What changed since the reviewer's own last verdict; ``None`` when there is none to compare with."""
    my_last: str
    """That verdict in words, for example ``your verdict on version 3, given 2026-01-31 14:05 UTC``; empty without."""
    changed_parts: Mapping[str, tuple[Scope, ...]]
    """Where the state is stale: heading that changed since → the scopes it belongs to."""
    why_no_change: str
    """Why there is no comparison."""
    refusal: M4ReviewError | None
    """Why this reviewer may not give a verdict now; ``None`` when they may."""
    others: tuple[str, ...]
    """Who on the roster may judge the text and has not, apart from this reviewer."""
    refusals: Mapping[str, M4ReviewError | None]
    """Act of the menu → why it is not possible now, ``None`` when it is."""
    results: tuple[RuleResult, ...]
    """Every rule of the policy with its result; empty while decisions of others are withheld."""
    policy: Policy
    """The policy in force."""
    rules_not_in_force: tuple[str, ...]
    """Sentences: which file of the rules on disk is not in force, and why."""
    given: Mapping[Scope, Decision]
    """What the reviewer decided on exactly this text already; a verdict given now replaces it."""
    seals: bool
    """Whether a verdict given now is sealed first."""

    @property
    def replaces(self) -> bool:
        """Whether a verdict given now replaces an own one on the same text."""
        return bool(self.given)

    @property
    def read(self) -> Pair | None:
        """The text and task cards that the reviewer has before them."""
        return None if self.status.subject is None else self.status.subject.pair

    @property
    def first_view(self) -> str:
        """What to look at first: what changed since the own last verdict, else the whole text; the state where the
        reviewer has judged exactly this text already."""
        if self.replaces:
            return "state"
        return "text" if self.since_mine is None or self.since_mine.is_equal else "changes"


def load_packet(workspace: Workspace, skill: str, reviewer: Reviewer | None, now: datetime) -> Packet:
    """Read everything a review needs; ``now`` (with a time zone) decides who is on the roster.

    Raises:
        TextFileError: the text cannot be read.
        M4ReviewError: the ledger, roster or policy cannot be read.
    """
    ledger = Ledger.load(workspace)
    viewer = reviewer.id if reviewer else None
    policy = ledger.policy
    status = skill_status(workspace, ledger, skill, viewer)
    whole = full_status(workspace, ledger, skill)
    text = read_text(workspace.skill_file(skill)).text
    since_mine, why = _since_mine(workspace, ledger, skill, viewer, text)
    own = [one.verdict for one in status.verdicts if one.standing == "counts" and one.verdict.actor == viewer]
    given = own[-1].decisions if own else {}
    seals = policy.independent == "sealed" and whole.given < policy.required
    base = scoped_base(whole)
    refusal: M4ReviewError | None = NOBODY
    acts: Mapping[str, M4ReviewError | None] = {}
    if reviewer is not None:
        refusal = verdict_refusal(workspace, ledger, whole, reviewer, now, replace=bool(given), sealed=seals)
        if refusal is None and seals:
            refusal = seal_refusal(whole, reviewer, workspace)
        acts = refusals(Scene(workspace, ledger, whole, reviewer, now))
    return Packet(
        skill=skill,
        viewer=viewer,
        status=status,
        scopes=policy.scopes if base is None else base[1],
        text=text,
        tasks=workspace.tasks_of_skill(skill),
        questions=checklist_questions(ledger.snapshot.reviews),
        since_mine=since_mine,
        my_last=_my_last(ledger, skill, viewer) if since_mine is not None and viewer is not None else "",
        changed_parts=_changed_parts(ledger, status),
        why_no_change=why,
        refusal=refusal,
        others=tuple(one for one in may_judge(ledger, whole, now) if one != viewer),
        refusals=acts,
        results=_results(ledger, status, whole),
        policy=policy,
        rules_not_in_force=ledger.rules.notes,
        given=given,
        seals=seals,
    )


def review_state(workspace: Workspace, skill: str, viewer: str | None) -> SkillStatus:
    """The state of a skill as ``viewer`` may see it, from the ledger as it is now.

    Raises:
        M4ReviewError: the ledger, roster or policy cannot be read.
    """
    return skill_status(workspace, Ledger.load(workspace), skill, viewer)


def _results(ledger: Ledger, seen: SkillStatus, whole: SkillStatus) -> tuple[RuleResult, ...]:
    if seen.decisions_hidden or whole.subject is None or whole.judgement is None:
        return ()
    return policy_results(whole.subject, whole.judgement, whole.consensus, ledger.policy, ledger.roster)


def _changed_parts(ledger: Ledger, status: SkillStatus) -> Mapping[str, tuple[Scope, ...]]:
    """What changed since the text that the state says is judged no more; nothing where that text cannot be found."""
    if status.stale is None or status.subject is None:
        return {}
    last = next(judged.verdict for judged in status.verdicts if judged.verdict.id == status.stale.since)
    before = ledger.snapshot.files_of(last.content)
    after = ledger.snapshot.files_of(status.subject.content)
    return {} if before is None or after is None else changed_parts(before, after, ledger.policy)


def _my_last(ledger: Ledger, skill: str, viewer: str) -> str:
    verdict, past = last_verdict(ledger, skill, viewer), ledger.snapshot.past
    if verdict is None:
        return ""
    contents = [] if past is None else past.versions(skill)
    numbers = [number for number, held in enumerate(contents, start=1) if held == verdict.content]
    which = f"version {numbers[-1]}" if numbers else "an earlier text"
    return f"your verdict on {which}, given {verdict.time:%Y-%m-%d %H:%M} UTC"


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

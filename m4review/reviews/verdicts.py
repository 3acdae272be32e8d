"""What a verdict says as an event, shown at once or sealed: every rule is checked here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from m4review.errors import LedgerError, ReadAnotherTextError
from m4review.reviews.checklists import asked, checklist_questions
from m4review.reviews.eventparts import APPROVING, Answer, Decision, Finding, LookedAt
from m4review.reviews.kinds import Verdict
from m4review.reviews.ledger import Ledger
from m4review.reviews.meaning import verdict_meaning
from m4review.reviews.notes import refuse_unfit_notes
from m4review.reviews.rules import check_decisions, conflict_line, own_verdicts, round_of, verdict_refusal
from m4review.reviews.status import SkillStatus
from m4review.reviews.subjects import Pair, pair_of
from m4review.reviews.writing import common_values
from m4review.workspace import Reviewer, Scope, Workspace


@dataclass(frozen=True, slots=True)
class Said:
    """What a reviewer says, before it is an event."""

    decisions: Mapping[Scope, Decision]
    notes: str
    looked_at: tuple[LookedAt, ...]
    conflict_of_interest: str
    findings: tuple[Finding, ...] = ()
    answers: Mapping[str, Answer] | None = None
    replace: bool = False
    read: Pair | None = None
    """The text and task cards that were read; a verdict on any others is refused. ``None``: whatever is there now."""


def verdict_values(
    workspace: Workspace,
    ledger: Ledger,
    status: SkillStatus,
    person: Reviewer,
    said: Said,
    time: datetime,
    *,
    sealed: bool = False,
) -> dict[str, Any]:
    """The front matter of the verdict.

    Raises:
        ReadAnotherTextError: the text or a task card is another than the one that was read.
        M4ReviewError: a rule forbids it, or the notes may not enter git.
    """
    policy, roster = ledger.policy, ledger.roster
    if said.read is not None and status.subject is not None and status.subject.pair != said.read:
        raise ReadAnotherTextError(
            "the text or one of its task cards was changed after it was read, and a verdict is on what was read",
            where=status.skill,
            fix="read it again, and decide anew",
        )
    base = scoped_base(status)
    check_decisions(said.decisions, policy, None if base is None else base[1])
    conflict = conflict_line(said.conflict_of_interest)
    refusal = verdict_refusal(workspace, ledger, status, person, time, replace=said.replace, sealed=sealed)
    if refusal is not None:
        raise refusal
    assert status.subject is not None
    _check_findings(said)
    refuse_unfit_notes(said.notes, conflict, *_texts(said))
    own = own_verdicts(status, person.id, roster)
    meaning = verdict_meaning(status, person.id, said.decisions, conflict, policy, roster)
    if said.findings:
        found = ", ".join(f"{finding.id} ({finding.severity})" for finding in said.findings)
        meaning += f" I found: {found}."
    values: dict[str, Any] = common_values(ledger, status.subject, "verdict", person, time) | {
        "meaning": meaning,
        "scopes": dict(status.subject.scopes),
        "round": round_of(status, person.id, policy, roster),
        "decisions": {scope: said.decisions[scope] for scope in policy.scopes if scope in said.decisions},
        "looked_at": list(said.looked_at),
        "conflict_of_interest": conflict,
        "supersedes": [verdict.id for verdict in own],
        "deps": dict(status.subject.deps),
        "context": dict(status.subject.context),
    }
    if base is not None:
        values["base"] = {"content": base[0].content, "tasks": dict(base[0].tasks)}
    if said.findings:
        values["findings"] = [finding.model_dump(mode="json") for finding in said.findings]
    if ledger.snapshot.checklist_digest is not None:
        values["checklist"] = ledger.snapshot.checklist_digest
        questions = checklist_questions(ledger.snapshot.reviews)
        values["answers"] = {asked(questions, name).text: answer for name, answer in (said.answers or {}).items()}
    elif said.answers:
        raise LedgerError("there is no checklist to answer", where="reviews/checklists")
    return values


def scoped_base(status: SkillStatus) -> tuple[Verdict, tuple[Scope, ...]] | None:
    """A verdict on the approved text from which the present one differs in one scope only, and that scope."""
    if status.judgement is None or status.subject is None:
        return None
    stale, now = status.stale, status.subject.pair
    if stale is None or not stale.was_approved:
        return None
    last = next((judged.verdict for judged in status.verdicts if judged.verdict.id == stale.since), None)
    change = None if last is None else status.judgement.change_of(pair_of(last.content, last.tasks.values()), now)
    if last is None or change is None or change.kind != "scoped":
        return None
    return last, change.scopes


def _check_findings(said: Said) -> None:
    for finding in said.findings:
        if finding.severity == "blocker" and said.decisions.get(finding.scope) in APPROVING:
            raise LedgerError(
                f"finding {finding.id!r} is a blocker on {finding.scope}, which is approved at the same time",
                expected="changes to that scope, or a finding of less weight",
            )


def _texts(said: Said) -> list[str]:
    texts = []
    for finding in said.findings:
        texts += [finding.text, finding.reference, finding.proposed]
        if finding.anchor is not None:
            texts.append(finding.anchor.quote)
    return [text for text in texts if text]

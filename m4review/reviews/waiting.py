"""What waits for a reviewer: first reviews, texts that changed since their verdict, changes they were asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from m4review.reviews.cards import cards_of
from m4review.reviews.ledger import Ledger
from m4review.reviews.overview import all_statuses
from m4review.reviews.people import humans
from m4review.reviews.stale import changes_since
from m4review.reviews.status import SkillStatus
from m4review.workspace import Roster, Workspace

Kind = Literal["review", "review again", "change", "stale"]
KIND_ORDER: tuple[Kind, ...] = ("review again", "review", "change", "stale")


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One thing to do. ``why`` is a sentence; ``status`` is the skill's state as this reviewer may see it."""

    kind: Kind
    skill: str
    why: str
    status: SkillStatus


def queue(workspace: Workspace, reviewer: str, ledger: Ledger | None = None) -> list[QueueItem]:
    """What waits for ``reviewer``, the most pressing first.

    Raises:
        WorkspaceError: not on the roster.
    """
    person = workspace.roster.get(reviewer)
    ledger = ledger or Ledger.load(workspace)
    items = []
    for status in all_statuses(workspace, ledger, person.id):
        item = waiting_item(status, person.id, assigned(ledger, status.skill, workspace.roster), workspace)
        if item is not None:
            items.append(item)
    return sorted(items, key=lambda item: (KIND_ORDER.index(item.kind), item.skill))


def assigned(ledger: Ledger, skill: str, roster: Roster) -> tuple[str, ...]:
    """The reviewers asked first: those an opening names, else the roster's pairs for the families of the tasks that
    use the skill, else everybody."""
    families = sorted({card.family for card in cards_of(ledger.snapshot.cards, skill).values()})
    paired = {reviewer: None for family in families for reviewer in roster.pairs.get(family, ())}
    return ledger.asked(skill, roster) or tuple(paired) or tuple(reviewer.id for reviewer in roster.reviewers)


def waiting_item(status: SkillStatus, reviewer: str, asked: tuple[str, ...], workspace: Workspace) -> QueueItem | None:
    """What the skill asks of ``reviewer``; ``status`` is as that reviewer may see it."""
    if status.subject is None or status.state in {"not recorded", "approved"}:
        return None
    same = humans(workspace.roster)
    mine = [judged for judged in status.verdicts if same.get(judged.verdict.actor) == same[reviewer]]
    if any(judged.standing == "counts" for judged in mine):
        return None
    excluded = status.excluded or {}
    if reviewer in excluded:
        return _for_author(status, reviewer)
    own = [judged.verdict for judged in mine if judged.standing == "stale"]
    if own:
        change = changes_since(own[-1], status.subject, workspace.policy)[2]
        return QueueItem("review again", status.skill, f"since your verdict of {own[-1].at[:10]} {change}", status)
    left = [name for name in asked if name not in excluded]
    if reviewer in asked:
        return QueueItem("review", status.skill, f"you are asked to review it; {status.label}", status)
    if len({same[name] for name in left}) < status.required and status.given < status.required:
        wrote = ", ".join(name for name in asked if name in excluded)
        return QueueItem("review", status.skill, f"another reviewer is needed: {wrote} had a hand in the text", status)
    return None


def _for_author(status: SkillStatus, reviewer: str) -> QueueItem | None:
    asks = [
        judged.verdict
        for judged in status.verdicts
        if judged.standing == "counts" and "changes" in judged.verdict.decisions.values()
    ]
    if asks:
        who = ", ".join(
            f"{verdict.actor} ({', '.join(s for s, d in verdict.decisions.items() if d == 'changes')})"
            for verdict in asks
        )
        return QueueItem("change", status.skill, f"changes are asked for by {who}", status)
    if status.stale is not None:
        return QueueItem("stale", status.skill, f"your change waits for its review: {status.stale.why}", status)
    return None

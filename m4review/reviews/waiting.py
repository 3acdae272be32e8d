"""What waits for a reviewer: first reviews, texts that changed since their verdict, changes they were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from difflib import SequenceMatcher
from typing import Literal

from m4review.reviews.cards import cards_of
from m4review.reviews.changes import classify
from m4review.reviews.eventparts import TIME_FORMAT
from m4review.reviews.kinds import Verdict
from m4review.reviews.ledger import Ledger
from m4review.reviews.overview import all_statuses
from m4review.reviews.people import humans
from m4review.reviews.stale import changes_since
from m4review.reviews.status import SkillStatus
from m4review.workspace import Roster, Workspace

Kind = Literal["reveal", "consensus", "review again", "review", "change", "stale"]
KIND_ORDER: tuple[Kind, ...] = ("reveal", "consensus", "review again", "review", "change", "stale")


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One thing to do. ``why`` is a sentence; ``status`` is the skill's state as this reviewer may see it."""

    kind: Kind
    skill: str
    why: str
    status: SkillStatus
    since: str | None = None
    """Time (UTC) of the event or version from which it waits; ``None`` where that is not known."""
    change: str | None = None
    """How large the change is: none, editorial, scoped, substantive, with the lines that differ."""


def queue(workspace: Workspace, reviewer: str, ledger: Ledger | None = None) -> list[QueueItem]:
    """What waits for ``reviewer``, the most pressing first.

    Raises:
        WorkspaceError: not on the roster.
    """
    ledger = ledger or Ledger.load(workspace)
    person = ledger.roster.get(reviewer)
    items = []
    for status in all_statuses(workspace, ledger, person.id):
        item = waiting_item(status, person.id, assigned(ledger, status.skill, ledger.roster), ledger)
        if item is not None:
            items.append(dated(item, person.id, ledger))
    return sorted(items, key=lambda item: (KIND_ORDER.index(item.kind), item.skill))


def assigned(ledger: Ledger, skill: str, roster: Roster) -> tuple[str, ...]:
    """The reviewers asked first: those an opening names, else the roster's pairs for the families of the tasks that
    use the skill, else everybody."""
    families = sorted({card.family for card in cards_of(ledger.snapshot.cards, skill).values()})
    paired = {reviewer: None for family in families for reviewer in roster.pairs.get(family, ())}
    return ledger.asked(skill, roster) or tuple(paired) or tuple(reviewer.id for reviewer in roster.reviewers)


def waiting_item(status: SkillStatus, reviewer: str, asked: tuple[str, ...], ledger: Ledger) -> QueueItem | None:
    """What the skill asks of ``reviewer``; ``status`` is as that reviewer may see it."""
    if status.subject is None or status.state in {"not recorded", "approved", "signed off"}:
        return None
    same = humans(ledger.roster)
    mine = [judged for judged in status.verdicts if same.get(judged.verdict.actor) == same[reviewer]]
    own = [judged.verdict for judged in mine if judged.standing == "counts"]
    if own:
        return _after_own_verdict(own[-1], status, reviewer)
    if same[reviewer] in {same.get(actor) for actor in status.sealed}:
        if len({same.get(actor) for actor in status.sealed}) + status.given < status.required:
            return None
        return QueueItem("reveal", status.skill, "enough verdicts are sealed; yours can be shown", status)
    excluded = status.excluded or {}
    if reviewer in excluded:
        return _for_author(status, reviewer)
    own = [judged.verdict for judged in mine if judged.standing == "stale"]
    if own and status.state not in {"suspect", "lapsed"}:
        change = changes_since(own[-1], status.subject, ledger.policy)[2]
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


def dated(item: QueueItem, reviewer: str, ledger: Ledger) -> QueueItem:
    """The item with since when it waits and how large the change since the reviewer's own last verdict is."""
    status = item.status
    assert status.subject is not None
    past = ledger.snapshot.past
    nodes = () if past is None else past.nodes(item.skill)
    first = next((node.committed for node in nodes if node.pair == status.subject.pair), None)
    since = None if first is None else first.astimezone(UTC).strftime(TIME_FORMAT)
    same = humans(ledger.roster)
    mine = [
        judged.verdict
        for judged in status.verdicts
        if judged.standing == "stale" and same.get(judged.verdict.actor) == same[reviewer]
    ]
    if not mine:
        return replace(item, since=since)
    before = ledger.snapshot.files_of(mine[-1].content)
    after = ledger.snapshot.files_of(status.subject.content)
    if before is None or after is None:
        return replace(item, since=since, change="cannot be told: your last text is in no recorded version")
    same_cards = sorted(mine[-1].tasks.values()) == sorted(status.subject.tasks.values())
    kind = classify(before, after, ledger.policy, same_cards=same_cards).kind
    added, removed = changed_lines(before, after)
    return replace(item, since=since, change=f"{kind}, {added} lines added, {removed} removed")


def changed_lines(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[int, int]:
    """How many lines were added and removed between two folders (path → bytes)."""
    added = removed = 0
    for path in {*before, *after}:
        old, new = (files.get(path, b"").splitlines() for files in (before, after))
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                removed += b - a
                added += d - c
    return added, removed


def _after_own_verdict(own: Verdict, status: SkillStatus, reviewer: str) -> QueueItem | None:
    consensus = status.consensus
    if consensus is not None and not consensus.invalid and reviewer in consensus.missing:
        why = f"{consensus.statement.actor} put a consensus forward that waits for your confirmation"
        return QueueItem("consensus", status.skill, why, status)
    if status.state == "disputed":
        return QueueItem("consensus", status.skill, "you and the other reviewer disagree; settle it together", status)
    assert status.subject is not None
    if own.deps is not None and own.deps != status.subject.deps and status.suspect:
        changed = ", ".join(status.suspect)
        return QueueItem("review again", status.skill, f"it builds on {changed}, changed since your verdict", status)
    if own.context is not None and own.context != status.subject.context and status.lapsed:
        return QueueItem("review again", status.skill, f"{', '.join(status.lapsed)} changed since your verdict", status)
    return None

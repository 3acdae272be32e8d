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
from m4review.reviews.meaning import listed
from m4review.reviews.overview import all_statuses
from m4review.reviews.people import humans
from m4review.reviews.stale import changes_since
from m4review.reviews.status import SkillStatus
from m4review.workspace import Roster, Workspace

Kind = Literal["reveal", "consensus", "review again", "review", "change", "stale"]
KIND_ORDER: tuple[Kind, ...] = ("reveal", "consensus", "change", "review again", "review", "stale")
"""The most pressing first: what others wait for, then what was begun, then what is new."""

NOT_RECORDED = "not recorded yet: F2 in the editor records it"
"""What has to be done before anything else with a text or task card that differs from the last version."""


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
    """How large the change since the reviewer's own last verdict is: none, editorial, scoped, substantive, with the
    lines that differ; ``None`` where they judged exactly this text, or none."""


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
            items.append(_recorded_first(dated(item, person.id, ledger)))
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
        return _after_own_verdict(own[-1], status, reviewer) or _change_for_anybody(status)
    if same[reviewer] in {same.get(actor) for actor in status.sealed}:
        if len({same.get(actor) for actor in status.sealed}) + status.given < status.required:
            return None
        return QueueItem("reveal", status.skill, "enough verdicts are sealed; yours can be shown", status)
    excluded = status.excluded or {}
    if reviewer in excluded:
        return _for_author(status)
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
    return _change_for_anybody(status)


def _change_for_anybody(status: SkillStatus) -> QueueItem | None:
    """A change that the complete round asks for, where nobody on the roster wrote the text: somebody else makes it."""
    if status.state != "changes requested" or status.excluded or status.given < status.required:
        return None
    why = f"{change_asked(status)}; whoever makes the change does not judge the new text"
    return QueueItem("change", status.skill, why, status)


def change_asked(status: SkillStatus) -> str:
    """Who asks for changes to what, as far as ``status`` shows it; empty where nobody does."""
    consensus = status.consensus
    if consensus is not None and consensus.holds:
        agreed = [scope for scope, said in consensus.statement.decisions.items() if said == "changes"]
        if agreed:
            return f"{listed(consensus.confirmed)} agreed on changes to {listed(agreed)}"
    else:
        asks = [
            f"{judged.verdict.actor} ({', '.join(scopes)})"
            for judged in status.verdicts
            if judged.standing == "counts"
            and (scopes := [scope for scope, said in judged.verdict.decisions.items() if said == "changes"])
        ]
        if asks:
            return f"changes are asked for by {listed(asks)}"
    blockers = sorted({found.verdict.actor for found in status.findings if found.is_open_blocker})
    return f"a blocker that {listed(blockers)} found is open" if blockers else ""


def _for_author(status: SkillStatus) -> QueueItem | None:
    asked = change_asked(status)
    if asked:
        return QueueItem("change", status.skill, asked, status)
    if status.stale is not None:
        return QueueItem("stale", status.skill, f"your change waits for its review: {status.stale.change}", status)
    return None


def _recorded_first(item: QueueItem) -> QueueItem:
    """The item that says before anything else when its text lies on the disk alone: no event can bind that yet."""
    if item.status.is_recorded:
        return item
    return replace(item, why=f"{NOT_RECORDED}; {item.why}")


def dated(item: QueueItem, reviewer: str, ledger: Ledger) -> QueueItem:
    """The item with since when it waits and, where the text is another than the reviewer last judged, how large the
    change from there is."""
    status = item.status
    assert status.subject is not None
    past = ledger.snapshot.past
    nodes = () if past is None else past.nodes(item.skill)
    first = next((node.committed for node in nodes if node.pair == status.subject.pair), None)
    recorded = None if first is None else first.astimezone(UTC).strftime(TIME_FORMAT)
    item = replace(item, since=_said_last(status) if item.kind in {"consensus", "change"} else recorded)
    same = humans(ledger.roster)
    mine = [
        judged
        for judged in status.verdicts
        if judged.standing in {"counts", "stale"} and same.get(judged.verdict.actor) == same[reviewer]
    ]
    if not mine or mine[-1].standing == "counts":
        return item
    last = mine[-1].verdict
    before = ledger.snapshot.files_of(last.content)
    after = ledger.snapshot.files_of(status.subject.content)
    if before is None or after is None:
        return replace(item, change="cannot be told: your last text is in no recorded version")
    same_cards = sorted(last.tasks.values()) == sorted(status.subject.tasks.values())
    kind = classify(before, after, ledger.policy, same_cards=same_cards).kind
    added, removed = changed_lines(before, after)
    lines = f"{added} line{'s' * (added != 1)} added, {removed} removed"
    return replace(item, change=f"{kind}, {lines}")


def _said_last(status: SkillStatus) -> str | None:
    """When what has to be acted on was said: the consensus that was put forward, else the last verdict that counts."""
    if status.consensus is not None and not status.consensus.invalid:
        return status.consensus.statement.at
    return next((judged.verdict.at for judged in reversed(status.verdicts) if judged.standing == "counts"), None)


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
        why = f"{consensus.statement.actor} put a consensus forward; it waits for you"
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

"""Reviews: verdicts bound to exact bytes, kept as event files, and every state computed from them.

Parts are loaded on first use: reading states needs neither the lint nor what records an event.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m4review.reviews.digests import SCHEME, content_digest, task_digest
    from m4review.reviews.events import DECISIONS, Decision, Event, LookedAt, Opening, Verdict, Withdrawal
    from m4review.reviews.lastreview import last_reviewed_content
    from m4review.reviews.ledger import Ledger, Problem
    from m4review.reviews.meaning import NO_CONFLICT, verdict_meaning
    from m4review.reviews.openings import open_review
    from m4review.reviews.overview import all_statuses, skill_status
    from m4review.reviews.recording import prepare_verdict, record_verdict, withdraw_verdict
    from m4review.reviews.rules import verdict_refusal
    from m4review.reviews.scopes import scope_digests
    from m4review.reviews.stale import Stale
    from m4review.reviews.standing import JudgedVerdict
    from m4review.reviews.status import SkillStatus, skill_state
    from m4review.reviews.subjects import Subject
    from m4review.reviews.visibility import visible_verdicts
    from m4review.reviews.waiting import QueueItem, queue

__all__ = [
    "DECISIONS",
    "NO_CONFLICT",
    "SCHEME",
    "Decision",
    "Event",
    "JudgedVerdict",
    "Ledger",
    "LookedAt",
    "Opening",
    "Problem",
    "QueueItem",
    "SkillStatus",
    "Stale",
    "Subject",
    "Verdict",
    "Withdrawal",
    "all_statuses",
    "content_digest",
    "last_reviewed_content",
    "open_review",
    "prepare_verdict",
    "queue",
    "record_verdict",
    "scope_digests",
    "skill_state",
    "skill_status",
    "task_digest",
    "verdict_meaning",
    "verdict_refusal",
    "visible_verdicts",
    "withdraw_verdict",
]

_PARTS = {
    "digests": (
        "SCHEME",
        "content_digest",
        "task_digest",
    ),
    "events": (
        "DECISIONS",
        "Decision",
        "Event",
        "LookedAt",
        "Opening",
        "Verdict",
        "Withdrawal",
    ),
    "lastreview": ("last_reviewed_content",),
    "ledger": (
        "Ledger",
        "Problem",
    ),
    "meaning": (
        "NO_CONFLICT",
        "verdict_meaning",
    ),
    "openings": ("open_review",),
    "overview": (
        "all_statuses",
        "skill_status",
    ),
    "recording": (
        "prepare_verdict",
        "record_verdict",
        "withdraw_verdict",
    ),
    "rules": ("verdict_refusal",),
    "scopes": ("scope_digests",),
    "stale": ("Stale",),
    "standing": ("JudgedVerdict",),
    "status": (
        "SkillStatus",
        "skill_state",
    ),
    "subjects": ("Subject",),
    "visibility": ("visible_verdicts",),
    "waiting": (
        "QueueItem",
        "queue",
    ),
}
_HOMES = {name: part for part, names in _PARTS.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(f"m4review.reviews.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Reviews: verdicts bound to exact bytes, kept as event files, and every state computed from them."""

from m4review.reviews.digests import SCHEME, content_digest, task_digest
from m4review.reviews.events import DECISIONS, Decision, Event, LookedAt, Opening, Verdict, Withdrawal
from m4review.reviews.lastreview import last_reviewed_content
from m4review.reviews.ledger import Ledger, Problem
from m4review.reviews.meaning import NO_CONFLICT, meaning, verdict_meaning
from m4review.reviews.overview import all_statuses, skill_status
from m4review.reviews.recording import open_review, prepare_verdict, record_verdict, withdraw_verdict
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
    "meaning",
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

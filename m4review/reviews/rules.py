"""The rules an event must meet before it is recorded. Screens ask the same functions to disable an action."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from m4review.errors import HistoryError, LedgerError, M4ReviewError
from m4review.reviews.events import DECISIONS, Decision, Round, Verdict
from m4review.reviews.judges import may_judge
from m4review.reviews.ledger import Ledger
from m4review.reviews.meaning import NO_CONFLICT
from m4review.reviews.people import humans
from m4review.reviews.signing.keys import key_file
from m4review.reviews.status import SkillStatus
from m4review.reviews.visibility import may_read
from m4review.workspace import SKILLS, Policy, Reviewer, Roster, Scope, Workspace


def check_decisions(
    decisions: Mapping[Scope, Decision], policy: Policy, changed: tuple[Scope, ...] | None = None
) -> None:
    """Raise :class:`LedgerError` unless there is one known decision for every scope of the policy and no other.

    ``changed`` names the scopes that alone need one, where the rest of an approved text stayed as it was.
    """
    missing = [scope for scope in changed or policy.scopes if scope not in decisions]
    extra = [scope for scope in decisions if scope not in policy.scopes]
    unknown = [decision for decision in decisions.values() if decision not in DECISIONS]
    if missing:
        raise LedgerError(f"no decision on {', '.join(missing)}", expected="one of " + ", ".join(DECISIONS))
    if extra:
        raise LedgerError(f"the policy does not judge {', '.join(extra)}", expected=", ".join(policy.scopes))
    if unknown:
        raise LedgerError(f"{unknown[0]!r} is not a decision", expected="one of " + ", ".join(DECISIONS))


def conflict_line(text: str) -> str:
    """A conflict of interest in one line; ``none`` when nothing is said."""
    return " ".join(text.split()) or NO_CONFLICT


def verdict_refusal(
    workspace: Workspace,
    ledger: Ledger,
    status: SkillStatus,
    reviewer: Reviewer,
    now: datetime,
    *,
    replace: bool = False,
    sealed: bool = False,
) -> M4ReviewError | None:
    """Why ``reviewer`` may not give a verdict on the skill now, or ``None``. Screens disable the action with it.

    ``sealed`` says that the verdict is to be sealed and shown later.
    """
    policy = ledger.policy
    refusal = recorded_refusal(ledger, status)
    if refusal is not None:
        return refusal
    if not reviewer.active_on(now.date()):
        return LedgerError(f"{reviewer.id} is not on the roster on {now.date()}", where="reviews/roster.toml")
    if policy.independent == "sealed" and not sealed and status.given < policy.required:
        return LedgerError(
            "the policy asks for sealed first verdicts",
            where="reviews/policy.toml",
            fix="m4review review seal, and m4review review reveal once the others have sealed theirs",
        )
    if policy.minimum_assurance > 0 and key_file(reviewer.id) is None:
        return LedgerError(
            f"the policy asks for signed verdicts, and {reviewer.id} has no key on this computer",
            where="reviews/policy.toml",
            fix="m4review review key",
        )
    if status.excluded is None:
        return HistoryError(
            "this clone is shallow: who changed the text cannot be told, so authors cannot be excluded",
            where=workspace.root,
            fix="git fetch --unshallow",
        )
    if reviewer.id in status.excluded:
        return LedgerError(
            status.excluded[reviewer.id],
            where=status.skill,
            expected="a reviewer who wrote no part of it: "
            + (", ".join(may_judge(ledger, status, now)) or "nobody is left"),
        )
    same = humans(ledger.roster)
    recusal = None if status.judgement is None else status.judgement.effects.recused.get(same[reviewer.id])
    if recusal is not None:
        return LedgerError(
            f"{reviewer.id} stepped back from judging this skill on {recusal.at[:10]}",
            where=recusal.path,
            fix=f"m4review review withdraw {status.skill} --event {recusal.path} --reason TEXT",
        )
    own = own_verdicts(status, reviewer.id, ledger.roster)
    if own and not replace:
        return LedgerError(
            f"{reviewer.id} already gave a verdict on exactly this text ({own[-1].path})",
            where=status.skill,
            fix="to replace it, say so: --replace",
        )
    return None


def recorded_refusal(ledger: Ledger, status: SkillStatus) -> M4ReviewError | None:
    """Why no event can bind the present text: no history, not digestible, or not recorded. ``None`` when one can."""
    if ledger.snapshot.no_history is not None:
        return ledger.snapshot.no_history
    if status.subject is None:
        return LedgerError("the text cannot be reviewed", where=status.skill, expected="\n".join(status.because))
    if not status.is_recorded:
        return HistoryError(
            "what lies on the disk is not the last recorded version, and a verdict binds a recorded one",
            where=f"{SKILLS}/{status.skill} and its task cards",
            fix=f"record a version first (m4review version {status.skill} -m MESSAGE), or undo the changes",
        )
    return None


def own_verdicts(status: SkillStatus, reviewer: str, roster: Roster) -> list[Verdict]:
    """The reviewer's verdicts in force on the present pair (more than one only after two clones were merged)."""
    return [
        judged.verdict for judged in status.verdicts if judged.standing == "counts" and judged.verdict.actor == reviewer
    ]


def round_of(status: SkillStatus, reviewer: str, policy: Policy, roster: Roster) -> Round:
    """``after-discussion`` once others' verdicts on this text were open to the reviewer, ``delta`` after an own verdict
    on an earlier text, else ``independent``."""
    same = humans(roster)
    others = [
        judged
        for judged in status.verdicts
        if same.get(judged.verdict.actor) != same[reviewer]
        and status.subject is not None
        and judged.pair == status.subject.pair
    ]
    if any(may_read(judged, status, reviewer, policy, roster) for judged in others):
        return "after-discussion"
    mine = [judged for judged in status.verdicts if same.get(judged.verdict.actor) == same[reviewer]]
    return "delta" if any(judged.standing == "stale" for judged in mine) else "independent"

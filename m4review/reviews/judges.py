"""Who may judge a text, and what recording a version in somebody's name does to that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from m4review.history.gituser import git_user
from m4review.reviews.ledger import Ledger
from m4review.reviews.meaning import listed
from m4review.reviews.overview import full_status
from m4review.reviews.people import human_addresses, humans
from m4review.reviews.status import SkillStatus
from m4review.roster import Roster
from m4review.workspace import Workspace


def may_judge(ledger: Ledger, status: SkillStatus, now: datetime) -> tuple[str, ...]:
    """The reviewers who may judge the present text and have not: on the roster that day, without a hand in it, not
    stepped back. None where authors cannot be told. ``status`` has nothing withheld, and only names leave here.
    """
    if status.excluded is None:
        return ()
    same = humans(ledger.roster)
    done = {judged.verdict.actor for judged in status.verdicts if judged.standing == "counts"} | {*status.sealed}
    away = {} if status.judgement is None else status.judgement.effects.recused
    return tuple(
        reviewer.id
        for reviewer in ledger.roster.reviewers
        if reviewer.id not in status.excluded
        and same[reviewer.id] not in {same.get(actor, actor) for actor in done}
        and same[reviewer.id] not in away
        and reviewer.active_on(now.date())
    )


@dataclass(frozen=True, slots=True)
class Authoring:
    """What it would mean for the review if a version were recorded now."""

    me: str | None
    """Who is about to record it, where that is somebody on the roster."""
    is_rule: bool
    """Whether the policy keeps authors from judging."""
    involved: frozenset[str]
    """Reviewers who had a hand in the text since it was last approved, before this version."""
    on_roster: tuple[str, ...]
    """Everybody who is on the roster that day."""
    same: Mapping[str, str]
    """Reviewer → human."""
    git_user: str | None
    """The reviewer whose address git's own user has; ``None`` where it is nobody's."""

    def judges_after(self, author: str | None) -> tuple[str, ...]:
        """Who may judge the version if ``author`` (``None``: git's own user) wrote it."""
        hands = {self.same[one] for one in self.involved} | self._human(author or self.git_user)
        return tuple(one for one in self.on_roster if self.same[one] not in hands)

    def says(self, author: str | None) -> str:
        """What recording it as written by ``author`` means for who judges it; empty where the policy does not care."""
        if not self.is_rule:
            return ""
        judges = self.judges_after(author)
        can = f"{listed(judges)} can" if judges else "nobody on the roster can"
        mine = self._human(self.me)
        if mine & {self.same[one] for one in self.involved}:
            return (
                f"As {self.me} you cannot judge this version, whoever wrote it: you had a hand in the text since it "
                f"was last approved; {can}."
            )
        if mine & self._human(author or self.git_user):
            return (
                f"As {self.me} you can then not judge this version; {can}. If somebody else wrote it, choose them: "
                "who wrote a version cannot be changed afterwards."
            )
        return f"Who writes a text does not judge it: of this version {can}."

    def _human(self, reviewer: str | None) -> set[str]:
        return set() if reviewer is None else {self.same[reviewer]}


def authoring(workspace: Workspace, skill: str, me: str | None, now: datetime) -> Authoring:
    """What recording a version of ``skill`` now would mean for who may judge it.

    Raises:
        M4ReviewError: the ledger, roster or policy cannot be read, or git is missing.
    """
    ledger = Ledger.load(workspace)
    roster = ledger.roster
    return Authoring(
        me=me,
        is_rule=ledger.policy.exclude_authors,
        involved=frozenset(full_status(workspace, ledger, skill).excluded or {}),
        on_roster=tuple(one.id for one in roster.reviewers if one.active_on(now.date())),
        same=humans(roster),
        git_user=_reviewer_with(workspace, roster),
    )


def _reviewer_with(workspace: Workspace, roster: Roster) -> str | None:
    user = git_user(workspace.root)
    if user is None:
        return None
    address = user[1].lower()
    return next((one.id for one in roster.reviewers if address in human_addresses(roster, one.id)), None)

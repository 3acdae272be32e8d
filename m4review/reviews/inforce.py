"""The rules in force: what every state, queue and approval is judged by, whatever the files on disk say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from m4review.history import Repository
from m4review.reviews.chain import chain_at
from m4review.reviews.governance import RULE_FILES, Rules, changed_files
from m4review.workspace import EVENTS, REVIEWS, ROSTER_FILE, Policy, Roster


class Ruling(Protocol):
    """Whatever has a policy and a roster to judge by."""

    @property
    def policy(self) -> Policy: ...
    @property
    def roster(self) -> Roster: ...


class Ruled:
    """What is judged by the rules it holds."""

    rules: Ruling

    @property
    def policy(self) -> Policy:
        """The policy in force.

        Raises:
            LedgerError: it cannot be read.
        """
        return self.rules.policy

    @property
    def roster(self) -> Roster:
        """The roster in force.

        Raises:
            LedgerError: it is missing or cannot be read.
        """
        return self.rules.roster


@dataclass(frozen=True)
class InForce(Ruled):
    """Policy, roster and keys that hold, and why the files on disk do not where they differ."""

    rules: Rules
    notes: tuple[str, ...] = ()
    """Sentences: which file on disk is not in force, why, and what to do. Empty when all are."""

    @property
    def policy_digest(self) -> str:
        """The digest of the policy file in force (of nothing, where the defaults apply)."""
        return self.rules.policy_digest


def rules_in_force(reviews: Mapping[str, bytes], repository: Repository | None, revision: str | None) -> InForce:
    """The rules in force: the recorded ones, as far as the rules before each change adopted them.

    ``reviews`` is the reviews folder as it is now (path relative to it → bytes). Where nothing is recorded (no git, no
    first commit, no recorded roster) its files hold.

    Raises:
        HistoryError: git failed.
        LedgerError: the rules in force cannot be read.
    """
    present = Rules({name: reviews[name] for name in RULE_FILES if name in reviews})
    if repository is None or revision is None:
        return InForce(present)
    chain = chain_at(repository, revision)
    before = chain.in_force
    if ROSTER_FILE not in before.files:
        note = f"{REVIEWS}/{ROSTER_FILE} is not recorded; until it is, the rules of review are those on disk"
        return InForce(present, (note,))
    if present.digest == before.digest:
        return InForce(before)
    has_events = any(path.startswith(f"{EVENTS}/") for path in reviews)
    why = "the change is neither recorded nor adopted" if has_events else "the change is not recorded"
    if present.digest == chain.present.digest and chain.refused:
        why = chain.refused[0]
    fix = "m4review review adopt, or undo the change" if has_events else "git commit, or undo the change"
    named = " and ".join(f"{REVIEWS}/{name}" for name in changed_files(before, present))
    return InForce(before, (f"{named} on disk: not in force, nothing is judged by it; {why} ({fix})",))

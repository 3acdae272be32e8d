"""The chain of rules: which policy, roster and keys were in force when, and which changes of them were refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4review.errors import LedgerError
from m4review.history import Repository
from m4review.history.filehistory import files_at, first_parent_line, line_changing
from m4review.reviews.governance import (
    ADOPTIONS,
    RULE_FILES,
    Adoption,
    Rules,
    adopted_by,
    changed_files,
    parse_adoption,
)
from m4review.reviews.signing.allowed import EmptyAllowedSignersError, MissingAllowedSignersError
from m4review.reviews.signing.assurance import SignedEvent, assurance_of
from m4review.workspace import EVENTS, REVIEWS

RULE_PATHS = tuple(f"{REVIEWS}/{name}" for name in (*RULE_FILES, ADOPTIONS))
SIGNATURE = ".sig"


@dataclass(frozen=True)
class Chain:
    """The rules in force along the first-parent history."""

    steps: tuple[tuple[int, Rules], ...]
    """First-parent position from which each holds, oldest first."""
    present: Rules
    """The rules that the files of the revision spell, in force or not."""
    refused: tuple[str, ...]
    """Why the present files are not in force; empty when they are."""
    damaged: tuple[str, ...]
    """Adoptions that do not fit their own names or signatures."""

    @property
    def in_force(self) -> Rules:
        """The rules that hold now."""
        return self.steps[-1][1]

    def between(self, first: int, last: int) -> list[Rules]:
        """The rules in force for what was recorded at any position from ``first`` to ``last``, oldest first."""
        return [self.at(first), *(rules for start, rules in self.steps if first <= start < last)]

    def at(self, position: int | None) -> Rules:
        """The rules in force for what was recorded at a position: those from before it."""
        if position is None:
            return self.in_force
        before = [rules for start, rules in self.steps if start < position]
        return before[-1] if before else self.steps[0][1]


def chain_at(repository: Repository, revision: str) -> Chain:
    """The chain up to ``revision``, for who asks for the rules alone.

    Raises:
        LedgerError: the rules in force cannot be read.
    """
    commits = line_changing(repository, revision, RULE_PATHS)
    if len(commits) < 2:
        return read_chain(repository, revision, {}, None, commits)
    order = {commit: position for position, commit in enumerate(first_parent_line(repository, revision))}
    events = line_changing(repository, revision, (f"{REVIEWS}/{EVENTS}",))
    return read_chain(repository, revision, order, order[events[0]] if events else None, commits)


def read_chain(
    repository: Repository,
    revision: str,
    order: Mapping[str, int],
    first_event: int | None,
    commits: Sequence[str] | None = None,
) -> Chain:
    """Walk the changes of the rules up to ``revision``.

    ``order`` gives first-parent positions, ``first_event`` that of the first event, ``commits`` the changes where they
    are known.

    Raises:
        LedgerError: the rules in force cannot be read.
    """
    steps: list[tuple[int, Rules]] = []
    refused: tuple[str, ...] = ()
    damaged: list[str] = []
    if commits is None:
        commits = line_changing(repository, revision, RULE_PATHS)
    present = Rules({})
    for commit in commits or [revision]:
        position = order.get(commit, 0)
        present, adoptions, signatures, broken = _rules_at(repository, commit)
        damaged = broken
        is_set_up = first_event is None or position <= first_event
        if not steps or is_set_up:
            steps.append((-1 if is_set_up else position, present))
            continue
        before = steps[-1][1]
        refused = ()
        if present.digest == before.digest:
            continue
        levels, bad = _levels(before, adoptions, signatures)
        damaged += bad
        yes = adopted_by(before, present, adoptions, levels)
        if len(yes) >= before.policy.required:
            steps.append((position, present))
        else:
            refused = (_refusal(before, present, commit, yes),)
    return Chain(tuple(steps), present, refused, tuple(damaged))


def _rules_at(repository: Repository, commit: str) -> tuple[Rules, dict[str, Adoption], dict[str, bytes], list[str]]:
    files = {path.removeprefix(f"{REVIEWS}/"): data for path, data in files_at(repository, commit, RULE_PATHS).items()}
    rules = Rules({name: files[name] for name in RULE_FILES if name in files})
    adoptions: dict[str, Adoption] = {}
    signatures: dict[str, bytes] = {}
    damaged: list[str] = []
    for path, data in sorted(files.items()):
        folder, _, name = path.partition("/")
        if folder != ADOPTIONS or not name or name.startswith("."):
            continue
        if name.endswith(SIGNATURE):
            signatures[path.removesuffix(SIGNATURE)] = data
            continue
        try:
            adoptions[path] = parse_adoption(data, name)
        except LedgerError as error:
            damaged.append(error.what if error.place is None else f"{error.place}: {error.what}")
    return rules, adoptions, signatures, damaged


def _levels(
    before: Rules, adoptions: Mapping[str, Adoption], signatures: Mapping[str, bytes]
) -> tuple[dict[str, int], list[str]]:
    """Adoption id → level under the keys before the change, and the signatures that do not hold."""
    signed = [
        SignedEvent(adoption, signatures.get(path))
        for path, adoption in adoptions.items()
        if adoption.before == before.digest
    ]
    try:
        allowed = before.allowed
    except (MissingAllowedSignersError, EmptyAllowedSignersError):
        allowed = None
    found = assurance_of(signed, allowed, before.revoked)
    paths = {adoption.id: path for path, adoption in adoptions.items()}
    bad = [
        f"{paths[identity]}: {assurance.problem}"
        for identity, assurance in found.items()
        if assurance.problem and allowed is not None
    ]
    return {identity: assurance.level for identity, assurance in found.items()}, bad


def _refusal(before: Rules, after: Rules, commit: str, yes: Mapping[str, str]) -> str:
    files = ", ".join(f"{REVIEWS}/{name}" for name in changed_files(before, after))
    said = f"adopted by {', '.join(sorted(yes))}" if yes else "adopted by nobody"
    return (
        f"commit {commit[:12]} changes {files}, {said} under the rules before it, which ask for "
        f"{before.policy.required} distinct reviewers; the rules before it stay in force"
    )

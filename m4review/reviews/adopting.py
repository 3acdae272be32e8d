"""Adopting a change of the rules: one statement by one reviewer, recorded alone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from m4review.errors import LedgerError
from m4review.history import Repository
from m4review.reviews.governance import (
    ADOPTIONS,
    RULE_FILES,
    Rules,
    changed_files,
    parse_adoption,
    render_adoption,
)
from m4review.reviews.lock import ledger_lock
from m4review.reviews.signing.keys import key_file, public_words, sign_event
from m4review.reviews.verify.evidence import gather
from m4review.reviews.verify.source import opened_source
from m4review.textfile import write_bytes
from m4review.workspace import REVIEWS, Workspace


def proposed_change(workspace: Workspace) -> tuple[Rules, Rules]:
    """The rules in force at the last commit, and those that the files on disk spell.

    Raises:
        LedgerError: they are the same.
        HistoryError: there is no version history.
    """
    repository = Repository.open(workspace.root)
    with opened_source(workspace.root) as source:
        before = gather(source).chain.in_force
    files = repository.working_files(REVIEWS)
    after = Rules({name: files[name] for name in RULE_FILES if name in files})
    if before.digest == after.digest:
        raise LedgerError(
            "the policy, the roster and the keys are those in force; there is nothing to adopt",
            where=REVIEWS,
            fix="change them first, or get the change with git",
        )
    return before, after


def adopt_rules(
    workspace: Workspace, reviewer: str, before: Rules, after: Rules, *, now: datetime | None = None
) -> Path:
    """Record that ``reviewer`` adopts ``after`` in place of ``before``, and return the statement's file.

    Raises:
        LedgerError: the reviewer is not on the roster in force, or adopted this already.
        HistoryError: git refused the commit.
    """
    time = (now or datetime.now(UTC)).astimezone(UTC)
    person = before.roster.get(reviewer)
    if not person.active_on(time.date()):
        raise LedgerError(f"{person.id} is not on the roster in force on {time.date()}", where=REVIEWS)
    repository = Repository.open(workspace.root)
    folder = workspace.reviews_dir / ADOPTIONS
    name, data = render_adoption(person.id, before, after, time)
    parse_adoption(data, name)
    with ledger_lock(repository.git_folder):
        written = [folder / name]
        try:
            write_bytes(written[0], data, exclusive=True)
        except FileExistsError:
            raise LedgerError("this adoption is recorded already", where=workspace.relative(written[0])) from None
        try:
            signature = sign_event(workspace, person.id, data) if _is_known(person.id, before) else None
            if signature is not None:
                written.append(folder / f"{name}.sig")
                write_bytes(written[1], signature)
            repository.commit(written, f"Adoption of changed rules by {person.id}", person.git_identity)
        except BaseException:
            for file in written:
                file.unlink(missing_ok=True)
            if not any(folder.iterdir()):
                folder.rmdir()
            raise
    return written[0]


def change_text(before: Rules, after: Rules) -> str:
    """What is adopted, file by file, as differing lines."""
    import difflib

    lines: list[str] = []
    for name in changed_files(before, after):
        old = before.files.get(name, b"").decode("utf-8", "replace").splitlines()
        new = after.files.get(name, b"").decode("utf-8", "replace").splitlines()
        lines += difflib.unified_diff(
            old, new, f"in force: {REVIEWS}/{name}", f"proposed: {REVIEWS}/{name}", lineterm=""
        )
    return "\n".join(lines)


def _is_known(reviewer: str, rules: Rules) -> bool:
    """Whether the reviewer's key on this computer may sign under ``rules``; a new key cannot vouch for itself."""
    key = key_file(reviewer)
    try:
        keys = rules.allowed.of(reviewer)
    except LedgerError:
        return False
    return key is not None and any(public_words(key) == [known.key_type, known.key] for known in keys)

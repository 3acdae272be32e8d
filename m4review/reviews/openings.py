"""Asking for a review: who had a hand in the text beyond what git knows, and who is to judge it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from m4review.errors import LedgerError
from m4review.reviews.acts import Act, Plan, Scene, record
from m4review.workspace import Scope, Workspace


def opening(
    *,
    authors: Sequence[str] = (),
    reviewers: Sequence[str] = (),
    scopes: Sequence[Scope] = (),
    base: str | None = None,
    due: str | None = None,
) -> Plan:
    """Declare authors that git does not know, name who judges, or both."""

    def plan(scene: Scene) -> Act:
        wrote = tuple(dict.fromkeys(scene.roster.get(name).id for name in authors))
        asked = tuple(dict.fromkeys(scene.roster.get(name).id for name in reviewers))
        both = sorted(set(wrote) & set(asked))
        if both:
            raise LedgerError(f"{', '.join(both)} wrote the text and is asked to judge it", expected="another reviewer")
        if not wrote and not asked:
            raise LedgerError(
                "an opening names authors, reviewers or both", fix="--author C3, --reviewer C1 --reviewer C4"
            )
        said = f"As {scene.person.id} I ask for a review of {scene.subject.skill}"
        said += f" by {', '.join(asked)}." if asked else "."
        said += f" {', '.join(wrote)} had a hand in this text." if wrote else ""
        said += f" It is asked for by {due}." if due else ""
        values = {
            "authors": list(wrote),
            "reviewers": list(asked),
            "scopes": list(dict.fromkeys(scopes)),
            "base": base,
            "due": due,
        }
        return Act("open", said, values)

    return plan


def open_review(
    workspace: Workspace,
    skill: str,
    actor: str,
    *,
    authors: Sequence[str] = (),
    reviewers: Sequence[str] = (),
    scopes: Sequence[Scope] = (),
    base: str | None = None,
    due: str | None = None,
    now: datetime | None = None,
    commit: bool = True,
) -> Path:
    """Ask for a review of the recorded text of ``skill``, and return the event's file.

    Raises:
        LedgerError: nothing is said, or an author is asked to judge.
        HistoryError: there is no version history, the text is not recorded, or git refused the commit.
        WorkspaceError: somebody named is not on the roster.
    """
    plan = opening(authors=authors, reviewers=reviewers, scopes=scopes, base=base, due=due)
    return record(workspace, skill, actor, plan, now=now, commit=commit)

"""Recording a version as a conversation: a message, then done, or the findings that forbid it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.errors import M4ReviewError
from m4review.history import NothingChangedError, Repository, Version
from m4review.lint import LintRefusal, record_version
from m4review.places import SKILLS
from m4review.reviews.judges import Authoring, authoring
from m4review.reviews.meaning import listed
from m4review.tui.render.findings import listing
from m4review.tui.screens.dialogs import Reading
from m4review.tui.screens.form import Field, Form

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen
    from m4review.workspace import Workspace

NOBODY_LISTED = "none of them"
"""The author is not on the roster: the version carries git's own user."""


async def record(screen: ActionScreen, skill: str) -> bool:
    """Ask what changed and who wrote it, and record the saved text as a version; whether it was recorded.

    Raises:
        M4ReviewError: recording failed for another reason than the lint's findings.
    """
    bench = screen.bench
    roster, me = bench.workspace.roster, bench.reviewer
    form = Form(
        f"Record a version of {skill}",
        (
            Field("message", "What changed, and why:", hint="for example: temperature limit as published"),
            Field(
                "author",
                "Who wrote it:",
                (*(reviewer.id for reviewer in roster.reviewers), NOBODY_LISTED),
                me.id if me else NOBODY_LISTED,
            ),
        ),
    )
    explaining = asyncio.create_task(_explain(screen, form, skill))
    said = await screen.app.push_screen_wait(form)
    if said is None:
        return False
    author = _author(said)
    identity = None if author is None else roster.get(author).git_identity
    try:
        version = await screen.in_thread(record_version, bench.workspace, skill, said["message"], identity)
    except NothingChangedError as error:
        await _say_nothing_changed(screen, skill, author, await explaining, error)
        return False
    except LintRefusal as refusal:
        await screen.app.push_screen_wait(
            Reading("The lint refused this version. Nothing was recorded.", _why(refusal))
        )
        return False
    screen.notify(f"Version {version.number} of {skill} is recorded.", markup=False)
    return True


async def _explain(screen: ActionScreen, form: Form, skill: str) -> Authoring | None:
    """Let the form say what each author would mean for the review; ``None`` where that cannot be told, which it says
    too. The form does not wait for it."""
    bench = screen.bench
    me = bench.reviewer.id if bench.reviewer else None
    try:
        rules = await screen.in_thread(authoring, bench.workspace, skill, me, datetime.now(UTC))
    except M4ReviewError as error:
        words = f"Who may judge it afterwards cannot be told: {error.what}."
        form.explain(lambda _values: words)
        return None
    form.explain(lambda values: rules.says(_author(values)))
    return rules


def _author(values: Mapping[str, str]) -> str | None:
    """The reviewer who is chosen as author; ``None`` stands for git's own user."""
    return None if values["author"] == NOBODY_LISTED else values["author"]


async def _say_nothing_changed(
    screen: ActionScreen, skill: str, author: str | None, rules: Authoring | None, error: NothingChangedError
) -> None:
    """Say that the text is recorded already; where it carries another reviewer's name, also what can be done."""
    newest = (await screen.in_thread(_versions, screen.bench.workspace, skill))[:1]
    roster = screen.bench.workspace.roster
    person = None if author is None else roster.get(author)
    wrote = {one.id for one in roster.reviewers if newest and newest[0].people & one.addresses}
    if rules is None or person is None or not wrote or person.id in wrote:
        screen.notify(f"Nothing was recorded: {error.what}.", severity="warning", markup=False)
        return
    version, judges = newest[0], rules.judges_after(author)
    text = (
        f"Version {version.number} has this text already, and it is recorded as written by {version.author_name}. "
        "That stays so: who wrote a version is never changed, and whoever had a hand in a text does not judge it "
        "until it is approved, also where it is changed once more.\n\n"
        f"If {person.id} had a hand in it too: F3 opens the review; F2 there, then o, says so and asks others to "
        f"judge.\nWho can judge it then: {listed(judges) if judges else 'nobody on the roster'}."
    )
    await screen.app.push_screen_wait(Reading("Nothing was recorded: nothing changed in the text.", text))


def _versions(workspace: Workspace, skill: str) -> Sequence[Version]:
    return Repository.open(workspace.root).versions(f"{SKILLS}/{skill}")


def _why(refusal: LintRefusal) -> Text:
    text = Text("A skill is recorded only when the lint has no errors. In this text:\n\n")
    return text.append_text(listing(refusal.report.errors)).append("\n\nF8 in the editor goes from one to the next.")

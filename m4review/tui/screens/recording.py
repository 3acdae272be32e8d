"""Recording a version as a conversation: a message, then done, or the findings that forbid it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
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
    from m4review.tui.session.checking import Checked
    from m4review.workspace import Workspace

NOBODY_LISTED = "none of them"
"""The author is not on the roster: the version carries git's own user."""


@dataclass(frozen=True, slots=True)
class Recordable:
    """A text that may become a version: whether it is saved, what the lint says of it, and how its file gets it."""

    skill: str
    is_saved: bool
    lint: Callable[[], Checked]
    """Called in a thread."""
    bring_to_file: Callable[[], Awaitable[bool]]
    """Whether the file holds the text afterwards; nothing is written where it does already."""


async def record(screen: ActionScreen, what: Recordable) -> bool:
    """Ask what changed and who wrote it, then save the text and record it as a version; whether it was recorded.

    Before the form is accepted nothing is written; leaving it leaves file and text as they were.

    Raises:
        M4ReviewError: saving failed, or recording for another reason than the lint's findings.
    """
    skill = what.skill
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
    explaining = asyncio.create_task(_explain(screen, form, what))
    said = await screen.app.push_screen_wait(form)
    if said is None or not await what.bring_to_file():
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


async def _explain(screen: ActionScreen, form: Form, what: Recordable) -> Authoring | None:
    """Let the form say whether the text can be recorded and what each author would mean for the review; ``None`` where
    the latter cannot be told, which it says too. The form does not wait for it."""
    bench, skill = screen.bench, what.skill
    hindrance = refused_beforehand(await screen.in_thread(what.lint))
    unsaved = "" if what.is_saved else "Accepting saves the text too; Esc leaves it unsaved."
    form.explain(lambda _values: hindrance or unsaved)
    me = bench.reviewer.id if bench.reviewer else None
    try:
        rules = await screen.in_thread(authoring, bench.workspace, skill, me, datetime.now(UTC))
    except M4ReviewError as error:
        words = f"Who may judge it afterwards cannot be told: {error.what}."
        form.explain(lambda _values: words)
        return None
    form.explain(lambda values: rules.says(_author(values)))
    return rules


def refused_beforehand(checked: Checked) -> str:
    """Why the text could not be recorded as it is: how many errors the lint has and where the first stands; empty where
    there is none, or where the lint did not run, which recording says."""
    errors = [finding for finding in checked.findings if finding.severity == "error"]
    if not errors:
        return ""
    count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
    which = "" if len(errors) == 1 else ", the first"
    return (
        f"Not recorded as it is: the lint has {count}{which} in line {errors[0].line} ({errors[0].message}). Esc goes "
        "back and changes nothing; F8 there goes to it."
    )


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

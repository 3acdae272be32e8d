"""Recording a version as a conversation: a message, then done, or the findings that forbid it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from m4review.history import NothingChangedError
from m4review.lint import LintRefusal, record_version
from m4review.tui.render.findings import listing
from m4review.tui.screens.dialogs import Reading
from m4review.tui.screens.form import Field, Form

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen

NOBODY_LISTED = "none of them"
"""The author is not on the roster: the version carries git's own user."""


async def record(screen: ActionScreen, skill: str) -> bool:
    """Ask what changed and who wrote it, and record the saved text as a version; whether it was recorded.

    Raises:
        M4ReviewError: recording failed for another reason than the lint's findings.
    """
    bench = screen.bench
    roster, me = bench.workspace.roster, bench.reviewer
    said = await screen.app.push_screen_wait(
        Form(
            f"Record a version of {skill}",
            (
                Field("message", "What changed, and why:", hint="for example: temperature limit as published"),
                Field(
                    "author",
                    "Who wrote it (whoever writes a text does not review it):",
                    (*(reviewer.id for reviewer in roster.reviewers), NOBODY_LISTED),
                    me.id if me else NOBODY_LISTED,
                ),
            ),
        )
    )
    if said is None:
        return False
    message = said["message"]
    author = None if said["author"] == NOBODY_LISTED else roster.get(said["author"]).git_identity
    try:
        version = await screen.in_thread(record_version, bench.workspace, skill, message, author)
    except NothingChangedError as error:
        screen.notify(f"Nothing was recorded: {error.what}.", severity="warning", markup=False)
        return False
    except LintRefusal as refusal:
        await screen.app.push_screen_wait(
            Reading("The lint refused this version. Nothing was recorded.", _why(refusal))
        )
        return False
    screen.notify(f"Version {version.number} of {skill} is recorded.", markup=False)
    return True


def _why(refusal: LintRefusal) -> Text:
    text = Text("A skill is recorded only when the lint has no errors. In this text:\n\n")
    return text.append_text(listing(refusal.report.errors)).append("\n\nF8 in the editor goes from one to the next.")

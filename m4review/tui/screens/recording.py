"""Recording a version as a conversation: a message, then done, or the findings that forbid it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from m4review.history import NothingChangedError
from m4review.lint import LintRefusal, record_version
from m4review.tui.render.findings import listing
from m4review.tui.screens.dialogs import LineOfText, Reading

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen


async def record(screen: ActionScreen, skill: str) -> bool:
    """Ask for a message and record the saved text as a version; whether it was recorded.

    Raises:
        M4ReviewError: recording failed for another reason than the lint's findings.
    """
    message = await screen.app.push_screen_wait(
        LineOfText(
            f"Record a version of {skill}: what changed, and why?", "for example: temperature limit as published"
        )
    )
    if message is None:
        return False
    if not message.strip():
        screen.notify("Nothing was recorded: a version needs a few words on what changed.", severity="warning")
        return False
    bench = screen.bench
    author = bench.reviewer.git_identity if bench.reviewer else None
    try:
        version = await screen.in_thread(record_version, bench.workspace, skill, message.strip(), author)
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

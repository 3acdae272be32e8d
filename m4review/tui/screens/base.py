"""What all screens share: actions through the registry, reasons for what is not possible, errors as messages."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, ParamSpec, TypeVar, cast

from textual.css.query import NoMatches
from textual.worker import WorkType

from m4review.errors import M4ReviewError
from m4review.tui.actions import Action, actions_of
from m4review.tui.clipboard import CopyingScreen
from m4review.tui.render.help import help_text
from m4review.tui.screens.dialogs import Choice, Question, Reading
from m4review.tui.screens.jumping import Jump, Place
from m4review.tui.screens.leaving import Leavable
from m4review.tui.widgets.action_bar import ActionBar

if TYPE_CHECKING:
    from m4review.tui.app import WorkbenchApp

P = ParamSpec("P")
T = TypeVar("T")


class ActionScreen(CopyingScreen[None], Leavable[None]):
    """A screen whose keys come from the registry under ``room``; each action ``x`` is its method ``do_x``."""

    room: ClassVar[str]
    PLACES: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Where the keys can go: what holds the focus there, and its name in the user's words."""

    @property
    def bench(self) -> WorkbenchApp:
        return cast("WorkbenchApp", self.app)

    def why_not(self, action: str) -> str | None:
        """Why ``action`` is not possible now, in one sentence; ``None`` when it is possible."""
        return None

    def actions(self) -> list[tuple[Action, str | None]]:
        """The actions of this screen with the reason against each."""
        return [(action, self._reason(action.id)) for action in actions_of(self.room)]

    def action_perform(self, name: str) -> None:
        """Do what a key, a click or the palette asked for, or say why not.

        A key that was pressed before a dialog covered this screen, and arrives afterwards, does nothing.
        """
        if not self.is_active:
            return
        reason = self._reason(name)
        if reason is not None:
            self.notify(reason, title="Not possible now", severity="warning", markup=False)
            return
        action = getattr(self, f"do_{name}")
        if inspect.iscoroutinefunction(action):
            self.start(action, f"do_{name}")
            return
        try:
            action()
        except M4ReviewError as error:
            self.bench.show_error(error)
        self.refresh_bar()

    def start(self, work: Callable[[], Awaitable[object]], group: str) -> None:
        """Begin something that takes a while; a newer start of the same group replaces it. Errors are shown."""
        guarded: WorkType[None] = partial(self._guard, work)
        self.run_worker(guarded, group=group, exclusive=True)

    async def in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work (git, files, lint) off the event loop and wait for what it returns."""
        return await asyncio.to_thread(function, *args, **kwargs)

    def refresh_bar(self) -> None:
        """Show in the bar what is possible now."""
        for bar in self.query(ActionBar):
            bar.show_actions([(action, reason is None) for action, reason in self.actions()])

    def on_screen_resume(self) -> None:
        self.refresh_bar()
        for holder in self.query("ToastHolder"):
            if not holder.children:  # its message ended while another screen was shown, and took only itself away
                holder.remove()

    async def choose_from_menu(self, title: str) -> None:
        """Ask which of the actions without a key. Those that are not possible now come last and say why, and say it
        again when chosen."""
        entries = sorted(
            ((action, reason) for action, reason in self.actions() if action.letter), key=lambda entry: bool(entry[1])
        )
        choices = [
            Choice(
                action.id,
                action.letter,
                f"{action.label}{f': {action.brief}' if action.brief else ''}"
                if reason is None
                else f"({action.label}: {reason})",
                action.says if reason is None else f"{action.says} Not now: {reason}.",
            )
            for action, reason in entries
        ]
        chosen = await self.app.push_screen_wait(Question(title, choices, deliberate=True))
        if chosen is not None:
            self.action_perform(chosen)

    def do_help(self) -> None:
        self.app.push_screen(Reading(f"Help: {self.room}", help_text(self.room, self.actions())))

    def places(self) -> list[Place]:
        """Where one can go on this screen now, in reading order."""
        found = [(widget, name) for query, name in self.PLACES for widget in self.query(query)]
        return [
            Place(name, widget.region, partial(widget.focus, False))
            for widget, name in found
            if widget.focusable and widget.region
        ]

    async def do_jump(self) -> None:
        place = await self.app.push_screen_wait(Jump(self.places(), self.app.size))
        if place is not None:
            place.go()

    def do_quit(self) -> None:
        self.bench.leave()

    def identity_changed(self) -> None:
        """Somebody else works here now: show what they may see."""

    def window_looked_at(self) -> None:
        """The window has the focus again: see whether something changed meanwhile."""

    async def settle(self) -> bool:
        """Ask about everything that would be lost with this screen; whether it may end."""
        return True

    def keep_unfinished(self) -> str | None:
        """Write down what was typed here and given nowhere; what was kept, as a sentence.

        Raises:
            TextFileError: it could not be written.
        """
        return None

    def _reason(self, name: str) -> str | None:
        if name == "jump":
            return None
        return (self.bench.why_not_identity() if name == "identity" else None) or self.why_not(name)

    async def _guard(self, work: Callable[[], Awaitable[object]]) -> None:
        try:
            await work()
        except M4ReviewError as error:
            self.bench.show_error(error)
        except NoMatches:
            if not self.was_left:  # the answer may come after that
                raise
        finally:
            if self.is_attached:
                self.refresh_bar()

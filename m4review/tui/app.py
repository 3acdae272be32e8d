"""The app: who works here, which texts are open, and that none of them is ever lost."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.command import Provider
from textual.events import Resize
from textual.filter import LineFilter
from textual.geometry import Size
from textual.screen import ModalScreen, Screen
from textual.worker import WorkType

from m4review.errors import M4ReviewError, WorkspaceError
from m4review.tui.appearance import CONTRAST_CSS, Appearance
from m4review.tui.clipboard import CopyingApp
from m4review.tui.drawnlines import forget_drawn_lines
from m4review.tui.emptylists import guard_empty_lists
from m4review.tui.following import FollowingApp
from m4review.tui.keyorder import OrderedKeysApp
from m4review.tui.palette import RegistryCommands
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.compare import CompareScreen
from m4review.tui.screens.consensus import ConsensusScreen
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.home import HomeScreen
from m4review.tui.screens.recover import RecoverScreen
from m4review.tui.screens.review import ReviewScreen
from m4review.tui.screens.setup import SetUpScreen
from m4review.tui.screens.toosmall import TooSmall, is_too_small
from m4review.tui.screens.trial import TrialScreen
from m4review.tui.screens.workbench import WorkbenchScreen
from m4review.tui.session import Draft, Journal, OpenedSkill, new_session_name
from m4review.tui.session.setting_up import look, worth_showing
from m4review.tui.session.unfinished import UnfinishedBallots
from m4review.workspace import Reviewer, Workspace


class WorkbenchApp(FollowingApp, OrderedKeysApp, CopyingApp):
    """The workbench on one workspace.

    Raises:
        WorkspaceError: ``identity`` is not on the roster.
    """

    TITLE = "m4review"
    in_browser: ClassVar[bool] = False
    """Whether this is a browser's window: who works there is settled, and there is no terminal to give away."""
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {RegistryCommands}
    CSS = f"""{CONTRAST_CSS}
    Input {{ height: 1; }}
    OptionList, OptionList:focus, Input, Input:focus, TextArea, TextArea:focus {{ border: none; padding: 0; }}
    .headline {{
        height: 1; background: $primary; color: $text; padding: 0 1; text-style: bold;
        text-wrap: nowrap; text-overflow: ellipsis;
    }}
    """

    def __init__(
        self, workspace: Workspace, identity: str | None = None, *, environment: Mapping[str, str] = os.environ
    ) -> None:
        super().__init__()
        guard_empty_lists()
        forget_drawn_lines()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-high")]
        self.workspace = workspace
        self.environment = environment
        self.reviewer: Reviewer | None = workspace.identity(identity) if identity else _kept_identity(workspace)
        self.journal = Journal(workspace.drafts_dir, new_session_name())
        self.ballots = UnfinishedBallots(workspace.drafts_dir)
        self._edits = itertools.count(1)
        self._appearance = Appearance(self)

    # -- start and end --------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.end_for_signals()
        self._appearance.apply()
        self.push_screen(HomeScreen())
        welcome: WorkType[None] = self._welcome
        self.run_worker(welcome, group="welcome")

    async def _welcome(self) -> None:
        is_first = self.reviewer is None and not self.in_browser and not self.workspace.is_just_looking()
        self._cover_if_too_small(self.size)
        try:
            if is_first:
                await self.ask_identity()
            await self.pick_up_trials()
            drafts = await asyncio.to_thread(self.journal.claim_orphans)
        except M4ReviewError as error:
            self.show_error(error)
            return
        if drafts:
            await self.push_screen(RecoverScreen(drafts))
        elif is_first:
            is_missing = worth_showing(await asyncio.to_thread(look, self.workspace, self.environment))
            if is_missing and isinstance(self.screen, HomeScreen):  # whoever went on meanwhile is not called back
                self.open_setup()

    def on_resize(self, event: Resize) -> None:
        self._cover_if_too_small(event.size)

    def _cover_if_too_small(self, size: Size) -> None:
        if is_too_small(size) and isinstance(self.screen, ActionScreen | ModalScreen) and not self._is_covered:
            self.push_screen(TooSmall())

    @property
    def _is_covered(self) -> bool:
        return isinstance(self.screen, TooSmall)

    def leave(self) -> None:
        """Quit, after asking about everything that would be lost; asked again meanwhile, nothing more."""
        if any(worker.group == "leave" and not worker.is_finished for worker in self.workers):
            return
        leave: WorkType[None] = self._leave
        self.run_worker(leave, group="leave")

    async def _leave(self) -> None:
        try:
            for screen in reversed(self.screen_stack):
                if isinstance(screen, ActionScreen) and not await screen.settle():
                    return
            if not await self.trial_may_go_on():
                return
        except M4ReviewError as error:
            self.show_error(error)
            return
        self.exit()

    async def action_quit(self) -> None:
        self.leave()

    def on_unmount(self) -> None:
        self.stop_background_work()
        self.journal.close()

    def keep_all_texts(self) -> list[str]:
        kept: list[str | None] = []
        for screen in self.screen_stack:
            if isinstance(screen, ActionScreen):
                try:
                    kept.append(screen.keep_unfinished())
                except M4ReviewError as error:
                    kept.append(f"What was typed could not be kept: {error}")
        return [line for line in kept if line is not None]

    def on_app_blur(self) -> None:
        for line in self.keep_all_texts():
            self.log(line)

    def watch_app_focus(self, is_looked_at: bool) -> None:
        for screen in self.screen_stack if is_looked_at else ():
            if isinstance(screen, ActionScreen):
                screen.window_looked_at()

    # -- who ------------------------------------------------------------------------------------------------------

    async def ask_identity(self) -> None:
        """Ask which reviewer works here and keep the answer in the workspace's local configuration, so that it is asked
        once. Esc changes nothing.

        Raises:
            WorkspaceError: the roster cannot be read.
        """
        choices = [
            Choice(reviewer.id, str(number), f"{reviewer.id}: {reviewer.role}; {reviewer.expertise}")
            for number, reviewer in enumerate(self.workspace.roster.reviewers, start=1)
        ]
        looking = Choice("looking", "l", "Just looking: edit and try, but give no verdict")
        answer = await self.push_screen_wait(Question("Who are you?", [*choices, looking], deliberate=True))
        if answer is None:
            return
        if answer == "looking":
            self.workspace.save_just_looking()
            self.reviewer = None
        else:
            self.workspace.save_identity(answer)
            self.reviewer = self.workspace.roster.get(answer)
        for screen in self.screen_stack:
            if isinstance(screen, ActionScreen):
                screen.identity_changed()

    def why_not_identity(self) -> str | None:
        """Why nobody can say here who they are."""
        if self.in_browser:
            return "Who works in the browser is settled when m4review serve is started, with --as C2 for instance."
        return None

    # -- going places ---------------------------------------------------------------------------------------------

    def fresh_workspace(self) -> Workspace:
        """The workspace with nothing cached, for screens that are about to read it."""
        self.workspace = Workspace(self.workspace.root)
        return self.workspace

    def _go_to(self, screen: ActionScreen) -> None:
        """Show a screen; what was said on the one before is not left standing over it."""
        self.clear_notifications()
        self.push_screen(screen)

    def open_skill(self, name: str) -> None:
        """Open a skill in the editor.

        Raises:
            TextFileError: the file cannot be read as UTF-8 text.
        """
        workspace = self.fresh_workspace()
        self._go_to(WorkbenchScreen(OpenedSkill.open(name, workspace.skill_file(name), self._edits)))

    def open_draft(self, draft: Draft) -> None:
        """Open a kept draft as unsaved text over the file it was typed upon.

        Raises:
            TextFileError: the file cannot be read, or the draft could not be taken over.
        """
        workspace = self.fresh_workspace()
        opened = OpenedSkill.open(draft.skill, workspace.skill_file(draft.skill), self._edits)
        opened.typed_upon(draft.base_digest)
        self.journal.keep(draft.skill, draft.text, draft.base_digest, opened.version)
        self.journal.discard(draft)
        self._go_to(WorkbenchScreen(opened, draft.text))

    def why_not_review(self, skill: str) -> str | None:
        """Why nobody can start a review of a skill here and now, as far as it can be told without reading files."""
        if self.reviewer is None and self.in_browser:
            return "You are just looking; a reviewer starts m4review serve with their own name: --as C2."
        if self.reviewer is None:
            return "You are just looking; press F12 on the first screen to say which reviewer you are."
        return None

    def open_setup(self) -> None:
        """Show what is there and what is missing."""
        self._go_to(SetUpScreen())

    def open_review(self, name: str) -> None:
        """Open the review of a skill."""
        self._go_to(ReviewScreen(name))

    def open_consensus(self, name: str) -> None:
        """Open what the reviewers of a skill have to settle."""
        self._go_to(ConsensusScreen(name))

    def open_compare(self, name: str) -> None:
        """Open the comparison of a skill's versions."""
        self._go_to(CompareScreen(name))

    def open_trial(self, skill: str, task: str | None = None, unsaved: bool = False) -> None:
        """Open the trials of a skill."""
        self._go_to(TrialScreen(skill, task, unsaved))

    # -- messages and palette -------------------------------------------------------------------------------------

    def show_error(self, error: M4ReviewError) -> None:
        """Say what went wrong and what to do, without leaving the screen."""
        details = [error.what] + [
            f"{label}: {text}"
            for label, text in (("In", error.place), ("Expected", error.expected), ("To fix", error.fix))
            if text
        ]
        self.notify("\n".join(details), title="This did not work", severity="error", timeout=15, markup=False)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return self._appearance.filters(super().get_line_filters())

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        if isinstance(screen, ActionScreen):
            for action, reason in screen.actions():
                says = action.says if reason is None else f"Not now: {reason}"
                yield SystemCommand(f"{action.label} ({action.key_name})", says, _performer(screen, action.id))
            yield SystemCommand("Copy (Ctrl+C)", "Copy the passage that is marked.", screen.action_copy_text)
        yield from (command for command in App.get_system_commands(self, screen) if command.title == "Theme")
        yield from self._appearance.commands()


def _performer(screen: ActionScreen, action: str) -> Callable[[], None]:
    return lambda: screen.action_perform(action)


def _kept_identity(workspace: Workspace) -> Reviewer | None:
    """The reviewer kept in the local configuration; one who left the roster is asked again."""
    try:
        return workspace.identity()
    except WorkspaceError:
        return None

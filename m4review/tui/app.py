"""The app: who works here, which texts are open, and that none of them is ever lost."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.command import Provider
from textual.message import Message
from textual.screen import Screen
from textual.worker import WorkType

from m4review.errors import M4ReviewError, WorkspaceError
from m4review.tui.crash import CrashSafeApp
from m4review.tui.palette import RegistryCommands
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.compare import CompareScreen
from m4review.tui.screens.consensus import ConsensusScreen
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.home import HomeScreen
from m4review.tui.screens.recover import RecoverScreen
from m4review.tui.screens.review import ReviewScreen
from m4review.tui.screens.trial import TrialScreen
from m4review.tui.screens.workbench import WorkbenchScreen
from m4review.tui.session import Draft, Journal, OpenedSkill, new_session_name
from m4review.tui.session.running_trial import RunningTrial
from m4review.workspace import Reviewer, Workspace

SIGNALS = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM", "SIGINT") if hasattr(signal, name))


class WorkbenchApp(CrashSafeApp):
    """The workbench on one workspace.

    Raises:
        WorkspaceError: ``identity`` is not on the roster.
    """

    TITLE = "m4review"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {RegistryCommands}
    CSS = """
    Input { height: 1; }
    OptionList, OptionList:focus, Input, Input:focus, TextArea, TextArea:focus { border: none; padding: 0; }
    .headline { height: 1; background: $primary; color: $text; padding: 0 1; text-style: bold; }
    """

    class TrialEnded(Message):
        """The background trial came to its end."""

        def __init__(self, trial: RunningTrial) -> None:
            super().__init__()
            self.trial = trial

    def __init__(
        self, workspace: Workspace, identity: str | None = None, *, environment: Mapping[str, str] = os.environ
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-high")]
        self.workspace = workspace
        self.environment = environment
        self.reviewer: Reviewer | None = workspace.identity(identity) if identity else _kept_identity(workspace)
        self.journal = Journal(workspace.drafts_dir, new_session_name())
        self.trial: RunningTrial | None = None
        self._edits = itertools.count(1)

    # -- start and end --------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._catch_signals()
        self.push_screen(HomeScreen())
        welcome: WorkType[None] = self._welcome
        self.run_worker(welcome, group="welcome")

    async def _welcome(self) -> None:
        try:
            if self.reviewer is None and not self.workspace.is_just_looking():
                await self.ask_identity()
            drafts = await asyncio.to_thread(self.journal.claim_orphans)
        except M4ReviewError as error:
            self.show_error(error)
            return
        if drafts:
            await self.push_screen(RecoverScreen(drafts))

    def leave(self) -> None:
        """Quit, after asking about everything that would be lost."""
        leave: WorkType[None] = self._leave
        self.run_worker(leave, group="leave", exclusive=True)

    async def _leave(self) -> None:
        try:
            for screen in reversed(self.screen_stack):
                if isinstance(screen, WorkbenchScreen) and not await screen.settle():
                    return
            if not await self._trial_may_end():
                return
        except M4ReviewError as error:
            self.show_error(error)
            return
        self.exit()

    async def _trial_may_end(self) -> bool:
        """Ask before leaving ends a running trial; whether the app may end."""
        if self.trial is None or self.trial.is_over:
            return True
        choices = (
            Choice("back", "b", "Back; the trial goes on"),
            Choice("stop", "y", "Yes, stop the trial and leave; its container is removed first"),
        )
        if await self.push_screen_wait(Question("A trial is running.", choices)) != "stop":
            return False
        self.trial.cancel()
        return True

    async def action_quit(self) -> None:
        self.leave()

    def on_unmount(self) -> None:
        self.stop_background_work()
        self.journal.close()

    def keep_all_texts(self) -> list[str]:
        kept = []
        for screen in self.screen_stack:
            if isinstance(screen, WorkbenchScreen):
                try:
                    if screen.keep_draft():
                        kept.append(f"The unsaved text of {screen.opened.name} is kept and offered at the next start.")
                except M4ReviewError as error:
                    kept.append(f"The unsaved text of {screen.opened.name} could not be kept: {error}")
        return kept

    def stop_background_work(self) -> None:
        if self.trial is not None:
            self.trial.cancel()

    def on_app_blur(self) -> None:
        for line in self.keep_all_texts():
            self.log(line)

    def _catch_signals(self) -> None:
        """A closed terminal or a polite kill keeps every text; the exit code names the signal as shells do."""
        if threading.current_thread() is not threading.main_thread() or os.name == "nt":
            return
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._stop_for, number)

    def _stop_for(self, number: int) -> None:
        self.stop_background_work()
        kept = self.keep_all_texts()
        self.exit(return_code=128 + number, message="\n".join(["m4review was stopped.", *kept]))

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
            if isinstance(screen, HomeScreen):
                screen.do_refresh()

    # -- going places ---------------------------------------------------------------------------------------------

    def fresh_workspace(self) -> Workspace:
        """The workspace with nothing cached, for screens that are about to read it."""
        self.workspace = Workspace(self.workspace.root)
        return self.workspace

    def open_skill(self, name: str) -> None:
        """Open a skill in the editor.

        Raises:
            TextFileError: the file cannot be read as UTF-8 text.
        """
        workspace = self.fresh_workspace()
        self.push_screen(WorkbenchScreen(OpenedSkill.open(name, workspace.skill_file(name), self._edits)))

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
        self.push_screen(WorkbenchScreen(opened, draft.text))

    def why_not_review(self, skill: str) -> str | None:
        """Why nobody can start a review of a skill here and now, as far as it can be told without reading files."""
        if self.reviewer is None:
            return "You are just looking; press F12 on the first screen to say which reviewer you are."
        return None

    def open_review(self, name: str) -> None:
        """Open the review of a skill."""
        self.push_screen(ReviewScreen(name))

    def open_consensus(self, name: str) -> None:
        """Open what the reviewers of a skill have to settle."""
        self.push_screen(ConsensusScreen(name))

    def open_compare(self, name: str) -> None:
        """Open the comparison of a skill's versions."""
        self.push_screen(CompareScreen(name))

    def open_trial(self, skill: str, task: str | None = None, unsaved: bool = False) -> None:
        """Open the trials of a skill."""
        self.push_screen(TrialScreen(skill, task, unsaved))

    def start_trial(self, trial: RunningTrial) -> None:
        """Run a trial in the background; it goes on whatever screen is shown."""
        self.trial = trial
        self.run_worker(partial(self._run_trial, trial), thread=True, group="trial")

    def _run_trial(self, trial: RunningTrial) -> None:
        trial.run()
        self.post_message(self.TrialEnded(trial))

    def on_workbench_app_trial_ended(self, message: TrialEnded) -> None:
        if not isinstance(self.screen, TrialScreen):
            words = "did not run" if message.trial.error else "is over"
            self.notify(f"The trial of {message.trial.request.task} {words}; F5 shows it.", markup=False)

    # -- messages and palette -------------------------------------------------------------------------------------

    def show_error(self, error: M4ReviewError) -> None:
        """Say what went wrong and what to do, without leaving the screen."""
        details = [error.what] + [
            f"{label}: {text}"
            for label, text in (("In", error.place), ("Expected", error.expected), ("To fix", error.fix))
            if text
        ]
        self.notify("\n".join(details), title="This did not work", severity="error", timeout=15, markup=False)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        if isinstance(screen, ActionScreen):
            for action, reason in screen.actions():
                says = action.says if reason is None else f"Not now: {reason}"
                yield SystemCommand(f"{action.label} ({action.key_name})", says, _performer(screen, action.id))
        yield from (command for command in App.get_system_commands(self, screen) if command.title == "Theme")


def _performer(screen: ActionScreen, action: str) -> Callable[[], None]:
    return lambda: screen.action_perform(action)


def _kept_identity(workspace: Workspace) -> Reviewer | None:
    """The reviewer kept in the local configuration; one who left the roster is asked again."""
    try:
        return workspace.identity()
    except WorkspaceError:
        return None

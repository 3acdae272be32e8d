"""The app: who works here, which texts are open, and that none of them is ever lost."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.command import Provider
from textual.events import Resize
from textual.filter import LineFilter
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.worker import WorkType

from m4review.errors import M4ReviewError, WorkspaceError
from m4review.tui.appearance import CONTRAST_CSS, Appearance
from m4review.tui.clipboard import CopyingApp
from m4review.tui.crash import CrashSafeApp
from m4review.tui.drawnlines import forget_drawn_lines
from m4review.tui.emptylists import guard_empty_lists
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
from m4review.tui.session.running_trial import RunningTrial, to_follow
from m4review.tui.session.setting_up import look, worth_showing
from m4review.tui.session.unfinished import UnfinishedBallots
from m4review.workspace import Reviewer, Workspace

SIGNALS = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM", "SIGINT") if hasattr(signal, name))

END_SECONDS = 10.0
"""How long the screen may take to end after a signal."""

UNDER_WAY = {
    "running": "The trial of {} is running; F5 on its skill shows it.",
    "over": "The trial of {} is over; F5 on its skill shows it.",
    "died": "The trial of {} was ended from outside; F5 on its skill says what to do.",
}


class WorkbenchApp(OrderedKeysApp, CopyingApp, CrashSafeApp):
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

    class TrialEnded(Message):
        """The background trial came to its end."""

        def __init__(self, trial: RunningTrial) -> None:
            super().__init__()
            self.trial = trial

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
        self.trial: RunningTrial | None = None
        self._told: set[str] = set()
        """Ids of trials whose end was said already."""
        self._edits = itertools.count(1)
        self._appearance = Appearance(self)

    # -- start and end --------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._catch_signals()
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
            await self._pick_up_trials()
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
            if not await self._trial_may_go_on():
                return
        except M4ReviewError as error:
            self.show_error(error)
            return
        self.exit()

    async def _trial_may_go_on(self) -> bool:
        """Say that a running trial goes on without the workbench, and offer to stop it; whether the app may end."""
        if self.trial is None or self.trial.is_over:
            return True
        choices = (
            Choice("leave", "l", "Leave; the trial goes on, and F5 shows it when you are back"),
            Choice("stop", "y", "Stop the trial and leave; what has not finished is not scored"),
            Choice("back", "b", "Back to the workbench"),
        )
        answer = await self.push_screen_wait(Question("A trial is running.", choices))
        if answer == "stop":
            await asyncio.to_thread(self.trial.cancel)
        return answer in {"leave", "stop"}

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

    def stop_background_work(self) -> None:
        """Let go of the trial that is followed, which goes on in its own process."""
        if self.trial is not None:
            self.trial.let_go()

    def on_app_blur(self) -> None:
        for line in self.keep_all_texts():
            self.log(line)

    def watch_app_focus(self, is_looked_at: bool) -> None:
        for screen in self.screen_stack if is_looked_at else ():
            if isinstance(screen, ActionScreen):
                screen.window_looked_at()

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
        # Everything is kept by now. A terminal that is gone can hold up the screen's own end for ever.
        deadline = threading.Timer(END_SECONDS, os._exit, [128 + number])
        deadline.daemon = True
        deadline.start()
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

    def follow_trial(self, trial: RunningTrial) -> None:
        """Follow a trial, whatever screen is shown, instead of the one that was followed so far."""
        if self.trial is not None:
            self.trial.let_go()
        self.trial = trial
        self.run_worker(partial(self._follow_trial, trial), thread=True, group="trial")

    def _follow_trial(self, trial: RunningTrial) -> None:
        trial.follow()
        if trial.is_over:
            self.post_message(self.TrialEnded(trial))

    def on_workbench_app_trial_ended(self, message: TrialEnded) -> None:
        trial = message.trial
        is_shown = any(isinstance(screen, TrialScreen) for screen in self.screen_stack)
        if trial is self.trial and not trial.is_seen and not is_shown and trial.id not in self._told:
            words = "did not run" if trial.error else "is over"
            self.notify(f"The trial of {trial.request.task} {words}; F5 on its skill shows it.", markup=False)

    async def _pick_up_trials(self) -> None:
        """Follow what was started elsewhere or before the workbench was closed, and say what ended meanwhile."""
        workspace = self.workspace
        entries = await asyncio.to_thread(to_follow, workspace)
        self._told.update(entry.id for entry in entries if entry.state != "running")
        if entries and self.trial is None:
            self.follow_trial(RunningTrial(workspace, entries[0]))
        for entry in entries:
            said = UNDER_WAY[entry.state].format(", ".join(entry.asked.tasks))
            self.notify(said, severity="warning" if entry.state == "died" else "information", markup=False)

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

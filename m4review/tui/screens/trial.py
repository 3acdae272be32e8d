"""Trial: run a task with and without its skill, watch both, see what the skill is worth, now and over its versions."""

from __future__ import annotations

import time
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from m4review.errors import M4ReviewError
from m4review.tui.actions import bindings_of
from m4review.tui.render.runningtrial import live_text
from m4review.tui.screens.trialchoice import choose_under_way, why_not_choose
from m4review.tui.screens.trialpages import PagedTrials
from m4review.tui.screens.trialquestions import (
    ask_comparison,
    ask_dataset,
    ask_place,
    ask_task,
    may_run,
    wants_stop,
)
from m4review.tui.session.running_trial import RunningTrial, to_follow
from m4review.tui.session.trial_plan import TrialPlan
from m4review.tui.session.trial_setup import at_present, load_setup
from m4review.tui.widgets.action_bar import ActionBar
from m4review.tui.widgets.trial_pages import TrialPages

TICK = 0.1
"""Seconds between two looks at a running trial; its events are shown in batches."""
LOOKING = frozenset({"other", "detail", "export"})
"""Actions that look at what there is, and can be done while a trial runs."""


class TrialScreen(PagedTrials):
    """One skill's trials. The running one belongs to the app, so that it goes on when this screen is left.

    Opening the screen starts a trial at once when nothing is left to ask, unless a result waits to be seen.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("trial")
    PLACES = (("TrialPages ContentSwitcher > *", "the page"),)
    DEFAULT_CSS = """
    TrialScreen #setup { height: auto; max-height: 3; padding: 0 1; background: $panel; }
    TrialScreen.-low #setup { max-height: 1; }
    """

    def __init__(self, skill: str, task: str | None = None, unsaved: bool = False) -> None:
        super().__init__(skill)
        self._first_task = task
        self._unsaved = unsaved
        self._shown_over = False
        self._was_set_up = False

    def compose(self) -> ComposeResult:
        yield Static(f"Trial · {self.skill}", classes="headline", markup=False)
        yield Static("Looking for datasets and the engine …", id="setup", markup=False)
        yield TrialPages()
        yield ActionBar()

    def on_mount(self) -> None:
        self.pages.refresh_titles()
        self.pages.focus_page()
        self.set_interval(TICK, self._look)
        self.start(self._load, "load")

    def why_not(self, action: str) -> str | None:
        running = self._trial
        if action == "cancel":
            if running is None or running.is_over:
                return "No trial is running."
            return "The trial is stopping already." if running.is_cancelled else None
        if action in {"help", "leave", "quit", "view", "under_way", "setup"}:
            return None
        if self.plan is None:
            return "Still looking for datasets and the engine."
        if action in LOOKING:
            return why_not_choose(action, self.pages.page, self.plan.setup.earlier)
        if running is not None and not running.is_over:
            return "A trial is running; wait for its end or cancel it with x."
        return self.plan.why_not(action)

    # -- actions --------------------------------------------------------------------------------------------------

    async def do_run(self) -> None:
        plan = self.planned
        plan.setup = await self.in_thread(at_present, plan.setup, self.bench.fresh_workspace())
        if await may_run(self, plan):
            await self._run()

    async def do_task(self) -> None:
        if await ask_task(self, self.planned):
            self.look = self.look.at(self.planned.tried)
            self._show_plan()

    async def do_dataset(self) -> None:
        await ask_dataset(self, self.planned)
        self._show_plan()

    async def do_sandbox(self) -> None:
        await ask_place(self, self.planned)
        self._show_plan()

    async def do_conditions(self) -> None:
        await ask_comparison(self, self.planned)
        self._show_plan()

    async def do_cancel(self) -> None:
        if await wants_stop(self) and self._trial is not None:
            await self.in_thread(self._trial.cancel)

    def do_setup(self) -> None:
        self._was_set_up = True
        self.bench.open_setup()

    async def do_under_way(self) -> None:
        workspace = self.bench.fresh_workspace()
        entry = await choose_under_way(self, workspace)
        if entry is not None:
            self._shown_over = False
            self.bench.follow_trial(RunningTrial(workspace, entry))
            self.action_show_view("result")

    def do_leave(self) -> None:
        if self._trial is not None and not self._trial.is_over:
            self.notify("The trial goes on; a message says when it is over.", markup=False)
        self.dismiss()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self._was_set_up:
            self._was_set_up = False
            self.start(partial(self._load, may_begin=False), "load")

    # -- filling --------------------------------------------------------------------------------------------------

    @property
    def _trial(self) -> RunningTrial | None:
        return self.bench.trial

    async def _load(self, may_begin: bool = True) -> None:
        """Look for what there is; then, where nothing is left to ask, begin the trial or show what it found."""
        try:
            setup = await self.in_thread(load_setup, self.bench.fresh_workspace(), self.skill, self.bench.environment)
        except M4ReviewError as error:
            self.query_one("#setup", Static).update(f"No trial can run: {error.what}")
            raise
        self.plan = (
            TrialPlan.begin(setup, self._first_task, self._unsaved) if self.plan is None else self.plan.on(setup)
        )
        self._show_plan()
        workspace = self.bench.workspace
        for entry in (await self.in_thread(to_follow, workspace, setup.tasks))[:1]:
            if self._trial is None or (self._trial.is_over and self._trial.id != entry.id):
                self.bench.follow_trial(RunningTrial(workspace, entry))
        showing = self.followed
        self.draw_page()
        is_free = showing is None or showing.is_seen
        if may_begin and is_free and not self._unsaved and self.why_not("run") is None:
            await self._run_or_show()

    async def _run(self) -> None:
        plan = self.planned
        workspace, environment = self.bench.fresh_workspace(), self.bench.environment
        trial = await self.in_thread(RunningTrial.begin, workspace, plan.request(), environment)
        self._shown_over = plan.goes_on = False
        self.look = self.look.at(None)
        self.bench.follow_trial(trial)
        self.action_show_view("result")

    async def _run_or_show(self) -> None:
        """Start the trial; where exactly this text was tried already, show that trial, and leave another to F5."""
        tried = self.planned.tried
        if tried is None:
            await self._run()
            return
        self.look = self.look.at(tried)
        self.draw_page()
        self.notify(
            "Exactly this text was tried already: this is the result. F5 asks whether to run it again.", markup=False
        )

    def _show_plan(self) -> None:
        if self.plan is not None:
            self.query_one("#setup", Static).update(self.plan.described)
            self.draw_page()
        self.refresh_bar()

    def _look(self) -> None:
        """Take in what the running trial reported since the last look, and show it where its page is open."""
        running = self.followed
        if running is None or self._shown_over:
            return
        running.take_events()
        if running.is_over:
            self._shown_over = True
            self.start(partial(self._take_end, running), "end")
        elif self.pages.page == "result" and self.look.trial is None:
            self.pages.show_text(live_text(running, time.time(), self.pages.size.width, self.pages.size.height))

    async def _take_end(self, running: RunningTrial) -> None:
        await self.in_thread(running.was_seen)
        if self.plan is None:
            return
        self.plan.goes_on = running.died
        if running.summary is not None:
            self.plan.setup = await self.in_thread(at_present, self.plan.setup, self.bench.fresh_workspace())
            self.look = self.look.at(None)
        self.draw_page()

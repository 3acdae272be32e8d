"""Trial: run a task with and without its skill, watch both, see what the skill is worth, now and over its versions."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Key
from textual.widgets import Static

from m4review.errors import M4ReviewError
from m4review.tui.actions import bindings_of
from m4review.tui.render.runningtrial import ended_text, live_text
from m4review.tui.render.trials import before_text, result_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.trialchoice import DETAILS, choose, choose_detail, choose_trial, choose_under_way
from m4review.tui.session.running_trial import RunningTrial, to_follow
from m4review.tui.session.trial_pages import Look, Page, export, page_of
from m4review.tui.session.trial_plan import TrialPlan
from m4review.tui.session.trial_setup import COMPARISONS, PLACES, TrialSetup, earlier_trials, load_setup
from m4review.tui.widgets.action_bar import ActionBar
from m4review.tui.widgets.trial_pages import TrialPages

if TYPE_CHECKING:
    from m4review.trials import TrialSummary

TICK = 0.1
"""Seconds between two looks at a running trial; its events are shown in batches."""
LOOKING = frozenset({"other", "detail", "export"})
"""Actions that look at what there is, and can be done while a trial runs."""


class TrialScreen(ActionScreen):
    """One skill's trials. The running one belongs to the app, so that it goes on when this screen is left.

    Opening the screen starts a trial at once when nothing is left to ask, unless a result waits to be seen.
    """

    room = "trial"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("trial")
    DEFAULT_CSS = """
    TrialScreen #setup { height: auto; max-height: 3; padding: 0 1; background: $panel; }
    TrialScreen.-low #setup { max-height: 1; }
    """

    def __init__(self, skill: str, task: str | None = None, unsaved: bool = False) -> None:
        super().__init__()
        self.skill = skill
        self._first_task = task
        self._plan: TrialPlan | None = None
        self._unsaved = unsaved
        self._shown_over = False
        self._look_at = Look(skill)

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
        if action in {"help", "leave", "quit", "view", "under_way"}:
            return None
        if self._plan is None:
            return "Still looking for datasets and the engine."
        if action in LOOKING:
            return self._why_not_look(action, self._plan.setup)
        if running is not None and not running.is_over:
            return "A trial is running; wait for its end or cancel it with x."
        return self._plan.why_not(action)

    def _why_not_look(self, action: str, setup: TrialSetup) -> str | None:
        if action == "other" and len(setup.earlier) < 2:
            return "There are no two trials to choose from yet."
        if action == "detail" and self.pages.page not in DETAILS:
            return "There is nothing to choose on this page; it shows all there is."
        if action == "detail" and not setup.earlier and self.pages.page != "plots":
            return "There is no trial yet."
        if action == "detail" and self.pages.page == "compare" and len(setup.earlier) < 2:
            return "There is no other trial to compare with yet."
        return None

    # -- actions --------------------------------------------------------------------------------------------------

    async def do_run(self) -> None:
        plan = self._planned
        if self._unsaved and not await self._confirm_saved_text():
            return
        workspace, environment = self.bench.fresh_workspace(), self.bench.environment
        trial = await self.in_thread(RunningTrial.begin, workspace, plan.request(), environment)
        self._shown_over = plan.goes_on = False
        self._look_at = self._look_at.at(None)
        self.bench.follow_trial(trial)
        self.action_show_view("result")

    async def do_task(self) -> None:
        plan = self._planned
        answer = await choose(self, "Which task?", [(name, name) for name in plan.setup.tasks])
        if answer is not None:
            plan.choose_task(answer)
            self._show_plan()

    async def do_dataset(self) -> None:
        plan = self._planned
        assert plan.task is not None
        fitting = [(dataset.name, f"{dataset.name}: {dataset.facts}") for dataset in plan.setup.fitting(plan.task)]
        plan.dataset = await choose(self, "Which dataset?", fitting) or plan.dataset
        self._show_plan()

    async def do_sandbox(self) -> None:
        choices = [Choice(place, place[0], says) for place, says in PLACES.items()]
        answer = await self.app.push_screen_wait(Question("Where does the agent run?", choices))
        if answer is not None:
            self._planned.place = "local" if answer == "local" else "docker"
            self._show_plan()

    async def do_conditions(self) -> None:
        plan = self._planned
        choices = [Choice(comparison.id, comparison.key, comparison.says) for comparison in COMPARISONS]
        answer = await self.app.push_screen_wait(Question("What is compared?", choices))
        plan.comparison = next((entry for entry in COMPARISONS if entry.id == answer), plan.comparison)
        self._show_plan()

    async def do_cancel(self) -> None:
        choices = (
            Choice("back", "b", "Back; the trial goes on"),
            Choice("stop", "y", "Yes, stop it; what has not finished is not scored"),
        )
        if await self.app.push_screen_wait(Question("Stop the running trial?", choices)) == "stop":
            running = self._trial
            if running is not None:
                await self.in_thread(running.cancel)

    def do_view(self) -> None:
        self.action_show_view(self.pages.following)

    async def do_other(self) -> None:
        trial = await choose_trial(self, "Which trial?", self._earlier())
        if trial is not None:
            self._look_at = self._look_at.at(trial)
            self._draw()

    async def do_detail(self) -> None:
        changed = await choose_detail(self, self.pages.page, self._looked_at(), self._earlier())
        if changed is not None:
            self._look_at = changed
            self._draw()

    async def do_export(self) -> None:
        paths = await self.in_thread(export, self._look_at, self.bench.fresh_workspace(), self._viewer)
        self.notify("\n".join(f"Written: {path}" for path in paths), markup=False)

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

    def action_show_view(self, view: Page) -> None:
        """Turn to a page."""
        if self.pages.turn_to(view) and view != "result":
            self.pages.show_text(Text("Counting …" if view == "levels" else "Reading …"))
        self._draw()
        self.refresh_bar()

    def on_key(self, event: Key) -> None:
        page = self.pages.page_with(event.character or "")
        if page is not None:
            event.stop()
            self.action_show_view(page)

    def on_resize(self) -> None:
        self.pages.refresh_titles()
        self._draw()

    async def _confirm_saved_text(self) -> bool:
        choices = (
            Choice("back", "b", "Back; save the text first (Ctrl+S in the editor)"),
            Choice("run", "y", "Run it on the saved file, without what was typed since"),
        )
        question = Question(f"The text of {self.skill} is not saved. A trial runs on the saved file.", choices)
        return await self.app.push_screen_wait(question) == "run"

    @property
    def _planned(self) -> TrialPlan:
        assert self._plan is not None
        return self._plan

    # -- filling --------------------------------------------------------------------------------------------------

    @property
    def _trial(self) -> RunningTrial | None:
        return self.bench.trial

    @property
    def pages(self) -> TrialPages:
        return self.query_one(TrialPages)

    @property
    def _viewer(self) -> str | None:
        return None if self.bench.reviewer is None else self.bench.reviewer.id

    async def _load(self) -> None:
        try:
            setup = await self.in_thread(load_setup, self.bench.fresh_workspace(), self.skill, self.bench.environment)
        except M4ReviewError as error:
            self.query_one("#setup", Static).update(f"No trial can run: {error.what}")
            raise
        self._plan = TrialPlan.begin(setup, self._first_task)
        self._show_plan()
        workspace = self.bench.workspace
        for entry in (await self.in_thread(to_follow, workspace, setup.tasks))[:1]:
            if self._trial is None or (self._trial.is_over and self._trial.id != entry.id):
                self.bench.follow_trial(RunningTrial(workspace, entry))
        showing = self._trial_to_show()
        self._draw()
        if (showing is None or showing.is_seen) and not self._unsaved and self.why_not("run") is None:
            await self._run_or_show()

    async def _run_or_show(self) -> None:
        """Start the trial; where exactly this text was tried already, show that trial, and leave another to F5."""
        plan = self._planned
        assert plan.task is not None
        assert plan.dataset is not None
        tried = plan.setup.tried(plan.task, plan.dataset, plan.place)
        if tried is None:
            await self.do_run()
            return
        self._look_at = self._look_at.at(tried)
        self._draw()
        self.notify("Exactly this text was tried already: this is the result. F5 tries it once more.", markup=False)

    def _trial_to_show(self) -> RunningTrial | None:
        """The trial that this window follows: while it runs, and when it ended and concerns this skill."""
        trial = self._trial
        if trial is None or not trial.is_over:
            return trial
        return trial if self._plan is not None and set(trial.tasks) & set(self._plan.setup.tasks) else None

    def _earlier(self) -> tuple[TrialSummary, ...]:
        return () if self._plan is None else self._plan.setup.earlier

    def _looked_at(self) -> Look:
        return self._look_at.among(self._earlier())

    def _show_plan(self) -> None:
        if self._plan is not None:
            self.query_one("#setup", Static).update(self._plan.described)
        self.refresh_bar()

    def _look(self) -> None:
        """Take in what the running trial reported since the last look, and show it where its page is open."""
        running = self._trial_to_show()
        if running is None or self._shown_over:
            return
        running.take_events()
        if running.is_over:
            self._shown_over = True
            self.start(partial(self._take_end, running), "end")
        elif self.pages.page == "result" and self._look_at.trial is None:
            self.pages.show_text(live_text(running, time.time(), self.pages.size.width, self.pages.size.height))

    async def _take_end(self, running: RunningTrial) -> None:
        await self.in_thread(running.was_seen)
        if self._plan is None:
            return
        self._plan.goes_on = running.died
        if running.summary is not None:
            earlier = await self.in_thread(earlier_trials, self.bench.fresh_workspace(), self.skill)
            self._plan.setup = replace(self._plan.setup, earlier=earlier)
            self._look_at = self._look_at.at(None)
        self._draw()

    def _draw(self) -> None:
        """Show the page that is open."""
        plan = self._plan
        if plan is None:
            return
        if self.pages.page != "result":
            self.start(self._fill_page, "page")
            return
        running, chosen, width = self._trial_to_show(), self._look_at.trial, self.pages.width
        if chosen is not None:
            self.pages.show_text(result_text(chosen, width=width))
        elif running is None:
            self.pages.show_text(before_text(plan, width))
        elif running.summary is not None:
            self.pages.show_text(result_text(running.summary, width=width))
        elif running.error is not None:
            self.pages.show_text(ended_text(running, without_docker=plan.place == "docker"))

    async def _fill_page(self) -> None:
        page, look = self.pages.page, self._looked_at()
        workspace, environment = self.bench.fresh_workspace(), self.bench.environment
        try:
            content = await self.in_thread(page_of, page, look, workspace, environment, self._viewer, self.pages.width)
        except M4ReviewError as error:
            content = Text(str(error))
        if page != self.pages.page:
            return
        if isinstance(content, Text):
            self.pages.show_text(content)
        else:
            await self.pages.show_drawing(content)

"""The pages of a skill's trials, and what a person looks at on them; which trial runs is the business of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.events import Key

from m4review.errors import M4ReviewError
from m4review.tui.render.runningtrial import ended_text
from m4review.tui.render.trials import before_text, result_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.trialchoice import choose_detail, choose_trial
from m4review.tui.session.running_trial import RunningTrial
from m4review.tui.session.trial_pages import Look, Page, export, page_of, what_helped
from m4review.tui.session.trial_plan import TrialPlan
from m4review.tui.widgets.trial_pages import TrialPages

if TYPE_CHECKING:
    from m4review.trials import TrialSummary


class PagedTrials(ActionScreen):
    """A screen with the pages of one skill's trials. ``plan`` is there once it is known what can be tried."""

    room = "trial"

    def __init__(self, skill: str) -> None:
        super().__init__()
        self.skill = skill
        self.plan: TrialPlan | None = None
        self.look = Look(skill)

    @property
    def pages(self) -> TrialPages:
        return self.query_one(TrialPages)

    @property
    def earlier(self) -> tuple[TrialSummary, ...]:
        """The trials of the skill's tasks, newest first."""
        return () if self.plan is None else self.plan.setup.earlier

    @property
    def planned(self) -> TrialPlan:
        """The plan, where actions ask for it: none is possible before it is there."""
        assert self.plan is not None
        return self.plan

    @property
    def followed(self) -> RunningTrial | None:
        """The trial that this window follows: while it runs, and when it ended and concerns what is looked at."""
        trial, plan = self.bench.trial, self.plan
        if trial is None or not trial.is_over:
            return trial
        if plan is None:
            return None
        concerned = plan.setup.tasks if plan.task is None else (plan.task,)
        return trial if set(trial.tasks) & set(concerned) else None

    @property
    def _look_of_page(self) -> Look:
        return self.look.among(self.earlier, self.pages.page)

    @property
    def _viewer(self) -> str | None:
        return None if self.bench.reviewer is None else self.bench.reviewer.id

    def do_view(self) -> None:
        self.action_show_view(self.pages.following)

    async def do_other(self) -> None:
        trial = await choose_trial(self, "Which trial?", self.earlier)
        if trial is not None:
            self.look = self.look.at(trial)
            self.draw_page()

    async def do_detail(self) -> None:
        changed = await choose_detail(self, self.pages.page, self._look_of_page, self.earlier)
        if changed is not None:
            self.look = changed
            self.draw_page()

    async def do_export(self) -> None:
        paths = await self.in_thread(export, self.look, self.bench.fresh_workspace(), self._viewer)
        self.notify("\n".join(f"Written: {path}" for path in paths), markup=False)

    def action_show_view(self, view: Page) -> None:
        """Turn to a page."""
        if self.pages.turn_to(view) and view != "result":
            self.pages.show_text(Text("Counting …" if view == "levels" else "Reading …"))
        self.draw_page()
        self.refresh_bar()

    def on_key(self, event: Key) -> None:
        page = self.pages.page_with(event.character or "")
        if page is not None:
            event.stop()
            self.action_show_view(page)

    def on_resize(self) -> None:
        self.pages.refresh_titles()
        self.draw_page()

    def draw_page(self) -> None:
        """Show the page that is open."""
        plan = self.plan
        if plan is None:
            return
        if self.pages.page != "result":
            self.start(self._fill_page, "page")
            return
        running, width = self.followed, self.pages.width
        ended = None if running is None else running.summary
        found = self.look.trial or next((trial for trial in self.earlier if ended and trial.id == ended.id), ended)
        if found is not None:
            helped = what_helped(found, plan.setup.earlier, self.skill)
            self.pages.show_text(result_text(found, helped=helped, width=width))
        elif running is None:
            self.pages.show_text(before_text(plan, width))
        elif running.error is not None:
            self.pages.show_text(ended_text(running, without_docker=plan.place == "docker"))

    async def _fill_page(self) -> None:
        page, look = self.pages.page, self._look_of_page
        workspace, environment = self.bench.fresh_workspace(), self.bench.environment
        try:
            content = await self.in_thread(
                page_of, page, look, workspace, environment, self._viewer, self.pages.width, self.planned.next_step
            )
        except M4ReviewError as error:
            content = Text(str(error))
        if page != self.pages.page:
            return
        if isinstance(content, Text):
            self.pages.show_text(content)
        else:
            await self.pages.show_drawing(content)

"""Trial: run a task with and without its skill, watch both, see what the skill is worth."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from m4review.errors import M4ReviewError, TrialError
from m4review.tui.actions import bindings_of
from m4review.tui.render.trials import history_text, lanes, result_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.session.running_trial import RunningTrial, to_follow
from m4review.tui.session.trial_setup import COMPARISONS, PLACES, Place, TrialSetup, load_setup
from m4review.tui.widgets.action_bar import ActionBar

TICK = 0.1
"""Seconds between two looks at a running trial; its events are shown in batches."""
DIGITS = "123456789abcdefgh"


class TrialScreen(ActionScreen):
    """One skill's trials. The running one belongs to the app, so that it goes on when this screen is left.

    Opening the screen starts a trial at once when nothing is left to ask, unless a result waits to be seen.
    """

    room = "trial"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("trial")
    DEFAULT_CSS = """
    TrialScreen #setup { height: auto; max-height: 3; padding: 0 1; background: $panel; }
    TrialScreen #outcome { height: 1fr; padding: 0 1; }
    TrialScreen #outcome Static { width: 100%; min-width: 20; }
    """

    def __init__(self, skill: str, task: str | None = None, unsaved: bool = False) -> None:
        super().__init__()
        self.skill = skill
        self._setup: TrialSetup | None = None
        self._task_name = task
        self._dataset: str | None = None
        self._place: Place = "docker"
        self._comparison = COMPARISONS[0]
        self._unsaved = unsaved
        self._shown_over = False

    def compose(self) -> ComposeResult:
        yield Static(f"Trial · {self.skill}", classes="headline", markup=False)
        yield Static("Looking for datasets and the engine …", id="setup", markup=False)
        with VerticalScroll(id="outcome"):
            yield Static(id="outcome-text", markup=False)
        yield ActionBar()

    def on_mount(self) -> None:
        self.query_one("#outcome").focus()
        self.set_interval(TICK, self._look)
        self.start(self._load, "load")

    def why_not(self, action: str) -> str | None:
        running = self._trial
        if action == "cancel":
            if running is None or running.is_over:
                return "No trial is running."
            return "The trial is stopping already." if running.is_cancelled else None
        if action in {"help", "leave", "quit"}:
            return None
        if self._setup is None:
            return "Still looking for datasets and the engine."
        if running is not None and not running.is_over:
            return "A trial is running; wait for its end or cancel it with x."
        return self._why_not_set_up(action, self._setup)

    def _why_not_set_up(self, action: str, setup: TrialSetup) -> str | None:
        if action == "sandbox":
            return None if setup.engine is None else f"Only this machine can be used: {setup.engine}."
        if self._task_name is None:
            return None if action == "task" else "Choose a task first (F2)."
        if action == "task" and len(setup.tasks) < 2:
            return "This skill has one task only."
        if action in {"run", "dataset"} and not setup.fitting(self._task_name):
            return setup.why_no_dataset(self._task_name)
        if action == "dataset" and len(setup.fitting(self._task_name)) < 2:
            return "There is one dataset for this task only."
        if action == "run" and self._dataset is None:
            return "Several datasets fit; choose one first (F3)."
        return None

    # -- actions --------------------------------------------------------------------------------------------------

    async def do_run(self) -> None:
        from m4review.trials import TrialRequest

        assert self._task_name is not None
        if self._unsaved and not await self._confirm_saved_text():
            return
        request = TrialRequest(
            task=self._task_name,
            dataset=self._dataset,
            sandbox=self._place,
            conditions=self._comparison.conditions,
            ablate=() if self._comparison.sections else None,
        )
        self._shown_over = False
        workspace, environment = self.bench.fresh_workspace(), self.bench.environment
        self.bench.follow_trial(await self.in_thread(RunningTrial.begin, workspace, request, environment))

    async def do_task(self) -> None:
        assert self._setup is not None
        choices = [Choice(name, DIGITS[index], name) for index, name in enumerate(self._setup.tasks)]
        answer = await self.app.push_screen_wait(Question("Which task?", choices))
        if answer is not None:
            self._choose_task(answer)

    async def do_dataset(self) -> None:
        assert self._setup is not None
        assert self._task_name is not None
        choices = [
            Choice(dataset.name, DIGITS[index], f"{dataset.name}: {dataset.facts}")
            for index, dataset in enumerate(self._setup.fitting(self._task_name))
        ]
        self._dataset = await self.app.push_screen_wait(Question("Which dataset?", choices)) or self._dataset
        self._show_setup()

    async def do_sandbox(self) -> None:
        choices = [Choice(place, place[0], says) for place, says in PLACES.items()]
        answer = await self.app.push_screen_wait(Question("Where does the agent run?", choices))
        if answer is not None:
            self._place = "local" if answer == "local" else "docker"
            self._show_setup()

    async def do_conditions(self) -> None:
        choices = [Choice(comparison.id, comparison.key, comparison.says) for comparison in COMPARISONS]
        answer = await self.app.push_screen_wait(Question("What is compared?", choices))
        self._comparison = next((entry for entry in COMPARISONS if entry.id == answer), self._comparison)
        self._show_setup()

    async def do_cancel(self) -> None:
        choices = (
            Choice("back", "b", "Back; the trial goes on"),
            Choice("stop", "y", "Yes, stop it; what has not finished is not scored"),
        )
        if await self.app.push_screen_wait(Question("Stop the running trial?", choices)) == "stop":
            running = self._trial
            if running is not None:
                await self.in_thread(running.cancel)

    def do_leave(self) -> None:
        if self._trial is not None and not self._trial.is_over:
            self.notify("The trial goes on; a message says when it is over.", markup=False)
        self.dismiss()

    async def _confirm_saved_text(self) -> bool:
        choices = (
            Choice("back", "b", "Back; save the text first (Ctrl+S in the editor)"),
            Choice("run", "y", "Run it on the saved file, without what was typed since"),
        )
        question = Question(f"The text of {self.skill} is not saved. A trial runs on the saved file.", choices)
        return await self.app.push_screen_wait(question) == "run"

    # -- filling --------------------------------------------------------------------------------------------------

    @property
    def _trial(self) -> RunningTrial | None:
        return self.bench.trial

    async def _load(self) -> None:
        try:
            setup = await self.in_thread(load_setup, self.bench.fresh_workspace(), self.skill, self.bench.environment)
        except M4ReviewError as error:
            self.query_one("#setup", Static).update(f"No trial can run: {error.what}")
            raise
        self._setup = setup
        self._place = "docker" if setup.engine is None else "local"
        only = setup.tasks[0] if len(setup.tasks) == 1 else None
        self._choose_task(self._task_name if self._task_name in setup.tasks else only)
        workspace = self.bench.workspace
        for entry in (await self.in_thread(to_follow, workspace, setup.tasks))[:1]:
            if self._trial is None or (self._trial.is_over and self._trial.id != entry.id):
                self.bench.follow_trial(RunningTrial(workspace, entry))
        showing = self._trial_to_show()
        if showing is None:
            self._show(self._before(setup))
        if (showing is None or showing.is_seen) and not self._unsaved and self.why_not("run") is None:
            await self.do_run()

    def _trial_to_show(self) -> RunningTrial | None:
        """The trial of this session that runs, or that ended and concerns this skill."""
        trial = self._trial
        if trial is None or not trial.is_over:
            return trial
        return trial if self._setup is not None and trial.request.task in self._setup.tasks else None

    def _choose_task(self, task: str | None) -> None:
        assert self._setup is not None
        self._task_name = task
        self._dataset = self._setup.first_dataset(task) if task else None
        self._show_setup()

    def _show_setup(self) -> None:
        setup = self._setup
        assert setup is not None
        place = PLACES[self._place]
        if setup.engine is not None:
            place += f" ({setup.engine})"
        task = self._task_name or "not chosen (F2)"
        compared = f" · {self._comparison.beside_the_pair}" if self._comparison.beside_the_pair else ""
        self.query_one("#setup", Static).update(f"{task} · dataset: {self._dataset or 'none'}{compared}\n{place}")
        self.refresh_bar()

    def _before(self, setup: TrialSetup) -> RenderableType:
        text = Text()
        if self._task_name and not setup.fitting(self._task_name):
            text.append(setup.why_no_dataset(self._task_name) + "\n\n", "bold")
        elif self._task_name is None:
            text.append("Choose a task with F2, then F5 runs it.\n\n")
        else:
            text.append("F5 runs the task without and with the skill and scores both; F6 adds controls.\n\n")
        text.append("Earlier trials\n", "bold").append_text(history_text(setup.earlier))
        if setup.earlier:
            return Group(text, Text("\nThe last one\n", "bold"), result_text(setup.earlier[0], width=self.size.width))
        return text

    def _look(self) -> None:
        """Show what the running trial reported since the last look."""
        running = self._trial_to_show()
        if running is None or self._shown_over:
            return
        running.take_events()
        if not running.is_over:
            heading = "stopping …" if running.is_cancelled else f"{running.request.task} is running"
            notices = "\n".join(running.notices)
            self._show(Group(Text(f"{heading}\n{notices}\n", "bold"), lanes(running, time.time())))
            return
        self._shown_over = True
        running.was_seen()
        if running.summary is not None:
            self._show(result_text(running.summary, width=self.size.width))
        elif running.error is not None:
            other = (
                "\n\nWithout Docker, F4 chooses this machine (not isolated)."
                if isinstance(running.error, TrialError) and self._place == "docker"
                else ""
            )
            self._show(Text(f"The trial did not run.\n\n{running.error}{other}"))
        self.refresh_bar()

    def _show(self, content: RenderableType) -> None:
        self.query_one("#outcome-text", Static).update(content)

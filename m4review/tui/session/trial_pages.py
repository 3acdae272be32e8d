"""What the pages of a skill's trials show, besides the running one. Plain Python; read and computed in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.campaigns.trialfigures import WorkspaceFigure
    from m4review.campaigns.workspacefigures import FigureName
    from m4review.trials import RunRecord, TrialSummary
    from m4review.trials.improvement import Improvement

Page = Literal["result", "history", "columns", "levels", "sections", "steps", "compare", "plots"]
PAGES: dict[Page, str] = {
    "result": "Result",
    "history": "Past",
    "columns": "Columns",
    "levels": "Levels",
    "sections": "Sections",
    "steps": "Steps",
    "compare": "Compare",
    "plots": "Plots",
}
NO_TRIAL = "No trial of this skill yet."
NOT_SCORED = "No run of this trial was scored; page 1 says why. F7 chooses another trial."
NO_SECTION = "No trial of this task has left a section out yet."
SECTIONS = "F6 chooses 'Each section left out in turn', then F5 runs it."
ONE_TRIAL = "There is no other trial to compare with yet."
ANOTHER_TRIAL = "Correct the text and save it; F5 then tries it, and this page sets both trials beside each other."
MATCHED = "Matched per column: the share of the expected cells that the answer has right."
LEVELS = "F8 chooses another column."
STEPS = "F8 chooses another run, for instance the one without the skill."
COMPARED = "F8 chooses another first trial, F7 another second one."
PLOTTED = "F8 chooses another figure; F9 writes this one as SVG and PNG."
VERDICTS_NEEDED = "Two reviewers judge the same text, each on their own: F3 on the first screen or in the editor."
PICTURES = ("svg", "png")


@dataclass(frozen=True, slots=True)
class Look:
    """What a person looks at; ``None`` stands for the first there is."""

    skill: str
    trial: TrialSummary | None = None
    other: TrialSummary | None = None
    """The earlier trial of a comparison."""
    column: str | None = None
    run: str | None = None
    figure: FigureName = "reward"
    panel: int = 0

    def at(self, trial: TrialSummary | None) -> Look:
        """The same look at another trial: what was chosen within the former one is chosen no more."""
        return replace(self, trial=trial, run=None, other=None)

    def among(self, trials: Sequence[TrialSummary], page: Page) -> Look:
        """The look with the newest trial where none was chosen and, to compare with, one before it.

        Best the one of the text tried before, else one of the same task. Where the one looked at left no section out,
        the page of sections shows the newest of its task that did, a finished one if any. ``trials`` are newest first.
        """
        trial = self.trial or next(iter(trials), None)
        if trial is not None and page == "sections" and not trial.ablation:
            ablations = [one for one in trials if one.ablation and one.task == trial.task]
            trial = min(ablations, key=lambda one: one.cancelled, default=trial)
        if trial is None or self.other is not None:
            return replace(self, trial=trial)
        helped = what_helped(trial, trials, self.skill)
        former = None if helped is None else helped.former_trial
        others = [one for one in trials if one.id != trial.id]
        nearest = sorted(others, key=lambda one: (one.id != former, one.task != trial.task, one.id > trial.id))
        return replace(self, trial=trial, other=next(iter(nearest), None))


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure and its numbers."""

    figure: WorkspaceFigure
    numbers: Text


def what_helped(trial: TrialSummary, trials: Iterable[TrialSummary], skill: str) -> Improvement | None:
    """What the text of ``skill`` in a trial changed against the text tried before, among ``trials``."""
    from m4review.trials.improvement import improvement

    return improvement(trial, trials, skill)


def page_of(
    page: Page,
    look: Look,
    workspace: Workspace,
    environment: Mapping[str, str],
    viewer: str | None,
    width: int,
    next_step: str,
) -> Text | Drawing:
    """One page. Slow the first time: loads the trials room, and counts levels where they were not counted yet.

    ``next_step`` says what to press to get a trial; it stands where there is nothing to show.

    Raises:
        M4ReviewError: a record, the history or the ledger cannot be read; there is no data to count from.
    """
    if page == "plots":
        return _drawing(look, workspace, viewer, width, next_step)
    if page == "history":
        from m4review.trials.versionhistory import skill_history
        from m4review.trials.viewtext import history_lines

        history = skill_history(workspace, look.skill)
        return _text(history_lines(history, width)) if history else _nothing(next_step)
    if look.trial is None:
        return _nothing(next_step)
    if page in {"columns", "levels"} and not columns_of(look.trial):
        return Text(f"{NOT_SCORED}\n\n").append(next_step, "bold")
    return _PAGES_OF_TRIAL[page](look, look.trial, workspace, environment, width)


def columns_of(trial: TrialSummary) -> tuple[str, ...]:
    """The columns that a trial scored."""
    return tuple(dict.fromkeys(name for result in trial.conditions for name in result.columns))


def runs_to_show(workspace: Workspace, trial: TrialSummary) -> list[RunRecord]:
    """The runs of a trial, those with the skill first.

    Raises:
        TrialError: a run record is gone or cannot be understood.
    """
    from m4review.trials.standing import runs_of

    return sorted(runs_of(workspace, trial), key=lambda record: record.inputs.arm.label != "with-skill")


def export(look: Look, workspace: Workspace, viewer: str | None) -> list[Path]:
    """Write the figure that is looked at as pictures into the workspace's local folder.

    Raises:
        FigureError: there is nothing to draw.
        TextFileError: the disk is full or not writable.
    """
    from m4review.campaigns.trialdrawing import write_figure
    from m4review.campaigns.workspacefigures import workspace_figure

    figure = workspace_figure(workspace, look.figure, skill=_skill_of(look), viewer=viewer)
    folder = workspace.local_dir / "figures"
    name = f"{look.figure}-{look.skill}" if look.figure == "reward" else look.figure
    paths = [folder / f"{name}.{suffix}" for suffix in PICTURES]
    for path in paths:
        write_figure(figure, path)
    return paths


def _nothing(next_step: str) -> Text:
    return Text(f"{NO_TRIAL}\n\n").append(next_step, "bold")


def _drawing(look: Look, workspace: Workspace, viewer: str | None, width: int, next_step: str) -> Text | Drawing:
    from m4review.campaigns.figuretext import figure_lines
    from m4review.campaigns.trialfigures import RewardFigure
    from m4review.campaigns.workspacefigures import workspace_figure

    figure = workspace_figure(workspace, look.figure, skill=_skill_of(look), viewer=viewer)
    if isinstance(figure, RewardFigure) and figure.panels:
        shown = figure.panels[min(look.panel, len(figure.panels) - 1)]
        figure = figure.model_copy(update={"panels": (shown,)})
    numbers = _text(figure_lines(figure, width))
    if not figure.is_empty:
        return Drawing(figure, _hinted(PLOTTED).append_text(numbers))
    how = VERDICTS_NEEDED if look.figure == "agreement" else next_step
    return numbers.append(f"\n\n{how}", "bold").append("\nF8 chooses another figure.", "dim")


def _skill_of(look: Look) -> str | None:
    """Rewards are those of the skill; tasks and agreement those of the whole workspace."""
    return look.skill if look.figure == "reward" else None


def _columns(look: Look, trial: TrialSummary, workspace: Workspace, environment: Mapping[str, str], width: int) -> Text:
    from m4review.trials.viewtext import column_lines

    return _hinted(MATCHED).append_text(_headed(trial, column_lines(trial, width)))


def _levels(look: Look, trial: TrialSummary, workspace: Workspace, environment: Mapping[str, str], width: int) -> Text:
    from m4review.trials.confusion import trial_confusion
    from m4review.trials.viewtext import confusion_lines

    known = columns_of(trial)
    column = look.column if look.column in known else known[0]
    found = trial_confusion(workspace, trial, column, environment=environment)
    return _hinted(LEVELS).append_text(_text(confusion_lines(found, width)))


def _sections(
    look: Look, trial: TrialSummary, workspace: Workspace, environment: Mapping[str, str], width: int
) -> Text:
    from m4review.trials.viewtext import section_lines

    if not trial.ablation:
        return Text(f"{NO_SECTION}\n\n").append(SECTIONS, "bold")
    return _headed(trial, section_lines(trial, width))


def _steps(look: Look, trial: TrialSummary, workspace: Workspace, environment: Mapping[str, str], width: int) -> Text:
    from m4review.trials.records import run_folder
    from m4review.trials.timeline import read_timeline
    from m4review.trials.viewtext import step_lines

    runs = runs_to_show(workspace, trial)
    if not runs:
        return Text("This trial made no run.")
    record = next((one for one in runs if one.id == look.run), runs[0])
    lines = step_lines(record, list(read_timeline(run_folder(workspace, record.id))), width)
    return _hinted(STEPS).append_text(_text(lines))


def _compare(look: Look, trial: TrialSummary, workspace: Workspace, environment: Mapping[str, str], width: int) -> Text:
    from m4review.trials.difference import trial_difference
    from m4review.trials.viewtext import difference_lines

    if look.other is None:
        return Text(f"{ONE_TRIAL}\n\n").append(ANOTHER_TRIAL, "bold")
    text = _hinted(COMPARED).append(f"first   {_named(look.other)}\nsecond  {_named(trial)}\n")
    helped = what_helped(trial, [look.other], look.skill)
    if helped is not None:
        text.append(f"{helped.sentence}\n", "bold")
    return text.append_text(_text(difference_lines(trial_difference(workspace, look.other, trial), width)))


_PAGES_OF_TRIAL: dict[Page, Callable[[Look, TrialSummary, Workspace, Mapping[str, str], int], Text]] = {
    "columns": _columns,
    "levels": _levels,
    "sections": _sections,
    "steps": _steps,
    "compare": _compare,
}


def _named(trial: TrialSummary) -> str:
    from m4review.tui.render.trials import versions_tried

    tried = versions_tried(trial) or "no skill"
    ended = " · CANCELLED" if trial.cancelled else ""
    return f"{trial.started:%Y-%m-%d %H:%M} · {tried} · {trial.task} · {trial.dataset} · {trial.agent}{ended}"


def _headed(trial: TrialSummary, lines: Iterable[str]) -> Text:
    return Text(f"{_named(trial)}\n\n").append_text(_text(lines))


def _hinted(hint: str) -> Text:
    """The beginning of a page that has something to choose."""
    return Text().append(f"{hint}\n", "dim")


def _text(lines: Iterable[str]) -> Text:
    return Text("\n".join(lines))

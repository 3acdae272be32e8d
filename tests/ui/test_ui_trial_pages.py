"""The pages of a skill's trials: past versions, columns, levels, sections, steps, comparison and plots, at every size.

One workspace with two versions of a skill, tried once each, is looked at by every test; none of them runs a trial,
because the window does not know the data.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from m4review.ehr import build, open_dataset, synthesise
from m4review.history import Repository
from m4review.trials import TrialRequest, TrialSummary, run_trial
from m4review.trials.confusion import trial_confusion
from m4review.trials.logbook import Logbook, logbooks_folder, open_logbook
from m4review.workspace import Workspace

SKILL, TASK = "sirs-criteria", "mimic-sirs-24h-raw"
SIZES = [(40, 10), (80, 24), (120, 40), (200, 50)]
PAGES = "12345678"


@dataclass(frozen=True)
class Tried:
    """The workspace, and its trials, oldest first."""

    workspace: Workspace
    first: TrialSummary
    second: TrialSummary


@pytest.fixture(scope="module")
def tried(shelves, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    """Version 2 has a mistake in its table of scores; version 3 has not, and is tried without that section too."""
    home = tmp_path_factory.mktemp("data")
    synthesise(home, "small", layout="mimic-iv", stays=60, seed=7)
    workspace = Workspace(shutil.copytree(shelves["ward"], tmp_path_factory.mktemp("tried") / "workspace"))
    build(open_dataset(home, "small"), [workspace.task(TASK)])
    places = {"M4REVIEW_DATA": str(home)}
    path = workspace.skill_file(SKILL)
    right = path.read_text("utf-8")
    for text, message in ((right.replace("heart rate > 90", "heart rate > 130"), "Raise it"), (right, "Lower it")):
        path.write_text(text, "utf-8")
        Repository.open(workspace.root).commit([path], message)
        request = TrialRequest(task=TASK, sandbox="local", dataset="small")
        if text == right:
            request = request.model_copy(update={"ablate": ("Scoring",)})
        last = run_trial(Workspace(workspace.root), request, environment=places)
        if text != right:
            first = last
    trial_confusion(Workspace(workspace.root), last, "sirs", environment=places)
    return Tried(Workspace(workspace.root), first, last)


async def look(person, page: str) -> None:
    await person.chooses_skill(SKILL)
    await person.presses("f5")
    await person.sees("Earlier trials")
    await person.presses(page)


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """A machine without a dataset and without an engine."""
    return {"M4REVIEW_DATA": str(tmp_path / "none"), "DOCKER_HOST": "unix:///nonexistent/docker.sock"}


async def test_past_versions_are_set_beside_each_other_with_who_recorded_them(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, **nowhere) as person:
        await look(person, "2")
        await person.sees(f"{TASK} · small · reader · not isolated", "version 2", "version 3", "Ward Office")
        await person.sees(f"{tried.first.delta:+.3f}", f"{tried.second.delta:+.3f}")
        change = tried.second.reward("with-skill") - tried.first.reward("with-skill")
        third = next(line for line in person.screen.splitlines() if line.startswith("   version 3"))
        assert third.split()[3:6] == [
            f"{tried.second.reward('with-skill'):.3f}",
            f"{tried.second.delta:+.3f}",
            f"{change:+.3f}",
        ]
        await person.sees("Δ skill  Δ version", "Δ skill: with the skill minus without it", "lines newest first")
        bars = next(line for line in person.screen.splitlines() if "with the skill" in line).split()[3]
        assert len(bars) == 2
        assert bars[0] <= bars[1]


async def test_columns_have_a_bar_for_each_condition(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, **nowhere) as person:
        await look(person, "3")
        rate = tried.second.result("with-skill").columns["heart_rate_score"]
        await person.sees("heart_rate_score   Δ", f"{rate:.3f}", "no-skill", "with-skill")


async def test_levels_that_were_counted_are_shown_where_the_data_is_not_and_others_say_what_is_missing(
    tried, bench, nowhere
) -> None:
    async with bench(tried.workspace, size=(80, 45), **nowhere) as person:
        await look(person, "4")
        await person.sees("sirs · mimic-sirs-24h-raw", "[", "F8 chooses another column.")
        await person.reads("* hides a count below 10")
        await person.presses("f8")
        await person.sees("Which column?", "temp_score")
        await person.presses("2")
        await person.reads("no dataset 'small'")


async def test_sections_are_ordered_by_what_their_absence_costs(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, **nowhere) as person:
        await look(person, "5")
        lost = tried.second.ablation[0].lost
        await person.sees("(whole skill)", "Scoring", f"{-lost:+.3f}", "The reward rests on: Scoring")
        await person.presses("f7")
        await person.sees("Which trial?", "sections")
        await person.presses("2")
        await person.sees_no("Which trial?")
        await person.sees("· version 3 ·", "The reward rests on: Scoring")


async def test_what_the_agent_did_is_shown_in_order_and_another_run_can_be_chosen(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, **nowhere) as person:
        await look(person, "6")
        await person.sees("with-skill, replicate 1", "> open: ")
        await person.reads("lines of running text were passed over (normal): m4review trial show")
        await person.presses("f8")
        await person.sees("Which run?", "no-skill, replicate 1: scored")
        await person.presses("2")
        await person.sees_no("Which run?")
        await person.sees("replicate 1 · scored")


async def test_two_trials_are_compared_in_figures_and_in_the_inputs_that_differ(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, size=(120, 60), **nowhere) as person:
        await look(person, "7")
        change = tried.second.delta - tried.first.delta
        await person.sees(
            f"{change:+.3f}", "Inputs that are not the same", "with-skill: skills", "version 2", "version 3"
        )
        now, was = (one.reward("with-skill") for one in (tried.second, tried.first))
        await person.reads(f"With version 3 the reward is {now:.3f}, with version 2 it was {was:.3f}; ")
        await person.reads("F8 chooses another first trial", "keys matched (key F1)")
        assert "dataset digest" not in person.screen


async def test_a_text_that_was_recorded_only_after_its_trial_is_named_by_its_version_on_every_page(
    tried, bench, nowhere, tmp_path
) -> None:
    workspace = Workspace(shutil.copytree(tried.workspace.root, tmp_path / "workspace"))
    digest = tried.first.result("with-skill").skills[0].digest.removeprefix("sha256:")
    for record in (*workspace.local_dir.glob("trials/*.json"), *workspace.runs_dir.glob("*/run.json")):
        record.write_text(record.read_text().replace('"version": 2', '"version": null'))
    async with bench(workspace, size=(120, 60), **nowhere) as person:
        await look(person, "7")
        await person.reads(", with version 2 it was ", "version 2 · ", "version 3 · ")
        for page in "28":
            await person.presses(page)
            await person.sees("version 2", "version 3")
            assert f"text {digest[:8]}" not in person.screen
        await person.presses("1")
        await person.sees("Earlier trials", f"{TASK} · version 2 · small", f"{TASK} · version 3 · small")


async def test_each_figure_is_plotted_and_written_as_pictures_with_one_key(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, **nowhere) as person:
        await look(person, "8")
        await person.sees("● with skill", "x no skill", "version 3")
        await person.presses("f9")
        await person.is_told("reward-sirs-criteria.svg")
        figures = tried.workspace.local_dir / "figures"
        assert (figures / "reward-sirs-criteria.png").read_bytes().startswith(b"\x89PNG")
        assert (figures / "reward-sirs-criteria.svg").read_text().startswith("<svg")
        await person.presses("f8")
        await person.sees("Which figure?", "With-skill minus no-skill, task by task")
        await person.presses("2")
        await person.sees("one task, no inference")
        await person.presses("f8")
        await person.sees("Which figure?")
        await person.presses("3")
        await person.sees("No text has two independent verdicts yet")
        await person.presses("f9")
        await person.is_told("no text has two independent verdicts yet")


async def test_an_earlier_trial_can_be_chosen_and_every_page_shows_it(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, size=(80, 40), **nowhere) as person:
        await look(person, "3")
        await person.presses("f7")
        await person.sees("Which trial?")
        await person.presses("2")
        rate = tried.first.result("with-skill").columns["heart_rate_score"]
        await person.sees(f"{rate:.3f}")
        await person.presses("1")
        await person.sees(f"{tried.first.started:%Y-%m-%d %H:%M} UTC", "version 2")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_page_fits_and_is_reached_with_the_page_key_alone(size, tried, bench, nowhere) -> None:
    async with bench(tried.workspace, size=size, **nowhere) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("1 Result]")
        for number, title in enumerate(("Past", "Columns", "Levels", "Sections", "Steps", "Compare", "Plots"), start=2):
            await person.presses("ctrl+t")
            await person.sees(f"[{number} {title}]")
            await person.sees_no("ing …")
            assert all(len(line) <= size[0] for line in person.screen.splitlines())
        await person.presses("ctrl+t")
        await person.sees("[1 Result]")


async def test_without_any_trial_each_page_says_how_to_get_one(workspace, bench, nowhere) -> None:
    async with bench(workspace, **nowhere) as person:
        await look(person, "2")
        for page in "234567":
            await person.presses(page)
            await person.reads("No trial of this skill yet.", "There is no dataset of the layout mimic-iv", "s (Set up")
            await person.presses("f8")
            await person.sees_no("Which")
        await person.presses("8")
        await person.reads("No skill has been tried yet", "There is no dataset", "F8 chooses another figure")
        await person.presses("f9")
        await person.is_told("no skill has been tried yet")
        await person.presses("f7")
        await person.is_told("There are no two trials to choose from yet.")


async def test_a_trial_that_was_killed_is_told_at_the_start_and_on_its_page_with_what_to_do(
    workspace, bench, nowhere
) -> None:
    asked = open_logbook(workspace, [TrialRequest(task=TASK, dataset="small", sandbox="local")])
    folder = logbooks_folder(workspace) / asked.id
    Logbook(folder)
    owner = folder / "owner.json"
    owner.write_text(owner.read_text().replace('"started":"', '"started":"0'))
    async with bench(workspace, **nowhere) as person:
        await person.is_told(f"The trial of {TASK} was ended from outside")
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("The trial ended without a result.", "F5 runs it again and takes the runs that had")


async def test_the_help_names_every_key_and_the_same_on_the_command_line(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, size=(120, 50), **nowhere) as person:
        await look(person, "2")
        await person.presses("f1")
        await person.reads(
            "m4review trial attach", "m4review trial confusion", "m4review figure", "Ctrl+T", "F7", "F8", "F9", "r"
        )


async def test_the_help_says_first_what_the_words_of_a_result_mean(tried, bench, nowhere) -> None:
    async with bench(tried.workspace, **nowhere) as person:
        await look(person, "1")
        await person.presses("f1")
        await person.sees("What the words mean", "reward: ", "keys matched (key F1): ")
        await person.reads("Δ version: ", "matched per column: ", "strict checks: a run passes when", "audit: clear: ")


async def test_with_one_trial_alone_the_comparison_says_how_to_get_another(tried, bench, nowhere, tmp_path) -> None:
    workspace = Workspace(shutil.copytree(tried.workspace.root, tmp_path / "workspace"))
    (workspace.local_dir / "trials" / f"{tried.second.id}.json").unlink()
    async with bench(workspace, **nowhere) as person:
        await look(person, "7")
        await person.reads("There is no other trial to compare with yet.", "Correct the text and save it; F5 then")
        await person.presses("5")
        await person.reads(
            "No trial of this task has left a section out yet.", "F6 chooses 'Each section left out in turn'"
        )

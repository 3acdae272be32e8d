"""A trial from the screen: on a small dataset, with the reader as an ordinary process, and what can go wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from m4review.ehr import build, open_dataset, synthesise
from m4review.trials import TrialRequest, load_trials
from m4review.trials.detached import start_detached
from m4review.trials.underway import under_way
from m4review.workspace import Workspace

SKILL = "sirs-criteria"
TASK = "mimic-sirs-24h-raw"
PATIENCE = 120.0
"""Seconds after which a trial that was told to stop is taken for one that never will."""
NO_ENGINE = "unix:///nonexistent/docker.sock"


@pytest.fixture(scope="module")
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small synthetic dataset with what the SIRS task needs, shared by the tests of this file."""
    home = tmp_path_factory.mktemp("data")
    synthesise(home, "small", layout="mimic-iv", stays=60, seed=7)
    tasks = Workspace(Path(__file__).resolve().parents[2]).task(TASK)
    build(open_dataset(home, "small"), [tasks])
    return home


async def start_trial(person) -> None:
    """One key: nothing is left to ask, so the trial starts at once."""
    await person.chooses_skill(SKILL)
    await person.presses("f5")
    await person.sees("is running")


async def test_both_conditions_run_and_the_result_says_what_the_skill_is_worth(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.sees(f"{TASK} · dataset: small", "NOT ISOLATED", "no-skill", "with-skill")
        await person.sees("reward", "key F1", "strict checks", "NOT ISOLATED: ran as an ordinary process")
        summary = person.app.trial.summary
        assert summary is not None
        assert summary.delta is not None
        assert summary.delta > 0
        assert f"+{summary.delta:.3f}" in person.screen
        await person.presses("end")
        await person.sees("could not execute")
        await person.presses("escape")
        await person.sees(f"skill +{summary.delta:.3f}")
        await person.opens_skill(SKILL)
        await person.presses("ctrl+t", "ctrl+t", "ctrl+t", "ctrl+t")
        await person.sees(f"Δ +{summary.delta:.3f}", "version 1")


async def test_a_trial_goes_on_when_its_screen_is_left_and_is_there_on_return(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.presses("escape")
        await person.is_told("The trial goes on")
        await person.is_told(f"The trial of {TASK} is over")
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("key F1")


async def test_a_text_that_was_tried_shows_its_trial_and_runs_only_when_asked_again(
    workspace, bench, data_home
) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.sees("key F1")
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.is_told("Exactly this text was tried already")
        await person.sees("key F1")
        assert person.app.trial is None
        await person.presses("f5")
        await person.sees("Exactly this was tried already", "Run it once more")
        await person.presses("enter")
        await person.sees("key F1")
        assert person.app.trial is None, "Enter alone goes back"
        await person.presses("escape")
        await person.opens_skill(SKILL)
        await person.presses("f5")
        await person.sees("key F1")
        assert person.app.trial is None, "the editor's key shows it as well"
        await person.presses("f5")
        await person.sees("Run it once more")
        await person.presses("y")
        await person.sees("is running")
        await person.sees("key F1")
        await person.presses("escape")
        await person.sees(f"{SKILL} · saved")
        await person.presses("f5")
        await person.sees("key F1")
    assert len(load_trials(workspace)) == 2


async def test_cancelling_asks_with_another_key_and_leaves_no_run_behind(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.presses("x")
        await person.sees("Stop the running trial?")
        await person.presses("x")
        assert not person.app.trial.is_cancelled
        await person.presses("y")
        await person.until(lambda: person.app.trial.is_over, "the end of the trial")
        await person.sees("CANCELLED")


async def test_the_end_of_a_trial_is_told_once_by_the_next_window(workspace, bench, data_home) -> None:
    places = {"M4REVIEW_DATA": str(data_home), "DOCKER_HOST": NO_ENGINE}
    asked = start_detached(workspace, [TrialRequest(task=TASK, dataset="small", sandbox="local")], environment=places)
    async with asyncio.timeout(PATIENCE):
        while [entry.state for entry in under_way(workspace)] != ["over"]:
            await asyncio.sleep(0.02)
    async with bench(workspace, **places) as person:
        await person.is_told(f"The trial of {TASK} is over; F5 on its skill shows it.")
        await person.until(lambda: person.app.trial is not None and person.app.trial.is_over, "what the window follows")
        await person.settles()
        assert person.app.trial.id == asked.id
        assert [note.message for note in person.app._notifications if "is over" in note.message] == [
            f"The trial of {TASK} is over; F5 on its skill shows it."
        ]


async def test_what_is_missing_is_put_right_from_here_and_the_trial_can_run(workspace, bench, tmp_path) -> None:
    places = {"M4REVIEW_DATA": str(tmp_path / "none"), "DOCKER_HOST": NO_ENGINE}
    async with bench(workspace, **places) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5", "s")
        await person.sees("Set up ·", "datasets")
        synthesise(tmp_path / "none", "later", layout="mimic-iv", stays=50, seed=1)
        await person.presses("escape")
        await person.sees("dataset: later", "F5 runs the task without and with the skill")
        assert person.app.trial is None, "nothing begins before somebody says so"


async def test_leaving_the_workbench_leaves_the_trial_running_and_the_next_start_finds_it(
    workspace, bench, data_home
) -> None:
    places = {"M4REVIEW_DATA": str(data_home), "DOCKER_HOST": NO_ENGINE}
    async with bench(workspace, **places) as person:
        await start_trial(person)
        await person.leaves()
        await person.sees("A trial is running.")
        await person.presses("enter")
        await person.until(lambda: not person.app.is_running, "the end")
        assert not person.app.trial.is_cancelled
    async with bench(workspace, **places) as person:
        await person.is_told(f"The trial of {TASK} is")
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("key F1")
        assert len(load_trials(workspace)) == 1


async def test_a_trial_can_be_stopped_when_the_workbench_is_left(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.leaves()
        await person.sees("A trial is running.")
        await person.presses("y")
        await person.until(lambda: not person.app.is_running, "the end")
    async with asyncio.timeout(PATIENCE):
        while [entry.state for entry in under_way(workspace)] != ["over"]:
            await asyncio.sleep(0.02)
    (summary,) = load_trials(workspace)
    assert summary.cancelled


async def test_without_a_dataset_the_screen_says_how_to_make_one(workspace, bench, tmp_path) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(tmp_path / "none"), DOCKER_HOST=NO_ENGINE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.reads("There is no dataset of the layout mimic-iv", "s (Set up", "m4review data synth")
        await person.reads("Docker does not answer", "s (Set up) says how to start it")
        await person.presses("f5")
        await person.is_told("There is no dataset of the layout mimic-iv")
        await person.presses("s")
        await person.sees("Set up ·", "datasets")
        await person.sees_no("still looking")


async def test_unsaved_text_is_not_tried_and_the_screen_says_so_first(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await person.opens_skill(SKILL)
        await person.types("x")
        await person.sees("* not saved")
        await person.presses("f5")
        await person.reads("The text in the editor is not saved", "Earlier trials")
        await person.presses("f5")
        await person.sees("A trial runs on the saved")
        await person.presses("b")
        assert person.app.trial is None


async def test_a_contaminated_skill_is_not_given_to_an_agent(workspace, bench, data_home) -> None:
    path = workspace.skill_file(SKILL)
    query = "\nSELECT stay_id, MAX(valuenum) FROM chartevents WHERE itemid = 220045 GROUP BY stay_id;\n"
    path.write_text(path.read_text(encoding="utf-8") + query, encoding="utf-8")
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("The trial did not run.", "contaminated")


async def test_a_skill_with_several_tasks_asks_which(library, bench, data_home) -> None:
    async with bench(library, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await person.chooses_skill("sofa-score")
        await person.presses("f5")
        await person.sees("not chosen (F2)")
        await person.presses("f5")
        await person.is_told("Choose a task first (F2).")
        await person.presses("f2")
        await person.sees("Which task?")
        await person.sees("3  mimic-sofa-24h-raw")
        await person.presses("3")
        await person.sees("mimic-sofa-24h-raw · dataset: small")


async def test_the_result_of_one_skill_is_not_shown_as_that_of_another(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.sees("key F1")
        await person.presses("escape")
        await person.chooses_skill("sofa-score")
        await person.presses("f5")
        await person.sees("Earlier trials", "No trial yet.")
        assert "key F1" not in person.screen


async def test_looking_away_from_the_terminal_does_not_stop_a_trial(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        person.app.on_app_blur()
        await person.sees("key F1")
        assert not person.app.trial.is_cancelled


async def test_after_a_result_was_seen_the_same_key_tries_the_edited_skill_again(workspace, bench, data_home) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.sees("heart_rate_score", "key F1")
        before = person.app.trial.summary
        await person.presses("escape")
        path = workspace.skill_file(SKILL)
        path.write_text(path.read_text("utf-8").replace("highest heart rate > 90", "highest heart rate > 130"), "utf-8")
        await start_trial(person)
        await person.until(lambda: person.app.trial.is_over, "the end of the second trial")
        after = person.app.trial.summary
        assert after.delta < before.delta
        was, now = (one.result("with-skill") for one in (before, after))
        await person.reads(f"the reward is {now.reward:.3f}, with version 1 it was {was.reward:.3f}; ")
        await person.reads(
            f"heart_rate_score {was.columns['heart_rate_score']:.3f} → {now.columns['heart_rate_score']:.3f}"
        )


async def test_controls_are_chosen_from_a_menu_and_compared_with_no_skill(library, bench, data_home) -> None:
    async with bench(library, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.sees("key F1")
        await person.presses("f6")
        await person.sees("What is compared?", "Each section left out in turn", "a decoy")
        await person.presses("5")
        await person.sees("dataset: small · + decoy")
        await person.presses("f5")
        await person.sees("Δ is the difference to no-skill.", "decoy")
        summary = person.app.trial.summary
        assert [result.label for result in summary.conditions] == ["no-skill", "with-skill", "decoy"]
        assert summary.reward("decoy") == summary.reward("no-skill")
        await person.presses("escape")
        await person.sees(f"skill +{summary.delta:.3f}")


async def test_a_control_that_is_missing_is_said_before_anything_runs(workspace, bench, data_home) -> None:
    (workspace.root / "tasks" / "decoys.toml").unlink()
    async with bench(workspace, M4REVIEW_DATA=str(data_home), DOCKER_HOST=NO_ENGINE) as person:
        await start_trial(person)
        await person.sees("key F1")
        await person.presses("f6", "5", "f5")
        await person.sees("The trial did not run.", "there is no map of decoys")

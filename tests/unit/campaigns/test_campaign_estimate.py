"""What a plan will take is said from runs that were made, from how many, and as unknown where none was."""

from __future__ import annotations

import pytest
from campaign_bench import ONE_GROUP, Bench, plan_text

from m4review.campaigns.estimate import Estimate, estimate, past_runs
from m4review.campaigns.matrix import matrix_of
from m4review.campaigns.plan import PlanFile, find_plan
from m4review.campaigns.setting import Setting, plan_agents
from m4review.trials import RunRecord
from m4review.trials.sandbox.ownership import Owner

TRACE = '{"event":"usage","input_tokens":100,"output_tokens":20}'


@pytest.fixture
def measured(bench: Bench) -> Bench:
    """A workspace in which each condition ran once, with 120 tokens."""
    bench.write_agent(f"echo '{TRACE}'")
    bench.run(bench.freeze(text=plan_text(ONE_GROUP.replace("repeats = 3", "repeats = 1"))))
    return bench


def estimated(bench: Bench, text: str, past: list[RunRecord] | None = None) -> Estimate:
    path = bench.workspace.root / "asked.toml"
    path.write_text(text)
    file: PlanFile = find_plan(str(path))
    setting = Setting(bench.workspace, file.plan, plan_agents(file), bench.environment, Owner.of_this_process())
    return estimate(matrix_of(file, bench.workspace), setting, past_runs(bench.workspace) if past is None else past)


def test_the_same_runs_are_estimated_by_their_mean(measured: Bench) -> None:
    found = estimated(measured, plan_text())
    seconds = sum(sum(record.seconds.values()) for record in past_runs(measured.workspace))

    assert (found.runs, found.known, found.past) == (6, 6, 2)
    assert found.tokens == 720
    assert found.seconds == pytest.approx(3 * seconds)
    assert found.wall(2) == pytest.approx(found.seconds / 2)
    assert found.likeness == {"the same": 6}


def test_another_condition_is_estimated_from_the_same_task(measured: Bench) -> None:
    found = estimated(measured, plan_text(ONE_GROUP.replace('"with-skill"]', '"raw-sql"]')))

    assert found.likeness == {"the same": 3, "the same task": 3}


def test_of_an_agent_that_never_ran_nothing_is_known(measured: Bench) -> None:
    found = estimated(measured, plan_text(agent="reader"))

    assert (found.runs, found.known, found.tokens) == (6, 0, None)


def test_runs_in_another_sandbox_say_nothing_of_the_time(measured: Bench) -> None:
    past = [
        record.model_copy(update={"inputs": record.inputs.model_copy(update={"sandbox": "docker"})})
        for record in past_runs(measured.workspace)
    ]

    assert estimated(measured, plan_text(), past).known == 0

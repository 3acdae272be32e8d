"""The counts and means behind the tables: integrity, strict checks, columns, compute, exclusions, completeness."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from m4review.campaigns.compute import compute_of
from m4review.campaigns.controls import ladders
from m4review.campaigns.design import Design, design_of
from m4review.campaigns.diagnostics import column_matches, task_measures
from m4review.campaigns.effects import Arm, compare_arms
from m4review.campaigns.exclusions import exclusions_of
from m4review.campaigns.integrity import Counted, integrity_of
from m4review.campaigns.matrix import matrix_of
from m4review.campaigns.plan import find_plan
from m4review.campaigns.runs import Run, TaskFacts
from m4review.campaigns.specification import GivenText, given_texts, specification_curve
from m4review.campaigns.strict import strict_by_group, strict_failures
from m4review.workspace import Workspace

NONE, SKILL = Arm("no-skill"), Arm("with-skill")
WORKSPACE = Workspace(Path(__file__).parents[3])
FACTS = {name: TaskFacts(name, "raw", ("a", "b"), 0.9, 0.95) for name in ("sirs", "sofa")}


def run(condition: str = "no-skill", repeat: int = 1, *, task: str = "sirs", model: str = "m", **more: object) -> Run:
    values: dict[str, object] = {"reward": 0.5, **more}
    name = f"{task}/{condition}/{values.get('schema', 'native')}/{model}/{repeat}"
    return Run(name, task, condition, str(values.pop("schema", "native")), model, repeat, **values)  # type: ignore[arg-type]


def test_how_runs_ended_is_counted_and_what_no_file_says_is_not_taken_for_no() -> None:
    runs = [
        run(repeat=1, outcome="scored", isolated=True, held=False),
        run(repeat=2, outcome="no_output", reward=0.0, errors=1, isolated=True, held=False),
        run(repeat=3, outcome="infra_error", reward=None, isolated=False, held=False),
        run(repeat=4, outcome="audit_hold", reward=None, isolated=True, held=True),
        run(repeat=5, outcome="cancelled", reward=None),
    ]
    (found,) = integrity_of(runs)
    assert (found.runs, found.with_reward, found.crashed, found.infra_errors, found.cancelled) == (5, 2, 1, 1, 1)
    assert found.guarantees["isolated"] == Counted(3, 4)
    assert found.guarantees["held"] == Counted(1, 4)
    assert found.guarantees["canary"] == Counted(0, 0)
    (silent,) = integrity_of([run()])
    assert silent.infra_errors is None


def test_every_failure_stands_under_one_reason() -> None:
    good, low = {"a": 0.95, "b": 1.0}, {"a": 0.95, "b": 0.5}
    runs = [
        run(repeat=1, failed=0, errors=0, rates=good),
        run(repeat=2, failed=0, errors=1),
        run(repeat=3, failed=1, errors=0, rates=low, key_recall=1.0),
        run(repeat=4, failed=2, errors=0, rates=low, key_recall=0.9, extra_keys=3),
        run(repeat=5, failed=2, errors=0, rates=low, key_recall=0.96, extra_keys=3),
        run(repeat=6, failed=1, errors=0, rates=good, key_recall=1.0),
        run(repeat=7),
    ]
    found = strict_failures(runs, FACTS)
    assert (found.passed, found.execution, found.values_only, found.coverage) == (1, 1, 1, 1)
    assert (found.extra_keys, found.other, found.unknown, found.failed) == (1, 1, 1, 5)
    assert (found.with_low_values, found.with_extra_keys) == (3, 2)


def test_strict_passes_with_the_skill_are_also_counted_on_the_tasks_of_raw_sql_alone() -> None:
    runs = [run("with-skill", task=task, failed=0, errors=0) for task in FACTS]
    runs += [run("raw-sql", failed=0, errors=0), run("with-skill", 2, schema="obfuscated", failed=0, errors=0)]
    found = strict_by_group(runs, FACTS, NONE, SKILL)
    assert {name: group.runs for name, group in found.items()} == {
        "primary": 2,
        "all native": 3,
        "raw-sql": 1,
        "with-skill": 2,
        "with-skill, tasks of raw-sql": 1,
    }


def test_a_model_weighs_the_same_in_a_measure_however_many_runs_it_has() -> None:
    runs = [run(repeat=n, key_f1=1.0, rates={"a": 1.0}) for n in range(3)]
    runs += [run(model="n", key_f1=0.0, rates={"a": 0.0, "z": 0.5}), run("with-skill", key_f1=0.8, rates={"a": 0.7})]
    (measures,) = task_measures(runs, NONE, SKILL)
    assert measures.measures["key F1"] == (0.5, 0.8)
    assert measures.measures["ordered nMAE"] == (None, None)
    matches = {match.column: match for match in column_matches(runs, FACTS, NONE, SKILL)}
    assert (matches["a"].before, matches["a"].after, matches["a"].declared) == (0.5, 0.7, True)
    assert (matches["z"].before, matches["z"].declared) == (0.25, False)


def test_a_crashed_run_matches_no_column_and_a_run_that_does_not_count_says_nothing_of_one() -> None:
    runs = [
        run(repeat=1, rates={"a": 1.0}),
        run(repeat=2, reward=0.0, errors=1),
        run(repeat=3, reward=None, rates={"a": 1.0}),
    ]
    (match,) = column_matches(runs, FACTS, NONE, SKILL)
    assert (match.before, match.after) == (0.5, None)


def test_compute_is_a_median_a_sum_and_means_over_the_runs_that_say() -> None:
    runs = [
        run(repeat=1, elapsed=10.0, input_tokens=100),
        run(repeat=2, elapsed=20.0, input_tokens=300),
        run(repeat=3, elapsed=3570.0),
    ]
    (found,) = compute_of(runs)
    assert (found.runs, found.median_seconds, found.total_hours) == (3, 20.0, 1.0)
    assert found.means["input tokens"] == 200
    assert found.means["requests"] is None


def test_every_run_without_a_reward_is_listed_with_its_reason() -> None:
    runs = [
        run(repeat=1),
        run(repeat=2, reward=None, outcome="infra_error", held=False),
        run(repeat=3, reward=None, outcome="audit_hold", held=True),
        run(repeat=4, reward=None),
    ]
    assert [(one.repeat, one.why) for one in exclusions_of(runs)] == [
        (2, "infra error"),
        (3, "held by the audit"),
        (4, "its file gives no reward"),
    ]


def test_ladders_hold_one_set_of_tasks_each_and_none_is_shown_twice() -> None:
    every = [run(name, task=task, reward=level) for task in FACTS for name, level in
             (("no-skill", 0.2), ("with-skill", 0.8))]  # fmt: skip
    every += [run("decoy", task="sirs", reward=0.3), run("operational-spec", task="sirs", reward=0.6)]
    every += [run("operational-spec", task="sofa", reward=0.4)]
    found = ladders(every)
    assert [(ladder.tasks, [step.condition for step in ladder.steps]) for ladder in found] == [
        (("sirs",), ["no-skill", "decoy", "operational-spec", "with-skill"]),
        (("sirs", "sofa"), ["no-skill", "operational-spec", "with-skill"]),
    ]
    assert [step.level for step in found[1].steps] == pytest.approx([0.2, 0.5, 0.8])
    assert ladders([one for one in every if one.condition in ("no-skill", "with-skill")]) == ()


TEXTS = {
    ("sirs", "no-skill"): GivenText(frozenset({"keys"}), ()),
    ("sirs", "with-skill"): GivenText(frozenset({"keys", "window", "units"}), ("sha256:1",)),
    ("sofa", "with-skill"): GivenText(frozenset({"keys", "window"}), ("sha256:2",)),
}


def test_completeness_is_of_the_very_texts_that_the_runs_name_and_of_no_others() -> None:
    runs = [
        run(reward=0.1),
        run("with-skill", reward=0.9, texts=("sha256:1",)),
        run("with-skill", task="sofa", reward=0.7, texts=("sha256:other",)),
    ]
    curve = specification_curve(runs, TEXTS)
    assert [(point.task, point.condition, point.declared, point.reward) for point in curve.points] == [
        ("sirs", "no-skill", 1, 0.1),
        ("sirs", "with-skill", 3, 0.9),
    ]
    assert curve.proved
    assert curve.left_out == ("sofa, with-skill: its runs were given another text than the one that is here now",)


def test_where_runs_do_not_name_their_texts_that_is_said_and_they_are_shown_all_the_same() -> None:
    curve = specification_curve([run(reward=0.1), run("with-skill", reward=0.9)], TEXTS)
    assert len(curve.points) == 2
    assert not curve.proved
    assert curve.correlation["all points"] == (pytest.approx(1.0), 2)
    assert curve.correlation["with-skill"] == (None, 1)


def test_an_agent_was_given_what_the_instruction_declares_and_what_the_text_adds_to_it() -> None:
    cards = [entry.task for entry in WORKSPACE.tasks if entry.task is not None and entry.family in ("sirs", "sofa")]
    texts = given_texts(WORKSPACE, cards)
    assert {name for name, _ in texts} == {card.name for card in cards}
    for card in cards:
        own = texts[card.name, "no-skill"]
        assert own.declared
        for condition in ("with-skill", "operational-spec"):
            given = texts[card.name, condition]
            assert own.declared < given.declared
            assert len(given.digests) == 1
            assert given.digests[0].startswith("sha256:")


def test_the_design_of_a_plan_is_what_it_runs_with_and_without_the_skill_on_the_native_schema() -> None:
    assert design_of(matrix_of(find_plan("published-design"), WORKSPACE)) == Design(28, 2, 5)
    assert design_of(matrix_of(find_plan("reader-smoke"), WORKSPACE)) == Design(28, 1, 1)


def test_a_design_is_the_size_of_the_comparison() -> None:
    runs = [
        run(condition, repeat, task=task, model=model)
        for condition in ("no-skill", "with-skill")
        for repeat in range(3)
        for task in FACTS
        for model in ("m", "n")
    ]
    design = Design.of_effect(compare_arms(runs, FACTS, NONE, SKILL))
    assert design == Design(2, 2, 3)
    assert design.changed(tasks=9, models=None, repeats=None) == replace(design, tasks=9)
    assert str(Design(1, 2, 1)) == "1 task, 2 models, 1 repeat"

"""The next trial as it is put together, when exactly this was tried already, and which trial a page shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from m4review.trials.conditions import Condition
from m4review.trials.records import SkillUsed
from m4review.trials.summary import ConditionResult, SectionEffect, TrialSummary
from m4review.tui.session.trial_pages import Look
from m4review.tui.session.trial_plan import TrialPlan
from m4review.tui.session.trial_setup import COMPARISONS, DatasetChoice, TrialSetup

DIGEST = f"sha256:{7:064d}"
WARD = DatasetChoice("ward", "mimic-iv", "60 ICU stays, synthetic")
SETUP = TrialSetup("sirs", ("sirs-24h",), {"sirs-24h": "mimic-iv"}, (WARD,), None, None, content=DIGEST)
BY_ID = {comparison.id: comparison for comparison in COMPARISONS}


def trial(*conditions: Condition, digest: str = DIGEST, **more) -> TrialSummary:
    given = (SkillUsed(name="sirs", digest=digest, version=1),)
    results = tuple(
        ConditionResult.model_construct(
            condition=condition, left_out=None, reward=None, skills=given if condition is Condition.WITH_SKILL else ()
        )
        for condition in conditions or (Condition.NO_SKILL, Condition.WITH_SKILL)
    )
    facts = {"task": "sirs-24h", "dataset": "ward", "sandbox": "docker", "schema_name": "native", "cancelled": False}
    return TrialSummary.model_construct(conditions=results, **({"ablation": ()} | facts | more))


def tried(comparison: str, *earlier: TrialSummary) -> TrialSummary | None:
    plan = TrialPlan.begin(replace(SETUP, earlier=earlier), None)
    plan.comparison = BY_ID[comparison]
    return plan.tried


@pytest.mark.parametrize(
    "other",
    [
        {"digest": f"sha256:{8:064d}"},
        {"dataset": "other"},
        {"sandbox": "local"},
        {"schema_name": "restructured"},
        {"cancelled": True},
    ],
    ids=str,
)
def test_only_a_finished_trial_of_exactly_this_text_in_this_place_counts_as_tried(other) -> None:
    same = trial()
    assert tried("pair", trial(**other), same) is same
    assert tried("pair", trial(**other)) is None


def test_what_was_compared_beside_the_pair_must_have_been_compared_as_well() -> None:
    pair, decoy = trial(), trial(Condition.NO_SKILL, Condition.WITH_SKILL, Condition.DECOY)
    sections = trial(ablation=(SectionEffect(section="Scoring", reward=0.2, lost=0.6, columns_lost={}),))
    assert tried("decoy", pair, sections) is None
    assert tried("decoy", pair, decoy) is decoy
    assert tried("sections", pair, decoy) is None
    assert tried("sections", pair, sections) is sections
    assert tried("pair", decoy) is decoy


def test_the_page_of_sections_shows_a_finished_trial_that_has_some_and_the_others_the_newest_one() -> None:
    sections = (SectionEffect(section="Scoring", reward=0.2, lost=0.6, columns_lost={}),)
    newest, stopped = trial(id="4"), trial(id="3", ablation=sections, cancelled=True)
    finished, other = trial(id="2", ablation=sections), trial(id="1", ablation=sections, task="sofa")
    look = Look("sirs")
    assert look.among([newest, stopped, finished, other], "sections").trial is finished
    assert look.among([newest, stopped, other], "sections").trial is stopped
    assert look.among([newest, other], "sections").trial is newest
    assert look.among([newest, stopped, finished], "columns").trial is newest


def test_a_trial_that_died_goes_on_without_being_asked_about() -> None:
    plan = TrialPlan.begin(replace(SETUP, earlier=(trial(),)), None)
    plan.goes_on = True
    assert plan.tried is None


def test_the_next_step_names_the_key_that_is_needed_now() -> None:
    assert TrialPlan.begin(SETUP, None).next_step.startswith("F5 runs the task")
    assert "Ctrl+S there saves" in TrialPlan.begin(SETUP, None, unsaved=True).next_step
    two = replace(SETUP, tasks=("sirs-24h", "sirs-raw"))
    assert TrialPlan.begin(two, None).next_step.startswith("Choose a task with F2")
    several = replace(SETUP, datasets=(WARD, replace(WARD, name="annex")))
    assert "choose one first (F3)" in TrialPlan.begin(several, None).next_step
    nothing = replace(SETUP, datasets=())
    assert "s (Set up; F8 on the first screen) makes one" in TrialPlan.begin(nothing, None).next_step


def test_set_up_is_not_promised_where_it_would_make_no_such_dataset() -> None:
    eicu = replace(SETUP, layouts={"sirs-24h": "eicu"})
    step = TrialPlan.begin(eicu, None).next_step
    assert "Set up" not in step
    assert "m4review data synth --layout eicu" in step


def test_what_was_chosen_stays_chosen_when_the_machine_was_set_up_meanwhile() -> None:
    plan = TrialPlan.begin(replace(SETUP, tasks=("sirs-24h", "sirs-raw"), datasets=()), "sirs-24h")
    plan.comparison = BY_ID["decoy"]
    later = plan.on(replace(SETUP, tasks=("sirs-24h", "sirs-raw")))
    assert (later.task, later.dataset, later.comparison) == ("sirs-24h", "ward", BY_ID["decoy"])

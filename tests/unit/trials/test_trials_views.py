"""Trials as lines of text: past versions, columns, sections, comparisons; whatever is missing, long or many."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from m4review.campaigns.figuretext import figure_lines, interval_bar
from m4review.campaigns.trialdrawing import FigureError, drawn, write_figure
from m4review.campaigns.trialfigures import AgreementFigure, AgreementRow, forest_of_trials, reward_figure
from m4review.trials.ablation import section_effects
from m4review.trials.conditions import Condition
from m4review.trials.records import Outcome, SkillUsed
from m4review.trials.summary import ConditionResult, Pair, TrialSummary, UnscoredRun
from m4review.trials.versionhistory import Author, history_of, sparkline
from m4review.trials.viewtext import column_lines, fit, history_lines, section_lines

BEGIN = datetime(2031, 5, 1, 8, 0, tzinfo=UTC)
LONG = "a-column-with-a-name-that-is-longer-than-any-screen-of-eighty-columns-could-show-in-one-piece"


def result(condition: str, reward: float | None, *, version: int | None = None, **more) -> ConditionResult:
    skills = (SkillUsed(name="sirs", digest=f"sha256:{version or 99:064d}", version=version),)
    counted = 0 if reward is None else 1
    return ConditionResult(
        condition=Condition(condition),
        runs=("R",),
        counted=counted,
        reward=reward,
        columns={"sirs": reward, LONG: reward} if counted else {},
        key_f1=reward,
        strict_passes=0,
        outcomes={},
        skills=skills if condition == "with-skill" else (),
        skill_opened=None,
        audit="none",
        gaps=(),
        **more,
    )


def trial(
    number: int, without: float | None, treated: float | None, *, version: int | None = 1, **more
) -> TrialSummary:
    delta = None if without is None or treated is None else treated - without
    wishes = {
        "task": "sirs-24h",
        "dataset": "demo",
        "conditions": (result("no-skill", without), result("with-skill", treated, version=version)),
        "unscored": (),
        "ablation": (),
    } | more
    return TrialSummary(
        id=f"01TRIAL{number:04d}",
        kind="derivation",
        agent="reader",
        agent_version="1",
        agent_title="The reader.",
        model=None,
        synthetic=True,
        reference_lineage="ours",
        sandbox="local",
        isolated=False,
        seed=1,
        repeats=1,
        order=(),
        reused=(),
        started=BEGIN + timedelta(hours=number),
        finished=BEGIN + timedelta(hours=number, minutes=1),
        cancelled=False,
        pairs=(Pair(replicate=1, without=without, with_skill=treated, delta=delta),),
        delta=delta,
        column_deltas={},
        **wishes,
    )


def test_versions_stand_in_their_order_and_an_unrecorded_text_where_it_was_tried() -> None:
    trials = [trial(1, 0.2, 0.5, version=1), trial(2, 0.2, 0.6, version=None), trial(3, 0.2, 0.9, version=2)]
    (series,) = history_of(trials[::-1], "sirs", {2: Author(name="Dr. Second", recorded=BEGIN)})
    assert [text.label for text in series.versions] == ["version 1", "text 00000000", "version 2"]
    assert [round(text.delta, 3) for text in series.versions] == [0.3, 0.4, 0.7]
    said = "\n".join(history_lines([series]))
    assert "Dr. Second" in said
    assert said.index("version 2") < said.index("version 1"), "the newest comes first"


def test_trials_that_cannot_be_compared_are_series_of_their_own_the_last_tried_first() -> None:
    trials = [trial(1, 0.2, 0.5), trial(2, 0.1, 0.5, dataset="ward"), trial(3, 0.2, 0.7)]
    assert [series.dataset for series in history_of(trials, "sirs")] == ["demo", "ward"]


def test_several_trials_of_one_version_are_averaged_over_what_counts() -> None:
    held = UnscoredRun(
        run="R",
        condition=Condition.WITH_SKILL,
        replicate=1,
        outcome=Outcome.AUDIT_HOLD,
        counts=False,
        reason="",
        findings=(),
    )
    trials = [trial(1, 0.2, 0.4), trial(2, 0.2, 0.8), trial(3, 0.2, None, unscored=(held,))]
    (series,) = history_of(trials, "sirs")
    (text,) = series.versions
    assert (round(text.with_skill, 3), round(text.delta, 3), text.runs) == (0.6, 0.4, 2)
    assert text.left_out == {"audit_hold": 1}
    assert "3 trials" in (said := "\n".join(history_lines([series])))
    assert "1 audit hold" in said


def test_a_version_without_any_run_that_counts_has_a_dash_and_a_dot_and_no_nought() -> None:
    (series,) = history_of([trial(1, None, None)], "sirs")
    said = "\n".join(history_lines([series]))
    assert "0.000" not in said
    assert "–" in said
    assert sparkline([None, 0.0, 1.0, 7.0]) == "·▁██"


def test_a_skill_that_was_never_tried_says_so() -> None:
    assert list(history_lines(history_of([trial(1, 0.1, 0.2)], "another"))) == ["No trial yet."]


@pytest.mark.parametrize("width", [36, 76, 196])
def test_no_line_is_wider_than_the_screen_whatever_the_names_and_however_many(width: int) -> None:
    parts = (
        result("no-skill", 0.1),
        result("with-skill", 0.9, version=1),
        *(result("with-skill", 0.5, version=1, left_out=f"Section {number} {LONG}") for number in range(3)),
    )
    many = [trial(number, 0.3, number / 100, version=number + 1) for number in range(100)]
    whole = trial(200, 0.1, 0.9, task=LONG, conditions=parts, ablation=section_effects(parts))
    lines = [
        *history_lines(history_of([*many, whole], "sirs"), width),
        *column_lines(whole, width),
        *section_lines(whole, width),
    ]
    assert [line for line in lines if len(line) > width] == []


def test_sections_come_by_what_they_cost_and_those_without_a_figure_last() -> None:
    parts = (
        result("no-skill", 0.1),
        result("with-skill", 0.9, version=1),
        result("with-skill", 0.8, version=1, left_out="Cohort"),
        result("with-skill", None, version=1, left_out="Held"),
        result("with-skill", 0.2, version=1, left_out="Scoring"),
    )
    said = "\n".join(section_lines(trial(1, 0.1, 0.9, conditions=parts, ablation=section_effects(parts))))
    assert said.index("Scoring") < said.index("Cohort") < said.index("Held")
    assert "-0.700" in said


def test_a_long_name_loses_its_middle_and_a_short_one_is_padded() -> None:
    assert fit("ab", 4) == "ab  "
    assert fit("abcdefghij", 7) == "abcd…ij"
    assert len(fit(LONG, 9)) == 9


def test_a_forest_takes_the_newest_trial_of_each_task_and_names_what_has_no_difference() -> None:
    trials = [
        trial(4, 0.1, 0.3, task="b"),
        trial(3, 0.1, None, task="c"),
        trial(2, 0.1, 0.9, task="a"),
        trial(1, 0, 1, task="a"),
    ]
    figure = forest_of_trials(trials)
    assert [(row.task, round(row.delta, 3)) for row in figure.rows] == [("a", 0.8), ("b", 0.2)]
    assert figure.mean == pytest.approx(0.5)
    assert figure.low <= figure.mean <= figure.high
    assert figure.left_out == ("c: the newest trial (01TRIAL0003) has no difference",)
    assert "left out: c" in "\n".join(figure_lines(figure))


def test_one_task_gives_no_interval_and_no_task_gives_no_picture() -> None:
    one = forest_of_trials([trial(1, 0.1, 0.3)])
    assert (one.low, one.high) == (None, None)
    assert "one task, no inference" in one.caption
    with pytest.raises(FigureError, match="no task has a difference"):
        drawn(forest_of_trials([]))


def test_pictures_are_the_same_from_call_to_call_and_other_endings_are_refused(tmp_path) -> None:
    trials = [trial(number, 0.3, None if number == 2 else number / 9, version=number + 1) for number in range(4)]
    rewards = reward_figure([("sirs", history_of(trials, "sirs"))])
    rows = (AgreementRow(scope="definition", n=3, raw=1.0, kappa=None, alpha=-0.2, ac1=0.4),)
    agreement = AgreementFigure(rows=rows, caption="Agreement.")
    for name, figure in {"reward": rewards, "forest": forest_of_trials(trials[::-1]), "agreement": agreement}.items():
        for suffix, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
            paths = [tmp_path / f"{name}{number}.{suffix}" for number in (1, 2)]
            for path in paths:
                write_figure(figure, path)
            assert paths[0].read_bytes() == paths[1].read_bytes()
            assert paths[0].read_bytes().startswith(start)
    with pytest.raises(FigureError, match=r"no picture ends in \.pdf"):
        write_figure(rewards, tmp_path / "reward.pdf")


def test_an_interval_is_a_line_with_its_middle_and_nought_on_it() -> None:
    assert interval_bar(0.2, 0.4, 0.6, 0.0, 1.0, 11) == "| ──●──    "
    assert interval_bar(-1, -1, -1, -1.0, 0.0, 5) == "●   |"

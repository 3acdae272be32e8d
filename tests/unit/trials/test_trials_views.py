"""Trials as lines of text: past versions, columns, sections, comparisons; whatever is missing, long or many."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from m4review.campaigns.figuretext import figure_lines, interval_bar
from m4review.campaigns.trialdrawing import FigureError, drawn, write_figure
from m4review.campaigns.trialfigures import AgreementFigure, AgreementRow, forest_of_trials, reward_figure
from m4review.scoring.mistakes import Confusion
from m4review.trials.ablation import section_effects
from m4review.trials.bars import reward_bar, sparkline
from m4review.trials.conditions import Condition
from m4review.trials.confusion import ArmConfusion, TrialConfusion
from m4review.trials.difference import ArmDifference, FigureDifference, TrialDifference
from m4review.trials.improvement import improvement
from m4review.trials.records import Outcome, RunRecord, SkillUsed
from m4review.trials.summary import ConditionResult, Pair, TrialSummary, UnscoredRun
from m4review.trials.timeline import TimelineEntry
from m4review.trials.versionhistory import Author, history_of
from m4review.trials.viewtext import (
    column_lines,
    confusion_lines,
    difference_lines,
    fit,
    history_lines,
    section_lines,
    step_lines,
)

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


def test_each_version_says_what_it_changed_against_the_one_before_and_what_the_skill_is_worth_apart() -> None:
    trials = [
        trial(1, 0.2, 0.906, version=1),
        trial(2, 0.3, None, version=2),
        trial(3, 0.4, 1.0, version=3),
        trial(4, 0.4, 0.75, version=4),
    ]
    (series,) = history_of(trials, "sirs")
    assert [(text.before, text.change and round(text.change, 3)) for text in series.versions] == [
        (None, None),
        ("version 1", None),
        ("version 1", 0.094),
        ("version 3", -0.25),
    ]
    lines = list(history_lines([series], 76))
    heading = next(line for line in lines if "Δ version" in line)
    third = next(line for line in lines if line.startswith("  version 3"))
    assert heading.split() == ["no", "with", "Δ", "skill", "Δ", "version", "runs"]
    assert third.split()[2:] == ["0.400", "1.000", "+0.600", "+0.094", "1"]
    assert "oldest first; lines newest first" in "\n".join(lines)
    narrow = next(line for line in history_lines([series], 36) if line.startswith("  vers") and "1.000" in line)
    assert narrow.split()[-3:] == ["1.000", "+0.600", "+0.094"], "what is asked for is there on a narrow screen too"


def test_a_trial_on_a_changed_schema_is_not_averaged_with_those_on_the_native_one() -> None:
    changed = trial(2, 0.2, 0.3, schema_name="restructured")
    native, other = sorted(history_of([trial(1, 0.2, 0.9), changed], "sirs"), key=lambda one: one.changed_schema or "")
    assert (native.versions[0].with_skill, other.versions[0].with_skill) == (0.9, 0.3)
    assert "restructured schema" in other.setting
    figure = forest_of_trials([changed, trial(1, 0.2, 0.9)])
    assert [round(row.delta, 3) for row in figure.rows] == [0.7]
    assert "01TRIAL0002 ran on another schema" in figure.left_out[0]


def test_only_a_reward_of_one_fills_a_bar_and_lesser_ones_are_told_apart() -> None:
    assert reward_bar(1.0, None, 12) == "█" * 12
    assert reward_bar(0.962, None, 12) == "█" * 11 + "▌"
    assert reward_bar(0.9999, None, 12) == "█" * 11 + "▉"
    assert reward_bar(0.0001, None, 12) == "·" * 12
    assert reward_bar(0.7, None, 10) == "███████···"
    assert reward_bar(0.29, None, 100) == "█" * 29 + "·" * 71, "a product of floats that is a hair too small"
    assert reward_bar(0.5, 1.0, 4) == "██░░"
    assert all(len(reward_bar(part / 997, 1.0, 12)) == 12 for part in range(998))
    assert sparkline([0.962, 1.0]) == "▇█"


def test_the_answer_whether_a_correction_helped_names_both_versions_and_what_moved_most() -> None:
    before, after = trial(1, 0.2, 0.9, version=1), trial(2, 0.2, 1.0, version=2)
    found = improvement(after, [after, before], "sirs")
    assert found.former_trial == before.id
    assert found.sentence.startswith(
        "The change of the text helped (+0.100). With version 2 the reward is 1.000, with version 1 it was 0.900; "
    )
    assert "sirs 0.900 → 1.000" in found.sentence
    assert "chance" not in found.sentence


def test_of_a_model_it_is_said_that_the_reward_moved_and_not_that_the_text_moved_it() -> None:
    tried = [trial(number, 0.2, reward, version=number) for number, reward in ((1, 0.9), (2, 1.0), (3, 0.8))]
    trials = [one.model_copy(update={"model": "m"}) for one in tried]
    higher, lower = (improvement(one, trials, "sirs").sentence for one in trials[1:])
    assert higher.startswith("The reward is higher after the change of the text (+0.100). ")
    assert lower.startswith("The reward is lower after the change of the text (−0.200). ")
    assert all("a model's reward also moves by chance" in said for said in (higher, lower))


def test_a_worse_text_and_one_that_changes_nothing_are_told_as_plainly() -> None:
    trials = [trial(1, 0.2, 0.9, version=1), trial(2, 0.2, 0.5, version=2), trial(3, 0.2, 0.5, version=None)]
    worse = improvement(trials[1], trials, "sirs").sentence
    assert worse.startswith("The change of the text made it worse (−0.400). ")
    assert "reward is 0.500, with version 1 it was 0.900" in worse
    assert improvement(trials[2], trials, "sirs").sentence == (
        "The change of the text did not change the reward. With text 00000000 the reward is 0.500, as with version 2."
    )


@pytest.mark.parametrize(
    "other",
    [
        {"version": 1},
        {"dataset": "ward"},
        {"task": "sofa"},
        {"schema_name": "restructured"},
        {"treated": None},
        {"number": 9},
        {"conditions": (result("no-skill", 0.2),)},
    ],
    ids=["the same text", "other data", "another task", "another schema", "no run that counts", "later", "no skill"],
)
def test_what_differs_in_more_than_the_text_is_no_answer(other) -> None:
    wishes = {"number": 1, "without": 0.2, "treated": 0.9, "version": 2} | other
    assert improvement(trial(5, 0.2, 1.0, version=1), [trial(**wishes)], "sirs") is None


def test_an_answer_is_not_given_where_another_skill_changed_as_well() -> None:
    def tried(number: int, reward: float, sirs: int, sofa: int) -> TrialSummary:
        treated = result("with-skill", reward, version=sirs)
        other = SkillUsed(name="sofa", digest=f"sha256:{sofa:064d}", version=sofa)
        treated = treated.model_copy(update={"skills": (*treated.skills, other)})
        return trial(number, 0.2, reward, conditions=(result("no-skill", 0.2), treated))

    both = [tried(1, 0.5, sirs=1, sofa=1), tried(2, 0.9, sirs=2, sofa=2)]
    assert improvement(both[1], both, "sirs") is None
    assert improvement(both[1], [*both, tried(0, 0.4, sirs=1, sofa=2)], "sirs").reward.former == 0.4
    assert improvement(both[1], [*both, tried(0, 0.4, sirs=1, sofa=2)], "sofa") is None


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


def test_lines_of_prose_that_a_literal_reader_skips_are_one_step_and_every_other_step_keeps_its_line() -> None:
    def step(seconds: float, kind: str, text: str) -> TimelineEntry:
        return TimelineEntry(line=1, seconds=seconds, kind=kind, text=text)

    prose = [step(1.0 + number, "gap", f"SKILL.md:{number}: Words. (free prose is not read)") for number in range(3)]
    steps = [step(0.5, "message", "begins"), *prose, step(5.0, "gap", "SKILL.md:9: sirs (no text says how)")]
    inputs = SimpleNamespace(arm=SimpleNamespace(label="with-skill"), agent="reader")
    record = RunRecord.model_construct(
        id="01RUN", inputs=inputs, replicate=1, outcome=Outcome.SCORED, reward=1.0, seconds={}, trace=None, reason=None
    )
    lines = list(step_lines(record, steps, 120))
    assert "     1.00 ! 3 lines of running text were passed over (normal): m4review trial show 01RUN" in lines
    assert "     5.00 ! SKILL.md:9: sirs (no text says how)" in lines
    assert not any("Words." in line for line in lines)


def test_a_mark_is_explained_only_where_it_stands() -> None:
    def said(*counts: int | None) -> str:
        found = Confusion(column="sirs", reference=("0",), given=("0", "1"), counts=(counts,), band=None)
        arm = ArmConfusion(label="with-skill", run="R", confusion=found)
        whole = TrialConfusion(trial="T", task="t", dataset="d", column="sirs", replicate=1, arms=(arm,))
        return " ".join(confusion_lines(whole, 76))

    assert "* hides a count below 10" in said(40, None)
    assert "*" not in said(40, 12)


@pytest.mark.parametrize(("width", "beside"), [(76, True), (30, False)])
def test_two_tables_of_mistakes_stand_beside_each_other_where_they_fit(width: int, beside: bool) -> None:
    found = Confusion(column="sirs", reference=("0", "1"), given=("0", "1"), counts=((40, 0), (12, 33)), band=None)
    arms = [ArmConfusion(label=name, run="R", confusion=found) for name in ("no-skill", "with-skill")]
    arms.append(ArmConfusion(label="decoy", run=None, confusion=None, why_not="cancelled"))
    whole = TrialConfusion(trial="T", task="t", dataset="d", column="sirs", replicate=1, arms=tuple(arms))
    lines = list(confusion_lines(whole, width))
    assert any("no-skill" in line and "with-skill" in line for line in lines) is beside
    assert "\n".join(lines).count("[33]") == 2
    assert any(line == "decoy" for line in lines)
    assert all(len(line) <= width for line in lines)


def test_a_condition_that_one_trial_alone_ran_is_one_line_of_the_comparison() -> None:
    def figure(name: str, second: float | None) -> FigureDifference:
        return FigureDifference(name=name, first=None, second=second)

    arm = ArmDifference(
        label="decoy",
        reward=figure("reward", 0.3),
        columns=(figure("sirs", 0.3),),
        key_f1=figure("key F1", 1.0),
        counted=(0, 1),
    )
    found = TrialDifference(first="A", second="B", delta=figure("Δ", None), arms=(arm,), inputs=())
    assert list(difference_lines(found))[2:4] == [
        "decoy (0 and 1 runs)",
        f"{'  reward':<28}      –   0.300        –",
    ]


def test_sections_come_by_what_they_cost_and_those_without_a_figure_last() -> None:
    parts = (
        result("no-skill", 0.1),
        result("with-skill", 0.9, version=1),
        result("with-skill", 0.8, version=1, left_out="Cohort"),
        result("with-skill", None, version=1, left_out="Held"),
        result("with-skill", 0.2, version=1, left_out="Scoring"),
    )
    whole = trial(1, 0.1, 0.9, conditions=parts, ablation=section_effects(parts))
    assert "CANCELLED" not in "\n".join(section_lines(whole))
    said = "\n".join(section_lines(whole.model_copy(update={"cancelled": True})))
    assert "CANCELLED: what has a dash was not tried" in said
    said = said[said.index("left out") :]
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


def test_a_cancelled_trial_does_not_hide_the_finished_one_before_it() -> None:
    figure = forest_of_trials([trial(2, None, None).model_copy(update={"cancelled": True}), trial(1, 0.1, 0.3)])
    assert [round(row.delta, 3) for row in figure.rows] == [0.2]
    assert figure.left_out == ("sirs-24h: 01TRIAL0002 was cancelled",)


def test_settings_that_cannot_be_compared_have_rows_of_their_own_and_no_mean_over_them() -> None:
    trials = [trial(3, 0.1, 0.3), trial(2, 0.1, 0.9, dataset="ward"), trial(1, 0.1, 0.2)]
    figure = forest_of_trials(trials)
    assert {row.task: round(row.delta, 3) for row in figure.rows} == {
        "sirs-24h · ward · reader · not isolated": 0.8,
        "sirs-24h · demo · reader · not isolated": 0.2,
    }
    assert (figure.mean, figure.low, figure.high) == (None, None, None)
    assert "2 settings, so no mean over them" in figure.caption
    drawn(figure)


def test_one_task_gives_no_interval_and_no_task_gives_no_picture() -> None:
    one = forest_of_trials([trial(1, 0.1, 0.3)])
    assert (one.low, one.high) == (None, None)
    assert "one task, no inference" in one.caption
    assert "no task has a difference" in forest_of_trials([]).caption
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

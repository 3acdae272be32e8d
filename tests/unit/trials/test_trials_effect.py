"""What a trial shows of a skill, with the reader and without a container."""

from __future__ import annotations

import stat

import pytest
from trials_bench import SKILL, TASK, run_of
from trials_bench import expected_output as right_answer

from m4review.errors import TrialError
from m4review.trials import Condition, Outcome, load_trials, parse_condition, trial_table
from m4review.tui.render.trials import result_text
from m4review.workspace import Workspace


def edit(workspace: Workspace, old: str, new: str) -> None:
    path = workspace.skill_file(SKILL)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_skill_helps_on_sirs_and_the_record_says_how_it_was_tried(shown):
    workspace, summary = shown
    assert summary.delta > 0.3
    assert summary.reward("with-skill") > summary.reward("no-skill")
    assert set(summary.column_deltas) == {"sirs", "temp_score", "heart_rate_score", "resp_score", "wbc_score"}
    record = run_of(workspace, summary, "with-skill")
    assert record.outcome is Outcome.SCORED
    assert not record.isolated
    assert record.trace.skill_opened
    assert record.inputs.skills[0].version == 1
    assert record.audit.findings == ()
    assert {"agent", "read", "audit", "score"} <= set(record.seconds)
    without = run_of(workspace, summary, "no-skill")
    assert without.inputs.skills == ()
    assert not without.trace.skill_opened
    assert without.trace.gaps, "what the text does not say is listed"


def test_one_changed_threshold_moves_the_reward_and_reverting_it_brings_it_back(workspace, try_reader):
    wishes = {"conditions": ("with-skill",)}
    before = try_reader(**wishes).reward("with-skill")
    edit(workspace, "highest heart rate > 90", "highest heart rate > 130")
    changed = try_reader(**wishes)
    edit(workspace, "highest heart rate > 130", "highest heart rate > 90")
    after = try_reader(**wishes).reward("with-skill")
    assert changed.reward("with-skill") < before
    assert after == before
    assert changed.conditions[0].skills[0].version is None, "content that was never recorded has no version number"


def test_one_changed_item_id_moves_the_reward(workspace, try_reader):
    before = try_reader(conditions=("with-skill",))
    edit(workspace, "| 220045 (Heart Rate)", "| 220046 (Heart Rate)")
    after = try_reader(conditions=("with-skill",))
    name = "heart_rate_score"
    assert after.conditions[0].columns[name] < before.conditions[0].columns[name]


def test_a_contaminated_skill_is_never_given_to_an_agent(workspace, try_reader):
    path = workspace.skill_file(SKILL)
    pasted = "\nSELECT stay_id, max(valuenum) FROM mimiciv_icu.chartevents GROUP BY stay_id;\n"
    path.write_text(path.read_text(encoding="utf-8") + pasted, encoding="utf-8")
    with pytest.raises(TrialError, match="contaminated") as refused:
        try_reader()
    assert refused.value.line
    assert list(workspace.runs_dir.glob("*/run.json")) == []
    assert list((workspace.local_dir / "staging").glob("*")) == []


def test_a_link_in_a_skill_is_refused_not_followed(workspace, try_reader, tmp_path):
    (tmp_path / "secret.md").write_text("not for the agent", encoding="utf-8")
    (workspace.skills_dir / SKILL / "notes.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(TrialError, match="link"):
        try_reader()


def test_an_edit_during_the_trial_changes_nothing_in_it(workspace, try_reader):
    def edit_at_first_phase(event):
        if event.kind == "trial-started":
            edit(workspace, "highest heart rate > 90", "highest heart rate > 130")

    summary = try_reader(conditions=("with-skill",), listener=edit_at_first_phase)
    assert summary.reward("with-skill") > 0.95
    assert summary.conditions[0].skills[0].version == 1


def test_records_of_a_run_can_be_entered_by_their_owner_only_and_nothing_temporary_stays(shown):
    workspace, summary = shown
    folder = workspace.runs_dir / summary.order[0]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    kept = ["events.jsonl", "output.csv", "run.json", "stderr.txt", "trace.jsonl"]
    assert sorted(path.name for path in folder.iterdir()) == kept
    assert list((workspace.local_dir / "staging").iterdir()) == []


def test_the_table_names_the_sandbox_the_inference_and_the_gaps(shown):
    text = trial_table(shown[1])
    assert "NOT ISOLATED" in text
    assert "one task, no inference" in text
    assert "lower bound and a completeness probe" in text
    assert "instruction.md:" in text


def test_prose_that_was_not_read_is_one_quiet_line_until_it_is_asked_for(shown):
    _, summary = shown
    prose = [gap for gap in summary.conditions[1].gaps if gap.kind == "prose"]
    assert len(prose) > 1
    text = trial_table(summary)
    assert f"with-skill: {len(prose)} lines of running text were passed over (normal)" in text
    assert f"'m4review trial show {summary.id}' lists them" in text
    assert "free prose is not read" not in text
    assert not any(f"{gap.where}: " in text for gap in prose)
    for gap in summary.conditions[0].gaps:
        assert (gap.kind == "prose") is (f"{gap.where}: {gap.text[:40]}" not in text)
    everything = trial_table(summary, all_gaps=True)
    assert all(f"{gap.where}: {gap.text}" in everything for gap in prose)


def test_a_result_with_nothing_but_unread_prose_speaks_of_nothing_that_failed(shown):
    _, summary = shown
    only_prose = [
        result.model_copy(update={"gaps": tuple(gap for gap in result.gaps if gap.kind == "prose")[:1]})
        for result in summary.conditions
    ]
    perfect = summary.model_copy(update={"conditions": tuple(only_prose)})
    for text in (trial_table(perfect), result_text(perfect).plain):
        assert "could not execute" not in text
        assert "with-skill: 1 line of running text was passed over (normal)" in text
        assert "m4review trial show" in text


def test_the_screen_keeps_unread_prose_apart_too(shown):
    _, summary = shown
    text = result_text(summary).plain
    assert "lines of running text were passed over (normal)" in text
    assert "free prose is not read" not in text
    assert "What the reader could not execute, no-skill" in text


def test_the_order_of_conditions_follows_the_recorded_seed(workspace, try_script):
    def order(seed: int) -> list[str]:
        summary = try_script("exit 0", conditions=("no-skill", "with-skill"), repeats=3, seed=seed)
        assert summary.seed == seed
        by_run = {run: result.condition.value for result in summary.conditions for run in result.runs}
        return [by_run[run] for run in summary.order]

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(4)}) > 1


def test_reuse_takes_finished_runs_with_the_same_inputs_and_no_others(workspace, try_script):
    def again(**wishes):
        return try_script("printf 'stay_id\\n' > {output}", conditions=("no-skill", "with-skill"), **wishes)

    first = again()
    assert set(again(reuse=True).reused) == set(first.order)
    edit(workspace, "highest heart rate > 90", "highest heart rate > 130")
    assert again(reuse=True).reused == (run_of(workspace, first, "no-skill").id,)
    assert again().reused == ()


def test_trials_are_listed_newest_first_and_a_broken_record_hides_no_other(workspace, try_script):
    first, second = try_script("exit 0"), try_script("exit 0")
    (workspace.local_dir / "trials" / "01BROKEN.json").write_text("{", encoding="utf-8")
    complaints = []
    assert [entry.id for entry in load_trials(workspace, complaints.append)] == [second.id, first.id]
    assert len(complaints) == 1


def test_an_unknown_condition_names_the_available_ones():
    with pytest.raises(TrialError, match="no-skill, with-skill"):
        parse_condition("no-skil")
    with pytest.raises(TrialError, match="did you mean decoy"):
        parse_condition("decoi")
    assert parse_condition("with-skill") is Condition.WITH_SKILL


def test_a_right_answer_is_worth_one_and_is_no_offence(workspace, try_script, tmp_path):
    (tmp_path / "right.csv").write_text(right_answer(), encoding="utf-8")
    summary = try_script(f"cp {tmp_path}/right.csv {{output}}")
    assert summary.reward("no-skill") == 1.0
    assert summary.conditions[0].strict_passes == 1
    assert not summary.held
    assert run_of(workspace, summary, "no-skill").inputs.task == TASK


def test_an_exception_that_was_agreed_and_recorded_lets_the_skill_be_tried(workspace, try_reader):
    from m4review.lint import lint_paths

    path = workspace.skill_file("sirs-criteria")
    path.write_text(path.read_text("utf-8") + "\nSELECT stay_id FROM chartevents WHERE itemid = 220045;\n", "utf-8")
    waivers = [
        f'[[waiver]]\nrule = "{finding.rule}"\nfingerprint = "{finding.fingerprint}"\n'
        f'path = "skills/sirs-criteria/SKILL.md"\nreason = "Agreed here."\nperson = "C1"\nexpires = 2999-12-31\n'
        for finding in lint_paths(workspace.root, [path]).errors
    ]
    assert waivers
    (workspace.reviews_dir / "lint-waivers.toml").write_text("\n".join(waivers), "utf-8")
    assert try_reader().delta is not None

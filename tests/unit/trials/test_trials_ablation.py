"""Ablation: which section of a skill carries the reward."""

from __future__ import annotations

import json
import threading

import pytest
from trials_bench import DATASET, SKILL, TASK

from m4review.cli.main import main
from m4review.errors import TrialError
from m4review.trials import load_run, trial_table
from m4review.trials.ablation import ablation_lines
from m4review.trials.bars import reward_bar
from m4review.trials.sections import sections_of, without_section
from m4review.trials.skillfiles import OfferedSkill, offered_skill
from m4review.tui.render.trials import result_text


def skill_of(text: str) -> OfferedSkill:
    head = "---\nname: made-up\ndescription: d\n---\n"
    return OfferedSkill("made-up", {"SKILL.md": (head + text).encode()}, "sha256:0", None)


def body_without(text: str, title: str) -> str:
    skills = (skill_of(text),)
    (cut,) = without_section(skills, sections_of(skills, [title])[0])
    return cut.files["SKILL.md"].decode().split("---\n", 2)[2]


def test_a_section_takes_its_sub_sections_along_and_leaves_the_rest_untouched() -> None:
    text = "# T\n\nintro\n\n## A\n\na\n\n### A1\n\na1\n\n## B\n\nb\n"
    assert body_without(text, "A") == "# T\n\nintro\n\n## B\n\nb\n"
    assert body_without(text, "B") == "# T\n\nintro\n\n## A\n\na\n\n### A1\n\na1\n"


def test_a_heading_in_a_code_block_is_no_section() -> None:
    assert body_without("# T\n\n## A\n\n```\n## B\n```\n\n## C\n\nc\n", "A") == "# T\n\n## C\n\nc\n"


def test_titles_are_found_without_case_numbering_or_code_marks_and_the_nearest_is_offered() -> None:
    skills = (skill_of("# T\n\n## 2. Time `window`\n\nx\n\n## Scoring\n\ny\n"),)
    assert [section.label for section in sections_of(skills, ["time window"])] == ["2. Time `window`"]
    assert [section.label for section in sections_of(skills, [])] == ["2. Time `window`", "Scoring"]
    with pytest.raises(TrialError, match="did you mean Scoring"):
        sections_of(skills, ["Scorin"])
    with pytest.raises(TrialError, match="no section that could be left out"):
        sections_of((skill_of("# T\n\ntext\n"),), [])


def test_two_sections_of_one_title_are_told_apart() -> None:
    skills = (skill_of("# T\n\n## A\n\n1\n\n## A\n\n2\n"),)
    labels = [section.label for section in sections_of(skills, [])]
    assert labels == ["A (line 7)", "A (line 11)"]
    assert len(sections_of(skills, ["A"])) == 2


def test_the_reader_rests_on_scoring_and_sources_and_not_on_literature(workspace, try_reader) -> None:
    summary = try_reader(ablate=("Scoring", "literature"))
    lost = {effect.section: effect.lost for effect in summary.ablation}
    assert list(lost) == ["Scoring", "Literature"]
    assert lost["Scoring"] == pytest.approx(summary.delta)
    assert lost["Literature"] == 0
    assert [result.label for result in summary.conditions] == [
        "no-skill", "with-skill", "with-skill without 'Scoring'", "with-skill without 'Literature'",
    ]  # fmt: skip
    records = [load_run(workspace, run) for run in summary.order]
    assert {record.inputs.left_out for record in records} == {None, "Scoring", "Literature"}
    assert len({record.inputs.skills[0].digest for record in records if record.inputs.skills}) == 3
    text = trial_table(summary)
    assert f"The reward rests on: Scoring ({lost['Scoring']:.3f})." in text
    assert "whole skill" in text
    assert "░" in text
    assert "The reward rests on: Scoring" in result_text(summary).plain
    again = try_reader(ablate=("Scoring", "Literature"), reuse=True)
    assert set(again.reused) == set(summary.order), "a second look makes no run again"


def test_every_section_is_left_out_once_when_none_is_named(workspace, try_script) -> None:
    summary = try_script("exit 0", conditions=("no-skill", "with-skill"), ablate=())
    titles = [section.label for section in sections_of((offered_skill(workspace, SKILL),), [])]
    assert [effect.section for effect in summary.ablation] == titles
    assert len(summary.order) == len(titles) + 2
    assert "No single section changes the reward" in "\n".join(ablation_lines(summary))


def test_a_cancelled_ablation_keeps_what_had_finished(workspace, try_script) -> None:
    stop = threading.Event()
    finished = []

    def listen(event) -> None:
        if event.kind == "run-finished":
            finished.append(event.record.id)
            if len(finished) == 3:
                stop.set()

    summary = try_script("exit 0", conditions=("no-skill", "with-skill"), ablate=(), listener=listen, cancel=stop)
    assert summary.cancelled
    assert list(summary.order) == finished
    assert len(finished) == 3


@pytest.mark.parametrize(
    ("words", "sections"),
    [
        (("--ablate", "Scoring"), ["Scoring"]),
        (("--ablate", "Scoring", "Missing data"), ["Scoring", "Missing data"]),
        (("--ablate", "Scoring", "--ablate", "Missing data"), ["Scoring", "Missing data"]),
    ],
)
def test_sections_are_named_after_the_option(workspace, data_home, monkeypatch, capsys, words, sections) -> None:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(data_home))
    with pytest.raises(SystemExit) as ended:
        main(["trial", TASK, *words, "--sandbox", "local", "--dataset", DATASET, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0
    assert [effect["section"] for effect in answer["ablation"]] == sections
    assert set(answer["ablation"][0]) == {"section", "reward", "lost", "columns_lost"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((TASK, "--ablate", "Scorin"), "did you mean Scoring"),
        ((TASK, "Scoring"), "'Scoring' is one word too many"),
        (("--ablate", TASK), "no task was named"),
    ],
)
def test_a_mistake_in_naming_sections_is_one_sentence(workspace, data_home, monkeypatch, capsys, words, said) -> None:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(data_home))
    with pytest.raises(SystemExit) as ended:
        main(["trial", *words, "--sandbox", "local", "--dataset", DATASET])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_bar_shows_what_is_left_what_was_lost_and_what_was_never_there() -> None:
    assert reward_bar(0.5, 0.75, 8) == "████░░··"
    assert reward_bar(0.75, None, 8) == "██████··"
    assert reward_bar(1.2, 1.0, 4) == "████"
    assert reward_bar(None, 1.0, 4) == ""

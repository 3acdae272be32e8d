"""Controls: what the agent is given instead of the skill, what is refused, and what is recorded of it."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
from trials_bench import ROOT, SKILL, TASK, run_of

from m4review.errors import TrialError
from m4review.skills import load_skill
from m4review.trials import CONTROLS, Condition, parse_condition, trial_table
from m4review.trials.controls.decoys import decoy_map, decoy_of, why_no_decoy
from m4review.trials.controls.specification import operational_specification
from m4review.trials.offers import offer
from m4review.trials.skillfiles import offered_skill
from m4review.tui.render.trials import result_text
from m4review.workspace import Workspace

DECOY = "baseline-creatinine"
SPECIFICATION = f"tasks/sirs/{TASK}/operational-spec.md"
LOOK = (
    "cp {instruction} {seen}; if [ -d {skills} ]; then cp -r {skills} {seen}.skills; fi; printf 'stay_id\\n' > {output}"
)
TASKS = Workspace(ROOT)


@pytest.fixture
def library(workspace: Workspace) -> Workspace:
    """The SIRS workspace with a second family, whose skill is the decoy."""
    for part in (f"skills/{DECOY}", "tasks/creatinine-baseline"):
        shutil.copytree(ROOT / part, workspace.root / part)
    shutil.copy(ROOT / "tasks" / "decoys.toml", workspace.root / "tasks")
    return Workspace(workspace.root)


@pytest.fixture
def seen(library, try_script, tmp_path):
    """What an agent finds under a condition: its instruction, the files of its skills, and the run's record."""

    def look(condition: str):
        script = LOOK.replace("{seen}", str(tmp_path / condition))
        summary = try_script(script, conditions=(condition,))
        folder = tmp_path / f"{condition}.skills"
        skills = {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.md"))}
        return (tmp_path / condition).read_text(), skills, run_of(library, summary, condition)

    return look


# -- all tasks of the library -------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [entry.name for entry in TASKS.tasks])
def test_every_task_has_every_control_and_each_passes_its_check(task: str) -> None:
    workspace = Workspace(ROOT)
    card = workspace.task(task)
    given = {condition: offer(workspace, card, condition) for condition in CONTROLS if condition != "all-skills"}
    assert [text.name for text in given[Condition.OPERATIONAL_SPEC].texts] == ["operational-spec.md"]
    (decoy,) = given[Condition.DECOY].skills
    assert decoy.name not in card.skills
    assert why_no_decoy(workspace, card, decoy) is None
    (query,) = given[Condition.RAW_SQL].skills
    assert not any(relation in query.files["SKILL.md"].decode() for relation in card.removed)
    assert [text.name for text in given[Condition.SKILL_AS_TEXT].texts] == list(card.skills)


def test_there_are_28_tasks_and_the_map_names_each_once() -> None:
    assert sorted(decoy_map(Workspace(ROOT))) == sorted(entry.name for entry in TASKS.tasks)
    assert len(TASKS.tasks) == 28


def test_the_whole_library_is_given_as_it_is() -> None:
    workspace = Workspace(ROOT)
    given = offer(workspace, workspace.task(TASK), Condition.ALL_SKILLS)
    assert [skill.name for skill in given.skills] == workspace.skill_names()
    assert given.texts == ()


# -- what the agent finds -----------------------------------------------------------------------------------------


def test_a_specification_stands_in_the_prompt_and_no_skill_is_there(seen, library) -> None:
    instruction, skills, record = seen("operational-spec")
    text = (library.root / SPECIFICATION).read_bytes()
    assert instruction.startswith(library.task(TASK).instruction.rstrip("\n"))
    assert instruction.endswith(text.decode().strip("\n") + "\n")
    assert skills == {}
    (used,) = record.inputs.skills
    assert (used.name, used.place, used.version) == ("operational-spec.md", "prompt", None)
    assert used.digest == "sha256:" + hashlib.sha256(text).hexdigest()


def test_a_skill_as_text_gives_the_same_words_without_folder_and_front_matter(seen, library) -> None:
    instruction, skills, record = seen("skill-as-text")
    body = load_skill(library.skill_file(SKILL)).body
    assert instruction == library.task(TASK).instruction.rstrip("\n") + "\n\n" + body.strip("\n") + "\n"
    assert "description:" not in instruction
    assert skills == {}
    whole = offered_skill(library, SKILL)
    assert [(used.name, used.digest, used.place) for used in record.inputs.skills] == [(SKILL, whole.digest, "prompt")]


def test_a_decoy_is_the_other_skill_in_the_same_form(seen, library) -> None:
    instruction, skills, record = seen("decoy")
    assert instruction == library.task(TASK).instruction
    assert skills == {f"{DECOY}/SKILL.md": library.skill_file(DECOY).read_text()}
    assert [used.name for used in record.inputs.skills] == [DECOY]


def test_the_query_is_given_as_a_skill_and_kept_nowhere(seen, library) -> None:
    _, skills, record = seen("raw-sql")
    (text,) = skills.values()
    assert "```sql\nWITH step_" in text
    assert "mimiciv_derived" not in text
    assert "--" not in text.partition("```sql")[2]
    assert record.inputs.skills[0].version is None
    kept = [path for path in library.local_dir.rglob("*") if path.is_file() and b"step_vitalsign" in path.read_bytes()]
    assert kept == []


def test_all_skills_are_in_the_folder(seen, library) -> None:
    _, skills, record = seen("all-skills")
    assert sorted(skills) == [f"{name}/SKILL.md" for name in library.skill_names()]
    assert [used.name for used in record.inputs.skills] == library.skill_names()


# -- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("Heart rate is item 220045.", "specification-item-id"),
        ("It is charted in chartevents.", "specification-table"),
        ("The window starts at `intime`.", "specification-column"),
        ("Read it from mimiciv_derived.first_day_vitalsign.", "specification-table"),
        ("The answer lies in ground_truth/sirs.csv.", "answer-path"),
    ],
)
def test_a_specification_with_a_recipe_is_refused_with_its_line(library, try_script, line, rule) -> None:
    path = library.root / SPECIFICATION
    path.write_text(f"# Rules\n\n{line}\n", encoding="utf-8")
    with pytest.raises(TrialError, match="is contaminated") as refused:
        try_script("exit 0", conditions=("operational-spec",))
    assert rule in refused.value.what
    assert (refused.value.where, refused.value.line) == (SPECIFICATION, 3)


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_missing_or_empty_specification_is_one_error(library, content) -> None:
    path = library.root / SPECIFICATION
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(TrialError, match=r"no operational specification|is empty") as refused:
        operational_specification(library, library.task(TASK))
    assert refused.value.where == SPECIFICATION


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("", "has no decoy"),
        (f'{TASK} = "nothing"', "no skill of the library"),
        (f'{TASK} = "{SKILL}"', "the task's own skill"),
        (f"{TASK} = 3", "is no name"),
        (f'{TASK} = "', "not valid TOML"),
    ],
)
def test_a_wrong_map_of_decoys_is_one_error_with_its_line(library, entry, said) -> None:
    library.decoys_file.write_text(f"[decoys]\n{entry}\n", encoding="utf-8")
    with pytest.raises(TrialError, match=said) as refused:
        decoy_of(library, library.task(TASK))
    assert refused.value.where == "tasks/decoys.toml"
    assert refused.value.line == (2 if entry else None)


def test_without_a_map_the_error_says_what_it_holds(library) -> None:
    library.decoys_file.unlink()
    with pytest.raises(TrialError, match="no map of decoys"):
        decoy_of(library, library.task(TASK))


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("It can be read from mimiciv_derived.first_day_lab.", "names a table that the task removed"),
        ("It is not `wbc_score`.", "speaks of the scored column wbc_score"),
    ],
)
def test_a_skill_that_helps_after_all_is_no_decoy(library, sentence, said) -> None:
    path = library.skill_file(DECOY)
    path.write_text(path.read_text() + f"\n{sentence}\n")
    with pytest.raises(TrialError, match=said):
        decoy_of(library, library.task(TASK))


def test_the_skill_of_a_family_that_builds_on_this_one_is_no_decoy() -> None:
    workspace = Workspace(ROOT)
    for task, skill in (
        ("mimic-sofa-24h", "gcs-calculation"),
        ("mimic-gcs-24h-raw", "sofa-score"),
        ("mimic-kdigo-48h", "urine-output-rate"),
    ):
        problem = why_no_decoy(workspace, workspace.task(task), offered_skill(workspace, skill))
        assert problem is not None, (task, skill)
        assert "build on each other" in problem


def test_a_contaminated_decoy_is_not_given(library) -> None:
    path = library.skill_file(DECOY)
    path.write_text(path.read_text() + "\nSELECT stay_id FROM mimiciv_icu.icustays WHERE los > 1;\n")
    with pytest.raises(TrialError, match="contaminated"):
        offer(library, library.task(TASK), Condition.DECOY)


# -- what is shown ------------------------------------------------------------------------------------------------


def test_several_conditions_stand_side_by_side_each_with_its_difference_to_no_skill(library, try_script) -> None:
    conditions = ("no-skill", "with-skill", "decoy", "skill-as-text", "operational-spec", "all-skills", "raw-sql")
    script = "if [ -d {skills}/sirs-criteria ]; then printf 'stay_id,sirs\\n' > {output}; else exit 3; fi"
    summary = try_script(script, conditions=conditions)
    assert [result.label for result in summary.conditions] == list(conditions)
    assert {result.label: result.delta for result in summary.conditions} == dict.fromkeys(conditions, 0.0) | {
        "no-skill": None
    }
    text = trial_table(summary)
    assert all(name in text for name in conditions)
    assert max(len(line) for line in text.split("\n") if "reward" in line) <= 100
    assert "Δ to no-skill" in text
    assert max(len(line) for line in result_text(summary, width=80).plain.split("\n")[:30]) <= 80
    assert json.loads(summary.model_dump_json(by_alias=True))["conditions"][3]["skills"][0]["place"] == "prompt"


def test_the_reader_takes_a_skill_as_text_for_what_it_is(library, try_reader) -> None:
    summary = try_reader(conditions=("no-skill", "with-skill", "skill-as-text", "decoy"))
    assert summary.reward("skill-as-text") == summary.reward("with-skill") > 0.9
    assert summary.reward("decoy") == summary.reward("no-skill")
    assert summary.result(Condition.SKILL_AS_TEXT).delta == summary.delta


def test_condition_names_are_read_as_people_write_them() -> None:
    assert parse_condition("Skill as text") is Condition.SKILL_AS_TEXT
    with pytest.raises(TrialError, match="did you mean operational-spec"):
        parse_condition("operational-specs")

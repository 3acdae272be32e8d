"""The shipped library: each task has its skill and its operational specification, and they fit together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from m4review.skills.completeness import completeness
from m4review.tasks import Task
from m4review.workspace import SPECIFICATION_FILE, Workspace

ROOT = Path(__file__).parents[3]
LIBRARY = Workspace(ROOT)
TASKS = [LIBRARY.task(entry.name) for entry in LIBRARY.tasks]
SKILLS = LIBRARY.skill_names()
DATABASES = {"mimic-iv": "MIMIC-IV", "eicu": "eICU-CRD"}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_names_a_skill_of_its_family_and_none_for_another_database(task: Task) -> None:
    facts = [LIBRARY.skill(name).metadata for name in task.skills]
    assert task.family in [fact["family"] for fact in facts]
    assert {(fact["database"], fact["database-version"]) for fact in facts} == {
        (DATABASES[task.database], task.database_version)
    }


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_family_page_names_the_task_and_its_skill(task: Task) -> None:
    opening = (task.path.parent / "family.md").read_text("utf-8").partition("\n## ")[0]
    named = set(re.findall(r"`([\w-]+)`", opening))
    assert {task.name, *task.skills} <= named


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_is_complete_serves_a_task_and_can_be_read_top_to_bottom(name: str) -> None:
    skill = LIBRARY.skill(name)
    assert [item.element.id for item in completeness(skill).absent] == []
    assert LIBRARY.tasks_of_skill(name)
    assert skill.text.count("\n") < 500
    assert skill.metadata["status"] == "draft"


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_tasks_with_one_expected_output_share_skills_and_specification(task: Task) -> None:
    specification = (task.path / SPECIFICATION_FILE).read_text("utf-8")
    assert specification.startswith("# Operational specification: ")
    for other in TASKS:
        if (other.database, other.reference) == (task.database, task.reference):
            assert other.skills == task.skills
            assert (other.path / SPECIFICATION_FILE).read_text("utf-8") == specification


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_skills_of_a_task_speak_of_every_column_that_its_card_asks_for(task: Task) -> None:
    text = "".join(LIBRARY.skill(name).text for name in task.skills)
    assert [column for column in task.output.required_columns if f"`{column}`" not in text] == []

"""The task card's tab: the cards of a skill, and the family's page with its validity audit below them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rich.console import Console

from m4review.tasks import Task, load_task
from m4review.tui.render.cards import task_cards

TASKS = Path(__file__).parents[3] / "tasks"
FAMILIES = sorted(folder.name for folder in TASKS.iterdir() if folder.is_dir())


def cards(family: str, tasks: Path = TASKS) -> tuple[Task, ...]:
    return tuple(load_task(path.parent) for path in sorted((tasks / family).glob("*/task.toml")))


def shown(tasks: tuple[Task, ...], width: int = 78) -> str:
    console = Console(width=width)
    with console.capture() as captured:
        console.print(task_cards(tasks))
    return captured.get()


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_shows_its_validity_audit_below_its_cards(family: str) -> None:
    text = " ".join(shown(cards(family)).split())
    assert text.startswith(f"Validity audit: on the page of the family {family}, below the task cards.")
    assert text.count("Source basis") == 1
    assert text.rindex("Validity audit") > max(text.index(task.name) for task in cards(family))


def test_the_rows_of_the_audit_are_readable_in_a_narrow_pane() -> None:
    text = " ".join(shown(cards("kdigo"), width=78).split())
    for point in ("sparse urine charting", "chronic dialysis", "smoothed stages"):
        assert point in text


def test_cards_of_two_families_have_both_pages() -> None:
    text = shown((*cards("kdigo"), *cards("sofa")))
    assert text.startswith("Validity audit: on each family's page, below the task cards.")
    assert text.index("family kdigo") < text.index("family sofa")


def test_a_family_without_a_page_promises_none(tmp_path: Path) -> None:
    shutil.copytree(TASKS / "sofa", tmp_path / "sofa")
    (tmp_path / "sofa" / "family.md").unlink()
    text = shown(cards("sofa", tmp_path))
    assert "Validity audit" not in text
    assert "mimic-sofa-24h" in text


def test_the_page_is_for_people_and_leaves_with_no_record() -> None:
    (task, *_) = cards("sofa")
    assert "Validity audit" in task.family_page
    assert "family_page" not in task.model_dump()
    assert task.family_page not in task.instruction

"""The control text beside a task card: complete rules, and nothing of a database."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_repository import Repo

from m4review.lint import lint_all

ROOT = Path(__file__).resolve().parents[3]
PATH = "tasks/liver/liver-24h/operational-spec.md"


def rules_of(repo: Repo, text: str) -> set[str]:
    repo.write(PATH, f"# Rules\n\n{text}\n")
    return {finding["rule"] for finding in repo.run("lint", PATH, "--format", "json").json["findings"]}  # type: ignore


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Bilirubin is item 50885.", "specification-item-id"),
        ("Items 220045 and 220046 are the heart rate.", "specification-item-id"),
        ("Take the value of LABEVENTS.", "specification-table"),
        ("The row table is `patient`.", "specification-table"),
        ("Look into mimiciv_hosp for it.", "specification-table"),
        ("The physicalexam and nursecharting entries count.", "specification-table"),
        ("The concept first_day_lab has it.", "specification-table"),
        ("The admittime of the stay is the anchor.", "specification-column"),
        ("Only rows whose `valueuom` is mg/dL.", "specification-column"),
        ("The labresultoffset must be positive.", "specification-column"),
    ],
)
def test_the_recipe_of_a_database_is_refused(repo: Repo, text: str, rule: str) -> None:
    assert rules_of(repo, text) & {rule, "removed-table"}


@pytest.mark.parametrize(
    "text",
    [
        "One row per ICU stay; `stay_id` names it. From 6 hours before to 24 hours after ICU admission.",
        "Bilirubin of 12 mg/dL or more scores 4; a platelet count below 50 000 /µL scores 2.",
        "ICD-9 codes that begin with 571 and ICD-10 codes that begin with K74 are liver disease.",
        "Transfers, services and diagnoses do not matter; the label of a value, its time and its text do.",
        "The dose is the rate at which the drug was given, in mcg/kg/min.",
    ],
)
def test_rules_in_words_pass(repo: Repo, text: str) -> None:
    assert rules_of(repo, text) == set()


def test_a_commit_with_a_recipe_in_it_is_refused(repo: Repo) -> None:
    repo.write(PATH, "# Rules\n\nBilirubin is item 50885.\n")
    repo.git("add", PATH)
    result = repo.run("lint", "--staged")
    assert result.code == 1
    assert "specification-item-id" in result.out


def test_the_shipped_specifications_are_clean_and_every_task_has_one() -> None:
    folders = {path.parent for path in (ROOT / "tasks").glob("*/*/task.toml")}
    assert folders == {path.parent for path in (ROOT / "tasks").glob("*/*/operational-spec.md")}
    found = lint_all(ROOT).findings
    assert [f"{one.path}:{one.line} {one.rule}" for one in found if one.path.endswith("operational-spec.md")] == []

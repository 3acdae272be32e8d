"""Which relations are out of bounds for a skill, worked out from the task cards that use it."""

from __future__ import annotations

import pytest

from m4review.lint import LintContext, TaskIndex, lint_text


def card(
    mode: str, skills: list[str], removed: list[str], reference: str = "renal-24h", columns: str = '["stay_id"]'
) -> bytes:
    return (
        f'mode = "{mode}"\nreference = "{reference}"\nskills = {skills!r}\nremoved = {removed!r}\n'
        f"[output]\nrequired_columns = {columns}\n"
    ).encode()


DERIVED = "mimiciv_derived."
RENAL = [f"{DERIVED}renal", f"{DERIVED}first_day_renal"]
TASKS = TaskIndex.from_bytes(
    {
        "renal/renal-24h": card("standard", ["renal-score"], RENAL),
        "renal/renal-24h-raw": card("raw", ["renal-score"], [*RENAL, f"{DERIVED}bg", f"{DERIVED}urine_output"]),
        "shock/shock-24h-raw": card("raw", ["shock-score"], [f"{DERIVED}shock", f"{DERIVED}bg"], "shock-24h"),
    }
)


def found(text: str, skill: str | None) -> list[str]:
    return [item.rule for item in lint_text(text, "notes.md", TASKS.context(skill)) if item.severity == "error"]


def test_what_the_task_asks_for_is_out_of_bounds() -> None:
    assert found("See mimiciv_derived.renal.", "renal-score") == ["removed-table"]
    assert found("See MimicIV_Derived . First_Day_Renal.", "renal-score") == ["removed-table"]


def test_an_intermediate_concept_that_one_of_the_tasks_leaves_in_place_may_be_named() -> None:
    assert found("Where available, mimiciv_derived.bg and mimiciv_derived.urine_output save work.", "renal-score") == []


def test_a_concept_that_every_task_of_the_skill_removes_may_not_be_named() -> None:
    assert found("See mimiciv_derived.bg.", "shock-score") == ["removed-table-unseen"]
    assert found("Blood gases (bg) come from the laboratory.", "shock-score") == []


def test_the_answer_of_a_source_only_task_is_recognised_by_its_family() -> None:
    assert found("See mimiciv_derived.shock.", "shock-score") == ["removed-table"]


def test_an_input_that_the_standard_task_leaves_in_place_may_be_named_although_it_is_called_like_the_family() -> None:
    names = [f"{DERIVED}{name}" for name in ("kdigo_stages", "kdigo_urine")]
    tasks = TaskIndex.from_bytes(
        {
            "kdigo/kdigo-48h": card("standard", ["staging"], names[:1], "kdigo-48h"),
            "kdigo/kdigo-48h-raw": card("raw", ["staging"], names, "kdigo-48h"),
            "other/other-24h-raw": card("raw", ["other"], [f"{DERIVED}other_urine"], "other-24h"),
        }
    )
    staging, other = tasks.context("staging"), tasks.context("other")
    assert staging.answers == {"kdigo_stages"}
    assert lint_text("Where available, mimiciv_derived.kdigo_urine has the rates.", "notes.md", staging) == []
    assert other.answers == {"other_urine"}, "without a standard task the name decides"


def test_another_skills_answer_is_not_this_skills_business() -> None:
    assert found("See mimiciv_derived.renal.", "shock-score") == []


def test_a_text_of_no_skill_may_name_no_answer() -> None:
    for name in ("renal", "shock", "sofa"):
        assert found(f"See mimiciv_derived.{name}.", None) == ["removed-table"]


def test_the_bare_word_stays_clinical_language() -> None:
    text = "Renal failure and shock: the renal component, the shock index, from shock to recovery. Column `renal`."
    assert found(text, "renal-score") == []
    assert found(text, "shock-score") == []


@pytest.mark.parametrize("text", ["The `renal` table has it.", "first_day_renal has it.", "Open renal.parquet."])
def test_the_bare_name_counts_where_it_means_the_table(text: str) -> None:
    assert "removed-table" in found(text, "renal-score")


def test_an_output_column_may_be_called_like_the_table() -> None:
    tasks = TaskIndex.from_bytes(
        {"a/b": card("standard", ["s"], ["mimiciv_derived.kdigo_stage"], columns='["stay_id", "kdigo_stage"]')}
    )
    context = tasks.context("s")
    assert lint_text("The column kdigo_stage is 0 to 3.", "notes.md", context) == []
    assert [item.rule for item in lint_text("See mimiciv_derived.kdigo_stage.", "notes.md", context)] == [
        "removed-table"
    ]


def test_a_card_that_cannot_be_read_is_named_and_the_others_still_count() -> None:
    tasks = TaskIndex.from_bytes({"a/b": b"not toml =", "c/d": card("standard", ["s"], ["mimiciv_derived.x_y"])})
    assert tasks.unreadable == ("a/b",)
    assert tasks.context("s").answers == frozenset({"x_y"})


def test_without_any_task_the_published_answers_are_out_of_bounds() -> None:
    assert [item.rule for item in lint_text("See mimiciv_derived.sofa.", "notes.md", LintContext())] == [
        "removed-table"
    ]

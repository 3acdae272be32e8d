"""``m4review lint --completeness`` on the command line."""

from __future__ import annotations

from lint_repository import CLEAN, QUERY, Repo

SKILL = "skills/liver-score/SKILL.md"


def test_the_checklist_names_lines_and_says_what_to_write(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nOne row per ICU stay.\n")
    result = repo.run("lint", "--completeness", "liver-score")
    assert result.code == 0
    assert f"{SKILL}: 1 of 20 elements declared" in result.out
    assert "[x] Output grain           line 9" in result.out
    assert "[ ] Output keys            absent. Name the columns" in result.out


def test_json_holds_every_element_of_every_skill_and_contamination_is_no_matter_here(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    result = repo.run("lint", "--completeness", "--format", "json")
    assert result.code == 0
    assert result.json["schema"] == "m4review.completeness.v1"
    (skill,) = result.json["skills"]  # type: ignore[misc]
    assert len(skill["elements"]) == 20
    assert {item["line"] for item in skill["elements"] if not item["declared"]} == {None}


def test_what_is_no_skill_or_no_fitting_option_is_refused(repo: Repo) -> None:
    for words in (["nothing"], ["--format", "sarif"], ["--staged"], ["tasks"]):
        result = repo.run("lint", "--completeness", *words)
        assert result.code == 2, words
        assert "Traceback" not in result.err

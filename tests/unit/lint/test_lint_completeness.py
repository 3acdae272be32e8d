"""``m4review lint --completeness`` on the command line."""

from __future__ import annotations

from lint_repository import CLEAN, QUERY, Repo

from m4review.ehr import synthesise

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


BANDS = "\n## Scoring\n\n| Platelets (K/µL) | Points |\n|---|---|\n| < 20 | 4 |\n| 30 to < 50 | 3 |\n| ≥ 50 | 0 |\n"


def test_unclear_places_follow_the_checklist_with_their_lines_and_never_refuse(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + BANDS)
    line = (CLEAN + BANDS).split("\n").index("| 30 to < 50 | 3 |") + 1
    result = repo.run("lint", "--completeness", "liver-score")
    assert result.code == 0
    assert "elements declared, 1 unclear place\n" in result.out
    assert f"[?] band-gap               line {line}: values between '< 20'" in result.out
    result = repo.run("lint", "--completeness", "liver-score", "--format", "json")
    (skill,) = result.json["skills"]  # type: ignore[misc]
    assert [(place["id"], place["line"]) for place in skill["findings"]] == [("band-gap", line)]
    assert all(set(place) == {"id", "line", "message", "to_write"} for place in skill["findings"])


def test_item_ids_are_looked_up_in_the_datasets_of_the_workspace(repo: Repo, monkeypatch, tmp_path) -> None:
    table = "| Measure | Table | Item id (label) |\n|---|---|---|\n| Pulse | `chartevents` | 220046 (Pulse) |\n"
    repo.write(SKILL, f"{CLEAN}\n{table}")
    assert "unknown-item" not in repo.run("lint", "--completeness", "liver-score").out
    synthesise(tmp_path / "data", "ward", layout="mimic-iv", stays=5, seed=1)
    monkeypatch.setenv("M4REVIEW_DATA", str(tmp_path / "data"))
    result = repo.run("lint", "--completeness", "liver-score")
    assert result.code == 0
    assert "[?] unknown-item" in result.out
    assert "item 220046 is not in the dictionary of ward for chartevents" in result.out


def test_a_dataset_that_cannot_be_read_is_said_and_the_rest_is_shown(repo: Repo, monkeypatch, tmp_path) -> None:
    broken = tmp_path / "data" / "ward"
    broken.mkdir(parents=True)
    (broken / "manifest.json").write_text("{")
    monkeypatch.setenv("M4REVIEW_DATA", str(tmp_path / "data"))
    repo.write(SKILL, CLEAN)
    result = repo.run("lint", "--completeness", "liver-score")
    assert result.code == 0
    assert "item ids were not looked up" in result.err
    assert "of 20 elements declared" in result.out

"""A result table made from a built reference is recognised in a skill, by hashes alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import pytest
from lint_repository import CLEAN, Repo

sys.path.insert(0, str(Path(__file__).parent))
from corpus import load

from m4review.ehr.dataset import Dataset, Origin
from m4review.ehr.fingerprints import write_fingerprints
from m4review.errors import DatasetError, LintFailure
from m4review.lint.aggregates import check_aggregates
from m4review.lint.figurefiles import read_figures
from m4review.lint.views import plain_view
from m4review.tasks.figures import figures_file, from_json, hashed, to_json

SKILL = "skills/liver-score/SKILL.md"
COUNTS = {0: 1203, 1: 5410, 2: 8120, 3: 77, None: 41, 4: 3, 5: 221, 6: 250, 7: 246}
TOTAL = sum(COUNTS.values())


@pytest.fixture
def built(repo: Repo) -> Repo:
    """The workspace with a dataset that has one built reference."""
    folder = repo.root / ".m4review" / "data" / "ward"
    (folder / "references").mkdir(parents=True)
    dataset = Dataset(
        name="ward",
        layout_name="mimic-iv",
        origin=Origin(kind="synthetic", stays=TOTAL, seed=1),
        tables=(),
        path=folder,
    )
    rows = " UNION ALL ".join(
        f"SELECT {'NULL' if level is None else level}::INTEGER AS liver, 'Ward ' || ({level or 0} % 2) AS place, "
        f"30000000 + range AS stay_id, {level or 0} * 1.37 + (range % 7) * 0.11 AS bilirubin, "
        f"({level or 0} * 3 + range % 5)::BIGINT AS age FROM range({count})"
        for level, count in COUNTS.items()
    )
    duckdb.sql(f"COPY ({rows}) TO '{dataset.reference_file('liver-24h')}' (FORMAT parquet)")
    write_fingerprints(dataset)
    return repo


def found(repo: Repo, text: str) -> list[int]:
    repo.write(SKILL, CLEAN + text)
    report = repo.run("lint", SKILL, "--format", "json")
    return [line for rule, _, line in report.rules() if rule == "result-fingerprint"]


def mean(repo: Repo) -> float:
    path = repo.root / ".m4review/data/ward/references/liver-24h.parquet"
    (row,) = duckdb.sql(f"SELECT avg(bilirubin) FROM '{path}'").fetchall()
    return float(row[0])


def test_a_pasted_distribution_is_found_at_its_place(built: Repo) -> None:
    table = "".join(f"| {level} | {count:,} |\n" for level, count in COUNTS.items() if level is not None)
    assert found(built, "\n| grade | how often |\n|---|---|\n" + table) == [11]


@pytest.mark.parametrize(
    "text",
    [
        "0: 1203, 1: 5410, 2: 8120",
        "Grade 0 in 1203, grade 1 in 5410, grade 2 in 8120 of them.",
        "grade;n\n0;1203\n1;5410\n2;8120",
        "null 41\n0 1203\n1 5410",
        "".join(f"{level} {100 * COUNTS[level] / TOTAL:.1f} %\n" for level in (0, 1, 2)),
        "5 221\n6 250\n7 246",
    ],
)
def test_other_forms_of_the_same_distribution_are_found(built: Repo, text: str) -> None:
    assert found(built, f"\n{text}\n")


def test_a_level_that_two_columns_share_counts_for_both() -> None:
    level = [hashed("salt", "level", str(number), "120") for number in range(5)]
    figures = from_json(to_json("salt", [level[:3], [level[0], *level[3:]]], []))
    text = plain_view("0 120\n1 120\n2 120\n")
    assert [hit.rule for hit in check_aggregates(text, [figures])] == ["result-fingerprint"]


def test_a_mean_is_found_where_it_is_called_a_mean_of_its_column(built: Repo) -> None:
    value = mean(built)
    assert found(built, f"\nThe mean of `bilirubin` is {value:.3f} mg/dL.\n") == [9]
    assert not found(built, f"\nThe mean of `creatinine` is {value:.3f} mg/dL.\n")
    assert not found(built, f"\nA `bilirubin` of {value:.3f} mg/dL scores one point.\n")


def test_a_mean_of_whole_numbers_is_found_whatever_their_width(built: Repo) -> None:
    path = built.root / ".m4review/data/ward/references/liver-24h.parquet"
    ((value,),) = duckdb.sql(f"SELECT avg(age) FROM '{path}'").fetchall()
    assert found(built, f"\nThe mean of `age` is {value:.3f}.\n") == [9]


@pytest.mark.parametrize(
    "text",
    [
        "| Points | Bilirubin |\n|---|---|\n| 0 | 1.2 |\n| 1 | 2.0 |\n| 2 | 6.0 |\n| 3 | 12.0 |",
        "Grade 0 in 1203, grade 1 in 5411, grade 2 in 8121 of them.",
        "0: 1203, 1: 5410.",
        "In a cohort of 1203 patients 5410 samples were drawn.",
    ],
)
def test_scoring_tables_and_other_figures_are_left_alone(built: Repo, text: str) -> None:
    assert not found(built, f"\n{text}\n")


def test_no_clean_text_of_the_corpus_resembles_the_figures(built: Repo) -> None:
    figures = read_figures(built.root)
    texts = [text.text for text in load("clean")]
    assert len(texts) > 50
    assert [text for text in texts if list(check_aggregates(plain_view(text), figures))] == []


def test_the_file_holds_hashes_only_and_the_report_repeats_nothing(built: Repo) -> None:
    content = json.loads(figures_file(built.root / ".m4review/data/ward").read_text())
    hashes = [item for column in content["columns"] for item in column] + content["means"]
    assert all(len(item) == 12 and set(item) <= set("0123456789abcdef") for item in hashes)
    built.write(SKILL, CLEAN + "\n0: 1203, 1: 5410, 2: 8120\n")
    for form in ("text", "json", "sarif"):
        result = built.run("lint", SKILL, "--format", form)
        assert "result-fingerprint" in result.out
        assert "5410" not in result.out + result.err


def test_the_staged_content_is_compared_too(built: Repo) -> None:
    built.write(SKILL, CLEAN + "\n0: 1203, 1: 5410, 2: 8120\n")
    built.git("add", SKILL)
    assert {rule for rule, _, _ in built.run("lint", "--staged", "--format", "json").rules()} >= {"result-fingerprint"}


def test_a_damaged_file_stops_the_lint_and_says_how_to_make_it_again(built: Repo) -> None:
    figures_file(built.root / ".m4review/data/ward").write_text("{}")
    result = built.run("lint", "--all")
    assert result.code == 2
    assert "m4review data fingerprints --dataset ward" in result.err
    with pytest.raises(LintFailure):
        read_figures(built.root)


def test_without_a_built_reference_there_is_nothing_to_fingerprint(tmp_path: Path) -> None:
    dataset = Dataset(name="new", layout_name="mimic-iv", origin=Origin(kind="import"), tables=(), path=tmp_path)
    with pytest.raises(DatasetError, match="no reference is built"):
        write_fingerprints(dataset)

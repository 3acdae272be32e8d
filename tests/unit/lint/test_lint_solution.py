"""A text that follows a reference query is recognised in any notation, and a method never is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import m4review
from m4review.lint import SourceFile, TaskIndex, lint_files
from m4review.lint.referencequeries import KEYWORDS, SQL_COMMENT, reference_queries, tokens_of
from m4review.lint.referenceruns import INDEX, computed_runs, index_of, known_runs

EHR = Path(m4review.__file__).parent / "ehr"
REFERENCES = sorted((EHR / "references").glob("*/*.sql"))
SKILLS = sorted((Path(m4review.__file__).parents[1] / "skills").glob("*/SKILL.md"))


def found(text: str, *, severity: str | None = None) -> bool:
    head = "---\nname: example\ndescription: d\n---\n# Example\n\n"
    data = (head + text).encode()
    report = lint_files([SourceFile("skills/example/SKILL.md", data, len(data), skill="skills/example")], TaskIndex())
    return any(
        finding.rule == "reference-solution" and severity in {None, finding.severity} for finding in report.findings
    )


def without_keywords(sql: str) -> str:
    """Names and numbers only, as a plan in words would keep them."""
    return re.sub(rf"\b(?:{'|'.join(KEYWORDS)})\b", "so", SQL_COMMENT.sub(" ", sql).lower())


def with_other_aliases(sql: str) -> str:
    """Every one- to three-letter alias renamed, and limits written with decimals."""
    renamed = re.sub(r"\b[a-z]{1,3}\.(?=[a-z_])", "qq.", SQL_COMMENT.sub(" ", sql))
    return re.sub(r"(?<![\w.'])(\d{1,3})(?![\w.'])", r"\1.0", renamed)


def with_columns_reordered(sql: str) -> str:
    """Lines that hold one column each, in the opposite order."""
    lines = SQL_COMMENT.sub(" ", sql).split("\n")
    column = re.compile(r"\s+[\w.]+,\s*")
    ordered: list[str] = []
    run: list[str] = []
    for line in [*lines, ""]:
        if column.fullmatch(line):
            run.append(line)
        else:
            ordered += [*reversed(run), line]
            run = []
    return "\n".join(ordered)


def solution(reference: Path) -> str:
    """The reference and every concept behind it: what computes the output from source tables."""
    parts, open_ends, seen = [], [reference], {reference}
    while open_ends:
        parts.append(open_ends.pop().read_text(encoding="utf-8"))
        for name in sorted(set(re.findall(r"_derived\.(\w+)", SQL_COMMENT.sub(" ", parts[-1])))):
            path = EHR / "concepts" / reference.parent.name / f"{name}.sql"
            if path not in seen:
                seen.add(path)
                open_ends.append(path)
    return "\n".join(parts)


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda path: f"{path.parent.name}/{path.stem}")
@pytest.mark.parametrize(
    "dress",
    [
        str,
        str.upper,
        lambda sql: " ".join(SQL_COMMENT.sub(" ", sql).split()),
        lambda sql: "\n".join(SQL_COMMENT.sub(" ", sql).split()),
        lambda sql: "".join(f"> {line}\n" for line in sql.split("\n")),
        without_keywords,
        with_other_aliases,
        with_columns_reordered,
    ],
    ids=[
        "as it is",
        "upper case",
        "one line",
        "one word a line",
        "quoted",
        "without keywords",
        "other aliases",
        "reordered",
    ],
)
def test_every_reference_with_what_it_rests_on_is_recognised_in_every_layout(reference: Path, dress: object) -> None:
    assert callable(dress)
    assert found(dress(solution(reference)), severity="error")


PANDAS = """
df["temp_score"] = ((df.temperature_min < 36) | (df.temperature_max > 38)).astype(int)
df["heart_rate_score"] = (df.heart_rate_max > 90).astype(int)
df["resp_score"] = ((df.resp_rate_max > 20) | (df.paco2_min < 32)).astype(int)
df["wbc_score"] = ((df.wbc_min < 4) | (df.wbc_max > 12) | (df.bands_max > 10)).astype(int)
"""
DPLYR = """
mutate(temp_score = if_else(temperature_min < 36 | temperature_max > 38, 1, 0),
  heart_rate_score = if_else(heart_rate_max > 90, 1, 0),
  resp_score = if_else(resp_rate_max > 20 | paco2_min < 32, 1, 0),
  wbc_score = if_else(wbc_min < 4 | wbc_max > 12 | bands_max > 10, 1, 0))
"""


@pytest.mark.parametrize("program", [PANDAS, DPLYR], ids=["pandas", "dplyr"])
def test_a_translated_reference_is_recognised(program: str) -> None:
    assert found(program)


BY_COLUMN = """
| Component | Condition | Points |
|---|---|---|
| `temp_score` | `temperature_min` < 36.0 or `temperature_max` > 38.0 | 1 |
| `heart_rate_score` | `heart_rate_max` > 90 | 1 |
| `resp_score` | `resp_rate_max` > 20 or `pco2_min` < 32 | 1 |
| `wbc_score` | `wbc_min` < 4.0 or `wbc_max` > 12.0 or `bands_max` > 10 | 1 |
"""


def test_a_scoring_table_with_the_column_names_of_concepts_is_shown_but_never_refused() -> None:
    assert not found(BY_COLUMN, severity="error")


IN_WORDS = """
First `temperature_min` (below 36.0) and `temperature_max` (above 38.0) make `temp_score`; `heart_rate_max` above 90
makes `heart_rate_score`; `resp_rate_max` above 20 and `paco2_min` below 32 make `resp_score`; and `wbc_min` below 4,
`wbc_max` above 12, `bands_max` above 10 make `wbc_score`.
"""


def test_a_plan_in_words_with_the_names_of_columns_is_shown_as_a_warning() -> None:
    assert found(IN_WORDS, severity="warning")
    assert not found(IN_WORDS, severity="error")


@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.parent.name)
def test_the_shipped_skills_are_no_solutions(skill: Path) -> None:
    assert not found(skill.read_text(encoding="utf-8"))


def test_what_matched_is_never_repeated() -> None:
    data = PANDAS.encode()
    report = lint_files([SourceFile("skills/x/SKILL.md", data, len(data), skill="skills/x")], TaskIndex())
    finding = next(item for item in report.findings if item.rule == "reference-solution")
    assert finding.excerpt is None
    assert "paco2" not in finding.message


def test_the_runs_hold_no_readable_text_and_no_pure_lists_of_items() -> None:
    assert all(
        isinstance(value, int) for query in reference_queries() for runs in query.runs.values() for value in runs
    )
    assert not found("Items 226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227489.")


def test_the_names_read_at_once_are_those_of_the_tokens() -> None:
    for query in reference_queries():
        assert query.names == {token.text for token in tokens_of(query.sql) if token.is_name}


def test_the_index_of_the_references_is_current() -> None:
    index = INDEX.read_text(encoding="utf-8")
    assert index == index_of(computed_runs()), "run 'make lint-index'"
    assert known_runs() == computed_runs()


@pytest.mark.parametrize("harm", ["missing", "of other queries", "cut short", "with a run less"])
def test_an_index_that_does_not_fit_changes_no_finding(tmp_path: Path, harm: str) -> None:
    text = INDEX.read_text(encoding="utf-8")
    harmed = {
        "of other queries": "00000000" + text[8:],
        "cut short": text[: len(text) // 2],
        "with a run less": text[:-9],
    }
    index = tmp_path / "index.txt"
    if harm in harmed:
        index.write_text(harmed[harm], encoding="utf-8")
    assert known_runs(index) == computed_runs()


def test_comparing_with_references_starts_no_database() -> None:
    program = (
        "import sys; from m4review.lint.referenceruns import computed_runs; "
        "computed_runs(); print('duckdb' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

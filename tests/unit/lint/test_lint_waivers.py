"""Waivers: agreed exceptions in one reviewed file, listed by every report, never for patients' data."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from lint_repository import CLEAN, QUERY, Repo

from m4review.errors import LintFailure
from m4review.lint import lint_all, lint_between, lint_paths, lint_staged, rules
from m4review.lint.waivers import parse_waivers

SKILL = "skills/liver-score/SKILL.md"
WAIVERS = "reviews/lint-waivers.toml"
DAY = date(2027, 1, 15)
WAIVER = """
[[waiver]]
rule = "{rule}"
fingerprint = "{fingerprint}"
path = "skills/liver-score/SKILL.md"
reason = "A notation that both reviewers accept."
person = "C1"
expires = 2027-01-15
"""


def waiver_for(repo: Repo, **changes: str) -> str:
    """A waiver for the first finding in the workspace, with fields replaced."""
    finding = lint_all(repo.root, today=DAY).findings[0]
    text = WAIVER.format(rule=finding.rule, fingerprint=finding.fingerprint)
    for key, line in changes.items():
        text = "\n".join(line if row.startswith(f"{key} =") else row for row in text.splitlines())
    return text + "\n"


@pytest.fixture
def waived(repo: Repo) -> Repo:
    """A workspace whose only finding is waived."""
    repo.write(SKILL, CLEAN + QUERY)
    repo.write(WAIVERS, waiver_for(repo))
    return repo


def test_a_waiver_allows_the_finding_and_the_report_still_lists_it(waived: Repo) -> None:
    report = lint_all(waived.root, today=DAY)
    assert report.findings == ()
    assert report.exit_code == 0
    assert [(item.finding.rule, item.person, item.expires, item.line) for item in report.waived] == [
        ("query", "C1", "2027-01-15", 2)
    ]
    assert report.waiver_notes == ()


def test_a_waiver_for_a_skill_covers_every_file_of_it(repo: Repo) -> None:
    repo.write("skills/liver-score/references/notes.md", QUERY)
    repo.write(WAIVERS, waiver_for(repo, path='skill = "liver-score"'))
    assert lint_all(repo.root, today=DAY).exit_code == 0


def test_one_changed_word_of_the_query_needs_a_new_waiver(waived: Repo) -> None:
    waived.write(SKILL, CLEAN + QUERY.replace("50885", "50912"))
    report = lint_all(waived.root, today=DAY)
    assert [finding.rule for finding in report.errors] == ["query"]
    assert [note.problem for note in report.waiver_notes] == ["unmatched"]


def test_a_second_query_beside_the_waived_one_is_refused(waived: Repo) -> None:
    waived.write(SKILL, CLEAN + QUERY + "\nText.\n" + QUERY.replace("50885", "50912"))
    assert [finding.rule for finding in lint_all(waived.root, today=DAY).errors] == ["query"]
    waived.write(SKILL, CLEAN + QUERY.rstrip("\n") + " " + QUERY.replace("50885", "50912").strip() + "\n")
    assert [finding.rule for finding in lint_all(waived.root, today=DAY).errors] == ["query"]


def test_the_same_query_in_another_file_is_refused(waived: Repo) -> None:
    waived.write("skills/other/SKILL.md", CLEAN.replace("liver-score", "other") + QUERY)
    assert [finding.path for finding in lint_all(waived.root, today=DAY).errors] == ["skills/other/SKILL.md"]


def test_after_its_last_day_a_waiver_allows_nothing_and_is_reported(waived: Repo) -> None:
    report = lint_all(waived.root, today=date(2027, 1, 16))
    assert [finding.rule for finding in report.errors] == ["query"]
    assert report.waived == ()
    assert [(note.path, note.line, note.problem) for note in report.waiver_notes] == [(WAIVERS, 2, "expired")]


def test_a_waiver_that_fits_nothing_is_reported_where_its_file_was_read(waived: Repo) -> None:
    waived.write(SKILL, CLEAN)
    assert [note.problem for note in lint_all(waived.root, today=DAY).waiver_notes] == ["unmatched"]
    assert [note.problem for note in lint_paths(waived.root, [Path(SKILL)], today=DAY).waiver_notes] == ["unmatched"]
    instruction = Path("tasks/liver/liver-24h/instruction.md")
    assert lint_paths(waived.root, [instruction], today=DAY).waiver_notes == ()


def test_a_waiver_for_a_file_that_is_gone_is_reported_by_all(waived: Repo) -> None:
    waived.write(SKILL, CLEAN)
    waived.write(WAIVERS, (waived.root / WAIVERS).read_text().replace("liver-score/SKILL", "gone/SKILL"))
    assert [note.problem for note in lint_all(waived.root, today=DAY).waiver_notes] == ["unmatched"]


def test_staged_content_is_judged_by_the_staged_waivers(waived: Repo) -> None:
    waived.git("add", SKILL)
    assert lint_staged(waived.root, today=DAY).exit_code == 1
    waived.git("add", WAIVERS)
    (waived.root / WAIVERS).unlink()
    report = lint_staged(waived.root, today=DAY)
    assert (report.exit_code, len(report.waived)) == (0, 1)


def test_a_commit_that_removes_a_waiver_is_refused(waived: Repo) -> None:
    waived.git("add", ".")
    waived.git("commit", "-q", "--no-verify", "-m", "Waive")
    waived.git("rm", "-q", WAIVERS)
    assert [finding.path for finding in lint_staged(waived.root, today=DAY).errors] == [SKILL]


def test_between_revisions_the_waivers_of_the_later_one_count(waived: Repo) -> None:
    waived.git("add", SKILL)
    waived.git("commit", "-q", "--no-verify", "-m", "Query")
    assert lint_between("HEAD~1", "HEAD", waived.root, today=DAY).exit_code == 1
    waived.git("add", WAIVERS)
    waived.git("commit", "-q", "--no-verify", "-m", "Waiver")
    assert lint_between("HEAD~2", "HEAD", waived.root, today=DAY).exit_code == 0


def test_a_version_is_recorded_only_when_its_waiver_is_recorded_too(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.write(WAIVERS, waiver_for(repo, expires="expires = 9999-12-31"))
    words = ("version", "liver-score", "-m", "Show the notation", "--author", "Ada <ada@example.org>")
    assert repo.run(*words).code == 1
    repo.git("add", WAIVERS)
    repo.git("commit", "-q", "-m", "Allow one notation")
    result = repo.run(*words)
    assert result.code == 0, result.err


def test_every_output_lists_the_waived_finding_and_the_notes(waived: Repo) -> None:
    waived.write(WAIVERS, two_waivers(waived))
    text = waived.run("lint", "--all")
    assert text.code == 0
    assert f"{SKILL}:9:1: waived until 9999-12-31 by C1: SQL, or a piece of it [query]" in text.out
    second = (waived.root / WAIVERS).read_text().rindex("[[waiver]]")
    line = (waived.root / WAIVERS).read_text()[:second].count("\n") + 1
    assert f"{WAIVERS}:{line}: unmatched waiver: the waiver for program in {SKILL} fits no finding" in text.out
    assert "1 waived" in text.out
    answer = waived.run("lint", "--all", "--format", "json").json
    assert answer["errors"] == 0
    assert [item["waiver"]["reason"] for item in answer["waived"]] == ["A notation that both reviewers accept."]  # type: ignore[attr-defined]
    assert [note["problem"] for note in answer["waiver_notes"]] == ["unmatched"]  # type: ignore[attr-defined]
    log = json.loads(waived.run("lint", "--all", "--format", "sarif").out)["runs"][0]
    assert log["results"][0]["suppressions"][0]["kind"] == "external"
    assert "unmatched" in log["invocations"][0]["toolConfigurationNotifications"][0]["message"]["text"]


def two_waivers(repo: Repo) -> str:
    first = (repo.root / WAIVERS).read_text().replace("2027-01-15", "9999-12-31")
    return first + first.replace('rule = "query"', 'rule = "program"')


def test_a_patients_row_in_the_reason_of_a_waiver_is_refused(waived: Repo) -> None:
    text = (waived.root / WAIVERS).read_text().replace("A notation", "Seen in stay_id 31234567, a notation")
    waived.write(WAIVERS, text)
    assert ("patient-id", WAIVERS) in {(item.rule, item.path) for item in lint_all(waived.root, today=DAY).errors}


GOOD = WAIVER.format(rule="query", fingerprint="0" * 32)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD + 'extra = "x"\n', "unknown key 'extra'"),
        ("[settings]\nstrict = false\n" + GOOD, "unknown key 'settings'"),
        (GOOD.replace('reason = "A notation that both reviewers accept."\n', ""), "no reason"),
        (GOOD.replace('"A notation that both reviewers accept."', '"  "'), "no reason|not a text"),
        (GOOD.replace('person = "C1"\n', ""), "no person"),
        (GOOD.replace("expires = 2027-01-15\n", ""), "last day"),
        (GOOD.replace("2027-01-15", '"2027-01-15"'), "last day"),
        (GOOD.replace("2027-01-15", "2027-01-15T00:00:00"), "last day"),
        (GOOD.replace('"query"', '"every-rule"'), "no rule is called"),
        (GOOD.replace("0" * 32, "*"), "not a fingerprint"),
        (GOOD.replace("path = ", 'skill = "liver-score"\npath = '), "one place"),
        (GOOD.replace('path = "skills/liver-score/SKILL.md"\n', ""), "one place"),
        (GOOD.replace("skills/liver-score", "../liver-score"), "not a path"),
        (GOOD + GOOD, "twice"),
        ("waiver = 3\n", "not a list"),
        ("[[waiver]\n", "not TOML"),
    ],
)
def test_a_malformed_waivers_file_is_refused_with_its_reason(repo: Repo, text: str, says: str) -> None:
    with pytest.raises(LintFailure, match=says):
        parse_waivers(text.encode())
    repo.write(WAIVERS, text)
    result = repo.run("lint", "--all")
    assert result.code == 2
    assert WAIVERS in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("rule", [rule.id for rule in rules().values() if rule.family == "rows"] + ["symlink"])
def test_patients_data_and_links_are_never_waived(rule: str) -> None:
    with pytest.raises(LintFailure, match="may not be waived"):
        parse_waivers(WAIVER.format(rule=rule, fingerprint="0" * 32).encode())


def test_a_waivers_file_in_latin_1_or_a_link_to_one_is_refused(waived: Repo, tmp_path: Path) -> None:
    with pytest.raises(LintFailure, match="UTF-8"):
        parse_waivers(GOOD.replace("notation", "Méthode").encode("latin-1"))
    (waived.root / WAIVERS).rename(tmp_path / "elsewhere.toml")
    (waived.root / WAIVERS).symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(LintFailure, match="link"):
        lint_all(waived.root, today=DAY)


def test_a_waiver_for_a_file_as_such_ends_when_its_content_changes(repo: Repo) -> None:
    repo.write("skills/liver-score/notes.txt", "First.\n")
    repo.write(WAIVERS, waiver_for(repo, path='skill = "liver-score"'))
    assert lint_all(repo.root, today=DAY).exit_code == 0
    repo.write("skills/liver-score/notes.txt", "Second.\n")
    assert lint_all(repo.root, today=DAY).exit_code == 1

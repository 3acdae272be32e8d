"""``m4review lint`` as people and scripts call it: inputs, outputs, exit codes, bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lint_repository import CLEAN, QUERY, Repo

SKILL = "skills/liver-score/SKILL.md"


def test_a_clean_workspace_says_what_was_read(repo: Repo) -> None:
    result = repo.spawn("lint", "--all")
    assert result.code == 0
    size = sum(path.stat().st_size for path in repo.root.rglob("*.md") if ".git" not in path.parts)
    assert f"no findings; read 2 files, {size:,} bytes" in result.out


def test_an_error_names_place_rule_reason_and_remedy(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    result = repo.run("lint", SKILL)
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0] == f"{SKILL}:9:1: error: SQL, or a piece of it [query]"
    assert lines[1].strip().startswith("SELECT stay_id")
    assert set(lines[2].strip()) == {"^"}
    assert lines[3].startswith("  why: ")
    assert lines[4].startswith("  fix: ")


def test_warnings_are_shown_and_allowed(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nKeep `io.charttime <= ie.intime + interval '24' hour`.\n")
    result = repo.run("lint", "--all", "--format", "json")
    assert result.code == 0
    assert result.json["warnings"] == 1
    assert result.json["errors"] == 0


def test_json_is_one_object_with_a_schema(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    answer = repo.run("lint", "--all", "--format", "json").json
    assert answer["schema"] == "m4review.lint.v1"
    assert answer["files"] == 2
    findings = answer["findings"]
    assert isinstance(findings, list)
    assert set(findings[0]) == {
        "rule", "family", "severity", "path", "line", "column", "end_line", "end_column",
        "message", "why", "fix", "fingerprint",
    }  # fmt: skip


def test_sarif_names_rule_place_and_fingerprint(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    log = repo.run("lint", "--all", "--format", "sarif").json
    assert log["version"] == "2.1.0"
    run = json.loads(json.dumps(log["runs"]))[0]
    result = run["results"][0]
    assert result["ruleId"] == "query"
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 9
    assert len(result["partialFingerprints"]["m4review/v1"]) == 32


ROWS = """
| subject_id | stay_id | sofa |
|---|---|---|
| 10123457 | 31234568 | 7 |

See stay 32345679, admitted 2143-05-06, row 10123457,21234567,31234568,9.
"""


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_no_output_ever_repeats_what_a_patients_row_holds(repo: Repo, form: str) -> None:
    repo.write(SKILL, CLEAN + ROWS)
    result = repo.run("lint", SKILL, "--format", form)
    assert result.code == 1
    for secret in ("10123457", "31234568", "32345679", "2143", "21234567"):
        assert secret not in result.out + result.err
    if form == "json":
        rules = {(rule, line) for rule, _, line in result.rules()}
        assert {("patient-row", 11), ("patient-id", 13), ("patient-date", 13)} <= rules


def test_a_query_on_a_line_with_a_patients_row_is_not_quoted_either(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nSELECT a_b, c FROM mimiciv_icu.icustays WHERE stay_id = 31234568;\n")
    result = repo.run("lint", SKILL)
    assert "[query]" in result.out
    assert "31234568" not in result.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--all",), 0),
        ((SKILL,), 0),
        (("skills",), 0),
        ((".",), 0),
        (("--staged",), 0),
        (("nowhere.md",), 2),
        (("empty",), 2),
        ((), 2),
        (("--all", "--staged"), 2),
        (("--all", SKILL), 2),
        (("--to-ref", "HEAD"), 2),
        (("--format", "xml", "--all"), 2),
    ],
)
def test_exit_codes(repo: Repo, arguments: tuple[str, ...], code: int) -> None:
    (repo.root / "empty").mkdir()
    result = repo.run("lint", *arguments)
    assert result.code == code, result
    assert "Traceback" not in result.err


def test_the_shell_sees_the_exit_code(repo: Repo) -> None:
    assert repo.spawn("lint", "nowhere.md").code == 2
    repo.write(SKILL, CLEAN + QUERY)
    assert repo.spawn("lint", SKILL).code == 1


def test_all_outside_a_workspace_and_staged_outside_a_repository_are_2(tmp_path: Path) -> None:
    outside = Repo(tmp_path, tmp_path)
    assert outside.run("lint", "--all").code == 2
    assert outside.run("lint", "--staged").code == 2


def test_a_workspace_without_any_text_is_2(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    (tmp_path / "tasks").mkdir()
    assert Repo(tmp_path, tmp_path).run("lint", "--all").code == 2


def test_a_removed_file_alone_is_nothing_to_refuse(repo: Repo) -> None:
    repo.git("rm", "-q", "-r", "skills/liver-score")
    result = repo.run("lint", "--staged")
    assert result.code == 0
    assert "nothing checked" in result.out


def test_standard_input_is_linted(repo: Repo) -> None:
    assert repo.run("lint", "-", stdin=b"Select the worst value.\n").code == 0
    assert repo.run("lint", "-", stdin=QUERY.encode()).code == 1
    assert repo.run("lint", "-", SKILL, stdin=b"").code == 2


@pytest.mark.parametrize(
    ("data", "rule", "words"),
    [
        ("Température à 38 °C".encode("latin-1"), "encoding", "Latin-1"),
        (b"\x93quoted\x94", "encoding", "Windows-1252"),
        ("Text".encode("utf-16"), "encoding", "UTF-16"),
        (b"a\x00b", "binary", "binary"),
        (b"%PDF-1.7", "binary", "binary"),
        (b"word \xff\n", "encoding", "not UTF-8"),
    ],
)
def test_bytes_that_are_no_utf8_text_are_an_error_that_names_the_encoding(
    repo: Repo, data: bytes, rule: str, words: str
) -> None:
    repo.write("skills/liver-score/notes.md", data)
    result = repo.run("lint", "skills/liver-score")
    assert result.code == 1
    assert f"[{rule}]" in result.out
    assert words in result.out


def test_another_encoding_does_not_hide_a_query(repo: Repo) -> None:
    for encoding in ("latin-1", "utf-16"):
        repo.write("skills/liver-score/notes.md", (QUERY + "é").encode(encoding))
        assert {"encoding", "query"} <= {rule for rule, _, _ in repo.run("lint", "skills", "--format", "json").rules()}


def test_crlf_and_a_byte_order_mark_are_tolerated_and_change_no_finding(repo: Repo) -> None:
    plain = CLEAN + QUERY
    found = set()
    for data in (plain, plain.replace("\n", "\r\n"), "\ufeff" + plain):
        repo.write(SKILL, data)
        found.add(frozenset(repo.run("lint", SKILL, "--format", "json").rules() - {("byte-order-mark", SKILL, 1)}))
    assert found == {frozenset({("query", SKILL, 9)})}
    repo.write(SKILL, "\ufeff" + CLEAN)
    result = repo.run("lint", SKILL)
    assert result.code == 0
    assert "[byte-order-mark]" in result.out


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "[" * 20_000 + "]" * 20_000,
        "x = " + "(" * 5_000 + "1" + ")" * 5_000 + "\ny = 2\n",
        "> " * 20_000 + "text",
        "- " * 20_000,
        "`" * 20_001,
        "select " * 20_000,
        "case when a_b then " * 8_000,
        "with a as (" * 5_000,
        "A" * 200_000,
        "|" * 100_000,
        "&amp;" * 50_000,
        "\u200b" * 20_000,
        "<b>" * 30_000,
        "a." * 100_000,
        " as a_b\n" * 10_000,
        "10000001 " * 20_000,
        "stay_id," * 40_000,
        # One endless word behind what wakes the costlier patterns; a pattern that rereads it would not come to an end.
        "5 % + %20 \u0430b rows stays rows stays, reference expected output\n" + "a" * 200_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_text_comes_to_an_end_and_the_query_before_it_is_still_found(text: str) -> None:
    from m4review.lint import lint_text

    assert any(finding.family == "query" for finding in lint_text(QUERY + "\n" + text, "notes.md"))


def test_two_megabytes_are_a_finding_not_a_crash(repo: Repo) -> None:
    repo.write("skills/liver-score/long.md", QUERY + "Take the worst value of the day.\n" * 62_000)
    result = repo.run("lint", "skills/liver-score", "--format", "json")
    assert result.code == 1
    assert {"oversize", "query"} <= {rule for rule, _, _ in result.rules()}


def test_the_m4bench_profile_accepts_its_keys(repo: Repo) -> None:
    repo.write(SKILL, CLEAN.replace("description:", "tier: validated\ncategory: clinical\ndescription:"))
    assert repo.run("lint", SKILL).code == 1
    assert repo.run("lint", SKILL, "--profile", "m4bench").code == 0


def test_a_typo_in_the_front_matter_gets_the_nearest_key(repo: Repo) -> None:
    repo.write(SKILL, CLEAN.replace("description:", "descripton:"))
    assert "did you mean 'description'?" in repo.run("lint", SKILL).out


def test_a_skill_folder_without_its_skill_file_is_refused(repo: Repo) -> None:
    (repo.root / SKILL).rename(repo.root / "skills/liver-score/Skill.txt")
    assert "[missing-skill-file]" in repo.run("lint", "--all").out


def test_control_characters_never_reach_the_terminal(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nselect \x1b[31ma_b, c\u202e from mimiciv_icu.icustays where x_y = 1\n")
    result = repo.run("lint", SKILL)
    assert "\x1b" not in result.out
    assert "\u202e" not in result.out


def test_the_lint_loads_no_database_engine_screen_git_library_model_or_markdown_parser(repo: Repo) -> None:
    code = (
        "import sys\nfrom m4review.cli.main import main\n"
        "try:\n    main(['lint', '--staged'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    repo.write(SKILL, CLEAN + "\nMore.\n")
    repo.git("add", ".")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repo.root, capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert "read 1 file" in done.stdout
    loaded = done.stdout.splitlines()[-1]
    for name in ("duckdb", "docker", "textual", "git", "pydantic", "markdown_it", "rich", "sqlglot"):
        assert f"'{name}'" not in loaded, name

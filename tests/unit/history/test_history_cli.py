"""``m4review version``, ``log`` and ``diff`` as typed in a shell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from history_sandbox import Sandbox

from m4review.cli.main import main
from m4review.workspace import Workspace

NAME = "lactate"
FILE = f"skills/{NAME}/SKILL.md"
TEXT = """---
name: lactate
description: How to derive the highest lactate of the first day.
---

# Lactate

Take the highest lactate of the first 24 hours.

A value above 2 mmol/L counts one point.
"""
ROSTER = """[[reviewers]]
id = "C1"
role = "surgeon"
expertise = "registries"

[[reviewers]]
id = "C2"
role = "intensivist"
expertise = "epidemiology"
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ward(sandbox: Sandbox) -> Sandbox:
    """A workspace with one skill and one recorded version."""
    sandbox.write("tasks/.gitkeep", "")
    sandbox.write("reviews/roster.toml", ROSTER)
    sandbox.write(FILE, TEXT)
    sandbox.commit_all("First text")
    return sandbox


@pytest.fixture
def run(ward: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(ward.root)

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        printed = capsys.readouterr()
        return int(stopped.value.code or 0), printed.out, printed.err

    return call


def author(ward: Sandbox) -> str:
    return ward.git("log", "-1", "--format=%an <%ae>")


@pytest.mark.parametrize(
    ("words", "who"),
    [
        (("--as", "C1", "version", NAME, "-m", "Widen"), "C1 <c1@reviewers.invalid>"),
        (("version", NAME, "-m", "Widen", "--as", "C2"), "C2 <c2@reviewers.invalid>"),
        (("version", NAME, "-m", "Widen", "--author", "Ann Bee <ann@x.org>"), "Ann Bee <ann@x.org>"),
        (("version", NAME, "-m", "Widen", "--author", "Ann Bee <ann@x.org>", "--as", "C1"), "Ann Bee <ann@x.org>"),
    ],
)
def test_a_version_carries_the_person_who_is_named(ward: Sandbox, run: Run, words: tuple[str, ...], who: str) -> None:
    ward.write(FILE, TEXT.replace("24", "48"))
    code, out, _ = run(*words)
    assert code == 0
    assert out.startswith("lactate: version 2 recorded")
    assert author(ward) == who


def test_the_identity_kept_in_the_workspace_signs_before_gits_own_user(ward: Sandbox, run: Run) -> None:
    ward.git("config", "--global", "user.name", "Real Name")
    ward.git("config", "--global", "user.email", "real@x.org")
    ward.write(FILE, TEXT.replace("24", "48"))
    assert run("version", NAME, "-m", "Widen")[0] == 0
    assert author(ward) == "Real Name <real@x.org>"
    Workspace(ward.root).save_identity("C2")
    ward.write(FILE, TEXT.replace("24", "72"))
    assert run("version", NAME, "-m", "Widen more")[0] == 0
    assert author(ward) == "C2 <c2@reviewers.invalid>"


def test_without_any_identity_the_way_out_is_printed(ward: Sandbox, run: Run) -> None:
    ward.write(FILE, TEXT.replace("24", "48"))
    code, out, err = run("version", NAME, "-m", "Widen")
    assert (code, out) == (2, "")
    assert "--as C1" in err


def test_a_contaminated_text_is_not_recorded_and_the_findings_are_printed(ward: Sandbox, run: Run) -> None:
    ward.write(FILE, TEXT + "\n```sql\nSELECT stay_id, MAX(valuenum) FROM labevents GROUP BY stay_id;\n```\n")
    head = ward.git("rev-parse", "HEAD")
    code, out, err = run("version", NAME, "-m", "Add", "--as", "C1")
    assert code == 1
    assert f"{FILE}:13:" in out
    assert "nothing was recorded" in err
    assert ward.git("rev-parse", "HEAD") == head


def test_nothing_changed_is_said_and_is_not_a_success(run: Run) -> None:
    code, _, err = run("version", NAME, "-m", "Again", "--as", "C1")
    assert code == 2
    assert "nothing changed since version 1" in err


def test_a_refusing_hook_is_quoted(ward: Sandbox, run: Run) -> None:
    ward.hook("pre-commit", "echo 'the ward round is not over' >&2; exit 1")
    ward.write(FILE, TEXT.replace("24", "48"))
    code, _, err = run("version", NAME, "-m", "Widen", "--as", "C1")
    assert code == 2
    assert "the ward round is not over" in err


@pytest.mark.parametrize("author_text", ["Ann", "ann@x.org", "Ann <>", "<ann@x.org>"])
def test_an_unreadable_author_is_refused(ward: Sandbox, run: Run, author_text: str) -> None:
    ward.write(FILE, TEXT.replace("24", "48"))
    code, _, err = run("version", NAME, "-m", "Widen", "--author", author_text)
    assert code == 2
    assert "Name <mail>" in err


@pytest.mark.parametrize("skill", ["nothing", "../tasks", "", ".", "a/b"])
@pytest.mark.parametrize("command", ["log", "diff"])
def test_a_skill_that_does_not_exist_is_named(run: Run, command: str, skill: str) -> None:
    code, _, err = run(command, skill)
    assert code == 2
    assert "no skill" in err


def test_the_log_lists_versions_newest_first_and_the_unrecorded_text(ward: Sandbox, run: Run) -> None:
    ward.write(FILE, TEXT.replace("24", "48"))
    ward.commit_all("Widen the window", "C1", "c1@reviewers.invalid")
    code, out, _ = run("log", NAME)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["2", "1"]
    assert "C1: Widen the window" in out
    ward.write(FILE, TEXT)
    assert run("log", NAME)[1].splitlines()[0].split()[0] == "*"


def test_the_log_as_json_is_one_object_with_a_schema(ward: Sandbox, run: Run) -> None:
    code, out, _ = run("log", NAME, "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["schema"] == "m4review.log.v1"
    assert answer["working_copy_recorded"] is True
    assert answer["history_complete"] is True
    (only,) = answer["versions"]
    assert (only["number"], only["subject"]) == (1, "First text")
    assert only["author"] == {"name": "Ann", "email": "ann@example.org"}
    assert only["commit"] == ward.git("rev-parse", "HEAD")


def test_the_log_of_a_skill_that_was_deleted_is_still_there(ward: Sandbox, run: Run) -> None:
    ward.git("rm", "-qr", f"skills/{NAME}")
    ward.write("skills/other/SKILL.md", "x\n")
    ward.commit_all("Drop it")
    code, out, _ = run("log", NAME)
    assert code == 0
    assert "Drop it" in out


def test_the_difference_defaults_to_the_last_version_against_the_working_copy(ward: Sandbox, run: Run) -> None:
    assert run("diff", NAME) == (0, "lactate: no difference between version 1 and working copy\n", "")
    ward.write(FILE, TEXT.replace("24", "48"))
    code, out, _ = run("diff", NAME)
    assert code == 0
    assert f"--- {FILE} (version 1)" in out
    assert "first [-24-]{+48+} hours" in out
    assert "\x1b" not in out


def test_any_two_versions_can_be_compared(ward: Sandbox, run: Run) -> None:
    ward.write(FILE, TEXT.replace("24", "48"))
    ward.commit_all("Two")
    ward.write(FILE, TEXT.replace("24", "72"))
    ward.commit_all("Three")
    assert "[-48-]{+72+}" in run("diff", NAME, "2", "3")[1]
    assert "[-72-]{+24+}" in run("diff", NAME, "v3", "HEAD~2")[1]
    assert "[-24-]{+72+}" in run("diff", NAME, "1")[1]
    assert "[-72-]{+24+}" in run("diff", NAME, "working", "1")[1]
    code, _, err = run("diff", NAME, "7")
    assert code == 2
    assert "1 to 3" in err


def test_plain_lines_and_context_can_be_asked_for(ward: Sandbox, run: Run) -> None:
    ward.write(FILE, TEXT.replace("24", "48"))
    out = run("diff", NAME, "--no-word", "--context", "0")[1]
    body = [line for line in out.splitlines() if not line.startswith(("---", "+++", "@@"))]
    assert body == [
        "-Take the highest lactate of the first 24 hours.",
        "+Take the highest lactate of the first 48 hours.",
    ]


def test_colour_is_used_on_a_terminal_only_and_never_with_no_color(
    ward: Sandbox, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ward.write(FILE, TEXT.replace("24", "48"))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("m4review.cli.diff._is_terminal", lambda: True)
    coloured = run("diff", NAME)[1]
    assert "\x1b[31m[-24-]\x1b[0m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    plain = run("diff", NAME)[1]
    assert plain == re.sub(r"\x1b\[\d*m", "", coloured)


def test_a_new_file_and_a_binary_one_are_told(ward: Sandbox, run: Run) -> None:
    ward.write(f"skills/{NAME}/notes.md", "A note.\n")
    ward.write(f"skills/{NAME}/figure.png", b"\x89PNG\xff")
    out = run("diff", NAME)[1]
    assert "notes.md (not in version 1)" in out
    assert "+A note." in out
    assert "not text; the bytes differ" in out


def test_since_my_review_needs_an_identity_and_a_verdict(run: Run) -> None:
    code, _, err = run("diff", NAME, "--since-my-review")
    assert code == 2
    assert "who are you" in err
    code, _, err = run("diff", NAME, "--since-my-review", "--as", "C1")
    assert code == 2
    assert "no verdict" in err


def test_outside_git_the_commands_say_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    root = tmp_path / "plain"
    (root / "tasks").mkdir(parents=True)
    (root / "skills" / NAME).mkdir(parents=True)
    (root / FILE).write_text(TEXT)
    monkeypatch.chdir(root)
    for words in (("log", NAME), ("diff", NAME), ("version", NAME, "-m", "x")):
        code, _, err = run(*words)
        assert code == 2
        assert "git init" in err

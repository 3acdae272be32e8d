"""Giving a verdict: whole or not at all, on the command line and from code."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from reviews_ward import AUTHOR, NOON, Ward

from m4review.errors import HistoryError, LedgerError
from m4review.history import HookRefusedError
from m4review.lint.finding import LintRefusal
from m4review.reviews import last_reviewed_content, record_verdict, withdraw_verdict
from m4review.reviews.lock import ledger_lock
from m4review.reviews.meaning import meaning

DIGEST = "sha256:0123456789ab" + "0" * 52


def test_a_verdict_is_one_commit_of_one_file_by_the_reviewer(ward: Ward) -> None:
    (ward.root / "staged.txt").write_text("mine\n")
    ward.git("add", "staged.txt")
    ward.edit("above 2", "above 4", skill="shock")
    path = ward.say("C1")
    assert ward.git("show", "--format=%an <%ae> %cn <%ce>", "--name-only", "HEAD").split("\n\n") == [
        "C1 <c1@reviewers.invalid> C1 <c1@reviewers.invalid>",
        f"{path.relative_to(ward.root).as_posix()}\n",
    ]
    assert ward.git("status", "--porcelain").splitlines() == [" M skills/shock/SKILL.md", "A  staged.txt"]


def test_a_refusing_hook_leaves_nothing_behind(ward: Ward) -> None:
    hook = ward.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(HookRefusedError):
        ward.say("C1")
    assert ward.is_clean()
    assert not (ward.root / "reviews/events").exists()
    hook.unlink()
    ward.say("C1")


def test_an_old_state_checked_out_takes_no_verdict(ward: Ward) -> None:
    ward.git("checkout", "-q", "--detach")
    with pytest.raises(HistoryError, match="detached"):
        ward.say("C1")
    assert ward.is_clean()


def test_a_workspace_without_git_takes_no_verdict(ward: Ward) -> None:
    (ward.root / ".git").rename(ward.root.parent / "elsewhere.git")
    with pytest.raises(HistoryError, match="not a git repository"):
        ward.say("C1")


def test_a_skill_that_was_never_recorded_takes_no_verdict(ward: Ward) -> None:
    folder = ward.root / "skills/fresh"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: fresh\ndescription: New.\n---\n")
    with pytest.raises(HistoryError, match="not the last recorded version"):
        ward.say("C1", skill="fresh")
    with pytest.raises(LedgerError, match="cannot be reviewed"):
        ward.say("C1", skill="nowhere")


@pytest.mark.parametrize(
    "decisions",
    [
        {"definition": "approve", "schema": "approve"},
        {"definition": "approve", "schema": "approve", "output": "maybe"},
        {"definition": "approve", "schema": "approve", "output": "approve", "style": "approve"},
    ],
)
def test_one_known_decision_for_every_scope_or_none(ward: Ward, decisions: dict[str, str]) -> None:
    with pytest.raises(LedgerError):
        record_verdict(ward.workspace, "lactate", "C1", decisions, now=NOON)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "notes",
    [
        "Try this:\n\n```sql\nSELECT stay_id FROM icu.icustays WHERE los > 1\n```\n",
        "stay_id 30000153 at 2150-03-04 07:15:00 is wrong\n\n| subject_id | stay_id | charttime |\n|---|---|---|\n"
        "| 10000032 | 30000153 | 2150-03-04 07:15:00 |\n| 10000033 | 30000154 | 2150-03-05 07:15:00 |\n",
    ],
    ids=["query", "rows"],
)
def test_notes_that_may_not_enter_git_are_refused(ward: Ward, notes: str) -> None:
    for refused in (
        lambda: ward.say("C1", notes=notes),
        lambda: ward.say("C1", conflict_of_interest=" ".join(notes.split())),
    ):
        with pytest.raises(LintRefusal):
            refused()
    assert ward.is_clean()
    assert ward.events() == []


def test_notes_with_hidden_characters_are_refused(ward: Ward) -> None:
    with pytest.raises((LintRefusal, LedgerError)):
        ward.say("C1", notes="fi\u200bne")
    assert ward.events() == []


def test_clinical_notes_are_welcome(ward: Ward) -> None:
    notes = "Select the highest lactate from the first 24 h where several exist; item 50813, ≥ 2 mmol/L.\r\n\r\nAgreed."
    ward.say("C1", notes=notes)
    assert ward.truth().verdicts[0].verdict.notes == notes.replace("\r\n", "\n")


def test_two_windows_of_one_reviewer_give_one_verdict(ward: Ward) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from m4review.cli.main import main\n"
        "sys.stdin.readline()\n"
        "words = ['--as', sys.argv[1], '--notes', sys.argv[2]]\n"
        "main(['review', 'verdict', 'lactate', '--approve-all', '--yes', *words])\n"
    )

    def window(reviewer: str, notes: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script, reviewer, notes], cwd=ward.root, env=os.environ.copy(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    windows = [window("C1", "left"), window("C1", "right"), window("C4", "another person")]
    for process in windows:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [process.communicate() for process in windows]
    codes = [process.returncode for process in windows]
    assert sorted(codes[:2]) == [0, 2], results
    assert codes[2] == 0, results
    assert "already gave a verdict" in results[codes.index(2)][1]
    assert ward.truth().label == "approved"
    assert len(ward.events()) == 2
    assert ward.is_clean()


def test_a_ledger_in_use_is_waited_for_and_then_named(tmp_path: Path) -> None:
    with (
        ledger_lock(tmp_path),
        pytest.raises(LedgerError, match="another window"),
        ledger_lock(tmp_path, patience_seconds=0.0),
    ):
        pass
    with ledger_lock(tmp_path, patience_seconds=0.0):
        pass


def test_two_clones_of_one_reviewer_count_the_more_cautious_word(ward: Ward) -> None:
    other = Ward(ward.root.parent / "other")
    ward.git("clone", "-q", str(ward.root), str(other.root))
    ward.say("C1")
    other.say("C1", schema="changes")
    ward.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    ward.say("C4")
    status = ward.truth()
    assert status.label == "disputed"
    assert [judged.standing for judged in status.verdicts] == ["counts"] * 3
    ward.say("C1", replace=True)
    assert ward.truth().label == "approved"


def test_two_reviewers_on_two_branches_merge_without_conflict(ward: Ward) -> None:
    other = Ward(ward.root.parent / "other")
    ward.git("clone", "-q", str(ward.root), str(other.root))
    ward.say("C1")
    other.say("C4")
    ward.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    assert [judged.verdict.clock for judged in ward.truth().verdicts] == [1, 1]
    assert ward.truth().label == "approved"
    ward.say("C2")
    assert len(ward.truth().verdicts[-1].verdict.after) == 2


def test_recording_a_verdict_moves_no_content_digest(ward: Ward) -> None:
    before = ward.truth().subject
    ward.approve("C1", "C4")
    withdraw_verdict(ward.workspace, "lactate", "C4", "Too fast.")
    assert ward.truth().subject == before


def test_nobody_withdraws_what_they_did_not_say(ward: Ward) -> None:
    ward.say("C1")
    with pytest.raises(LedgerError, match="C4 has no verdict in force"):
        withdraw_verdict(ward.workspace, "lactate", "C4", "Not mine.")
    with pytest.raises(LedgerError, match="needs a reason"):
        withdraw_verdict(ward.workspace, "lactate", "C1", "  ")


def test_the_text_of_the_last_verdict_is_found_again(ward: Ward) -> None:
    assert last_reviewed_content(ward.workspace, "lactate", "C1") is None
    judged = ward.file().read_bytes()
    ward.say("C1")
    ward.edit("above 2", "above 4")
    ward.commit()
    ward.edit("above 4", "above 5")
    assert last_reviewed_content(ward.workspace, "lactate", "C1") == {"SKILL.md": judged}
    ward.git("reset", "-q", "--hard", "HEAD~1")
    ward.git("switch", "-q", "--orphan", "rewritten")
    ward.git("checkout", "-q", "main", "--", ".")
    ward.edit("above 2", "above 9")
    ward.commit("history that never held it")
    with pytest.raises(LedgerError, match="is in no recorded version"):
        last_reviewed_content(ward.workspace, "lactate", "C1")


def test_the_meaning_says_everything_that_is_signed() -> None:
    said = meaning(
        "C1",
        {"definition": "approve", "schema": "changes", "output": "approve"},
        "lactate",
        ["b-24h", "a-24h"],
        DIGEST,
        3,
        "I helped to write the registry.",
    )
    assert said == (
        "As C1 I have read version 3 of lactate beside its task cards a-24h and b-24h. I approve its definition and "
        "output. I ask for changes to its schema. I wrote no part of this text. My conflict of interest: I "
        "helped to write the registry. This holds for exactly this text (sha256:0123456789ab); "
        "any change of it ends it."
    )


def test_the_command_repeats_the_meaning_and_records(ward: Ward, m4review: Any) -> None:
    code, out, _ = m4review(
        "review",
        "verdict",
        "lactate",
        "--approve-all",
        "--output",
        "approve-with-notes",
        "--notes",
        "Fine.",
        "--yes",
        "--as",
        "C1",
    )
    assert code == 0
    assert out.startswith("As C1 I have read version 1 of lactate")
    assert "recorded reviews/events/lactate/0001-C1-verdict-" in out
    assert out.endswith("lactate: in review (1 of 2) · version 1\n")
    assert ward.truth().verdicts[0].verdict.decisions["output"] == "approve-with-notes"
    assert ward.truth().verdicts[0].verdict.meaning in out


def test_the_command_takes_notes_from_a_file_and_gives_json(ward: Ward, m4review: Any, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("From a file.\n", encoding="utf-8")
    code, out, _ = m4review(
        "--as", "C4", "review", "verdict", "lactate", "--approve-all", "--notes-file", str(notes), "--yes", "--json"
    )
    values = json.loads(out)
    assert (code, values["schema"], values["status"]["state"]) == (0, "m4review.review-event.v1", "in review")
    assert "From a file." in (ward.root / values["event"]).read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("lactate", "--approve-all"), "who are you?"),
        (("lactate", "--approve-all", "--as", "C9"), "'C9' is not on the roster"),
        (("lactate", "--as", "C1"), "no decision on definition, schema, output"),
        (("lactate", "--definition", "approve", "--as", "C1"), "no decision on schema, output"),
        (("nowhere", "--approve-all", "--as", "C1"), "no skill 'nowhere'"),
        (("lactate", "--approve-all", "--definition", "yes", "--as", "C1"), "yes"),
        (("lactate", "--approve-all", "--notes-file", "missing.md", "--as", "C1"), "no such file"),
        (("lactate", "--approve-all", "--notes", "a", "--notes-file", "b", "--as", "C1"), "both --notes"),
        (("lactate", "--approve-all", "--notes", "SELECT a FROM icustays WHERE los > 1", "--as", "C1"), "nothing was"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_message_exit_two_and_nothing_recorded(
    ward: Ward, m4review: Any, words: tuple[str, ...], message: str
) -> None:
    code, out, err = m4review("review", "verdict", *words, "--yes")
    assert code == 2
    assert message in err
    assert "Traceback" not in out + err
    assert ward.is_clean()


def test_an_author_is_told_on_the_command_line(ward: Ward, m4review: Any) -> None:
    ward.edit("above 2", "above 4")
    ward.commit("x\n\nCo-authored-by: C1 <c1@reviewers.invalid>", author=AUTHOR)
    code, _, err = m4review("review", "verdict", "lactate", "--approve-all", "--as", "C1")
    assert (code, "C1 had a hand in this text" in err) == (2, True)
    assert m4review("review", "status", "lactate")[1].count("not eligible: C1 had a hand") == 1


def test_a_verdict_is_taken_back_on_the_command_line(ward: Ward, m4review: Any) -> None:
    ward.say("C1")
    words = ("review", "withdraw", "lactate", "--reason", "I read the old table.", "--as", "C1")
    code, out, err = m4review(*words)
    assert (code, "not confirmed" in err, "As C1 I take back my verdict lactate/0001-C1-verdict" in out) == (
        2,
        True,
        True,
    )
    code, out, _ = m4review(*words, "--yes")
    assert (code, out.splitlines()[-1]) == (0, "lactate: withdrawn · version 1")
    assert m4review("review", "withdraw", "lactate", "--reason", "Again.", "--as", "C1", "--yes")[0] == 2


@pytest.mark.parametrize(("answer", "recorded"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_on_a_terminal_the_command_asks_after_it_said_what_is_signed(
    ward: Ward, m4review: Any, monkeypatch: pytest.MonkeyPatch, answer: str, recorded: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    code, out, err = m4review("review", "verdict", "lactate", "--approve-all", "--as", "C1")
    assert "As C1 I have read version 1" in out
    assert "Give this verdict? [y/N]" in err
    assert (code == 0, len(ward.events()) == 1) == (recorded, recorded)
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert m4review("review", "verdict", "lactate", "--approve-all", "--as", "C4", "--yes")[0] == 0


def test_without_a_terminal_nothing_is_recorded_until_the_statement_is_confirmed(
    ward: Ward, m4review: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    code, out, err = m4review("review", "verdict", "lactate", "--approve-all", "--as", "C1")
    assert code == 2
    assert out.startswith("As C1 I have read version 1 of lactate")
    assert "add --yes to confirm the statement" in err
    assert ward.events() == []
    assert ward.is_clean()


def test_an_identity_may_be_typed_in_small_letters_and_is_recorded_in_capitals(ward: Ward, m4review: Any) -> None:
    assert m4review("review", "verdict", "lactate", "--approve-all", "--yes", "--as", "c1")[0] == 0
    assert ward.truth().verdicts[0].verdict.actor == "C1"


def test_a_misspelled_skill_is_met_with_the_nearest_one(m4review: Any) -> None:
    for words in (
        ("review", "status", "lactat"),
        ("show", "Lactate"),
        ("log", "lactaet"),
        ("lint", "--completeness", "lactat"),
    ):
        assert "did you mean lactate?" in m4review(*words)[2], words

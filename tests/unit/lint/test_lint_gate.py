"""Recording a version: only what passed the lint, exactly as it passed."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_repository import CLEAN, QUERY, Repo

from m4review.errors import LintFailure
from m4review.history import HookRefusedError, NothingChangedError
from m4review.lint import LintRefusal, record_version
from m4review.workspace import Workspace

AUTHOR = ("Ada", "ada@example.org")
SKILL = "skills/liver-score/SKILL.md"


def test_a_clean_change_becomes_the_next_version(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nUnits: mg/dL.\n")
    version = record_version(Workspace(repo.root), "liver-score", "Name the unit", AUTHOR)
    assert version.number == 2
    assert version.subject == "Name the unit"
    assert repo.git("show", f"HEAD:{SKILL}").stdout == CLEAN + "\nUnits: mg/dL.\n"
    assert repo.git("status", "--porcelain").stdout == ""


def test_a_contaminated_skill_is_refused_with_its_findings_and_nothing_changes(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    with pytest.raises(LintRefusal) as caught:
        record_version(Workspace(repo.root), "liver-score", "Add a query", AUTHOR)
    assert caught.value.exit_code == 1
    assert [finding.rule for finding in caught.value.report.errors] == ["query"]
    assert caught.value.place == f"{SKILL}:9"
    assert repo.commits() == 1
    assert (repo.root / SKILL).read_text() == CLEAN + QUERY


def test_a_contaminated_message_is_refused(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nMore.\n")
    with pytest.raises(LintRefusal) as caught:
        record_version(Workspace(repo.root), "liver-score", "See stay_id 31234567", AUTHOR)
    assert caught.value.report.errors[0].path == "version message"
    assert "31234567" not in str(caught.value)


def test_a_bundled_file_is_checked_and_recorded_too(repo: Repo) -> None:
    extra = repo.write("skills/liver-score/references/wording.md", QUERY)
    with pytest.raises(LintRefusal):
        record_version(Workspace(repo.root), "liver-score", "Add wording", AUTHOR)
    extra.write_text("The wording of the guideline.\n")
    record_version(Workspace(repo.root), "liver-score", "Add wording", AUTHOR)
    assert "references/wording.md" in repo.git("ls-files").stdout


def test_other_staged_files_stay_staged(repo: Repo) -> None:
    repo.write("notes.txt", "n\n")
    repo.git("add", "notes.txt")
    repo.write(SKILL, CLEAN + "\nMore.\n")
    record_version(Workspace(repo.root), "liver-score", "More", AUTHOR)
    assert repo.git("status", "--porcelain").stdout == "A  notes.txt\n"


def test_a_change_between_check_and_commit_records_nothing_unchecked(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from m4review.lint import gate

    repo.write(SKILL, CLEAN + "\nMore.\n")
    lint_files = gate.lint_files

    def lint_then_somebody_writes(*arguments: object, **options: object) -> object:
        report = lint_files(*arguments, **options)  # type: ignore[arg-type]
        repo.write(SKILL, CLEAN + QUERY)
        return report

    monkeypatch.setattr(gate, "lint_files", lint_then_somebody_writes)
    with pytest.raises(LintFailure, match="changed while it was checked"):
        record_version(Workspace(repo.root), "liver-score", "More", AUTHOR)
    assert repo.commits() == 1


def test_a_change_in_the_last_moment_is_stopped_by_the_hook(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    from m4review.history.repository import Repository

    repo.write(SKILL, CLEAN + "\nMore.\n")
    commit = Repository.commit

    def somebody_writes_then_commit(self: Repository, *arguments: object) -> str:
        repo.write(SKILL, CLEAN + QUERY)
        return commit(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Repository, "commit", somebody_writes_then_commit)
    with pytest.raises(HookRefusedError):
        record_version(Workspace(repo.root), "liver-score", "More", AUTHOR)
    assert repo.commits() == 1


def test_without_hooks_a_last_moment_change_is_reported(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    from m4review.history.repository import Repository

    assert repo.run("hooks", "remove").code == 0
    repo.write(SKILL, CLEAN + "\nMore.\n")
    commit = Repository.commit

    def somebody_writes_then_commit(self: Repository, *arguments: object) -> str:
        repo.write(SKILL, CLEAN + QUERY)
        return commit(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Repository, "commit", somebody_writes_then_commit)
    with pytest.raises(LintFailure, match="was not checked"):
        record_version(Workspace(repo.root), "liver-score", "More", AUTHOR)


def test_nothing_changed_and_no_such_skill_say_so(repo: Repo) -> None:
    with pytest.raises(NothingChangedError):
        record_version(Workspace(repo.root), "liver-score", "Again", AUTHOR)
    for name in ("nowhere", "..", "", "a/b"):
        with pytest.raises(LintFailure, match="no skill"):
            record_version(Workspace(repo.root), name, "Again", AUTHOR)


def test_a_link_in_a_skill_is_refused_at_the_gate(repo: Repo, tmp_path: Path) -> None:
    (repo.root / "skills/liver-score/extra.md").symlink_to(tmp_path)
    with pytest.raises(LintRefusal) as caught:
        record_version(Workspace(repo.root), "liver-score", "Link", AUTHOR)
    assert caught.value.report.errors[0].rule == "symlink"

"""Versions, contents and people of a skill, read from real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from history_sandbox import FILE, SKILL, Sandbox

from m4review.errors import HistoryError
from m4review.history import GitCall, Repository, Version


def test_versions_follow_the_skills_files_and_number_the_oldest_one(recorded: Sandbox) -> None:
    newest, oldest = recorded.open().versions(SKILL)
    assert (newest.number, newest.subject) == (2, "Widen the window")
    assert (oldest.number, oldest.subject) == (1, "First text")
    assert newest.body.startswith("As published.")
    assert (newest.author_name, newest.author_email) == ("Cem", "cem@x.org")
    assert newest.co_author_emails == ("Bea@Example.org",)
    assert newest.time.tzinfo is not None
    assert newest.commit == recorded.git("rev-parse", "HEAD")


def test_the_exact_bytes_of_a_version_come_back(recorded: Sandbox) -> None:
    data = b"\xef\xbb\xbfone\r\ntwo\x00\xff"
    recorded.write(f"{SKILL}/tables/α b.csv", data)
    recorded.commit_all("Add")
    files = recorded.open().files("HEAD", SKILL)
    assert files["tables/α b.csv"] == data
    assert sorted(files) == ["SKILL.md", "tables/α b.csv"]
    assert recorded.open().files("HEAD~1", SKILL) == {"SKILL.md": (recorded.root / FILE).read_bytes()}


def test_a_folder_that_did_not_exist_has_no_files(recorded: Sandbox) -> None:
    assert recorded.open().files("HEAD", "skills/none") == {}
    assert recorded.open().versions("skills/none") == ()


def test_a_folder_whose_name_begins_like_another_is_not_mixed_with_it(recorded: Sandbox) -> None:
    recorded.write("skills/sofa-score-extended/SKILL.md", "other\n")
    recorded.commit_all("Other skill")
    repository = recorded.open()
    assert sorted(repository.files("HEAD", SKILL)) == ["SKILL.md"]
    assert len(repository.versions(SKILL)) == 2


@pytest.mark.parametrize("name", ["-dash", "a[b]*", "space name", "αβ", ":(top)x", "qu\"ote'"])
def test_difficult_names_are_just_names(sandbox: Sandbox, name: str) -> None:
    sandbox.write(f"skills/{name}/SKILL.md", "one\n")
    sandbox.write("skills/ab/SKILL.md", "not this\n")
    repository = sandbox.open()
    commit = repository.commit([f"skills/{name}"], "Record", ("C1", "c1@reviewers.invalid"))
    assert repository.files(commit, f"skills/{name}") == {"SKILL.md": b"one\n"}
    assert [entry.path for entry in repository.entries(commit)] == [f"skills/{name}/SKILL.md"]
    assert [version.number for version in repository.versions(f"skills/{name}")] == [1]
    assert [blob.entry.path for blob in repository.staged(f"skills/{name}")] == [f"skills/{name}/SKILL.md"]
    assert repository.working_files(f"skills/{name}") == {"SKILL.md": b"one\n"}


def test_a_version_is_found_by_number_commit_branch_or_tag(recorded: Sandbox) -> None:
    recorded.git("tag", "submitted", "HEAD~2")
    repository = recorded.open()
    first = repository.versions(SKILL)[1]
    for name in ("1", "v1", first.commit, first.commit[:10], "submitted"):
        assert repository.version(SKILL, name) == first
    unrelated = repository.version(SKILL, "HEAD~1")
    assert not isinstance(unrelated, Version)
    assert unrelated.subject == "Unrelated"


@pytest.mark.parametrize("name", ["3", "0", "nothing", "--all", "", "HEAD:README.md", "-1"])
def test_a_version_that_does_not_exist_is_named(recorded: Sandbox, name: str) -> None:
    with pytest.raises(HistoryError, match="no version"):
        recorded.open().version(SKILL, name)


def test_before_the_first_commit_there_are_no_versions(sandbox: Sandbox) -> None:
    sandbox.write(FILE, "draft\n")
    repository = sandbox.open()
    assert repository.head() is None
    assert repository.branch() == "main"
    assert repository.versions(SKILL) == ()
    assert repository.working_state(SKILL).added == (FILE,)
    with pytest.raises(HistoryError, match="no recorded state"):
        repository.files("HEAD", SKILL)


def test_a_folder_outside_git_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="git init"):
        Repository.open(tmp_path)


def test_a_missing_git_is_said_plainly(recorded: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(recorded.root))
    with pytest.raises(HistoryError, match="git is not installed"):
        recorded.open()


def test_a_bare_repository_is_no_workspace(tmp_path: Path) -> None:
    Sandbox(tmp_path).git("init", "-q", "--bare", ".")
    with pytest.raises(HistoryError, match="no working copy"):
        Repository.open(tmp_path)


def test_everyone_with_a_hand_in_a_change_is_a_contributor(recorded: Sandbox) -> None:
    recorded.write(FILE, "third\n")
    recorded.git("add", "-A")
    recorded.git(
        "commit",
        "-qm",
        "Third\n\nco-authored-by: Dora <dora@x.org>\n\nNot a trailer block after this line.",
        GIT_AUTHOR_NAME="Eve",
        GIT_AUTHOR_EMAIL="EVE@x.org",
        GIT_COMMITTER_NAME="Fay",
        GIT_COMMITTER_EMAIL="fay@x.org",
    )
    recorded.write("README.md", "more\n")
    recorded.commit_all("Elsewhere", "Gil", "gil@x.org")
    repository = recorded.open()
    last = repository.versions(SKILL)[1].commit
    assert repository.contributors_between(last, "HEAD", SKILL) == {"eve@x.org", "fay@x.org", "dora@x.org"}
    everyone = repository.contributors_between(None, "HEAD", SKILL)
    assert everyone == {"eve@x.org", "fay@x.org", "dora@x.org", "cem@x.org", "bea@example.org", "ann@example.org"}


def test_who_wrote_on_a_merged_branch_is_a_contributor_too(recorded: Sandbox) -> None:
    recorded.git("switch", "-qc", "side")
    recorded.write(f"{SKILL}/notes.md", "side\n")
    recorded.commit_all("Side", "Sid", "sid@x.org")
    recorded.git("switch", "-q", "main")
    recorded.write(FILE, "main\n")
    base = recorded.git("rev-parse", "HEAD")
    recorded.commit_all("Main", "Max", "max@x.org")
    recorded.git("-c", "user.name=M", "-c", "user.email=m@x.org", "merge", "-q", "--no-edit", "side")
    assert {"sid@x.org", "max@x.org"} <= recorded.open().contributors_between(base, "HEAD", SKILL)


def test_a_shallow_clone_says_so_and_does_not_guess_who_contributed(recorded: Sandbox, tmp_path: Path) -> None:
    recorded.git("clone", "-q", "--depth", "1", f"file://{recorded.root.parent}", str(tmp_path / "shallow"))
    repository = Repository.open(tmp_path / "shallow" / recorded.root.name)
    assert repository.is_shallow
    assert not recorded.open().is_shallow
    assert len(repository.versions(SKILL)) == 1
    with pytest.raises(HistoryError, match="shallow"):
        repository.contributors_between(None, "HEAD", SKILL)


def test_the_working_state_names_what_is_not_recorded(recorded: Sandbox) -> None:
    repository = recorded.open()
    assert repository.working_state(SKILL).is_recorded
    recorded.write(f"{SKILL}/old.md", "x\n")
    recorded.commit_all("Add old")
    (recorded.root / SKILL / "old.md").unlink()
    recorded.write(FILE, "changed\n")
    recorded.write(f"{SKILL}/new.md", "new\n")
    recorded.write("README.md", "elsewhere\n")
    state = repository.working_state(SKILL)
    assert (state.changed, state.added, state.deleted) == ((FILE,), (f"{SKILL}/new.md",), (f"{SKILL}/old.md",))


def test_reading_changes_nothing_in_the_repository(recorded: Sandbox) -> None:
    recorded.write(FILE, "changed\n")
    os.utime(recorded.root / FILE, (1, 1))
    folder = recorded.root.parent / ".git"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    repository = recorded.open()
    repository.versions(SKILL)
    repository.working_state(SKILL)
    repository.staged()
    assert repository.working_files(SKILL) == {"SKILL.md": b"changed\n"}
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_working_files_are_what_git_would_record_under_autocrlf(recorded: Sandbox) -> None:
    recorded.git("config", "core.autocrlf", "true")
    recorded.write(FILE, b"one\r\ntwo\r\n")
    repository = recorded.open()
    assert repository.working_files(SKILL) == {"SKILL.md": b"one\ntwo\n"}
    commit = repository.commit([SKILL], "CRLF", ("C1", "c1@reviewers.invalid"))
    assert repository.files(commit, SKILL) == {"SKILL.md": b"one\ntwo\n"}


def test_ignored_and_deleted_files_are_no_working_files(recorded: Sandbox) -> None:
    recorded.write(".gitignore", "*.tmp\n")
    recorded.write(f"{SKILL}/x.tmp", "scratch")
    recorded.write(f"{SKILL}/y.md", "new\n")
    (recorded.root / FILE).unlink()
    assert recorded.open().working_files(SKILL) == {"y.md": b"new\n"}


def test_a_link_inside_a_skill_is_refused_not_read(recorded: Sandbox) -> None:
    (recorded.root / SKILL / "link.md").symlink_to("/etc/passwd")
    with pytest.raises(HistoryError, match="a link"):
        recorded.open().working_files(SKILL)
    recorded.commit_all("Link")
    with pytest.raises(HistoryError, match="a link"):
        recorded.open().files("HEAD", SKILL)
    modes = {entry.path: entry.mode for entry in recorded.open().entries("HEAD", SKILL)}
    assert modes == {FILE: "100644", f"{SKILL}/link.md": "120000"}


def test_a_linked_worktree_has_its_own_history(recorded: Sandbox, tmp_path: Path) -> None:
    recorded.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    linked = Sandbox(tmp_path / "linked" / recorded.root.name)
    linked.write(FILE, "linked\n")
    repository = linked.open()
    repository.commit([SKILL], "In the linked tree", ("C1", "c1@reviewers.invalid"))
    assert [version.number for version in repository.versions(SKILL)] == [3, 2, 1]
    assert len(recorded.open().versions(SKILL)) == 2


def test_a_submodule_is_a_workspace_of_its_own(recorded: Sandbox, tmp_path: Path) -> None:
    outer = Sandbox(tmp_path / "outer")
    outer.root.mkdir()
    outer.git("init", "-q", ".")
    allow = ("-c", "protocol.file.allow=always")
    outer.git(*allow, "submodule", "--quiet", "add", str(recorded.root.parent), "inner")
    outer.commit_all("Add submodule")
    inner = Repository.open(outer.root / "inner" / recorded.root.name)
    assert [version.number for version in inner.versions(SKILL)] == [2, 1]
    entry = next(entry for entry in outer.open().entries("HEAD") if entry.path == "inner")
    assert (entry.mode, entry.has_content) == ("160000", False)


def test_variables_of_a_surrounding_hook_do_not_leak_into_git(
    recorded: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Sandbox(tmp_path / "other")
    other.root.mkdir()
    other.git("init", "-q", ".")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.root / ".git" / "objects"))
    assert len(recorded.open().versions(SKILL)) == 2


def test_a_listener_hears_of_every_git_command(recorded: Sandbox) -> None:
    calls: list[GitCall] = []
    repository = recorded.open(listener=calls.append)
    repository.versions(SKILL)
    assert [call.arguments[0] for call in calls[:2]] == ["rev-parse", "rev-parse"]
    assert "log" in calls[-1].arguments
    assert all(call.exit_code == 0 and call.milliseconds > 0 for call in calls)


def test_a_user_configuration_cannot_change_what_is_read(recorded: Sandbox) -> None:
    for name, value in {
        "core.quotepath": "true",
        "log.showSignature": "true",
        "log.follow": "true",
        "diff.noprefix": "true",
        "diff.renames": "copies",
        "color.ui": "always",
        "status.showUntrackedFiles": "no",
        "core.pager": "false",
        "diff.external": "false",
    }.items():
        recorded.git("config", "--global", name, value)
    recorded.write(f"{SKILL}/α.md", "new\n")
    repository = recorded.open()
    assert [version.number for version in repository.versions(SKILL)] == [2, 1]
    assert repository.working_state(SKILL).added == (f"{SKILL}/α.md",)

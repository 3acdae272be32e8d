"""Recording a version: exactly the given files, hooks running, nothing lost when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from history_sandbox import C1, C2, FILE, SKILL, Sandbox

from m4review.errors import HistoryError
from m4review.history import HookRefusedError, NothingChangedError
from m4review.history.git import GitResult, failure


def test_a_version_carries_the_author_in_both_roles(recorded: Sandbox) -> None:
    recorded.write(FILE, "new\n")
    commit = recorded.open().commit([FILE], "# Heading\n\nWhy.\n", C1)
    assert commit == recorded.git("rev-parse", "HEAD")
    assert recorded.git("log", "-1", "--format=%an %ae %cn %ce") == "C1 c1@reviewers.invalid C1 c1@reviewers.invalid"
    assert recorded.git("log", "-1", "--format=%B").strip() == "# Heading\n\nWhy."


def test_without_an_author_gits_own_user_signs(recorded: Sandbox) -> None:
    recorded.git("config", "--global", "user.name", "Gina")
    recorded.git("config", "--global", "user.email", "gina@x.org")
    recorded.write(FILE, "new\n")
    repository = recorded.open()
    assert repository.author() == ("Gina", "gina@x.org")
    repository.commit([FILE], "New")
    assert recorded.git("log", "-1", "--format=%an <%ae>") == "Gina <gina@x.org>"


def test_without_any_identity_nothing_is_recorded_and_the_way_out_is_said(recorded: Sandbox) -> None:
    recorded.write(FILE, "new\n")
    with pytest.raises(HistoryError, match="--as C1"):
        recorded.open().commit([FILE], "New")
    assert recorded.status == f' M "my wörk α/{FILE}"' or FILE in recorded.status


def test_what_the_user_staged_elsewhere_stays_staged_and_out_of_the_version(recorded: Sandbox) -> None:
    recorded.write("README.md", "staged\n")
    recorded.git("add", "README.md")
    recorded.write("README.md", "staged and changed again\n")
    recorded.write(FILE, "new\n")
    commit = recorded.open().commit([FILE], "Only the skill", C1)
    assert recorded.git("diff", "--name-only", "HEAD~1", "HEAD").endswith('SKILL.md"') or FILE in recorded.git(
        "-c", "core.quotepath=off", "diff", "--name-only", f"{commit}~1", commit
    )
    assert recorded.git("show", ":./README.md") == "staged"
    assert (recorded.root / "README.md").read_text() == "staged and changed again\n"
    assert recorded.open().changed_between("HEAD~1", "HEAD") == (FILE,)


def test_the_working_copy_is_recorded_even_when_something_else_was_staged_for_the_file(recorded: Sandbox) -> None:
    recorded.write(FILE, "staged\n")
    recorded.git("add", ".")
    recorded.write(FILE, "saved later\n")
    commit = recorded.open().commit([FILE], "Saved text", C1)
    assert recorded.open().files(commit, SKILL) == {"SKILL.md": b"saved later\n"}
    assert recorded.status == ""


def test_new_and_deleted_files_of_a_folder_are_taken_along(recorded: Sandbox) -> None:
    recorded.write(f"{SKILL}/new.md", "new\n")
    recorded.write("skills/other/SKILL.md", "not this\n")
    (recorded.root / FILE).unlink()
    repository = recorded.open()
    commit = repository.commit([SKILL], "Replace", C1)
    assert repository.files(commit, SKILL) == {"new.md": b"new\n"}
    assert repository.files(commit, "skills/other") == {}


def test_the_first_commit_of_a_repository_can_be_a_version(sandbox: Sandbox) -> None:
    sandbox.write(FILE, "first\n")
    sandbox.open().commit([FILE], "First", C1)
    assert [version.number for version in sandbox.open().versions(SKILL)] == [1]
    assert sandbox.status == ""


@pytest.mark.parametrize("path", [FILE, SKILL])
def test_nothing_changed_names_the_last_version(recorded: Sandbox, path: str) -> None:
    with pytest.raises(NothingChangedError, match="nothing changed since version 2"):
        recorded.open().commit([path], "Again", C1)
    recorded.write(FILE, "staged\n")
    recorded.git("add", ".")
    recorded.git("show", "HEAD:./" + FILE)
    recorded.write(FILE, recorded.git("show", "HEAD:./" + FILE) + "\n")
    with pytest.raises(NothingChangedError):
        recorded.open().commit([path], "Reverted", C1)


def test_a_hook_that_refuses_is_quoted_and_nothing_is_lost(recorded: Sandbox) -> None:
    recorded.hook("pre-commit", "echo 'SKILL.md:3: looks like SQL' >&2; git status >/dev/null; exit 1")
    recorded.write("README.md", "staged\n")
    recorded.git("add", "README.md")
    recorded.write(FILE, "changed\n")
    recorded.write(f"{SKILL}/new.md", "new\n")
    before, head = recorded.status, recorded.git("rev-parse", "HEAD")
    with pytest.raises(HookRefusedError) as caught:
        recorded.open().commit([SKILL], "Refused", C1)
    assert caught.value.hook == "pre-commit"
    assert "looks like SQL" in caught.value.output
    assert "looks like SQL" in str(caught.value)
    assert recorded.status == before
    assert recorded.git("rev-parse", "HEAD") == head
    assert (recorded.root / SKILL / "new.md").read_text() == "new\n"


def test_a_refused_first_commit_leaves_new_files_new(sandbox: Sandbox) -> None:
    sandbox.write(FILE, "first\n")
    sandbox.hook("commit-msg", "grep -q forbidden \"$1\" && { echo 'not this word'; exit 3; } || true")
    before = sandbox.status
    with pytest.raises(HookRefusedError) as caught:
        sandbox.open().commit([FILE], "A forbidden word", C1)
    assert (caught.value.hook, caught.value.output) == ("commit-msg", "not this word")
    assert sandbox.status == before
    sandbox.open().commit([FILE], "A better word", C1)


def test_a_hook_sees_exactly_the_bytes_that_would_be_recorded(recorded: Sandbox, tmp_path: Path) -> None:
    recorded.hook("pre-commit", f"git show ':my wörk α/{FILE}' > '{tmp_path}/seen'")
    recorded.write(FILE, "what the hook sees\n")
    recorded.open().commit([FILE], "Seen", C1)
    assert (tmp_path / "seen").read_text() == "what the hook sees\n"


def test_a_hook_runs_in_the_users_own_locale_and_reads_paths_as_usual(
    recorded: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    recorded.hook("pre-commit", f"git ls-files '*.md' > '{tmp_path}/listed'; echo $LC_CTYPE > '{tmp_path}/locale'")
    recorded.write(FILE, "changed\n")
    recorded.open().commit([FILE], "New", C1)
    assert len((tmp_path / "listed").read_text().splitlines()) == 2
    assert (tmp_path / "locale").read_text() == "C.UTF-8\n"


def test_a_git_failure_is_not_taken_for_a_hooks_refusal(recorded: Sandbox) -> None:
    recorded.hook("pre-commit", "exit 0")
    recorded.write(FILE, "changed\n")
    (recorded.root.parent / ".git" / "index.lock").touch()
    with pytest.raises(HistoryError, match="another program") as caught:
        recorded.open().commit([FILE], "Locked", C1)
    assert not isinstance(caught.value, HookRefusedError)


def test_on_a_detached_head_nothing_is_recorded(recorded: Sandbox) -> None:
    recorded.git("checkout", "-q", "--detach", "HEAD~1")
    recorded.write(FILE, "lost?\n")
    repository = recorded.open()
    assert repository.branch() is None
    with pytest.raises(HistoryError, match="detached HEAD") as caught:
        repository.commit([FILE], "Lost", C1)
    assert "git switch" in str(caught.value)
    assert (recorded.root / FILE).read_text() == "lost?\n"


def test_while_a_merge_is_under_way_nothing_is_recorded(recorded: Sandbox) -> None:
    recorded.git("switch", "-qc", "side", "HEAD~1")
    recorded.write(FILE, "side\n")
    recorded.commit_all("Side")
    recorded.git("-c", "user.name=M", "-c", "user.email=m@x.org", "merge", "-q", "main", check=False)
    repository = recorded.open()
    assert {blob.entry.stage for blob in repository.staged(SKILL)} == {1, 2, 3}
    with pytest.raises(HistoryError, match="a merge is under way"):
        repository.commit([FILE], "In the middle", C1)


@pytest.mark.parametrize("message", ["", "  \n\t"])
def test_an_empty_message_is_refused(recorded: Sandbox, message: str) -> None:
    recorded.write(FILE, "new\n")
    with pytest.raises(HistoryError, match="needs a message"):
        recorded.open().commit([FILE], message, C1)


@pytest.mark.parametrize("author", [("", "a@b"), ("A", ""), ("A\nB", "a@b"), ("A <x>", "a@b")])
def test_an_author_that_git_would_mangle_is_refused(recorded: Sandbox, author: tuple[str, str]) -> None:
    recorded.write(FILE, "new\n")
    with pytest.raises(HistoryError, match="not a usable author"):
        recorded.open().commit([FILE], "New", author)


def test_a_path_outside_the_workspace_is_refused(recorded: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="outside the workspace"):
        recorded.open().commit([tmp_path / "x"], "New", C1)


def test_a_file_that_git_ignores_is_refused_with_the_reason(recorded: Sandbox) -> None:
    recorded.write(".gitignore", "*.tmp\n")
    recorded.write("x.tmp", "scratch\n")
    with pytest.raises(HistoryError, match="ignore"):
        recorded.open().commit(["x.tmp"], "New", C1)


def test_two_reviewers_can_record_one_after_the_other(recorded: Sandbox) -> None:
    repository = recorded.open()
    recorded.write(FILE, "by C1\n")
    repository.commit([SKILL], "C1's", C1)
    recorded.write(FILE, "by C2\n")
    repository.commit([SKILL], "C2's", C2)
    assert [version.author_name for version in repository.versions(SKILL)][:2] == ["C2", "C1"]


@pytest.mark.parametrize(
    "said",
    [
        "error: unable to write file .git/objects/0a/1b: No space left on device",
        "fatal: sha1 file '.git/index.lock' write error. Out of diskspace\nfatal: unable to write new index file: "
        "No space left on device",
        "error: file write error. Out of diskspace",
    ],
)
def test_a_full_disk_is_told_with_the_way_out(tmp_path: Path, said: str) -> None:
    refused = failure(("add", "--", "x"), GitResult(128, b"", said), tmp_path)
    assert "the disk is full" in refused.what
    assert refused.fix is not None
    assert "free disk space" in refused.fix

"""Plain git with the installed hooks, in the words of the people who commit."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_repository import CLEAN, QUERY, Repo, make

SKILL = "skills/liver-score/SKILL.md"


def refused(repo: Repo, *arguments: str) -> None:
    before = repo.commits()
    done = repo.git("commit", "-m", "Say it better", *arguments, check=False)
    assert done.returncode != 0
    assert "[query]" in done.stdout + done.stderr
    assert repo.commits() == before


def test_a_contaminated_skill_is_refused_and_a_clean_one_accepted(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    refused(repo)
    repo.write(SKILL, CLEAN + "\nUnits: mg/dL.\n")
    repo.git("add", SKILL)
    repo.git("commit", "-q", "-m", "Name the unit")
    assert repo.commits() == 2


def test_reverting_the_file_after_staging_does_not_help(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    repo.write(SKILL, CLEAN)
    refused(repo)


def test_an_unstaged_contamination_does_not_block_another_commit(repo: Repo) -> None:
    repo.write("README.md", "Words.\n")
    repo.git("add", "README.md")
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("commit", "-q", "-m", "Add a readme")
    assert repo.commits() == 2


def test_commit_all_is_checked(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    refused(repo, "-a")


def test_commit_of_a_path_is_checked_and_leaves_other_staged_files_alone(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.write("notes.txt", "n\n")
    repo.git("add", "notes.txt")
    refused(repo, "--", SKILL)
    assert repo.git("diff", "--cached", "--name-only").stdout.split() == ["notes.txt"]


def test_amend_is_checked(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    refused(repo, "--amend")


def test_a_query_built_up_over_three_commits_is_seen_whole(repo: Repo) -> None:
    first, second, third = "\nselect stay_id\n", "from labs\n", "group by stay_id, hour\n"
    repo.write(SKILL, CLEAN + first)
    repo.git("commit", "-q", "-a", "-m", "One")
    repo.write(SKILL, CLEAN + first + second)
    repo.git("commit", "-q", "-a", "-m", "Two")
    repo.write(SKILL, CLEAN + first + second + third)
    refused(repo, "-a")


def test_a_merge_commit_is_checked(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    repo.git("commit", "-q", "--no-verify", "-m", "Past the check")
    repo.git("switch", "-q", "main")
    repo.write("README.md", "Words.\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "Go on")
    repo.git("merge", "--no-ff", "--no-commit", "other")
    refused(repo)


def test_a_merge_made_by_git_itself_is_checked(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    repo.git("commit", "-q", "--no-verify", "-m", "Past the check")
    repo.git("switch", "-q", "main")
    repo.write("README.md", "Words.\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "Go on")
    before = repo.commits()
    assert repo.git("merge", "--no-ff", "-m", "Merge", "other", check=False).returncode != 0
    assert repo.commits() == before


@pytest.mark.parametrize("operation", ["cherry-pick", "revert", "rebase", "am"])
def test_taking_over_somebody_elses_commit_is_checked(repo: Repo, operation: str, tmp_path: Path) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("commit", "-q", "-a", "--no-verify", "-m", "Past the check")
    if operation == "revert":
        repo.write(SKILL, CLEAN)
        repo.git("commit", "-q", "-a", "-m", "Clean again")
        command = ["revert", "--no-edit", "HEAD"]
    elif operation == "rebase":
        repo.git("switch", "-q", "main")
        repo.write("README.md", "Words.\n")
        repo.git("add", ".")
        repo.git("commit", "-q", "-m", "Go on")
        repo.git("switch", "-q", "other")
        command = ["rebase", "main"]
    else:
        repo.git("format-patch", "-q", "-1", "-o", str(tmp_path / "patches"))
        repo.git("switch", "-q", "main")
        patch = next((tmp_path / "patches").iterdir())
        command = ["cherry-pick", "other"] if operation == "cherry-pick" else ["am", str(patch)]
    before = repo.git("rev-parse", "HEAD").stdout
    done = repo.git(*command, check=False)
    assert done.returncode != 0
    assert "[query]" in done.stdout + done.stderr
    if operation != "rebase":
        assert repo.git("rev-parse", "HEAD").stdout == before


def test_a_linked_worktree_is_checked(repo: Repo, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(linked), "-b", "side")
    side = Repo(linked, linked)
    side.write(SKILL, CLEAN + QUERY)
    refused(side, "-a")


def test_a_workspace_in_a_subfolder_of_its_repository_is_checked(tmp_path: Path) -> None:
    top = tmp_path / "top"
    repo = make(top / "study", top)
    repo.git("init", "-q", "-b", "main", str(top))
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "First")
    assert repo.run("hooks", "install").code == 0
    repo.write(SKILL, CLEAN + QUERY)
    result = repo.run("lint", "--staged", "--format", "json")
    assert (result.code, result.json["files"]) == (0, 0)
    repo.git("add", ".")
    outside = Repo(top, top)
    repo.write("skills/liver-score/more.md", "See mimiciv_derived.liver_score.\n")
    repo.git("add", ".")
    result = outside.run("lint", "--staged", "--format", "json")
    assert ("removed-table", "study/skills/liver-score/more.md", 1) in result.rules()
    assert ("query", f"study/{SKILL}", 9) in result.rules()
    refused(repo)


def test_the_first_commit_of_a_repository_is_checked(tmp_path: Path) -> None:
    repo = make(tmp_path, tmp_path)
    repo.git("init", "-q", "-b", "main")
    repo.run("hooks", "install")
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", ".")
    refused(repo)


def test_a_new_file_announced_without_content_is_neither_clean_nor_refused(repo: Repo) -> None:
    repo.write("skills/liver-score/more.md", QUERY)
    repo.git("add", "--intent-to-add", "skills/liver-score/more.md")
    repo.write(SKILL, CLEAN + "\nMore.\n")
    repo.git("add", SKILL)
    result = repo.run("lint", "--staged", "--format", "json")
    assert result.code == 0
    assert result.json["not_checked"] == ["skills/liver-score/more.md"]
    assert result.json["files"] == 1


def test_a_file_staged_with_no_content_at_all_is_read(repo: Repo) -> None:
    repo.write("skills/liver-score/empty.md", "")
    repo.git("add", ".")
    result = repo.run("lint", "--staged", "--format", "json")
    assert (result.code, result.json["files"], result.json["not_checked"]) == (0, 2, [])


def test_strange_file_names_are_read_under_the_c_locale(repo: Repo) -> None:
    names = ("α notes.md", "-dash.md", "two  blanks.md", "quote's.md", 'double".md')
    for name in names:
        repo.write(f"skills/liver-score/{name}", QUERY)
    repo.git("add", "--", "skills/liver-score")
    result = repo.spawn("lint", "--staged", "--format", "json", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="utf-8")
    assert {("query", f"skills/liver-score/{name}", 2) for name in names} <= result.rules()
    assert repo.spawn("lint", "--staged", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").code == 1


def test_a_link_is_refused_and_never_followed(repo: Repo, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("The word PINEAPPLE.\n")
    (repo.root / "skills/liver-score/extra.md").symlink_to(secret)
    (repo.root / "skills/liver-score/folder").symlink_to(tmp_path)
    repo.git("add", ".")
    for arguments in (("--staged",), ("--all",), ("skills/liver-score",)):
        result = repo.run("lint", *arguments, "--format", "json")
        assert result.code == 1
        assert {(rule, path) for rule, path, _ in result.rules()} == {
            ("symlink", "skills/liver-score/extra.md"),
            ("symlink", "skills/liver-score/folder"),
        }
        assert "PINEAPPLE" not in result.out


def test_a_submodule_in_a_skill_is_refused(repo: Repo, tmp_path: Path) -> None:
    other = make(tmp_path / "other", tmp_path / "other")
    other.git("init", "-q")
    other.git("add", ".")
    other.git("commit", "-q", "-m", "Other")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", str(other.root), "skills/liver-score/vendor")
    result = repo.run("lint", "--staged", "--format", "json")
    assert ("submodule", "skills/liver-score/vendor", 1) in result.rules()


def test_row_level_files_are_refused_in_skills_tasks_and_reviews(repo: Repo) -> None:
    for path in ("skills/liver-score/rows.parquet", "tasks/liver/liver-24h/answer.csv.gz", "reviews/a.duckdb"):
        repo.write(path, b"PAR1\x00")
        repo.git("add", "--force", path)
    result = repo.run("lint", "--staged", "--format", "json")
    assert {path for rule, path, _ in result.rules() if rule == "data-file"} == {
        "skills/liver-score/rows.parquet",
        "tasks/liver/liver-24h/answer.csv.gz",
        "reviews/a.duckdb",
    }


def test_a_review_note_with_a_query_or_a_patient_is_refused(repo: Repo) -> None:
    repo.write(
        "reviews/events/liver-score/1-C1-comment-abc.md", "---\nkind: comment\n---\nSee stay_id 31234567.\n" + QUERY
    )
    repo.git("add", ".")
    result = repo.run("lint", "--staged", "--format", "json")
    assert {rule for rule, _, _ in result.rules()} == {"patient-id", "query"}


def test_a_commit_message_with_a_query_is_refused_and_an_ordinary_one_is_not(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nMore.\n")
    repo.git("add", SKILL)
    done = repo.git("commit", "-m", "Use select stay_id, max(x) from labs group by stay_id", check=False)
    assert done.returncode != 0
    assert "version message" in done.stdout + done.stderr
    repo.git("commit", "-q", "-m", "Select the worst value from the first day; drop mimiciv_derived.liver_score")


def test_a_changed_task_card_checks_the_skills_it_uses(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + "\nSee mimiciv_derived.enzyme_day.\n")
    repo.git("commit", "-q", "-a", "-m", "Name a concept")
    card = repo.root / "tasks/liver/liver-24h/task.toml"
    card.write_text(card.read_text().replace('"mimiciv_derived.liver_score"', '"mimiciv_derived.enzyme_day"'))
    repo.git("add", ".")
    result = repo.run("lint", "--staged", "--format", "json")
    assert {(rule, path) for rule, path, _ in result.rules()} == {("removed-table", SKILL)}


def test_two_revisions_are_compared_by_the_bytes_of_the_second(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("commit", "-q", "-a", "--no-verify", "-m", "Past the check")
    repo.write(SKILL, CLEAN)
    result = repo.run("lint", "--from-ref", "HEAD~1", "--to-ref", "HEAD", "--format", "json")
    assert ("query", SKILL, 9) in result.rules()
    assert repo.run("lint", "--from-ref", "HEAD", "--to-ref", "HEAD").code == 0
    assert repo.run("lint", "--from-ref", "nowhere", "--to-ref", "HEAD").code == 2
    assert repo.run("lint", "--from-ref", "HEAD").code == 2


def test_same_bytes_same_findings_whichever_way_in(repo: Repo) -> None:
    text = CLEAN + QUERY + "\nSee mimiciv_derived.liver_score and stay_id 31234567.\n"
    repo.write(SKILL, text)
    repo.git("add", ".")
    by_path = repo.run("lint", "skills/liver-score", "--format", "json").rules()
    assert len(by_path) == 3
    assert repo.run("lint", SKILL, "--format", "json").rules() == by_path
    assert repo.run("lint", "--staged", "--format", "json").rules() == by_path
    assert repo.run("lint", "--all", "--format", "json").rules() == by_path
    inside = repo.root / "skills/liver-score"
    assert repo.run("lint", "SKILL.md", "--format", "json", cwd=inside).rules() == by_path
    repo.git("commit", "-q", "--no-verify", "-m", "Past the check")
    assert repo.run("lint", "--from-ref", "HEAD~1", "--to-ref", "HEAD", "--format", "json").rules() == by_path
    stdin = repo.run("lint", "-", "--format", "json", stdin=text.encode())
    assert {(rule, line) for rule, _, line in stdin.rules()} == {(rule, line) for rule, _, line in by_path}


def test_the_hook_never_writes_to_the_working_tree_or_the_index(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    repo.write(SKILL, CLEAN)
    status = repo.git("status", "--porcelain").stdout
    index = (repo.root / ".git/index").read_bytes()
    assert repo.run("lint", "--staged").code == 1
    assert (repo.root / ".git/index").read_bytes() == index
    assert repo.git("status", "--porcelain").stdout == status


def test_an_existing_hook_runs_first_and_comes_back(repo: Repo) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    assert repo.run("hooks", "remove").code == 0
    assert not hook.exists()
    hook.write_text("#!/bin/sh\necho earlier hook\nexit 3\n")
    hook.chmod(0o755)
    assert repo.run("hooks", "install").code == 0
    assert repo.run("hooks", "install").code == 0
    repo.write(SKILL, CLEAN + "\nMore.\n")
    repo.git("add", ".")
    done = repo.git("commit", "-m", "More", check=False)
    assert "earlier hook" in done.stdout + done.stderr
    assert done.returncode != 0
    assert repo.run("hooks", "remove").code == 0
    assert "earlier hook" in hook.read_text()


def test_hooks_respect_a_configured_hooks_folder(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", "my hooks")
    said = repo.run("hooks", "install")
    assert (repo.root / "my hooks/pre-commit").exists(), said
    repo.write(SKILL, CLEAN + QUERY)
    refused(repo, "-a")


def test_hooks_outside_a_repository_say_so(tmp_path: Path) -> None:
    result = Repo(tmp_path, tmp_path).run("hooks", "install")
    assert result.code == 2
    assert "not a git repository" in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("name", ["re.py", "m4review.py", "tomllib.py"])
def test_a_file_of_the_repository_is_never_taken_for_a_part_of_the_lint(repo: Repo, name: str) -> None:
    (repo.root / name).write_text("raise SystemExit(0)\n", encoding="utf-8")
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    done = repo.git("commit", "-m", "More", check=False)
    assert done.returncode != 0
    assert "query" in done.stdout + done.stderr


def test_a_hook_without_its_interpreter_refuses(repo: Repo) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    import sys

    hook.write_text(hook.read_text().replace(sys.executable, "/nowhere/python"))
    repo.write(SKILL, CLEAN + "\nMore.\n")
    repo.git("add", ".")
    done = repo.git("commit", "-m", "More", check=False, PATH="/usr/bin:/bin")
    assert done.returncode != 0
    assert "cannot run" in done.stderr

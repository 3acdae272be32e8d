"""More ways to make a commit: a detached head, a stash, submodules on either side, and what goes past the hook."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_repository import CLEAN, QUERY, Repo, make

SKILL = "skills/liver-score/SKILL.md"


def refused(repo: Repo, *arguments: str, rule: str = "query") -> None:
    before = repo.git("rev-parse", "HEAD").stdout
    done = repo.git("commit", "-m", "Say it better", *arguments, check=False)
    assert done.returncode != 0
    assert f"[{rule}]" in done.stdout + done.stderr
    assert repo.git("rev-parse", "HEAD").stdout == before


def test_a_commit_on_a_detached_head_is_checked(repo: Repo) -> None:
    repo.git("switch", "-q", "--detach")
    repo.write(SKILL, CLEAN + QUERY)
    refused(repo, "-a")


@pytest.mark.parametrize("back", [("pop",), ("pop", "--index"), ("apply",)], ids=" ".join)
def test_what_comes_back_from_the_stash_is_checked(repo: Repo, back: tuple[str, ...]) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    repo.git("stash", "push", "-q")
    assert (repo.root / SKILL).read_text(encoding="utf-8") == CLEAN
    repo.git("stash", *back)
    refused(repo, "-a")


def test_the_short_form_with_message_is_checked(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    before = repo.commits()
    assert repo.git("commit", "-am", "Say it better", check=False).returncode != 0
    assert repo.commits() == before


def test_a_fixup_and_a_reused_message_are_checked(repo: Repo) -> None:
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    refused(repo, "--amend", "--no-edit")
    before = repo.commits()
    for form in (("--fixup", "HEAD"), ("-C", "HEAD")):
        assert repo.git("commit", *form, check=False).returncode != 0
    assert repo.commits() == before


def test_a_squashed_merge_is_checked(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("commit", "-q", "-a", "--no-verify", "-m", "Past the check")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--squash", "other")
    refused(repo)


def test_what_went_past_the_hook_is_found_in_the_range_that_holds_it(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD").stdout.strip()
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("commit", "-q", "-a", "--no-verify", "-m", "Past the check")
    repo.write("README.md", "Words.\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "Go on")
    result = repo.run("lint", "--from-ref", first, "--to-ref", "HEAD", "--format", "json")
    assert result.code == 1
    assert ("query", SKILL, 9) in result.rules()


def in_submodule(repo: Repo, tmp_path: Path, place: str) -> Repo:
    """A workspace of its own as a submodule of ``repo``, with hooks."""
    origin = make(tmp_path / "origin", tmp_path / "origin")
    origin.git("init", "-q", "-b", "main")
    origin.git("add", ".")
    origin.git("commit", "-q", "-m", "First")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(origin.root), place)
    inner = Repo(repo.root / place, repo.root / place)
    assert inner.run("hooks", "install").code == 0
    return inner


def test_a_skill_inside_a_submodule_is_checked_where_it_is_committed(repo: Repo, tmp_path: Path) -> None:
    inner = in_submodule(repo, tmp_path, "studies/liver")
    repo.git("commit", "-q", "-m", "Add a study")
    inner.write(SKILL, CLEAN + QUERY)
    refused(inner, "-a")
    inner.write(SKILL, CLEAN + "\nUnits: mg/dL.\n")
    inner.git("commit", "-q", "-a", "-m", "Name the unit")
    repo.git("add", "studies/liver")
    repo.git("commit", "-q", "-m", "Take the newer study")
    assert repo.git("status", "--porcelain").stdout == ""


def test_a_moved_pointer_to_a_skill_kept_elsewhere_is_refused(repo: Repo, tmp_path: Path) -> None:
    inner = in_submodule(repo, tmp_path, "skills/other-score")
    refused(repo, rule="submodule")
    repo.git("commit", "-q", "--no-verify", "-m", "Past the check")
    inner.write(SKILL, CLEAN + QUERY)
    inner.git("commit", "-q", "-a", "--no-verify", "-m", "Past the check")
    repo.git("add", "skills/other-score")
    refused(repo, rule="submodule")


def test_a_link_in_the_place_of_a_skill_is_refused(repo: Repo, tmp_path: Path) -> None:
    elsewhere = make(tmp_path / "elsewhere", tmp_path / "elsewhere")
    (repo.root / "skills/linked-score").symlink_to(elsewhere.root / "skills/liver-score")
    repo.git("add", ".")
    refused(repo, rule="symlink")

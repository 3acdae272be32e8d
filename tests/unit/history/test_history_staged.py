"""What a hook must see: the index of the commit under way, whatever its name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from history_sandbox import FILE, SKILL, Sandbox

from m4review.history import touched_folders

PROBE = """
import json, os, sys
from pathlib import Path
from m4review.history import Repository
repository = Repository.open(Path(sys.argv[1]))
result = {
    "index": os.environ.get("GIT_INDEX_FILE", ""),
    "blobs": {blob.entry.path: (blob.data or b"").decode() for blob in repository.staged("skills")},
    "changes": list(repository.staged_changes()),
}
Path(sys.argv[2]).write_text(json.dumps(result))
"""


@pytest.fixture
def probed(recorded: Sandbox, tmp_path: Path) -> Sandbox:
    """A repository whose pre-commit hook writes down what the reader sees."""
    script = tmp_path / "probe.py"
    script.write_text(PROBE)
    recorded.hook("pre-commit", f"'{sys.executable}' '{script}' '{recorded.root}' '{tmp_path}/seen.json'")
    recorded.git("config", "--global", "user.name", "U")
    recorded.git("config", "--global", "user.email", "u@x.org")
    return recorded


def seen(tmp_path: Path) -> dict[str, object]:
    import json

    found: dict[str, object] = json.loads((tmp_path / "seen.json").read_text())
    return found


def test_a_plain_commit_shows_the_staged_bytes_not_the_working_copy(probed: Sandbox, tmp_path: Path) -> None:
    probed.write(FILE, "staged\n")
    probed.git("add", ".")
    probed.write(FILE, "clean again\n")
    probed.git("commit", "-qm", "x")
    assert seen(tmp_path)["blobs"] == {FILE: "staged\n"}
    assert seen(tmp_path)["changes"] == [FILE]


def test_commit_a_shows_the_temporary_index(probed: Sandbox, tmp_path: Path) -> None:
    probed.write(FILE, "all\n")
    probed.git("commit", "-qam", "x")
    assert seen(tmp_path)["blobs"] == {FILE: "all\n"}
    assert str(seen(tmp_path)["index"]).endswith("index.lock")


def test_commit_of_one_path_shows_only_that_path(probed: Sandbox, tmp_path: Path) -> None:
    probed.write("skills/other/SKILL.md", "staged elsewhere\n")
    probed.git("add", ".")
    probed.write(FILE, "one path\n")
    probed.git("commit", "-qm", "x", FILE)
    assert seen(tmp_path)["blobs"] == {FILE: "one path\n"}
    assert seen(tmp_path)["changes"] == [FILE]
    assert "next-index" in str(seen(tmp_path)["index"])


def test_amend_and_a_linked_worktree_are_seen(probed: Sandbox, tmp_path: Path) -> None:
    probed.write(FILE, "amended\n")
    probed.git("commit", "-qa", "--amend", "-m", "x")
    assert seen(tmp_path)["blobs"] == {FILE: "amended\n"}
    probed.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    linked = Sandbox(tmp_path / "linked" / probed.root.name)
    hook = Path(probed.git("rev-parse", "--path-format=absolute", "--git-path", "hooks")) / "pre-commit"
    hook.write_text(hook.read_text().replace(str(probed.root), str(linked.root)))
    linked.write(FILE, "linked\n")
    linked.git("commit", "-qam", "y")
    assert seen(tmp_path)["blobs"] == {FILE: "linked\n"}


def test_an_announced_file_is_told_apart_from_an_empty_one(recorded: Sandbox) -> None:
    recorded.write(f"{SKILL}/announced.md", "content not staged\n")
    recorded.write(f"{SKILL}/empty.md", "")
    recorded.git("add", f"{SKILL}/empty.md")
    recorded.git("add", "-N", f"{SKILL}/announced.md")
    blobs = {Path(blob.entry.path).name: blob for blob in recorded.open().staged(SKILL)}
    assert blobs["announced.md"].entry.intent_to_add
    assert blobs["announced.md"].data is None
    assert not blobs["empty.md"].entry.intent_to_add
    assert blobs["empty.md"].data == b""
    assert recorded.open().staged_changes() == (f"{SKILL}/empty.md",)


def test_an_empty_file_that_is_recorded_already_is_not_taken_for_announced(recorded: Sandbox) -> None:
    recorded.write(f"{SKILL}/empty.md", "")
    recorded.commit_all("Empty")
    entries = {entry.path: entry.intent_to_add for entry in recorded.open().staged_entries(SKILL)}
    assert entries == {FILE: False, f"{SKILL}/empty.md": False}


def test_modes_deletions_and_sizes_are_seen(recorded: Sandbox) -> None:
    recorded.write(f"{SKILL}/run.sh", "#!/bin/sh\n").chmod(0o755)
    (recorded.root / SKILL / "link").symlink_to("../..")
    recorded.write(f"{SKILL}/big.md", "x" * 5000)
    recorded.git("add", ".")
    recorded.git("rm", "-q", "--cached", FILE)
    blobs = {Path(blob.entry.path).name: blob for blob in recorded.open().staged(SKILL, max_bytes=4999)}
    assert {name: blob.entry.mode for name, blob in blobs.items()} == {
        "run.sh": "100755",
        "link": "120000",
        "big.md": "100644",
    }
    assert blobs["link"].data == b"../.."
    assert (blobs["big.md"].data, blobs["big.md"].size) == (None, 5000)
    assert FILE in recorded.open().staged_changes()


def test_before_the_first_commit_everything_staged_is_a_change(sandbox: Sandbox) -> None:
    sandbox.write(FILE, "first\n")
    sandbox.git("add", ".")
    assert sandbox.open().staged_changes() == (FILE,)


def test_changes_between_two_revisions_include_deletions_and_leave_the_rest_of_the_repository_out(
    recorded: Sandbox,
) -> None:
    (recorded.root.parent / "outside.md").write_text("outside the workspace\n")
    (recorded.root / "README.md").unlink()
    recorded.write(FILE, "x\n")
    recorded.git("add", "-A", cwd=recorded.root.parent)
    recorded.commit_all("Change")
    assert recorded.open().changed_between("HEAD~1", "HEAD") == ("README.md", FILE)


def test_touched_folders_are_the_skills_of_the_changed_paths() -> None:
    paths = ["skills/b/SKILL.md", "skills/a/x/y.md", "skills/a/SKILL.md", "skills/loose.md", "tasks/c/t/task.toml"]
    assert touched_folders(paths, "skills") == ("skills/a", "skills/b")


def test_a_hook_that_reads_the_index_loads_no_heavy_library() -> None:
    code = (
        "import sys; from m4review.history import Repository; "
        "bad = {'git', 'duckdb', 'docker', 'textual', 'pydantic'} & set(sys.modules); sys.exit(str(bad) if bad else 0)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr

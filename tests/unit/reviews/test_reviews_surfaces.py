"""Every place that shows a state shows the same one, and showing writes nothing."""

from __future__ import annotations

import json
from typing import Any

from reviews_ward import Ward

READING = [
    ("review", "status"), ("review", "status", "lactate"), ("review", "status", "--json"),
    ("review", "queue", "--as", "C1"), ("review", "queue", "--as", "C4", "--json"), ("skills",), ("skills", "--json"),
    ("tasks",), ("tasks", "--json"), ("show", "lactate"), ("show", "lactate-24h"),
]  # fmt: skip


def test_after_one_changed_byte_every_place_says_stale(ward: Ward, m4review: Any) -> None:
    ward.approve("C1", "C4")
    for words in READING[:3] + READING[5:7] + READING[9:10]:
        assert "stale (" not in m4review(*words)[1], words
        assert "approved" in m4review(*words)[1], words
    ward.edit("50813", "50814")
    for recorded in (False, True):
        if recorded:
            ward.commit()
        assert "lactate  stale (schema)" in m4review("review", "status")[1]
        one = m4review("review", "status", "lactate")[1]
        assert one.startswith("lactate: stale (schema)")
        assert one.count("[stale] given on sha256:") == 2, "the old verdicts are still listed with their digest"
        (skill, _) = json.loads(m4review("review", "status", "--json")[1])["skills"]
        assert (skill["state"], skill["stale"]["scopes"], skill["label"]) == ("stale", ["schema"], "stale (schema)")
        assert "lactate  stale (schema)" in m4review("skills")[1]
        listed = json.loads(m4review("skills", "--json")[1])["skills"][0]
        assert (listed["state"], listed["label"]) == ("stale", "stale (schema)")
        assert "stale (schema)" in m4review("show", "lactate")[1]
        assert "review again  lactate  stale (schema)" in m4review("review", "queue", "--as", "C4")[1]
        items = json.loads(m4review("review", "queue", "--as", "C1", "--json")[1])["items"]
        assert (items[0]["kind"], items[0]["status"]["state"]) == ("review again", "stale")


def footprint(ward: Ward) -> list[tuple[str, int, int]]:
    """Name, size and time of every file; of git's objects only the names, whose times git freshens when it reads."""
    return [
        (str(path), 0, 0) if "objects" in path.parts else (str(path), path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(ward.root.rglob("*"))
    ]


def test_reading_leaves_the_tree_and_the_repository_as_they_were(ward: Ward, m4review: Any) -> None:
    ward.say("C1")
    ward.edit("50813", "50814", skill="shock")
    before = footprint(ward)
    for words in READING:
        code, _, err = m4review(*words)
        assert (code, err) == (0, ""), words
        assert footprint(ward) == before, words


def test_every_reading_command_works_without_git(ward: Ward, m4review: Any) -> None:
    (ward.root / ".git").rename(ward.root.parent / "elsewhere.git")
    for words in READING:
        code, out, err = m4review(*words)
        assert (code, err) == (0, ""), words
        if words[0] == "skills" or "status" in words or words == ("show", "lactate"):
            assert "not recorded: no version history" in out, words


def test_a_workspace_before_its_first_commit_has_no_history_either(ward: Ward, m4review: Any) -> None:
    (ward.root / ".git").rename(ward.root.parent / "elsewhere.git")
    ward.git("init", "-q", "-b", "main")
    assert ward.status().label == "not recorded: no version history"
    assert m4review("review", "status")[0] == 0


def test_a_workspace_in_a_subfolder_of_a_repository(ward: Ward) -> None:
    outer = Ward(ward.root.parent / "outer")
    outer.root.mkdir()
    inner = Ward(outer.root / "team" / "ward")
    inner.root.parent.mkdir()
    ward.root.rename(inner.root)
    (inner.root / ".git").rename(outer.root / ".git")
    outer.commit("moved", author=("Ana Author", "ana@clinic.example"))
    inner.approve("C1", "C4")
    assert inner.truth().label == "approved"
    inner.edit("50813", "50814")
    assert inner.truth().label == "stale (schema)"


def test_a_link_in_one_skill_spoils_only_that_skill(ward: Ward, m4review: Any) -> None:
    ward.approve("C1", "C4")
    (ward.root / "skills/shock/link.md").symlink_to("/etc/hostname")
    assert ward.truth("lactate").label == "approved"
    assert ward.truth("shock").state == "undecided"
    assert "a link, which is no content" in m4review("review", "status", "shock")[1]
    ward.commit("with a link")
    assert ward.truth("lactate").label == "approved"
    assert ward.truth("shock").state == "undecided"


def test_the_state_of_an_older_revision(ward: Ward) -> None:
    from m4review.reviews import Ledger, skill_status

    ward.approve("C1", "C4")
    approved = ward.git("rev-parse", "HEAD").strip()
    ward.edit("50813", "50814")
    ward.commit()

    def at(revision: str) -> str:
        return skill_status(ward.workspace, Ledger.load(ward.workspace, revision), "lactate").label

    assert [at("HEAD"), at(approved), at(f"{approved}~1"), at(f"{approved}~2")] == [
        "stale (schema)", "approved", "in review (1 of 2)", "draft",
    ]  # fmt: skip


def test_version_numbers_are_those_of_the_log(ward: Ward) -> None:
    assert ward.truth().version == 1
    ward.edit("50813", "50814")
    assert ward.truth().version is None
    ward.commit()
    ward.edit("50813", "50814", skill="shock")
    ward.commit()
    assert (ward.truth().version, ward.truth("shock").version) == (2, 2)
    ward.git("switch", "-q", "-c", "side", "HEAD~1")
    ward.edit("One row", "A row")
    ward.commit()
    ward.git("switch", "-q", "main")
    ward.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert ward.truth().version == 3

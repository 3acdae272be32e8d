"""The workspace: finding it, its roster and policy, and what is kept locally."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from m4review.errors import SkillError, TaskError, WorkspaceError
from m4review.workspace import Policy, Reviewer, Workspace

ROSTER = """[[reviewers]]
id = "C1"
role = "surgeon"
expertise = "registries"
from = 2026-01-01
until = 2026-12-31

[[reviewers]]
id = "C2"
role = "physician"
expertise = "care"

[pairs]
sirs = ["C1", "C2"]
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("skills", "tasks", "reviews"):
        (tmp_path / name).mkdir()
    (tmp_path / "reviews/roster.toml").write_text(ROSTER)
    return Workspace(tmp_path)


def test_the_workspace_is_found_from_any_folder_inside(workspace: Workspace, tmp_path: Path) -> None:
    deep = tmp_path / "skills/lactate"
    deep.mkdir()
    assert Workspace.find(deep).root == tmp_path.resolve()
    with pytest.raises(WorkspaceError, match="no workspace here"):
        Workspace.find(tmp_path.parent)


def test_the_shipped_roster_and_policy_are_read() -> None:
    shipped = Workspace(Path(__file__).parents[3])
    assert [reviewer.id for reviewer in shipped.roster.reviewers] == ["C1", "C2", "C3", "C4"]
    assert shipped.roster.pairs["sirs"] == ("C2", "C4")
    assert len(shipped.roster.pairs) == 15
    assert (shipped.policy.required, shipped.policy.independent) == (2, "ui-blind")
    assert set(shipped.policy.sections) == {"definition", "schema", "output"}
    assert not shipped.events_dir.exists(), "the repository ships no verdicts"


def test_a_reviewer_counts_from_the_first_to_the_last_day(workspace: Workspace) -> None:
    first = workspace.roster.get("C1")
    days = [date(2025, 12, 31), date(2026, 1, 1), date(2026, 12, 31), date(2027, 1, 1)]
    assert [first.active_on(day) for day in days] == [False, True, True, False]
    assert all(workspace.roster.get("C2").active_on(day) for day in days)
    assert first.git_identity == ("C1", "c1@reviewers.invalid")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('id = "C2"', 'id = "C1"', None, "reviewer C1 is listed twice"),
        ('id = "C2"', 'id = "Ana"', 9, r"reviewers\.1\.id"),
        ('["C1", "C2"]', '["C1", "C9"]', None, "the pair of sirs must name two different reviewers"),
        ('["C1", "C2"]', '["C1", "C1"]', None, "the pair of sirs must name two different reviewers"),
        ('["C1", "C2"]', '["C1"]', 14, r"pairs\.sirs"),
        ('role = "surgeon"', 'role = "surgeon"\nname = "Ana"', 4, r"reviewers\.0\.name"),
        ('role = "physician"\n', "", 8, r"reviewers\.1\.role"),
        ("[pairs]", "[pairs", 13, "not valid TOML"),
        ("from = 2026-01-01", "from = 2026-13-01", 5, "not valid TOML"),
    ],
)
def test_a_wrong_roster_is_named_with_its_line(
    workspace: Workspace, old: str, new: str, line: int | None, message: str
) -> None:
    path = workspace.reviews_dir / "roster.toml"
    path.write_text(ROSTER.replace(old, new, 1))
    with pytest.raises(WorkspaceError, match=message) as refused:
        _ = workspace.roster
    assert (refused.value.where, refused.value.line) == (str(path), line)


def test_an_unknown_reviewer_is_told_the_known_ones(workspace: Workspace) -> None:
    with pytest.raises(WorkspaceError, match="'C3' is not on the roster") as refused:
        workspace.roster.get("C3")
    assert refused.value.expected == "one of C1, C2"
    assert workspace.roster.get("c2").id == "C2"


@pytest.mark.parametrize(
    ("end", "line"), [('[pairs]\nsirs = ["C1",\n', 2), ('x = "', 1), ("[pairs", 1), ("x = \n\n\n", 1)]
)
def test_a_file_that_breaks_off_is_named_with_its_last_line_and_what_to_do(
    workspace: Workspace, end: str, line: int
) -> None:
    before = ROSTER.split("[pairs]")[0]
    (workspace.reviews_dir / "roster.toml").write_text(before + end)
    (workspace.reviews_dir / "policy.toml").write_text("required = 2\n" + end)
    workspace.local_dir.mkdir()
    (workspace.local_dir / "config.toml").write_text('as = "C1"\n' + end)
    for read, above in (
        (lambda: workspace.roster, before.count("\n")),
        (lambda: workspace.policy, 1),
        (workspace.identity, 1),
    ):
        with pytest.raises(WorkspaceError, match="not valid TOML") as refused:
            read()
        assert refused.value.line == above + line
        assert refused.value.fix
        assert "end of document" not in str(refused.value)


def test_a_wrong_value_of_the_policy_says_what_to_do(workspace: Workspace) -> None:
    (workspace.reviews_dir / "policy.toml").write_text("scopes = []\nrequired = 0\n")
    with pytest.raises(WorkspaceError) as refused:
        _ = workspace.policy
    assert (refused.value.line, refused.value.fix) == (2, "correct required in this file")


def test_the_policy_has_defaults_and_refuses_what_it_does_not_know(workspace: Workspace) -> None:
    assert workspace.policy == Policy()
    path = workspace.reviews_dir / "policy.toml"
    for text, message in (
        ("required = 0\n", "required"),
        ('independent = "never"\n', "independent"),
        ("requird = 2\n", "requird"),
        ('[sections]\nstyle = ["Style"]\n', "sections"),
        ("required = \n", "not valid TOML"),
    ):
        path.write_text(text)
        with pytest.raises(WorkspaceError, match=message):
            _ = Workspace(workspace.root).policy


def test_identity_and_dataset_are_kept_locally(workspace: Workspace) -> None:
    assert workspace.identity() is None
    workspace.save_identity("C2")
    workspace.save_default_dataset("demo")
    assert workspace.identity() == workspace.roster.get("C2")
    chosen = workspace.identity("C1")
    assert chosen is not None
    assert chosen.id == "C1"
    assert workspace.default_dataset() == "demo"
    with pytest.raises(WorkspaceError):
        workspace.save_identity("C9")
    assert workspace.identity("c1") == chosen
    workspace.save_identity("c2")
    assert (workspace.local_dir / "config.toml").read_text() == 'as = "C2"\ndataset = "demo"\n'


def test_the_data_home_may_lie_elsewhere(workspace: Workspace, tmp_path: Path) -> None:
    assert workspace.data_home({}) == workspace.local_dir / "data"
    assert workspace.data_home({"M4REVIEW_DATA": str(tmp_path / "big")}) == tmp_path / "big"


def test_a_broken_skill_or_card_does_not_stop_the_rest(workspace: Workspace) -> None:
    for name, text in (("good", "---\nname: good\ndescription: a\n---\n"), ("bad", "nothing\n")):
        (workspace.skills_dir / name).mkdir()
        workspace.skill_file(name).write_text(text)
    (workspace.skills_dir / ".cache").mkdir()
    card = workspace.tasks_dir / "sirs" / "t"
    card.mkdir(parents=True)
    (card / "task.toml").write_text('title = "T"\nskills = ["good", "gone"]\n')
    (card / "instruction.md").write_text("x\n")
    assert [(entry.name, entry.skill is not None) for entry in workspace.skills] == [("bad", False), ("good", True)]
    assert workspace.skill("good").name == "good"
    for name, error in (("bad", "no front matter"), ("gone", "no skill 'gone'")):
        with pytest.raises(SkillError, match=error):
            workspace.skill(name)
    (entry,) = workspace.tasks
    assert entry.task is None
    with pytest.raises(TaskError):
        workspace.task("t")
    with pytest.raises(TaskError, match="no task 'x'"):
        workspace.task("x")


def test_a_card_that_names_a_missing_skill_says_which_and_where(workspace: Workspace) -> None:
    card = workspace.tasks_dir / "sirs" / "t"
    card.mkdir(parents=True)
    (card / "task.toml").write_text(
        'title = "T"\ndatabase = "eicu"\ndatabase_version = "2.0"\nmode = "raw"\ndifficulty = "easy"\nreference = "t"\n'
        'skills = ["gone"]\n[output]\nkey_columns = ["a"]\nscored_columns = ["b"]\nrequired_columns = ["a", "b"]\n'
        "[thresholds]\naccuracy = 1\n"
    )
    (card / "instruction.md").write_text("x\n")
    with pytest.raises(TaskError, match="the skill 'gone' does not exist") as refused:
        workspace.task("t")
    assert refused.value.line == 7


def test_a_reviewer_has_further_addresses() -> None:
    reviewer = Reviewer(id="C3", role="a", expertise="b", git_emails=("x@y.example",))
    assert reviewer.git_emails == ("x@y.example",)

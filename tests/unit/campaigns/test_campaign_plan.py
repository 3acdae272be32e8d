"""Plans: what they come to, and what is said of one that is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from campaign_bench import plan_text
from trials_bench import ROOT

from m4review.campaigns.lacking import lacking
from m4review.campaigns.matrix import Matrix, matrix_of
from m4review.campaigns.plan import PlanFile, find_plan, read_plan, shipped_plans
from m4review.errors import CampaignError
from m4review.workspace import Workspace

GROUP = '[[groups]]\nname = "g"\ntasks = ["mimic-sirs-24h-raw"]\nconditions = ["no-skill", "with-skill"]\n'


@pytest.fixture(scope="module")
def library() -> Workspace:
    return Workspace(ROOT)


@pytest.fixture
def matrix(library: Workspace) -> Callable[..., Matrix]:
    def made(groups: str, **wishes: int) -> Matrix:
        return matrix_of(plan_file(groups, **wishes), library)

    return made


def plan_file(groups: str, **wishes: int) -> PlanFile:
    return read_plan(plan_text(groups, agent="reader", **wishes).encode(), Path("plan.toml"))


def runs_by(matrix: Matrix) -> dict[tuple[str, str, str], int]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for block in matrix.blocks:
        for condition in block.conditions:
            counts[block.cell.schema_name, block.cell.model or "", condition.value] += 1
    return dict(counts)


def test_the_shipped_published_design_has_the_runs_that_were_published(library: Workspace) -> None:
    matrix = matrix_of(find_plan("published-design"), library)

    published = {
        ("native", model, condition): count
        for model in ("gpt-5.4-mini", "gpt-5.5")
        for condition, count in {
            "no-skill": 140,
            "with-skill": 140,
            "decoy": 50,
            "raw-sql": 50,
            "operational-spec": 40,
        }.items()
    }
    followup = {(schema, "gpt-5.4-mini", "with-skill"): 130 for schema in ("obfuscated", "restructured")}
    assert runs_by(matrix) == published | followup
    assert len([line for line in matrix.unbalanced if "without no-skill" in line]) == 2


def test_the_shipped_smoke_plan_tries_every_task_under_every_condition_and_schema(library: Workspace) -> None:
    matrix = matrix_of(find_plan("reader-smoke"), library)

    tasks = [entry.task for entry in library.tasks if entry.task is not None]
    changeable = [task for task in tasks if task.database == "mimic-iv"]
    assert matrix.runs == 7 * (len(tasks) + 2 * len(changeable))
    assert matrix.unbalanced == ()


@pytest.mark.parametrize("name", shipped_plans())
def test_every_shipped_plan_is_a_plan(name: str, library: Workspace) -> None:
    assert matrix_of(find_plan(name), library).blocks


@pytest.mark.parametrize(
    ("wrong", "right", "line"),
    [
        (GROUP.replace("conditions", "condition"), "did you mean conditions?", 13),
        (GROUP + "repeat = 2\n", "did you mean repeats?", 14),
        (GROUP + "[limit]\nseconds = 3\n", "did you mean limits?", 14),
        (GROUP + "[limits]\nsecond = 3\n", "did you mean seconds?", 15),
        (GROUP + '[agents.two]\nagents = "reader"\n', "did you mean agent?", 15),
        (GROUP.replace("with-skill", "with-skil"), "did you mean with-skill?", 13),
        (GROUP + 'schemas = ["obfuscate"]\n', "did you mean obfuscated?", 14),
        (GROUP.replace("mimic-sirs-24h-raw", "mimic-sirs-24-raw"), "did you mean mimic-sirs-24h-raw?", 12),
        (GROUP.replace('tasks = ["mimic-sirs-24h-raw"]', 'families = ["sir"]'), "did you mean sirs?", 12),
        (GROUP + 'modes = ["rw"]\n', "did you mean raw?", 14),
        (GROUP + 'databases = ["mimic"]\n', "did you mean mimic-iv?", 14),
        (GROUP + 'agents = ["scrip"]\n', "did you mean script?", None),
        (GROUP + "repeats = 0\n", "greater than or equal to 1", 14),
        (GROUP + "repeats = [\n", "not valid TOML", 14),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_a_wrong_word_is_named_with_its_line_and_the_nearest_right_one(
    wrong: str, right: str, line: int | None, library: Workspace
) -> None:
    with pytest.raises(CampaignError) as refused:
        matrix_of(plan_file(wrong), library)

    assert right in str(refused.value)
    assert refused.value.line == line
    assert refused.value.where == "plan.toml"


def test_a_task_without_changed_schemas_is_refused_on_one(matrix: Callable[..., Matrix]) -> None:
    with pytest.raises(CampaignError, match="eicu-gcs has no restructured schema"):
        matrix(GROUP.replace("mimic-sirs-24h-raw", "eicu-gcs") + 'schemas = ["native", "restructured"]\n')


def test_a_group_that_chooses_no_task_is_refused(matrix: Callable[..., Matrix]) -> None:
    with pytest.raises(CampaignError, match="chooses no task"):
        matrix(GROUP + 'without = ["mimic-sirs-24h-raw"]\n')


def test_what_two_groups_name_is_run_once_in_one_block(matrix: Callable[..., Matrix]) -> None:
    again = GROUP.replace('["no-skill", "with-skill"]', '["decoy", "no-skill"]')
    made = matrix(GROUP + again)

    assert [set(block.conditions) for block in made.blocks] == [{"no-skill", "with-skill", "decoy"}]


def test_unequal_repeats_and_missing_partners_are_said(matrix: Callable[..., Matrix]) -> None:
    more = GROUP.replace('["no-skill", "with-skill"]', '["with-skill"]') + "repeats = 3\n"

    (unequal,) = matrix(GROUP + more).unbalanced
    (alone,) = matrix(more).unbalanced
    assert "no-skill 1, with-skill 3" in unequal
    assert "without no-skill" in alone


def test_agents_that_run_on_other_tasks_than_others_are_said(library: Workspace) -> None:
    second = '[agents.second]\nagent = "reader"\n'
    more = GROUP.replace("mimic-sirs-24h-raw", "mimic-sofa-24h") + 'agents = ["second"]\n'

    lines = matrix_of(plan_file(second + GROUP + more), library).unbalanced

    assert lines == tuple(
        f"{condition} on the native schema: not the same tasks by every agent (1 by script, 2 by second)"
        for condition in ("no-skill", "with-skill")
    )


def test_families_modes_and_exceptions_choose_tasks(matrix: Callable[..., Matrix], library: Workspace) -> None:
    chosen = 'families = ["sofa", "gcs"]\nmodes = ["raw"]\nwithout = ["mimic-gcs-24h-raw", "eicu-gcs"]'
    made = matrix(GROUP.replace('tasks = ["mimic-sirs-24h-raw"]', chosen))

    assert {cell.task for cell in made.cells} == {"mimic-sofa-24h-raw"}
    assert library.task("mimic-sofa-24h-raw").mode == "raw"


def test_the_seed_decides_the_order_and_nothing_else(matrix: Callable[..., Matrix]) -> None:
    groups = GROUP.replace('tasks = ["mimic-sirs-24h-raw"]\n', "") + "repeats = 2\n"
    one, same, other = (matrix(groups, seed=seed) for seed in (1, 1, 2))

    assert one == same
    assert [block.cell for block in one.blocks] != [block.cell for block in other.blocks]
    assert runs_by(one) == runs_by(other)
    assert [block.replicate for block in one.blocks] == [1] * 28 + [2] * 28
    assert len({block.conditions for block in one.blocks}) == 2


def test_a_block_has_a_name_that_can_be_a_file_whatever_the_model_is_called(library: Workspace) -> None:
    text = plan_text(GROUP, agent="codex").replace("[agents.script]", '[agents.script]\nmodel = "org/model:7b"')
    made = matrix_of(read_plan(text.encode(), Path("plan.toml")), library)

    assert all(block.id.replace("-", "").isalnum() for block in made.blocks)
    assert {cell.model for cell in made.cells} == {"org/model:7b"}


def test_a_plan_says_everything_that_it_lacks_at_once(library: Workspace, tmp_path: Path) -> None:
    text = plan_text(GROUP, agent="codex").replace('sandbox = "local"', 'sandbox = "docker"')
    file = read_plan(text.encode(), Path("plan.toml"))
    nowhere = {"M4REVIEW_DATA": str(tmp_path), "DOCKER_HOST": "unix:///nowhere/engine.sock"}

    said = "\n".join(map(str, lacking(file, matrix_of(file, library), library, nowhere)))

    for word in ("needs a model", "OPENAI_API_KEY", "no Docker engine", "'oracle'"):
        assert word in said

"""Trials on changed schemas: what the agent is told and given, what is recorded, and what is refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from trials_bench import DATASET, SKILL, TASK, run_of

from m4review.ehr import open_dataset
from m4review.ehr.schemas import ChangedSchema, open_schema, rewrite_schema
from m4review.errors import DatasetError, TrialError
from m4review.trials import Condition, TrialSummary, load_run, trial_table
from m4review.trials.records import Inputs
from m4review.trials.runtext import run_lines
from m4review.tui.render.trials import history_text, result_text

SEED = 5
SKILL_ALONE = ("with-skill",)
LOOK = (
    "cp {instruction} {seen}.md; cp $(dirname {database})/data_dictionary.json {seen}.json;"
    " if [ -d {skills} ]; then cat {skills}/*/SKILL.md > {seen}.skill; fi; printf 'stay_id\\n' > {output}"
)


@pytest.fixture(scope="module", autouse=True)
def obfuscated(data_home: Path) -> ChangedSchema:
    dataset = open_dataset(data_home, DATASET)
    rewrite_schema(dataset, "restructured")
    rewrite_schema(dataset, "obfuscated", seed=SEED)
    return open_schema(dataset, "obfuscated", seed=SEED)


@pytest.fixture
def seen(try_script, tmp_path):
    """Tries an agent that only looks around; returns what it saw and the trial."""

    def look(condition: str, **wishes: object) -> tuple[str, str, str, TrialSummary]:
        place = tmp_path / "seen"
        summary = try_script(LOOK.replace("{seen}", str(place)), conditions=(condition,), **wishes)
        texts = [place.with_suffix(suffix) for suffix in (".md", ".json", ".skill")]
        told = [path.read_text(encoding="utf-8") if path.is_file() else "" for path in texts]
        return *told, summary

    return look


def test_the_instruction_names_the_schema_and_its_dictionary_whatever_else_is_given(seen, workspace) -> None:
    card = workspace.task(TASK).instruction.rstrip()
    for condition in ("no-skill", "with-skill"):
        instruction, dictionary, _, _ = seen(condition, schema_name="obfuscated", schema_seed=SEED)
        assert instruction.startswith(card)
        note = instruction.removeprefix(card)
        assert all(said in note for said in ("obfuscated", "`data_dictionary.json`", "/data/data_dictionary.json"))
        assert json.loads(dictionary)["schema"] == "m4review.data-dictionary.v1"
    instruction, dictionary, _, _ = seen("no-skill", schema_name="restructured")
    assert "restructured" in instruction
    assert "icu_episodes" in dictionary


def test_a_skill_is_given_as_written_unless_it_is_to_be_mapped(seen, workspace) -> None:
    written = (workspace.skills_dir / SKILL / "SKILL.md").read_text(encoding="utf-8")
    _, _, given, summary = seen("with-skill", schema_name="obfuscated", schema_seed=SEED)
    (plain,) = run_of(workspace, summary, Condition.WITH_SKILL).inputs.skills
    assert given == written
    assert plain.mapped is None
    _, _, given, summary = seen("with-skill", schema_name="obfuscated", schema_seed=SEED, map_skill=True)
    (mapped,) = run_of(workspace, summary, Condition.WITH_SKILL).inputs.skills
    assert mapped.digest == plain.digest
    assert mapped.mapped not in {None, plain.digest}
    assert not [name for name in ("chartevents", "charttime", "itemid", "220045") if name in given]
    assert given.count("\n") == written.count("\n")
    assert summary.mapped


def test_every_control_runs_on_a_changed_schema_and_the_query_names_its_tables(seen, obfuscated: ChangedSchema) -> None:
    _, _, query, _ = seen("raw-sql", schema_name="obfuscated", schema_seed=SEED)
    changed = {table.relation.name for table in obfuscated.plan.tables}
    assert any(name in query for name in changed)
    assert "mimiciv_" not in query
    _, _, _, summary = seen("operational-spec", schema_name="obfuscated", schema_seed=SEED)
    assert summary.complete


def test_the_reader_finds_nothing_under_other_names_and_something_in_other_tables_when_the_skill_is_mapped(
    try_reader,
) -> None:
    native = try_reader(conditions=SKILL_ALONE)
    obfuscated = try_reader(conditions=SKILL_ALONE, schema_name="obfuscated", schema_seed=SEED)
    written = try_reader(conditions=SKILL_ALONE, schema_name="restructured")
    mapped = try_reader(conditions=SKILL_ALONE, schema_name="restructured", map_skill=True)
    assert native.reward("with-skill") == 1.0
    assert obfuscated.reward("with-skill") == 0.0
    assert written.reward("with-skill") < mapped.reward("with-skill") < 1.0


def test_the_record_names_the_schema_and_what_it_was_made_from(try_reader, workspace, obfuscated) -> None:
    native = try_reader(conditions=SKILL_ALONE)
    summary = try_reader(conditions=SKILL_ALONE, schema_name="obfuscated", schema_seed=SEED, map_skill=True)
    record, before = (run_of(workspace, trial, Condition.WITH_SKILL) for trial in (summary, native))
    inputs = record.inputs
    assert (inputs.schema_name, inputs.schema_seed) == ("obfuscated", SEED)
    assert inputs.schema_digest == obfuscated.digest
    assert inputs.database_digest != before.inputs.database_digest
    assert inputs.reference_digest == before.inputs.reference_digest
    assert (before.inputs.schema_name, before.inputs.schema_digest) == ("native", None)
    said = "obfuscated schema (seed 5), skills mapped"
    assert said in trial_table(summary)
    assert said in result_text(summary).plain
    assert said in history_text([summary]).plain
    assert f"obfuscated seed 5 {obfuscated.digest}" in "\n".join(run_lines(record, []))
    assert "CHANGED SCHEMA" not in trial_table(native)


def test_runs_on_one_schema_never_stand_for_runs_on_another(try_reader) -> None:
    first = try_reader(conditions=SKILL_ALONE, schema_name="restructured", reuse=True)
    again = try_reader(conditions=SKILL_ALONE, schema_name="restructured", reuse=True)
    assert again.order == first.order
    for other in (
        {},
        {"schema_name": "restructured", "map_skill": True},
        {"schema_name": "obfuscated", "schema_seed": SEED},
    ):
        found = try_reader(reuse=True, conditions=SKILL_ALONE, **other)
        assert not found.reused


def test_records_from_before_there_were_schemas_are_read_as_native_and_keep_their_keys(try_reader, workspace) -> None:
    summary = try_reader(conditions=SKILL_ALONE)
    record = run_of(workspace, summary, Condition.WITH_SKILL)
    path = workspace.runs_dir / record.id / "run.json"
    values = json.loads(path.read_bytes())
    for name in ("schema_name", "schema_seed", "schema_digest"):
        del values["inputs"][name]
    for skill in values["inputs"]["skills"]:
        del skill["mapped"]
    path.write_text(json.dumps(values), encoding="utf-8")
    assert load_run(workspace, record.id) == record
    keyed = {**values["inputs"], "skills": [{**skill} for skill in values["inputs"]["skills"]]}
    for skill in keyed["skills"]:
        del skill["version"]
    key = "sha256:" + hashlib.sha256(json.dumps(keyed, sort_keys=True).encode()).hexdigest()
    assert Inputs.model_validate(values["inputs"]).resume_key == key == record.resume_key


def test_a_schema_that_was_not_made_is_named_with_the_command_that_makes_it(try_reader) -> None:
    with pytest.raises(DatasetError, match="the obfuscated schema is not made") as caught:
        try_reader(schema_name="obfuscated", schema_seed=99)
    assert caught.value.fix == f"m4review data schema obfuscated --dataset {DATASET} --seed 99"
    with pytest.raises(TrialError, match="mapped to a changed schema only"):
        try_reader(map_skill=True)

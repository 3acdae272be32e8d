"""An agent that looks for what its task hides: by name, in the catalog, by file, in the bytes of the database."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker
import pytest
from trials_bench import ROOT, make_workspace, write_agent

from m4review.ehr import Dataset, build, synthesise
from m4review.ehr.derivations import load_derivations
from m4review.tasks import load_task
from m4review.trials import TrialRequest, run_trial
from m4review.trials.sandbox.images import build_image
from m4review.workspace import Workspace

pytestmark = pytest.mark.docker

FAMILY, MODES = ROOT / "tasks" / "sofa", {"standard": "mimic-sofa-24h", "raw": "mimic-sofa-24h-raw"}
SCHEMA = "mimiciv_derived"

SCRIPT = """
python3 - <<'E' >&2
import hashlib, json, os
import duckdb
HIDDEN, CONTROLS = json.loads('''@HIDDEN@'''), json.loads('''@CONTROLS@''')
told = {"answered": [], "controls": [], "catalog": [], "globbed": [], "hashes": [], "links": []}
db = duckdb.connect("/data/task.duckdb", read_only=True)

def answers(query):
    try:
        db.execute(query).fetchall()
        return True
    except duckdb.Error:
        return False

def forms(relation):
    schema, name = relation.split(".")
    file = schema + "/" + name + ".parquet"
    yield "SELECT count(*) FROM " + relation
    yield "SELECT count(*) FROM task." + relation
    yield 'SELECT count(*) FROM "' + name + '"'
    yield "DESCRIBE " + relation
    for root in ("/data/tables/", "/data/", "/data/tables/../tables/", "/data/tables/*/../", "/", "/work/"):
        yield "SELECT count(*) FROM read_parquet('" + root + file + "')"
    yield "SELECT count(*) FROM read_parquet('/data/**/" + name + ".parquet')"
    yield "SELECT count(*) FROM '/data/tables/" + schema + "/" + name[:-1] + "?.parquet'"

for relation in HIDDEN:
    told["answered"] += [query for query in forms(relation) if answers(query)]
for relation in CONTROLS:
    told["controls"] += [query for query in forms(relation) if answers(query)]
for query in (
    "SELECT schema_name, view_name, sql, comment, tags::VARCHAR FROM duckdb_views() WHERE NOT internal",
    "SELECT schema_name, table_name, sql, comment, tags::VARCHAR FROM duckdb_tables()",
    "SELECT schema_name, sql, comment, tags::VARCHAR FROM duckdb_schemas() WHERE NOT internal",
    "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal",
    "SELECT table_schema, table_name FROM information_schema.tables",
    "SELECT DISTINCT table_schema, table_name FROM information_schema.columns",
    "SELECT * FROM duckdb_dependencies()",
    "SELECT * FROM duckdb_indexes()",
    "SELECT * FROM duckdb_sequences()",
    "SELECT * FROM duckdb_constraints()",
):
    told["catalog"].append(str(db.execute(query).fetchall()).lower())
for pattern in ("/data/**", "/data/tables/../**", "/task/**", "/work/**", "/home/**", "/tmp/**", "/mnt/**", "/root/**"):
    told["globbed"] += [row[0] for row in db.execute("SELECT file FROM glob(?)", [pattern]).fetchall()]
told["read"] = sorted({row[0] for row in db.execute(
    "SELECT DISTINCT file_name FROM parquet_file_metadata('/data/**/*.parquet')").fetchall()})
told["keys"] = sorted({row[0] for row in db.execute(
    "SELECT DISTINCT decode(key) FROM parquet_kv_metadata('/data/**/*.parquet')").fetchall()})
told["strings"] = open("/data/task.duckdb", "rb").read().decode("latin-1").lower()
for top in sorted(os.listdir("/")):
    if top in {"proc", "sys", "usr", "lib", "lib64", "bin", "sbin", "dev"}:
        continue
    for folder, folders, files in os.walk("/" + top):
        for name in folders + files:
            path = os.path.join(folder, name)
            if os.path.islink(path) and path.startswith(("/data", "/task", "/work")):
                told["links"].append(path)
        for name in files:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.R_OK):
                told["hashes"].append(hashlib.sha256(open(path, "rb").read()).hexdigest())
print("TOLD " + json.dumps(told))
E
exit 0
"""


@dataclass(frozen=True)
class Loot:
    """What the attacker in the container of one mode brought home."""

    dataset: Dataset
    hidden: list[str]
    """Qualified names that the task removes; in raw mode every concept too."""
    told: dict[str, Any] = field(repr=False)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Dataset]:
    home = tmp_path_factory.mktemp("attacked")
    dataset = synthesise(home, "secret", layout="mimic-iv", stays=5, seed=6)
    build(dataset, [load_task(FAMILY / name) for name in MODES.values()])
    return home, dataset


@pytest.fixture(scope="module", params=list(MODES))
def loot(
    request: pytest.FixtureRequest,
    engine: docker.DockerClient,
    attacked: tuple[Path, Dataset],
    tmp_path_factory: pytest.TempPathFactory,
) -> Loot:
    build_image(engine, "reader", lambda line: print(line, file=sys.stderr))
    folder = tmp_path_factory.mktemp("attacker")
    home, dataset = attacked
    card = load_task(FAMILY / MODES[request.param])
    workspace = make_workspace(folder / "workspace")
    shutil.copytree(FAMILY, workspace.root / "tasks" / "sofa")
    for skill in card.skills:
        shutil.copytree(ROOT / "skills" / skill, workspace.root / "skills" / skill, dirs_exist_ok=True)
    concepts = [f"{SCHEMA}.{name}" for name in load_derivations("mimic-iv").concepts]
    hidden = sorted({name.lower() for name in card.removed} | set(concepts if card.mode == "raw" else ()))
    controls = ["mimiciv_icu.icustays", *([f"{SCHEMA}.bg"] if card.mode == "standard" else [])]
    script = SCRIPT.replace("@HIDDEN@", json.dumps(hidden)).replace("@CONTROLS@", json.dumps(controls))
    wish = TrialRequest(task=card.name, dataset="secret", agent=write_agent(folder, script), conditions=("no-skill",))
    summary = run_trial(Workspace(workspace.root), wish, environment={"M4REVIEW_DATA": str(home)})
    said = (workspace.runs_dir / summary.order[-1] / "stderr.txt").read_text()
    line = next((line for line in said.split("\n") if line.startswith("TOLD ")), None)
    assert line is not None, said[-2000:]
    return Loot(dataset, hidden, json.loads(line.removeprefix("TOLD ")))


def test_nothing_of_what_a_task_hides_is_reachable_from_its_container(loot: Loot) -> None:
    told = loot.told
    assert len(loot.hidden) >= 2
    assert told["answered"] == []
    assert "SELECT count(*) FROM mimiciv_icu.icustays" in told["controls"], "the attack works on what is there"
    assert len([query for query in told["controls"] if "read_parquet" in query]) >= 3
    for relation in loot.hidden:
        schema, name = relation.split(".")
        for text in (*told["catalog"], told["strings"]):
            assert f"{schema}/{name}.parquet" not in text
            assert f"'{name}'" not in text
    assert str(loot.dataset.path).lower() not in told["strings"]
    if f"{SCHEMA}.bg" in loot.hidden:
        assert SCHEMA not in "".join(told["catalog"])
        assert SCHEMA not in told["strings"]


def test_the_mounts_hold_the_allowed_files_and_no_others(loot: Loot) -> None:
    told = loot.told
    concepts = {f"{SCHEMA}.{name}" for name in load_derivations("mimic-iv").concepts} - set(loot.hidden)
    allowed = {f"/data/tables/{table.schema_name}/{table.name}.parquet" for table in loot.dataset.tables}
    allowed |= {f"/data/tables/{name.replace('.', '/')}.parquet" for name in concepts}
    assert set(told["read"]) == allowed
    assert {file for file in told["globbed"] if file.endswith(".parquet") and "/../" not in file} == allowed
    assert told["links"] == []
    assert set(told["keys"]) <= {"m4review.digest"}


def test_no_file_is_a_hidden_table_or_a_reference_under_another_name(loot: Loot) -> None:
    files = list((loot.dataset.path / "references").glob("*.parquet"))
    files += [loot.dataset.concept_path(name.split(".")[1]) for name in loot.hidden]
    secrets = {hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()}
    assert len(secrets) >= 3
    assert not secrets & set(loot.told["hashes"])
    shown = hashlib.sha256(loot.dataset.table_path(loot.dataset.tables[0]).read_bytes()).hexdigest()
    assert shown in loot.told["hashes"], "the attacker did look at the mounted files"

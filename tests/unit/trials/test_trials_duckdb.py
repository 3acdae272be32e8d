"""The duckdb command of the agents' image: what scripts use of it works, and errors have an exit code."""

from __future__ import annotations

import json
import subprocess
import sys

import duckdb
import pytest

from m4review.trials.sandbox.recipe import RECIPES

COMMAND = RECIPES / "agent-base" / "duckdb"


def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, COMMAND, *words], input=given, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("shell") / "task.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE SCHEMA icu; CREATE VIEW icu.stays AS SELECT 7 AS stay_id, NULL AS died, 'a,b' AS note"
        )
    return str(path)


def test_a_query_on_a_read_only_database_comes_out_as_csv(database):
    done = run("-readonly", database, "-csv", "-c", "SELECT * FROM icu.stays")
    assert (done.stdout, done.returncode) == ('stay_id,died,note\n7,,"a,b"\n', 0)
    refused = run("-readonly", database, "CREATE TABLE t AS SELECT 1")
    assert refused.returncode == 1
    assert "read-only" in refused.stderr


def test_statements_are_read_from_standard_input_with_dot_commands_between(database):
    done = run(database, given=".mode csv\n.headers off\nSELECT 1;\n.tables\nSELECT\n.5 AS half, 2;\n")
    assert done.stdout == "1\nicu,stays\n0.5,2\n"


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("-json", '[{"a": 1, "b": null}]\n'),
        ("-jsonlines", '{"a": 1, "b": null}\n'),
        ("-list", "a|b\n1|\n"),
        ("-markdown", "| a | b    |\n|---|------|\n| 1 | NULL |\n"),
        ("-line", "a = 1\nb = \n\n"),
    ],
)
def test_each_form_of_output(mode, text):
    done = run(mode, "-c", "SELECT 1 AS a, NULL AS b")
    assert done.stdout == text
    if mode == "-json":
        assert json.loads(done.stdout) == [{"a": 1, "b": None}]


def test_the_default_form_shows_names_and_types_and_changes_say_nothing():
    done = run("-c", "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (41), (42); SELECT max(a) AS most FROM t")
    assert "most" in done.stdout
    assert "42" in done.stdout
    assert "Count" not in done.stdout


def test_an_error_is_told_and_the_rest_still_runs_unless_told_otherwise():
    script = "SELECT * FROM nowhere;\n.mode csv\nSELECT 5 AS five;\n"
    goes_on, stops = run(given=script), run("-bail", given=script)
    assert ("nowhere" in goes_on.stderr, goes_on.stdout, goes_on.returncode) == (True, "five\n5\n", 1)
    assert (stops.stdout, stops.returncode) == ("", 1)


def test_its_version_is_the_module_s_and_an_unknown_option_is_named():
    assert run("-version").stdout.strip() == f"v{duckdb.__version__}"
    done = run("-nosuch")
    assert done.returncode == 1
    assert "-nosuch" in done.stderr

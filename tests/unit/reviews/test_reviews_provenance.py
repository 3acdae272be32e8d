"""The reviewer appendix: generated, complete, safe to print, and silent about what is not shown yet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from reviews_ward import Ward

from m4review.reviews.signing import create_key

Command = Callable[..., tuple[int, str, str]]

FAMILY = """# Family: perfusion

## Source basis

MIMIC-IV v3.1: laboratory results,
as charted.

## Validity audit

| Point | Reference | Consequence |
|---|---|---|
| Limit & unit | above 2 mmol/L | `value` 2.0 is not counted |
"""


@pytest.fixture(autouse=True)
def audited(ward: Ward, keys: Path) -> Ward:
    (ward.root / "tasks/perfusion/family.md").write_text(FAMILY)
    ward.commit("the family's page")
    return ward


def test_the_table_names_pair_scopes_source_digests_and_dates(ward: Ward, m4review: Command) -> None:
    ward.approve("C1", "C4")
    code, out, _ = m4review("provenance")
    subject = ward.status().subject
    assert code == 0
    assert subject is not None
    row = next(line for line in out.splitlines() if "lactate-24h (raw, lactate)" in line)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        "perfusion",
        "lactate-24h (raw, lactate)",
        "C1 + C4",
        "definition, schema, output",
        "MIMIC-IV v3.1: laboratory results, as charted.",
        "approved",
        subject.content[7:19],
        subject.tasks["lactate-24h"][7:19],
        "2098-01-31",
    ]
    assert out.count("As C1") == out.count("As C4") == 1
    assert ward.git("rev-parse", "HEAD").strip() in out
    assert "## Validity audit: perfusion" in out
    assert "| Limit & unit | above 2 mmol/L | `value` 2.0 is not counted |" in out


def test_every_task_has_a_row_before_anybody_judged(ward: Ward, m4review: Command) -> None:
    rows = list(csv.DictReader(io.StringIO(m4review("provenance", "--format", "csv")[1])))
    assert [(row["task"], row["skill"]) for row in rows] == [
        ("shock-48h", "shock"),
        ("lactate-24h", "lactate"),
        ("shock-24h", "shock"),
        ("shock-24h", "lactate"),
    ]
    assert {row["reviewers"] for row in rows} == {""}
    assert rows[1]["assigned"] == "C1 + C4"
    assert rows[0]["source_basis"] == "mimic-iv 3.1"
    assert {row["state"] for row in rows} == {"draft"}


def test_the_assurance_beside_each_signature_is_the_proven_one(ward: Ward, m4review: Command) -> None:
    create_key(ward.workspace, "C1")
    ward.commit("C1 has a key")
    ward.approve("C1", "C4")
    rows = list(csv.DictReader(io.StringIO(m4review("provenance", "--format", "csv")[1])))
    assert rows[1]["assurance"] == "C1 own key | C4 unsigned"
    assert rows[1]["content"] in rows[1]["content"]
    assert len(re.findall(r"sha256:[0-9a-f]{64}", rows[1]["scope_digests"])) == 3


def test_latex_holds_no_bare_special_character(ward: Ward, m4review: Command) -> None:
    ward.say("C1", notes="")
    ward.say("C4", conflict_of_interest="100 % of #1 & $5_000 {x} ~ ^ \\")
    code, out, _ = m4review("provenance", "--format", "tex")
    assert code == 0
    assert r"100 \% of \#1 \& \$5\_000 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}" in out
    body = "\n".join(line for line in out.splitlines() if not line.startswith("%"))
    without_columns = re.sub(r"\\begin\{longtable\}\{.*\}", "", body)
    assert not re.search(r"(?<!\\)[%#$_]", without_columns.replace(r"$\leq$", ""))
    assert body.count(r"\begin{longtable}") == body.count(r"\end{longtable}") == 2
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {8, 2}


def test_markdown_in_a_statement_is_shown_and_not_rendered(ward: Ward, m4review: Command) -> None:
    ward.say("C1", conflict_of_interest="I | wrote *half* of <b>it</b>")
    ward.say("C4")
    assert r"I \| wrote \*half\* of \<b\>it\</b\>" in m4review("provenance")[1]


def test_a_verdict_that_is_not_shown_yet_is_in_no_format(ward: Ward, m4review: Command) -> None:
    ward.say("C1", schema="changes", conflict_of_interest="a cousin")
    for form in ("md", "csv", "tex", "json"):
        out = m4review("provenance", "--format", form, "--as", "C4")[1]
        assert "cousin" not in out
        assert "ask for changes" not in out
        assert "changes requested" not in out
    assert "cousin" in m4review("provenance", "--as", "C1")[1]


def test_exporting_moves_no_digest_and_leaves_the_tree_clean(ward: Ward, m4review: Command) -> None:
    ward.approve("C1", "C4")
    before = ward.status().subject
    for form in ("md", "csv", "tex", "json"):
        assert m4review("provenance", "--format", form)[0] == 0
    assert ward.is_clean()
    assert ward.status().subject == before


def test_json_holds_what_the_tables_hold(ward: Ward, m4review: Command) -> None:
    ward.approve("C1", "C4")
    report = json.loads(m4review("provenance", "--json")[1])
    assert report["schema"] == "m4review.provenance.v1"
    entry = next(entry for entry in report["tasks"] if entry["task"] == "lactate-24h")
    assert [said["actor"] for said in entry["statements"]] == ["C1", "C4"]
    assert entry["statements"][0]["decisions"] == {"definition": "approve", "schema": "approve", "output": "approve"}
    assert report["validity_audits"][0]["header"] == ["Point", "Reference", "Consequence"]


def test_after_an_edit_the_appendix_says_stale(ward: Ward, m4review: Command) -> None:
    ward.approve("C1", "C4")
    ward.edit("above 2", "above 4")
    ward.commit("another threshold")
    rows = list(csv.DictReader(io.StringIO(m4review("provenance", "--format", "csv")[1])))
    assert rows[1]["state"].startswith("stale")
    assert rows[1]["reviewers"] == ""

"""``m4review lint --explain`` and the page of rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from m4review.cli.lint import lint
from m4review.errors import LintFailure
from m4review.lint import rules
from m4review.lint.explaining import FAMILIES, explain, rule_list
from m4review.lint.rulespage import rules_page

PAGE = Path(__file__).parents[3] / "docs" / "lint-rules.md"


@pytest.mark.parametrize("rule", rules())
def test_each_rule_says_what_why_and_what_to_write_instead(rule: str) -> None:
    text = explain(rule)
    for head in ("What was found: ", "Why it matters: ", "Say it instead: ", "If it must stay: "):
        assert head in text
    known = rules()[rule]
    assert " ".join(known.fix.split()) in " ".join(text.split())
    assert ("Refused:" in text) == bool(known.refused)
    assert ("Accepted:" in text) == bool(known.accepted)
    assert text.isprintable() or all(line.isprintable() for line in text.split("\n"))


def test_patients_data_is_said_to_be_beyond_any_waiver() -> None:
    assert "nobody can waive" in explain("patient-row")
    assert "nobody can waive" not in explain("query")


def test_the_list_names_every_rule_once_and_every_family_has_a_text() -> None:
    lines = [line.split()[0] for line in rule_list().split("\n") if line.startswith("  ")]
    assert lines == list(rules())
    assert {rule.family for rule in rules().values()} == set(FAMILIES)


def test_a_mistyped_rule_gets_the_nearest_ones() -> None:
    with pytest.raises(LintFailure, match="patient-row"):
        explain("patients-row")


def test_the_command_explains_one_rule_or_lists_all() -> None:
    one = CliRunner().invoke(lint, ["--explain", "query"])
    assert (one.exit_code, one.output.startswith("query (queries; error")) == (0, True)
    every = CliRunner().invoke(lint, ["--explain"])
    assert (every.exit_code, "removed-table" in every.output) == (0, True)
    mixed = CliRunner().invoke(lint, ["--all", "--explain", "query"])
    assert isinstance(mixed.exception, LintFailure)


def test_the_page_of_rules_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == rules_page(), "run: python -m m4review.lint.rulespage docs/lint-rules.md"

"""Every rule is tested by its own examples."""

from __future__ import annotations

import pytest

from m4review.lint import Example, LintReport, Rule, SourceFile, TaskIndex, lint_files, rules

FRONT = "name: example\ndescription: How to derive an example."
REFUSED = [(rule, example) for rule in rules().values() for example in rule.refused]
ACCEPTED = [(rule, example) for rule in rules().values() for example in rule.accepted]


def lint_example(example: Example) -> LintReport:
    body = example.text if isinstance(example.text, bytes) else example.text.encode("utf-8")
    head = f"---\n{example.front or FRONT}\n---\n".encode()
    files = {"SKILL.md": (head + b"# Example\n", "100644")}
    files[example.path] = (head + body if example.path == "SKILL.md" else body, example.mode)
    return lint_files(
        [
            SourceFile(f"skills/example/{path}", None if mode == "160000" else data, len(data), mode, "skills/example")
            for path, (data, mode) in files.items()
        ],
        TaskIndex(),
    )


def label(value: object) -> str:
    return value.id if isinstance(value, Rule) else repr(getattr(value, "text", value))[:40]


@pytest.mark.parametrize(("rule", "example"), REFUSED, ids=label)
def test_a_rule_finds_its_own_example_and_says_where_and_what_to_do(rule: Rule, example: Example) -> None:
    found = [finding for finding in lint_example(example).findings if finding.rule == rule.id]
    assert found
    for finding in found:
        assert finding.severity == rule.severity
        assert finding.line >= 1
        assert finding.column >= 1
        assert finding.why.endswith(".")
        assert finding.fix
        assert finding.path.startswith("skills/example/")


@pytest.mark.parametrize(("rule", "example"), REFUSED, ids=label)
def test_an_example_breaks_its_own_rule_and_no_other(rule: Rule, example: Example) -> None:
    assert {finding.rule for finding in lint_example(example).findings} == {rule.id}


@pytest.mark.parametrize(("rule", "example"), ACCEPTED, ids=label)
def test_what_clinicians_write_beside_a_rule_breaks_none(rule: Rule, example: Example) -> None:
    assert lint_example(example).findings == ()


def test_every_rule_has_a_reason_a_fix_and_examples() -> None:
    without = {"removed-table-unseen", "missing-skill-file", "result-fingerprint"}  # need tasks, no file, a dataset
    for rule in rules().values():
        assert rule.why
        assert rule.fix
        assert rule.refused or rule.id in without, rule.id

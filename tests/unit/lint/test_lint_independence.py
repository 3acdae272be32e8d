"""Every module of rules runs alone, from the views of a text, and reports nothing but its own rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType

import pytest
from corpus import load

from m4review.lint import (
    LintContext,
    aggregates,
    answers,
    frontmatter,
    hidden,
    instructions,
    program,
    query,
    removed,
    results,
    rows,
    rules,
    solution,
    specification,
    structure,
)
from m4review.lint.rule import Hit, Rule
from m4review.lint.tables import readings
from m4review.lint.views import View, flow_view, plain_view
from m4review.tasks.figures import Figures, hashed

CONTEXT = LintContext()
ALONE: dict[str, tuple[tuple[Rule, ...], Callable[[View], Iterable[Hit]]]] = {
    "query": (query.RULES, lambda plain: query.check_query(flow_view(plain), plain)),
    "program": (program.RULES, lambda plain: program.check_program(plain, flow_view(plain))),
    "removed": (removed.RULES, lambda plain: removed.check_removed(plain, CONTEXT)),
    "answers": (answers.RULES, lambda plain: answers.check_answers(plain, CONTEXT)),
    "rows": (rows.RULES, lambda plain: rows.check_rows(plain, readings(plain))),
    "results": (results.RULES, lambda plain: results.check_results(plain, readings(plain), CONTEXT)),
    "solution": (solution.RULES, solution.check_solution),
    "hidden": ((*hidden.RULES, *instructions.RULES), lambda plain: hidden.check_hidden(plain.text)),
    "instructions": (instructions.RULES, instructions.check_instructions),
    "specification": (specification.RULES, lambda plain: specification.check_specification(plain, CONTEXT)),
    "aggregates": (aggregates.RULES, lambda plain: aggregates.check_aggregates(plain, [_figures_of(plain)])),
    "front matter": (frontmatter.RULES, lambda plain: frontmatter.check_front_matter(plain.text, None, None)),
}


def _figures_of(plain: View) -> Figures:
    """Figures in which three levels that the text names have the counts that it names."""
    levels = {("0", "8120"), ("1", "9033"), ("2", "12904")}
    assert all(count in plain.text for _, count in levels)
    return Figures("salt", {hashed("salt", "level", *level): (0,) for level in levels}, frozenset())


@pytest.mark.parametrize("module", ALONE)
def test_a_module_alone_reports_its_own_rules_and_no_others(module: str) -> None:
    own, check = ALONE[module]
    text = "\n\n".join(text.text for text in load("contaminated"))
    found = {hit.rule for hit in check(plain_view(text))}
    assert found
    assert found <= {rule.id for rule in own}


def test_the_look_of_files_alone_reports_its_own_rules_and_no_others() -> None:
    entries = [
        (example.path, example.mode, example.text if isinstance(example.text, bytes) else example.text.encode())
        for rule in structure.RULES
        for example in rule.refused
    ]
    found = {
        rule
        for path, mode, data in entries
        for rule, _ in structure.check_entry(f"skills/example/{path}", path, mode, data, len(data))
    }
    assert found
    assert found <= {rule.id for rule in structure.RULES}


@pytest.mark.parametrize("module", [aggregates, answers, frontmatter, instructions, specification, structure])
def test_no_two_modules_claim_the_same_rule(module: ModuleType) -> None:
    others = {rule.id for rule in rules().values()} - {rule.id for rule in module.RULES}
    assert len(others) + len(module.RULES) == len(rules())

"""Every module of rules runs alone, from the views of a text, and reports nothing but its own rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from corpus import load

from m4review.lint import LintContext, answers, hidden, instructions, program, query, removed, results, rows, solution
from m4review.lint.rule import Hit, Rule
from m4review.lint.tables import readings
from m4review.lint.views import View, flow_view, plain_view

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
}


@pytest.mark.parametrize("module", ALONE)
def test_a_module_alone_reports_its_own_rules_and_no_others(module: str) -> None:
    own, check = ALONE[module]
    text = "\n\n".join(text.text for text in load("contaminated"))
    found = {hit.rule for hit in check(plain_view(text))}
    assert found
    assert found <= {rule.id for rule in own}

"""All rules together. Whoever only looks for hits need not load it: most texts have none."""

from __future__ import annotations

from functools import cache

from m4review.lint import (
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
    solution,
    specification,
    structure,
)
from m4review.lint.rule import Rule


@cache
def rules() -> dict[str, Rule]:
    """Every rule by id, in the order of the families."""
    families = (
        query,
        program,
        removed,
        answers,
        rows,
        results,
        aggregates,
        solution,
        specification,
        hidden,
        instructions,
        structure,
        frontmatter,
    )
    return {rule.id: rule for family in families for rule in family.RULES}

"""Family *answer-path*: where answers, task internals, earlier runs and published solutions lie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from m4review.lint.answerplaces import DATA, PATTERNS, START, WHEREVER
from m4review.lint.context import LintContext
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Claimed, Hit, Rule, texts
from m4review.lint.views import View


@lru_cache(maxsize=16)
def _reference_files(names: frozenset[str]) -> Pattern:
    listed = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return Pattern(rf"(?<![a-z0-9_])(?:{listed})(?:[_-][\w-]+)?\.{DATA}\b")


GENERIC_REFERENCE = Pattern(rf"{START}(?:mimic|eicu)-[a-z0-9-]+\.(?:csv|parquet|sql)(?:\.gz)?\b")
FORBIDS = Pattern(
    r"\b(?:forbid\w*|prohibit\w*|reject\w*|refus\w*|without|never|must\s+not|do\s+not|don't|no|"
    r"free\s+of)\b[^.;\n]{0,100}\Z"
)
"""A sentence that forbids hidden references speaks of none."""


def check_answers(plain: View, context: LintContext) -> Iterator[Hit]:
    """Paths and addresses that lead to answers."""
    claimed = Claimed()

    def report(rule: str, match: re.Match[str], message: str) -> Iterator[Hit]:
        if claimed.take(*match.span()):
            yield Hit(rule, *plain.raw(*match.span()), message)

    for rule, message, starts, pattern in PATTERNS:
        for match in pattern.matches_at(plain.lower, plain.places(starts)):
            if not (
                match.group().replace(" ", "").isalpha()
                and FORBIDS.search(plain.lower[max(0, match.start() - 120) : match.start()])
            ):
                yield from report(rule, match, message)
    for rule, message, hints, pattern in WHEREVER:
        for match in pattern.finditer(plain.lower) if plain.holds(hints) else ():
            yield from report(rule, match, message)
    named = [(GENERIC_REFERENCE, frozenset(("mimic-", "eicu-")))]
    if context.references:
        names = frozenset(name.lower() for name in context.references)
        named.append((_reference_files(names), frozenset(name.partition("-")[0] for name in names)))
    for name_pattern, openings in named:
        for match in name_pattern.matches_at(plain.lower, plain.places(openings)) if "-" in plain.lower else ():
            yield from report("answer-path", match, "the file of a hidden reference")


RULES = (
    Rule(
        "answer-path",
        "answer-path",
        "error",
        "Whoever knows where the expected answer lies can copy it instead of deriving it.",
        "Leave the path out. Cite the paper or guideline (a DOI is fine) that the rule comes from.",
        refused=texts(
            "Compare with /tests/expected.csv.",
            "The result is in ground_truth/sofa.csv.",
            "See expected/mimic-sofa-24h.csv.gz for the answer.",
            "Check against `oracle_sql` first.",
            "Load sofa_expected.parquet.",
        ),
        accepted=texts(
            "There is no ground truth for sepsis; chart review is the reference standard.",
            "Folders such as transcripts/ and scripts/ are not needed. See https://doi.org/10.1001/jama.2016.0287.",
            "Write `/work/output.csv`. The column list is in data_dictionary.json.",
            "Laboratory tests/cultures and reference/normal ranges differ between sites.",
            "See references/definitions.md for the wording of the guideline.",
        ),
    ),
    Rule(
        "task-internal",
        "answer-path",
        "error",
        "Files of the checks or of the task card are not what a clinician teaches; they tell how the answer is judged.",
        "Describe the variable itself.",
        refused=texts(
            "Look into tests/test_outputs.py.", "The columns are in task.toml.", "See .m4review/data/references."
        ),
        accepted=texts("The task asks for one row per stay.", "Run the tests of hearing and vision."),
    ),
    Rule(
        "earlier-run",
        "answer-path",
        "error",
        "An earlier answer is an answer.",
        "Describe how to derive the variable from the source data.",
        refused=texts("Copy benchmark/results/2025/output.csv.", "Use the previous run's output."),
        accepted=texts("The previous admission's result counts when it lies within seven days.", "Write output.csv."),
    ),
    Rule(
        "upstream-solution",
        "answer-path",
        "error",
        "The address leads to a finished query or program for this variable.",
        "Cite the publication that defines the variable; do not point to code.",
        refused=texts(
            "See https://github.com/MIT-LCP/mimic-code/blob/main/mimic-iv/concepts/score/sofa.sql.",
            "Adapt mimic-iv/concepts_duckdb/score/sofa.sql.",
            "Run `scripts/sofa.sql`.",
        ),
        accepted=texts(
            "KDIGO guideline: https://kdigo.org/guidelines/acute-kidney-injury/ and doi:10.1038/kisup.2012.1.",
            "The MIMIC code repository's concepts follow the same definition.",
        ),
    ),
)

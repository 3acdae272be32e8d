"""Family *results*: counts, means and distributions of the output that a task asks for.

Published figures ("mortality was 20 % at 7–9 points") are literature and may be cited. What gives an answer away is a
figure that is said to belong to the expected output, or a table of the task's own columns with numbers under it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from m4review.lint.context import LintContext
from m4review.lint.resultfigures import check_figures
from m4review.lint.resulttables import check_result_tables
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import View


def check_results(plain: View, tables: Iterable[View], context: LintContext) -> Iterator[Hit]:
    """Figures of the expected output. ``tables``: the readings of ``plain`` in which tables stand in lines."""
    yield from check_figures(plain, context)
    yield from check_result_tables(plain, tables, context)


RULES = (
    Rule(
        "result-figures",
        "results",
        "error",
        "A count, mean or distribution of the expected output lets a run tune its answer until the figure fits.",
        "Leave the figure out. A published figure may be cited with its source.",
        refused=texts(
            "The reference output has 73,181 rows.",
            "In the expected result 41 % of stays reach stage 1.",
            "The correct answer has a mean of 4.87.",
            "Score 0: 1203 stays, score 1: 5410 stays, score 2: 8120 stays.",
        ),
        accepted=texts(
            "Expected output: one row per stay and hour; 24 rows per day.",
            "The dataset holds 94,458 ICU stays; in the derivation study mortality was 20 % at 7–9 points.",
            "Reference range 4000–11000/µL; results are compared with a tolerance of 0.01.",
        ),
    ),
    Rule(
        "result-table",
        "results",
        "error",
        "A table of the output's columns with numbers under it is a piece of the answer.",
        "Describe each column in words: meaning, unit, range.",
        refused=texts(
            "| aki_stage | count |\n|---|---|\n| 0 | 41,234 |\n| 1 | 9,821 |\n| 2 | 14,210 |",
            "sofa_24hours,n_stays\n0,1203\n1,5410\n2,8120",
        ),
        accepted=texts(
            "| Points | Published mortality (%) |\n|---|---|\n| 0 | 3 |\n| 1 | 7 |\n| 2 | 20 |",
            "| aki_stage | meaning |\n|---|---|\n| 1 | mild |\n| 2 | moderate |\n| 3 | severe |",
            "| age_score | count from (years) |\n|---|---|\n| 0 | 18 |\n| 1 | 50 |\n| 2 | 60 |",
        ),
    ),
)

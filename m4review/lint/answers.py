"""Family *answer-path*: where answers, task internals, earlier runs and published solutions lie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from m4review.lint.context import LintContext
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import View

DATA = r"(?:csv|tsv|parquet|json|jsonl|sql|feather|arrow|xlsx?|dta|rds|pkl|duckdb|db|txt)(?:\.(?:gz|zst|bz2|zip))?"
START = r"(?<![a-z0-9_])"

PATTERNS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (rule, message, re.compile(pattern))
    for rule, message, pattern in (
        (
            "answer-path",
            "the place of a hidden reference",
            rf"{START}ground[_]truths?\b|{START}groundtruths?\b|{START}ground[- ]truths?\s*[/\\]|{START}ground[- ]truths?\.{DATA}",
        ),
        (
            "answer-path",
            "the place of a hidden reference",
            rf"{START}(?:expected|reference|oracle|answers?|truth|gold(?:en)?|labels?|solutions?|hidden|target)(?:[_-](?:outputs?|results?|answers?|values?|labels?|sql|quer(?:y|ies)|data|rows?))?[/\\](?:[\w.*{{}}<>-]+[/\\])*[\w.*{{}}<>-]+\.{DATA}\b",
        ),
        (
            "answer-path",
            "the place of a hidden reference",
            rf"{START}(?:expected|reference|oracle|answers?|truth|gold(?:en)?|solutions?)(?:[_-][\w-]+)?\.{DATA}\b",
        ),
        (
            "answer-path",
            "the place of a hidden reference",
            rf"{START}[\w-]+[_-](?:expected|reference|oracle|answers?|truth|gold|solution|gt)\.{DATA}\b",
        ),
        (
            "answer-path",
            "the place of a hidden reference",
            rf"{START}(?:expected|oracle|answer|truth|gold)_(?:outputs?|results?|answers?|table|rows?|file|path|dir|csv)\b|{START}oracle_sql\b",
        ),
        (
            "answer-path",
            "the place of a hidden reference",
            r"(?<![\w.~-])/(?:tests?|solutions?|oracle|expected|answers?|references?|ground[_-]?truth|verifier|grader)(?:/|\b(?![-\w]))(?!\s*(?:or|and)\b)(?:[\w.*-]+)?",
        ),
        (
            "task-internal",
            "a file that belongs to the task's checks",
            rf"{START}(?:test_outputs?|test_task|test_results?|conftest|evaluate|grader?|score_output|compare)\.py\b|{START}(?:solve|solution|oracle|run_tests|run-tests)\.(?:sh|py|sql|r|jl|ipynb)\b",
        ),
        (
            "task-internal",
            "a file that belongs to the task's checks",
            rf"{START}tests?[/\\](?:[\w-]+[/\\])*(?:[\w-]*test[\w-]*\.(?:py|sh)|[\w-]+\.{DATA})\b|/logs/(?:verifier|agent)\b|{START}reward\.(?:txt|json)\b",
        ),
        (
            "task-internal",
            "a file of the task card",
            rf"{START}task\.toml\b|{START}tasks/[\w-]+/[\w-]+/|{START}internal_taskcards?\b|{START}(?:skills-rawsql|skills-nosql|skills-decoy|agent[_-]databases?)\b|{START}operational-spec\.md\b",
        ),
        (
            "task-internal",
            "a file of this workbench",
            rf"{START}m4review[/\\](?:ehr|trials|scoring)[/\\]|{START}(?:ehr|m4review)/(?:references|concepts)\b|\.m4review(?:[/\\]|\b)",
        ),
        (
            "earlier-run",
            "the output of an earlier run",
            rf"{START}(?:benchmark|bench|campaigns?|evaluation|eval)[/\\](?:results?|runs?|ground_truth|tasks|oracle_sql|lib|harness|internal_taskcards|release|outputs?|traces?)\b",
        ),
        (
            "earlier-run",
            "the output of an earlier run",
            rf"{START}(?:runs?|trials?|trajectories|traces?|jobs)[/\\](?:[\w.:-]+[/\\])*(?:[\w.-]+\.{DATA}|[0-9a-hjkmnp-tv-z]{{26}}\b)|{START}(?:run|trial)\.json\b",
        ),
        (
            "earlier-run",
            "the output of an earlier run",
            r"\b(?:previous|prior|earlier|last|other|another|successful|best)\s+(?:agent(?:'?s)?\s+)?(?:run|trial|attempt)(?:'?s)?\s+(?:output|answer|result|solution|csv|submission)s?\b",
        ),
        (
            "upstream-solution",
            "the address of published solutions",
            r"(?:github|gitlab|bitbucket|codeberg)\.(?:com|org)[/:](?:mit-lcp|hannesill|alistairewj|yuxiwei|microsoft/mimic)[\w./-]*|raw\.githubusercontent\.com/\S+|gist\.github(?:usercontent)?\.com/\S+",
        ),
        (
            "upstream-solution",
            "the address of published solutions",
            r"https?://\S+?\.(?:sql|py|r|rmd|ipynb|jl|do|sas|scala)(?=[\s)\"'>\]?#.,;]|\Z)|https?://(?:www\.)?(?:github|gitlab|kaggle|huggingface)\.\S+/(?:blob|raw|tree|resolve|notebooks?)/\S+",
        ),
        (
            "upstream-solution",
            "the path of published solutions",
            r"(?<![\w])(?:mimic|eicu)-(?:code|iv|iii)/(?:mimic-iv/|mimic-iii/)?(?:concepts\w*|buildmimic|notebooks)(?:/\S*)?|\bconcepts(?:_duckdb|_postgres|_bigquery|_spark)?/(?:[\w-]+/)*[\w-]+\.sql\b|\bmimic_utils\b",
        ),
        ("upstream-solution", "a bundled query or program", rf"{START}(?!skill\b)[\w-]+\.(?:sql|ipynb|pyspark)\b"),
    )
)


@lru_cache(maxsize=16)
def _reference_files(names: frozenset[str]) -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![a-z0-9_])(?:{listed})(?:[_-][\w-]+)?\.{DATA}\b")


GENERIC_REFERENCE = re.compile(rf"{START}(?:mimic|eicu)-[a-z0-9-]+\.(?:csv|parquet|sql)(?:\.gz)?\b")


def check_answers(plain: View, context: LintContext) -> Iterator[Hit]:
    """Paths and addresses that lead to answers."""
    seen: list[tuple[int, int]] = []

    def report(rule: str, match: re.Match[str], message: str) -> Iterator[Hit]:
        if not any(match.start() < end and start < match.end() for start, end in seen):
            seen.append(match.span())
            yield Hit(rule, *plain.raw(*match.span()), message)

    for rule, message, pattern in PATTERNS:
        for match in pattern.finditer(plain.lower):
            yield from report(rule, match, message)
    named = [GENERIC_REFERENCE]
    if context.references:
        named.append(_reference_files(frozenset(name.lower() for name in context.references)))
    for pattern in named:
        for match in pattern.finditer(plain.lower):
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

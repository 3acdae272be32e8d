"""How the places of answers, checks, earlier runs and published solutions are written."""

from __future__ import annotations

from m4review.lint.pattern import Pattern

DATA = r"(?:csv|tsv|parquet|json|jsonl|sql|feather|arrow|xlsx?|dta|rds|pkl|duckdb|db|txt)(?:\.(?:gz|zst|bz2|zip))?"
START = r"(?<![a-z0-9_])"
HIDDEN = "the place of a hidden reference"
CHECKS = "a file that belongs to the task's checks"
CARD = "a file of the task card or of this workbench"
RUN = "the output of an earlier run"
SOLUTION = "the address of published solutions"
KIND = r"(?:expected|reference|oracle|answers?|truth|gold(?:en)?|labels?|solutions?|hidden|target)"
KEPT = r"(?:expected|reference|oracle|answers?|truth|gold(?:en)?|solutions?)"
WHAT = r"(?:[_-](?:outputs?|results?|answers?|values?|labels?|sql|quer(?:y|ies)|data|rows?))?"
ANSWER_WORDS = ("expected", "reference", "oracle", "answer", "truth", "gold", "label", "solution", "hidden", "target")
PATTERNS: tuple[tuple[str, str, tuple[str, ...], Pattern], ...] = tuple(
    (rule, message, starts, Pattern(pattern))
    for rule, message, starts, pattern in (
        (
            "answer-path",
            HIDDEN,
            ("ground",),
            rf"{START}ground_truths?\b|{START}groundtruths?\b|{START}ground[- ]truths?\s*[/\\]|"
            rf"{START}ground[- ]truths?\.{DATA}",
        ),
        (
            "answer-path",
            HIDDEN,
            ANSWER_WORDS,
            rf"{START}{KIND}{WHAT}[/\\](?:[\w.*{{}}<>-]{{1,80}}[/\\]){{0,12}}[\w.*{{}}<>-]{{1,80}}\.{DATA}\b",
        ),
        ("answer-path", HIDDEN, ANSWER_WORDS, rf"{START}{KEPT}(?:[_-][\w-]+)?\.{DATA}\b"),
        (
            "answer-path",
            HIDDEN,
            (*ANSWER_WORDS, "gt."),
            rf"(?<=[a-z0-9][_-])(?:expected|reference|oracle|"
            rf"answers?|truth|gold|solution|gt)\.{DATA}\b",
        ),
        (
            "answer-path",
            HIDDEN,
            tuple(f"{word}_" for word in ("expected", "oracle", "answer", "truth", "gold")),
            rf"{START}(?:expected|oracle|answer|truth|gold)_(?:outputs?|results?|answers?|table|rows?|"
            rf"file|path|dir|csv)\b",
        ),
        ("answer-path", HIDDEN, ("oracle_sql",), r"oracle_sql\b"),
        (
            "answer-path",
            HIDDEN,
            tuple(f"/{word}" for word in (*ANSWER_WORDS, "test", "ground", "verifier", "grader")),
            r"(?<![\w.~-])/(?:tests?|solutions?|oracle|expected|answers?|references?|ground[_-]?truth|verifier|"
            r"grader)"
            r"(?:/|\b(?![-\w]))(?!\s*(?:or|and)\b)(?:[\w.*-]+)?",
        ),
        (
            "task-internal",
            CHECKS,
            ("test_", "conftest.", "evaluate.", "grade", "score_output.", "compare."),
            rf"{START}(?:test_\w{{1,40}}|conftest|evaluate|grader?|score_output|compare)\.py\b",
        ),
        (
            "task-internal",
            CHECKS,
            ("solve.", "solution.", "oracle.", "run_tests.", "run-tests."),
            rf"{START}(?:solve|solution|oracle|run_tests|run-tests)\.(?:sh|py|sql|r|jl|ipynb)\b",
        ),
        (
            "task-internal",
            CHECKS,
            ("test/", "tests/", "test\\", "tests\\"),
            rf"{START}tests?[/\\](?:[\w-]{{1,80}}[/\\]){{0,12}}(?:[\w-]{{0,80}}test[\w-]{{0,80}}\.(?:py|sh)|[\w-]{{1,80}}\.{DATA})\b",
        ),
        ("task-internal", CHECKS, ("/logs/", "reward."), r"/logs/(?:verifier|agent)\b|\breward\.(?:txt|json)\b"),
        (
            "task-internal",
            CARD,
            ("task.toml", "tasks/", "internal_taskcard", "skills-", "agent_", "agent-", "operational-spec."),
            rf"{START}task\.toml\b|{START}tasks/[\w-]+/[\w-]+/|{START}internal_taskcards?\b|"
            rf"{START}skills-(?:rawsql|nosql|decoy)\b|"
            rf"{START}agent[_-]databases?\b|{START}operational-spec\.md\b",
        ),
        (
            "task-internal",
            CARD,
            ("m4review", ".m4review", "ehr/"),
            rf"{START}m4review[/\\](?:ehr|trials|scoring)[/\\]|{START}ehr/(?:references|concepts)\b|\.m4review\b",
        ),
        (
            "earlier-run",
            RUN,
            ("bench", "campaign", "eval"),
            rf"{START}(?:benchmark|bench|campaigns?|evaluation|eval)[/\\]"
            r"(?:results?|runs?|ground_truth|tasks|oracle_sql|lib|harness|internal_taskcards|release|"
            r"outputs?|traces?)\b",
        ),
        (
            "earlier-run",
            RUN,
            ("run", "trial", "trajectories", "trace", "jobs"),
            rf"{START}(?:runs?|trials?|trajectories|traces?|jobs)[/\\](?:[\w.:-]{{1,80}}[/\\]){{0,12}}"
            rf"(?:[\w.-]{{1,80}}\.{DATA}|[0-9a-hjkmnp-tv-z]{{26}}\b)|{START}(?:run|trial)\.json\b",
        ),
        (
            "earlier-run",
            RUN,
            ("previous", "prior", "earlier", "last", "other", "another", "successful", "best"),
            r"\b(?:previous|prior|earlier|last|other|another|successful|best)\s+(?:agent(?:'?s)?\s+)?"
            r"(?:(?:run|attempt)(?:'?s)?\s+(?:output|answer|result|solution|csv|submission)s?|"
            r"(?:run|attempt)s?\s+(?:has\s+|had\s+)?(?:left|wrote|produced|saved|stored)|"
            r"trial(?:'?s)?\s+(?:output|answer|solution|csv|submission)s?)\b",
        ),
        (
            "earlier-run",
            RUN,
            ("run", "trial", "attempt", "try", "tries", "campaign", "submission", "reward", "trace"),
            r"\b(?:runs?|trials?|attempts?|tr(?:y|ies)|campaigns?|submissions?)\b[^.;\n]{0,120}?\b(?:"
            r"rewards?\s*(?:of|was|is|went|rose|fell|got|[=:(01])|graders?|scorer|match\s+rate|leaderboard|codex|"
            r"claude|gemini|gpt-?\d)\b|"
            r"\brewards?\s+(?:(?:of|was|is|rose|went|fell|dropped|to|from|=|:|at)\s*){0,3}[01]\.\d|"
            r"\btraces?\s+(?:of|from)\s+(?:the|a|an|our|my)\s+(?:last|previous|earlier|best|successful|first)\s+"
            r"(?:run|attempt|trial|agent)",
        ),
        (
            "task-internal",
            CHECKS,
            ("the", "its", "this", "that", "full", "maximum", "partial", "perfect"),
            r"\b(?:the|its|this|that)\s+(?:hidden\s+)?(?:auto-?)?(?:grader|verifier|checker|scorer|"
            r"scoring\s+(?:script|"
            r"code|program)|"
            r"evaluation\s+(?:script|code|harness)|test\s+(?:suite|script|harness))\s+(?:reads?|checks?|expects?|"
            r"compares?|"
            r"gives?|wants?|accepts?|uses?|counts?|rounds?|ignores?|tolerates?|looks?|requires?|only|will|does)\b|"
            r"\b(?:full|maximum|partial|perfect)\s+(?:reward|marks|credit)\b",
        ),
        (
            "earlier-run",
            RUN,
            ("previous", "prior", "earlier", "last", "first", "second", "best", "my", "our"),
            r"\b(?:previous|prior|earlier|last|first|second|best|my|our)\s+(?:(?:previous|last|earlier|own|"
            r"agent'?s?)\s+){0,2}(?:(?:run|attempt)\b[^.;\n]{0,80}?\b(?:the\s+agent\s+(?:took|used|wrote|chose|"
            r"missed|"
            r"forgot|answered|read|joined|got)|(?:we|i|which|and|run)\s+scored|(?:scored|matched)\s+(?:[01]?\.\d|"
            r"\d{1,3}\s?%|all\b|every\b))|transcripts?\s+(?:shows?|says?|has|had|gives?|gave|ended|reads?)\b|"
            r"(?:transcripts?|trajector(?:y|ies)|traces?)\s+(?:of|from)\s+(?:the|an?|my|our)\s+(?:\w+\s+)?(?:run|"
            r"agent|"
            r"attempt)\b)",
        ),
        (
            "earlier-run",
            RUN,
            (
                *("run", "attempt", "trial", "try", "log", "transcript", "trace", "answer", "submission"),
                *("previous", "earlier", "another", "prior", "other", "last", "best"),
            ),
            r"\b(?:previous|earlier|another|prior|other|last|best)\s+agents?\s+(?:has\s+|have\s+)?(?:solved|scored|"
            r"answered|wrote|"
            r"submitted|computed|did\s+(?:this|it|so))\b|\b(?:runs?|attempts?|logs?|transcripts?|traces?|answers?|"
            r"submissions?)\b[^.;\n]{0,100}?\bthe\s+agent\s+(?:got|took|"
            r"rounded|used|wrote|chose|missed|forgot|answered|read|joined|counted|put|made|ran|returned|failed|"
            r"passed)\b|"
            r"\battempts?\b[^.;\n]{0,20}?\bthe\s+(?:answer|submission|query)\b|"
            r"\b(?:runs?|trials?|attempts?|try)\s+#?\d{1,4}\b(?:[^.;\n]|\.\d){0,60}?\b(?:passed|scored|matched|"
            r"the\s+(?:agent|model)\s+(?:got|had|"
            r"reached|failed|returned|rounded|wrote|took|used))\b",
        ),
        (
            "task-internal",
            CHECKS,
            ("pass", "satisf", "fool", "survive", "fail"),
            r"\b(?:pass(?:es|ed|ing)?|satisf(?:y|ies)|fool|survives?|fail(?:s|ed)?)\s+(?:the|all|every|its|this|"
            r"that)\s+"
            r"(?:(?:hidden|automatic)\s+(?:checks?|tests?|evaluation)|checkers?|graders?|verifiers?|validators?|"
            r"test\s+suite|unit\s+tests?|scorer)\b",
        ),
        (
            "task-internal",
            CHECKS,
            ("test", "grader", "verifier", "evaluation", "solution", "answer", "oracle", "expected", "hidden"),
            r"(?<=\bthe )(?:hidden\s+)?(?:tests?|grader|verifier|evaluation|solutions?|answers?|oracle|expected)\s+"
            r"(?:folder|director(?:y|ies))\b",
        ),
        (
            "answer-path",
            HIDDEN,
            ("hidden", "secret", "$", "reference"),
            r"\b(?:hidden|secret)\s+(?:references?|answers?|labels?|rubrics?|ground\s+truth|solutions?|sql|quer(?:y|"
            r"ies))\b|"
            r"\$\{?(?:[a-z]{1,20}_)?(?:reference|expected|ground_?truth|gold|oracle|answers?)(?:_\w{1,30})?\b|"
            r"\breference\s+(?:sql|quer(?:y|ies))\b",
        ),
        (
            "upstream-solution",
            SOLUTION,
            ("github.", "gitlab.", "bitbucket.", "codeberg.", "raw.githubusercontent.", "gist.github"),
            r"(?:github|gitlab|bitbucket|codeberg)\.(?:com|org)[/:](?:mit-lcp|hannesill|alistairewj|"
            r"yuxiwei|microsoft/mimic)"
            r"[\w./-]*|raw\.githubusercontent\.com/\S+|gist\.github(?:usercontent)?\.com/\S+",
        ),
        (
            "upstream-solution",
            SOLUTION,
            ("http",),
            r"https?://\S+?\.(?:sql|py|r|rmd|ipynb|jl|do|sas|scala)(?=[\s)\"'>\]?#.,;]|\Z)|"
            r"https?://(?:www\.)?(?:github|gitlab|kaggle|huggingface)\.\S+/(?:blob|raw|tree|resolve|notebooks?)/\S+|"
            r"https?://(?:www\.)?(?:kaggle\.com/(?:code|kernels)|colab\.research\.google\.com|nbviewer\.org)/\S+",
        ),
        (
            "upstream-solution",
            SOLUTION,
            ("mimic-", "eicu-", "concepts", "mimic_utils"),
            r"(?<![\w])(?:mimic|eicu)-(?:code|iv|iii)/(?:mimic-iv/|mimic-iii/)?(?:concepts\w*|"
            r"buildmimic|notebooks)(?:/\S*)?|"
            r"\bconcepts(?:_duckdb|_postgres|_bigquery|_spark)?/(?:[\w-]{1,80}/){0,12}[\w-]{1,80}\.sql\b|"
            r"\bmimic_utils\b",
        ),
    )
)
"""(rule, message, literals of which one opens each match, pattern); on the plain view in lower case."""
WHEREVER: tuple[tuple[str, str, tuple[str, ...], Pattern], ...] = (
    (
        "earlier-run",
        RUN,
        tuple(f"{slash}{word}" for slash in "/\\" for word in ("output", "answer", "submission", "prediction")),
        Pattern(
            r"(?<![\w-])(?:[\w.-]{1,80}[/\\]){0,6}(?:runs?|results?|trials?|attempts?|with-skill|no-skill)[-_]?\d{0,6}[/\\]"
            r"(?:[\w.-]{1,80}[/\\]){0,4}(?:outputs?|answers?|submissions?|predictions?)\.(?:csv|parquet)\b"
        ),
    ),
    (
        "upstream-solution",
        "a bundled query or program",
        (".sql", ".ipynb"),
        Pattern(r"(?<![\w./-])[\w./-]{1,80}\.(?:sql|ipynb)\b"),
    ),
)
"""The same for matches that begin with any path; the literals are some of which one must occur."""

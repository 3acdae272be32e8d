"""Signals of the shell and of Perl and awk one-liners."""

from __future__ import annotations

from m4review.lint.rule import words
from m4review.lint.signals import Signal, after, at, leading

FILE = r"[\w./*~-]{1,80}\.(?:csv|tsv|parquet|jsonl?|gz|txt|sql|db|duckdb)\b"

SIGNALS = (
    Signal(
        "shell loop", ("for", "while"), at(r"(?:for[ \t]+\w+[ \t]+in|while)[ \t]+[^\n;]{1,60};[ \t]*do\b", 4.0), 0.5
    ),
    Signal(
        "shell",
        ("head", "tail", "cat", "less", "wc", "sort", "zcat", "ls", "tac", "nl"),
        at(rf"\w+[ \t]+(?:-\S{{1,20}}[ \t]+(?:\d+[ \t]+)?){{0,3}}{FILE}", 4.0),
        0.5,
    ),
    Signal("shell", ("curl", "wget"), at(r"(?:curl|wget)[ \t]+(?:-\S{1,20}[ \t]+){0,4}[\"']?https?://", 4.0), 0.5),
    Signal("shell", ("pip", "pip3", "conda", "npm", "apt"), at(r"\w+[ \t]+install[ \t]+[\w-]", 3.0), 0.5),
    Signal("shell", ("bash", "sh"), after(r"\|[ \t]*(?:sudo[ \t]+)?", r"(?:ba)?sh\b", 3.0), 0.5),
    Signal("shell", ("git",), at(r"git[ \t]+(?:show|clone|checkout|log|diff|pull|cat-file)[ \t]+[\w.:/~-]", 4.0), 0.5),
    Signal("shell", ("chmod", "sudo", "rm"), at(r"(?:chmod[ \t]+[+\d]|sudo[ \t]+\w|rm[ \t]+-[rf])", 4.0), 0.5),
    Signal(
        "perl", ("my", "our", "foreach"), at(r"(?:foreach[ \t]+)?(?:my|our)[ \t]+\(?[$@%][a-z_]\w*\s*[=;,()]", 2.5), 0.6
    ),
    Signal(
        "shell",
        ("duckdb", "sqlite3", "psql", "bq", "mysql", "clickhouse"),
        at(
            r"(?:duckdb|sqlite3|psql|bq|mysql|"
            r"clickhouse)[ \t]+(?:-[\w-]+[ \t]+)*[^\n]{0,80}(?:-c[ \t]*[\"']|[\"']\s*(?:select|copy|"
            r"from|with)\b|<[ \t]*\w+\.sql|query[ \t]+[\"'-])",
            4.0,
        ),
        0.5,
    ),
    Signal(
        "shell",
        ("python", "python3", "rscript", "julia", "perl", "bash", "sh"),
        at(
            r"(?:python3?|rscript|julia|perl|bash|sh)[ \t]+(?:-[ce][ \t]+[\"']|-m[ \t]+[a-z_][\w.]*(?:[ \t]|\n|`|"
            r"\Z)|[\w./-]+\.(?:py|r|jl|pl|sh)\b)",
            4.0,
        ),
        0.5,
    ),
    Signal(
        "powershell",
        words("content csv object json item childitem host webrequest restmethod table"),
        after(
            r"(?<![\w-])(?:get|set|add|import|export|convertfrom|convertto|where|foreach|select|measure|sort|group|"
            r"out|invoke|"
            r"new|write|format|compare)-",
            r"\w+",
            2.5,
        ),
        0.7,
    ),
    Signal("shell", ("cut",), at(r"cut[ \t]+-[dfc]\S+[ \t]+(?:-|[\w./*]+\.)", 4.0), 0.5),
    Signal("shell", ("uniq",), at(r"uniq[ \t]+-\w\b", 3.0), 0.5),
    Signal(
        "shell",
        ("grep", "zgrep", "sed"),
        at(r"(?:z?grep|sed)[ \t]+(?:-\S+[ \t]+)*\S+[ \t]+[\w./*-]+\.[ct]sv\b", 4.0),
        0.5,
    ),
    Signal("shell", ("mlr",), at(r"mlr[ \t]+(?:--?[\w-]+[ \t]+)+\w", 4.0), 0.5),
    Signal(
        "awk",
        ("awk", "gawk"),
        at(r"(?:awk|gawk)[ \t]+(?:-\S*[ \t]+(?:[^\s'][ \t]+)?){0,3}'[^'\n]{0,300}[{$]", 4.0),
        0.5,
    ),
    Signal(
        "shell",
        ("awk", "gawk", "mlr", "csvsql", "csvcut", "xsv", "zcat", "qsv"),
        at(r"(?:awk|gawk|mlr|csvsql|csvcut|xsv|qsv|zcat)[ \t]+(?:-[\w-]+|['\"{]|[\w./-]+\.csv)", 3.5),
        0.5,
    ),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    ("->{", Signal("perl", (), after(r"[\w\]})]", r"->\{\s*['\w$]", 2.5), 0.6)),
    ("{$", Signal("perl", (), after(r"[$@%]", r"\{\s*\$\w", 2.0), 0.6)),
    ("#!", Signal("shell", (), leading(r"#!\s*/", 4.0), 0.5)),
)

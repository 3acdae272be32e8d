"""The page ``docs/lint-rules.md``, made from the rules themselves: ``python -m m4review.lint.rulespage FILE``."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from m4review.lint.explaining import FAMILIES
from m4review.lint.output import printable
from m4review.lint.rule import Example, Rule
from m4review.lint.ruleset import rules

HEAD = """# Rules of the lint

Made from the rules by `python -m m4review.lint.rulespage docs/lint-rules.md`; a test keeps it current. How the lint
works is told in [lint.md](lint.md). *error* blocks a version, *warning* is shown and allowed.
"""
SHOWN = 3
"""Examples of each kind per rule; ``m4review lint --explain RULE`` shows all."""


def rules_page() -> str:
    """The whole page: a table of all rules, then each family with its examples."""
    parts = [HEAD, _table(), ""]
    for name, members in groupby(rules().values(), key=lambda rule: rule.family):
        family = FAMILIES[name]
        parts += [f"## {family.title}", "", family.finds, "", family.matters, ""]
        for rule in members:
            parts += _section(rule)
    return "\n".join(parts).rstrip("\n") + "\n"


def _table() -> str:
    rows = [
        f"| `{rule.id}` | {FAMILIES[rule.family].title.lower()} | {rule.severity} | {_cell(rule.why)} |"
        for rule in rules().values()
    ]
    return "\n".join(["| rule | family | severity | why |", "|---|---|---|---|", *rows])


def _section(rule: Rule) -> list[str]:
    parts = [f"### `{rule.id}`", "", f"{rule.why} *Instead:* {rule.fix}", ""]
    for head, examples in (("Refused", rule.refused), ("Accepted", rule.accepted)):
        if examples:
            parts += [f"{head}:", ""]
            for example in examples[:SHOWN]:
                parts += [*_fence(example), ""]
    return parts


def _fence(example: Example) -> list[str]:
    text = example.text if isinstance(example.text, str) else f"({len(example.text):,} bytes)"
    if example.front is not None:
        text = f"---\n{example.front}\n---\n{text}"
    if len(text) > 400:
        text = f"{text[:150]} … ({len(text):,} characters)"
    lines = [printable(line) for line in text.rstrip("\n").split("\n")]
    if example.path != "SKILL.md":
        lines.insert(0, f"{example.path} (mode {example.mode}):")
    marks = "~" * max([3, *(len(line) - len(line.lstrip("~")) + 1 for line in lines)])
    return [f"{marks}text", *lines, marks]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rules_page(), encoding="utf-8", newline="\n")

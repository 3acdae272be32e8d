"""Hits become findings: one per rule and line, with its place, its fingerprint, and the line where it may be shown."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import PurePosixPath

from m4review.lint.finding import Finding
from m4review.lint.rule import Hit, Rule
from m4review.lint.ruleset import rules
from m4review.lint.views import line_starts

PATIENTS = "rows"
"""The family whose fingerprints carry no content."""
NEVER_SHOWN = frozenset((PATIENTS, "results", "solution"))
"""The families whose findings carry no excerpt: what they match is a patient's or the answer's."""
MAX_PER_RULE = 50
"""Findings of one rule in one file; more than that is one message, not a list."""


def findings_of(path: str, text: str, hits: Iterable[Hit]) -> list[Finding]:
    """One finding per rule and line, sorted by place; the hits may come in any order."""
    starts = line_starts(text)
    known = rules()
    unique: dict[tuple[str, int], Hit] = {}
    spans: dict[str, dict[tuple[int, int], int]] = {}
    for hit in sorted(hits, key=lambda item: (item.start, -item.end)):
        line = bisect_right(starts, hit.start)
        key = (hit.rule, line)
        spans.setdefault(hit.rule, {})[hit.start, hit.end] = line
        if key not in unique or (hit.severity is None and unique[key].severity == "warning"):
            unique[key] = hit
    private = {
        number
        for hit in unique.values()
        if known[hit.rule].family in NEVER_SHOWN
        for number in range(bisect_right(starts, hit.start), bisect_right(starts, max(hit.start, hit.end - 1)) + 1)
    }
    counted: dict[str, int] = {}
    findings: list[Finding] = []
    for hit in unique.values():
        times = counted[hit.rule] = counted.get(hit.rule, 0) + 1
        if times > MAX_PER_RULE:
            continue
        line = bisect_right(starts, hit.start)
        meant = [
            text[start:end]
            for (start, end), place in spans[hit.rule].items()
            if place == line or (times == MAX_PER_RULE and place > line)
        ]
        findings.append(_finding(path, text, starts, known[hit.rule], hit, private, times, meant))
    return sorted(findings, key=lambda item: (item.line, item.column, item.rule))


def _finding(
    path: str,
    text: str,
    starts: list[int],
    rule: Rule,
    hit: Hit,
    private: set[int],
    times: int,
    meant: list[str],
) -> Finding:
    """``meant`` is all the content that this finding stands for; its fingerprint covers it whole."""
    line = bisect_right(starts, hit.start)
    end = max(hit.start, hit.end)
    end_line = bisect_right(starts, max(hit.start, end - 1))
    shown = None
    if line not in private:
        stop = starts[line] - 1 if line < len(starts) else len(text)
        shown = text[starts[line - 1] : stop]
    content = str(times) if rule.family == PATIENTS else re.sub(r"\s+", " ", " ".join(meant).lower())
    return Finding(
        rule=rule.id,
        family=rule.family,
        severity=hit.severity or rule.severity,
        path=path,
        line=line,
        column=hit.start - starts[line - 1] + 1,
        end_line=end_line,
        end_column=end - starts[end_line - 1] + 1,
        message=hit.message,
        why=rule.why,
        fix=rule.fix,
        fingerprint=_fingerprint(rule.id, path, content),
        excerpt=shown,
    )


def finding_at_top(path: str, rule_id: str, message: str, *, line: int = 1, content: str = "") -> Finding:
    """A finding about the file as such; its fingerprint covers ``content``, so that a waiver cannot outlive it."""
    rule = rules()[rule_id]
    return Finding(
        rule.id, rule.family, rule.severity, path, line, 1, line, 1, message, rule.why, rule.fix,
        _fingerprint(rule.id, path, content),
    )  # fmt: skip


def _fingerprint(rule: str, path: str, content: str) -> str:
    return hashlib.sha256("\0".join((rule, PurePosixPath(path).name, content)).encode("utf-8", "replace")).hexdigest()[
        :32
    ]

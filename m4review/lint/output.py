"""A report as text for people, as JSON for scripts, as SARIF for code hosts."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import asdict

from m4review import __version__
from m4review.lint.engine import rules
from m4review.lint.finding import Finding, LintReport

SCHEMA = "m4review.lint.v1"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
EXCERPT_WIDTH = 100
TAB = 4


def as_text(report: LintReport) -> str:
    """One paragraph per finding (place, rule, what, the line with a caret, why, fix), then what was read."""
    parts = [_paragraph(finding) for finding in report.findings]
    for path in report.not_checked:
        parts.append(f"{path}: not checked: announced to git without content (git add -N)")
    parts.append(summary(report))
    return "\n".join(parts)


def summary(report: LintReport) -> str:
    """``2 errors, 1 warning; read 3 files, 12,345 bytes``."""
    read = f"read {_count(report.files, 'file')}, {_count(report.bytes, 'byte')}"
    if not report.files:
        return f"nothing checked; {read}"
    if not report.findings:
        return f"no findings; {read}"
    return f"{_count(len(report.errors), 'error')}, {_count(len(report.warnings), 'warning')}; {read}"


def as_json(report: LintReport) -> str:
    """One object; documented keys only."""
    answer = {
        "schema": SCHEMA,
        "files": report.files,
        "bytes": report.bytes,
        "errors": len(report.errors),
        "warnings": len(report.warnings),
        "not_checked": list(report.not_checked),
        "findings": [
            {key: value for key, value in asdict(finding).items() if key != "excerpt"} for finding in report.findings
        ],
    }
    return json.dumps(answer, ensure_ascii=False, indent=2)


def as_sarif(report: LintReport) -> str:
    """A SARIF 2.1.0 log with one run."""
    used = {finding.rule for finding in report.findings}
    driver = {
        "name": "m4review lint",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.why},
                "help": {"text": rule.fix},
                "defaultConfiguration": {"level": rule.severity},
                "properties": {"family": rule.family},
            }
            for rule in rules().values()
            if rule.id in used
        ],
    }
    results = [
        {
            "ruleId": finding.rule,
            "level": finding.severity,
            "message": {"text": f"{finding.message}. {finding.why} {finding.fix}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(finding.path)},
                        "region": {
                            "startLine": finding.line,
                            "startColumn": finding.column,
                            "endLine": finding.end_line,
                            "endColumn": finding.end_column,
                        },
                    }
                }
            ],
            "partialFingerprints": {"m4review/v1": finding.fingerprint},
        }
        for finding in report.findings
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _paragraph(finding: Finding) -> str:
    place = f"{printable(finding.path)}:{finding.line}:{finding.column}"
    lines = [f"{place}: {finding.severity}: {printable(finding.message)} [{finding.rule}]"]
    if finding.excerpt is not None and finding.excerpt.strip():
        lines += _excerpt(finding)
    lines += [f"  why: {finding.why}", f"  fix: {finding.fix}", ""]
    return "\n".join(lines)


def _excerpt(finding: Finding) -> list[str]:
    assert finding.excerpt is not None
    start = finding.column - 1
    stop = finding.end_column - 1 if finding.end_line == finding.line else len(finding.excerpt)
    first = max(0, start - 20) if start > EXCERPT_WIDTH - 40 else 0
    window = finding.excerpt[first : first + EXCERPT_WIDTH]
    marked = finding.excerpt[start : max(start + 1, min(stop, first + EXCERPT_WIDTH))]
    before = _shown(finding.excerpt[first:start])
    return [f"    {_shown(window)}", f"    {' ' * _width(before)}{'^' * max(1, _width(_shown(marked)))}"]


def _shown(text: str) -> str:
    return printable(text.expandtabs(TAB))


def printable(text: str) -> str:
    """Text for a terminal: control, invisible and direction characters shown by their code."""
    return "".join(
        character
        if unicodedata.category(character)[0] not in {"C"} or character == " "
        else f"<U+{ord(character):04X}>"
        for character in text
    )


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
        for character in text
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)

"""A report as text for people, as JSON for scripts, as SARIF for code hosts."""

from __future__ import annotations

import unicodedata

from m4review import __version__
from m4review.lint.finding import Finding, LintReport, Waived
from m4review.lint.scope import WAIVERS_FILE

SCHEMA = "m4review.lint.v1"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
EXCERPT_WIDTH = 100
TAB = 4


def as_text(report: LintReport) -> str:
    """One paragraph per finding (place, rule, what, the line with a caret, why, fix), then what was read."""
    parts = [_paragraph(finding) for finding in report.findings]
    for path in report.not_checked:
        parts.append(f"{path}: not checked: announced to git without content (git add -N)")
    parts += [_waived_line(item) for item in report.waived]
    parts += [
        f"{printable(note.path)}:{note.line}: {note.problem} waiver: {note.message}" for note in report.waiver_notes
    ]
    parts.append(summary(report))
    return "\n".join(parts)


def summary(report: LintReport) -> str:
    """``2 errors, 1 warning; read 3 files, 12,345 bytes``."""
    read = f"read {_count(report.files, 'file')}, {_count(report.bytes, 'byte')}"
    if not report.files:
        return f"nothing checked; {read}"
    waived = f", {len(report.waived)} waived" if report.waived else ""
    if not report.findings:
        return f"no findings{waived}; {read}"
    return f"{_count(len(report.errors), 'error')}, {_count(len(report.warnings), 'warning')}{waived}; {read}"


def as_json(report: LintReport) -> str:
    """One object; documented keys only."""
    import json

    answer = {
        "schema": SCHEMA,
        "files": report.files,
        "bytes": report.bytes,
        "errors": len(report.errors),
        "warnings": len(report.warnings),
        "not_checked": list(report.not_checked),
        "findings": [_shared(finding) for finding in report.findings],
        "waived": [
            {
                **_shared(item.finding),
                "waiver": {"reason": item.reason, "person": item.person, "expires": item.expires, "line": item.line},
            }
            for item in report.waived
        ],
        "waiver_notes": [note._asdict() for note in report.waiver_notes],
    }
    return json.dumps(answer, ensure_ascii=False, indent=2)


def as_sarif(report: LintReport) -> str:
    """A SARIF 2.1.0 log with one run."""
    import json

    from m4review.lint.ruleset import rules

    allowed = {id(item.finding): item for item in report.waived}
    findings = (*report.findings, *(item.finding for item in report.waived))
    used = [rule for rule in rules().values() if rule.id in {finding.rule for finding in findings}]
    places = {rule.id: index for index, rule in enumerate(used)}
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
            for rule in used
        ],
    }
    results = [
        {
            "ruleId": finding.rule,
            "ruleIndex": places[finding.rule],
            "level": finding.severity,
            "message": {"text": f"{finding.message}. {finding.why} {finding.fix}"},
            "locations": [_location(finding.path, finding)],
            "partialFingerprints": {"m4review/v1": finding.fingerprint},
            "suppressions": [_suppression(allowed[id(finding)])] if id(finding) in allowed else [],
        }
        for finding in findings
    ]
    invocation = {
        "executionSuccessful": True,
        "toolConfigurationNotifications": [
            {
                "level": "warning",
                "message": {"text": f"{note.problem} waiver: {note.message}"},
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {"uri": _uri(note.path)},
                            "region": {"startLine": note.line},
                        }
                    }
                ],
            }
            for note in report.waiver_notes
        ],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _location(path: str, finding: Finding) -> dict[str, object]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}, "region": region}}


def _suppression(item: Waived) -> dict[str, object]:
    return {
        "kind": "external",
        "status": "accepted",
        "justification": f"{item.reason} ({item.person}, until {item.expires})",
        "location": {
            "physicalLocation": {"artifactLocation": {"uri": WAIVERS_FILE}, "region": {"startLine": item.line}}
        },
    }


def _shared(finding: Finding) -> dict[str, object]:
    """What leaves the program as data: everything but the source line."""
    return {key: value for key, value in finding._asdict().items() if key != "excerpt"}


def _waived_line(item: Waived) -> str:
    finding = item.finding
    place = f"{printable(finding.path)}:{finding.line}:{finding.column}"
    return (
        f"{place}: waived until {item.expires} by {printable(item.person)}: {printable(finding.message)} "
        f"[{finding.rule}]: {printable(item.reason)}"
    )


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

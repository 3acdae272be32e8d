"""SARIF 2.1.0, checked against the published schema, and against the parts that our log promises on top of it."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest
from jsonschema import Draft4Validator, FormatChecker

from m4review.lint import LintReport, SourceFile, TaskIndex, lint_files
from m4review.lint.output import as_sarif
from m4review.lint.waivers import Waiver, apply_waivers

Shape = dict[str, object]

TEXT: Shape = {"text": str}
LOCATION: Shape = {
    "physicalLocation": {
        "artifactLocation": {"uri": re.compile(r"(?!/)[\w%./~-]+")},
        "region": {"startLine": 1, "startColumn?": 1, "endLine?": 1, "endColumn?": 1},
    }
}
LEVEL = re.compile("none|note|warning|error")
LOG: Shape = {
    "$schema": re.compile(r"https://\S+sarif\S*2\.1\.0\S*\.json"),
    "version": re.compile(r"2\.1\.0"),
    "runs": [
        {
            "tool": {
                "driver": {
                    "name": str,
                    "semanticVersion": re.compile(r"\d+\.\d+\.\d+([-+.].*)?"),
                    "rules": [
                        {
                            "id": str,
                            "shortDescription": TEXT,
                            "help": TEXT,
                            "defaultConfiguration": {"level": LEVEL},
                            "properties": {"family": str},
                        }
                    ],
                }
            },
            "columnKind": re.compile("utf16CodeUnits|unicodeCodePoints"),
            "invocations": [
                {
                    "executionSuccessful": bool,
                    "toolConfigurationNotifications": [{"level": LEVEL, "message": TEXT, "locations": [LOCATION]}],
                }
            ],
            "results": [
                {
                    "ruleId": str,
                    "ruleIndex": 0,
                    "level": LEVEL,
                    "message": TEXT,
                    "locations": [LOCATION],
                    "partialFingerprints": {"m4review/v1": re.compile("[0-9a-f]{32}")},
                    "suppressions": [
                        {
                            "kind": re.compile("inSource|external"),
                            "status": re.compile("accepted|underReview|rejected"),
                            "justification": str,
                            "location": LOCATION,
                        }
                    ],
                }
            ],
        }
    ],
}
"""A number is a minimum, a pattern must match whole, ``key?`` may be absent, a list holds any number of one shape."""


def faults(value: object, shape: object, place: str = "") -> list[str]:
    """Where ``value`` departs from ``shape``; keys that the shape does not know count as well."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{place}: not an object"]
        known = {str(key).rstrip("?"): (inner, str(key).endswith("?")) for key, inner in shape.items()}
        found = [f"{place}.{key}: unknown" for key in value if key not in known]
        for key, (inner, optional) in known.items():
            if key in value:
                found += faults(value[key], inner, f"{place}.{key}")
            elif not optional:
                found.append(f"{place}.{key}: missing")
        return found
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{place}: not a list"]
        return [fault for index, item in enumerate(value) for fault in faults(item, shape[0], f"{place}[{index}]")]
    if isinstance(shape, re.Pattern):
        return [] if isinstance(value, str) and shape.fullmatch(value) else [f"{place}: {value!r}"]
    if isinstance(shape, int):
        right = isinstance(value, int) and not isinstance(value, bool) and value >= shape
        return [] if right else [f"{place}: {value!r}"]
    assert isinstance(shape, type)
    return [] if isinstance(value, shape) and value != "" else [f"{place}: {value!r}"]


def report(*texts: str) -> LintReport:
    head = "---\nname: my skill α\ndescription: d\n---\n"
    files = [
        SourceFile(f"skills/my skill α/n{index}.md", (head + text).encode(), len(text), "100644", "skills/my skill α")
        for index, text in enumerate(texts)
    ]
    return lint_files(files, TaskIndex())


QUERY = "SELECT stay_id, MAX(valuenum) FROM mimiciv_hosp.labevents WHERE itemid = 50885 GROUP BY stay_id;\n"
MIXED = report("Text.\n", QUERY, "| stay_id | sofa |\n|---|---|\n| 31234567 | 3 |\n", "Hidden\u200b text.\n")


def waived() -> LintReport:
    finding = next(item for item in MIXED.findings if item.rule == "query")
    day = date(2027, 1, 1)
    waivers = (
        Waiver("query", finding.fingerprint, "Agreed.", "C1", day, 1, path=finding.path),
        Waiver("query", "0" * 32, "Agreed.", "C2", day, 9, path=finding.path),
    )
    return apply_waivers(MIXED, waivers, [item.path for item in MIXED.findings], today=day, whole=True)


SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
VALIDATOR = Draft4Validator(SCHEMA, format_checker=FormatChecker())
MADE = pytest.mark.parametrize("made", [LintReport((), 0, 0), MIXED, waived()], ids=["empty", "findings", "waived"])


@MADE
def test_the_log_validates_against_the_published_schema(made: LintReport) -> None:
    errors = [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(json.loads(as_sarif(made)))]
    assert errors == []


def test_the_published_schema_refuses_a_broken_log() -> None:
    Draft4Validator.check_schema(SCHEMA)
    log = json.loads(as_sarif(MIXED))
    log["runs"][0]["results"][0]["level"] = "fatal"
    del log["runs"][0]["tool"]["driver"]["name"]
    log["extra"] = 1
    assert {error.json_path for error in VALIDATOR.iter_errors(log)} == {
        "$",
        "$.runs[0].results[0].level",
        "$.runs[0].tool.driver",
    }


@MADE
def test_the_log_has_the_shape_that_the_schema_requires(made: LintReport) -> None:
    log = json.loads(as_sarif(made))
    assert faults(log, LOG) == []
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in log["runs"][0]["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_shape_check_can_fail() -> None:
    log = json.loads(as_sarif(MIXED))
    result = log["runs"][0]["results"][0]
    del result["message"]
    result["level"] = "fatal"
    result["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    log["extra"] = 1
    assert len(faults(log, LOG)) == 4


def test_only_the_waived_result_is_suppressed_and_says_who_and_why() -> None:
    log = json.loads(as_sarif(waived()))["runs"][0]
    suppressed = [result for result in log["results"] if result["suppressions"]]
    assert [result["ruleId"] for result in suppressed] == ["query"]
    assert suppressed[0]["suppressions"][0]["justification"] == "Agreed. (C1, until 2027-01-01)"
    assert len(log["results"]) == len(MIXED.findings)


def test_fingerprints_tell_findings_apart_and_survive_edits_elsewhere() -> None:
    first = json.loads(as_sarif(report(QUERY)))["runs"][0]["results"]
    moved = json.loads(as_sarif(report("A new paragraph.\n\n" + QUERY)))["runs"][0]["results"]
    other = json.loads(as_sarif(report(QUERY.replace("50885", "50912"))))["runs"][0]["results"]

    def prints(results: list[dict[str, object]]) -> list[object]:
        return [item["partialFingerprints"] for item in results if item["ruleId"] == "query"]

    assert prints(first) == prints(moved) != prints(other)

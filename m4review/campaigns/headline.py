"""The sections of a report that follow from the runs alone, line by line: what anyone can compute from the table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files

from m4review.campaigns.analysis import Analysis
from m4review.campaigns.background import Background
from m4review.campaigns.document import Document, Section, Table
from m4review.campaigns.forms import FORMS
from m4review.campaigns.lineage import digest_of_json, sha256
from m4review.campaigns.report import report_of
from m4review.campaigns.runs import Run

COMPUTED = frozenset({
    "Result", "Skill effect", "Gains and declines", "Sensitivity to families", "Matched controls",
    "Operational specification", "Changed schemas: probe and generalisation", "Key precision and ordered error",
    "Secondary measures by task", "Strict checks", "Match rate by column", "Integrity of the runs",
    "Compute and tokens", "Power", "Runs that enter no mean",
})  # fmt: skip
"""Titles of the sections in which nothing but figures of the runs stands."""
NUMBER = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?")


def missing_lines(analysis: Analysis, runs: Sequence[Run], form: str, text: str) -> list[str]:
    """The sections in which a report of that form lacks a line, with the line's place in each.

    Figures are named by section and line, so that the message repeats nothing of the text.
    """
    whole = report_of(analysis, runs, Background())
    there = set(text.splitlines())
    missing = []
    for section in whole.sections:
        if section.title not in COMPUTED:
            continue
        alone = FORMS[form](Document(whole.title, "", (section,))).splitlines()
        none = set(FORMS[form](Document(whole.title, "", (Section(section.title, ()),))).splitlines())
        lines = [line for line in alone if line not in none]
        lacking = [number for number, line in enumerate(lines, start=1) if line not in there]
        if lacking:
            missing.append(f"{section.title}, line {lacking[0]}")
    return missing


def missing_figures(analysis: Analysis, runs: Sequence[Run], form: str, text: str) -> list[str]:
    """As ``missing_lines``, for a report in other words: of every row of a table the figures alone are compared."""
    whole = report_of(analysis, runs, Background())
    there = {tuple(NUMBER.findall(line)) for line in text.replace("<tr>", "\n").splitlines()}
    missing = []
    for section in whole.sections:
        if section.title not in COMPUTED:
            continue
        tables = tuple(block for block in section.blocks if isinstance(block, Table))
        none = set(FORMS[form](Document(whole.title, "", (Section(section.title, ()),))).splitlines())
        alone = FORMS[form](Document(whole.title, "", (Section(section.title, tables),))).splitlines()
        lines = [row for line in alone if line not in none for row in line.split("<tr>")]
        lacking = [number for number, line in enumerate(lines, start=1) if tuple(NUMBER.findall(line)) not in there]
        if lacking:
            missing.append(f"{section.title}, row {lacking[0]}")
    return missing


def wording_digest() -> str:
    """Digest of the program that words a report: two with the same digest say the same of the same figures."""
    room = files("m4review.campaigns")
    sources = {
        f"{folder}{entry.name}": sha256(entry.read_bytes())
        for folder, place in (("", room), ("forms/", room / "forms"))
        for entry in place.iterdir()
        if entry.name.endswith(".py")
    }
    return digest_of_json(sources)

"""What a table derives, by its headers, and in which turn it is read."""

from __future__ import annotations

from .diagnoses import versions_of
from .markdown import Section, Table
from .panels import is_panel_table
from .rules import is_two_way
from .sources import is_measure_table, is_source_table
from .wording import column_roles, section_purpose


def turn_of(kind: str, section: Section) -> int:
    early = section_purpose(section.titles) == "source"
    order = {
        "grading": 0,
        "derived": 1,
        "episodes": 3,
        "intervals": 3,
        "force": 3,
        "diagnoses": 4,
        "input": 5,
        "input rule": 6,
    }
    return order.get(kind, 2 if early else 7)


def kind_of(table: Table) -> str:
    roles = column_roles(table.header).keys()
    if is_measure_table(table) or is_source_table(table) or is_panel_table(table):
        return ""
    if {"force", "built", "from", "until"} <= roles:
        return "force"
    if {"intervals", "boundaries"} <= roles:
        return "intervals"
    if {"episodes", "built"} <= roles:
        return "episodes"
    if {"derived", "rule"} <= roles:
        return "derived"
    if {"component", "graded", "reference"} <= roles:
        return "grading"
    if versions_of(table):
        return "diagnoses"
    if {"input", "measure", "summary"} <= roles:
        return "input"
    if {"input", "rule"} <= roles:
        return "input rule"
    return "two-way" if is_two_way(table) else "rule"

"""Under which licences the parts of a bundle, and what it was made with, may be used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata, requires

from m4review.skills import Skill

DATA = (
    "in the layout {layout}: the PhysioNet Credentialed Health Data License 1.5.0 where it comes from a release there, "
    "nobody's data where it is synthetic; no row of it is in this bundle"
)
NOT_STATED = "not stated"


def licence_table(licence: str, skills: Iterable[Skill], tasks: Sequence[str], data: Mapping[str, str]) -> str:
    """The table as Markdown, sorted, the same for the same installation. ``licence`` is that of the results.

    ``data`` maps the names of datasets to their layouts.
    """
    rows = [("tool", "m4review", _licence("m4review")), ("results, records, traces, reports", "this bundle", licence)]
    rows += [("skill", skill.name, str(skill.license or NOT_STATED)) for skill in skills]
    rows += [("tasks", f"{len(tasks)} task cards", "MIT, with the tool")] if tasks else []
    rows += [("data", name, DATA.format(layout=layout)) for name, layout in sorted(data.items())]
    rows += [("dependency", f"{name} {version}", licence) for name, version, licence in dependencies()]
    lines = ["| part | what | licence |", "|---|---|---|"]
    return "\n".join(["# Licences", "", *lines, *(f"| {' | '.join(map(_cell, row))} |" for row in rows), ""])


def dependencies() -> list[tuple[str, str, str]]:
    """Name, version and licence of what the tool was installed with, its extras aside."""
    found = []
    for requirement in requires("m4review") or ():
        name = re.match(r"[\w.-]+", requirement)
        if name is None or "extra ==" in requirement:
            continue
        try:
            found.append((name.group(), str(metadata(name.group())["Version"]), _licence(name.group())))
        except PackageNotFoundError:
            continue  # asked for on another system only
    return sorted(found)


def _licence(package: str) -> str:
    """What the package says of itself: the expression, else the classifiers, else one line of its licence field."""
    try:
        told = metadata(package)
    except PackageNotFoundError:
        return NOT_STATED
    expression = _field(told, "License-Expression")
    if expression:
        return expression
    classifiers = [
        line.rpartition(" :: ")[2] for line in told.get_all("Classifier") or () if line.startswith("License")
    ]
    if classifiers:
        return ", ".join(classifiers)
    lines = [line.strip() for line in _field(told, "License").splitlines() if line.strip()]
    return lines[0][:80] if lines else NOT_STATED


def _field(told: PackageMetadata, name: str) -> str:
    return str(told[name]) if name in told else ""


def _cell(text: str) -> str:
    return text.replace("|", "/")

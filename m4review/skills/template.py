"""The text that a new skill starts from: every section of the shape, and in each what is to be written there."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

TEMPLATE = "template.md"
DATABASES = {"mimic-iv": "MIMIC-IV", "eicu": "eICU"}
OPEN_COLUMNS = "| Column | Type | Meaning |\n|---|---|---|\n| ? | ? | ? |"


def new_skill_text(
    name: str,
    title: str,
    *,
    database: str | None = None,
    database_version: str | None = None,
    columns: Sequence[tuple[str, str, str]] = (),
    components: Sequence[str] = (),
) -> str:
    """A SKILL.md to be filled in. ``columns`` are (name, type, meaning) of the output, ``components`` the scored ones.

    ``database`` is the name of a layout (``mimic-iv``); what is not known is left open.
    """
    spoken = None if database is None else f"{DATABASES.get(database, database)} v{database_version}"
    listed = "\n".join(f"| `{column}` | {kind} | {meaning} |" for column, kind, meaning in columns)
    template = (files("m4review.skills") / TEMPLATE).read_text(encoding="utf-8")
    return template.format(
        name=name,
        title=title,
        description=_one_line(f"How to derive {_spoken_title(title)}{f' in {spoken}' if spoken else ''}. "
                              "When to use it is to be written."),
        database=""
        if database is None
        else f'\n  database: {DATABASES.get(database, database)}\n  database-version: "{database_version}"',
        columns=f"| Column | Type | Meaning |\n|---|---|---|\n{listed}" if columns else OPEN_COLUMNS,
        components="\n".join(f"| `{component}` | ? | ? |" for component in components) or "| ? | ? | ? |",
    )  # fmt: skip


def _spoken_title(title: str) -> str:
    """The title within a sentence: an ordinary first word begins small, a name in capitals stays."""
    first = title.split(" ", 1)[0]
    return title[0].lower() + title[1:] if first[1:].islower() else title


def _one_line(text: str) -> str:
    """A value of the front matter that YAML reads as one text."""
    return '"' + text.replace("\\", "").replace('"', "'") + '"'

"""A skill: the Markdown procedure a clinician writes, in the Agent Skills format."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from m4review.errors import SkillError
from m4review.skills.document import Document, parse_document
from m4review.skills.frontmatter import FrontMatter, split_front_matter
from m4review.textfile import TextFile, decode, read_text

SKILL_FILE = "SKILL.md"
NAME_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
KNOWN_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")


class Skill(BaseModel):
    """One SKILL.md, parsed. ``text`` is the whole file (``\\n`` newlines), ``body`` what follows the front matter."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, defer_build=True)

    name: str
    description: str
    license: str | None = None
    compatibility: str | None = None
    allowed_tools: str | None = None
    metadata: dict[str, str] = {}
    path: Path
    text: str
    body: str
    body_line: int
    document: Document
    warnings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The first heading, or the name."""
        return self.document.sections[0].title if self.document.sections else self.name


def load_skill(path: Path, *, profile: str | None = None) -> Skill:
    """Load ``skills/<name>/SKILL.md``.

    Raises:
        TextFileError: the file cannot be read as UTF-8 text.
        SkillError: the front matter is missing or breaks the Agent Skills specification (file and line are named).
    """
    return parse_skill(read_text(path), folder=path.parent.name, profile=profile)


def skill_from_bytes(data: bytes, path: Path, *, profile: str | None = None) -> Skill:
    """The same from exact bytes, as for a version kept in git."""
    return parse_skill(decode(data, path), folder=path.parent.name, profile=profile)


def parse_skill(source: TextFile, *, folder: str, profile: str | None = None) -> Skill:
    """Build a :class:`Skill` from a text file in the folder named ``folder``."""
    where = str(source.path)
    front = split_front_matter(source.text, where)
    _check_keys(front, where, profile)
    name = _text(front, "name", where, 64)
    description = _text(front, "description", where, 1024)
    if not NAME_PATTERN.fullmatch(name) or "--" in name:
        raise SkillError(
            f"the name {name!r} is not a skill name",
            where=where,
            line=front.lines["name"],
            expected="lower-case letters, digits and single hyphens, 1 to 64 characters",
        )
    if name != folder:
        raise SkillError(
            f"the name {name!r} differs from the folder {folder!r}",
            where=where,
            line=front.lines["name"],
            expected=f"name: {folder}",
            fix="rename the folder or the name",
        )
    lines = source.text.split("\n")
    body = "\n".join(lines[front.body_line - 1 :])
    warnings = []
    if source.had_bom:
        warnings.append("starts with a byte order mark; it is dropped on save")
    if source.mixed_newlines:
        warnings.append("mixes line-end styles; they are made equal on save")
    return Skill(
        name=name,
        description=description,
        license=_optional(front, "license", where),
        compatibility=_optional(front, "compatibility", where, 500),
        allowed_tools=_optional(front, "allowed-tools", where),
        metadata=_metadata(front, where),
        path=source.path,
        text=source.text,
        body=body,
        body_line=front.body_line,
        document=parse_document(body, first_line=front.body_line),
        warnings=tuple(warnings),
    )


def _check_keys(front: FrontMatter, where: str, profile: str | None) -> None:
    known = KNOWN_KEYS + (("tier", "category") if profile == "m4bench" else ())
    for key in front.values:
        if key not in known:
            raise SkillError(
                f"unknown front matter key {key!r}",
                where=where,
                line=front.lines.get(key),
                expected="one of " + ", ".join(known),
                fix="put further keys under 'metadata:'",
            )


def _text(front: FrontMatter, key: str, where: str, limit: int) -> str:
    value = front.values.get(key)
    if not isinstance(value, str) or not value.strip():
        raise SkillError(
            f"the front matter has no {key}" if value is None else f"{key} is not a text",
            where=where,
            line=front.lines.get(key, 1),
            expected=f"{key}: a text of 1 to {limit} characters",
        )
    if len(value) > limit:
        raise SkillError(
            f"{key} has {len(value)} characters", where=where, line=front.lines[key], expected=f"at most {limit}"
        )
    return value.strip()


def _optional(front: FrontMatter, key: str, where: str, limit: int = 1024) -> str | None:
    return None if front.values.get(key) is None else _text(front, key, where, limit)


def _metadata(front: FrontMatter, where: str) -> dict[str, str]:
    value: Any = front.values.get("metadata")
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(
        isinstance(key, str) and isinstance(item, str | int | float | bool) for key, item in value.items()
    ):
        raise SkillError(
            "metadata is not a list of 'key: text' lines",
            where=where,
            line=front.lines["metadata"],
            expected="one level of keys with text values",
        )
    return {key: str(item) for key, item in value.items()}

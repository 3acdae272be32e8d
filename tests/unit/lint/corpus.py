"""Loading of the corpus under ``tests/lint_corpus``, and the mutations it is also tried under."""

from __future__ import annotations

import base64
import re
import textwrap
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from m4review.lint import LintReport, SourceFile, TaskIndex, lint_files

FOLDER = Path(__file__).parents[2] / "lint_corpus"
FRONT = "name: example\ndescription: How to derive an example."
SKILL = "skills/example"


@dataclass(frozen=True)
class Text:
    """One text of the corpus. ``rule`` is what must be found, in ``line`` of the text if given."""

    group: str
    id: str
    text: str
    rule: str | None = None
    line: int | None = None
    whole: bool = False
    path: str = "SKILL.md"
    mode: str = "100644"
    front: str = FRONT
    profile: str | None = None

    @property
    def name(self) -> str:
        return f"{self.group}: {self.id}"

    @property
    def file_line(self) -> int | None:
        """The expected line of the file; texts with a front matter of their own count from its first line."""
        if self.line is None or self.path != "SKILL.md" or self.front != FRONT:
            return self.line
        return self.line + FRONT.count("\n") + 3


def load(kind: str) -> list[Text]:
    """All texts of ``contaminated`` or ``clean``."""
    return [
        Text(path.stem, **{**entry, "front": str(entry.get("front", FRONT)).strip()})
        for path in sorted((FOLDER / kind).glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["text"]
    ]


def lint(text: Text, body: str | None = None) -> LintReport:
    """The findings in a skill folder that holds the text."""
    content = text.text if body is None else body
    head = f"---\n{text.front}\n---\n"
    if text.path == "SKILL.md":
        files = {"SKILL.md": (head + content, text.mode)}
    else:
        files = {"SKILL.md": (f"{head}# Example\n", "100644"), text.path: (content, text.mode)}
    sources = [
        SourceFile(f"{SKILL}/{path}", data.encode("utf-8"), len(data), mode, SKILL)
        for path, (data, mode) in files.items()
    ]
    return lint_files(sources, TaskIndex(), profile=text.profile)


def is_refused(text: Text, body: str | None = None) -> bool:
    """Whether the expected family refuses the text."""
    return any(finding.rule == text.rule for finding in lint(text, body).errors)


def _in_words_of_zero_width(text: str) -> str:
    return re.sub(r"(?<=[A-Za-z]{2})(?=[A-Za-z]{2})", "\u200b", text)


MUTATIONS: dict[str, Callable[[str], str]] = {
    "lower case": str.lower,
    "upper case": str.upper,
    "one line": lambda text: " ".join(text.split()),
    "rewrapped": lambda text: "\n".join(textwrap.wrap(" ".join(text.split()), 40)),
    "indented": lambda text: textwrap.indent(text, "        "),
    "in a comment": lambda text: f"Text.\n<!--\n{text}\n-->\n",
    "in a table cell": lambda text: "| step | how |\n|---|---|\n| 1 | `" + " ".join(text.split()) + "` |\n",
    "in a list": lambda text: textwrap.indent(text.strip(), "- ", lambda line: bool(line.strip())) + "\n",
    "quoted": lambda text: textwrap.indent(text, "> ", lambda line: True),
    "with CRLF": lambda text: text.replace("\n", "\r\n"),
    "base64": lambda text: base64.b64encode(text.encode("utf-8")).decode("ascii") + "\n",
    "zero-width": _in_words_of_zero_width,
}

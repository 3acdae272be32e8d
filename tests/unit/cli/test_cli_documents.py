"""What the documents and the messages tell a reader to type exists: commands, options, make targets, linked files."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from m4review.cli.commands import cli

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
CALL = re.compile(r"(?:\.venv/bin/|bin/)?m4review((?: +(?:'[^']*'|\"[^\"]*\"|[\w.,:/@=*…|{}<>\[\]~$%+-]+))+)")
LINK = re.compile(r"\]\((?!https?:|#|mailto:|data:)([^)#\s]+)")
TARGET = re.compile(r"`make ([a-z][a-z-]*)")


def calls_in(text: str) -> Iterator[list[str]]:
    """The words after ``m4review`` in code spans and indented or fenced lines."""
    shown = [match[1] for match in re.finditer(r"`([^`\n]+)`", text)]
    shown += [line for line in text.splitlines() if re.match(r"(    |\$ )?(\.venv/bin/)?m4review ", line)]
    for snippet in shown:
        for match in CALL.finditer(snippet.split(" # ")[0]):
            yield match[1].split()


def known(words: list[str]) -> str | None:
    """Why the words name no command or option; ``None`` when they do."""
    command: click.Command = cli
    context = click.Context(command, info_name="m4review")
    options = set(_options(command, context))
    for word in _with_default(words):
        if word.startswith("-"):
            name = word.split("=")[0].strip("[]….,")
            if name not in options and name != "--help":
                return f"{command.name} has no option {name}"
        elif isinstance(command, click.Group) and not re.search(r"[A-Z….|\[]", word):
            found = command.get_command(context, word)
            if found is None:
                return f"{command.name} has no command {word}"
            command = found
            context = click.Context(command, info_name=word, parent=context)
            options |= set(_options(command, context))
    return None


def _with_default(words: list[str]) -> list[str]:
    """``trial TASK`` is short for ``trial run TASK``."""
    trial = cli.get_command(click.Context(cli), "trial")
    assert isinstance(trial, click.Group)
    if words[:1] == ["trial"] and words[1:] and not words[1].startswith("-") and words[1] not in trial.commands:
        return ["trial", "run", *words[1:]]
    return words


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        yield from parameter.opts
        yield from parameter.secondary_opts


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_names_only_what_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    wrong = [f"m4review {' '.join(words)}: {why}" for words in calls_in(text) if (why := known(words))]
    wrong += [link for link in LINK.findall(text) if not (document.parent / link).exists()]
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    wrong += [f"make {name}" for name in TARGET.findall(text) if name not in targets]
    assert not wrong


def test_a_message_tells_nobody_to_type_what_does_not_exist() -> None:
    wrong = []
    for path in sorted((ROOT / "m4review").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole = re.findall(r"^(m4review [a-z-]+(?: [a-z-]+|(?: [A-Z]+))*)", node.value)
                told = [text for text in whole if text.split()[1] in cli.list_commands(click.Context(cli))]
                for quoted in [*re.findall(r"'(m4review [^'\n]+)'", node.value), *told]:
                    words = shlex.split(quoted, comments=True)[1:] if '"' not in quoted else quoted.split()[1:]
                    if why := known(words):
                        wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {quoted}: {why}")
    assert not wrong


def test_the_check_sees_a_wrong_word() -> None:
    assert known(["review", "stauts"]) == "review has no command stauts"
    assert known(["trial", "run", "--repeat", "3"]) == "run has no option --repeat"
    assert known(["review", "verdict", "SKILL", "--as", "C2"]) is None

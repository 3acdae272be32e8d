"""docs/researchers.md: its commands run as they are written, and every command that it names exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click

from m4review.cli.commands import cli
from m4review.demo.starter import copy_starter
from m4review.history.creation import create_repository

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_every_command_of_the_guide_runs_as_it_is_written(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    copy_starter(root)
    create_repository(root)
    blocks = re.findall(r"^```sh\n(.*?)^```$", (DOCS / "researchers.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    printed = {}
    for command in "".join(blocks).splitlines():
        done = subprocess.run(
            command, shell=True, cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        printed[command] = done.stdout
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    [scored] = [text for command, text in printed.items() if command.startswith("m4review score")]
    assert "1.000" in scored


NAMED = re.compile(r"m4review (?:--as C\d ?)?([^`\n|·#]*)")


def test_every_command_that_a_page_names_exists_with_its_options() -> None:
    checked = 0
    for page in (DOCS / "researchers.md", DOCS / "clinicians.md", DOCS.parent / "README.md"):
        for named in NAMED.findall(page.read_text("utf-8")):
            words = re.split(r"[…,.:;()']|\s\s", named)[0].split()
            command = command_of(words)
            options = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
            unknown = [word for word in words if word.startswith("--") and word not in options | {"--help"}]
            assert not unknown, f"{page.name}: m4review {named}"
            checked += 1
    assert checked > 40


def command_of(words: list[str]) -> click.Command:
    """The command that the words lead to; words of a sentence that follow, and arguments, end the way."""
    command: click.Command = cli
    for word in words:
        if not isinstance(command, click.Group):
            break
        found = command.get_command(click.Context(command), word)
        if found is None and command.name == "trial":
            found = command.get_command(click.Context(command), "run")  # `m4review trial TASK`
        if found is None:
            assert command is not cli or not re.fullmatch("[a-z]+", word) or word in SENTENCE, f"there is no {word!r}"
            break
        command = found
    return command


SENTENCE = {"is", "has", "stopped", "needs"}
"""Words that follow the program's name in a sentence of a page."""

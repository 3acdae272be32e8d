"""For eyes that see no colour, little contrast or too much movement: every screen, and what is remembered."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import click
import pytest
from rich.color import Color
from rich.console import Console
from textual import constants

from m4review.cli.commands import cli
from m4review.reviews import record_verdict
from m4review.textfile import file_digest
from m4review.tui.actions import ACTIONS
from m4review.tui.render.help import ON_COMMAND_LINE, help_text
from m4review.tui.session import Journal
from m4review.tui.session.settings import ScreenSettings, keep_setting, read_settings
from m4review.workspace import SCOPES, Workspace

SKILL = "sirs-criteria"
DISPUTED = "sofa-score"
READABLE = 7.0
"""WCAG 2.2's contrast of text for level AAA."""


def luminance(color: Color) -> float:
    channels = [value / 255 for value in color.get_truecolor()]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def written(person):
    """Every piece of text on the screen with its style."""
    for strip in person.app.screen._compositor.render_strips():
        for segment in strip:
            if re.search(r"\w", segment.text) and segment.style is not None:
                yield segment.text, segment.style


async def through_every_screen(person, look) -> None:
    """Recover, home, review, workbench with a finding, help, compare, trial, consensus and set-up."""
    await person.sees("Unsaved text was found")
    look("recover")
    await person.presses("escape")
    await person.chooses_skill(SKILL)
    look("home")
    await person.presses("f3")
    await person.sees("not decided")
    look("review")
    await person.presses("escape")
    await person.opens_skill(SKILL)
    await person.presses("ctrl+end")
    await person.pastes("\nSELECT stay_id FROM icustays WHERE los > 1;\n")
    await person.presses("up")
    await person.sees("Findings 1", " E  ")
    look("workbench")
    await person.presses("f1")
    await person.sees("The same on the command line")
    look("help")
    await person.presses("escape", "ctrl+s")
    await person.sees("· saved")
    await person.presses("f6")
    await person.sees("Lines:")
    look("compare")
    await person.presses("escape", "f5")
    await person.sees("Trial ·")
    look("trial")
    await person.presses("escape", "escape")
    person.app.open_consensus(DISPUTED)
    await person.sees("≠")
    look("consensus")
    await person.presses("escape", "f8")
    await person.sees("Set up ·", "git")
    look("setup")


@pytest.fixture
def eventful(workspace: Workspace) -> Workspace:
    """A workspace in which every screen has something to show: a dispute, and a draft that was left."""
    agreed = dict.fromkeys(SCOPES, "approve")
    record_verdict(workspace, DISPUTED, "C2", agreed)
    record_verdict(workspace, DISPUTED, "C4", agreed | {"output": "changes"})
    file = workspace.skill_file(SKILL)
    journal = Journal(workspace.drafts_dir, "ended")
    journal.keep(SKILL, file.read_text("utf-8").replace("first ICU day", "first two ICU days"), file_digest(file), 1)
    journal.close()
    return workspace


async def test_without_colour_every_screen_says_in_words_and_signs_what_colour_repeats(
    eventful, bench, monkeypatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = {}
    async with bench(eventful) as person:
        assert person.app.no_color

        def look(screen: str) -> None:
            shown[screen] = person.screen
            for text, style in written(person):
                for color in (style.color, style.bgcolor):
                    if color is not None and not color.is_default:
                        assert len(set(color.get_truecolor())) == 1, f"{text!r} on {screen} is coloured"

        await through_every_screen(person, look)
    assert "○ draft" in shown["home"]
    assert " E  " in shown["workbench"]
    assert "Findings 1" in shown["workbench"]
    assert re.search(r"\d+ \+ ", shown["compare"])
    assert "added" in shown["compare"]
    assert "not decided" in shown["review"]
    assert "≠ output: changes" in shown["consensus"]
    assert "{+two+}" in "".join(shown["recover"].split())
    assert re.search("✓ there|– not yet", shown["setup"])


async def test_with_high_contrast_all_text_can_be_read(eventful, bench, tmp_path) -> None:
    keep_setting({"HOME": str(tmp_path)}, "theme", "high-contrast")
    async with bench(eventful, HOME=str(tmp_path)) as person:
        assert person.app.theme == "high-contrast"
        weak = set()

        def look(screen: str) -> None:
            for text, style in written(person):
                front, back = style.color, style.bgcolor
                if front is not None and back is not None and contrast(front, back) < READABLE:
                    weak.add((screen, text.strip(), round(contrast(front, back), 1)))

        await through_every_screen(person, look)
    assert not weak


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_the_terminals_own_colours_can_be_used(workspace, bench, tmp_path, theme) -> None:
    keep_setting({"HOME": str(tmp_path)}, "theme", theme)
    async with bench(workspace, HOME=str(tmp_path)) as person:
        assert person.app.native_ansi_color
        await person.opens_skill(SKILL)
        backs = {style.bgcolor for _, style in written(person)}
    assert any(back is not None and (back.is_default or back.number is not None) for back in backs)


async def test_what_is_chosen_in_the_palette_is_remembered_in_every_workspace(workspace, bench, tmp_path) -> None:
    home = {"HOME": str(tmp_path)}
    async with bench(workspace, **home) as person:
        await person.presses("ctrl+p")
        await person.types("animations off")
        await person.sees("without gliding")
        await person.presses("enter")
        await person.until(lambda: person.app.animation_level == "none", "no animations")
        person.app.theme = "high-contrast"
        await person.until(lambda: read_settings(home).theme == "high-contrast", "the theme to be kept")
    async with bench(workspace, **home) as person:
        assert person.app.theme == "high-contrast"
        assert person.app.animation_level == "none"
        await person.presses("ctrl+p")
        await person.types("animations on")
        await person.sees("glide again")
        await person.presses("enter")
        await person.until(lambda: not read_settings(home).is_still, "animations to be kept")


async def test_settings_that_cannot_be_read_are_said_and_the_workbench_opens(workspace, bench, tmp_path) -> None:
    file = tmp_path / ".config" / "m4review" / "screen.toml"
    file.parent.mkdir(parents=True)
    file.write_text("theme = \n")
    async with bench(workspace, HOME=str(tmp_path)) as person:
        await person.is_told("not valid TOML")
        await person.sees(SKILL)
    assert file.read_text() == "theme = \n"


def test_the_environment_switches_animations_off_whatever_is_kept(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    keep_setting(home, "animations", "full")
    assert read_settings({**home, "TEXTUAL_ANIMATIONS": "none"}).is_still
    keep_setting(home, "animations", "none")
    assert read_settings(home) == ScreenSettings(None, True)
    assert not read_settings({**home, "TEXTUAL_ANIMATIONS": "basic"}).is_still
    assert read_settings({}) == ScreenSettings()
    keep_setting({}, "theme", "nord")
    assert "TEXTUAL_ANIMATIONS" not in os.environ
    assert constants.TEXTUAL_ANIMATIONS == "full"


@pytest.mark.parametrize("options", [(), ("--no-mouse",)], ids=["by default", "not if left to the terminal"])
def test_the_workbench_takes_the_mouse(workspace, options) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "m4review", *options, "--as", "C2"]
    process = subprocess.Popen(
        command, cwd=workspace.root, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    os.close(theirs)
    said = b""
    try:
        while b"My queue" not in said:
            assert select.select([ours], [], [], 120)[0], said
            said += os.read(ours, 65536)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert (b"\x1b[?1000h" in said) == (not options)


def test_the_help_of_every_screen_names_commands_that_exist() -> None:
    assert set(ON_COMMAND_LINE) == set(ACTIONS)
    for screen, named in ON_COMMAND_LINE.items():
        console = Console(width=2000, no_color=True)
        with console.capture() as capture:
            console.print(help_text(screen, []))
        assert named in capture.get()
        for command in named.split(" · "):
            words = command.split()
            assert words.pop(0) == "m4review", f"{screen}: {command} is no command"
            assert_is_a_command(words, command)


def assert_is_a_command(words: list[str], whole: str) -> None:
    """The small words lead to a command; what follows are its arguments and options."""
    group: click.Command = cli
    context = click.Context(cli)
    while words and isinstance(group, click.Group) and words[0].islower() and words[0][0] != "-":
        found = group.get_command(context, words.pop(0))
        assert found is not None, f"there is no command {whole!r}"
        group = found
    if not isinstance(group, click.Group):
        known = {option for parameter in group.get_params(context) for option in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= known, f"{whole!r} has an option that is not there"
        assert words or not any(isinstance(one, click.Argument) and one.required for one in group.params), whole

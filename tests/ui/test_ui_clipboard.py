"""Copying: the text reaches other programs where it can, and a message says so without showing it."""

from __future__ import annotations

import threading

import pyperclip
import pytest

from m4review.tui.clipboard import hand_to_desktop


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A desktop whose clipboard this test can look into."""
    taken: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", taken.append)
    return taken


async def test_a_marked_passage_is_copied_to_the_desktop_and_the_message_does_not_show_it(
    workspace, bench, desktop
) -> None:
    async with bench(workspace) as person:
        await person.opens_skill("sirs-criteria")
        await person.presses("ctrl+home", "shift+right", "shift+right", "shift+right", "ctrl+c")
        await person.is_told("Copied: 3 characters.")
        assert desktop == ["---"]
        assert not any("---" in note.message for note in person.app._notifications)


async def test_where_nothing_is_marked_copying_says_how_one_marks_and_the_palette_finds_it(
    workspace, bench, desktop
) -> None:
    async with bench(workspace) as person:
        await person.opens_skill("sirs-criteria")
        await person.presses("ctrl+c")
        await person.is_told("Nothing is marked. Shift and the arrows mark in a text")
        await person.presses("ctrl+home", "shift+right", "ctrl+p")
        await person.types("copy")
        await person.sees("Copy (Ctrl+C)")
        await person.presses("enter")
        await person.is_told("Copied: 1 character.")
        assert desktop == ["-"]
        await person.presses("escape", "f6", "ctrl+c")
        await person.is_told("Nothing is marked.")


async def test_without_a_desktop_it_is_said_who_has_the_copied_text(workspace, bench, monkeypatch) -> None:
    def no_desktop(text: str) -> None:
        raise pyperclip.PyperclipException("no copy mechanism")

    monkeypatch.setattr(pyperclip, "copy", no_desktop)
    assert not hand_to_desktop("fever")
    async with bench(workspace) as person:
        await person.opens_skill("sirs-criteria")
        await person.presses("ctrl+home", "shift+right", "ctrl+c")
        await person.is_told("Copied: 1 character. Ctrl+V puts it in here")
        await person.presses("right", "ctrl+v")
        assert person.app.screen.query_one("SkillEditor").text.startswith("----")


async def test_a_desktop_that_never_answers_holds_up_neither_typing_nor_the_end(workspace, bench, monkeypatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(pyperclip, "copy", lambda text: released.wait(30))
    async with bench(workspace) as person:
        await person.opens_skill("sirs-criteria")
        await person.presses("ctrl+home", "shift+right", "ctrl+c", "right", "x")
        assert person.app.screen.query_one("SkillEditor").text.startswith("-x")
        assert not person.app._notifications
        await person.presses("ctrl+z")
    assert not released.is_set()
    released.set()

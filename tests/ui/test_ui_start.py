"""Starting and leaving: who works here, what is shown first, what a crash or a closed terminal leaves behind."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.app import App
from textual.command import CommandList
from textual.css.query import NoMatches

from m4review.demonstrations import Demonstration, remember
from m4review.errors import WorkspaceError
from m4review.places import DEMONSTRATION_FILE
from m4review.tui.actions import actions_of
from m4review.tui.app import WorkbenchApp
from m4review.tui.crash import CrashSafeApp
from m4review.workspace import Workspace

SKILL = "sirs-criteria"
FIRST = SKILL
"""The skill at the top of the shelf."""
PATIENCE = 120
"""Seconds after which a process is taken for one that hangs: far more than anything takes on a loaded machine."""
EVERY_SIZE = ((80, 24), (40, 10), (20, 6), (30, 8), (120, 40), (160, 45), (200, 50))


def drafts(workspace: Workspace) -> list[str]:
    return [path.read_text() for path in workspace.drafts_dir.glob("*.draft.json")]


async def test_who_you_are_is_asked_once_and_kept(workspace, bench) -> None:
    async with bench(workspace, None) as person:
        await person.sees("Who are you?", "C2: intensivist and emergency physician", "Just looking")
        await person.presses("2")
        await person.sees("Set up ·")
        await person.presses("escape")
        await person.sees("C2, intensivist", "you are asked to review it")
    async with bench(workspace, None) as person:
        await person.sees("C2, intensivist")
        assert "Who are you?" not in person.screen


async def test_a_stray_enter_does_not_say_who_you_are(workspace, bench) -> None:
    async with bench(workspace, None) as person:
        await person.sees("Who are you?")
        await person.presses("enter", "enter")
        await person.sees("Who are you?")
        assert Workspace(workspace.root).identity() is None
        await person.presses("down", "down", "enter")
        await person.sees("Set up ·")
        assert Workspace(workspace.root).identity().id == "C2"


async def test_just_looking_is_asked_once_and_kept(workspace, bench) -> None:
    async with bench(workspace, None) as person:
        await person.sees("Who are you?")
        await person.presses("l")
        await person.sees("Set up ·")
        await person.presses("escape")
        await person.sees("just looking (F12: say who you are)")
    async with bench(workspace, None) as person:
        await person.sees("just looking (F12: say who you are)")
        assert "Who are you?" not in person.screen


async def test_a_kept_reviewer_who_left_the_roster_is_asked_again(workspace, bench) -> None:
    workspace.save_identity("C4")
    roster = workspace.reviews_dir / "roster.toml"
    roster.write_text(roster.read_text("utf-8").replace('id = "C4"', 'id = "C5"').replace('"C4"', '"C5"'), "utf-8")
    async with bench(workspace, None) as person:
        await person.sees("Who are you?", "C5: physician")


async def test_going_back_from_the_question_changes_nothing(workspace, bench) -> None:
    workspace.save_identity("C3")
    async with bench(workspace, None) as person:
        await person.sees("C3, physician")
        await person.presses("f12")
        await person.sees("Who are you?")
        await person.presses("escape")
        await person.sees("C3, physician")
    assert Workspace(workspace.root).identity().id == "C3"


async def test_just_looking_gives_no_verdict_and_says_how_to_change_that(workspace, bench) -> None:
    async with bench(workspace, None) as person:
        await person.sees("Who are you?")
        await person.presses("l")
        await person.sees("Set up ·")
        await person.presses("escape")
        await person.sees("just looking")
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.is_told("press F12")
        await person.presses("f12")
        await person.sees("Who are you?")


async def test_as_on_the_command_line_wins_for_this_session_and_is_not_kept(workspace, bench) -> None:
    workspace.save_identity("C3")
    async with bench(workspace, "C1") as person:
        await person.sees("C1, vascular and trauma surgeon")
    reviewer = Workspace(workspace.root).identity()
    assert reviewer is not None
    assert reviewer.id == "C3"


def test_someone_who_is_not_on_the_roster_is_refused_before_the_screen_opens(workspace) -> None:
    with pytest.raises(WorkspaceError, match="not on the roster"):
        WorkbenchApp(workspace, "C9")


async def test_the_filter_shows_only_what_holds_the_words(workspace, bench) -> None:
    async with bench(workspace, size=(120, 60)) as person:
        await person.sees("sofa-score")
        await person.presses("slash")
        await person.types("sirs")
        await person.until(lambda: "mimic-sofa" not in person.screen, "the other skills to be gone")
        await person.presses("enter", "enter")
        await person.sees(f"{SKILL} · saved")
        await person.presses("escape")
        await person.presses("slash")
        await person.presses("escape")
        await person.sees("mimic-sofa-24h")


async def test_a_filter_without_a_match_says_so(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.sees(FIRST)
        await person.presses("slash")
        await person.types("zzz")
        await person.sees("Nothing holds these words")


async def test_a_broken_card_or_skill_is_shown_with_its_reason_beside_the_good_ones(workspace, bench) -> None:
    card = next(workspace.tasks_dir.glob("sirs/*/task.toml"))
    card.write_text(card.read_text() + "\nsurprise = 1\n")
    workspace.skill_file("sofa-score").write_text("no front matter\n")
    async with bench(workspace, size=(160, 90)) as person:
        await person.sees("cannot be read: unknown key", "cannot be read: no front matter", "mimic-sofa-24h-raw")


async def test_an_empty_workspace_says_what_a_skill_is(workspace, bench) -> None:
    import shutil

    shutil.rmtree(workspace.skills_dir)
    shutil.rmtree(workspace.tasks_dir)
    workspace.skills_dir.mkdir()
    workspace.tasks_dir.mkdir()
    async with bench(workspace) as person:
        await person.sees("No skills and no task cards here yet")


async def test_help_lists_every_key_of_the_screen_with_the_reason_against_it(workspace, bench) -> None:
    async with bench(workspace, size=(120, 45)) as person:
        await person.opens_skill(SKILL)
        await person.presses("f1")
        await person.sees("Help: workbench", "Ctrl+S", "Everything is saved.", "Shift+F8", "m4review lint")
        await person.presses("escape")
        await person.sees(f"{SKILL} · saved")


async def test_the_palette_does_what_the_keys_do(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+p")
        await person.types("go to line")
        await person.sees("Go to a line by its number")
        await person.presses("enter")
        await person.sees("Go to line (1 to")


@pytest.mark.parametrize("room", ["home", "workbench"])
async def test_the_palette_lists_what_can_be_done_in_the_order_of_the_bar(workspace, bench, room) -> None:
    async with bench(workspace, size=(120, 60)) as person:
        await person.chooses_skill(SKILL)
        if room == "workbench":
            await person.presses("enter")
            await person.sees(f"{SKILL} · saved")
        await person.presses("ctrl+p")
        entries = [f"{action.label} ({action.key_name})" for action in actions_of(room)]
        await person.sees(entries[0])
        listed = person.app.screen.query_one(CommandList)
        names = [str(listed.get_option_at_index(place).prompt) for place in range(listed.option_count)]
        places = [next(at for at, name in enumerate(names) if entry in name) for entry in entries]
        assert places == sorted(places)


async def test_page_keys_do_nothing_where_a_list_is_empty(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.presses("ctrl+p", "pagedown", "pageup")
        await person.types("zzzz")
        await person.sees("No matches found")
        await person.presses("pagedown", "pageup", "escape")
        await person.chooses_skill(SKILL)
        await person.presses("f6")
        await person.sees("No difference.")
        await person.presses("f2")
        await person.sees("Compare from which text?")
        await person.types("zzzz")
        entries = person.app.screen.query_one("#entries")
        entries.action_page_down()
        entries.action_page_up()
        await person.settles()
        assert person.app.is_running


async def test_an_answer_after_the_end_ends_quietly_and_a_missing_widget_before_it_does_not(workspace, bench) -> None:
    async def looks_for_what_is_not_there() -> None:
        raise NoMatches("No nodes match '#where'")

    async with bench(workspace) as person:
        screen = person.app.screen
        with pytest.raises(NoMatches):
            await screen._guard(looks_for_what_is_not_there)
    with person.app._context():
        await screen._guard(looks_for_what_is_not_there)


async def test_a_click_on_the_bar_is_as_good_as_a_key(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.sees(FIRST)
        row = person.screen.splitlines()[-1]
        await person.pilot.click(offset=(row.index("Help") + 1, 23))
        await person.sees("Help: home")


async def test_every_screen_stands_any_size(workspace, bench) -> None:
    async def through_every_size(person) -> None:
        for size in EVERY_SIZE:
            await person.pilot.resize_terminal(*size)
            assert person.app.is_running
            assert person.screen.strip()

    async with bench(workspace) as person:
        await person.chooses_skill(SKILL)
        await through_every_size(person)
        await person.presses("enter")
        await person.sees(f"{SKILL} · saved")
        await person.presses("f7", "f7", "ctrl+t")
        await through_every_size(person)
        await person.presses("f1")
        await through_every_size(person)
        await person.presses("escape", "f6")
        await person.sees("No difference.")
        await through_every_size(person)
        await person.presses("escape", "f3")
        await person.sees("not decided")
        await through_every_size(person)
        await person.presses("f4")
        await person.sees("What is wrong")
        await through_every_size(person)
        await person.presses("escape", "escape", "f5")
        await person.sees("Trial ·")
        await through_every_size(person)
    assert person.app.return_code in {None, 0}


async def test_without_colour_everything_is_still_told(workspace, bench, monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with bench(workspace) as person:
        assert person.app.no_color
        await person.sees("○ draft")
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.pastes("\nSELECT stay_id FROM icustays WHERE los > 1;\n")
        await person.presses("up")
        await person.sees(" E  ", "Findings 1")
        strips = person.app.screen._compositor.render_strips()
        colours = {segment.style.color for strip in strips for segment in strip if segment.style}
        assert all(colour is None or len(set(colour.triplet or (0,))) == 1 for colour in colours)


async def test_an_unexpected_error_keeps_the_text_and_shows_no_value_of_it(workspace, bench, capsys) -> None:
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the session itself is what fails
        async with bench(workspace) as person:
            await person.opens_skill(SKILL)
            await person.pastes("Patient text that must not leak. ")
            await person.sees("* not saved")

            def fail() -> None:
                secret = "Patient text that must not leak."
                raise ZeroDivisionError(secret)

            person.app.screen.do_panel = fail
            await person.presses("f7")
            await person.until(lambda: not person.app.is_running, "the end")
    assert person.app.return_code == 1
    assert any("must not leak" in text for text in drafts(workspace))
    shown = "".join(capsys.readouterr())
    assert "must not leak" not in shown
    assert "ZeroDivisionError" in shown
    assert "is kept and offered at the next start" in shown


def test_the_names_that_the_crash_report_overrides_are_still_textuals(workspace) -> None:
    assert "_handle_exception" in vars(App)
    assert "_handle_exception" in vars(CrashSafeApp)
    app = WorkbenchApp(workspace, "C1")
    assert all(hasattr(app, name) for name in ("_exception", "_exception_event", "_return_code"))


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=["closed terminal", "polite kill"])
def test_a_closed_terminal_or_a_kill_loses_no_keystroke(workspace, number) -> None:
    terminal = Terminal(workspace)
    try:
        terminal.until(FIRST)
        terminal.types("\r")
        terminal.until("no findings")
        terminal.types("\x1b[200~Typed a moment ago. \x1b[201~")  # pasted: it arrives whole or not at all
        terminal.until("not saved")
        terminal.process.send_signal(number)
        terminal.drain()
        assert terminal.process.wait(PATIENCE) == 128 + number
    finally:
        terminal.close()
    assert any("Typed a moment ago. " in text for text in drafts(workspace))


def test_whoever_leaves_is_told_what_stays_and_how_to_come_back(workspace) -> None:
    terminal = Terminal(workspace)
    try:
        terminal.until(FIRST)
        terminal.types("\x11")
        terminal.until("To open it again:")
        terminal.until(f"cd {workspace.root}\r\n  m4review\r\n")
        assert f"stays in {workspace.root}." in terminal.seen
        terminal.drain()
        assert terminal.process.wait(PATIENCE) == 0
    finally:
        terminal.close()
    assert not list(workspace.drafts_dir.glob("*"))


def test_the_newest_demonstration_that_still_exists_is_opened_from_any_folder(workspace, tmp_path) -> None:
    (workspace.root / DEMONSTRATION_FILE).write_text("# A demonstration\n")
    for day, folder in ((1, tmp_path / "older"), (2, workspace.root), (3, tmp_path / "deleted")):
        remember(os.environ, Demonstration(folder, datetime(2026, 3, day, tzinfo=UTC)))
    terminal = Terminal(workspace, "demo", "--continue", at=tmp_path)
    try:
        terminal.until("DEMONSTRATION")
        terminal.until(FIRST)
        terminal.types("\x11")
        terminal.until(f"cd {workspace.root}\r\n")
        terminal.drain()
        assert terminal.process.wait(PATIENCE) == 0
    finally:
        terminal.close()


class Terminal:
    """The installed program in a terminal of its own."""

    def __init__(self, workspace: Workspace, *arguments: str, at: Path | None = None) -> None:
        self._ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "m4review", "--as", "C2", *arguments],
            cwd=at or workspace.root,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def until(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in self.seen:
            assert time.monotonic() < deadline, f"waited for {words!r} in {self.seen[-2000:]!r}"
            self._read(1.0)

    def types(self, text: str) -> None:
        self.seen = ""
        os.write(self._ours, text.encode())

    def drain(self) -> None:
        """Read until the program ends, so that it never waits for a full terminal."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.1)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)

    def _read(self, seconds: float) -> None:
        if select.select([self._ours], [], [], seconds)[0]:
            try:
                text = os.read(self._ours, 65536).decode("utf-8", "replace")
            except OSError:
                return
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)

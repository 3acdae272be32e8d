"""Editing: marks follow the typing, saving is honest, no keystroke is lost."""

from __future__ import annotations

import stat

import pytest
from textual.events import Key

from m4review.tui.session import Journal
from m4review.workspace import Workspace

SKILL = "sirs-criteria"


def drafts(workspace: Workspace) -> list[str]:
    return [path.name for path in workspace.drafts_dir.glob("*.draft.json")]


def saved_text(workspace: Workspace) -> str:
    return workspace.skill_file(SKILL).read_text(encoding="utf-8")


async def test_typing_a_query_is_marked_in_the_margin_with_the_fix_below(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end", "enter")
        await person.pastes("SELECT stay_id FROM icustays WHERE los > 1;")
        await person.sees(" E ", "Findings 1")
        assert "not saved" in person.screen


async def test_the_marks_belong_to_the_newest_text_only(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end", "enter")
        await person.pastes("SELECT stay_id FROM icustays WHERE los > 1;")
        await person.sees("Findings 1")
        await person.presses("ctrl+u")
        await person.sees_no("Findings 1")


async def test_f8_goes_to_the_finding_and_says_when_there_is_none(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.sees("no findings")
        await person.presses("f8")
        await person.is_told("The lint has no findings")
        await person.presses("ctrl+end", "enter")
        await person.pastes("SELECT stay_id FROM icustays WHERE los > 1;")
        await person.sees("Findings 1")
        await person.presses("ctrl+home", "f8")
        line = person.app.screen.editor.cursor_location[0]
        assert "SELECT stay_id" in person.app.screen.editor.document.get_line(line)


async def test_saving_writes_the_file_and_says_saved(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.types("A new remark.")
        await person.presses("ctrl+s")
        await person.sees(f"{SKILL} · saved")
        assert saved_text(workspace).endswith("A new remark.")
        assert drafts(workspace) == []


async def test_saving_without_a_change_says_why_not(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+s")
        await person.is_told("Everything is saved.")


async def test_a_file_with_windows_line_ends_keeps_them(workspace, bench) -> None:
    path = workspace.skill_file(SKILL)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("x")
        await person.presses("backspace", "ctrl+end")
        await person.types("end")
        await person.presses("ctrl+s")
        await person.sees(f"{SKILL} · saved")
    data = path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 10


@pytest.mark.parametrize(
    ("answer", "in_file", "draft"), [("s", True, 0), ("k", False, 1), ("d", False, 0)], ids=["save", "keep", "discard"]
)
async def test_leaving_with_unsaved_text_asks_what_to_do_with_it(workspace, bench, answer, in_file, draft) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.types("Half a thought")
        await person.leaves()
        await person.sees("is not saved", "Keep it as a draft")
        await person.presses(answer)
        await person.until(lambda: not person.app.is_running, "the end")
    assert ("Half a thought" in saved_text(workspace)) is in_file
    assert len(drafts(workspace)) == draft
    assert person.app.return_code == 0


async def test_changing_ones_mind_about_leaving_goes_back_to_the_text(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("x")
        await person.leaves()
        await person.sees("is not saved")
        await person.presses("escape")
        await person.sees("not saved", "^S Save")
        assert person.app.is_running


async def test_going_back_with_unsaved_text_asks_too(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("x")
        await person.presses("escape")
        await person.sees("is not saved")
        await person.presses("d")
        await person.sees("My queue")
        await person.opens_skill(SKILL)


async def test_typed_text_is_on_disk_without_any_saving(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("Lost?")
        await person.until(lambda: len(drafts(workspace)) == 1, "the draft on disk")
        assert "Lost?" not in saved_text(workspace)
        await person.leaves()
        await person.presses("d")


async def test_a_draft_found_at_the_start_is_compared_and_opened_as_unsaved_text(workspace, bench) -> None:
    leave_draft(workspace, saved_text(workspace) + "From before the crash.\n")
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found", SKILL, "From before the crash.")
        await person.presses("k")
        await person.sees(f"{SKILL} · * not saved")
        assert person.app.screen.editor.text.endswith("From before the crash.\n")
        await person.presses("ctrl+s")
        await person.sees(f"{SKILL} · saved")
    assert saved_text(workspace).endswith("From before the crash.\n")
    assert drafts(workspace) == []


async def test_enter_does_nothing_to_a_draft(workspace, bench) -> None:
    leave_draft(workspace, "Something else entirely.\n")
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found")
        await person.presses("enter")
        await person.sees("Unsaved text was found", "k Keep")
        assert len(drafts(workspace)) == 1


async def test_keys_pressed_before_the_text_is_shown_do_not_enter_it(workspace, bench) -> None:
    leave_draft(workspace, "Something else entirely.\n")
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found")
        for key in "kk":
            person.app.post_message(Key(key, key))
        await person.sees("* not saved")
        await person.types("z")
        assert person.app.screen.editor.text.replace("z", "") == "Something else entirely.\n"


async def test_undo_after_keeping_a_draft_shows_the_saved_text_again(workspace, bench) -> None:
    leave_draft(workspace, "Something else entirely.\n")
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found")
        await person.presses("k")
        await person.sees("* not saved")
        await person.presses("ctrl+z")
        await person.sees(f"{SKILL} · saved")
        assert person.app.screen.editor.text == saved_text(workspace)


async def test_a_draft_is_deleted_only_after_a_second_other_key(workspace, bench) -> None:
    leave_draft(workspace, "Something else entirely.\n")
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found")
        await person.presses("d")
        await person.sees("for good")
        await person.presses("d")
        assert len(drafts(workspace)) == 1
        await person.presses("y")
        await person.until(lambda: drafts(workspace) == [], "the draft to be deleted")
        await person.sees("My queue")


async def test_a_draft_left_for_later_is_offered_at_the_next_start(workspace, bench) -> None:
    leave_draft(workspace, "Something else entirely.\n")
    for _ in range(2):
        async with bench(workspace) as person:
            await person.sees("Unsaved text was found")
            await person.presses("escape")
            await person.sees("My queue")
            await person.leaves()
            await person.until(lambda: not person.app.is_running, "the end")


async def test_a_draft_over_a_file_that_changed_meanwhile_is_not_saved_without_asking(workspace, bench) -> None:
    leave_draft(workspace, "My draft.\n")
    path = workspace.skill_file(SKILL)
    path.write_text(saved_text(workspace) + "A colleague's line.\n", encoding="utf-8")
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found")
        await person.presses("k")
        await person.sees("* not saved")
        await person.presses("ctrl+s")
        await person.sees("was changed by someone else")
        await person.presses("k")
    assert "A colleague's line." in saved_text(workspace)


async def test_two_windows_on_one_file_the_second_save_shows_the_difference(workspace, bench) -> None:
    async with bench(workspace) as first:
        await first.opens_skill(SKILL)
        async with bench(workspace, "C3") as second:
            await second.opens_skill(SKILL)
            await second.presses("ctrl+end")
            await second.types("Second window.")
            await second.presses("ctrl+s")
            await second.sees(f"{SKILL} · saved")
        await first.presses("ctrl+end")
        await first.types("First window.")
        await first.presses("ctrl+s")
        await first.sees("was changed by someone else", "[-Second-]{+First+} window.")
        assert saved_text(workspace).endswith("Second window.")
        await first.presses("o")
        await first.sees(f"{SKILL} · saved")
        assert saved_text(workspace).endswith("First window.")


async def test_taking_the_other_windows_text_can_be_undone(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("mine ")
        workspace.skill_file(SKILL).write_text("theirs\n", encoding="utf-8")
        await person.presses("ctrl+s")
        await person.sees("was changed by someone else")
        await person.presses("t")
        await person.until(lambda: person.app.screen.query("#editor").first().text == "theirs\n", "their text")
        await person.presses("ctrl+z")
        await person.until(lambda: person.app.screen.editor.text.startswith("mine "), "my text back")


async def test_a_save_that_cannot_be_written_keeps_the_text_and_says_what_to_do(workspace, bench, monkeypatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("x")
        before = saved_text(workspace)
        monkeypatch.setattr("m4review.textfile.os.fsync", full)
        await person.presses("ctrl+s")
        await person.is_told("cannot be written")
        await person.sees("* not saved")
        monkeypatch.undo()
        assert saved_text(workspace) == before
        await person.presses("ctrl+s")
        await person.sees(f"{SKILL} · saved")


async def test_the_own_editor_gets_the_text_and_its_changes_come_back_undoable(workspace, bench, tmp_path) -> None:
    script = tmp_path / "my editor"
    script.write_text("#!/bin/sh\necho 'From my editor.' >> \"$1\"\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    async with bench(workspace, EDITOR=f"'{script}'") as person:
        await person.opens_skill(SKILL)
        person.app.suspend = no_suspension
        await person.presses("f4")
        await person.sees("* not saved")
        assert person.app.screen.editor.text.endswith("From my editor.\n")
        await person.presses("ctrl+z")
        await person.sees(f"{SKILL} · saved")


async def test_without_an_editor_f4_says_how_to_name_one(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("f4")
        await person.is_told("EDITOR variable")


async def test_an_editor_that_does_not_exist_leaves_the_text_alone(workspace, bench) -> None:
    async with bench(workspace, EDITOR="no-such-editor") as person:
        await person.opens_skill(SKILL)
        person.app.suspend = no_suspension
        await person.presses("f4")
        await person.is_told("cannot be started")
        await person.sees(f"{SKILL} · saved")


async def test_find_goes_from_match_to_match_and_no_key_replaces_one(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        before, places = editor.text, []
        count = before.casefold().count("temperature")
        assert count > 2
        await person.presses("ctrl+f")
        await person.types("TEMPERATURE")
        for turn in range(count + 1):
            await person.presses("enter")
            await person.sees(f"{turn % count + 1} of {count}")
            assert editor.selected_text.casefold() == "temperature"
            places.append(editor.selection.start)
        assert places[:-1] == sorted(set(places))
        assert places[-1] == places[0]
        await person.presses("up")
        await person.sees(f"{count} of {count}")
        await person.presses("shift+enter", "ctrl+f")
        assert editor.selection.start == places[count - 1]
        await person.presses("escape")
        assert editor.has_focus
        assert (editor.selected_text, editor.cursor_location) == ("", places[count - 1])
        await person.sees(f"{SKILL} · saved")
        assert editor.text == before


async def test_find_says_when_the_words_are_not_there(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+f")
        await person.types("no such words")
        await person.presses("enter")
        await person.sees("is not in the text")
        await person.presses("escape", "x")
        await person.sees("* not saved")


async def test_leaving_the_find_box_for_the_panel_selects_nothing(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+f")
        await person.types("temperature")
        await person.presses("enter")
        await person.sees("1 of ")
        await person.presses("tab", "tab", "tab")
        await person.sees_no("1 of ")
        assert person.app.screen.editor.selected_text == ""


async def test_go_to_line_goes_there_and_refuses_what_is_no_number(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+g")
        await person.types("12")
        await person.presses("enter")
        await person.sees("line 12, column 1")
        await person.presses("ctrl+g")
        await person.types("²")
        await person.presses("enter")
        await person.is_told("is not a line number")


@pytest.mark.parametrize(
    ("data", "word"),
    [(b"caf\xe9\n", "not UTF-8"), (b"x" * 2_000_000, "2,000,000 bytes")],
    ids=["latin-1", "two megabytes"],
)
async def test_a_file_that_is_no_text_is_not_opened_and_says_why(workspace, bench, data: bytes, word: str) -> None:
    workspace.skill_file(SKILL).write_bytes(data)
    async with bench(workspace, size=(120, 40)) as person:
        await person.chooses_skill(SKILL)
        await person.presses("enter")
        await person.is_told(word)
        assert workspace.skill_file(SKILL).read_bytes() == data


async def test_broken_front_matter_can_be_opened_and_mended(workspace, bench) -> None:
    text = saved_text(workspace)
    workspace.skill_file(SKILL).write_text("x" + text, encoding="utf-8")
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("delete", "ctrl+s")
        await person.sees(f"{SKILL} · saved", "no findings")
    assert saved_text(workspace) == text


def leave_draft(workspace: Workspace, text: str) -> None:
    """What a session that was killed leaves behind."""
    from m4review.textfile import file_digest

    journal = Journal(workspace.drafts_dir, "99999-dead")
    journal.keep(SKILL, text, file_digest(workspace.skill_file(SKILL)), version=1)
    journal.close()


class no_suspension:  # noqa: N801 - stands in for a method
    """The test's terminal cannot be given away; the editor runs beside it."""

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


async def test_the_headline_is_right_again_after_a_dialog_took_its_drawing_with_it(
    workspace, bench, monkeypatch
) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("x")
        await person.sees("not saved")
        await person.presses("f1")
        await person.sees("The same on the command line")
        desk, above = person.app.screen_stack[-2:]
        monkeypatch.setattr(desk, "call_after_refresh", lambda drawing: True)  # what the dialog takes along is lost
        await person.until(lambda: not above._callbacks and not desk._callbacks, "what was to be drawn before")
        desk.show_state()
        monkeypatch.undo()
        await person.presses("escape", "ctrl+s")
        await person.sees(f"{SKILL} · saved")

"""The editor keeps the rows that did not change as they were drawn; what it shows is what drawing anew would show."""

from __future__ import annotations

import random

from textual.widgets import TextArea

SKILL = "sirs-criteria"


def rows(editor) -> list[str]:
    """Every row on the screen, with its styles."""
    editor.render_lines(editor.size.region)
    return [repr(editor.render_line(row)) for row in range(editor.size.height)]


async def test_kept_rows_look_like_rows_drawn_anew_whatever_was_done(workspace, bench) -> None:
    chance = random.Random(11)
    moves = ["up", "down", "left", "right", "pageup", "pagedown", "ctrl+home", "ctrl+end", "shift+down", "shift+right"]
    edits = ["x", "(", ")", "enter", "backspace", "delete", "ctrl+z", "|", "`", "#", "space"]
    async with bench(workspace, size=(100, 30)) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        for step in range(60):
            await person.presses(chance.choice(moves if chance.random() < 0.5 else edits))
            if step % 12 == 5:
                await person.presses("ctrl+end", "enter")
                await person.pastes("SELECT stay_id FROM icustays WHERE los > 1;")
                await person.sees(" E ")
            if step == 30:
                editor.soft_wrap = False
            if step in {20, 50}:
                await person.pilot.resize_terminal(*((60, 20) if step == 20 else (140, 40)))
            if step == 40:
                person.app.theme = "textual-light"
            await person.settles()
            kept = rows(editor)
            editor.notify_style_update()
            anew = rows(editor)
            assert kept == anew, (step, [(k, a) for k, a in zip(kept, anew, strict=True) if k != a][:2])


async def test_only_the_line_of_the_cursor_is_drawn_anew_for_a_key(workspace, bench, monkeypatch) -> None:
    async with bench(workspace, size=(100, 30)) as person:
        await person.opens_skill(SKILL)
        await person.sees("Completeness 20/20")
        editor = person.app.screen.editor
        await person.presses("down", "x")
        rows(editor)
        drawn = []
        draw = TextArea.render_line
        monkeypatch.setattr(TextArea, "render_line", lambda area, row: (drawn.append(row), draw(area, row))[1])
        editor.insert("y")
        editor.render_lines(editor.size.region)
        assert drawn == [1]


def test_the_private_names_that_the_editor_leans_on_are_there() -> None:
    area = TextArea("(a)")
    assert area._matching_bracket_location is None
    assert area.gutter_width >= 0
    assert area.wrapped_document.get_offsets(0) == []

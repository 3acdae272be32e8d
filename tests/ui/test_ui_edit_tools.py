"""The tools of the editor: mend, replace, outline, tables, items, literature, preview, changes on disk."""

from __future__ import annotations

import pytest

from m4review.ehr import synthesise

SKILL = "sirs-criteria"
WIDE = (160, 45)
QUERY = "```sql\nSELECT stay_id FROM icustays WHERE los > 1;\n```"


def line_at_cursor(person) -> str:
    editor = person.app.screen.editor
    return str(editor.document.get_line(editor.cursor_location[0]))


async def puts(person, text: str) -> str:
    """Append a block to the text; returns the text before."""
    editor = person.app.screen.editor
    before = str(editor.text)
    await person.presses("ctrl+end", "enter")
    await person.pastes(text)
    return before


async def test_a_finding_is_put_right_by_an_offered_edit_that_one_undo_takes_back(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        await person.presses("ctrl+l")
        await person.is_told("no finding on this line; F8")
        await puts(person, QUERY)
        await person.sees("Findings 2")
        with_query = editor.text
        await person.presses("f8", "ctrl+l")
        await person.reads("Put a reminder to write it in words in the place of the code block", "```[-sql-]")
        await person.presses("escape")
        assert editor.text == with_query
        await person.presses("ctrl+l")
        await person.reads("Put a reminder")
        await person.presses(*_key_of(person, "Put a reminder"))
        await person.sees("no findings")
        assert editor.text.endswith(
            "To be written: in words, which rows count, over which window, and which value is taken."
        )
        await person.presses("ctrl+z")
        await person.sees("Findings 2")
        assert editor.text == with_query


def _key_of(person, words: str) -> str:
    options = person.app.screen.query_one("OptionList").options
    return next(str(option.prompt)[0] for option in options if words in str(option.prompt))


async def test_replacing_goes_one_by_one_or_all_at_once_and_one_undo_takes_all_back(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        before = editor.text
        count = before.casefold().count("temperature")
        await person.presses("ctrl+r")
        await person.types("temperature")
        await person.presses("enter")
        await person.sees(f"1 of {count}")
        await person.presses("tab", "tab", "tab")
        await person.types("Warmth")
        await person.presses("enter")
        await person.sees(f"1 of {count - 1}")
        assert editor.text.count("Warmth") == 1
        await person.presses("tab", "enter")
        await person.sees(f"{count - 1} places replaced")
        assert editor.text.count("Warmth") == count
        assert "temperature" not in editor.text.casefold()
        await person.presses("escape", "ctrl+z")
        assert editor.text.count("Warmth") == 1
        await person.presses("ctrl+z")
        assert editor.text == before


async def test_a_pattern_is_found_and_its_groups_replaced_and_a_bad_one_is_explained(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        await puts(person, "Between 36 C and 38 C.")
        await person.presses("ctrl+r")
        await person.types(r"(\d+) C\b")
        await person.presses("tab", "tab", "space")
        await person.sees("[x] Pattern", "2 found")
        await person.presses("tab")
        await person.types(r"\1 degrees")
        await person.presses("tab", "space")
        await person.sees("2 places replaced")
        assert editor.text.endswith("Between 36 degrees and 38 degrees.")
        await person.presses("shift+tab", "shift+tab", "shift+tab", "shift+tab", "end", "(")
        await person.presses("enter")
        await person.is_told("no regular expression")
        assert editor.text.endswith("Between 36 degrees and 38 degrees.")


async def test_case_counts_when_it_is_ticked_and_marked_words_are_looked_for(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await puts(person, "Zebra zebra ZEBRA")
        await person.presses(*["shift+left"] * 5, "ctrl+f")
        assert person.app.screen.query_one("#find-words").value == "ZEBRA"
        await person.presses("enter")
        await person.sees(" of 3")
        await person.presses("tab", "space")
        await person.sees("[x] Case", "1 found")


async def test_the_outline_lists_the_sections_and_goes_to_one(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+o")
        await person.sees("Go to a section", "Clinical definition")
        await person.types("literature")
        await person.presses("enter")
        await person.sees(f"{SKILL} · saved")
        assert line_at_cursor(person) == "## Literature"


async def test_tab_goes_from_cell_to_cell_and_behind_the_last_into_a_new_row(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        before = await puts(person, "\n| Name | Unit |\n|---|--:|\n| pH | none |")
        await person.presses("tab")
        assert line_at_cursor(person) == "| | |"
        await person.types("SpO2")
        await person.presses("tab")
        await person.types("%")
        await person.presses("shift+tab")
        assert editor.text[: len(before)] == before
        assert editor.text[len(before) :] == "\n\n| Name | Unit |\n|---|--:|\n| pH | none |\n| SpO2| %|"
        await person.presses("f10", "a")
        await person.until(lambda: line_at_cursor(person) == "| SpO2 |    % |", "the table to be laid out")
        await person.presses("ctrl+z")
        assert editor.text.endswith("| SpO2| %|")


async def test_rows_and_columns_come_and_go_in_a_table_only(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        await person.presses("ctrl+home", "f10", "r")
        await person.is_told("in no table")
        assert person.app.screen.opened.unsaved is False
        await puts(person, "\n| a | b |\n|---|---|\n| 1 | 2 |")
        start = editor.text
        for letter, rows in (
            ("c", ["| a   | b   |     |", "| --- | --- | --- |", "| 1   | 2   |     |"]),
            ("r", ["| a   | b   |     |", "| --- | --- | --- |", "| 1   | 2   |     |", "|     |     |     |"]),
            ("d", ["| a   | b   |     |", "| --- | --- | --- |", "| 1   | 2   |     |"]),
        ):
            await person.presses("f10", letter)
            await person.until(lambda rows=rows: editor.text.split("\n")[-len(rows) :] == rows, f"{letter}: {rows}")
        await person.presses("f10", "x")
        await person.until(
            lambda: editor.document.get_line(editor.document.line_count - 1).count("|") == 3, "2 columns"
        )
        await person.presses(*["ctrl+z"] * 4)
        assert editor.text == start


@pytest.fixture(scope="module")
def data_home(tmp_path_factory: pytest.TempPathFactory):
    home = tmp_path_factory.mktemp("items")
    synthesise(home, "small", layout="mimic-iv", stays=4, seed=7)
    return home


async def test_an_item_is_looked_up_by_its_words_and_put_in_as_a_row_or_in_the_text(
    workspace, bench, data_home
) -> None:
    async with bench(workspace, size=WIDE, M4REVIEW_DATA=str(data_home)) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        await person.presses("ctrl+end", "enter", "ctrl+k")
        await person.pastes("Heart Rate")
        await person.sees("220045", "bpm", "mimiciv_icu.chartevents")
        await person.until(lambda: "counting" not in person.screen, "the counts")
        await person.presses("enter")
        await person.sees("not saved")
        assert editor.text.endswith("\n220045 (Heart Rate)")
        await person.presses("ctrl+z", "enter")
        await puts(person, "| Measure | Table | Item id (label) | Unit |\n|---|---|---|---|\n| ? | ? | ? | ? |")
        await person.presses("ctrl+k")
        await person.pastes("creatinine")
        await person.sees("50912", "F2 puts in a row")
        await person.until(lambda: "counting" not in person.screen, "the counts")
        await person.presses("f2")
        await person.until(lambda: "50912" in line_at_cursor(person), "the row")
        assert line_at_cursor(person) == "| Creatinine | `mimiciv_hosp.labevents` | 50912 (Creatinine) | mg/dL |"
        assert "| ? | ? | ? | ? |" not in editor.text


async def test_without_a_dataset_the_look_up_says_how_to_get_one(workspace, bench, tmp_path) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(tmp_path / "none")) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+k")
        await person.types("heart")
        await person.reads("no dataset", "m4review data synth --layout mimic-iv")
        await person.presses("enter", "escape")
        await person.sees(f"{SKILL} · saved")


async def test_a_reference_is_begun_by_its_pmid_under_literature_and_breaks_no_rule(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        await person.presses("f10", "l")
        await person.types("PMID 12345678")
        await person.presses("enter")
        await person.until(lambda: "pubmed" in editor.text, "the reference")
        assert line_at_cursor(person).endswith("https://pubmed.ncbi.nlm.nih.gov/12345678/")
        assert editor.text.rstrip().endswith("https://pubmed.ncbi.nlm.nih.gov/12345678/")
        await person.presses("home")
        await person.sees("no findings")
        await person.presses("f10", "l")
        await person.types("Bone 1992")
        await person.presses("enter")
        await person.is_told("neither a PMID nor a DOI")


async def test_the_preview_follows_the_text_and_the_cursor(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        await person.presses("ctrl+t")
        await person.sees("license: MIT")
        await person.presses("ctrl+end")
        await person.sees("› Literature")
        await person.types(" A new remark.")
        await person.until(lambda: person.screen.count("A new remark.") == 2, "the remark beside the text")
        assert editor.has_focus


async def test_long_lines_are_broken_or_run_on(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        assert editor.soft_wrap
        await person.presses("f10", "w")
        await person.is_told("run on to the right")
        assert not editor.soft_wrap
        await person.presses("f10", "w")
        await person.until(lambda: editor.soft_wrap, "broken lines")


async def test_a_change_on_disk_is_told_when_the_window_is_looked_at_again(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        await person.types("mine ")
        workspace.skill_file(SKILL).write_text("theirs\n", encoding="utf-8")
        person.app.app_focus = False
        await person.settles()
        person.app.app_focus = True
        await person.is_told("was changed outside of this window")
        assert editor.text.startswith("mine ")
        await person.presses("f9")
        await person.until(lambda: editor.text == "theirs\n", "the file's text")
        await person.presses("ctrl+z")
        await person.until(lambda: editor.text.startswith("mine "), "my text back")


async def test_every_tool_is_listed_in_the_help_and_in_the_palette(workspace, bench) -> None:
    async with bench(workspace, size=(160, 60)) as person:
        await person.opens_skill(SKILL)
        await person.sees("^F Find", "^K Items", "^O Outline", "F10 More")
        await person.presses("f1")
        await person.reads("Ctrl+L", "Ctrl+K", "Ctrl+O", "Ctrl+R", "F10 a", "F10 l", "F10 w", "Next cell")
        await person.presses("escape", "ctrl+p")
        await person.types("item")
        await person.sees("Items (Ctrl+K)")


async def test_end_pressed_again_goes_to_the_end_of_a_line_that_is_wrapped(workspace, bench) -> None:
    line = (
        "A reading exactly 6 hours before or exactly 24 hours after admission lies inside the window of the first day."
    )
    async with bench(workspace, size=(80, 24)) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.editor
        editor.load_text(f"{line}\nNext.")
        await person.presses("ctrl+home", "end")
        assert editor.cursor_location[0] == 0
        assert editor.cursor_location[1] < len(line)
        await person.presses("end")
        assert editor.cursor_location == (0, len(line))
        await person.presses("end", "x")
        assert editor.text == f"{line}x\nNext."

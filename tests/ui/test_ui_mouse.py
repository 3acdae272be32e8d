"""The mouse: a click does what Enter or the key does there, and the wheel scrolls without taking the focus."""

from __future__ import annotations

from m4review.reviews import record_verdict
from m4review.textfile import file_digest
from m4review.tui.screens.consensus import ConsensusScreen
from m4review.tui.screens.form import Field, Form
from m4review.tui.screens.recover import RecoverScreen
from m4review.tui.session import Journal
from m4review.workspace import SCOPES

SKILL = "sirs-criteria"
WIDE = (120, 40)
QUERY = "\nSELECT stay_id FROM icustays WHERE los > 1;\n"


async def test_a_click_on_a_row_of_the_shelf_opens_it_and_one_on_a_task_opens_its_skill(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.clicks("sofa-score")
        await person.sees("sofa-score · saved")
        await person.presses("escape")
        await person.chooses_skill("sofa-score")
        await person.clicks("mimic-sirs-24h-raw")
        await person.sees(f"{SKILL} · saved")


async def test_a_click_on_what_waits_opens_it(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.clicks("review: sofa-score")
        await person.sees("Review · sofa-score", "not decided")


async def test_a_click_on_the_bar_does_what_its_key_does_on_every_screen(workspace, bench) -> None:
    async with bench(workspace, size=(160, 45)) as person:
        await person.chooses_skill(SKILL)
        await person.clicks("Compare ")
        await person.sees("No difference.")
        await person.clicks("Columns")
        await person.sees("one column")
        await person.clicks("Esc Back")
        await person.sees("My queue")
        await person.clicks(" Review ")
        await person.sees("not decided")
        await person.clicks("Give verdict")
        await person.is_told("Decide on")
        await person.clicks("Esc Back")
        await person.sees("My queue")
        await person.clicks("Go to")
        await person.sees("Esc stays here")


async def test_a_click_on_a_tab_a_finding_and_the_text_go_there(workspace, bench) -> None:
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + QUERY, "utf-8")
    async with bench(workspace, size=WIDE) as person:
        await person.opens_skill(SKILL)
        await person.sees("Findings 1")
        await person.clicks("Findings 1")
        await person.until(lambda: person.app.screen.panel.tab == "findings", "the tab of the findings")
        await person.clicks("E line ")
        await person.until(lambda: person.app.screen.editor.has_focus, "the focus in the text")
        line = person.app.screen.editor.cursor_location[0]
        assert "SELECT stay_id" in person.app.screen.editor.document.get_line(line)


async def test_a_click_on_a_view_a_decision_and_a_field_of_the_review(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("not decided")
        await person.clicks(" State ")
        await person.sees("State]")
        await person.clicks("not decided")
        await person.until(lambda: person.app.screen.ballot.decisions == {"definition": "approve"}, "the decision")
        await person.clicks("conflict of interest")
        await person.until(lambda: person.app.screen.focused.id == "conflict", "the focus in the field")


async def test_a_click_on_the_page_of_a_trial_turns_to_it(workspace, bench, tmp_path) -> None:
    async with bench(workspace, size=WIDE, M4REVIEW_DATA=str(tmp_path / "none")) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("Trial ·", "No trial yet.")  # the rows above the pages stand
        await person.clicks(" Past ")
        await person.sees("[2 Past]")


async def test_a_click_on_a_row_of_set_up_does_what_it_needs(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.presses("f8")
        await person.clicks("identity ")
        await person.sees("Who are you?")
        await person.clicks("C3: ")
        await person.sees("Set up ·")
        await person.presses("escape")
        await person.sees("C3, physician")


async def test_a_click_on_a_row_of_a_consensus_decides_it(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C4", {**dict.fromkeys(SCOPES, "approve"), "schema": "changes"})
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.sees("disputed")
        person.app.open_consensus(SKILL)
        await person.sees("to be settled")
        await person.clicks("to be settled")
        await person.sees_no("to be settled")
        assert isinstance(person.app.screen, ConsensusScreen)


async def test_a_click_on_kept_text_shows_it_and_opens_nothing(workspace, bench) -> None:
    crashed = Journal(workspace.drafts_dir, "99999-dead")
    for skill in ("sirs-criteria", "sofa-score"):
        path = workspace.skill_file(skill)
        crashed.keep(skill, f"{path.read_text('utf-8')}A late remark on {skill}.\n", file_digest(path), 1)
    crashed.close()
    async with bench(workspace, size=WIDE) as person:
        await person.sees("Unsaved text was found")
        await person.clicks("sofa-score · last typed")
        await person.sees("A late remark on sofa-score.")
        assert isinstance(person.app.screen, RecoverScreen)


async def test_a_click_on_an_answer_of_a_form_chooses_that_answer(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        person.app.push_screen(Form("A form", (Field("one", "One of:", ("first", "second", "third")),)))
        await person.clicks(" third ")
        await person.sees("[third]")
        await person.clicks("first   second")
        await person.sees("[first]", " third ")
        await person.clicks("›")
        await person.sees("[second]")


async def test_the_wheel_scrolls_what_is_under_the_pointer_and_leaves_the_focus(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.opens_skill(SKILL)
        editor, card = person.app.screen.editor, person.app.screen.query_one("#card > *")
        await person.until(lambda: card.max_scroll_y > 0, "a card that is longer than its tab")
        await person.turns_the_wheel("Task card", 1)
        card_line = person.screen.split("\n")[4][editor.region.right + 2 :].strip()[:12]
        await person.turns_the_wheel(card_line, 3)
        await person.until(lambda: card.scroll_y > 0, "the card to scroll")
        assert editor.has_focus
        assert editor.scroll_y == 0
        cursor = editor.cursor_location
        await person.turns_the_wheel("name: sirs-criteria", 2)
        await person.until(lambda: editor.scroll_y > 0, "the text to scroll")
        assert editor.cursor_location == cursor

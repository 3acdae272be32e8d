"""F1 in a dialog says what is asked there, and goes back to it with everything as it was."""

from __future__ import annotations

SKILL = "sirs-criteria"


async def test_the_menu_of_the_review_lists_what_is_possible_first_and_explains_each(workspace, bench) -> None:
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("f2")
        await person.sees("What else?")
        rows = [option.prompt for option in person.app.screen.query_one("OptionList").options]
        impossible = ["(" in str(row) for row in rows]
        assert impossible == sorted(impossible)
        assert len(set(impossible)) == 2
        assert str(rows[0]) == "m  Comment"
        await person.presses("f1")
        await person.reads(
            "Help: this question",
            "Say something about the marked passage; it decides nothing.",
            "Show the verdict that you sealed. Not now: C2 has no unopened seal",
        )
        assert "m4review review seal" not in person.said
        await person.presses("escape")
        await person.sees("What else?")
        await person.presses("m")
        await person.reads("Comment on")
        await person.pastes("A remark.")
        await person.presses("f1")
        await person.reads("What you say; it decides nothing.", "Enter accepts it.")
        await person.presses("f1")
        await person.sees("A remark.")


async def test_a_form_and_a_list_explain_themselves_and_keep_what_was_typed(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        await person.presses("f2")
        await person.sees("Record a version of")
        await person.types("why")
        await person.presses("f1")
        await person.reads("Who wrote it:", "one of C1, C2, C3, C4, none of them", "F3 accepts at once")
        await person.reads("The same on the command line:", "m4review version SKILL -m MESSAGE")
        await person.presses("escape")
        await person.sees("why")
        await person.presses("escape", "escape")
        await person.presses("ctrl+o")
        await person.sees("Go to a section")
        await person.presses("f1")
        await person.reads("What you type narrows the list", "Esc goes back and picks nothing.")
        await person.presses("escape")
        await person.sees("Go to a section")

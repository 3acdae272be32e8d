"""Forms and ballots answered with Enter and single letters, in the order in which a person meets the fields."""

from __future__ import annotations

from m4review.reviews import record_verdict
from m4review.tui.screens.form import Field, Form

SKILL = "sirs-criteria"
SCOPES = ("definition", "schema", "output")


async def test_enter_on_the_author_of_a_version_records_it(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.types("x")
        await person.presses("ctrl+s", "f2")
        await person.sees("Record a version of")
        await person.presses("tab", "enter")
        await person.sees("Still needed: what changed, and why.")
        await person.pastes("A letter more")
        await person.presses("tab", "left")
        await person.sees("Enter or F3 accepts", "[C1]")
        await person.presses("enter")
        await person.is_told(f"Version 2 of {SKILL} is recorded.")


async def test_a_letter_goes_to_the_next_scope_without_a_decision(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.until(lambda: bool(person.app.screen.query("#scopes")), "the ballot")
        await person.sees("not decided")
        person.app.screen.query_one("#scopes").focus()
        await person.presses("a", "down", "a", "a", "f3")
        await person.reads("I approve its definition, output and schema")


async def test_changes_without_a_word_are_pointed_out_before_they_count(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("not decided")
        person.app.screen.query_one("#scopes").focus()
        await person.presses("c", "a", "a", "f3")
        await person.reads("No note and no finding says what must change")


async def test_who_confirms_a_consensus_can_change_on_its_screen(workspace, bench) -> None:
    from m4review.reviews.acts import record
    from m4review.reviews.settling import propose

    record_verdict(workspace, SKILL, "C4", {**dict.fromkeys(SCOPES, "approve"), "schema": "changes"})
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    record(workspace, SKILL, "C4", propose({"schema": "approve"}, "as it is"))
    async with bench(workspace, "C4") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.reads("A consensus waits for C2.")
        await person.presses("f8")
        await person.reads("it waits for C2.")
        await person.presses("f12")
        await person.sees("Who are you?")
        await person.presses("2")
        await person.reads("C4 put this forward. F3 confirms it")
        await person.sees("F3 Confirm")
        await person.presses("f3")
        await person.sees("Confirm this consensus?")
        await person.presses("y")
        await person.reads("It is settled: everybody confirmed it.")
        await person.presses("escape")
        await person.sees("approved (by consensus)")
        assert "The reviewers differ" not in person.screen


async def test_what_is_explained_before_a_form_stands_or_after_it_was_left_troubles_nobody(workspace, bench) -> None:
    async with bench(workspace) as person:
        form = Form("Say why", [Field("why", "Why:")])
        form.explain(lambda values: "told before")
        person.app.push_screen(form)
        form.explain(lambda values: "told while it is built")
        await person.reads("told before", "told while it is built")
        await person.presses("escape")
        await person.until(lambda: form.was_left, "the form to be left")
        form.explain(lambda values: "told after")

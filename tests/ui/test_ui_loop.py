"""The whole work of a clinician on a real repository: record, review, compare, with the rules of the ledger."""

from __future__ import annotations

import subprocess

from m4review.reviews import record_verdict
from m4review.workspace import SCOPES, Workspace

SKILL = "sirs-criteria"
QUERY = "SELECT stay_id, MAX(valuenum) FROM chartevents WHERE itemid = 220045 GROUP BY stay_id;"


def subjects(workspace: Workspace) -> list[str]:
    done = subprocess.run(
        ["git", "log", "--format=%an <%ae> %s"], cwd=workspace.root, check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


async def record(person, message: str) -> None:
    await person.presses("f2")
    await person.sees("Record a version of")
    await person.types(message)
    await person.presses("enter")


async def test_from_a_marked_query_to_a_recorded_version_a_verdict_and_a_comparison(workspace, bench) -> None:
    async with bench(workspace, "C1") as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.pastes(f"\n{QUERY}\n")
        await person.sees("Findings 1")
        await record(person, "add")
        await person.sees("The lint refused this version", "line")
        await person.presses("escape")
        await person.sees_no("The lint refused this version")
        await person.presses("ctrl+z")
        await person.sees("no findings")
        await person.pastes("\nThe window ends at 24 hours.\n")
        await record(person, "window")
        await person.is_told("Version 2 of sirs-criteria is recorded.")
        await person.presses("f6")
        await person.sees("Compare · sirs-criteria", "The window ends at 24 hours.", "C1", "nobody has approved it")
        await person.presses("escape")
        await person.presses("f3")
        await person.sees("You cannot give a verdict now: C1 had a hand in this text")
        await person.presses("f3")
        await person.is_told("an author does not review it")
    assert subjects(workspace)[0] == "C1 <c1@reviewers.invalid> window"
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict on this skill yet")
        await person.presses("f3")
        await person.is_told("Decide on definition, schema, output first")
        await person.presses("tab", "a", "a", "n")
        await person.sees("[a] approve: I agree", "[n] approve with notes")
        await person.presses("f3")
        await person.sees("This is what your verdict says:", "As C2 I have read version 2", "any change of it ends it")
        await person.presses("y")
        await person.is_told("Your verdict on version 2 of sirs-criteria is recorded.")
        await person.sees(
            "in review (1 of 2)", "definition 1 of 2", "[ ] you gave: approve with notes · deciding anew replaces it"
        )
        await person.presses("escape")
        await person.sees("My queue · 1", "◐ in review (1 of 2)", "review: sofa-score")
        assert "review: sirs-criteria" not in person.screen
    assert subjects(workspace)[0].startswith("C2 <c2@reviewers.invalid> Verdict of C2")


async def test_what_somebody_else_wrote_is_recorded_in_their_name_and_can_be_reviewed(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.pastes("\nDictated on the ward round.\n")
        await person.presses("f2")
        await person.sees("Who wrote it:", "[C2]")
        await person.reads("As C2 you can then not judge this version; C1, C3 and C4 can. If somebody else wrote it")
        await person.types("dictated")
        await person.presses("tab", "left")
        await person.reads("Who writes a text does not judge it: of this version C2, C3 and C4 can.")
        await person.presses("f3")
        await person.is_told("Version 2 of sirs-criteria is recorded.")
        await person.presses("f3")
        await person.sees("You have given no verdict on this skill yet")
    assert subjects(workspace)[0] == "C1 <c1@reviewers.invalid> dictated"


async def test_the_question_before_a_verdict_can_be_answered_with_back(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("tab", "x", "x", "x", "f3")
        await person.sees("I give no opinion on its definition")
        await person.presses("enter")
        await person.sees("[x] abstain")
    assert len(subjects(workspace)) == 1


async def test_what_a_colleague_decided_is_hidden_until_ones_own_verdict(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C4", dict.fromkeys(SCOPES, "changes"), "Cite the guideline.")
    async with bench(workspace, "C2", size=(160, 45)) as person:
        await person.sees("in review (1 of 2)")
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("1")
        await person.sees("[1 Changes]", "You have given no verdict on this skill yet; read the whole text.")
        await person.presses("7")
        await person.sees("[7 State]", "what it says is shown after your own verdict", "Withheld from you now: what C4")
        assert "Cite the guideline" not in person.screen
        assert "changes requested" not in person.screen
        await person.presses("tab", "a", "a", "a", "f3")
        await person.sees("This is what your verdict says:")
        await person.presses("y")
        await person.sees("Cite the guideline.", "disputed")


async def test_after_a_change_the_review_starts_with_what_changed_since_ones_own_verdict(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    async with bench(workspace, "C3") as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.pastes("\nOne more remark on ties.\n")
        await record(person, "ties")
        await person.is_told("is recorded")
    async with bench(workspace, "C2") as person:
        await person.sees("review again: sirs-criteria")
        await person.chooses_skill(SKILL)
        await person.sees("stale")
        await person.presses("f3")
        await person.sees("[1 Changes]", "+ One more remark on ties.")


async def test_a_second_verdict_on_the_same_text_says_that_it_replaces_the_first(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("a new one replaces it")
        await person.presses("tab", "c", "c", "c", "f3")
        await person.sees("This replaces the verdict you gave")
        await person.presses("y")
        await person.sees("changes requested")


async def test_notes_that_hold_a_query_are_refused_and_kept_on_the_screen(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("tab", "a", "a", "a", "tab")
        await person.pastes(QUERY)
        await person.presses("f3")
        await person.sees("This is what your verdict says:")
        await person.presses("y")
        await person.sees("The notes may not be recorded")
        await person.presses("escape")
        await person.sees("SELECT stay_id")
    assert len(subjects(workspace)) == 1


async def test_unrecorded_text_cannot_get_a_verdict_and_the_screen_says_what_to_do(workspace, bench) -> None:
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text(encoding="utf-8") + "\nNot recorded.\n", encoding="utf-8")
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.sees("not recorded yet")
        await person.presses("f3")
        await person.sees("You cannot give a verdict now")
        await person.presses("f3")
        await person.is_told("record a version first")


async def test_leaving_a_started_verdict_asks(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("tab", "a", "escape")
        await person.sees("Your verdict is not given yet.")
        await person.presses("escape")
        await person.sees("[a] approve")
        await person.presses("escape")
        await person.sees("Your verdict is not given yet.")
        await person.presses("d")
        await person.sees("My queue")
        await person.presses("f3")
        await person.sees("You have given no verdict", "definition [ ] not decided")


async def test_recording_without_a_word_or_without_a_change_records_nothing(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        await record(person, "same")
        await person.is_told("Nothing was recorded: nothing changed")
        await person.presses("f2")
        await person.sees("Record a version of")
        await person.presses("enter")
        await person.sees("Still needed: what changed, and why.")
    assert len(subjects(workspace)) == 1


async def test_going_back_from_recording_leaves_file_and_unsaved_text_as_they_were(workspace, bench) -> None:
    file = workspace.skill_file(SKILL)
    before = file.read_text("utf-8")
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+end")
        await person.pastes("\nThe window ends at 24 hours.\n")
        await person.presses("f2")
        await person.reads("Accepting saves the text too; Esc leaves it unsaved.")
        await person.presses("escape")
        await person.sees(f"{SKILL} · * not saved")
        assert file.read_text("utf-8") == before
        await person.presses("ctrl+home", "enter")
        await person.sees("Findings 1")
        await person.presses("f2")
        await person.reads("Not recorded as it is: the lint has 1 error in line 1 (")
        await person.presses("escape")
        await person.sees(f"{SKILL} · * not saved")
        assert file.read_text("utf-8") == before
    assert len(subjects(workspace)) == 1


async def test_a_text_that_somebody_else_saved_meanwhile_is_not_recorded_unseen(workspace, bench) -> None:
    file = workspace.skill_file(SKILL)
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        file.write_text(file.read_text("utf-8") + "\nSomebody else's line.\n", "utf-8")
        await record(person, "mine")
        await person.sees("was changed by someone else since you")
        await person.presses("k")
        await person.sees(f"{SKILL} · saved")
    assert len(subjects(workspace)) == 1


async def test_comparing_goes_from_change_to_change_and_between_any_two_versions(workspace, bench) -> None:
    path = workspace.skill_file(SKILL)
    first = path.read_text(encoding="utf-8")
    for name, text in (("top", first.replace("\n## ", "\nTop remark.\n\n## ", 1)), ("end", first + "\nEnd remark.\n")):
        path.write_text(text, encoding="utf-8")
        subprocess.run(["git", "commit", "-qam", name], cwd=workspace.root, check=True)
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f6")
        await person.sees("version 2", "version 3", "in 2 places")
        view = person.app.screen.query_one("DifferenceView")
        start = view.cursor_location
        await person.presses("n")
        assert view.cursor_location > start
        await person.presses("p")
        assert view.cursor_location == start
        await person.presses("f2")
        await person.sees(
            "Compare from which text?", "operational spec of mimic-sirs-24h-raw", "another skill: sofa-score"
        )
        await person.types("version 1")
        await person.presses("enter")
        await person.sees("version 1", "in 1 place", "End remark.")


async def test_outside_a_repository_editing_works_and_the_rest_says_why_not(workspace, bench) -> None:
    import shutil

    shutil.rmtree(workspace.root / ".git")
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await person.opens_skill(SKILL)
        await person.types("x")
        await person.presses("ctrl+s")
        await person.sees(f"{SKILL} · saved")
        await person.presses("ctrl+z")
        await person.presses("f6")
        await person.sees("Nothing can be compared")

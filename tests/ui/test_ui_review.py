"""The review in full: findings, checklist, sealed rounds, consensus, sign-off, every act with its confirmation."""

from __future__ import annotations

import subprocess
from pathlib import Path

from m4review.reviews import Ledger, record_verdict, skill_status
from m4review.reviews.acts import record
from m4review.reviews.evidence import Measured, attach
from m4review.reviews.kinds import Override, Recusal, Revocation, SignOff, Verdict
from m4review.reviews.sealing import reveal_verdict, seal_verdict
from m4review.reviews.verdicts import Said
from m4review.workspace import SCOPES, Workspace

SKILL = "sirs-criteria"
CHECKLIST = """# Definition

- Every threshold is the published one
- The source is named

# Output

- Missing data is handled as the source says
"""


def commit(workspace: Workspace, message: str, *who: str) -> None:
    subprocess.run(["git", "add", "-A"], cwd=workspace.root, check=True)
    subprocess.run(["git", *who, "commit", "-qm", message], cwd=workspace.root, check=True)


def edit(workspace: Workspace, old: str, new: str) -> None:
    path = workspace.skill_file(SKILL)
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    commit(workspace, "edit")


def set_policy(workspace: Workspace, old: str, new: str) -> None:
    path = workspace.reviews_dir / "policy.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    commit(workspace, "policy")


def approve(workspace: Workspace, *reviewers: str) -> None:
    for reviewer in reviewers:
        record_verdict(workspace, SKILL, reviewer, dict.fromkeys(SCOPES, "approve"))


def state(workspace: Workspace) -> str:
    fresh = Workspace(workspace.root)
    return skill_status(fresh, Ledger.load(fresh), SKILL, "C2").label


def events(workspace: Workspace, kind: type) -> list:
    return [event for event in Ledger.load(Workspace(workspace.root)).events if isinstance(event, kind)]


async def open_review(person) -> None:
    await person.chooses_skill(SKILL)
    await person.presses("f3")
    await person.sees("Review · ", "State]" if "State]" in person.screen else "1 ")
    await person.until(lambda: person.app.screen.query("#scopes"), "the ballot")
    await person.until(lambda: person.app.screen.packet is not None, "the packet")


async def choose_more(person, letter: str) -> None:
    await person.presses("f2")
    await person.sees("What else?")
    await person.presses(letter)


async def test_a_finding_is_written_about_the_marked_passage_and_given_with_the_verdict(workspace, bench) -> None:
    (workspace.reviews_dir / "checklists").mkdir()
    (workspace.reviews_dir / "checklists" / "skill.md").write_text(CHECKLIST, "utf-8")
    commit(workspace, "checklist")
    async with bench(workspace, "C2") as person:
        await open_review(person)
        await person.presses("down", "shift+end", "f4")
        await person.reads("About: “name: sirs-criteria”")
        await person.presses("f3")
        await person.reads("Still needed: how grave")
        await person.presses("right", "tab", "right", "tab")
        await person.pastes("The name is not the published one.")
        await person.presses("tab")
        await person.pastes("Call it SIRS.")
        await person.presses("f3")
        await person.reads("findings   1 blocker", "6 Findings 1")
        await person.presses("f7")
        await person.reads("Every threshold is the published one")
        await person.presses("space", "tab", "space", "space", "f3")
        await person.reads("2 of 3 answered, 1 with no")
        await person.presses("tab", "a", "a", "a", "f3")
        await person.is_told("is a blocker on definition, which is approved at the same time")
        await person.presses("up", "up", "up", "up", "up", "home", "c", "f3")
        await person.reads("I ask for changes to its definition", "I found: f1", "with no: The source is named")
        await person.presses("y")
        await person.reads("✎ changes requested", "[7 State]")
        await person.presses("6")
        await person.reads(
            "○ open · blocker · definition · C2", "line 2: “name: sirs-criteria”", "Proposed: Call it SIRS."
        )
    (verdict,) = events(workspace, Verdict)
    assert verdict.findings[0].anchor.quote == "name: sirs-criteria"
    assert dict(verdict.answers) == {"Every threshold is the published one": "yes", "The source is named": "no"}
    assert verdict.looked_at == ("text",)


async def test_a_finding_is_settled_by_the_version_that_fixes_it_and_can_be_opened_again(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await open_review(person)
        await person.presses("f4")
        await person.reads("What is wrong")
        await person.presses("right", "right", "tab", "right", "tab")
        await person.pastes("Wrong.")
        await person.presses("f3", "tab", "c", "a", "a", "f3")
        await person.reads("This is what your verdict says:")
        await person.presses("y")
        await person.is_told("is recorded")
    edit(workspace, "first ICU day", "first day in the ICU")
    async with bench(workspace, "C2") as person:
        await open_review(person)
        await person.presses("6")
        await person.reads("○ open · major")
        await person.presses("down", "enter")
        await person.reads("Go to the passage", "It is fixed in the present text")
        await person.presses("f")
        await person.reads("How is it fixed?")
        await person.pastes("The window is named.")
        await person.presses("enter")
        await person.reads("I say that my finding 'f1' on sirs-criteria is fixed in the text")
        await person.presses("y")
        await person.reads("● settled · major", "fixed in sha256:")
        await person.presses("6", "down", "enter")
        await person.reads("Open it again")
        await person.presses("o")
        await person.reads("Why is it open again?")
        await person.pastes("It is not.")
        await person.presses("enter")
        await person.reads("I take back my resolve")
        await person.presses("y")
        await person.reads("○ open · major")


async def test_a_sealed_round_shows_who_sealed_and_opens_when_both_have(workspace, bench) -> None:
    set_policy(workspace, 'independent = "ui-blind"', 'independent = "sealed"')
    async with bench(workspace, "C2") as person:
        await open_review(person)
        await person.presses("tab", "a", "c", "a", "f3")
        await person.reads(
            "sealed until the other reviewers have sealed theirs", "kept on this computer until you show it"
        )
        await person.presses("y")
        await person.is_told("is sealed")
        await person.reads("You cannot give a verdict now: C2 has sealed a verdict on exactly this text")
        await person.presses("7", "end")
        await person.reads("You have sealed a verdict on this text; it is not shown yet.", "1 more to seal.")
        await choose_more(person, "r")
        await person.is_told("nobody shows theirs before")
    seal_verdict(workspace, SKILL, "C4", Said(dict.fromkeys(SCOPES, "approve"), "", ("text",), "none"))
    async with bench(workspace, "C2") as person:
        await person.reads(f"reveal: {SKILL}")
        await open_review(person)
        await person.reads("Enough verdicts are sealed: F2, then r, shows yours.")
        await choose_more(person, "r")
        await person.reads("I show the verdict on sirs-criteria that I sealed before I saw any other.")
        await person.presses("b")
        assert not events(workspace, Verdict)
        await choose_more(person, "r")
        await person.reads("Show your sealed verdict?")
        await person.presses("y")
        await person.is_told("Your verdict is shown.")
    reveal_verdict(workspace, SKILL, "C4")
    assert state(workspace) == "disputed"


async def test_a_disagreement_is_settled_by_both_who_confirm_the_same_words(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C4", {**dict.fromkeys(SCOPES, "approve"), "schema": "changes"}, "The window.")
    approve(workspace, "C2")
    async with bench(workspace, "C2") as person:
        await open_review(person)
        await person.reads("F8 settles it together")
        await person.presses("f8")
        await person.reads("≠ schema: changes", "definition agreed: C4 approve, C2 approve", "“The window.”")
        await person.presses("f3")
        await person.is_told("Say first what you agree on for schema")
        await person.presses("n", "f3")
        await person.is_told("Say why first")
        await person.presses("tab")
        await person.pastes("It is named elsewhere.")
        await person.presses("f3")
        await person.reads("As C2 I put forward this consensus of C2, C4", "Because: It is named elsewhere.")
        await person.presses("y")
        await person.reads("You have confirmed it; it waits for C4.")
        await person.presses("escape")
        await person.reads("consensus pending (1 of 2 confirmed)")
    async with bench(workspace, "C4") as person:
        await open_review(person)
        await person.presses("f8")
        await person.reads("C2 put this forward. F3 confirms it")
        await person.presses("q", "c")
        await person.presses("tab")
        await person.pastes("I would name it twice.")
        await person.presses("f3")
        await person.reads("As C4 I confirm this consensus", "I still hold against it: I would name it twice.")
        await person.presses("y")
        await person.reads("It is settled: everybody confirmed it.", "C4 dissents: I would name it twice.")
    assert state(workspace) == "approved (by consensus)"


async def test_another_consensus_than_the_one_put_forward_can_be_proposed(workspace, bench) -> None:
    from m4review.reviews.settling import confirm, propose

    record_verdict(workspace, SKILL, "C4", {**dict.fromkeys(SCOPES, "approve"), "schema": "changes"})
    approve(workspace, "C2")
    record(workspace, SKILL, "C2", propose({"schema": "approve"}, "as it is"))
    async with bench(workspace, "C4") as person:
        await open_review(person)
        await person.presses("f8")
        await person.reads("C2 put this forward")
        await person.presses("f5")
        await person.reads("[ ] to be settled", "why, in one line")
        person.app.screen.query_one("#rows").focus()
        await person.presses("c", "tab")
        await person.pastes("it must change")
        await person.presses("f3")
        await person.reads("As C4 I put forward this consensus", "it must change")
        await person.presses("y")
        await person.reads("You have confirmed it; it waits for C2.")
    record(workspace, SKILL, "C2", confirm())
    async with bench(workspace, "C2") as person:
        await person.reads(f"change: {SKILL} · C2 and C4 agreed on changes to schema")
        await open_review(person)
        await person.reads("C2 and C4 agreed on changes to schema: somebody now makes the change in the editor")
        await person.presses("f8")
        await person.reads("Somebody now makes the change in the editor; whoever does will not judge the new text.")
        await person.presses("escape", "escape")
        await person.sees("My queue · 2")
        await person.presses("tab", "enter")
        await person.sees(f"{SKILL} · saved")


async def test_nothing_is_settled_before_the_round_is_complete(workspace, bench) -> None:
    approve(workspace, "C2")
    async with bench(workspace, "C2") as person:
        await open_review(person)
        await person.presses("f8")
        await person.is_told("a consensus comes after the round")


async def test_an_approved_text_is_signed_off_on_the_policy_rule_by_rule(workspace, bench) -> None:
    approve(workspace, "C2", "C4")
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await open_review(person)
        await person.reads("It is approved: F2, then s, signs it off.", "passed  distinct reviewers per scope")
        await choose_more(person, "s")
        await person.reads(
            "I release sirs-criteria", "passed  no open blocker: none is open", "Yes, I release it as C2"
        )
        await person.presses("b")
        assert not events(workspace, SignOff)
        await choose_more(person, "s")
        await person.reads("I release sirs-criteria")
        await person.presses("y")
        await person.reads("◉ signed off")
    assert all(result.passed for result in events(workspace, SignOff)[0].rules)


async def test_an_editorial_change_is_carried_over_on_the_difference_that_is_shown(workspace, bench) -> None:
    approve(workspace, "C2", "C4")
    line = next(one for one in workspace.skill_file(SKILL).read_text("utf-8").splitlines() if one.startswith("# "))
    edit(workspace, f"{line}\n", f"{line}  \n")
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await open_review(person)
        await person.reads("F2, then c, carries the approval over")
        await choose_more(person, "c")
        await person.reads("Is this change editorial?", f"+{line}··", "The approval")
        await person.presses("y")
        await person.reads("● approved")
    assert state(workspace) == "approved"


async def test_stepping_back_assigning_and_taking_back_each_ask_first(workspace, bench) -> None:
    approve(workspace, "C2")
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await open_review(person)
        await person.presses("f2")
        await person.reads("Take back: something you recorded, such as your verdict", "Step back: you will not judge")
        await person.presses("w")
        await person.reads("What do you take back?", "verdict of C2")
        await person.presses("1")
        await person.reads("Why do you take back your verdict?")
        await person.pastes("I misread the window.")
        await person.presses("enter")
        await person.reads("I take back my verdict")
        await person.presses("y")
        await person.reads("○ withdrawn")
        await choose_more(person, "a")
        await person.reads("Who is to judge sirs-criteria from now on?")
        await person.pastes("C1, C3")
        await person.presses("tab", "tab")
        await person.pastes("C4 is away")
        await person.presses("f3")
        await person.reads("As C2 I ask C1, C3 to judge sirs-criteria")
        await person.presses("y")
        await person.is_told("Recorded.")
        await choose_more(person, "u")
        await person.reads("Why will you not judge sirs-criteria?")
        await person.pastes("I wrote the guideline.")
        await person.presses("enter")
        await person.reads("As C2 I will not judge sirs-criteria")
        await person.presses("escape")
        assert not events(workspace, Recusal)
        await choose_more(person, "u")
        await person.reads("Why will you not judge sirs-criteria?")
        await person.pastes("I wrote the guideline.")
        await person.presses("enter")
        await person.reads("As C2 I will not judge sirs-criteria")
        await person.presses("y")
        await person.reads("You cannot give a verdict now: C2 stepped back")


async def test_a_verdict_given_by_mistake_is_declared_void_with_the_reason(workspace, bench) -> None:
    approve(workspace, "C2", "C4")
    assert state(workspace) == "approved"
    async with bench(workspace, "C2") as person:
        await open_review(person)
        await choose_more(person, "x")
        await person.reads("What do you declare void?", "verdict of C2")
        assert "verdict of C4" not in person.said
        await person.presses("escape")
        assert state(workspace) == "approved"
        await choose_more(person, "x")
        await person.reads("What do you declare void?")
        await person.presses("1")
        await person.reads("Why is the verdict of C2 void?")
        await person.pastes("given on the wrong skill")
        await person.presses("enter")
        await person.reads("This is what will be recorded:", "given on the wrong skill")
        await person.presses("y")
        await person.reads("in review (1 of 2)", "void")
    assert events(workspace, Revocation)[0].reason == "given on the wrong skill"
    assert state(workspace) == "in review (1 of 2)"


async def test_rules_on_disk_that_are_not_in_force_are_said_and_not_used(workspace, bench) -> None:
    path = workspace.reviews_dir / "policy.toml"
    text = path.read_text("utf-8")
    assert "required = 2" in text
    path.write_text(text.replace("required = 2", "required = 1"), "utf-8")
    record_verdict(workspace, SKILL, "C4", dict.fromkeys(SCOPES, "approve"))
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await open_review(person)
        await person.reads("policy.toml")
        await person.presses("7")
        await person.reads("in review (1 of 2)")


async def test_an_override_warns_and_is_shown_for_ever(workspace, bench) -> None:
    set_policy(workspace, "may_override = []", 'may_override = ["C2"]')
    approve(workspace, "C2")
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await open_review(person)
        await choose_more(person, "v")
        await person.reads("Set a rule aside for sirs-criteria", "is shown with the skill for ever")
        await person.presses("right", "right", "tab")
        await person.pastes("Only one of us is left.")
        await person.presses("f3")
        await person.reads("WARNING: this sets a rule of the policy aside", "I know that it stays visible for ever")
        await person.presses("y")
        await person.reads("OVERRIDE by C2", "reviewers set aside")
    assert len(events(workspace, Override)) == 1


async def test_what_is_not_possible_says_why_in_the_menu(workspace, bench) -> None:
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await open_review(person)
        await person.presses("f2")
        await person.reads(
            "(Show sealed: C2 has no unopened seal",
            "(Sign off: only an approved text is signed off; the state of sirs-criteria is: draft",
            "(Carry over: no earlier text of this skill is approved",
            "(Override: C2 may not set a rule aside; the policy trusts nobody with it",
        )
        await person.presses("v")
        await person.is_told("the policy trusts nobody with it")


async def test_a_comment_about_a_passage_and_a_request_for_review_are_recorded(workspace, bench) -> None:
    async with bench(workspace, "C3", size=(120, 40)) as person:
        await open_review(person)
        await person.presses("down", "shift+end")
        await choose_more(person, "m")
        await person.reads("Comment on “name: sirs-criteria”")
        await person.pastes("Is this the usual name?")
        await person.presses("enter")
        await person.reads("this decides nothing")
        await person.presses("y")
        await person.is_told("Recorded.")
        await person.presses("6")
        await person.reads("“ C3 ·", "line 2: “name: sirs-criteria”", "Is this the usual name?")
        await choose_more(person, "o")
        await person.reads("Ask for a review of sirs-criteria")
        await person.pastes("C1 C4")
        await person.presses("f3")
        await person.reads("As C3 I ask for a review of sirs-criteria by C1, C4.")
        await person.presses("y")
        await person.until(lambda: len(list((workspace.reviews_dir / "events" / SKILL).glob("*-open-*"))) == 1, "it")


async def test_a_trial_recorded_as_evidence_is_part_of_the_packet(workspace, bench) -> None:
    fresh = Workspace(workspace.root)
    subject = skill_status(fresh, Ledger.load(fresh), SKILL, "C2").subject
    (task, digest) = next(iter(subject.tasks.items()))
    measured = Measured(
        "01TRIAL", task, digest, subject.content, "reader", None, "small", False, 2,
        {"no-skill": 0.25, "with-skill": 0.75}, {"with-skill": {"sirs": 0.875}},
    )  # fmt: skip
    record(workspace, SKILL, "C2", attach(measured))
    async with bench(workspace, "C2", size=(160, 45)) as person:
        await open_review(person)
        await person.presses("5")
        await person.reads(f"{task} · reader · dataset small · 2 runs per condition · NOT ISOLATED")
        await person.reads("with-skill  reward 0.750", "sirs: with-skill 0.875")
        await choose_more(person, "t")
        await person.is_told("no finished trial gave this skill to an agent")


async def test_only_the_scope_that_changed_needs_a_decision(workspace, bench) -> None:
    approve(workspace, "C2", "C4")
    path: Path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + "\nThe name is historical.\n", "utf-8")
    commit(workspace, "remark")
    async with bench(workspace, "C2", size=(120, 40)) as person:
        await open_review(person)
        await person.reads("Only definition changed since the approval")
        await person.presses("7")
        await person.reads("In brackets after stale: the scopes whose part of the text changed")
        await person.reads("changed: Literature → definition", "output: Output, Missing data, Ties and duplicates")
        await person.presses("1")
        await person.reads("Since your verdict on version 1, given 20", " UTC:", "+ The name is historical.")
        await person.presses("tab", "a", "f3")
        await person.reads("I approve its definition.")
        await person.presses("y")
        await person.is_told("is recorded")
    (*_, verdict) = events(workspace, Verdict)
    assert set(verdict.decisions) == {"definition"}
    assert verdict.looked_at == ("diff",)


async def test_what_was_refused_on_one_screen_is_not_left_standing_over_the_next(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        await person.presses("f8")
        await person.is_told("The lint has no findings")
        await person.presses("f3")
        await person.sees("You have given no verdict")
        assert not person.app._notifications

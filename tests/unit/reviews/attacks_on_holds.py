"""Attacks on what holds an approval up: carried changes, findings and their fixes, overrides."""

from __future__ import annotations

from collections.abc import Callable

from attack_kinds import ABSENT, BLOCKERS, C4, RULES, SIGNED, STATE, STRICT, WRITE_ONCE, Attack
from attacks_on_events import copied_to_another_text, deleted, edited
from reviews_forgery import event_at, forge, one_event
from reviews_stories import approved, blocked, carried, fixed, redrafted, untouched
from reviews_ward import Ward


def carry_over_a_threshold(ward: Ward) -> None:
    """A changed threshold, and C4's signed word that it is editorial."""
    base = event_at(one_event(ward, "C1", "verdict"))
    ward.edit("above 2", "above 9")
    ward.commit("a new threshold")
    before = {"content": base.content, "tasks": dict(base.tasks)}
    forge(ward, "carry", "C4", signer="C4", base=before, shown=ABSENT)


def carry_from_a_draft(ward: Ward) -> None:
    """Blanks were added to a text that nobody had approved, and C4 carries 'its approval' over."""
    subject = ward.status().subject
    assert subject is not None
    ward.edit("Free text.\n", "Free text.  \n")
    ward.commit("blanks")
    before = {"content": subject.content, "tasks": dict(subject.tasks)}
    forge(ward, "carry", "C4", signer="C4", base=before, shown=ABSENT)


def carry_by_the_author(ward: Ward) -> None:
    base = event_at(one_event(ward, "C1", "verdict"))
    ward.edit("Free text.\n", "Free text.  \n")
    ward.commit("blanks", author=C4)
    before = {"content": base.content, "tasks": dict(base.tasks)}
    forge(ward, "carry", "C4", signer="C4", base=before, shown=ABSENT)


def fixed_in(which: Callable[[Ward], str], actor: str = "C1") -> Callable[[Ward], None]:
    """A signed resolution by hand: the blocker is fixed in a content that ``which`` names."""

    def do(ward: Ward) -> None:
        found = event_at(one_event(ward, "C1", "verdict"))
        forge(
            ward,
            "resolve",
            actor,
            signer=actor,
            finding=f"{found.id}#f1",
            resolution="fixed",
            fixed_in=which(ward),
            reason="It is fixed.",
        )

    return do


def present_text(ward: Ward) -> str:
    subject = ward.status().subject
    assert subject is not None
    return subject.content


def faulty_text(ward: Ward) -> str:
    return event_at(one_event(ward, "C1", "verdict")).content


def back_to_before_the_fix(ward: Ward) -> None:
    """A draft older than the fix, which nobody had judged and which has the defect too, is brought back, approved."""
    older = ward.git("show", f"{ward.git('rev-list', '--max-parents=0', 'HEAD').strip()}:skills/lactate/SKILL.md")
    ward.file().write_text(older)
    ward.commit("back to the first draft")
    ward.approve("C2", "C4")


def override_by_hand(ward: Ward) -> None:
    forge(ward, "override", "C4", signer="C4", rules=["open-blocker"], reason="C1 has left.")


def override_by_a_policy_of_ones_own(ward: Ward) -> None:
    """C4 names themselves in the policy, in a commit of their own, and sets the blocker aside."""
    path = ward.root / "reviews/policy.toml"
    path.write_text(f'may_override = ["C4"]\n{path.read_text()}')
    ward.commit("C4 may", author=C4)
    override_by_hand(ward)


ON_HOLDS: tuple[Attack, ...] = (
    Attack(
        "a carry is edited", carried, edited("C4", "carry", b"shown: sha256:", b"shown: sha256:0"), 2, STRICT, "shown"
    ),
    Attack("a carry is deleted", carried, deleted("C4", "carry"), 2, WRITE_ONCE, "was removed by commit"),
    Attack("a carry is copied to other content", carried, copied_to_another_text(("C4", "carry")), 2, SIGNED, "carry"),
    Attack(
        "a changed threshold is carried over as editorial",
        approved,
        carry_over_a_threshold,
        1,
        STATE,
        "substantive, not editorial",
    ),
    Attack("an approval that never was is carried over", untouched, carry_from_a_draft, 1, STATE, "never approved"),
    Attack(
        "the author carries the own change over", approved, carry_by_the_author, 1, STATE, "had a hand in this text"
    ),
    Attack("a resolution is edited", fixed, edited("C1", "resolve", b"arterial", b"venous"), 2, SIGNED, "C1-resolve"),
    Attack("a resolution is deleted", fixed, deleted("C1", "resolve"), 2, WRITE_ONCE, "was removed by commit"),
    Attack("somebody else settles a finding", blocked, fixed_in(present_text, "C4"), 1, BLOCKERS, "f1 (schema)"),
    Attack(
        "a finding is fixed by a version that nobody recorded",
        blocked,
        fixed_in(lambda ward: ABSENT),
        1,
        BLOCKERS,
        "in no recorded version",
    ),
    Attack(
        "a finding is fixed by the very text that has it",
        blocked,
        fixed_in(faulty_text),
        1,
        BLOCKERS,
        "the text on which it was found",
    ),
    Attack(
        "a draft from before the fix is brought back and approved",
        redrafted,
        back_to_before_the_fix,
        1,
        BLOCKERS,
        "did not grow out of",
    ),
    Attack("a blocker is set aside by somebody who may not", blocked, override_by_hand, 1, BLOCKERS, "f1 (schema)"),
    Attack(
        "somebody lets themselves set a blocker aside",
        blocked,
        override_by_a_policy_of_ones_own,
        1,
        RULES,
        "adopted by nobody",
    ),
)

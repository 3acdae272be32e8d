"""Attacks on a consensus and on a sign-off, by outsiders and by reviewers with their own keys."""

from __future__ import annotations

from attack_kinds import ABSENT, ATTRIBUTED, BLOCKERS, C1, C2, C4, CONSENSUS, RELIES, SIGNED, STRICT, WRITE_ONCE, Attack
from attacks_on_events import copied_to_another_text, deleted, edited, replayed
from reviews_forgery import event_at, forge, one_event, reforged
from reviews_stories import act, approved, blocked, disputed, released
from reviews_ward import Ward

from m4review.reviews.acts import Plan
from m4review.reviews.duties import withdraw_event
from m4review.reviews.settling import propose


def consensus_without_its_input(ward: Ward) -> None:
    act(ward, "C4", withdraw_event(one_event(ward, "C4", "verdict").name, "I misread it."))


def consensus_for_two(ward: Ward) -> None:
    """C1 puts a consensus forward and writes C4's confirmation as well."""
    act(ward, "C1", consensus_of_c1())
    statement = event_at(one_event(ward, "C1", "consensus"))
    reforged(ward, one_event(ward, "C1", "consensus"), actor="C4", confirms=statement.id, clock=statement.clock + 1)
    ward.commit("C4 agrees", author=C1)


def consensus_of_c1() -> Plan:
    return propose({"schema": "approve"}, "The item is the arterial one.", resolutions={"f1": "Named."})


def consensus_in_other_words(ward: Ward) -> None:
    """C4 'confirms', in a signed event, something else than C1 put forward."""
    act(ward, "C1", consensus_of_c1())
    statement = event_at(one_event(ward, "C1", "consensus"))
    reforged(
        ward,
        one_event(ward, "C1", "consensus"),
        signer="C4",
        actor="C4",
        confirms=statement.id,
        decisions={"definition": "approve", "schema": "changes", "output": "approve"},
    )
    ward.commit("C4 agrees", author=C4)


def consensus_confirmed_by_a_bystander(ward: Ward) -> None:
    act(ward, "C1", consensus_of_c1())
    statement = event_at(one_event(ward, "C1", "consensus"))
    reforged(ward, one_event(ward, "C1", "consensus"), actor="C2", confirms=statement.id, clock=statement.clock + 1)
    ward.commit("C2 agrees", author=C2)


def consensus_on_nothing(ward: Ward) -> None:
    """C1 claims, signed, a consensus that settles a verdict nobody gave."""
    mine = event_at(one_event(ward, "C1", "verdict")).id
    decisions = {"definition": "approve", "schema": "approve", "output": "approve"}
    forge(ward, "consensus", "C1", signer="C1", verdicts=[mine, ABSENT], decisions=decisions, rationale="Agreed.")


def consensus_replayed_on_another_text(ward: Ward) -> None:
    """C1 and C4 themselves, signed anew, put their old consensus beside a new text instead of judging it."""
    ward.edit("above 2", "above 9")
    ward.commit("a new threshold")
    subject = ward.status().subject
    assert subject is not None
    first = reforged(ward, one_event(ward, "C1", "consensus"), signer="C1", content=subject.content)
    second = one_event(ward, "C4", "consensus")
    reforged(ward, second, signer="C4", content=subject.content, confirms=event_at(first).id)
    ward.commit("still agreed", author=C1)


def release_over_a_blocker(ward: Ward) -> None:
    """C4 signs off, signed and by hand, claiming that no blocker is open."""
    ids = [event_at(path).id for path in ward.events() if "-verdict-" in path.name]
    rules = [{"rule": "no open blocker", "passed": True, "why": "none is open"}]
    forge(ward, "sign-off", "C4", signer="C4", relied_on=ids[1:], rules=rules)


def release_on_nothing(ward: Ward) -> None:
    rules = [{"rule": "distinct reviewers per scope", "passed": True, "why": "2 of 2"}]
    forge(ward, "sign-off", "C4", signer="C4", relied_on=[ABSENT], rules=rules)


ON_SETTLEMENTS: tuple[Attack, ...] = (
    Attack(
        "a consensus is edited", released, edited("C1", "consensus", b"arterial", b"venous"), 2, SIGNED, "C1-consensus"
    ),
    Attack("a consensus is deleted", released, deleted("C1", "consensus"), 2, WRITE_ONCE, "was removed by commit"),
    Attack(
        "a consensus is copied to other content",
        released,
        copied_to_another_text(("C1", "consensus"), ("C4", "consensus")),
        2,
        SIGNED,
        "consensus",
    ),
    Attack(
        "a consensus is replayed for another skill",
        released,
        replayed("C1", "consensus"),
        2,
        STRICT,
        "the name and the content disagree",
    ),
    Attack(
        "insiders put an old consensus beside a new text",
        released,
        consensus_replayed_on_another_text,
        1,
        CONSENSUS,
        "no longer stands",
    ),
    Attack(
        "what a consensus settles was withdrawn",
        released,
        consensus_without_its_input,
        1,
        CONSENSUS,
        "no longer stands",
    ),
    Attack(
        "one participant writes the other's confirmation",
        disputed,
        consensus_for_two,
        1,
        ATTRIBUTED,
        "C4 had a key to sign with",
    ),
    Attack(
        "a confirmation confirms something else",
        disputed,
        consensus_in_other_words,
        1,
        CONSENSUS,
        "not yet confirmed by C4",
    ),
    Attack(
        "a bystander confirms a consensus",
        disputed,
        consensus_confirmed_by_a_bystander,
        1,
        CONSENSUS,
        "not yet confirmed by C4",
    ),
    Attack(
        "a consensus settles a verdict nobody gave", disputed, consensus_on_nothing, 2, RELIES, "which is not there"
    ),
    Attack(
        "a sign-off is edited",
        released,
        edited("C1", "sign-off", b"passed: true", b"passed: false"),
        2,
        SIGNED,
        "C1-sign-off",
    ),
    Attack("a sign-off is deleted", released, deleted("C1", "sign-off"), 2, WRITE_ONCE, "was removed by commit"),
    Attack(
        "a sign-off is copied to other content",
        released,
        copied_to_another_text(("C1", "sign-off")),
        2,
        SIGNED,
        "sign-off",
    ),
    Attack("a sign-off over an open blocker", blocked, release_over_a_blocker, 1, BLOCKERS, "f1 (schema)"),
    Attack("a sign-off that relies on nothing", approved, release_on_nothing, 2, RELIES, "which is not there"),
)

"""Attacks on sealed rounds, by outsiders and by reviewers with their own keys."""

from __future__ import annotations

from pathlib import Path

from attack_kinds import C1, REVEALS, STRICT, WRITE_ONCE, Attack
from attacks_on_events import deleted, edited, replayed
from reviews_forgery import event_at, forge, one_event, reforged, removed
from reviews_stories import revealed, said, sealed, untouched, with_policy
from reviews_ward import NOON, Ward

from m4review.reviews.rounds import commitment
from m4review.reviews.sealing import reveal_verdict, seal_verdict


def other_than_sealed(ward: Ward) -> None:
    """C4 showed an approval; C1, who had sealed one too, shows a request for changes under the same seal."""
    reveal_verdict(ward.workspace, "lactate", "C4", now=NOON)
    reveal_verdict(ward.workspace, "lactate", "C1", now=NOON)
    verdict, reveal = one_event(ward, "C1", "verdict"), one_event(ward, "C1", "reveal")
    ward.git("reset", "-q", "--soft", "HEAD~1")
    shown = reforged(ward, verdict, signer="C1", decisions={**event_decisions(verdict), "schema": "changes"})
    reforged(ward, reveal, signer="C1", verdict=event_at(shown).id)
    removed(verdict)
    removed(reveal)
    ward.commit("C1 shows", author=C1)


def event_decisions(path: Path) -> dict[str, str]:
    return dict(event_at(path).decisions)  # type: ignore[union-attr]


def shown_before_the_other_sealed(ward: Ward) -> None:
    """C1 seals and shows at once, by hand; only then does C4 seal, having seen it."""
    with_policy(ward, 'independent = "sealed"')
    verdict = forge(ward, "verdict", "C1", signer="C1")
    nonce = "ab" * 32
    seal = forge(ward, "seal", "C1", signer="C1", commitment=commitment(nonce, verdict.read_bytes()))
    ids = [event_at(seal).id, event_at(verdict).id]
    forge(ward, "reveal", "C1", signer="C1", seal=ids[0], nonce=nonce, verdict=ids[1], after=sorted(ids))
    seal_verdict(ward.workspace, "lactate", "C4", said(), now=NOON)
    reveal_verdict(ward.workspace, "lactate", "C4", now=NOON)


def reveal_for_another_skill(ward: Ward) -> None:
    """C1 uses the own seal and verdict on lactate to show something about shock."""
    reveal = one_event(ward, "C1", "reveal")
    subject = ward.status("shock").subject
    assert subject is not None
    reforged(ward, reveal, signer="C1", skill="shock", content=subject.content, tasks=dict(subject.tasks))
    ward.commit("C1 shows shock", author=C1)


def two_ids(ward: Ward) -> None:
    """C1 stands on the roster a second time, as C5, and seals and shows under both ids."""
    roster = ward.root / "reviews/roster.toml"
    second = '[[reviewers]]\nid = "C5"\nrole = "surgeon"\nexpertise = "r"\ngit_emails = ["c1@reviewers.invalid"]\n\n'
    roster.write_text(roster.read_text().replace("[pairs]", f"{second}[pairs]"))
    with_policy(ward, 'independent = "sealed"')
    shown = []
    for actor, nonce in (("C1", "ab" * 32), ("C5", "cd" * 32)):
        signer = "C1" if actor == "C1" else None
        verdict = forge(ward, "verdict", actor, signer=signer)
        seal = forge(ward, "seal", actor, signer=signer, commitment=commitment(nonce, verdict.read_bytes()))
        shown.append((actor, signer, nonce, event_at(seal).id, event_at(verdict).id))
    for actor, signer, nonce, seal_id, verdict_id in shown:
        after = sorted(entry[3] for entry in shown)
        forge(ward, "reveal", actor, signer=signer, seal=seal_id, nonce=nonce, verdict=verdict_id, after=after)


ON_ROUNDS: tuple[Attack, ...] = (
    Attack(
        "a seal is edited",
        revealed,
        edited("C1", "seal", b"commitment: sha256:", b"commitment: sha256:0"),
        2,
        STRICT,
        "commitment",
    ),
    Attack("a seal is deleted", revealed, deleted("C1", "seal"), 2, WRITE_ONCE, "was removed by commit"),
    Attack("a reveal is deleted", revealed, deleted("C1", "reveal"), 2, WRITE_ONCE, "was removed by commit"),
    Attack(
        "a reveal is replayed for another skill",
        revealed,
        replayed("C1", "reveal"),
        2,
        STRICT,
        "the name and the content disagree",
    ),
    Attack("an insider's reveal for another skill", revealed, reveal_for_another_skill, 2, REVEALS, "another text"),
    Attack(
        "an insider shows another verdict than was sealed",
        sealed,
        other_than_sealed,
        2,
        REVEALS,
        "what is shown is not what was sealed",
    ),
    Attack(
        "a verdict is shown before the other is sealed",
        untouched,
        shown_before_the_other_sealed,
        1,
        REVEALS,
        "1 of 2 had sealed",
    ),
    Attack("one human seals under two ids", untouched, two_ids, 1, REVEALS, "1 of 2 had sealed"),
)

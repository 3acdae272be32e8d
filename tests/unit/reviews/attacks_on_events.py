"""Attacks on event files and their signatures: edited, deleted, renumbered, replayed, backdated, forged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from attack_kinds import C1, DATES, NAMES, ORDER, SIGNED, STRICT, WRITE_ONCE, Attack
from reviews_forgery import event_at, forge, one_event, reforged, removed, renamed_to_fit, replaced, sign, signature_of
from reviews_stories import approved, untouched
from reviews_ward import NOON, Ward

from m4review.reviews.events import event_path, render_event
from m4review.reviews.signing import SshKeygen, key_file


def edited_in_place(ward: Ward) -> None:
    event = ward.events()[0]
    event.write_bytes(event.read_bytes().replace(b"schema: approve", b"schema: changes"))
    ward.commit("a small correction")


def edited(actor: str, kind: str, before: bytes, after: bytes) -> Callable[[Ward], None]:
    """The event says something else, under a name that fits, with the signature it had."""

    def do(ward: Ward) -> None:
        replaced(ward, one_event(ward, actor, kind), before, after)
        ward.commit("a small correction")

    return do


def deleted(actor: str, kind: str) -> Callable[[Ward], None]:
    def do(ward: Ward) -> None:
        removed(one_event(ward, actor, kind))
        ward.commit("tidied up")

    return do


def replayed(actor: str, kind: str) -> Callable[[Ward], None]:
    """The event, signature and all, lies with another skill too."""

    def do(ward: Ward) -> None:
        event = one_event(ward, actor, kind)
        target = ward.root / "reviews/events/shock" / event.name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(event, target)
        shutil.copyfile(signature_of(event), signature_of(target))
        ward.commit(f"{actor} says the same of shock")

    return do


def rewritten_for_another_skill(ward: Ward) -> None:
    event = one_event(ward, "C1", "verdict")
    renamed_to_fit(ward, event.read_bytes().replace(b"skill: lactate", b"skill: shock"), event, "shock")
    ward.commit("C1 also approved shock")


def copied_to_another_text(*which: tuple[str, str]) -> Callable[[Ward], None]:
    """The text changes, and the named events claim that they were about it, with the signatures they had."""

    def do(ward: Ward) -> None:
        old = ward.status().subject
        ward.edit("above 2", "above 9")
        ward.commit("a new threshold")
        new = ward.status().subject
        assert old is not None
        assert new is not None
        for actor, kind in which:
            event = one_event(ward, actor, kind)
            data = event.read_bytes().replace(old.content.encode(), new.content.encode())
            for scope, digest in old.scopes.items():
                data = data.replace(digest.encode(), new.scopes[scope].encode())
            renamed_to_fit(ward, data, event)
        ward.commit("still the same")

    return do


def renumbered(ward: Ward) -> None:
    first = ward.events()[0]
    later = first.with_name(first.name.replace("0001-", "0009-"))
    ward.git("mv", str(first), str(later))
    ward.git("mv", str(signature_of(first)), str(signature_of(later)))
    ward.commit("reordered")


def later_clock(ward: Ward) -> None:
    """The insider C1 gives an own event a later number and signs it anew."""
    first = one_event(ward, "C1", "verdict")
    reforged(ward, first, signer="C1", clock=9)
    removed(first)
    ward.commit("reordered", author=C1)


def dated_before_what_it_had_seen(ward: Ward) -> None:
    ward.say("C2", now=NOON - timedelta(days=30))


def recorded_long_after(ward: Ward) -> None:
    ward.say("C2", now=datetime(2001, 1, 1, tzinfo=UTC))
    ward.say("C3", now=datetime(2001, 1, 1, tzinfo=UTC))


def signed_with(key_of: Callable[[Ward], Path], actor: str, namespace: str) -> Callable[[Ward], None]:
    def do(ward: Ward) -> None:
        event = forge(ward, "comment", actor)
        signature_of(event).write_bytes(SshKeygen().sign(event.read_bytes(), key_of(ward), namespace))
        ward.commit("signed")

    return do


def unknown_key(ward: Ward) -> Path:
    SshKeygen().create(ward.root.parent / "mallory", "C2")
    return ward.root.parent / "mallory"


def own_key(reviewer: str) -> Callable[[Ward], Path]:
    def find(ward: Ward) -> Path:
        key = key_file(reviewer)
        assert key is not None
        return key

    return find


def of_a_later_version(**change: str) -> Callable[[Ward], None]:
    """An event as a later version may write it: another kind, another schema or another digest scheme."""

    def do(ward: Ward) -> None:
        event = event_at(one_event(ward, "C1", "verdict"))
        values = event.model_dump(mode="json", by_alias=True, exclude={"id", "path", "notes", "raw"}) | change
        data = render_event(values, "")
        path = ward.workspace.events_dir / event_path(values, data)
        path.write_bytes(data)
        sign(path, "C1")
        ward.commit("from a newer program", author=C1)

    return do


def repeated_key(ward: Ward) -> None:
    event = one_event(ward, "C1", "verdict")
    path = renamed_to_fit(ward, event.read_bytes().replace(b"\nactor: C1", b"\nactor: C1\nactor: C1"), event)
    sign(path, "C1")
    ward.commit("twice")


def link_as_event(ward: Ward) -> None:
    event = one_event(ward, "C1", "verdict")
    data = event.read_bytes()
    event.unlink()
    (ward.root / "elsewhere.md").write_bytes(data)
    event.symlink_to("../../../elsewhere.md")
    ward.commit("a link")


ON_EVENTS: tuple[Attack, ...] = (
    Attack("an event is edited", approved, edited_in_place, 2, NAMES, "so it was changed"),
    Attack(
        "an event is edited and renamed to fit",
        approved,
        edited("C1", "verdict", b"schema: approve", b"schema: abstain"),
        2,
        SIGNED,
        "C1-verdict",
    ),
    Attack("the last event is deleted", approved, deleted("C4", "verdict"), 2, WRITE_ONCE, "was removed by commit"),
    Attack("an event that others had seen is deleted", approved, deleted("C1", "verdict"), 2, ORDER, "no longer there"),
    Attack("events are renumbered", approved, renumbered, 2, STRICT, "the name and the content disagree"),
    Attack(
        "an insider gives an own event a later number", approved, later_clock, 2, WRITE_ONCE, "was removed by commit"
    ),
    Attack(
        "C1's verdict is replayed for another skill",
        approved,
        replayed("C1", "verdict"),
        2,
        STRICT,
        "the name and the content disagree",
    ),
    Attack("C1's verdict is rewritten for another skill", approved, rewritten_for_another_skill, 2, SIGNED, "shock/"),
    Attack(
        "an approval is copied to other content",
        approved,
        copied_to_another_text(("C1", "verdict"), ("C4", "verdict")),
        2,
        SIGNED,
        "verdict",
    ),
    Attack("an event is dated before one it had seen", approved, dated_before_what_it_had_seen, 2, DATES, "had seen"),
    Attack(
        "an unsigned event is recorded long after its date", untouched, recorded_long_after, 1, DATES, "and not signed"
    ),
    Attack(
        "an event is signed with an unknown key",
        approved,
        signed_with(unknown_key, "C2", "m4review.event.v1"),
        2,
        SIGNED,
        "not on the list",
    ),
    Attack(
        "an event is signed for another purpose",
        approved,
        signed_with(own_key("C1"), "C1", "git"),
        2,
        SIGNED,
        "namespace",
    ),
    Attack(
        "an event is signed by another reviewer",
        approved,
        signed_with(own_key("C4"), "C1", "m4review.event.v1"),
        2,
        SIGNED,
        "signed with a key of C4",
    ),
    Attack(
        "an event of a kind nobody knows",
        approved,
        of_a_later_version(kind="endorse"),
        3,
        STRICT,
        "use a newer m4review",
    ),
    Attack(
        "an event of a later schema",
        approved,
        of_a_later_version(schema="m4review.event.v2"),
        3,
        STRICT,
        "use a newer m4review",
    ),
    Attack(
        "an event under a later digest scheme",
        approved,
        of_a_later_version(scheme="m4review.digest.v2"),
        3,
        STRICT,
        "use a newer m4review",
    ),
    Attack("a key is given twice in a signed event", approved, repeated_key, 2, STRICT, "actor"),
    Attack("an event is replaced by a link", approved, link_as_event, 2, NAMES, "a link, which is no event"),
)

"""Event files: named by their own hash, written once, read strictly."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml
from reviews_ward import Ward

from m4review.errors import LedgerError
from m4review.reviews.events import KINDS, NotUnderstoodError, Verdict, event_path, parse_event, render_event
from m4review.reviews.ledger import read_events

DIGEST = "sha256:" + "0" * 64
VALUES: dict[str, Any] = {
    "schema": "m4review.event.v1",
    "kind": "verdict",
    "skill": "lactate",
    "scheme": "m4review.digest.v1",
    "content": DIGEST,
    "tasks": {"lactate-24h": DIGEST},
    "actor": "C1",
    "at": "2026-01-31T12:00:00Z",
    "clock": 1,
    "after": [],
    "policy": DIGEST,
    "tool": "m4review 0",
    "meaning": "As C1 I approve.",
    "scopes": {"definition": DIGEST, "schema": DIGEST, "output": DIGEST},
    "round": "independent",
    "decisions": {"definition": "approve", "schema": "changes", "output": "abstain"},
    "looked_at": ["text", "diff"],
    "conflict_of_interest": "none",
    "supersedes": [],
}


def written(values: dict[str, Any], notes: str = "A note.") -> tuple[str, bytes]:
    data = render_event(values, notes)
    return event_path(values, data), data


def named(data: bytes, name: str = "lactate/0001-C1-verdict") -> str:
    """A path whose hash part fits the bytes, so that only their content can be wrong."""
    return f"{name}-{hashlib.sha256(data).hexdigest()[:12]}.md"


def test_an_event_reads_back_as_it_was_written() -> None:
    notes = "Two lines,\n\nwith ≥ and `---`:\n---\nnot a front matter."
    path, data = written(VALUES, notes)
    event = parse_event(data, path)
    assert isinstance(event, Verdict)
    assert (event.decisions["schema"], event.notes, event.path) == ("changes", notes, path)
    assert event.id == "sha256:" + hashlib.sha256(data).hexdigest()
    assert path == f"lactate/0001-C1-verdict-{event.id[7:19]}.md"


def test_a_verdict_in_a_repository_is_named_by_sha256sum(ward: Ward) -> None:
    path = ward.say("C1", notes="Fine.")
    stored = ward.git("show", f"HEAD:reviews/events/lactate/{path.name}").encode()
    assert path.name == f"0001-C1-verdict-{hashlib.sha256(stored).hexdigest()[:12]}.md"
    front = yaml.safe_load(stored.decode().split("---\n")[1])
    assert list(front)[:5] == ["schema", "kind", "skill", "scheme", "content"]
    assert front["meaning"].startswith("As C1 I have read version 1 of lactate beside its task cards")


@pytest.mark.parametrize("at", [0, 20, -1])
def test_one_changed_byte_of_an_event_no_longer_matches_its_name(at: int) -> None:
    path, data = written(VALUES)
    changed = bytearray(data)
    changed[at] ^= 1
    with pytest.raises(LedgerError, match="changed after it was recorded"):
        parse_event(bytes(changed), path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"extra": 1}, "extra"),
        ({"id": DIGEST}, "unknown key 'id'"),
        ({"notes": "x"}, "unknown key 'notes'"),
        ({"raw": "x"}, "unknown key 'raw'"),
        ({"schema_id": "m4review.event.v1"}, "schema_id"),
        ({"content": "sha256:00"}, "content"),
        ({"content": DIGEST.upper()}, "content"),
        ({"tasks": {"a": "md5:0"}}, "tasks"),
        ({"decisions": {}}, "decisions"),
        ({"decisions": {"definition": "yes"}}, "decisions"),
        ({"decisions": {"style": "approve"}}, "decisions"),
        ({"at": "2026-01-31 12:00"}, "at"),
        ({"at": "2026-01-31T12:00:00+00:00"}, "at"),
        ({"clock": "1"}, "clock"),
        ({"clock": True}, "clock"),
        ({"clock": 0}, "clock"),
        ({"after": ["C1"]}, "after"),
        ({"after": DIGEST}, "after"),
        ({"round": "third"}, "round"),
        ({"conflict_of_interest": ""}, "conflict_of_interest"),
        ({"supersedes": [1]}, "supersedes"),
        ({"meaning": None}, "meaning"),
        ({"skill": 7}, "skill"),
    ],
)
def test_a_front_matter_that_is_not_exactly_a_verdict_is_refused(change: dict[str, Any], message: str) -> None:
    data = render_event({**VALUES, **change}, "")
    with pytest.raises(LedgerError, match=message) as refused:
        parse_event(data, named(data))
    assert not isinstance(refused.value, NotUnderstoodError)


@pytest.mark.parametrize("missing", sorted(set(VALUES) - {"supersedes"}))
def test_a_missing_key_is_refused(missing: str) -> None:
    data = render_event({key: value for key, value in VALUES.items() if key != missing}, "")
    with pytest.raises(LedgerError, match=missing):
        parse_event(data, named(data))


def test_a_repeated_key_is_refused() -> None:
    data = render_event(VALUES, "").replace(b"actor: C1\n", b"actor: C1\nactor: C1\n")
    with pytest.raises(LedgerError, match="duplicate key 'actor'") as refused:
        parse_event(data, named(data))
    assert refused.value.line == 10
    nested = render_event(VALUES, "").replace(b"  output: abstain\n", b"  output: abstain\n  output: approve\n")
    with pytest.raises(LedgerError, match="duplicate key 'output'"):
        parse_event(nested, named(nested))


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("lactate/0002-C1-verdict", "disagree"),
        ("lactate/0001-C4-verdict", "disagree"),
        ("lactate/0001-C1-withdraw", "disagree"),
        ("shock/0001-C1-verdict", "disagree"),
        ("lactate/1-C1-verdict", "not the name"),
        ("lactate/0001-Ana-verdict", "not the name"),
        ("0001-C1-verdict", "not the name"),
        ("a/lactate/0001-C1-verdict", "not the name"),
    ],
)
def test_an_event_under_another_name_or_skill_is_refused(place: str, message: str) -> None:
    _, data = written(VALUES)
    with pytest.raises(LedgerError, match=message):
        parse_event(data, named(data, place))


@pytest.mark.parametrize(
    "data",
    [b"", b"no front matter\n", b"---\nkind: verdict\n", b"---\n- a\n---\n", b"---\nkind: [\n---\n", b"\xff\n"],
)
def test_a_file_that_is_no_event_is_named_not_fatal(data: bytes) -> None:
    events, problems = read_events({named(data): data})
    assert events == ()
    assert [(problem.kind, problem.skill) for problem in problems] == [("damaged", "lactate")]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"kind": "vote"}, "lactate/0001-C1-vote"),
        ({"schema": "m4review.event.v2"}, "lactate/0001-C1-verdict"),
        ({"scheme": "m4review.digest.v9"}, "lactate/0001-C1-verdict"),
    ],
)
def test_an_event_of_a_later_version_is_listed_and_never_counted(change: dict[str, Any], name: str) -> None:
    data = render_event({**VALUES, **change}, "")
    events, problems = read_events({named(data, name): data})
    assert events == ()
    assert [problem.kind for problem in problems] == ["not understood"]


def test_a_tampered_event_is_named_and_never_counted(ward: Ward, m4review: Any) -> None:
    ward.say("C1")
    ward.say("C4", schema="changes")
    assert ward.truth().label == "disputed"
    path = ward.events()[1]
    path.write_text(path.read_text().replace("schema: changes", "schema: approve"))
    ward.commit("better this way")
    assert ward.truth().label == "in review (1 of 2)"
    for words in (("review", "status"), ("review", "status", "lactate"), ("review", "status", "--json")):
        code, out, err = m4review(*words)
        assert code == 2
        assert path.name in err or path.name in out
        assert "damaged" in err


def test_a_deleted_verdict_and_a_copied_one_do_not_count(ward: Ward) -> None:
    ward.approve("C1", "C4")
    copied = ward.root / "reviews/events/shock" / ward.events()[0].name
    copied.parent.mkdir()
    copied.write_bytes(ward.events()[0].read_bytes())
    assert ward.truth("shock").state == "draft"
    again = ward.events()[0].with_name("0009" + ward.events()[0].name[4:])
    again.write_bytes(ward.events()[0].read_bytes())
    assert ward.truth().given == 2
    ward.events()[0].unlink()
    assert ward.truth().label == "in review (1 of 2)"


def test_hidden_files_beside_events_are_passed_over(ward: Ward) -> None:
    ward.say("C1")
    folder: Path = ward.events()[0].parent
    (folder / ".gitkeep").touch()
    (folder / f"{ward.events()[0].name}.sig").write_text("a signature\n")
    (folder / "notes.txt").write_text("stray\n")
    events, problems = read_events({f"lactate/{path.name}": path.read_bytes() for path in folder.iterdir()})
    assert len(events) == 1
    assert [problem.path for problem in problems] == ["lactate/notes.txt"]


EXTRA: dict[str, dict[str, Any]] = {
    "open": {"authors": ["C3"], "reviewers": [], "scopes": ["schema"], "base": DIGEST, "due": "2026-02-28"},
    "seal": {"commitment": DIGEST},
    "reveal": {"seal": DIGEST, "nonce": "0f" * 32, "verdict": DIGEST},
    "comment": {
        "scope": "schema",
        "anchor": {"path": ["Lactate", "Source map"], "quote": "50813", "prefix": "| ", "suffix": " |", "line": 7},
        "reply_to": DIGEST,
    },
    "resolve": {"finding": f"{DIGEST}#f1", "resolution": "fixed", "fixed_in": DIGEST, "reason": "Item replaced."},
    "consensus": {
        "verdicts": [DIGEST, "sha256:" + "1" * 64],
        "decisions": {"definition": "approve", "schema": "changes", "output": "approve"},
        "resolutions": {f"{DIGEST}#f1": "The item is right."},
        "rationale": "The first charting counts.",
        "dissent": "I would take the last one.",
        "confirms": None,
    },
    "sign-off": {"relied_on": [DIGEST], "rules": [{"rule": "reviewers", "passed": True, "why": "2 of 2"}]},
    "carry": {"base": {"content": DIGEST, "tasks": {}}, "shown": DIGEST},
    "trial": {
        "trial": "01J",
        "task": "lactate-24h",
        "agent": "reader",
        "model": None,
        "dataset": "demo",
        "isolated": True,
        "n": 3,
        "rewards": {"no-skill": 0.0, "with-skill": 0.5},
        "columns": {"with-skill": {"value": 0.25}},
    },
    "assign": {"reviewers": ["C2"], "targets": [DIGEST], "reason": "C1 is away."},
    "recuse": {"reason": "I wrote the guideline."},
    "withdraw": {"target": DIGEST, "reason": "Wrong table."},
    "revoke": {"targets": [DIGEST], "reason": "The key was lost."},
    "override": {"rules": ["open-blocker"], "targets": [f"{DIGEST}#f1"], "reason": "Its giver has left."},
}
COMMON = {key: VALUES[key] for key in list(VALUES)[:13]}


@pytest.mark.parametrize("kind", sorted(EXTRA))
def test_every_kind_reads_back_and_refuses_a_key_too_many_or_too_few(kind: str) -> None:
    values = {**COMMON, **EXTRA[kind], "kind": kind}
    path, data = written(values)
    event = parse_event(data, path)
    assert (event.kind, event.raw) == (kind, data)
    said = event.model_dump(mode="json", by_alias=True, exclude={"id", "path", "notes", "raw"})
    assert said == values
    for key in EXTRA[kind]:
        wrong = render_event({**values, key: {"surprise": ["?"]}}, "")
        with pytest.raises(LedgerError, match=key):
            parse_event(wrong, named(wrong, f"lactate/0001-C1-{kind}"))
    more = render_event({**values, "surprise": "?"}, "")
    with pytest.raises(LedgerError, match="surprise"):
        parse_event(more, named(more, f"lactate/0001-C1-{kind}"))


def test_every_kind_is_tried_above() -> None:
    assert {*EXTRA, "verdict"} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("resolve", {"fixed_in": None}),
        ("resolve", {"resolution": "no defect"}),
        ("resolve", {"finding": DIGEST}),
        ("trial", {"rewards": {"with-skill": 1.5}}),
        ("trial", {"rewards": {}}),
        ("trial", {"n": 0}),
        ("reveal", {"nonce": "00"}),
        ("override", {"rules": ["authors"]}),
        ("override", {"rules": []}),
        ("consensus", {"verdicts": [DIGEST]}),
        ("sign-off", {"rules": [{"rule": "reviewers", "passed": "yes", "why": "2 of 2"}]}),
        ("open", {"due": "28.2.2026"}),
        ("verdict", {"findings": [{"id": "a", "scope": "schema", "severity": "fatal", "text": "x"}]}),
        ("verdict", {"findings": [{"id": "a", "scope": "schema", "severity": "note", "text": "x"}] * 2}),
    ],
)
def test_values_that_contradict_themselves_are_refused(kind: str, change: dict[str, Any]) -> None:
    data = render_event({**(VALUES if kind == "verdict" else COMMON | EXTRA[kind]), "kind": kind, **change}, "")
    with pytest.raises(LedgerError):
        parse_event(data, named(data, f"lactate/0001-C1-{kind}"))

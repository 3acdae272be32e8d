"""The digest scheme: documented vectors, what moves a digest and what does not, what is refused."""

from __future__ import annotations

import base64
import hashlib
import json
from base64 import b64decode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4review.errors import LedgerError
from m4review.reviews import content_digest, scope_digests, task_digest
from m4review.reviews.digests import checklist_digest, context_digest, event_id, file_digest, scope_digest
from m4review.reviews.events import parse_event
from m4review.reviews.kinds import KINDS
from m4review.reviews.rounds import commitment
from m4review.reviews.scopes import scope_segments
from m4review.skills import SKILL_FILE
from m4review.workspace import Policy

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
POLICY = Policy(
    sections={"definition": ("Clinical definition",), "schema": ("Source map", "Notes"), "output": ("Output", "Notes")}
)


def files_of(vector: dict[str, object]) -> dict[str, bytes]:
    files = vector["files"]
    assert isinstance(files, dict)
    return {path: b64decode(data) for path, data in files.items()}


@pytest.mark.parametrize("vector", VECTORS["content"], ids=lambda vector: vector["name"])
def test_content_vectors(vector: dict[str, object]) -> None:
    assert content_digest(files_of(vector)) == vector["digest"]


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["name"])
def test_refused_vectors(vector: dict[str, object]) -> None:
    with pytest.raises(LedgerError):
        content_digest(files_of(vector))


@pytest.mark.parametrize("vector", VECTORS["task"], ids=lambda vector: vector["name"])
def test_task_vectors(vector: dict[str, str]) -> None:
    assert task_digest(b64decode(vector["task.toml"]), b64decode(vector["instruction.md"])) == vector["digest"]


@pytest.mark.parametrize("vector", VECTORS["scope"], ids=lambda vector: vector["name"])
def test_scope_vectors(vector: dict[str, object]) -> None:
    policy = Policy.model_validate({"sections": vector["sections"]})
    assert scope_digests(files_of(vector), policy) == vector["digests"]


@pytest.mark.parametrize("vector", VECTORS["file"], ids=lambda vector: vector["name"])
def test_file_vectors(vector: dict[str, str]) -> None:
    assert file_digest(b64decode(vector["bytes"])) == vector["digest"]


def test_the_scheme_in_ten_lines_of_its_own() -> None:
    """An independent reading of docs/digests.md."""
    files = {"b/c.md": b"two\n", "SKILL.md": b"one\n", "b.md": b""}
    stream = b"m4review.content.v1\x00"
    for path in ("SKILL.md", "b.md", "b/c.md"):
        stream += len(path).to_bytes(8, "big") + path.encode()
        stream += len(files[path]).to_bytes(8, "big") + hashlib.sha256(files[path]).digest()
    assert content_digest(files) == "sha256:" + hashlib.sha256(stream).hexdigest()


def test_an_event_id_is_what_sha256sum_prints() -> None:
    assert event_id(b"x\n") == "sha256:" + hashlib.sha256(b"x\n").hexdigest()


names = st.text("abcxyz-", min_size=1, max_size=4)
contents = st.text(max_size=20).map(lambda text: "".join(c for c in text if c.isprintable())).map(str.encode)


@given(
    st.dictionaries(names, contents, min_size=1, max_size=4), st.dictionaries(names, contents, min_size=1, max_size=4)
)
def test_equal_digests_mean_equal_files(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    try:
        digests = content_digest(one), content_digest(other)
    except LedgerError:
        return
    assert (digests[0] == digests[1]) == (one == other)


@given(st.permutations([("a", b"1"), ("b", b"2"), ("c/d", b"3")]))
def test_the_order_of_files_is_no_part_of_a_digest(items: list[tuple[str, bytes]]) -> None:
    assert content_digest(dict(items)) == content_digest({"a": b"1", "b": b"2", "c/d": b"3"})


def test_moving_bytes_between_files_or_names_moves_the_digest() -> None:
    digests = {
        content_digest(files)
        for files in (
            {"a": b"bc", "d": b""},
            {"a": b"b", "d": b"c"},
            {"ab": b"c", "d": b""},
            {"a": b"bcd"},
            {"ad": b"bc"},
        )
    }
    assert len(digests) == 5


def test_the_same_bytes_as_card_content_and_file_have_different_digests() -> None:
    both = {"task.toml": b"a", "instruction.md": b"b"}
    assert content_digest(both) != task_digest(b"a", b"b")
    assert file_digest(b"a") != event_id(b"a")
    assert scope_digest("output", [], {"a": b"b"}) != scope_digest("schema", [], {"a": b"b"})
    assert scope_digest("output", [b"ab"], {}) != scope_digest("output", [b"a", b"b"], {})


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"one\ntwo\xff", 2, "byte 0xff"),
        ("a\u200bb".encode(), 1, "U\\+200B"),
        ("one\r\ntwo\r\na\u202eb".encode(), 3, "U\\+202E"),
        ("a\n\u2066b".encode(), 2, "U\\+2066"),
        ("a\ufeffb".encode(), 1, "U\\+FEFF"),
        ("\U000e0041".encode(), 1, "U\\+E0041"),
        (b"a\x1b[8mhidden", 1, "U\\+001B"),
        (b"a\x00b", 1, "U\\+0000"),
    ],
)
def test_what_a_reader_cannot_see_is_refused_not_hashed(data: bytes, line: int, what: str) -> None:
    with pytest.raises(LedgerError, match=what) as refused:
        content_digest({"SKILL.md": data})
    assert (refused.value.where, refused.value.line) == ("SKILL.md", line)
    with pytest.raises(LedgerError, match=what):
        task_digest(b"", data)


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../b", "a//b", "./a", "a\\b", "a\u200b", "a\nb", "\udcff"])
def test_a_path_that_is_no_plain_path_is_refused(path: str) -> None:
    with pytest.raises(LedgerError):
        content_digest({path: b"x"})


def test_an_empty_folder_has_no_digest() -> None:
    with pytest.raises(LedgerError, match="without files"):
        content_digest({})


def test_clinical_characters_and_a_byte_order_mark_are_text() -> None:
    text = "≥ 38 °C × 10⁹/L – µg·kg⁻¹ é 血 ⚠\ufe0f\ttab\r\n"
    assert content_digest({"SKILL.md": text.encode()}) != content_digest({"SKILL.md": b"\xef\xbb\xbf" + text.encode()})


SKILL = b"""---
name: x
---
before

# Title

intro

## 2. Clinical **definition**:

a

### Deeper

b

## Source map

c

## Something else

d

## OUTPUT

e

## Notes

f
"""


def changed_by(old: bytes, new: bytes) -> set[str]:
    before, after = (scope_digests({SKILL_FILE: data}, POLICY) for data in (SKILL, SKILL.replace(old, new)))
    return {scope for scope in before if before[scope] != after[scope]}  # type: ignore[index]


@pytest.mark.parametrize(
    ("old", "new", "scopes"),
    [
        (b"\na\n", b"\nA\n", {"definition"}),
        (b"\nb\n", b"\nB\n", {"definition"}),
        (b"### Deeper", b"### Deepest", {"definition"}),
        (b"\nc\n", b"\nC\n", {"schema"}),
        (b"\ne\n", b"\nE\n", {"output"}),
        (b"\nf\n", b"\nF\n", {"schema", "output"}),
        (b"\nd\n", b"\nD\n", {"definition", "schema", "output"}),
        (b"before", b"After", {"definition", "schema", "output"}),
        (b"intro", b"INTRO", {"definition", "schema", "output"}),
        (b"name: x", b"name: y", {"definition", "schema", "output"}),
        (b"## Source map\n\nc\n\n", b"", {"schema"}),
    ],
)
def test_the_policy_says_which_text_belongs_to_which_scope(old: bytes, new: bytes, scopes: set[str]) -> None:
    assert old in SKILL
    assert changed_by(old, new) == scopes


def test_every_byte_belongs_to_a_scope_and_other_files_to_all() -> None:
    for data in (
        SKILL,
        SKILL.replace(b"\n", b"\r\n"),
        b"no front matter\n# Output\n",
        b"---\nname: [\n---\n# Output\n",
    ):
        segments = scope_segments(data, POLICY)
        assert b"".join(part for _, part in segments) == data
        assert all(scopes for scopes, _ in segments)
    plain = scope_digests({SKILL_FILE: SKILL}, POLICY)
    more = scope_digests({SKILL_FILE: SKILL, "references/a.md": b"a"}, POLICY)
    assert all(plain[scope] != more[scope] for scope in plain)


def test_text_without_readable_front_matter_belongs_to_all_scopes() -> None:
    assert [set(scopes) for scopes, _ in scope_segments(b"# Output\n\ntext\n", POLICY)] == [
        {"definition", "schema", "output"}
    ]


def test_every_vector_of_context_checklists_and_commitments_is_met() -> None:
    for vector in VECTORS["context"]:
        assert context_digest(vector["database"], vector["version"]) == vector["digest"]
    assert len({vector["digest"] for vector in VECTORS["context"]}) == len(VECTORS["context"])
    for vector in VECTORS["checklist"]:
        files = {path: b64decode(data) for path, data in vector["files"].items()}
        assert checklist_digest(files) == vector["digest"]
    for vector in VECTORS["commitment"]:
        assert commitment(vector["nonce"], b64decode(vector["verdict"])) == vector["commitment"]


def test_every_event_of_the_vectors_is_read_and_every_refused_one_is_not() -> None:
    for vector in VECTORS["events"]:
        event = parse_event(b64decode(vector["bytes"]), vector["path"])
        assert (event.kind, event.id, event.notes) == (vector["kind"], vector["id"], "A note.")
    assert {vector["kind"] for vector in VECTORS["events"]} == set(KINDS)
    for vector in VECTORS["refused_events"]:
        with pytest.raises(LedgerError):
            parse_event(b64decode(vector["bytes"]), vector["path"])


def test_the_check_that_the_page_on_events_shows_passes_on_the_vectors() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/events.md").read_text(encoding="utf-8")
    section = page[page.index("## Test vectors") : page.index("## What a viewer sees")]
    code = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    assert code.count("assert") == 2
    exec(compile(code, "events.md", "exec"), {"vectors": VECTORS, "base64": base64, "hashlib": hashlib})

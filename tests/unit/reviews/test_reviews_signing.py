"""Signatures: made when a key is there, checked against the list of keys, and never needed to review."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from reviews_ward import NOON, Ward

from m4review.errors import LedgerError
from m4review.reviews import Ledger
from m4review.reviews.events import parse_event
from m4review.reviews.signing import (
    AllowedSigners,
    EmptyAllowedSignersError,
    MissingAllowedSignersError,
    SshKeygen,
    UnreadableAllowedSignersError,
    assurance_of,
    create_key,
    key_file,
    parse_allowed_signers,
    register_key,
)
from m4review.reviews.signing.allowed import allowed_line, read_allowed_signers
from m4review.reviews.signing.assurance import Assurance, SignedEvent

Command = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("keys")


def checked(ward: Ward, path: Path, allowed: AllowedSigners | None = None, revoked: bytes | None = None) -> Assurance:
    event = parse_event(path.read_bytes(), path.relative_to(ward.workspace.events_dir).as_posix())
    signature = path.with_name(f"{path.name}.sig")
    item = SignedEvent(event, signature.read_bytes() if signature.exists() else None)
    known = allowed or read_allowed_signers(ward.root / "reviews/allowed_signers")
    return assurance_of([item], known, revoked)[event.id]


def test_without_a_key_a_review_is_recorded_unsigned(ward: Ward) -> None:
    path = ward.say("C1")
    assert not list(path.parent.glob("*.sig"))
    ward.say("C4")
    assert ward.truth().label == "approved"


def test_a_key_made_by_the_command_signs_the_next_verdict(ward: Ward, m4review: Command, keys: Path) -> None:
    code, out, _ = m4review("review", "key", "create", "--as", "C1")
    assert code == 0
    assert str(keys / "C1") in out
    assert stat.S_IMODE((keys / "C1").stat().st_mode) == 0o600
    assert ward.git("status", "--porcelain") == "?? reviews/allowed_signers\n"
    ward.commit("C1 has a key")
    path = ward.say("C1")
    assert path.with_name(f"{path.name}.sig").is_file()
    assert ward.is_clean()
    assert ward.git("show", "--name-only", "--format=%an").split() == [
        "C1",
        f"reviews/events/lactate/{path.name}",
        f"reviews/events/lactate/{path.name}.sig",
    ]
    assert (checked(ward, path).level, checked(ward, path).problem) == (1, None)
    assert [event.actor for event in Ledger.load(ward.workspace).events] == ["C1"]


def test_openssh_itself_accepts_the_signature(ward: Ward, keys: Path) -> None:
    create_key(ward.workspace, "C1")
    path = ward.say("C1")
    words = ["ssh-keygen", "-Y", "verify", "-n", "m4review.event.v1", "-I", "C1", "-s", f"{path}.sig"]
    words += ["-f", str(ward.root / "reviews/allowed_signers")]
    result = subprocess.run(words, input=path.read_bytes(), capture_output=True, check=False)
    assert result.returncode == 0, result.stderr


def test_a_key_inside_the_workspace_is_refused(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("M4REVIEW_KEYS", str(ward.root / "keys"))
    with pytest.raises(LedgerError, match="does not belong into the workspace"):
        create_key(ward.workspace, "C1")
    assert ward.is_clean()


def test_a_second_key_on_one_computer_is_refused_until_the_first_is_put_away(ward: Ward, m4review: Command) -> None:
    assert m4review("review", "key", "create", "--as", "C1")[0] == 0
    code, _, err = m4review("review", "key", "create", "--as", "C1")
    assert (code, "has a key on this computer" in err) == (2, True)
    assert m4review("review", "key", "forget", "--as", "C1")[0] == 0
    assert m4review("review", "key", "create", "--as", "C1")[0] == 0
    rows = json.loads(m4review("review", "key", "list", "--json")[1])["keys"]
    assert [(row["reviewer"], row["level"], row["here"]) for row in rows] == [("C1", 1, False), ("C1", 1, True)]


def test_an_existing_key_is_registered_and_used_where_it_lies(ward: Ward, tmp_path: Path, m4review: Command) -> None:
    SshKeygen().create(tmp_path / "mine", "me")
    assert m4review("review", "key", "register", str(tmp_path / "mine.pub"), "--as", "C4")[0] == 0
    assert key_file("C4") == (tmp_path / "mine").resolve()
    assert checked(ward, ward.say("C4")).level == 1
    code, _, err = m4review("review", "key", "register", str(tmp_path / "mine.pub"), "--as", "C1")
    assert (code, "the key of line 1 again" in err) == (2, True)


def test_the_private_half_is_never_taken_for_the_public_one(ward: Ward, tmp_path: Path) -> None:
    SshKeygen().create(tmp_path / "mine", "me")
    with pytest.raises(LedgerError, match="private half"):
        register_key(ward.workspace, "C4", tmp_path / "mine")


def test_a_locked_key_records_nothing_and_says_how_to_unlock_it(ward: Ward, keys: Path) -> None:
    path = create_key(ward.workspace, "C1")
    ward.commit("key")
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", str(path)], check=True)
    with pytest.raises(LedgerError, match="could not be signed") as refused:
        ward.say("C1")
    assert "ssh-add" in (refused.value.fix or "")
    assert ward.is_clean()
    assert ward.events() == []


def test_missing_empty_and_unreadable_lists_are_three_different_errors(tmp_path: Path) -> None:
    file = tmp_path / "allowed_signers"
    with pytest.raises(MissingAllowedSignersError):
        read_allowed_signers(file)
    file.write_text("# nobody yet\n\n")
    with pytest.raises(EmptyAllowedSignersError):
        read_allowed_signers(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableAllowedSignersError):
        read_allowed_signers(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(UnreadableAllowedSignersError):
        read_allowed_signers(file)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads everything")
def test_a_list_without_permission_to_read_is_unreadable(tmp_path: Path) -> None:
    file = tmp_path / "allowed_signers"
    file.write_text("x")
    file.chmod(0)
    with pytest.raises(UnreadableAllowedSignersError):
        read_allowed_signers(file)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("* {ns} {key}", "not one reviewer"),
        ("C1,C4 {ns} {key}", "not one reviewer"),
        ("C1 {key}", "not used here"),
        ("C1 {ns}", "not a line"),
        ('C1 namespaces="git" {key}', "must say namespaces"),
        ('C1 namespaces="m4review.event.v1,git" {key}', "must say namespaces"),
        ("C1 cert-authority,{ns} {key}", "not used here"),
        ("C1 {ns},{ns} {key}", "given twice"),
        ('C1 {ns},valid-before="soon" {key}', "not a time"),
        ('C1 {ns},valid-before="20261331Z" {key}', "not a time"),
        ("C1 {ns} ssh-ed25519 AAAA", "damaged"),
        ("C1 {ns} ssh-dss AAAA", "no type"),
    ],
)
def test_a_line_that_says_more_than_one_reviewer_and_one_purpose_is_refused(
    tmp_path: Path, line: str, why: str
) -> None:
    SshKeygen().create(tmp_path / "k", "k")
    key = " ".join((tmp_path / "k.pub").read_text().split()[:2])
    text = "# keys\n" + line.format(ns='namespaces="m4review.event.v1"', key=key)
    with pytest.raises(UnreadableAllowedSignersError, match=why) as refused:
        parse_allowed_signers(text.encode())
    assert refused.value.line == 2


def test_an_edited_event_no_longer_fits_its_signature(ward: Ward) -> None:
    create_key(ward.workspace, "C1")
    path = ward.say("C1")
    event = parse_event(path.read_bytes(), f"lactate/{path.name}")
    other = event.model_copy(update={"raw": event.raw.replace(b"approve", b"changes")})
    item = SignedEvent(other, path.with_name(f"{path.name}.sig").read_bytes())
    found = assurance_of([item], read_allowed_signers(ward.root / "reviews/allowed_signers"))[event.id]
    assert found.level == 0
    assert "incorrect signature" in (found.problem or "")


def test_an_unknown_key_a_wrong_namespace_and_a_foreign_key_prove_nothing(ward: Ward, tmp_path: Path) -> None:
    create_key(ward.workspace, "C1")
    create_key(ward.workspace, "C4")
    path = ward.say("C1")
    signature = path.with_name(f"{path.name}.sig")
    SshKeygen().create(tmp_path / "unknown", "who")
    for made, why in (
        (SshKeygen().sign(path.read_bytes(), tmp_path / "unknown"), "not on the list"),
        (SshKeygen().sign(path.read_bytes(), key_file("C1") or Path(), "git"), "namespace"),
        (SshKeygen().sign(path.read_bytes(), key_file("C4") or Path()), "signed with a key of C4"),
        (b"Good signature, believe me\n", "no SSH signature"),
    ):
        signature.write_bytes(made)
        found = checked(ward, path)
        assert found.level == 0
        assert why in (found.problem or "")


def test_a_key_signs_only_within_its_window(ward: Ward) -> None:
    create_key(ward.workspace, "C1", valid_after=NOON, valid_before=datetime(2098, 2, 1, tzinfo=UTC))
    assert checked(ward, ward.say("C1")).level == 1
    late = ward.say("C1", now=datetime(2098, 2, 1, 0, 0, 1, tzinfo=UTC), replace=True)
    assert "not valid on 2098-02-01" in (checked(ward, late).problem or "")


def test_a_revoked_key_holds_for_no_signature(ward: Ward, tmp_path: Path) -> None:
    path = create_key(ward.workspace, "C1")
    event = ward.say("C1")
    public = path.with_name("C1.pub")
    subprocess.run(["ssh-keygen", "-q", "-k", "-f", str(tmp_path / "krl"), str(public)], check=True)
    for revoked in ((tmp_path / "krl").read_bytes(), public.read_bytes()):
        found = checked(ward, event, revoked=revoked)
        assert found.level == 0
        assert "revoked" in (found.problem or "").lower()


def test_a_signature_without_a_list_is_a_problem_and_not_a_proof(ward: Ward) -> None:
    create_key(ward.workspace, "C1")
    path = ward.say("C1")
    event = parse_event(path.read_bytes(), f"lactate/{path.name}")
    item = SignedEvent(event, path.with_name(f"{path.name}.sig").read_bytes())
    found = assurance_of([item], None)[event.id]
    assert (found.level, found.problem) == (0, "signed, and there is no list of keys to check it against")


def test_a_hardware_key_counts_as_level_two(ward: Ward, tmp_path: Path) -> None:
    """The signature of a token is made as a token makes it (PROTOCOL.u2f), with the curve arithmetic of openssl."""
    import base64
    import hashlib
    import textwrap

    def text(value: bytes) -> bytes:
        return len(value).to_bytes(4, "big") + value

    pem = tmp_path / "token.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(pem)], check=True, capture_output=True)
    der = subprocess.run(
        ["openssl", "pkey", "-in", str(pem), "-pubout", "-outform", "DER"], check=True, capture_output=True
    )
    kind, application = b"sk-ssh-ed25519@openssh.com", b"ssh:"
    blob = text(kind) + text(der.stdout[-32:]) + text(application)
    line = allowed_line("C1", f"{kind.decode()} {base64.b64encode(blob).decode()}")
    allowed = parse_allowed_signers(line.encode())
    path = ward.say("C1")
    to_sign = b"SSHSIG" + text(b"m4review.event.v1") + text(b"") + text(b"sha512")
    to_sign += text(hashlib.sha512(path.read_bytes()).digest())
    flags_and_counter = b"\x01" + (7).to_bytes(4, "big")
    (tmp_path / "signed").write_bytes(
        hashlib.sha256(application).digest() + flags_and_counter + hashlib.sha256(to_sign).digest()
    )
    words = ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", str(pem), "-in", str(tmp_path / "signed")]
    signed = subprocess.run(words, check=True, capture_output=True).stdout
    parts = b"SSHSIG" + (1).to_bytes(4, "big") + text(blob) + text(b"m4review.event.v1") + text(b"") + text(b"sha512")
    parts += text(text(kind) + text(signed) + flags_and_counter)
    body = "\n".join(textwrap.wrap(base64.b64encode(parts).decode(), 70))
    armoured = f"-----BEGIN SSH SIGNATURE-----\n{body}\n-----END SSH SIGNATURE-----\n"
    path.with_name(f"{path.name}.sig").write_text(armoured)
    assert checked(ward, path, allowed) == Assurance(2, None, base64.b64encode(blob).decode())

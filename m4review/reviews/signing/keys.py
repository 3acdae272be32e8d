"""A reviewer's own key: made or chosen once, kept outside of any repository, used whenever an event is recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from m4review.errors import LedgerError
from m4review.reviews.signing.allowed import (
    ALLOWED_SIGNERS_FILE,
    AllowedKey,
    EmptyAllowedSignersError,
    MissingAllowedSignersError,
    allowed_line,
    parse_allowed_signers,
    read_allowed_signers,
)
from m4review.reviews.signing.program import SshKeygen
from m4review.textfile import write_bytes
from m4review.workspace import Workspace

KEYS_ENVIRONMENT: Final = "M4REVIEW_KEYS"


def keys_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where own keys lie: ``$M4REVIEW_KEYS``, else ``m4review/keys`` in the user's configuration folder."""
    named = environment.get(KEYS_ENVIRONMENT)
    if named:
        return Path(named).expanduser()
    home = environment.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "m4review" / "keys"


def key_file(reviewer: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The key that ``reviewer`` signs with on this computer: an own private key, or the one a note points to."""
    folder = keys_folder(environment)
    if (folder / reviewer).is_file():
        return folder / reviewer
    note = folder / f"{reviewer}.path"
    if note.is_file():
        return Path(note.read_text(encoding="utf-8").strip())
    return None


def create_key(
    workspace: Workspace,
    reviewer: str,
    *,
    valid_after: datetime | None = None,
    valid_before: datetime | None = None,
    environment: Mapping[str, str] = os.environ,
    program: SshKeygen | None = None,
) -> Path:
    """Make an Ed25519 key for ``reviewer`` outside the repository and add its public half to ``allowed_signers``.

    Returns the private key's file, which only its owner may read.

    Raises:
        LedgerError: the reviewer has a key on this computer, the folder lies in the workspace, or no key can be made.
        WorkspaceError: not on the roster.
    """
    person = workspace.roster.get(reviewer)
    folder = keys_folder(environment).resolve()
    if folder.is_relative_to(workspace.root):
        raise LedgerError(
            "a private key does not belong into the workspace, where it could be recorded",
            where=folder,
            fix=f"set {KEYS_ENVIRONMENT} to a folder outside of {workspace.root}",
        )
    _refuse_second_key(person.id, environment)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / person.id
    (program or SshKeygen(environment)).create(path, person.id)
    path.chmod(0o600)
    public = path.with_name(f"{path.name}.pub").read_text(encoding="utf-8")
    _add_line(workspace, allowed_line(person.id, public, valid_after=valid_after, valid_before=valid_before))
    return path


def register_key(
    workspace: Workspace,
    reviewer: str,
    public_file: Path,
    *,
    valid_after: datetime | None = None,
    valid_before: datetime | None = None,
    environment: Mapping[str, str] = os.environ,
) -> AllowedKey:
    """Let an existing key (its ``.pub`` file; a hardware key as well) sign for ``reviewer`` from this computer.

    Raises:
        LedgerError: not a public key, registered already, or the reviewer has a key on this computer.
        WorkspaceError: not on the roster.
    """
    person = workspace.roster.get(reviewer)
    _refuse_second_key(person.id, environment)
    try:
        public = public_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise LedgerError(f"the public key cannot be read: {why}", where=public_file) from None
    if "PRIVATE KEY" in public:
        raise LedgerError("this is the private half", where=public_file, fix=f"give {public_file}.pub instead")
    line = allowed_line(person.id, public, valid_after=valid_after, valid_before=valid_before)
    _add_line(workspace, line)
    private = public_file.resolve().with_suffix("") if public_file.suffix == ".pub" else public_file.resolve()
    folder = keys_folder(environment)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    chosen = private if private.is_file() else public_file.resolve()
    (folder / f"{person.id}.path").write_text(f"{chosen}\n", encoding="utf-8")
    return read_allowed_signers(workspace.reviews_dir / ALLOWED_SIGNERS_FILE).of(person.id)[-1]


def forget_key(reviewer: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Sign no more with a key that was registered; a key made here is set aside as ``<id>.old``, never deleted.

    Returns what was taken out of use.
    """
    folder = keys_folder(environment)
    own, note = folder / reviewer, folder / f"{reviewer}.path"
    if own.is_file():
        aside = folder / f"{reviewer}.old"
        if aside.exists():
            raise LedgerError("an older key is set aside already", where=aside, fix="move it elsewhere first")
        own.rename(aside)
        return aside
    if note.is_file():
        note.unlink()
        return note
    return None


def sign_event(
    workspace: Workspace,
    reviewer: str,
    data: bytes,
    *,
    environment: Mapping[str, str] = os.environ,
    program: SshKeygen | None = None,
) -> bytes | None:
    """The signature of ``reviewer`` over an event's exact bytes; ``None`` without a key that this workspace knows.

    Raises:
        LedgerError: there is such a key and it cannot sign, or ``allowed_signers`` cannot be read.
    """
    key = key_file(reviewer, environment)
    if key is None:
        return None
    try:
        allowed = read_allowed_signers(workspace.reviews_dir / ALLOWED_SIGNERS_FILE)
    except (MissingAllowedSignersError, EmptyAllowedSignersError):
        return None
    words = public_words(key)
    if not any(words == [known.key_type, known.key] for known in allowed.of(reviewer)):
        return None
    return (program or SshKeygen(environment)).sign(data, key)


def public_words(key: Path) -> list[str]:
    """Type and base64 of the public half of a key file.

    Raises:
        LedgerError: it is not there.
    """
    public = key if key.suffix == ".pub" else key.with_name(f"{key.name}.pub")
    if not public.is_file():
        raise LedgerError("the public half of your key is gone", where=public, fix="ssh-keygen -y -f KEY > KEY.pub")
    return public.read_text(encoding="utf-8").split()[:2]


def _refuse_second_key(reviewer: str, environment: Mapping[str, str]) -> None:
    present = key_file(reviewer, environment)
    if present is not None:
        raise LedgerError(
            f"{reviewer} has a key on this computer",
            where=present,
            fix=f"take it out of use first: m4review review key forget --as {reviewer}",
        )


def _add_line(workspace: Workspace, line: str) -> None:
    path = workspace.reviews_dir / ALLOWED_SIGNERS_FILE
    before = path.read_bytes() if path.is_file() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    after = before + line.encode("utf-8") + b"\n"
    parse_allowed_signers(after)
    write_bytes(path, after)

"""What the signature beside an event proves: nothing, an own key, or a hardware key."""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, Protocol

from m4review.reviews.signing.allowed import AllowedSigners
from m4review.reviews.signing.program import SshKeygen

Level = Literal[0, 1, 2]
UNSIGNED: Final = 0
OWN_KEY: Final = 1
HARDWARE: Final = 2
LEVEL_WORDS: Mapping[int, str] = {UNSIGNED: "unsigned", OWN_KEY: "own key", HARDWARE: "hardware key"}

MAGIC: Final = b"SSHSIG"
PROCESSES: Final = 4
"""Checks that run at once: each is a short process that mostly waits."""


@dataclass(frozen=True, slots=True)
class Assurance:
    """The level of one event. ``problem`` says why a signature that is there does not hold."""

    level: Level
    problem: str | None = None
    key: str = ""
    """Base64 of the public key that signed."""


class Signable(Protocol):
    """What a signature is over: an event, or an adoption of rules."""

    @property
    def id(self) -> str: ...
    @property
    def actor(self) -> str: ...
    @property
    def raw(self) -> bytes: ...
    @property
    def time(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class SignedEvent:
    """An event with the bytes of its signature, if there are any."""

    event: Signable
    signature: bytes | None
    time: datetime | None = None
    """When the key must have been valid; the event's own time where nothing else is said."""


def assurance_of(
    signed: Sequence[SignedEvent],
    allowed: AllowedSigners | None,
    revoked: bytes | None = None,
    program: SshKeygen | None = None,
) -> dict[str, Assurance]:
    """Event id → what its signature proves.

    ``allowed`` is ``None`` where there is no usable list: a signature then is a problem, never level 1. ``revoked`` is
    a key revocation list or public keys, one a line, whose signatures never hold.

    Raises:
        LedgerError: there are signatures and ``ssh-keygen`` is missing.
    """
    if not any(item.signature is not None for item in signed):
        return {item.event.id: Assurance(UNSIGNED) for item in signed}
    with tempfile.TemporaryDirectory(prefix="m4review-keys-") as folder:
        lists = Path(folder) / "allowed_signers", Path(folder) / "revoked_keys"
        lists[0].write_bytes(b"" if allowed is None else allowed.data)
        lists[1].write_bytes(revoked or b"")
        krl = lists[1] if revoked else None
        keygen = program or SshKeygen()
        with ThreadPoolExecutor(PROCESSES) as pool:
            found = list(pool.map(lambda item: _assurance(item, allowed, lists[0], krl, keygen), signed))
    return {item.event.id: assurance for item, assurance in zip(signed, found, strict=True)}


def signing_key(signature: bytes) -> bytes | None:
    """The public key that an armoured signature names, unchecked; ``None`` when it is no signature.

    Source: OpenSSH PROTOCOL.sshsig: magic, version 1, then the public key as a length-prefixed string.
    """
    lines = signature.decode("ascii", "replace").split("\n")
    if lines[0] != "-----BEGIN SSH SIGNATURE-----":
        return None
    try:
        data = base64.b64decode("".join(line for line in lines if line and not line.startswith("-----")), validate=True)
    except (binascii.Error, ValueError):
        return None
    head = len(MAGIC) + 8
    if len(data) < head or not data.startswith(MAGIC):
        return None
    return data[head : head + int.from_bytes(data[head - 4 : head], "big")]


def _assurance(
    item: SignedEvent, allowed: AllowedSigners | None, path: Path, revoked: Path | None, keygen: SshKeygen
) -> Assurance:
    if item.signature is None:
        return Assurance(UNSIGNED)
    if allowed is None:
        return Assurance(UNSIGNED, "signed, and there is no list of keys to check it against")
    blob = signing_key(item.signature)
    key = None if blob is None else allowed.holding(blob)
    if blob is None:
        return Assurance(UNSIGNED, "what lies beside the event is no SSH signature")
    if key is None:
        return Assurance(UNSIGNED, "signed with a key that is not on the list")
    event, time = item.event, item.time or item.event.time
    if key.principal != event.actor:
        return Assurance(UNSIGNED, f"says it is by {event.actor} and is signed with a key of {key.principal}")
    if not key.valid_at(time):
        return Assurance(UNSIGNED, f"signed with a key of {key.principal} that was not valid on {time:%Y-%m-%d}")
    problem = keygen.verify(event.raw, item.signature, event.actor, path, time, revoked=revoked)
    if problem is not None:
        return Assurance(UNSIGNED, problem)
    return Assurance(HARDWARE if key.is_hardware else OWN_KEY, key=key.key)

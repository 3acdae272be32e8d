"""``reviews/allowed_signers``: which key may sign for which reviewer, for what and from when to when.

The format is OpenSSH's. It is read more strictly here than ``ssh-keygen`` reads it: one reviewer per line, no patterns
and no certificate authorities, the namespace always named, no key for two reviewers. A file that is missing, one that
names nobody and one that cannot be read are three different errors, because none of them means "nobody signed".
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from m4review.errors import LedgerError
from m4review.reviews.signing.program import NAMESPACE

ALLOWED_SIGNERS_FILE, REVOKED_KEYS_FILE = "allowed_signers", "revoked_keys"
WHERE = f"reviews/{ALLOWED_SIGNERS_FILE}"
HARDWARE_TYPES = frozenset({"sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"})
KEY_TYPES = HARDWARE_TYPES | {
    "ssh-ed25519",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
}
PRINCIPAL = re.compile(r"C[1-9][0-9]*")
OPTION = re.compile(r'(?P<name>[A-Za-z-]+)(?:=(?:"(?P<quoted>[^"]*)"|(?P<bare>[^",\s]*)))?')
TIME = re.compile(r"(\d{8})(\d{4})?(\d{2})?Z?")
EXPECTED = f'C1 namespaces="{NAMESPACE}" ssh-ed25519 AAAA…'


class MissingAllowedSignersError(LedgerError):
    """There is no allowed_signers file, so no signature can be told from a forged one."""


class EmptyAllowedSignersError(LedgerError):
    """The allowed_signers file names no key."""


class UnreadableAllowedSignersError(LedgerError):
    """The allowed_signers file cannot be read, or a line of it is not understood."""


@dataclass(frozen=True, slots=True)
class AllowedKey:
    """One line: a key that may sign for one reviewer."""

    principal: str
    key_type: str
    key: str
    """Base64 of the public key."""
    valid_after: datetime | None
    valid_before: datetime | None
    line: int

    @property
    def is_hardware(self) -> bool:
        """Whether the private half lies in a hardware key."""
        return self.key_type in HARDWARE_TYPES

    @property
    def blob(self) -> bytes:
        """The public key as a signature names it."""
        return base64.b64decode(self.key)

    def valid_at(self, time: datetime) -> bool:
        """Whether the key may sign at that time."""
        after = self.valid_after is None or self.valid_after <= time
        return after and (self.valid_before is None or time <= self.valid_before)


@dataclass(frozen=True)
class AllowedSigners:
    """A file that was read."""

    data: bytes
    keys: tuple[AllowedKey, ...]

    def of(self, principal: str) -> tuple[AllowedKey, ...]:
        """The keys of one reviewer."""
        return tuple(key for key in self.keys if key.principal == principal)

    def holding(self, blob: bytes) -> AllowedKey | None:
        """The line that names this public key."""
        return next((key for key in self.keys if key.blob == blob), None)


def read_allowed_signers(path: Path) -> AllowedSigners:
    """The file on disk.

    Raises:
        MissingAllowedSignersError, EmptyAllowedSignersError, UnreadableAllowedSignersError: as their names say.
    """
    try:
        return parse_allowed_signers(path.read_bytes())
    except FileNotFoundError:
        return parse_allowed_signers(None)
    except OSError as error:
        raise UnreadableAllowedSignersError(
            f"the file cannot be read: {error.strerror}", where=WHERE, fix="correct its type and permissions"
        ) from None


def parse_allowed_signers(data: bytes | None) -> AllowedSigners:
    """The keys in the bytes of the file; ``None`` says that there is no file.

    Raises:
        MissingAllowedSignersError: there is no file.
        EmptyAllowedSignersError: no key in it.
        UnreadableAllowedSignersError: not UTF-8, or a line that is not exactly what this project writes.
    """
    if data is None:
        raise MissingAllowedSignersError(
            "there is no file that says whose signatures count",
            where=WHERE,
            expected="one line per key: " + EXPECTED,
            fix="restore it from git, or register a key: m4review review key register",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableAllowedSignersError("not UTF-8 text", where=WHERE, fix="restore it from git") from None
    keys: list[AllowedKey] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            keys.append(_key(line, number))
    if not keys:
        raise EmptyAllowedSignersError(
            "the file names no key, so no signature counts",
            where=WHERE,
            expected="one line per key: " + EXPECTED,
            fix="restore it from git, or register a key: m4review review key register",
        )
    for key in keys:
        first = next(other for other in keys if other.key == key.key)
        if first is not key:
            raise _unreadable(f"the key of line {first.line} again; one key signs for one reviewer, once", key.line)
    return AllowedSigners(data, tuple(keys))


def allowed_line(
    principal: str, public_key: str, *, valid_after: datetime | None = None, valid_before: datetime | None = None
) -> str:
    """The line that lets ``public_key`` (type and base64, a comment may follow) sign events for ``principal``."""
    options = [f'namespaces="{NAMESPACE}"']
    for name, time in (("valid-after", valid_after), ("valid-before", valid_before)):
        if time is not None:
            options.append(f'{name}="{time.astimezone(UTC):%Y%m%d%H%M%S}Z"')
    return f"{principal} {','.join(options)} {' '.join(public_key.split()[:2])}"


def _key(line: str, number: int) -> AllowedKey:
    words = re.findall(r'(?:[^\s"]|"[^"]*")+', line.strip())
    if len(words) < 3:
        raise _unreadable("not a line of principal, options, key type and key", number)
    principal, options, rest = words[0], dict(_options(words[1], number)), words[2:]
    if PRINCIPAL.fullmatch(principal) is None:
        raise _unreadable(f"{principal!r} is not one reviewer; patterns and lists are not used here", number)
    if options.get("namespaces") != NAMESPACE:
        raise _unreadable(f'the options must say namespaces="{NAMESPACE}"', number)
    if len(rest) < 2 or rest[0] not in KEY_TYPES:
        raise _unreadable(f"{rest[0]!r} is no type of a public key that signs", number)
    try:
        blob = base64.b64decode(rest[1], validate=True)
    except (binascii.Error, ValueError):
        blob = b""
    if not blob.startswith(len(rest[0]).to_bytes(4, "big") + rest[0].encode()):
        raise _unreadable("the key is damaged", number)
    return AllowedKey(
        principal=principal,
        key_type=rest[0],
        key=rest[1],
        valid_after=_time(options.get("valid-after"), number),
        valid_before=_time(options.get("valid-before"), number),
        line=number,
    )


def _options(text: str, number: int) -> Iterator[tuple[str, str]]:
    position, seen = 0, set()
    while position < len(text):
        match = OPTION.match(text, position)
        name = "" if match is None else match["name"].lower()
        if match is None or name not in {"namespaces", "valid-after", "valid-before"} or name in seen:
            raise _unreadable(f"the option {name or text[position:]!r} is not used here, or is given twice", number)
        seen.add(name)
        yield name, match["quoted"] if match["quoted"] is not None else match["bare"] or ""
        position = match.end()
        if position < len(text) and text[position] != ",":
            raise _unreadable("the options are not separated by commas", number)
        position += 1


def _time(text: str | None, number: int) -> datetime | None:
    if text is None:
        return None
    match = TIME.fullmatch(text)
    try:
        if match is not None:
            digits = (match[1] + (match[2] or "0000") + (match[3] or "00")).ljust(14, "0")
            return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        pass
    raise _unreadable(f"{text!r} is not a time such as 20260131Z or 20260131140500Z", number)


def _unreadable(what: str, line: int) -> UnreadableAllowedSignersError:
    return UnreadableAllowedSignersError(what, where=WHERE, line=line, expected=EXPECTED, fix="correct this line")

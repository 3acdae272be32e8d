"""Digest scheme v1: what a verdict binds.

Every digest is a SHA-256 over a domain tag and length-prefixed records, so that no two different inputs share a byte
stream. The input is the bytes git stores (blobs), never a checkout, so that line ends on a disk do not matter.
``docs/digests.md`` describes the scheme for other implementations; ``tests/unit/reviews/vectors.json`` is its check.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final

from m4review.errors import LedgerError

SCHEME: Final = "m4review.digest.v1"
"""Named in every event, so that a second scheme can stand beside this one."""

CONTENT_TAG: Final = b"m4review.content.v1\0"
TASK_TAG: Final = b"m4review.task.v1\0"
SCOPE_TAG: Final = b"m4review.scope.v1\0"
FILE_TAG: Final = b"m4review.file.v1\0"
CONTEXT_TAG: Final = b"m4review.context.v1\0"
CHECKLIST_TAG: Final = b"m4review.checklist.v1\0"

DIGEST_PATTERN: Final = re.compile(r"sha256:[0-9a-f]{64}")

UNSEEN_CHARACTERS: Final = re.compile(
    "["
    "\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f"  # control characters other than tab and line ends
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero-width, directional marks, embeddings, isolates
    "\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
"""What a reader of the text cannot see, or sees in another order than it is written."""

BYTE_ORDER_MARK: Final = "\ufeff"


def content_digest(files: Mapping[str, bytes]) -> str:
    """The digest of a skill folder: ``files`` maps paths relative to the folder (with ``/``) to stored bytes.

    The folder's own path and the file modes are outside. Returns ``sha256:<hex>``.

    Raises:
        LedgerError: no file, a path that leaves the folder, or text that is not UTF-8 or hides characters.
    """
    return _digest(CONTENT_TAG + _records(files))


def task_digest(card: bytes, instruction: bytes) -> str:
    """The digest of a task card: the stored bytes of ``task.toml`` and ``instruction.md``.

    Raises:
        LedgerError: text that is not UTF-8 or hides characters.
    """
    return _digest(TASK_TAG + _records({"task.toml": card, "instruction.md": instruction}))


def scope_digest(scope: str, segments: Iterable[bytes], files: Mapping[str, bytes]) -> str:
    """The digest of one scope: the parts of SKILL.md that belong to it, in order, and every other file.

    Which parts belong is the policy's word; see :mod:`m4review.reviews.scopes`.
    """
    parts = list(segments)
    body = b"".join(_prefixed(part) for part in parts)
    return _digest(SCOPE_TAG + _prefixed(scope.encode()) + _count(len(parts)) + body + _records(files, empty=True))


def file_digest(data: bytes) -> str:
    """The digest of one file on its own, such as the policy an event was recorded under."""
    return _digest(FILE_TAG + _prefixed(data))


def context_digest(database: str, version: str) -> str:
    """The digest of what a skill is written for: a dataset's layout and its version."""
    return _digest(CONTEXT_TAG + _prefixed(database.encode()) + _prefixed(version.encode()))


def checklist_digest(files: Mapping[str, bytes]) -> str:
    """The digest of the checklists: paths relative to their folder and stored bytes.

    Raises:
        LedgerError: as :func:`content_digest`.
    """
    return _digest(CHECKLIST_TAG + _records(files))


def event_id(data: bytes) -> str:
    """The id of an event: the SHA-256 of its exact bytes, as ``sha256sum`` prints it."""
    return _digest(data)


def is_digest(value: str) -> bool:
    """Whether ``value`` is written as this scheme writes digests."""
    return DIGEST_PATTERN.fullmatch(value) is not None


def check_text(data: bytes, path: str) -> str:
    """The text of a file that may be digested.

    A byte order mark at the very start is let through; it is part of the bytes and so of the digest.

    Raises:
        LedgerError: not UTF-8, or a character that a reader cannot see (file, line and code point are named).
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LedgerError(
            f"not UTF-8 text: byte 0x{data[error.start]:02x}; it cannot be reviewed",
            where=path,
            line=_line(data[: error.start].decode("utf-8")),
            expected="UTF-8",
            fix="save the file as UTF-8 in your editor and record the version again",
        ) from None
    found = UNSEEN_CHARACTERS.search(text, 1 if text.startswith(BYTE_ORDER_MARK) else 0)
    if found is not None:
        raise LedgerError(
            f"an invisible character U+{ord(found.group()):04X}; what is reviewed must be what is seen",
            where=path,
            line=_line(text[: found.start()]),
            fix="delete the character; retyping the word is the surest way",
        )
    return text


def _digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _records(files: Mapping[str, bytes], *, empty: bool = False) -> bytes:
    if not files and not empty:
        raise LedgerError("a folder without files cannot be reviewed", expected="a SKILL.md that is recorded in git")
    records = []
    for path in sorted(files, key=lambda name: name.encode("utf-8", "surrogateescape")):
        _check_path(path)
        data = files[path]
        check_text(data, path)
        records.append(_prefixed(path.encode()) + _count(len(data)) + hashlib.sha256(data).digest())
    return b"".join(records)


def _check_path(path: str) -> None:
    parts = path.split("/")
    if not path or path.startswith("/") or "\\" in path or any(part in {"", ".", ".."} for part in parts):
        raise LedgerError(f"the path {path!r} is not a path inside the folder", expected="a relative path with '/'")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise LedgerError(f"the file name {path!r} is not UTF-8", fix="rename the file") from None
    if UNSEEN_CHARACTERS.search(path) or "\n" in path or "\r" in path or "\t" in path:
        raise LedgerError(f"the file name {path!r} hides a character", fix="rename the file")


def _prefixed(data: bytes) -> bytes:
    return _count(len(data)) + data


def _count(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _line(before: str) -> int:
    return len(re.findall(r"\r\n|\r|\n", before)) + 1

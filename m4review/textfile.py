"""Text files on disk: encoding and newline policy, atomic writes, changed-on-disk check.

Everything clinicians write is UTF-8. A byte order mark is accepted and reported, never written. The newline style
of a file is kept; a file that mixes styles is read as ``\\n`` and reported, so that a caller can warn.
"""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import Literal, NamedTuple

from m4review.errors import ChangedOnDiskError, TextFileError

Newline = Literal["\n", "\r\n"]

BYTE_ORDER_MARK = codecs.BOM_UTF8
MAX_TEXT_BYTES = 1_000_000
"""Larger files are refused before parsing: no skill or task card comes near it."""


class TextFile(NamedTuple):
    """The text of one file as read: ``text`` always uses ``\\n``."""

    path: Path
    text: str
    newline: Newline
    mixed_newlines: bool
    had_bom: bool
    digest: str
    """SHA-256 (hex) of the bytes on disk; what a later write compares with."""


def decode(data: bytes, where: str | Path, *, max_bytes: int = MAX_TEXT_BYTES) -> TextFile:
    """Decode the exact bytes of a text file.

    Raises:
        TextFileError: the bytes are not UTF-8 (the likely encoding is named), hold a NUL, or exceed ``max_bytes``.
    """
    if len(data) > max_bytes:
        raise TextFileError(
            f"the file has {len(data):,} bytes",
            where=where,
            expected=f"at most {max_bytes:,} bytes",
            fix="move bulk material out of the skill; a skill is read by people",
        )
    text = unicode_of(data, where)
    crlf = text.count("\r\n")
    bare_lf = text.count("\n") - crlf
    bare_cr = text.count("\r") - crlf
    newline: Newline = "\r\n" if crlf and crlf >= bare_lf else "\n"
    mixed = bare_cr > 0 or (crlf > 0 and bare_lf > 0)
    return TextFile(
        path=Path(where),
        text=text.replace("\r\n", "\n").replace("\r", "\n"),
        newline=newline,
        mixed_newlines=mixed,
        had_bom=data.startswith(BYTE_ORDER_MARK),
        digest=digest_of(data),
    )


def unicode_of(data: bytes, where: str | Path) -> str:
    """The characters of a text file as they are, without the byte order mark.

    Raises:
        TextFileError: the bytes are not UTF-8 (the likely encoding is named), or hold a NUL.
    """
    body = data.removeprefix(BYTE_ORDER_MARK)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1
        raise TextFileError(
            f"not UTF-8 text: byte 0x{body[error.start]:02x}; it looks like {_likely_encoding(data)}",
            where=where,
            line=line,
            expected="UTF-8",
            fix="save the file as UTF-8 in your editor and try again",
        ) from None
    if "\x00" in text:
        raise TextFileError(
            "a NUL character; this is not a text file", where=where, line=text[: text.index("\x00")].count("\n") + 1
        )
    return text


def digest_of(data: bytes) -> str:
    """SHA-256 (hex) of some bytes."""
    from hashlib import sha256  # here: it loads a library of ciphers, and a hook only reads

    return sha256(data).hexdigest()


def read_text(path: Path, *, max_bytes: int = MAX_TEXT_BYTES) -> TextFile:
    """Read one text file.

    Raises:
        TextFileError: missing, a folder, unreadable, too large, or not UTF-8.
    """
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise TextFileError(
                f"the file has {size:,} bytes",
                where=path,
                expected=f"at most {max_bytes:,} bytes",
                fix="move bulk material out of the skill; a skill is read by people",
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise TextFileError("no such file", where=path) from None
    except IsADirectoryError:
        raise TextFileError("a folder, not a file", where=path) from None
    except OSError as error:
        raise TextFileError(f"cannot be read ({error.strerror})", where=path) from None
    return decode(data, path, max_bytes=max_bytes)


def write_text(path: Path, text: str, *, newline: Newline = "\n", expect_digest: str | None = None) -> str:
    """Write ``text`` atomically and return the SHA-256 (hex) of the new bytes.

    The bytes go to a temporary file in the same folder, are flushed to disk, and replace the old file in one step,
    so that a crash leaves the old or the new content and nothing between. With ``expect_digest`` the file on disk
    must still have that digest (``""`` means: must not exist).

    Raises:
        ChangedOnDiskError: the file on disk is not the expected one; nothing was written.
        TextFileError: the disk is full or the folder is not writable; the old file is untouched.
    """
    if expect_digest is not None:
        current = file_digest(path)
        if current != expect_digest:
            raise ChangedOnDiskError(
                "the file changed on disk since it was opened",
                where=path,
                expected="the content that was opened",
                fix="compare both texts, keep what you need, and save again",
            )
    data = text.replace("\r\n", "\n").replace("\n", newline).encode("utf-8")
    write_bytes(path, data)
    return digest_of(data)


def write_bytes(path: Path, data: bytes, *, exclusive: bool = False) -> None:
    """Write bytes atomically. With ``exclusive`` an existing file is an error, never overwritten.

    Raises:
        FileExistsError: ``exclusive`` and the file is there.
        TextFileError: the write failed; no partial file is left.
    """
    import tempfile  # only for writing: it loads half a dozen modules, and a hook only reads

    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        if exclusive:
            os.link(temporary, path)
        else:
            Path(temporary).replace(path)
            temporary = None
    except OSError as error:
        if exclusive and isinstance(error, FileExistsError) and path.exists():
            raise
        raise TextFileError(
            f"cannot be written ({error.strerror or error})",
            where=path,
            fix="free disk space or check the folder's permissions; the old content is untouched",
        ) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def file_digest(path: Path) -> str:
    """SHA-256 (hex) of the bytes on disk, ``""`` when there is no file."""
    try:
        return digest_of(path.read_bytes())
    except FileNotFoundError:
        return ""


def _likely_encoding(data: bytes) -> str:
    """A name for what the bytes probably are, for the error message only."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    if b"\x00" in data[:1024]:
        return "a binary file"
    return "Windows-1252" if any(0x80 <= byte < 0xA0 for byte in data) else "Latin-1"

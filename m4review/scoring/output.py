"""An agent's output file, examined before it is parsed: regular, bounded, UTF-8, with a header.

Nothing here trusts the file: links, pipes and devices are refused without being opened, and the size is known before
the first byte is read. Bytes that are not UTF-8 spoil their cell only: they are replaced in a copy that is then parsed.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from m4review.scoring.errors import InvalidOutputError, NoOutputError

MAX_OUTPUT_BYTES = 4 * 1024**3
"""About ten times the largest reference of the real datasets."""

MAX_HEADER_BYTES = 1024**2
CHUNK = 1024**2
LONG_LINE_BYTES = 8 * 1024
"""The engine's time to note a line that is left out grows with the square of the line's cells."""
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A readable output. ``parsed_path`` is what the reader opens: a link to the file, or its repaired copy."""

    path: Path
    parsed_path: Path
    columns: tuple[str, ...]
    """Header names in file order, trimmed; names may repeat."""
    blank_lines: int
    """Blank lines before the header."""
    sha256: str
    first_undecodable_line: int | None
    quoted: bool
    """The file holds a quotation mark."""
    open_quote: bool
    """The file holds an odd number of quotation marks, so that some quoted cell is never closed."""
    long_lines: bool
    """A line has more than ``LONG_LINE_BYTES``; none has more than twice as many where this is false."""

    def position(self, name: str) -> int | None:
        """Where the column stands (0-based); the first one when the name repeats."""
        return self.columns.index(name) if name in self.columns else None


def examine_output(path: Path, scratch: Path, *, max_bytes: int = MAX_OUTPUT_BYTES) -> OutputFile:
    """Check ``path`` and read its header. ``scratch`` is an empty folder that outlives the parsing.

    Raises:
        NoOutputError: there is no such file.
        InvalidOutputError: a link, folder, pipe or device; larger than ``max_bytes``; no header; another encoding.
    """
    _require_regular(path, max_bytes)
    digest, undecodable, quotes, long_lines = _scan(path)
    target = scratch / "output.csv"
    if undecodable is None:
        target.symlink_to(path.resolve())
    else:
        _write_repaired(path, target)
    columns, blank_lines = _header(target, path)
    unclosed = quotes % 2 == 1
    return OutputFile(path, target, columns, blank_lines, digest, undecodable, quotes > 0, unclosed, long_lines)


def _require_regular(path: Path, max_bytes: int) -> None:
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise NoOutputError("there is no output", where=path, expected="a CSV file with a header") from None
    except OSError as error:
        raise InvalidOutputError(f"cannot be read ({error.strerror})", where=path) from None
    if not stat.S_ISREG(found.st_mode):
        kinds = ((stat.S_ISLNK, "a link"), (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"))
        kind = next((name for test, name in kinds if test(found.st_mode)), "a device")
        raise InvalidOutputError(f"{kind}, which is not read", where=path, expected="a regular file")
    if found.st_size > max_bytes:
        raise InvalidOutputError(
            f"the output has {found.st_size:,} bytes", where=path, expected=f"at most {max_bytes:,} bytes"
        )


def _scan(path: Path) -> tuple[str, int | None, int, bool]:
    """SHA-256, first line (1-based) of bytes that are not UTF-8, count of quotation marks, whether a line is long."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    undecodable: int | None = None
    lines, quotes, long_lines = 1, 0, False
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
            if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise InvalidOutputError("the output is UTF-16 text", where=path, expected="UTF-8")
            stream.seek(0)
            while True:
                chunk = stream.read(CHUNK)
                digest.update(chunk)
                quotes += chunk.count(b'"')
                long_lines = long_lines or _block_without_line_end(chunk)
                if undecodable is None:
                    try:
                        decoder.decode(chunk, final=not chunk)
                    except UnicodeDecodeError as error:
                        undecodable = lines + error.object[: error.start].count(b"\n")
                if not chunk:
                    return digest.hexdigest(), undecodable, quotes, long_lines
                lines += chunk.count(b"\n")
    except OSError as error:
        raise InvalidOutputError(f"cannot be read ({error.strerror})", where=path) from None


def _block_without_line_end(chunk: bytes) -> bool:
    starts = range(0, len(chunk) - LONG_LINE_BYTES + 1, LONG_LINE_BYTES)
    return any(chunk.find(b"\n", start, start + LONG_LINE_BYTES) < 0 for start in starts)


def _write_repaired(path: Path, target: Path) -> None:
    """Copy with U+FFFD in place of bytes that are not UTF-8, chunk by chunk."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    with path.open("rb") as source, target.open("wb") as copy:
        while True:
            chunk = source.read(CHUNK)
            copy.write(decoder.decode(chunk, final=not chunk).encode("utf-8"))
            if not chunk:
                return


def _header(target: Path, path: Path) -> tuple[tuple[str, ...], int]:
    """The names of the first line that is not blank, and how many blank lines precede it."""
    with target.open("rb") as stream:
        start = stream.read(MAX_HEADER_BYTES)
    text = start.decode("utf-8-sig", errors="replace")
    blank_lines, names = 0, []
    try:
        for names in csv.reader(io.StringIO(text, newline="")):
            if names:
                break
            blank_lines += 1
    except csv.Error:
        names = []
    columns = tuple(name.strip() for name in names)
    if not any(columns):
        raise InvalidOutputError(
            "the output is empty" if not text.strip() else "the output does not start with a header",
            where=path,
            line=1,
            expected="column names in the first line, separated by commas",
        )
    return columns, blank_lines


def separator_hint(columns: tuple[str, ...]) -> str | None:
    """What the file seems to be separated by, when that is not the comma."""
    if len(columns) != 1:
        return None
    return next((name for sign, name in OTHER_SEPARATORS.items() if sign in columns[0]), None)

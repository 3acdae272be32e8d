"""Published checksums: the list of SHA-256 sums that PhysioNet puts beside the files of a database."""

from __future__ import annotations

import re
from pathlib import Path

from m4review.ehr.dataset import file_sha256
from m4review.errors import DatasetError

LISTS = ("SHA256SUMS.txt", "SHA256SUMS")
LINE = re.compile(r"([0-9a-fA-F]{64})\s+\*?(?:\./)?(\S.*)")
"""A sum and a path below the folder of the list, with one blank as PhysioNet writes it or as ``sha256sum`` does."""


def published_checksums(source: Path) -> dict[Path, str]:
    """The listed sum (hex, lower case) of every file that the list in the source folder names; empty without a list.

    Lines of another form are no sums and are left out.

    Raises:
        DatasetError: the list cannot be read.
    """
    listed = next((source / name for name in LISTS if (source / name).is_file()), None)
    if listed is None:
        return {}
    try:
        text = listed.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise DatasetError(f"cannot be read ({error.strerror})", where=listed) from None
    sums = (LINE.fullmatch(line.strip()) for line in text.splitlines())
    return {source / found.group(2): found.group(1).lower() for found in sums if found}


def require_published_content(path: Path, published: str) -> None:
    """Read the whole file and compare it with the listed sum.

    Raises:
        DatasetError: it is not the published one.
    """
    if file_sha256(path) != published:
        raise DatasetError(
            "the file is not the published one: its SHA-256 differs from the listed one",
            where=path,
            expected=f"{published}, as listed in {' or '.join(LISTS)}",
            fix="download the file again and import again; without the list the files are not checked",
        )

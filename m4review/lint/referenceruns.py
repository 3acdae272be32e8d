"""What a text is compared with: the names and telling runs of all reference queries, as checksums.

They are kept in an index, made by ``python -m m4review.lint.referenceruns``, because a commit should not wait for the
analysis of all queries. The index begins with a checksum of itself and of what it was made from. One that does not fit
is not used, and everything is computed again: it saves time, and never changes a finding.
"""

from __future__ import annotations

import os
import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from m4review.lint import referencequeries
from m4review.lint.referencequeries import EHR, LOGIC, WHOLE, code_of, reference_names, reference_queries

INDEX = Path(__file__).with_suffix(".txt")
CODES_PER_LINE = 13


class KnownRuns(NamedTuple):
    """Checksums of the names of all reference queries, and of their telling runs by length."""

    names: frozenset[int]
    runs: dict[int, frozenset[int]]


@cache
def known_runs(index: Path = INDEX) -> KnownRuns:
    """The names and runs of every reference query: from the index where it fits the queries, else computed."""
    checksum, _, body = (index.read_text(encoding="utf-8") if index.is_file() else "").partition("\n")
    if checksum != checksum_of(body):
        return computed_runs()
    names, logic, whole = (frozenset(int(code, 16) for code in part.split()) for part in body.split("\n\n"))
    return KnownRuns(names, {LOGIC: logic, WHOLE: whole})


def computed_runs() -> KnownRuns:
    """The same from the SQL files themselves."""
    queries = reference_queries()
    runs = {length: frozenset().union(*(query.runs[length] for query in queries)) for length in (LOGIC, WHOLE)}
    return KnownRuns(frozenset(map(code_of, reference_names())), runs)


def index_of(known: KnownRuns) -> str:
    """The text of the index: its checksum, then names, short and long runs, a blank line apart."""
    parts = (sorted(f"{code:08x}" for code in codes) for codes in (known.names, known.runs[LOGIC], known.runs[WHOLE]))
    body = "\n\n".join(
        "\n".join(" ".join(part[first : first + CODES_PER_LINE]) for first in range(0, len(part), CODES_PER_LINE))
        for part in parts
    )
    return f"{checksum_of(body)}\n{body}"


def checksum_of(body: str) -> str:
    """Over ``body``, the SQL files, and the module that makes runs of them."""
    value = zlib.crc32(body.encode())
    for path in (referencequeries.__file__, *sorted(_sql_files())):
        with open(path, "rb") as file:  # noqa: PTH123 - a hundred files at every commit
            # Line ends are git's own business.
            value = zlib.crc32(file.read().replace(b"\r\n", b"\n"), value)
    return f"{value:08x}"


def _sql_files() -> list[str]:
    folders = [entry.path for kind in ("references", "concepts") for entry in os.scandir(EHR / kind) if entry.is_dir()]
    return [entry.path for folder in folders for entry in os.scandir(folder) if entry.name.endswith(".sql")]


if __name__ == "__main__":
    INDEX.write_text(index_of(computed_runs()), encoding="utf-8", newline="\n")

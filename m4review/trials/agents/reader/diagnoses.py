"""Diagnoses by code: prefixes and ranges of prefixes, one list per version of the classification."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .catalog import Relation, literal, quoted
from .markdown import Place, Row, Table
from .sources import SourceTable
from .wording import Unreadable, plain, says_nothing


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Whether a code of the lists was recorded: version -> ranges of prefixes, both ends included, of one length.

    A version without ranges stands for any code of it.
    """

    name: str
    codes: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    place: Place
    text: str


def versions_of(table: Table) -> dict[int, str]:
    """Positions of the code columns of a table and the version each is about: ``ICD-9`` -> ``9``."""
    found = {}
    for position, cell in enumerate(table.header):
        match = re.search(r"\bicd[- ]?(\d{1,2})\b", plain(cell))
        if match:
            found[position] = match.group(1)
    return found


def read_diagnosis(row: Row, versions: dict[int, str]) -> Diagnosis:
    """Read one row of a table of code lists; the first cell names the diagnosis.

    Raises:
        Unreadable: a code with signs that no code has, or a range between prefixes of different length.
    """
    name = plain(row.cells[0])
    if not name:
        raise Unreadable("the row names no diagnosis")
    codes: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    for position, version in versions.items():
        text = re.sub(r"\([^()]*\)", "", row.cells[position]).replace("`", "")
        if plain(text) in {"any code", "any", "every code", "all codes"}:
            codes.append((version, ()))
        elif not says_nothing(text):
            codes.append((version, tuple(_range(part) for part in re.split(r"[,;·]|\band\b", text) if part.strip())))
    if not codes:
        raise Unreadable("the row names no code")
    return Diagnosis(name, tuple(codes), row.place, row.text)


def _range(text: str) -> tuple[str, str]:
    parts = [part.strip().upper() for part in re.split(r"\s*[–—-]\s*|\s+to\s+", text.strip())]
    if len(parts) > 2 or not all(re.fullmatch(r"[A-Z0-9]{1,7}", part) for part in parts):
        raise Unreadable(f"{text.strip()!r} is neither a code nor a range of codes")
    if len({len(part) for part in parts}) > 1 or parts[-1] < parts[0]:
        raise Unreadable(f"the range {text.strip()!r} needs two codes of one length in order")
    return parts[0], parts[-1]


def diagnosis_sql(
    diagnosis: Diagnosis, source: SourceTable, relation: Relation, stay: Relation, key: Sequence[str]
) -> str:
    """The ``key`` of every row of the output, ``stay``, that has a code of the lists in ``relation``.

    Raises:
        Unreadable: one of the columns or the link is not there.
    """
    link, code, version = (quoted(relation.column(name)) for name in (source.match, source.items[0], source.version))
    tests = []
    for number, ranges in diagnosis.codes:
        test = f"CAST({version} AS VARCHAR) = {literal(number)}"
        if ranges:
            listed = " OR ".join(
                f"substr({code}, 1, {len(first)}) BETWEEN {literal(first)} AND {literal(last)}"
                for first, last in ranges
            )
            test += f" AND ({listed})"
        tests.append(f"({test})")
    keys = ", ".join(f"stay.{quoted(column)}" for column in key)
    own = quoted(stay.column(source.match))
    return (
        f"SELECT {keys}, 1 AS amount FROM {stay.sql} AS stay\nJOIN ("
        f"SELECT DISTINCT {link} AS link FROM {relation.sql} WHERE {' OR '.join(tests)}"
        f") AS coded ON coded.link = stay.{own}"
    )

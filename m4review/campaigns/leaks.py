"""What must not leave this machine: secrets, places and names of machines and people, and rows of patients.

A finding names the file, the line and the kind, and never what was found.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from m4review.trials.literals import Haystack
from m4review.trials.sandbox.job import HOME
from m4review.trials.secrets import secrets_in

PLACE_MASK = "‹place›"
PLACE_END = r"[^\s\"'`<>|,;)\]}]*"
HOMES = re.compile(
    rf"(?<![\w.])(?!{re.escape(HOME)}(?![\w-]))(?:/home/[\w.-]+|/Users/[\w.-]+|/root|/var/folders/\w+|/private/var/\w+)"
    rf"(?:/{PLACE_END})?(?![\w-])|\b[A-Za-z]:\\+(?:Users|Documents)\\+{PLACE_END}"
)
"""Folders of people, wherever the program runs; the agent's own home in its container is none."""
PRIVATE_ADDRESS = re.compile(
    r"(?<![\w.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d{1,3}\.\d{1,3}(?![\w.]*\w)"
    r"|(?<![\w.-])(?:[\w-]+\.)+(?:local|internal|lan|intranet|corp|localdomain)(?![\w-])"
    r"|(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])"
)
SHIFTED_DATE = re.compile(r"(?<!\d)2[12]\d{2}-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])(?!\d)")
"""A date of the shifted time in which MIMIC's patients live."""

ID_NAMES = (
    "subject_id", "hadm_id", "stay_id", "patientunitstayid", "patienthealthsystemstayid", "uniquepid", "patient_id",
    "transfer_id", "specimen_id", "caregiver_id", "emar_id", "pharmacy_id", "poe_id",
)  # fmt: skip
ID_VALUE = re.compile(
    rf"\b(?:{'|'.join(ID_NAMES)})\b[\s\"'`\\]{{0,6}}(?:[:=]|\bis\b|\bin\b|\s)[\s\"'`\\(\[=]{{0,6}}\d{{5,}}",
    re.IGNORECASE,
)
"""An identifier with its value, as a record, a filter or a sentence has it."""
ID_WORD = re.compile(rf"\b(?:{'|'.join(ID_NAMES)})\b", re.IGNORECASE)
CELLS = (re.compile(r"\s*,\s*"), re.compile(r"\s*\t\s*"), re.compile(r"\s*;\s*"), re.compile(r"\s*[|│]\s*"))
CELL_VALUE = re.compile(r"[\"']?(?:[-+]?\d+(?:\.\d+)?|\d{4}-\d{2}-\d{2}(?:[ T][\d:.]+)?|)[\"']?")
WHOLE_ID = re.compile(r"[\"']?(\d{6,9})(?:\.0)?[\"']?")
TOKEN = re.compile(r"(?<![\w.])\w*\d{5}\w*(?:\.0+(?!\d))?(?!\.\d)")
DIGITS = re.compile(r"(?<!\d)\d{5,}(?!\d)")
DIGEST = re.compile(r"[0-9a-f]{12,}|[a-z][0-9a-f]{10}|[0-9A-HJKMNP-TV-Z]{26}")
"""Digests, the ids that figures are drawn with, and ids of runs: digits among letters in them are no numbers."""


@dataclass(frozen=True, slots=True)
class Leak:
    """One thing that must not be published. ``line`` is 1-based; ``None`` in a file without lines."""

    file: str
    line: int | None
    kind: str

    @property
    def place(self) -> str:
        """The file and, where there is one, the line."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What identifies this machine and its user: folders, and names of host and user."""

    roots: tuple[Path, ...] = ()
    names: tuple[str, ...] = ()


def masked_places(text: str, roots: Iterable[Path]) -> str:
    """``text`` with the folders of a machine and of people replaced by a mark."""
    for root in sorted(map(str, roots), key=len, reverse=True):
        if len(Path(root).parts) > 1:
            text = re.sub(re.escape(root) + PLACE_END, PLACE_MASK, text)
    return HOMES.sub(PLACE_MASK, text)


def text_leaks(file: str, text: str, around: Surroundings) -> Iterator[Leak]:
    """Everything in a text that can be told without the data."""
    plain = text.replace("\\/", "/").replace("\\u002f", "/")
    for kind, at, _ in secrets_in(Haystack(plain.encode())):
        yield Leak(file, plain.encode()[:at].count(b"\n") + 1, f"a secret ({kind})")
    for number, line in enumerate(plain.split("\n"), start=1):
        for kind in _line_leaks(line, around):
            yield Leak(file, number, kind)


def table_leaks(file: str, lines: Iterable[str], allowed: Container[int] = ()) -> Iterator[Leak]:
    """Rows of a table of patients: cells of values with an identifier among them, below a header or without one.

    ``allowed`` are numbers that identify no patient, such as items.
    """
    header_cells = 0
    for number, line in enumerate(lines, start=1):
        found = False
        for separator in CELLS:
            cells = separator.split(line.strip().strip("|│").strip())
            if len(cells) < 2:
                continue
            values = [cell for cell in cells if CELL_VALUE.fullmatch(cell)]
            filled = [cell for cell in values if cell.strip("\"'")]
            ids = (WHOLE_ID.fullmatch(cell) for cell in cells)
            whole = any(found is not None and int(found[1]) not in allowed for found in ids)
            below = header_cells == len(cells) and len(filled) >= 1
            if (whole and len(filled) >= 2 and 2 * len(values) >= len(cells)) or (below and filled):
                yield Leak(file, number, "a row of patient data")
                found = True
                break
            if any(ID_WORD.fullmatch(cell.strip("\"'` ")) for cell in cells) and not filled:
                header_cells, found = len(cells), True
                break
        if not found and line.strip() and not set(line.strip()) <= set("-|: +"):
            header_cells = 0


def candidate_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Line and value of every whole number that is long enough to be an identifier."""
    for number, line in enumerate(text.split("\n"), start=1):
        for token in TOKEN.finditer(line):
            if not DIGEST.fullmatch(token.group()):
                yield from ((number, int(digits.group())) for digits in DIGITS.finditer(token.group()))


def _line_leaks(line: str, around: Surroundings) -> Iterator[str]:
    lower = line.lower()
    if HOMES.search(line) or any(_within(line, root) for root in around.roots):
        yield "a path of a machine"
    if any(_named(lower, name) for name in around.names):
        yield "the name of a machine or user"
    if PRIVATE_ADDRESS.search(line):
        yield "an address of a private network"
    if SHIFTED_DATE.search(line):
        yield "a date of a patient's time"
    if ID_VALUE.search(line):
        yield "a patient's identifier"


def _within(line: str, root: Path) -> bool:
    return len(root.parts) > 1 and re.search(re.escape(str(root)) + r"(?![\w-])", line) is not None


def _named(line: str, name: str) -> bool:
    """Whether a name stands in a lower-case line: a plain word only where a machine or user is addressed by it."""
    word = re.escape(name.lower())
    if re.fullmatch(r"[a-z]{1,11}|\d+", name.lower()):
        return re.search(rf"@{word}(?![\w-])|(?<![\w-]){word}@|://{word}[:/]|\b(?:host|user|hostname|username|worker|login)"
                         rf"[\"']?\s*[:=]\s*[\"']?{word}(?![\w-])", line) is not None  # fmt: skip
    return re.search(rf"(?<![\w-]){word}(?![\w-])", line) is not None

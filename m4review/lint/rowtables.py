"""Tables of patients: a header with an identifier's column, and rows under it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit
from m4review.lint.views import View

ID_WORDS = (
    "subject", "hadm", "stay", "icustay", "patient", "admission", "encounter", "person", "visit", "unit", "caregiver",
    "specimen", "poe", "pharmacy", "micro", "transfer", "uniquepid", "mrn", "row_id", "case",
)  # fmt: skip
ID_COLUMN = Pattern(
    r"(?:subject|hadm|stay|icustay|patient|admission|encounter|person|visit|unit_?stay|"
    r"caregiver|specimen|poe|pharmacy|micro_specimen|transfer)[_ ]?id|"
    r"patientunitstayid|patienthealthsystemstayid|patient_?health_?system_?stay_?id|uniquepid|"
    r"mrn|row_id|hadm|subject|stay|patient|patient no\.?|case|case no\.?"
)
SURE_ID = Pattern(
    r"(?:subject|hadm|stay|icustay|patient|encounter|person|visit)_?id|patientunitstayid|"
    r"patienthealthsystemstayid|uniquepid|mrn"
)
IN_RANGE = r"[123]\d{7}"
BOUNDS = frozenset(f"{digit}{rest}" for digit in "123" for rest in ("0000000", "9999999"))
NUMBER = Pattern(r"[\"'`*]*(?P<digits>\d{1,9})[\"'`*]*\Z")
ALIGNED_NAME = Pattern(r"[a-z_][\w.]*")
SEPARATORS = ("|", "\t", ",", ";")


def _cells(line: str, separator: str) -> list[str]:
    cells = [cell.strip(" \"'`*") for cell in line.strip().strip("|>" if separator == "|" else "").split(separator)]
    return cells if len(cells) > 1 else []


def check_row_tables(plain: View) -> Iterator[Hit]:
    """A header with an identifier column and a number under it: pipe tables, CSV, TSV, aligned columns, JSON lines."""
    lines = plain.lower.split("\n")
    named = ID_COLUMN.matches_at(plain.lower, plain.places(ID_WORDS))
    for index in sorted({plain.line_of(match.start()) for match in named}):
        line = lines[index]
        for separator in SEPARATORS:
            if separator not in line:
                continue
            header = _cells(line, separator)
            columns = [position for position, name in enumerate(header) if ID_COLUMN.fullmatch(name)]
            if columns and _reads_as_header(header, separator):
                yield from _rows_under(plain, lines, index, separator, header, columns)
                break
        else:
            yield from _aligned(plain, lines, index)


def _reads_as_header(header: list[str], separator: str) -> bool:
    if separator != "|" and not all(re.fullmatch(r"[a-z_][\w. /()%-]{0,40}", name) for name in header):
        return False
    return sum(1 for name in header if name and len(name) <= 40 and not name[0].isdigit()) >= max(1, len(header) - 1)


def _rows_under(
    plain: View, lines: list[str], index: int, separator: str, header: list[str], columns: list[int]
) -> Iterator[Hit]:
    small: list[int] = []
    for row in range(index + 1, min(index + 400, len(lines))):
        text = lines[row]
        if not text.strip() or text.lstrip().startswith(("```", "~~~")):
            if row > index + 1:
                break
            continue
        if not text.strip(" |:-+=\t>"):
            continue
        cells = _cells(text, separator)
        if len(cells) < len(header) - 1 or (separator != "|" and len(cells) != len(header)):
            break
        if all(ID_COLUMN.fullmatch(cells[position]) for position in columns if position < len(cells)):
            if _reads_as_header(cells, separator):
                break  # a header of its own, whose rows are read from there
            continue
        for position in columns:
            match = NUMBER.match(cells[position]) if position < len(cells) else None
            if match is None:
                continue
            sure = SURE_ID.fullmatch(header[position]) is not None
            if len(match.group("digits")) >= 5 and match.group("digits") not in BOUNDS:
                yield row_hit(plain, row, None)
                break
            if sure:
                small.append(row)
                break
    if small and len(small) >= 5:
        yield row_hit(plain, small[0], None)
    elif small:
        yield row_hit(plain, small[0], "warning")


def row_hit(plain: View, row: int, softened: str | None) -> Hit:
    start = plain.line_starts[row]
    end = plain.line_starts[row + 1] - 1 if row + 1 < len(plain.line_starts) else len(plain.text)
    message = "a table row under an identifier column"
    return Hit("patient-row", *plain.raw(start, end), message, "warning" if softened else None)


def _aligned(plain: View, lines: list[str], index: int) -> Iterator[Hit]:
    """Columns aligned with blanks, as a console prints them."""
    header = lines[index].split()
    if len(header) < 2 or not all(ALIGNED_NAME.fullmatch(name) for name in header):
        return
    columns = [position for position, name in enumerate(header) if SURE_ID.fullmatch(name)]
    for row in range(index + 1, min(index + 400, len(lines))):
        cells = lines[row].split()
        if not cells or not any(character.isdigit() for character in lines[row]):
            if row > index + 1:
                break
            continue
        if any(SURE_ID.fullmatch(cell) for cell in cells) and all(ALIGNED_NAME.fullmatch(cell) for cell in cells):
            break  # a header of its own, whose rows are read from there
        for position in columns:
            for place in (position, position + 1):
                if place < len(cells) and re.fullmatch(r"\d{5,9}", cells[place]) and cells[place] not in BOUNDS:
                    yield row_hit(plain, row, None)
                    break

"""Family *rows*: data of single patients. Messages name the place only, never what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from m4review.lint import personal
from m4review.lint.finding import Severity
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts
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
LABEL = (
    r"(?:subject|hadm|stay|icustay|patient|admission|encounter|person|visit)[_ ]?(?:id|no\.?|number|nr\.?)?s?|"
    r"patientunitstayid|patienthealthsystemstayid|mrn|case|pat\.?|aufenthalt|fall|patient(?:in|en)|"
    r"s[ée]jour|estancia|paciente|opname|stays|admissions|icu\s+stay"
)
IN_RANGE = r"[123]\d{7}"
GROUPED = r"[123]\d[, '’]\d{3}[, '’]\d{3}"
"""An identifier written like a quantity."""
BOUNDS = frozenset(f"{digit}{rest}" for digit in "123" for rest in ("0000000", "9999999"))
LABELLED = Pattern(
    rf"(?<![a-z])(?:{LABEL})[\"'`\]]*\s*(?:is|=|==|:|in|#|no\.|number|in\s*\(|,|\(|\[|"
    rf"for example|e\.g\.|such as|of)?[\s\"'`(\[=:#]*(?P<id>{IN_RANGE}|{GROUPED})(?![\d,]\d|\.\d)"
)
EICU_LABELLED = Pattern(
    r"(?:patientunitstayid|patienthealthsystemstayid|"
    r"unit\s+stay(?:\s+id)?)[\"'`\]]*[\s\"'`(\[=:#,]*(?:in\b|is\b|for example|"
    r"e\.g\.)?[\s\"'`(\[=:#]*(?P<id>\d{5,7})(?!\d|\.\d)"
)
UNIQUEPID = Pattern(r"(?<![\d-])00\d-\d{4,6}(?![\d-])")
SOME_ID = Pattern(rf"{IN_RANGE}|{GROUPED}")
EICU_LABELS = ("patientunitstayid", "patienthealthsystemstayid", "unit")
SHIFTED = Pattern(r"2(?:1\d\d|20\d|210)")
ANY_ID = Pattern(rf"(?<![\w.:/-]){IN_RANGE}(?![\w]|[./-]\d)")
OTHER_NUMBERS = Pattern(
    r"pmid|pubmed|pmc|snomed|doi|loinc|rxnorm|isbn|issn|nct|umls|gtin|ndc|orcid|https?:|version|"
    r"sctid|concept[ _]?id|grant|trial|isrctn|ean\b|telephone|phone|tel\."
)

PAIR = Pattern(rf"\W{{0,4}}{IN_RANGE}(?:\W{{1,6}}-?\d{{1,3}}(?:\.\d+)?){{1,6}}\W{{0,3}}")
"""An identifier and small values: two such lines are rows, three of any other kind."""

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]*\.?"
YEAR = r"2(?:1\d\d|20\d|210)"
DATE = Pattern(
    rf"(?<![\d-])(?:{YEAR}[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?!\d)|"
    rf"{YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)(?:t\d{{4}}|[ _t]\d\d:)|"
    rf"(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|1[0-2]|[12]\d|3[01])[-/.]{YEAR}(?!\d)|(?:0?[1-9]|"
    rf"[12]\d|3[01])\.?\s+{MONTH}\s+{YEAR}(?!\d)|{MONTH}\s+\d{{1,2}}(?:st|nd|rd|"
    rf"th)?,?\s+{YEAR}(?!\d))"
)
INVENTED = Pattern(
    r"\b(?:invented|made[- ]up|fictitious|fictional|hypothetical|imaginary|synthetic|not\s+(?:a\s+)?real|erfunden\w*|"
    r"fiktiv\w*|fictifs?|fictives?|inventad[oa]s?)\b"
)
EXAMPLE = Pattern(r"\b(?:worked|examples?|illustration|beispiele?|exemples?|ejemplos?)\b")
ROUND_DAY = Pattern(r"-(?:01-0[1-5]|\d\d-01|12-31)\Z")
NUMBER = Pattern(r"[\"'`*]*(?P<digits>\d{1,9})[\"'`*]*\Z")
ALIGNED_NAME = Pattern(r"[a-z_][\w.]*")
SEPARATORS = ("|", "\t", ",", ";")


def check_rows(plain: View, tables: Iterable[View]) -> Iterator[Hit]:
    """Places that look like data of a patient. ``tables``: the readings of ``plain`` in which tables stand in lines."""
    lower = plain.lower
    some_id = SOME_ID.search(lower) is not None
    labelled = LABELLED.finditer(lower) if some_id else ()
    for matches in (labelled, EICU_LABELLED.matches_at(lower, plain.places(EICU_LABELS))):
        for match in matches:
            digits = re.sub(r"\D", "", match.group("id"))
            if (
                digits not in BOUNDS
                and not (digits != match.group("id") and digits.endswith("000"))
                and not _is_other_number(lower, match.start("id"))
            ):
                yield Hit(
                    "patient-id", *plain.raw(*match.span("id")), "the identifier of one patient, admission or stay"
                )
    for match in UNIQUEPID.finditer(lower) if "pid" in lower else ():
        if "pid" in lower[max(0, match.start() - 60) : match.start()]:
            yield Hit("patient-id", *plain.raw(*match.span()), "the identifier of one patient, admission or stay")
    dates = sorted((*plain.numbers, *plain.places(MONTHS))) if SHIFTED.search(lower) else ()
    for match in DATE.matches_at(lower, dates):
        softened: Severity | None = "warning" if _is_invented(lower, match) else None
        message = "a date in the years to which patients' dates are shifted"
        yield Hit("patient-date", *plain.raw(*match.span()), message, softened)
    yield from personal.check_personal(plain)
    for reading in tables:
        yield from _tables(reading)
    if some_id:
        yield from _blocks(plain)


def _is_invented(lower: str, match: re.Match[str]) -> bool:
    """Whether the text says that it made the date up, or that it is an example and the day is the first of a month."""
    section = lower[max(0, match.start() - 1500) : match.start()]
    section = section[max(section.rfind("\n# "), section.rfind("\n## "), section.rfind("\n### "), 0) :]
    if INVENTED.search(section) or INVENTED.search(lower, match.end(), match.end() + 80):
        return True
    return EXAMPLE.search(section) is not None and ROUND_DAY.search(match.group()) is not None


def _is_other_number(lower: str, position: int) -> bool:
    line = lower.rfind("\n", 0, position) + 1
    before = lower[max(line, position - 40) : position]
    return OTHER_NUMBERS.search(before) is not None


def _cells(line: str, separator: str) -> list[str]:
    cells = [cell.strip(" \"'`*") for cell in line.strip().strip("|>" if separator == "|" else "").split(separator)]
    return cells if len(cells) > 1 else []


def _tables(plain: View) -> Iterator[Hit]:
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
                yield _row_hit(plain, row, None)
                break
            if sure:
                small.append(row)
                break
    if small and len(small) >= 5:
        yield _row_hit(plain, small[0], None)
    elif small:
        yield _row_hit(plain, small[0], "warning")


def _row_hit(plain: View, row: int, softened: str | None) -> Hit:
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
                    yield _row_hit(plain, row, None)
                    break


def _blocks(plain: View) -> Iterator[Hit]:
    """Rows without a header: several identifiers side by side, or one at the same place of three lines."""
    lower = plain.lower
    run: list[int] = []
    for row, start in enumerate(plain.line_starts):
        end = plain.line_starts[row + 1] if row + 1 < len(plain.line_starts) else len(lower)
        line = lower[start:end]
        found = [m for m in ANY_ID.finditer(line) if m.group() not in BOUNDS] if len(line) > 8 else []
        if not found or OTHER_NUMBERS.search(line) or _under_references(plain, row):
            run = []
            continue
        kinds = {match.group()[0] for match in found}
        others = len(re.findall(r"[,;|\t ]\s*\"?-?\d+(?:\.\d+)?(?=\"?\s*(?:[,;|\t\n ]|\Z))", line))
        if len(kinds) >= 2 and re.search(rf"{IN_RANGE}[\"']?\s*[,;|\t ]\s*[\"']?{IN_RANGE}", line):
            yield _row_hit(plain, row, None)
            run = []
            continue
        if len({match.group() for match in found if not match.group().endswith("0000")}) >= 2:
            yield Hit("patient-id", *plain.raw(*_within(found, start)), "identifiers of patients, admissions or stays")
            run = []
            continue
        if others >= 1 or len(found) == 1:
            run.append(row)
            if len(run) == 3 or (len(run) == 2 and all(PAIR.fullmatch(_line(plain, other)) for other in run)):
                yield _row_hit(plain, run[0], None)


def _line(plain: View, row: int) -> str:
    stop = plain.line_starts[row + 1] if row + 1 < len(plain.line_starts) else len(plain.lower)
    return plain.lower[plain.line_starts[row] : stop].strip()


def _within(found: list[re.Match[str]], start: int) -> tuple[int, int]:
    return start + found[0].start(), start + found[-1].end()


def _under_references(plain: View, row: int) -> bool:
    first = max(0, row - 12)
    return OTHER_NUMBERS.search(plain.lower[plain.line_starts[first] : plain.line_starts[row]]) is not None


RULES = (
    Rule(
        "patient-id",
        "rows",
        "error",
        "An identifier points to one patient. The data use agreement forbids it in a shared text.",
        "Delete it. Describe the situation without an identifier ('a stay with two admissions on one day').",
        refused=texts(
            "For example stay_id 30000153 has two rows.",
            "Check subject_id = 10000032.",
            "In eICU look at patientunitstayid 141168.",
            '{"hadm_id": 22595853}',
        ),
        accepted=texts(
            "Vincent JL. Intensive Care Med 1996. PMID 10872744; subject: sepsis, PMID: 26903338.",
            "`stay_id` lies between 30000000 and 39999999.",
            "Items 220045, 220050 and 50912; SNOMED 14669001 for acute kidney injury.",
        ),
    ),
    Rule(
        "patient-row",
        "rows",
        "error",
        "Rows of patients never leave the database: the data use agreement forbids it, and rows of the answer leak it.",
        "Delete the rows. A made-up example may use a description instead of an identifier.",
        refused=texts(
            "| stay_id | sofa |\n|---|---|\n| 30000153 | 4 |",
            "subject_id,hadm_id,stay_id,sofa\n10000032,29079034,39553978,3",
            "10000032,29079034,39553978,3",
            "stay_id  sirs\n30000153  2\n30000213  1",
            "30000153, 4\n30000213, 7\n30000484, 2",
        ),
        accepted=texts(
            "| Column | Type |\n|---|---|\n| `stay_id` | integer |",
            "| itemid | label |\n|---|---|\n| 220045 | Heart Rate |",
            "PMIDs:\n\n- 10872744\n- 26903338\n- 29297082",
        ),
    ),
    Rule(
        "patient-date",
        "rows",
        "error",
        "Dates in these shifted years come from a patient's record.",
        "Use times relative to admission ('6 hours after ICU admission').",
        refused=texts(
            "The culture of 2150-03-04 counts.", "Admitted 4 March 2150.", "On 03/04/2150 the tube was removed."
        ),
        accepted=texts("Dates are shifted to years between 2100 and 2210.", "Guideline of 2012-03-01, revised 2021."),
    ),
    *personal.RULES,
)

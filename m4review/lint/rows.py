"""Family *rows*: data of single patients. Messages name the place only, never what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from m4review.lint import personal
from m4review.lint.finding import Severity
from m4review.lint.pattern import Pattern
from m4review.lint.rowblocks import OTHER_NUMBERS, check_blocks
from m4review.lint.rowtables import BOUNDS, IN_RANGE, check_row_tables
from m4review.lint.rule import Hit, Rule, texts
from m4review.lint.views import View

LABEL = (
    r"(?:subject|hadm|stay|icustay|patient|admission|encounter|person|visit)[_ ]?(?:id|no\.?|number|nr\.?)?s?|"
    r"patientunitstayid|patienthealthsystemstayid|mrn|case|pat\.?|aufenthalt|fall|patient(?:in|en)|"
    r"s[ée]jour|estancia|paciente|opname|stays|admissions|icu\s+stay"
)
GROUPED = r"[123]\d[, '’]\d{3}[, '’]\d{3}"
"""An identifier written like a quantity."""
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
        yield from check_row_tables(reading)
    if some_id:
        yield from check_blocks(plain)


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
            "subject_id,hadm_id,stay_id,lactate\n10000032,29079034,39553978,3",
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
            "The culture of 2150-03-04 counts.",
            "The culture grew on 4 March 2150.",
            "On 03/04/2150 the tube was removed.",
        ),
        accepted=texts("Dates are shifted to years between 2100 and 2210.", "Guideline of 2012-03-01, revised 2021."),
    ),
    *personal.RULES,
)

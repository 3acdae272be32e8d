"""Completeness: an element counts when the text declares it, and only then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from m4review.skills import parse_skill
from m4review.skills.completeness import Completeness, completeness
from m4review.skills.elements import ELEMENTS
from m4review.textfile import decode

ROOT = Path(__file__).parents[3] / "skills"
IDS = [element.id for element in ELEMENTS]
HEAD = "---\nname: example\ndescription: How to derive an example.\n---\n# Example\n\n"


def of(text: str, folder: str = "example") -> Completeness:
    return completeness(parse_skill(decode(text.encode(), f"skills/{folder}/SKILL.md"), folder=folder))


def declared(text: str, folder: str = "example") -> set[str]:
    return {item.element.id for item in of(text, folder).declared}


def without_column(title: str, text: str) -> str:
    """Every pipe table without its column of that title."""
    lines, index = [], None
    for line in text.split("\n"):
        cells = line.split("|")
        if not line.startswith("|"):
            index = None
        elif index is None and title in [cell.strip() for cell in cells]:
            index = [cell.strip() for cell in cells].index(title)
        if index is not None and line.startswith("|"):
            line = "|".join([*cells[:index], *cells[index + 1 :]])
        lines.append(line)
    return "\n".join(lines)


def without_section(title: str, text: str) -> str:
    return re.sub(rf"\n## {title}\n.*?(?=\n## |\Z)", "\n", text, flags=re.S)


def without(*patterns: str) -> list[str]:
    return list(patterns)


COMMON: dict[str, list[str]] = {
    "grain": without(r"One row per ICU stay; "),
    "keys": without(r"; the key is `stay_id`"),
    "columns": without(r"\n\| Column \|(?:.*\n)+?(?=\n)", r" The columns, in this order:"),
    "cohort": without("## Cohort"),
    "anchor": without(r"ICU admission is the\s`intime` of the stay\."),
    "window": without(
        r"from 6 hours before to 24 hours after ICU admission", r"from ICU admission to 24 hours after ICU admission"
    ),
    "inclusivity": without(r",? both ends included"),
    "source-items": without("|Item id (label)", r"22\d\d\d\d", r"5[0-2]\d\d\d", r"item(?= )"),
    "units": without("|Unit"),
    "valid-range": without("|Valid range"),
    "conversion": without("|Conversion"),
    "missing": without("## Missing data", r"Nothing is carried forward[^.]*\."),
    "edge-cases": without("## Edge cases"),
    "limitations": without("## Known limitations"),
    "literature": without("## Literature"),
    "dataset": without(r"MIMIC-IV v3\.1", r"  database-version: .*\n"),
    "precedence": without(
        r"(?:For each component|In each table) the first line that applies decides\.",
        r"Each point has the status of the first\sline that applies;",
    ),
}  # fmt: skip
ONLY = {
    "sirs-criteria": {
        "source-table": without("|Table"),
        "ties": without(r"- Two stays of one patient(?:.*\n)+?(?=- Each)", r"- Each stay appears once.*"),
        "duplicates": without(
            "|Several values at one time",
            r"Values of one measure that share(?:.*\n)+?(?=\n)",
            r"- The same item charted twice(?:.*\n)+?(?=- Several)",
            r"- Several results.*",
        ),
    },
    "sofa-score": {
        "source-table": without("|Table", r"in `mimiciv_icu.chartevents`"),
        "ties": without(
            r"- When two episodes(?:.*\n)+?(?=- A sample)", r"- A sample lying(?:.*\n)+?(?=- Ventilator)",
            r"- Ventilator (?:.*\n)+?(?=\n)",
        ),
        "duplicates": without(
            "|Several values at one time", r"- Mean pressures.*", r"- Several results.*", r"- Several charted FiO2.*",
            r"Several devices can be charted at one time(?:.*\n)+?(?=\n)",
        ),
    },
}  # fmt: skip


def delete(text: str, what: list[str]) -> str:
    for pattern in what:
        if pattern.startswith("|"):
            text = without_column(pattern[1:], text)
        elif pattern.startswith("## "):
            text = without_section(pattern[3:], text)
        else:
            text = re.sub(pattern, "", text)
    return text


@pytest.mark.parametrize("skill", ["sirs-criteria", "sofa-score"])
def test_the_shipped_skills_declare_every_element(skill: str) -> None:
    text = (ROOT / skill / "SKILL.md").read_text(encoding="utf-8")
    assert [item.element.id for item in of(text, skill).absent] == []


@pytest.mark.parametrize("skill", ["sirs-criteria", "sofa-score"])
@pytest.mark.parametrize("element", IDS)
def test_deleting_an_element_makes_exactly_that_one_absent(skill: str, element: str) -> None:
    text = (ROOT / skill / "SKILL.md").read_text(encoding="utf-8")
    changed = delete(text, {**COMMON, **ONLY[skill]}[element])
    assert changed != text
    absent = {item.element.id for item in of(changed, skill).absent}
    # a table without item ids is no source map any more, and without a window its ends mean nothing
    implied = {"window": {"inclusivity"}}.get(element, set())
    assert absent - implied == {element}


SAID = {
    "grain": [
        "Each row stands for one hospital admission.",
        "The output has exactly one line for each stay and hour.",
        "Grain: stay and day.",
        "There is exactly one row for each `patientunitstayid`.",
    ],
    "keys": [
        "Key columns: `stay_id`, `hr`.",
        "A row is identified by `patientunitstayid`.",
        "`hadm_id` is the primary key.",
    ],
    "cohort": [
        "Adult patients (18 years and older) with a first ICU stay are included.",
        "Children and readmissions are excluded.",
        "## Population\n\nAll ICU stays of adults.",
        "Only stays of at least 24 hours are eligible.",
    ],
    "anchor": [
        "Time zero is ICU admission.",
        "Hours are counted from ICU admission.",
        "`unitadmitoffset` marks the start of the unit stay.",
        "Suspicion onset is defined as the earlier of `culture_time` and `antibiotic_time`.",
    ],
    "window": [
        "Values from 24 hours before until 12 hours after admission are used.",
        "The window runs from -6 h to +24 h.",
        "Use the first 24 hours after ICU admission.",
        "Only values between 48 hours before and 24 hours after the onset count.",
        "Hours 0 to 24 count.",
        "The period begins at ICU admission: from admission to discharge.",
        "Values with offset in [0, 1440] minutes count.",
        "The lowest creatinine from 7 days before admission to admission is the baseline.",
    ],
    "inclusivity": [
        "Use the first 24 hours after ICU admission (inclusive).",
        "Values from 0 h to 24 h after admission count; the upper end is excluded.",
        "The window, from 6 hours before to 24 hours after admission, is a closed interval.",
    ],
    "source-table": [
        "Heart rate is charted in `mimiciv_icu.chartevents`.",
        "| Measure | Source | Item |\n|---|---|---|\n| Pulse | `chartevents` | 220045 |",
        "Vital signs come from `vitalperiodic`.",
    ],
    "source-items": [
        "Heart rate: item 220045.",
        "Creatinine is 50912 (Creatinine) in blood.",
        "Diabetes is any code E10 to E14.",
        "Creatinine has the labname 'creatinine'.",
        "| Variable | itemid | Unit |\n|---|---|---|\n| Pulse | 220045 | /min |",
    ],
    "units": [
        "Item 50912 is in mg/dL.",
        "| Variable | itemid | Unit |\n|---|---|---|\n| Pulse | 220045 | /min |",
        "All pressures have the unit mmHg.",
    ],
    "valid-range": [
        "Heart rates below 0 or above 300 are dropped.",
        "Valid temperatures lie between 10 and 50 °C.",
        "Ignore a platelet count > 10000.",
        "| Variable | itemid | Plausible range |\n|---|---|---|\n| Pulse | 220045 | 1 to 299 |",
    ],
    "conversion": [
        "Fahrenheit is converted by subtracting 32 and dividing by 1.8.",
        "To convert bilirubin to µmol/L multiply it by 17.1.",
        "No unit conversion is needed.",
    ],
    "missing": [
        "A missing component counts as 0.",
        "If a value was not measured, the component is set to normal.",
        "Nothing is carried forward.",
        "If no creatinine is available, the stage is null.",
        "## Missing values\n\nThey stay empty.",
    ],
    "precedence": [
        "Arterial samples take precedence over venous ones.",
        "The first matching rule wins.",
        "Conditions are checked in this order: 4, 3, 2, 1.",
        "Invasive pressure is preferred over cuff pressure.",
    ],
    "ties": [
        "If two values tie, the earlier one is used.",
        "When two admissions are equally close, take the later one.",
        "An overlapping stay counts for both.",
    ],
    "duplicates": [
        "If several values share a minute, take the mean.",
        "Duplicate rows are dropped.",
        "If two results carry the same offset, keep the more recent one.",
        "When a drug was charted twice, the last entry counts.",
    ],
    "edge-cases": ["## Edge cases\n\nA value of exactly 38.0 does not score.", "## Special cases\n\n- Dialysis."],
    "limitations": ["## Limitations\n\nSedation is not considered.", "## Caveats\n\n- Sparse charting."],
    "literature": [
        "## References\n\nKnaus WA, et al. Crit Care Med 1985;13:818.",
        "The definition follows doi:10.1001/jama.2016.0287.",
    ],
    "dataset": ["The data are those of eICU-CRD v2.0.", "Written for MIMIC-IV version 3.1."],
    "columns": [
        "The columns are `stay_id`, `hr` and `score`.",
        "## Output\n\n| Column | Meaning |\n|---|---|\n| `stay_id` | stay |",
    ],
}
UNSAID = {
    "grain": ["Rows are sorted.", "Give one answer."],
    "keys": ["The key question is which value counts.", "Identify patients early."],
    "cohort": ["Both ends are included.", "Patients with sepsis often die."],
    "anchor": ["Admission is a stressful event.", "The start of treatment matters."],
    "window": [
        "Use values up to 24 hours after admission.",
        "Values within the window count.",
        "Take the first day.",
        "Values from admission onwards count.",
        "The window is to be decided: TODO from 6 hours before to 24 hours after admission.",
        "<!-- from 6 hours before to 24 hours after admission -->",
        "## Limitations\n\nThe original used the first 24 hours after admission.",
    ],
    "inclusivity": [
        "Values from 6 hours before to 24 hours after admission count.",
        "Nobody is excluded. Adults are included.",
    ],
    "source-table": ["Every stay in `mimiciv_icu.icustays`.", "The table below lists the points."],
    "source-items": ["Several items matter.", "In 2016 the items changed."],
    "units": ["The intensive care unit is busy.", "| Variable | itemid | Unit |\n|---|---|---|\n| Pulse | 220045 | |"],
    "valid-range": [
        "The valid range is tested before conversion.",
        "| Variable | itemid | Valid range |\n|---|---|---|\n| Pulse | 220045 | TBD |",
        "Temperature below 36 °C gives one point.",
    ],
    "conversion": ["Values are compared after conversion.", "Conversion to a new ward takes 2 days."],
    "missing": ["Many values are missing.", "## Missing data\n\nTODO"],
    "precedence": ["First measure the temperature.", "The columns, in this order: `a`, `b`."],
    "ties": ["Sepsis is closely tied to infection.", "Two windows are used."],
    "duplicates": ["Several organs fail.", "Multiple sources exist."],
    "edge-cases": ["The edge of the bed is used.", "## Edge cases\n\n"],
    "limitations": ["There are limitations.", "## Limitations\n"],
    "literature": ["The 1992 consensus conference named four criteria.", "## References\n\nTo be added."],
    "dataset": ["MIMIC-IV is a database.", "Version 3.1 of this text."],
    "columns": ["The columns are described elsewhere."],
}


@pytest.mark.parametrize(("element", "text"), [(key, text) for key, texts in SAID.items() for text in texts])
def test_an_element_is_recognised_in_other_words(element: str, text: str) -> None:
    assert element in declared(f"{HEAD}{text}\n")


@pytest.mark.parametrize(("element", "text"), [(key, text) for key, texts in UNSAID.items() for text in texts])
def test_a_mention_is_no_declaration(element: str, text: str) -> None:
    assert element not in declared(f"{HEAD}{text}\n")


def test_an_empty_skill_declares_nothing_and_says_what_to_write() -> None:
    result = of(HEAD)
    assert result.declared == ()
    assert all(item.element.to_write.endswith((".", "'")) for item in result.absent)


def test_each_element_points_to_its_line() -> None:
    text = f"{HEAD}Text.\n\nOne row per stay.\nThe key is\n`stay_id`.\n"
    lines = {item.element.id: item.line for item in of(text).declared}
    assert lines == {"grain": 9, "keys": 10}


@pytest.mark.parametrize(
    "text", ["from " * 40_000, "# a\n\ntext is 1.\n\n" * 8_000, "several " * 25_000, "- [" * 20_000]
)
def test_a_hostile_text_comes_to_an_end_and_declares_nothing_new(text: str) -> None:
    assert of(HEAD + text).declared == of(HEAD).declared

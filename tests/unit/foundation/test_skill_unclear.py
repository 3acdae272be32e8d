"""Unclear places: what a literal reader could only guess at is found with its line, and good skills are left alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from m4review.lint import lint_text
from m4review.skills import parse_skill
from m4review.skills.completeness import completeness
from m4review.skills.unclear import ItemDictionary, UnclearPlace, unclear_places
from m4review.skills.unclear.units import is_unit
from m4review.textfile import decode

ROOT = Path(__file__).parents[3] / "skills"
SHIPPED = sorted(path.name for path in ROOT.iterdir() if path.is_dir())
HEAD = "---\nname: example\ndescription: How to derive an example.\n---\n# Example\n\n"
MEASURES = "| Measure | Table | Item id (label) | Unit | Valid range |\n|---|---|---|---|---|\n"
PULSE = "| Heart rate | `chartevents` | 220045 (Heart Rate) | /min | > 0 and < 300 |\n"


def of(text: str, dictionary: ItemDictionary | None = None) -> list[UnclearPlace]:
    skill = parse_skill(decode((HEAD + text).encode(), "skills/example/SKILL.md"), folder="example")
    return list(unclear_places(skill, dictionary))


def ids(text: str) -> list[str]:
    return [place.id for place in of(text)]


def changed(skill: str, old: str, new: str) -> tuple[list[UnclearPlace], int]:
    """What is unclear in a shipped skill after one change, and the line of the change."""
    text = (ROOT / skill / "SKILL.md").read_text(encoding="utf-8")
    assert text.count(old) >= 1, old
    line = text[: text.index(old)].count("\n") + 1
    text = text.replace(old, new, 1)
    return list(unclear_places(parse_skill(decode(text.encode(), f"{skill}/SKILL.md"), folder=skill))), line


def scoring(*rows: str, heading: str = "`points`", before: str = "") -> str:
    lines = "".join(f"| {row} |\n" for row in rows)
    return f"## Scoring\n\n{before}\n\n### {heading}\n\n| Lowest pressure (mmHg) | Points |\n|---|---|\n{lines}"


@pytest.mark.parametrize("skill", SHIPPED)
def test_the_shipped_skills_have_no_unclear_place(skill: str) -> None:
    text = (ROOT / skill / "SKILL.md").read_bytes()
    result = completeness(parse_skill(decode(text, f"skills/{skill}/SKILL.md"), folder=skill))
    assert [f"{place.line}: {place.message}" for place in result.unclear] == []


@pytest.mark.parametrize(
    ("skill", "old", "new", "expected"),
    [
        ("sirs-criteria", "| /min | > 0 and < 300 |", "| | > 0 and < 300 |", "empty-cell"),
        (
            "sirs-criteria",
            "| /min | > 0 and < 300 | none | mean |",
            '| /min | > 0 and < 300 | none | " |',
            "merged-cell",
        ),
        ("sirs-criteria", "| K/µL | > 0 |", "| K/µLL | > 0 |", "unknown-unit"),
        ("sirs-criteria", "hours after ICU admission, both", "hours after, both", "window-without-anchor"),
        ("sofa-score", "| 50 to < 100 | 2 |", "| 60 to < 100 | 2 |", "band-gap"),
        ("sofa-score", "| 50 to < 100 | 2 |", "| 40 to < 100 | 2 |", "band-overlap"),
        ("sofa-score", "| 10 to 12 | 2 |", "| 11 to 12 | 2 |", "band-gap"),
        ("sofa-score", "| 2.0 to < 6.0 | 2 |", "| 2.0 to < 6.0 | 2 |\n| 2.0 to < 6.0 | 3 |", "contradiction"),
    ],
)
def test_one_slip_in_a_shipped_skill_is_found_where_it_is(skill: str, old: str, new: str, expected: str) -> None:
    found, line = changed(skill, old, new)
    assert {place.id for place in found} == {expected}
    assert any(abs(place.line - line) <= 1 for place in found)


# -- cells --------------------------------------------------------------------------------------------------------


def test_an_empty_cell_is_named_with_its_column_unless_it_is_a_restriction() -> None:
    (place,) = of(MEASURES + PULSE.replace("/min", ""))
    assert (place.id, place.line) == ("empty-cell", 9)
    assert "'Unit'" in place.message
    assert (
        of("| Input | Measure | Summary over the window | Only where |\n|---|---|---|---|\n| A | B | lowest | |\n")
        == []
    )


@pytest.mark.parametrize("cell", ['"', "〃", "^", "ditto", "as above", "same", "…"])
def test_a_cell_that_points_to_the_one_above_is_not_filled_in(cell: str) -> None:
    assert ids(MEASURES + PULSE + PULSE.replace("220045", "220046").replace("/min", cell)) == ["merged-cell"]


def test_rows_that_are_too_short_or_too_long_and_spanned_cells_are_merged() -> None:
    assert ids(MEASURES + "| Heart rate | `chartevents` | 220045 (Heart Rate) |\n") == ["merged-cell"]
    assert ids(MEASURES + PULSE.rstrip("\n") + " more |\n") == ["merged-cell"]
    assert ids('<table><tr><td rowspan="2">1</td></tr></table>\n') == ["merged-cell"]
    assert ids("| A | B |\n|---|---|\n| with \\| bar | 1 |\n") == []


def test_tables_under_limitations_and_literature_may_look_as_they_like() -> None:
    assert ids("## Known limitations\n\n| A | B |\n|---|---|\n| 1 | |\n") == []


# -- contradictions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("old", ["/min", "> 0 and < 300"])
def test_one_item_with_two_units_or_ranges_is_a_contradiction_across_tables(old: str) -> None:
    other = PULSE.replace(old, "/h" if old == "/min" else "> 0 and < 250")
    (place,) = of(f"## Source map\n\n{MEASURES}{PULSE}\n## Further sources\n\n{MEASURES}{other}")
    assert (place.id, place.line) == ("contradiction", 17)
    assert "line 11" in place.message


def test_one_condition_with_two_results_is_a_contradiction() -> None:
    head = "| Component | Condition | Points |\n|---|---|---|\n"
    rule = "| `a` | highest heart rate > 90 /min | 1 |\n"
    assert ids(f"{head}{rule}\nAgain:\n\n{head}{rule.replace('| 1 |', '| 2 |')}") == ["contradiction"]
    assert ids(head + rule + rule.replace("`a`", "`b`").replace("| 1 |", "| 2 |")) == []


def test_two_tables_that_share_a_column_must_agree_in_it() -> None:
    first = "| Drug | Unit |\n|---|---|\n| Dopamine | mcg/kg/min |\n"
    second = "| Drug | Limit | Unit |\n|---|---|---|\n| Dopamine | 5 | mg/h |\n"
    assert ids(f"{first}\nAnd:\n\n{second}") == ["contradiction"]
    assert ids(f"{first}\nAnd:\n\n{second.replace('mg/h', 'mcg/kg/min')}") == []


def test_an_input_that_is_defined_twice_is_a_contradiction() -> None:
    head = "| Input | Measure | Summary over the window |\n|---|---|---|\n"
    assert ids(head + "| Pulse | Heart rate | highest |\n| Pulse | Heart rate | lowest |\n") == ["contradiction"]


# -- windows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "From 6 hours before to 24 hours after, both ends included.",
        "The first 24 hours, both ends included.",
        "Use the last 48 hours.",
        "Hours 0 to 24.",
    ],
)
def test_a_window_that_counts_from_nothing_is_found(sentence: str) -> None:
    (place,) = of(f"## Time window\n\n{sentence}\n")
    assert (place.id, place.line) == ("window-without-anchor", 9)


@pytest.mark.parametrize(
    "sentence",
    [
        "From 6 hours before to 24 hours after ICU admission, both ends included.",
        "The first 24 hours after `intime`, start excluded.",
        "The 48 hours before the creatinine, end excluded.",
        "The window is short.",
    ],
)
def test_a_window_with_its_moment_is_left_alone(sentence: str) -> None:
    assert ids(f"## Time window\n\n{sentence}\n") == []


def test_a_window_in_a_table_needs_its_moment_too() -> None:
    head = "| Input | Measure | Summary over the window | Window |\n|---|---|---|---|\n"
    assert ids(head + "| Pulse | Heart rate | highest | the first 24 hours |\n") == ["window-without-anchor"]
    assert ids(head + "| Pulse | Heart rate | highest | the first 24 hours after ICU admission |\n") == []


# -- units --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit",
    ["mg/dL", "mmHg", "mm Hg", "cmH2O", "K/µL", "10⁹/L", "×10^9/L", "mL/kg/h", "mcg/kg/min", "units/hour", "/min", "°C",
     "mL/min/1.73 m2", "ng/mL", "%", "text", "ratio", "–", "years (whole)", "beats per minute"],
)  # fmt: skip
def test_units_of_the_field_are_known(unit: str) -> None:
    assert is_unit(unit)


@pytest.mark.parametrize("unit", ["mg/dLL", "mmGh", "furlongs", "°X", "mgs", "heart rate", "mg//dL"])
def test_what_is_no_unit_is_found_and_the_nearest_is_offered(unit: str) -> None:
    (place,) = of(MEASURES + PULSE.replace("/min", unit))
    assert (place.id, place.line) == ("unknown-unit", 9)
    assert unit in place.message
    if unit == "mmGh":
        assert "mmHg" in place.to_write


def test_a_unit_beside_a_limit_must_be_one_too() -> None:
    assert ids("| Condition | Points |\n|---|---|\n| rate > 90 /mim | 1 |\n| otherwise | 0 |\n") == ["unknown-unit"]
    assert ids("| Condition | Points |\n|---|---|\n| PaO2/FiO2 < 200 mmHg | 1 |\n| otherwise | 0 |\n") == []


# -- items --------------------------------------------------------------------------------------------------------

ITEMS = ItemDictionary("ward", {"chartevents": frozenset({220045}), "labevents": frozenset({50912})})


def test_item_ids_are_looked_up_only_where_there_is_a_dictionary() -> None:
    text = MEASURES + PULSE + PULSE.replace("220045", "220046").replace("/min", "/min")
    assert ids(text) == []
    (place,) = of(text, ITEMS)
    assert (place.id, place.line) == ("unknown-item", 10)
    assert "220046" in place.message
    assert "ward" in place.message


def test_an_item_of_another_table_does_not_exist_for_this_one() -> None:
    assert [place.id for place in of(MEASURES + PULSE.replace("220045", "50912"), ITEMS)] == ["unknown-item"]


def test_items_named_in_a_sentence_are_looked_up() -> None:
    found = of("Creatinine is item 50912, never item 50913.\n", ITEMS)
    assert [(place.id, "50913" in place.message) for place in found] == [("unknown-item", True)]


# -- bands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("< 60 | 3", "60 to < 70 | 2", "≥ 70 | 0"), []),
        (("< 60 | 3", "65 to < 70 | 2", "≥ 70 | 0"), ["band-gap"]),
        (("< 60 | 3", "60 to < 72 | 2", "≥ 70 | 0"), ["band-overlap"]),
        (("< 60 | 3", "> 60 | 0"), ["band-gap"]),
        (("≤ 60 | 3", "≥ 60 | 0"), ["band-overlap"]),
        (("< 60 | 3", "60 to 69 | 2", "70 to 80 | 1", "> 80 | 0"), []),
        (("< 60.0 | 3", "60.0 to 69.8 | 2", "70.0 or more | 1"), ["band-gap"]),
        (("< 60 | 3", "below 70 | 2", "at least 70 | 0"), ["band-overlap"]),
        (("< 60 | 3", "60 to < 70 | 2"), ["band-gap"]),
        (("< 60 | 3", "60 to < 70 | 2", "otherwise | 0"), []),
        (("< 60 | 3", "65 to < 70 | 2", "otherwise | 0"), ["band-gap"]),
        (("< 60 | 1", "> 100 | 1", "otherwise | 0"), []),
        (("< 60 | 3", "missing | 0", "60 or more | 1"), []),
    ],
)
def test_bands_meet_without_gap_and_overlap(rows: tuple[str, ...], expected: list[str]) -> None:
    assert ids(scoring(*rows)) == expected


def test_where_the_first_line_decides_bands_may_contain_the_ones_before_but_not_hide_the_ones_after() -> None:
    decides = "For each component the first line that applies decides."
    assert ids(scoring("< 60 | 3", "< 70 | 2", "≥ 70 | 0", before=decides)) == []
    assert ids(scoring("< 70 | 2", "< 60 | 3", "≥ 70 | 0", before=decides)) == ["band-overlap"]


def test_wide_tables_and_two_way_tables_are_read_as_bands_too() -> None:
    wide = "| Platelets | 0 | 1 | 2 |\n|---|---|---|---|\n| K/µL | ≥ 150 | 100 to < 150 | < {} |\n"
    assert ids("## Scoring\n\n" + wide.format(100)) == []
    assert ids("## Scoring\n\n" + wide.format(90)) == ["band-gap"]
    two_way = (
        "| pH \\ PaCO2 | < 25 | {} to < 30 | ≥ 30 |\n|---|---|---|---|\n| < 7.2 | 1 | 2 | 3 |\n| ≥ 7.2 | 0 | 0 | 1 |\n"
    )
    assert ids("## Scoring\n\n" + two_way.format(25)) == []
    assert ids("## Scoring\n\n" + two_way.format(27)) == ["band-gap"]


def test_a_component_judged_on_two_sides_leaves_the_middle_to_the_last_line() -> None:
    head = "| Component | Condition | Points |\n|---|---|---|\n"
    rows = (
        "lowest rate < 40 /min | 2",
        "highest rate ≥ 160 /min | 4",
        "highest rate 120 to < 160 /min | 1",
        "otherwise | 0",
    )
    assert ids("## Scoring\n\n" + head + "".join(f"| `a` | {row} |\n" for row in rows)) == []


def test_places_are_in_the_order_of_the_text() -> None:
    found = of(MEASURES + PULSE.replace("/min", "mmGh") + PULSE.replace("/min", ""))
    assert [place.line for place in found] == sorted(place.line for place in found)
    assert len(found) >= 2
    assert all(re.search(r"[.?]$", place.to_write) and place.message[-1] != "." for place in found)


def test_the_example_of_the_writing_guide_is_complete_clear_and_clean() -> None:
    page = (ROOT.parent / "docs" / "writing-skills.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```markdown\n(.*?)^```$", page, re.S | re.M)
    path = "skills/first-day-lactate/SKILL.md"
    result = completeness(parse_skill(decode(text.encode(), path), folder="first-day-lactate"))
    assert [item.element.id for item in result.absent] == []
    assert result.unclear == ()
    assert lint_text(text, path) == []

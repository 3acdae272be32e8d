"""The phrases the reader understands, one by one."""

from __future__ import annotations

from decimal import Decimal

import pytest

from m4review.trials.agents.reader.conversions import Conversion, parse_conversion
from m4review.trials.agents.reader.grammar import parse_condition, parse_value
from m4review.trials.agents.reader.limits import read_limits
from m4review.trials.agents.reader.markdown import Passage, Place, parse_page
from m4review.trials.agents.reader.missing import missing_rule_in
from m4review.trials.agents.reader.terms import (
    AllOf,
    AnyOf,
    Apply,
    Around,
    Cases,
    Comparison,
    Condition,
    Elapsed,
    Field,
    Figure,
    IsMissing,
    Name,
    Negation,
    Nothing,
    Otherwise,
    Previous,
    Text,
    TextTest,
    Value,
)
from m4review.trials.agents.reader.windows import parse_window
from m4review.trials.agents.reader.wording import Unreadable

NAMES = ("lowest rate", "rate", "PaO2/FiO2 (vent.)", "Hours above 38")


def compare(operator: str, limit: str, unit: str = "", name: str = "rate") -> Comparison:
    return Comparison(Name(name), operator, figure(limit, unit))


def figure(number: str | int, unit: str = "") -> Figure:
    return Figure(Decimal(number), unit)


RATE, LOWEST = Name("rate"), Name("lowest rate")


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("rate < 20", compare("<", "20")),
        ("Rate ≥ 12.0 mg/dL", compare(">=", "12.0", "mg/dl")),
        ("rate at least 3", compare(">=", "3")),
        ("rate is below 3", compare("<", "3")),
        ("rate 3 or more", compare(">=", "3")),
        ("rate 3 or less", compare("<=", "3")),
        ("rate > 38.0°C", compare(">", "38.0", "°c")),
        ("rate ≥ 90/min", compare(">=", "90", "/min")),
        ("rate < 300mmHg", compare("<", "300", "mmhg")),
        ("Hours above 38 > 2", compare(">", "2", name="Hours above 38")),
        ("lowest rate > 1,000", compare(">", "1000", name="lowest rate")),
        ("rate 6.0 to < 12.0", AllOf((compare(">=", "6.0"), compare("<", "12.0")))),
        ("rate 13–14", AllOf((compare(">=", "13"), compare("<=", "14")))),
        ("0 < rate ≤ 0.1", AllOf((compare(">", "0"), compare("<=", "0.1")))),
        ("rate ≥ 6 and < 12", AllOf((compare(">=", "6"), compare("<", "12")))),
        ("rate < 36.0 or > 38.0", AnyOf((compare("<", "36.0"), compare(">", "38.0")))),
        ("rate > 5, or lowest rate > 1", AnyOf((compare(">", "5"), compare(">", "1", name="lowest rate")))),
        (
            "PaO2/FiO2 (vent.) < 9 and (rate > 1 or rate < −1)",
            AllOf((compare("<", "9", name=NAMES[2]), AnyOf((compare(">", "1"), compare("<", "-1"))))),
        ),
        ("rate missing", IsMissing((RATE,))),
        ("rate and lowest rate both missing", IsMissing((RATE, LOWEST))),
        ("neither rate nor lowest rate in the window", IsMissing((RATE, LOWEST))),
        ("no rate", IsMissing((RATE,))),
        ("both missing", IsMissing(())),
        ("Otherwise", Otherwise()),
        ("all other situations", Otherwise()),
        ("rate is yes", compare("=", "1")),
        (
            "rate present and lowest rate is no",
            AllOf((Negation(IsMissing((RATE,))), compare("=", "0", name="lowest rate"))),
        ),
        (
            "rate now missing and previous rate = 0",
            AllOf((IsMissing((RATE,)), Comparison(Previous("rate"), "=", figure(0)))),
        ),
        ("rate ≥ 1.5 × lowest rate", Comparison(RATE, ">=", Apply("*", (figure("1.5"), LOWEST)))),
        ("rate ≥ lowest rate + 0.3", Comparison(RATE, ">=", Apply("+", (LOWEST, figure("0.3"))))),
        ("rate is `A`, `B ` or `C`", TextTest(RATE, "is", ("A", "B ", "C"))),
        (
            "rate contains `a` in any case, or rate is not `b`",
            AnyOf((TextTest(RATE, "contains", ("a",), any_case=True), TextTest(RATE, "is", ("b",), negated=True))),
        ),
        ("rate is one of the quiet texts", TextTest(RATE, "is", (), words_list="quiet texts")),
        (
            "`path` is `a/` followed by one or two characters",
            TextTest(Text("path"), "begins", ("a/",), characters=(1, 2)),
        ),
        (
            "`kind` is `x` and `weight` is not 1",
            AllOf((TextTest(Text("kind"), "is", ("x",)), Comparison(Text("weight"), "!=", figure(1)))),
        ),
    ],
)
def test_conditions(text: str, condition: Condition) -> None:
    assert parse_condition(text, NAMES) == condition


@pytest.mark.parametrize(
    "text",
    ["", "rate", "rate >", "rate > high", "pulse > 3", "< 3", "rate > 3 <", "rate > 3 and", "(rate > 3", "rate 5 to 3",
     "rate > 1.2.3", "3 < rate > 2", "rate " + "(" * 5000, "rate > 3 rate < 2", "not rate > 3"],
)  # fmt: skip
def test_conditions_that_are_not_understood_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        parse_condition(text, NAMES)


def test_a_bare_limit_needs_a_subject() -> None:
    assert parse_condition("20 to < 50", NAMES, "rate") == AllOf((compare(">=", "20"), compare("<", "50")))


def value(operator: str, limit: str) -> Comparison:
    return compare(operator, limit, name="value")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("100 × rate ÷ lowest rate", Apply("/", (Apply("*", (figure(100), RATE)), LOWEST))),
        ("760 − 47", Apply("-", (figure(760), figure(47)))),
        ("(rate)^(−1 ÷ 1.5)", Apply("^", (RATE, Apply("/", (figure(-1), figure("1.5")))))),
        ("0.9 × ln(rate)", Apply("*", (figure("0.9"), Apply("ln", (RATE,))))),
        ("rate, else lowest rate, else 5", Apply("else", (RATE, LOWEST, figure(5)))),
        ("rate now, else previous, else 6", Apply("else", (RATE, Previous("rate"), figure(6)))),
        ("highest of rate and 3 × lowest rate", Apply("greatest", (RATE, Apply("*", (figure(3), LOWEST))))),
        ("sum of: rate, else 6; lowest rate", Apply("sum", (Apply("else", (RATE, figure(6))), LOWEST))),
        ("rate rounded to 3 decimals, then to 1 decimal", Apply("round 1", (Apply("round 3", (RATE,)),))),
        ("rate of the previous charting, less than 6 hours before", Previous("rate", 360)),
        ("rate at the previous charting, at most 90 minutes before", Previous("rate", 90, limit_included=True)),
        ("latest rate in the 4 hours up to the lowest rate, both ends included",
         Around("last", "rate", -240, 0, True, True)),
        ("sum of rate in the 2 days after, start excluded", Around("sum", "rate", 0, 2880, False, True)),
        ("minutes from `a.x` to `b.y`", Elapsed("minutes", Field("a", "x"), Field("b", "y"))),
        ("year of `a.x` − `b.y`", Apply("-", (Apply("year", (Field("a", "x"),)), Field("b", "y")))),
        ("yes when rate is `E`, otherwise no", Cases(((TextTest(RATE, "is", ("E",)), figure(1)),), figure(0))),
        ("rate, else `a.x` when > 0",
         Apply("else", (RATE, Cases(((Comparison(Field("a", "x"), ">", figure(0)), Field("a", "x")),), Nothing())))),
    ],
)  # fmt: skip
def test_values(text: str, meant: Value) -> None:
    assert parse_value(text, NAMES) == meant


@pytest.mark.parametrize(
    "text",
    ["", "pulse", "rate rate", "rate +", "rate ÷ 0", "rate, else", "highest of", "previous", "rate rounded",
     "latest rate in the 4 hours before", "latest rate", "rate of the previous charting, less than 6 miles before"],
)  # fmt: skip
def test_values_that_are_not_understood_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        parse_value(text, NAMES)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("> 0 and < 300", AllOf((value(">", "0"), value("<", "300")))),
        ("0–300 exclusive", AllOf((value(">", "0"), value("<", "300")))),
        ("0 to 300 (exclusive)", AllOf((value(">", "0"), value("<", "300")))),
        ("0 to 300, limits excluded", AllOf((value(">", "0"), value("<", "300")))),
        ("0 to 300 (both ends included)", AllOf((value(">=", "0"), value("<=", "300")))),
        ("0 to 300", AllOf((value(">=", "0"), value("<=", "300")))),
        ("0 < v ≤ 100", AllOf((value(">", "0"), value("<=", "100")))),
        ("> 0", value(">", "0")),
        ("≥ 0", value(">=", "0")),
        ("any", None),
        ("–", None),
        ("", None),
    ],
)
def test_valid_ranges(text: str, limits: Condition | None) -> None:
    assert read_limits(text, "/min") == limits


def test_a_range_in_the_unit_of_the_row_and_in_another() -> None:
    assert read_limits("70 to 120 °F (exclusive)", "°F") == AllOf(
        (compare(">", "70", "°f", "value"), compare("<", "120", "°f", "value"))
    )
    with pytest.raises(Unreadable, match="range is in"):
        read_limits("70 to 120 °F (exclusive)", "°C")


CHARTED = Name("value")


@pytest.mark.parametrize(
    ("text", "conversion"),
    [
        ("none", None),
        ("(°F − 32) / 1.8", Conversion(Apply("/", (Apply("-", (CHARTED, figure(32))), figure("1.8"))))),
        ("× 100", Conversion(Apply("*", (CHARTED, figure(100))))),
        ("÷ 10, rounded to 2 decimals", Conversion(Apply("/", (CHARTED, figure(10))), digits=2)),
        ("rounded to one decimal", Conversion(CHARTED, digits=1)),
        ("sign reversed when > 0", Conversion(Apply("*", (CHARTED, figure(-1))), value(">", "0"))),
        ("0 when `value` is `none`", Conversion(figure(0), TextTest(Text("value"), "is", ("none",)))),
        (
            "× 1000 when `unit` is `mg` and `weight` is not 1",
            Conversion(
                Apply("*", (CHARTED, figure(1000))),
                AllOf((TextTest(Text("unit"), "is", ("mg",)), Comparison(Text("weight"), "!=", figure(1)))),
            ),
        ),
    ],
)
def test_conversions(text: str, conversion: Conversion | None) -> None:
    assert parse_conversion(text, "°F") == conversion


@pytest.mark.parametrize(
    "text", ["to Celsius", "°C × 2", "5", "× 0 ÷ 0", "(× 2", "× 2 when hot", "rounded", "× " + "(" * 5000, "°F °F"]
)
def test_conversions_that_are_not_understood_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        parse_conversion(text, "°F")


@pytest.mark.parametrize(
    ("text", "start", "end", "ends"),
    [
        ("from 6 hours before to 24 hours after ICU admission, both ends included.", -360, 1440, (True, True)),
        ("from six hours before ICU admission to 1 day after ICU admission, start included, end excluded", -360, 1440,
         (True, False)),
        ("Between ICU admission and 90 min after ICU admission (both ends excluded)", 0, 90, (False, False)),
        ("The first 24 hours after ICU admission, both ends inclusive", 0, 1440, (True, True)),
        ("From ICU admission to 24 h later, start excluded", 0, 1440, (False, True)),
        ("From ICU admission to 24 hours after ICU admission or ICU discharge, whichever comes first, end excluded",
         0, 1440, (True, False)),
        ("from 48 hours before to 24 hours before ICU admission, end excluded", -2880, -1440, (True, False)),
    ],
)  # fmt: skip
def test_windows(text: str, start: int, end: int, ends: tuple[bool, bool]) -> None:
    window = parse_window(Passage(text, Place("x", 1)))
    assert window.anchor == "icu admission"
    assert (window.start, window.end) == (start, end)
    assert (window.start_included, window.end_included) == ends


def test_a_window_between_two_events_and_in_calendar_months() -> None:
    text = "from 1 month before ICU admission to 2 calendar months after ICU discharge, both ends excluded"
    window = parse_window(Passage(text, Place("x", 1)))
    assert (window.anchor, window.end_anchor) == ("icu admission", "icu discharge")
    assert (window.start, window.start_months, window.end, window.end_months) == (0, -1, 0, 2)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("A component without any measurement counts as normal (0).", 0),
        ("Missing = 0", 0),
        ("A criterion that cannot be judged counts as 1.", 1),
        ("A missing part scores zero.", 0),
        ("Missing values are common.", None),
        ("Missing values are left alone. The sum is 4.", None),
        ("missing counts as 99999999999999999999999", None),
    ],
)
def test_missing_rules(text: str, counts: int | None) -> None:
    rule = missing_rule_in(Passage(text, Place("x", 1)))
    assert (rule.counts_as if rule else None) == (None if counts is None else figure(counts))


def test_lines_are_those_of_the_file() -> None:
    page = parse_page("---\nname: x\n---\n\n# T\n\nText\nmore.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n", "F")
    section = page.sections[0]
    assert [str(passage.place) for passage in section.passages] == ["F:7", "F:14"]
    assert str(section.tables[0].rows[0].place) == "F:12"

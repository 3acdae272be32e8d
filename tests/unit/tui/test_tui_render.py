"""What is shown, as strings."""

from __future__ import annotations

import pytest
from rich.console import Console

from m4review.lint import Finding
from m4review.tui.actions import ACTIONS
from m4review.tui.render.ballot import ballot_line, following
from m4review.tui.render.bar import bar_line
from m4review.tui.render.cards import preview
from m4review.tui.render.difference import show_difference
from m4review.tui.render.findings import at_line, marks_by_line, next_after, one_line, tally
from m4review.tui.render.markdown_lines import MOST_LINES, line_kinds
from m4review.tui.render.shelf import filtered, signed
from m4review.tui.render.trials import bar
from m4review.tui.session.library import FamilyRow, SkillRow, TaskRow


def finding(line: int, column: int = 1, end_line: int | None = None, severity: str = "error") -> Finding:
    return Finding(
        "query",
        "query",
        severity,  # type: ignore[arg-type]
        "skills/a/SKILL.md",
        line,
        column,
        end_line or line,
        column + 4,
        "a query",
        "why",
        "say it in words",
        "print",
    )


@pytest.mark.parametrize("width", [20, 40, 80, 120, 160])
@pytest.mark.parametrize("room", ACTIONS)
def test_the_bar_fits_and_keeps_help_in_reach(room: str, width: int) -> None:
    line = bar_line([(action, True) for action in ACTIONS[room]], width)
    assert line.cell_len <= width
    assert "F1 Help" in line.plain
    assert "^P" in line.plain
    assert "^N Go to" in line.plain or width < 120


def test_what_is_not_possible_stands_in_brackets() -> None:
    line = bar_line([(action, action.id != "save") for action in ACTIONS["workbench"]], 80).plain
    assert "(^S Save)" in line
    assert " F2 Record " in line


def test_a_finding_over_three_lines_marks_each_of_them() -> None:
    marks = marks_by_line([finding(3, column=5, end_line=5)])
    assert {line: [(mark.start, mark.end) for mark in found] for line, found in marks.items()} == {
        3: [(4, None)],
        4: [(0, None)],
        5: [(0, 8)],
    }


def test_an_empty_stretch_marks_to_the_end_of_the_line() -> None:
    empty = Finding("r", "f", "error", "p", 2, 3, 2, 3, "m", "w", "f", "x")
    assert [(mark.start, mark.end) for mark in marks_by_line([empty])[2]] == [(2, None)]


def test_findings_are_visited_in_order_and_around_the_end() -> None:
    found = [finding(9), finding(2), finding(5, column=3)]
    assert [next_after(found, line, 1).line for line in (1, 2, 5, 9)] == [2, 5, 5, 2]  # type: ignore[union-attr]
    assert next_after(found, 2, 1, backwards=True).line == 9  # type: ignore[union-attr]
    assert next_after([], 1, 1) is None


def test_an_error_is_said_before_a_warning_on_the_same_line() -> None:
    here = at_line([finding(2, severity="warning"), finding(2, column=9)], 2)
    assert here is not None
    assert one_line(here).plain.startswith(" E ")
    assert at_line([finding(2)], 3) is None


def test_findings_are_counted_in_words() -> None:
    assert tally([]) == "no findings"
    assert tally([finding(1), finding(2), finding(3, severity="warning")]) == "2 errors, 1 warning"


def test_changed_words_carry_marks_that_need_no_colour() -> None:
    shown = show_difference("above 38 °C counts\nsame\n", "above 38.3 °C counts\nsame\nnew\n")
    text = shown.text.plain
    assert "~ above [-38-]{+38.3+} °C counts" in text
    assert "+ new" in text
    assert text.startswith("Lines: 1 changed, 1 added")


def test_next_change_lands_on_the_first_line_of_each_change() -> None:
    old = "\n".join(f"line {number}" for number in range(40))
    shown = show_difference(old, old.replace("line 3\n", "").replace("line 30", "line thirty"))
    assert [shown.lines[position].plain.split()[1] for position in shown.changes] == ["-", "~"]


def test_equal_texts_have_nothing_to_show() -> None:
    assert show_difference("a\n", "a\n").text.plain == "No difference."


def test_front_matter_fences_headings_and_tables_are_told_apart() -> None:
    text = "---\nname: a\n---\n# Head\ntext\n~~~\n# no head\n~~~\n| a |\n#no head"
    kinds = ["front", "front", "front", "heading", "text", "fence", "fence", "fence", "table", "text"]
    assert line_kinds(text.split("\n")) == kinds


def test_a_fence_is_closed_only_by_its_own_mark() -> None:
    assert line_kinds(["````", "```", "````", "text"]) == ["fence", "fence", "fence", "text"]


def test_a_very_long_text_is_not_coloured() -> None:
    assert line_kinds(["# x"] * (MOST_LINES + 1)) == []


@pytest.mark.parametrize(
    ("value", "said"), [(0.4123, "+0.412"), (-0.25, "−0.250"), (0.0, "0.000"), (-0.0004, "0.000"), (1.0, "+1.000")]
)
def test_differences_carry_their_sign(value: float, said: str) -> None:
    assert signed(value) == said


@pytest.mark.parametrize(
    ("rate", "drawn"),
    [(0.0, "····"), (1.0, "████"), (0.5, "██··"), (1.2, "████"), (-1.0, "····"), (None, "–   ")],
)
def test_a_rate_is_drawn_as_a_bar(rate: float | None, drawn: str) -> None:
    assert bar(rate, 4) == drawn


def test_the_filter_keeps_a_skill_for_the_sake_of_its_task() -> None:
    sirs = FamilyRow("sirs", (SkillRow("sirs-criteria", "SIRS", (TaskRow("mimic-sirs", "mimic-iv · raw"),)),))
    sofa = FamilyRow("sofa", (SkillRow("sofa-score", "SOFA"),), (TaskRow("loose", "eicu · standard"),))
    assert [family.name for family in filtered([sirs, sofa], "MIMIC raw")] == ["sirs"]
    assert [family.name for family in filtered([sirs, sofa], "")] == ["sirs", "sofa"]
    (only,) = filtered([sirs, sofa], "eicu")
    assert (only.skills, [task.name for task in only.loose_tasks]) == ((), ["loose"])
    assert filtered([sirs, sofa], "zzz") == []


def test_enter_goes_through_all_decisions_and_around() -> None:
    assert following(None) == "approve"
    assert following(following(following(following("approve")))) == "approve"
    assert "not decided" in ballot_line("output", None).plain
    assert ballot_line("output", "changes").plain.endswith("[c] changes: it must change before I agree")


def test_the_preview_sets_the_front_matter_apart() -> None:
    console = Console(width=60, color_system=None)
    with console.capture() as capture:
        console.print(preview("---\nname: a\n---\n# Title\n\n- one\n"))
    shown = capture.get()
    assert "name: a" in shown
    assert "• one" in shown
    assert "---" not in shown

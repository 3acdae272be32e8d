"""Finding and replacing in a text: words, patterns, counts, and patterns that never end."""

from __future__ import annotations

import re

import pytest

from m4review.errors import M4ReviewError
from m4review.tui.session import search
from m4review.tui.session.search import Wanted, matches, position_after, replaced

TEXT = "Temperature above 38 °C.\nTEMPERATURE below 36 °C; temperature.\n\nEnd."


def test_words_are_found_in_any_case_unless_case_counts() -> None:
    assert [match.start for match in matches(TEXT, Wanted("temperature"))] == [(0, 0), (1, 0), (1, 25)]
    assert [match.start for match in matches(TEXT, Wanted("temperature", cased=True))] == [(1, 25)]
    assert matches(TEXT, Wanted("")) == []


def test_words_that_look_like_a_pattern_are_words() -> None:
    assert [match.start for match in matches("a.c\nabc\n(a+)+", Wanted("a.c"))] == [(0, 0)]
    assert len(matches("(a+)+", Wanted("(a+)+"))) == 1


def test_a_pattern_works_line_by_line_and_its_groups_serve_in_the_replacement() -> None:
    found = matches(TEXT, Wanted(r"(\d+) °(C)\b", pattern=True), r"\1.0 degrees \2")
    assert [match.new for match in found] == ["38.0 degrees C", "36.0 degrees C"]
    assert replaced(TEXT, found) == re.sub(r"(\d+) °C", r"\1.0 degrees C", TEXT)
    assert [match.start for match in matches(TEXT, Wanted(r"^\w+", pattern=True))] == [(0, 0), (1, 0), (3, 0)]


def test_a_place_without_characters_is_no_match() -> None:
    assert matches(TEXT, Wanted("x*", pattern=True)) == []


def test_replacing_all_places_of_one_line_leaves_the_rest_alone() -> None:
    assert replaced("aXbXc\nX", matches("aXbXc\nX", Wanted("x"), "--")) == "a--b--c\n--"


@pytest.mark.parametrize(("pattern", "said"), [("(", "character 1"), ("[a", "character 1"), ("*", "nothing to repeat")])
def test_a_bad_pattern_says_what_is_wrong_with_it(pattern: str, said: str) -> None:
    with pytest.raises(M4ReviewError, match="no regular expression") as told:
        matches(TEXT, Wanted(pattern, pattern=True))
    assert said in told.value.what


def test_a_replacement_with_a_group_that_is_not_there_says_so() -> None:
    with pytest.raises(M4ReviewError, match="replacement does not fit"):
        matches(TEXT, Wanted("above", pattern=True), r"\2")


def test_a_pattern_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PATTERN_SECONDS", 0.5)
    with pytest.raises(M4ReviewError, match="takes longer"):
        matches("a" * 60 + "!", Wanted("(a+)+$", pattern=True))


def test_the_next_place_goes_round_the_end() -> None:
    found = matches(TEXT, Wanted("temperature"))
    assert position_after(found, ((0, 0), (0, 0))) == 0
    assert position_after(found, found[0].span) == 1
    assert position_after(found, found[2].span) == 0
    assert position_after(found, found[0].span, backwards=True) == 2

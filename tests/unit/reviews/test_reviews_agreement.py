"""Agreement: the figures against published check values, and the ratings that enter them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest
from reviews_ward import Ward

from m4review.reviews.agreement import agreement

Command = Callable[..., tuple[int, str, str]]


def units(yes: int, yes_no: int, no_yes: int, no: int) -> list[dict[str, str]]:
    pairs = [("approve", "approve")] * yes + [("approve", "changes")] * yes_no
    pairs += [("changes", "approve")] * no_yes + [("changes", "changes")] * no
    return [{"C1": one, "C4": other} for one, other in pairs]


def figures(*counts: int) -> tuple[float | None, ...]:
    found = agreement(units(*counts), ("C1", "C4"), ("approve", "changes"))
    return found.raw, found.kappa, found.ac1, found.alpha


def test_the_check_values_of_the_design_come_out() -> None:
    assert figures(8, 2, 2, 3) == pytest.approx((11 / 15, 0.400, 0.520, 0.420))


def test_full_disagreement_is_below_chance() -> None:
    raw, kappa, ac1, alpha = figures(0, 5, 5, 0)
    assert (raw, kappa, ac1) == pytest.approx((0, -1, -1))
    assert alpha == pytest.approx(1 - 19 * 20 / (400 - 200))


def test_reviewers_with_different_habits_have_unequal_margins() -> None:
    raw, kappa, ac1, _ = figures(20, 10, 5, 15)
    assert (raw, kappa) == pytest.approx((0.7, 0.4))
    chance = 2 * 0.55 * 0.45
    assert ac1 == pytest.approx((0.7 - chance) / (1 - chance))


def test_where_everybody_always_approves_kappa_and_alpha_are_undefined() -> None:
    found = agreement(units(6, 0, 0, 0), ("C1", "C4"), ("approve", "changes"))
    assert (found.raw, found.ac1, found.kappa, found.alpha) == (1, 1, None, None)
    assert set(found.undefined) == {"kappa", "alpha"}


def test_without_two_ratings_everything_is_undefined() -> None:
    found = agreement([{"C1": "approve"}], ("C1", "C4"), ("approve", "changes"))
    assert (found.n, found.raw, found.kappa, found.alpha, found.ac1) == (0, None, None, None, None)


def test_several_raters_with_missing_ratings_give_krippendorffs_published_alpha() -> None:
    """Krippendorff's own nominal example (2011, four observers, twelve units): alpha = 0.743."""
    observers = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    rows = [row.split() for row in observers]
    found = agreement(
        [{f"C{i}": row[unit] for i, row in enumerate(rows, 1) if row[unit] != "."} for unit in range(12)],
        ("C1", "C2", "C3", "C4"),
        ("1", "2", "3", "4", "5"),
    )
    assert found.alpha == pytest.approx(0.743, abs=0.0005)
    assert found.n == 11


def test_a_rating_by_a_stranger_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        agreement([{"C1": "approve", "C9": "approve"}], ("C1", "C4"), ("approve", "changes"))


def test_the_command_prints_each_scope_and_the_word_undefined(ward: Ward, m4review: Command) -> None:
    ward.say("C1", schema="changes")
    ward.say("C4", output="abstain")
    code, out, _ = m4review("agreement")
    assert code == 0
    lines = {" ".join(line.split()[:3]): line for line in out.splitlines() if line}
    assert lines["definition all 1"].split()[3:] == ["1.000", "undefined", "undefined", "1.000"]
    assert lines["schema all 1"].split()[3:5] == ["0.000", "0.000"]
    assert lines["output all 0"].split()[3:] == ["undefined"] * 4


def test_json_and_csv_hold_the_figures_and_the_matrix(ward: Ward, m4review: Command) -> None:
    ward.say("C1", schema="changes")
    ward.say("C4", schema="approve-with-notes")
    report = json.loads(m4review("agreement", "--json")[1])
    assert report["schema"] == "m4review.agreement.v1"
    assert report["scopes"]["schema"]["table"] == [[0, 0], [1, 0]]
    assert report["scopes"]["definition"]["kappa"] is None
    assert "kappa" in report["scopes"]["definition"]["undefined"]
    assert report["matrix"][0]["ratings"]["C4"]["schema"] == "approve-with-notes"
    fine = json.loads(m4review("agreement", "--json", "--notes-apart")[1])
    assert fine["scopes"]["schema"]["table"] == [[0, 0, 0], [0, 0, 0], [0, 1, 0]]
    rows = list(csv.DictReader(io.StringIO(m4review("agreement", "--format", "csv")[1])))
    assert {row["reviewers"] for row in rows} == {"all", "C1+C4"}
    matrix = list(csv.DictReader(io.StringIO(m4review("agreement", "--format", "csv", "--matrix")[1])))
    assert [row["C1"] for row in matrix] == ["approve", "changes", "approve"]


def test_what_is_said_after_a_discussion_does_not_make_reviewers_agree(ward: Ward, m4review: Command) -> None:
    ward.say("C1", schema="changes")
    ward.say("C4")
    ward.say("C1", replace=True)
    assert ward.truth().verdicts[-1].verdict.round == "after-discussion"
    assert json.loads(m4review("agreement", "--json")[1])["scopes"]["schema"]["raw"] == 0


def test_one_verdict_alone_shows_nothing_to_others(ward: Ward, m4review: Command) -> None:
    ward.say("C1", schema="changes")
    for words in ((), ("--as", "C4"), ("--as", "C1")):
        report = json.loads(m4review("agreement", "--json", *words)[1])
        assert report["matrix"] == []
        assert report["scopes"]["schema"]["n"] == 0


def test_a_void_and_a_withdrawn_verdict_are_no_ratings(ward: Ward, m4review: Command) -> None:
    ward.say("C1")
    ward.say("C4")
    assert json.loads(m4review("agreement", "--json")[1])["scopes"]["output"]["n"] == 1
    assert m4review("review", "withdraw", "lactate", "--as", "C4", "--yes", "--reason", "Too hasty.")[0] == 0
    assert json.loads(m4review("agreement", "--json")[1])["scopes"]["output"]["n"] == 0

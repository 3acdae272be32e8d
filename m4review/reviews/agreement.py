"""How far reviewers agree: pure functions of a rating matrix, with the source of each formula.

A *unit* is rated by two or more reviewers; a rating is one of a fixed set of categories. Units with fewer than two
ratings say nothing of agreement and enter no figure. An undefined figure is ``None``, never 0 or 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

Unit = Mapping[str, str]
"""Reviewer → category of one unit; a reviewer who gave no rating is missing."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures of one scope. ``None`` is undefined; ``undefined`` says why, by the name of the figure."""

    n: int
    """Units with two or more ratings."""
    categories: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    """Pairs of ratings: rows the first reviewer of each pair (in roster order), columns the second."""
    raw: float | None
    kappa: float | None
    alpha: float | None
    ac1: float | None
    undefined: Mapping[str, str]


def agreement(units: Sequence[Unit], raters: Sequence[str], categories: Sequence[str]) -> Agreement:
    """Every figure over ``units``.

    ``raters`` gives the order that makes one reviewer of a pair the first. Where more than two reviewers rated a unit,
    each pair of them enters the table, and raw agreement, alpha and AC1 take their forms for several raters.

    Raises:
        ValueError: a rating outside ``categories`` or by somebody who is no rater.
    """
    rated = [unit for unit in units if len(unit) > 1]
    table = contingency(rated, raters, categories)
    counts = [[list(unit.values()).count(category) for category in categories] for unit in rated]
    kappa = cohen_kappa(table)
    alpha = krippendorff_alpha(counts)
    undefined = {}
    if not rated:
        why = "no unit has two ratings"
        undefined = {"raw": why, "kappa": why, "alpha": why, "ac1": why}
    else:
        if kappa is None:
            undefined["kappa"] = "both reviewers used one and the same category throughout"
        if alpha is None:
            undefined["alpha"] = "all ratings are of one category"
    return Agreement(
        n=len(rated),
        categories=tuple(categories),
        table=table,
        raw=raw_agreement(counts),
        kappa=kappa,
        alpha=alpha,
        ac1=gwet_ac1(counts),
        undefined=undefined,
    )


def contingency(units: Sequence[Unit], raters: Sequence[str], categories: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Counts of pairs of ratings, the first of each pair being the reviewer who comes first in ``raters``.

    Raises:
        ValueError: a rating outside ``categories`` or by somebody who is no rater.
    """
    found: Counter[tuple[str, str]] = Counter()
    for unit in units:
        if not set(unit) <= set(raters) or not set(unit.values()) <= set(categories):
            raise ValueError(f"a rating outside the given raters and categories: {dict(unit)}")
        order = sorted(unit, key=list(raters).index)
        found.update((unit[one], unit[other]) for one, other in combinations(order, 2))
    return tuple(tuple(found[row, column] for column in categories) for row in categories)


def raw_agreement(counts: Sequence[Sequence[int]]) -> float | None:
    """The share of agreeing pairs of ratings, averaged over units; ``counts`` holds ratings per unit and category.

    Source: Fleiss JL. Psychol Bull 1971;76:378-382 (the observed agreement of several raters).
    """
    shares = [sum(k * (k - 1) for k in unit) / (sum(unit) * (sum(unit) - 1)) for unit in counts if sum(unit) > 1]
    return sum(shares) / len(shares) if shares else None


def cohen_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Cohen's kappa of a square table; undefined where chance alone gives full agreement.

    Source: Cohen J. Educ Psychol Meas 1960;20:37-46.
    """
    total = sum(map(sum, table))
    if not total:
        return None
    diagonal = sum(row[place] for place, row in enumerate(table))
    rows = [sum(row) for row in table]
    columns: list[int] = [sum(column) for column in zip(*table, strict=True)]
    by_chance = sum(row * column for row, column in zip(rows, columns, strict=True))
    if by_chance == total * total:
        return None
    return (diagonal * total - by_chance) / (total * total - by_chance)


def krippendorff_alpha(counts: Sequence[Sequence[int]]) -> float | None:
    """Krippendorff's alpha for nominal data with missing ratings; undefined where nothing varies.

    Source: Krippendorff K. Content Analysis, 2nd ed. 2004, chapter 11 (coincidence matrix).
    """
    units = [unit for unit in counts if sum(unit) > 1]
    totals: list[int] = [sum(column) for column in zip(*units, strict=True)]
    values = sum(totals)
    expected = values * values - sum(total * total for total in totals)
    if not expected:
        return None
    observed: float = sum((sum(unit) * sum(unit) - sum(k * k for k in unit)) / (sum(unit) - 1) for unit in units)
    return 1 - (values - 1) * observed / expected


def gwet_ac1(counts: Sequence[Sequence[int]]) -> float | None:
    """Gwet's first-order agreement coefficient; undefined without rated units or with a single possible category.

    Source: Gwet KL. Br J Math Stat Psychol 2008;61:29-48.
    """
    units = [unit for unit in counts if sum(unit) > 1]
    observed = raw_agreement(units)
    if observed is None or len(units[0]) < 2:
        return None
    shares = [sum(unit[category] / sum(unit) for unit in units) / len(units) for category in range(len(units[0]))]
    by_chance: float = sum(share * (1 - share) for share in shares) / (len(shares) - 1)
    return (observed - by_chance) / (1 - by_chance)

"""Lists of bands: values that no line takes, and values that two lines take with different points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from .rules import Line, Rule
from .terms import AllOf, Comparison, Condition, Figure, IsMissing, Name, Otherwise

_LOW, _HIGH = Decimal("-Infinity"), Decimal("Infinity")


@dataclass(frozen=True, slots=True)
class _Band:
    line: Line
    low: Decimal
    low_included: bool
    high: Decimal
    high_included: bool


def unclear_bands(rule: Rule) -> Iterator[tuple[Line, str]]:
    """Lines of a rule about one input that leave a gap before them or overlap an earlier line, with the reason.

    The lines stay in force as they stand: the first one that applies decides, and what none takes stays empty.
    """
    bands: list[_Band] = []
    complete = True
    for line in rule.lines:
        if isinstance(line.condition, Otherwise):
            complete = False
        elif not isinstance(line.condition, IsMissing):
            band = _band(line)
            if band is None:
                return
            bands.append(band)
    if len({name for band in bands for name in _names(band.line.condition)}) != 1:
        return
    yield from _overlaps(bands)
    if complete:
        yield from _gaps(bands)


def _overlaps(bands: list[_Band]) -> Iterator[tuple[Line, str]]:
    closed = [band for band in bands if band.low > _LOW and band.high < _HIGH and band.low < band.high]
    for place, band in enumerate(closed):
        for earlier in closed[:place]:
            low, high = max(band.low, earlier.low), min(band.high, earlier.high)
            if low < high and band.line.value != earlier.line.value:
                yield band.line, f"from {low} to {high} line {earlier.line.place.line} applies too, with other points"


def _gaps(bands: list[_Band]) -> Iterator[tuple[Line, str]]:
    ordered = sorted(bands, key=lambda band: (band.low, not band.low_included))
    high, included = ordered[0].high, ordered[0].high_included
    for band in ordered[1:]:
        steps = Decimal(1).scaleb(min(_exponent(high), _exponent(band.low)))
        neighbours = included and band.low_included and band.low - high <= steps
        touching = band.low == high and (included or band.low_included)
        if band.low >= high and not neighbours and not touching:
            what = f"the value {high}" if band.low == high else f"values between {high} and {band.low}"
            yield band.line, f"no line takes {what}"
        if (band.high, band.high_included) > (high, included):
            high, included = band.high, band.high_included


def _exponent(figure: Decimal) -> int:
    exponent = figure.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _band(line: Line) -> _Band | None:
    """The values one line takes, where it is a band of one input."""
    parts = line.condition.parts if isinstance(line.condition, AllOf) else (line.condition,)
    low, low_included, high, high_included = _LOW, False, _HIGH, False
    for part in parts:
        if not (isinstance(part, Comparison) and isinstance(part.left, Name) and isinstance(part.right, Figure)):
            return None
        limit = part.right.value
        if part.operator in {">", ">=", "="}:
            low, low_included = limit, part.operator != ">"
        if part.operator in {"<", "<=", "="}:
            high, high_included = limit, part.operator != "<"
    return _Band(line, low, low_included, high, high_included)


def _names(condition: Condition) -> set[str]:
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    return {part.left.name for part in parts if isinstance(part, Comparison) and isinstance(part.left, Name)}

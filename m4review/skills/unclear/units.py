"""Units that nobody knows, by a small grammar of clinical units."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from m4review.skills.document import Table
from m4review.skills.unclear.cells import SAME_AGAIN, is_open
from m4review.skills.unclear.place import UnclearPlace, column, plain

ID = "unknown-unit"
PREFIXES = ("", "k", "h", "d", "c", "m", "µ", "u", "mc", "n", "p", "f")
BASES = ("g", "l", "mol", "eq", "osm", "m", "pa", "iu", "u", "s")
SPELLED = frozenset(
    re.split(
        r"\s+",
        "mmhg torr bar cmh2o mmh2o °c °f c f k celsius fahrenheit kelvin % percent ‰ fraction ratio ph inr none "
        "sec second seconds min minute minutes h hr hrs hour hours d day days week weeks month months year years "
        "beat beats breath breaths bpm drop drops cell cells unit units point points score stage code text number "
        "count date time datetime boolean yes/no any copies cfu k m t cc iu cal kcal j w fr french in inch inches "
        "lb lbs oz ft m2 m² cm2 cm² hpf lpf field event events volume dose doses puff puffs tablet tablets mv hz ppm",
    )
)
NOTHING = frozenset(("", "-", "–", "—", "none", "n/a", "no unit", "unitless", "dimensionless", "1"))
MULTIPLE = re.compile(r"^(?:[x×]\s*)?10\s*(?:\^|\*\*)?\s*[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+\s*")
EXPONENT = re.compile(r"(?:\^?-?[123²³]|[⁻¹²³]+)$")
IN_A_LIMIT = re.compile(
    r"(?<![A-Za-z\d.,])\d[\d.,]*\s?(?P<unit>(?:[A-Za-zµμ°%]+)?/[A-Za-zµμ°%/²]+|°\s?[A-Za-z]+|[µμ][A-Za-z/]+)"
)
"""A unit after a number that cannot be a word: it has a stroke, a degree or a micro sign."""


def unknown_units(tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """Units that are none, in columns headed 'Unit' and behind the limits of scoring tables."""
    for table in tables:
        place = column(table, r"^units?$")
        limits = column(table, r"^(?:conditions?|situation|applies when|when|valid range|range)$")
        for row in table.rows:
            if (
                place is not None
                and not is_unit(row.cells[place])
                and not SAME_AGAIN.fullmatch(row.cells[place].strip())
                and not is_open(row.cells[place])
            ):
                yield _unknown(row.line, row.cells[place].strip())
            if limits is not None:
                for match in IN_A_LIMIT.finditer(row.cells[limits]):
                    if not is_unit(match["unit"]):
                        yield _unknown(row.line, match["unit"])


def is_unit(text: str) -> bool:
    """Whether a text is a unit of measurement, or says that there is none."""
    whole = re.sub(r"\s*\([^)]*\)", "", plain(text)).replace("μ", "µ").replace("·", "/").strip()
    if whole in NOTHING:
        return True
    alternatives = re.split(r"\s+or\s+|\s*;\s*|\s*,\s*", whole)
    return all(_is_one_unit(part) for part in alternatives)


def _is_one_unit(text: str) -> bool:
    if text in SPELLED:
        return True
    number = MULTIPLE.match(text)
    rest = text[number.end() :] if number else text
    parts = [part.strip() for part in re.split(r"/|\bper\b", rest)]
    if len(parts) == 1 and not parts[0]:
        return number is not None
    return all(_is_atom(part, first=index == 0) for index, part in enumerate(parts))


def _is_atom(text: str, *, first: bool) -> bool:
    if not text:
        return first  # "/min"
    bare = re.sub(r"\s+", "", text)
    shorter = EXPONENT.sub("", re.sub(r"^\d+(?:\.\d+)?", "", bare))
    for name in (bare, shorter):
        if name in SPELLED or any(
            name == prefix + base for prefix in PREFIXES for base in BASES if (prefix, base) != ("", "")
        ):
            return True
    words = text.split()
    return len(words) > 1 and all(_is_atom(word, first=False) for word in words)


def _unknown(line: int, unit: str) -> UnclearPlace:
    near = difflib.get_close_matches(plain(unit), USUAL, n=1, cutoff=0.6)
    hint = f" Did you mean {USUAL[near[0]]}?" if near else ""
    return UnclearPlace(
        ID, line, f"{unit!r} is no known unit", f"Write the unit as the database does, or 'none' without one.{hint}"
    )


USUAL = {
    plain(unit): unit
    for unit in (
        "mg/dL", "g/dL", "g/L", "mmol/L", "µmol/L", "mEq/L", "K/µL", "10⁹/L", "U/L", "mmHg", "kPa", "cmH2O", "°C", "°F",
        "/min", "mL", "L", "mL/h", "mL/kg/h", "mcg/kg/min", "units/h", "L/min", "kg", "g", "mg", "cm", "%", "h", "min",
        "years", "days", "points", "text", "ratio",
    )
}  # fmt: skip
"""Units to offer for a misspelled one."""

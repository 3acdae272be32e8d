"""Units as clinicians write them: ``mg/dL``, ``10⁹/L``, ``mcg/kg/min``, ``breaths per minute``."""

from __future__ import annotations

import re

from .wording import plain

_PREFIXES = ("", "k", "h", "d", "c", "m", "μ", "u", "mc", "n", "p", "f")
_BASES = {"g", "l", "mol", "eq", "osm", "m", "pa", "iu", "u", "s"}
_WORDS = {
    "%", "°c", "°f", "k", "mmhg", "cmh2o", "torr", "bar", "min", "minute", "minutes", "h", "hr", "hrs", "hour", "hours",
    "d", "day", "days", "s", "sec", "second", "seconds", "week", "weeks", "month", "months", "y", "year", "years",
    "unit", "units", "bpm", "beats", "breaths", "points", "point", "ratio", "index", "text", "code", "any", "ph",
    "cells", "mmoles", "hpf", "ml", "cal", "kcal", "w", "j", "hz", "msec", "beat", "breath", "doses", "dose",
    "drops", "sample", "yes", "no", "number", "count", "grade", "1",
}  # fmt: skip
_FACTOR = re.compile(r"^(?:[x×]\s*)?10\s*(?:\^|e)?\s*[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+\s*")
_EXPONENT = re.compile(r"(?:\^?-?[23²³]|[⁻¹²³]+)$")


def is_unit(text: str) -> bool:
    """Whether a text is a unit that the field uses; a remark in brackets does not count."""
    bare = re.sub(r"\([^()]*\)", "", plain(text)).replace(" per ", "/")
    bare = _FACTOR.sub("", bare)
    atoms = [atom for atom in re.split(r"[/·*\s]+", bare) if atom]
    return all(_is_atom(atom) for atom in atoms)


def _is_atom(atom: str) -> bool:
    if atom in _WORDS:
        return True
    atom = _EXPONENT.sub("", atom)
    return any(atom == prefix + base for prefix in _PREFIXES for base in _BASES) or atom in _WORDS

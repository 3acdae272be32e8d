"""From which lines of a text an output column was executed."""

from __future__ import annotations

from collections.abc import Iterator

from .markdown import Place
from .specification import Specification
from .summaries import needed_during, needed_series


def places_of(name: str, specification: Specification) -> tuple[Place, ...]:
    """The lines that a name rests on, in the order of the text: rules, inputs, windows, measures and their tables."""
    seen: set[str] = set()
    return tuple(sorted(set(_places(name, specification, seen)), key=lambda place: (place.file, place.line)))


def shown(places: tuple[Place, ...]) -> str:
    """``skill/SKILL.md:12, 40–44; instruction.md:9``: neighbouring lines as one range."""
    files = dict.fromkeys(place.file for place in places)
    return "; ".join(f"{file}:{_lines({place.line for place in places if place.file == file})}" for file in files)


def _lines(numbers: set[int]) -> str:
    ranges: list[list[int]] = []
    for line in sorted(numbers):
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)


def _places(name: str, specification: Specification, seen: set[str]) -> Iterator[Place]:
    if name in seen:
        return
    seen.add(name)
    definitions = specification.definitions
    needed: tuple[str, ...] = ()
    for rule in (definitions.rules.get(name), definitions.derived.get(name)):
        if rule is not None:
            yield from (line.place for line in rule.lines)
            if rule.grading is not None:
                yield rule.grading.place
            needed += (*rule.inputs, *rule.per, *needed_during(rule.only.during))
    derived = definitions.inputs.get(name)
    if derived is not None:
        yield derived.place
        if derived.window.anchor:
            yield derived.window.place
        needed += needed_series(derived)
    if name in definitions.diagnoses:
        yield definitions.diagnoses[name].place
    measure = definitions.source.measures.get(name)
    if measure is not None:
        yield from (row.place for row in measure.rows)
    episodes = definitions.episodes.get(name)
    if episodes is not None:
        yield episodes.place
        needed += (episodes.measure,)
    for several in (definitions.intervals.get(name), definitions.in_force.get(name)):
        if several is not None:
            yield several.place
            needed += several.measures
    for item in needed:
        yield from _places(item, specification, seen)

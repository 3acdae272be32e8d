"""The elements of a complete operational specification, and what to write where one is missing.

A specification that leaves one of these open is filled in differently by each reader; stating them explains most of
what a skill gains.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """One thing a specification declares. ``to_write`` is one sentence for the author."""

    id: str
    title: str
    to_write: str


ELEMENTS = (
    Element("grain", "Output grain", "Say what one row of the output is: 'One row per ICU stay.'"),
    Element("keys", "Output keys", "Name the columns that identify a row: 'The key is `stay_id`.'"),
    Element(
        "columns", "Output columns", "List every output column with its type and meaning, best as a table in order."
    ),
    Element("cohort", "Cohort", "Say who is included and who is left out, also when nobody is."),
    Element("anchor", "Time anchor", "Name the moment that times count from: 'ICU admission is the `intime` of "
    "the stay.'"),
    Element("window", "Time window", "Give both ends of the window relative to the anchor: 'from 6 hours before "
    "to 24 hours after'."),
    Element("inclusivity", "Ends of the window", "Say whether a value exactly at each end counts: 'both ends "
    "included'."),
    Element("source-table", "Source tables", "Name the source table of each measurement, for example "
    "`mimiciv_icu.chartevents`."),
    Element("source-items", "Item ids", "List the item ids (or codes) of each measurement, each with its label."),
    Element("units", "Units", "Give the unit of each measurement and of each limit."),
    Element("valid-range", "Valid ranges", "Give the range outside of which a value is dropped, or say that any "
    "value counts."),
    Element("conversion", "Conversions", "Give the formula of each unit conversion, or say that none is needed."),
    Element("missing", "Missing data", "Say what a missing input counts as, and whether anything is carried "
    "forward or imputed."),
    Element("precedence", "Order of precedence", "Say which condition or source goes first: 'The first line that "
    "applies decides.'"),
    Element("ties", "Ties", "Say which value counts when two are equally good: same time, same value, overlapping "
    "stays."),
    Element("duplicates", "Duplicates", "Say what stands for several values of one item at one time, or of one "
    "sample."),
    Element("edge-cases", "Edge cases", "List the borderline cases: values exactly at a limit, impossible "
    "entries, short stays."),
    Element("limitations", "Known limitations", "List where this derivation departs from the original definition, "
    "and what it cannot see."),
    Element("literature", "Literature", "Cite the publication that defines the variable: authors, journal, year."),
    Element("dataset", "Dataset and version", "Name the database and its version: 'MIMIC-IV v3.1'."),
)  # fmt: skip

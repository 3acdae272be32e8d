"""The report of an analysis: one section per question, an interval in every row of effects, and what cannot be said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from m4review.campaigns.analysis import Analysis
from m4review.campaigns.background import Background
from m4review.campaigns.document import Block, Document, Picture, Points, Section, Table
from m4review.campaigns.effecttables import (
    control_table,
    counted,
    effect_table,
    families,
    gains_and_declines,
    inference,
    ladder_table,
    limits,
    narrow_intervals,
    power_table,
    schema_tables,
    secondary,
    signed,
    summary,
)
from m4review.campaigns.runs import Run
from m4review.campaigns.runtables import (
    columns_table,
    compute_table,
    exclusions_table,
    integrity_table,
    measures_table,
    strict_table,
)
from m4review.campaigns.specification import ELEMENT_COUNT, SpecificationCurve
from m4review.campaigns.tasktables import details, inventory, reference_audit, reviewers

OPERATIONAL, READER = "operational-spec", "reader"


def report_of(
    analysis: Analysis, runs: Sequence[Run], background: Background, pictures: Sequence[Picture] = ()
) -> Document:
    """The report. ``pictures`` are put into the sections that they belong to."""
    drawn = {picture.file: picture for picture in pictures}

    def pictured(*names: str) -> Iterator[Block]:
        return (drawn[name] for name in names if name in drawn)

    rows = [analysis.primary, *analysis.sensitivity]
    sections = (
        Section("Result", (summary(analysis), *_cautions(runs, background))),
        Section("Skill effect", (effect_table(rows), *narrow_intervals(rows), *inference(analysis))),
        Section("Gains and declines", (*gains_and_declines(analysis), *pictured("forest", "heat-map"))),
        Section("Sensitivity to families", families(analysis)),
        Section("Matched controls", (*_controls(analysis), *pictured("controls"))),
        Section("Operational specification", _operational(analysis)),
        Section("Changed schemas: probe and generalisation", (*_schemas(analysis), *pictured("schemas"))),
        Section(
            "Reward against completeness of the specification",
            (*_specification(background.specification), *pictured("specification")),
        ),
        Section("Key precision and ordered error", _secondary(analysis)),
        Section("Secondary measures by task", measures_table(analysis.measures)),
        Section("Strict checks", strict_table(analysis.strict)),
        Section("Match rate by column", columns_table(analysis.columns)),
        Section("Integrity of the runs", integrity_table(analysis.integrity)),
        Section("Compute and tokens", compute_table(analysis.compute)),
        Section("Power", power_table(analysis)),
        Section("Tasks", _tasks(background, runs)),
        Section("Reviewers of the skills", reviewers(background.provenance, background.why_no_provenance, runs)),
        Section(
            "References and their audit",
            reference_audit(background.audits, background.cards, runs, background.references),
        ),
        Section("Runs that enter no mean", exclusions_table(analysis.excluded)),
        Section("Left out, and what cannot be computed", _limits(analysis, background)),
    )
    return Document("Campaign report", _opening(analysis, background), sections)


def _opening(analysis: Analysis, background: Background) -> str:
    effect = analysis.primary.effect
    source = f" from {', '.join(background.sources)}" if background.sources else ""
    size = ", ".join(
        (
            counted(len(effect.tasks), "task", "tasks"),
            counted(len(set(effect.families)), "family", "families"),
            counted(len(effect.models), "model", "models"),
        )
    )
    return (
        f"{analysis.runs} runs{source}; {effect.runs} of them in the primary comparison: {size}. Means over repeats, "
        f"then models, then tasks. Intervals: 95 % percentile bootstrap, {analysis.draws} draws, seed {analysis.seed}."
    )


def _cautions(runs: Sequence[Run], background: Background) -> Iterator[Block]:
    """What a reader of the result must know before believing it."""
    readers = sum(run.agent == READER for run in runs)
    if readers:
        yield (
            f"{'All' if readers == len(runs) else readers} runs are of the reader, which does literally what a text "
            "says: a lower bound and a probe of completeness, not a model of a language model. It executes no SQL, so "
            "raw-sql is no upper bound for it."
        )
    if background.synthetic:
        names = " and ".join(background.synthetic)
        yield f"The data are made up ({names}): the figures compare texts, and say nothing about patients."
    open_runs = sum(run.isolated is False for run in runs)
    if open_runs:
        yield f"{open_runs} of {len(runs)} runs were not isolated."


def _controls(analysis: Analysis) -> tuple[Block, ...]:
    rows = [row for name, found in analysis.controls.items() if name != OPERATIONAL for row in found]
    if not rows:
        return ("No control beside the operational specification was run.", *ladder_table(analysis.ladders))
    return (*control_table(rows), *ladder_table(analysis.ladders))


def _operational(analysis: Analysis) -> tuple[Block, ...]:
    rows = analysis.controls.get(OPERATIONAL, ())
    if not rows:
        return ("No task has runs with the operational specification beside runs of both other conditions.",)
    return (
        *control_table(rows),
        "The operational specification states the rules without the database's recipe: what the skill adds to it is "
        "the recipe.",
    )


def _schemas(analysis: Analysis) -> tuple[Block, ...]:
    if not analysis.probes:
        return ("Every run is on the native schema.",)
    return schema_tables(analysis)


def _secondary(analysis: Analysis) -> tuple[Block, ...]:
    return secondary((analysis.key_precision, analysis.key_recall, analysis.key_f1, analysis.ordered_nmae))


def _specification(curve: SpecificationCurve | None) -> tuple[Block, ...]:
    if curve is None or not curve.points:
        return ("Not given: no text of the conditions is at hand.",)
    rows = tuple(
        (name, str(count), "–" if correlation is None else signed(correlation))
        for name, (correlation, count) in curve.correlation.items()
    )
    said: list[Block] = [
        Table(("condition", "tasks", "rank correlation with reward"), rows),
        f"Completeness counts which of {ELEMENT_COUNT} elements of a specification the instruction and the text of the "
        "condition declare together. Tasks share skills: the correlation describes these points, and nothing is "
        "inferred from it. –: completeness or reward does not vary.",
    ]
    if not curve.proved:
        said.append(
            "The run files do not say which texts the agents were given: completeness is that of the texts in this "
            "workspace, which may be others."
        )
    if curve.left_out:
        said.append(Points(curve.left_out))
    return tuple(said)


def _tasks(background: Background, runs: Sequence[Run]) -> tuple[Block, ...]:
    if not background.cards:
        return ("Not given: no task cards were read.",)
    return inventory(background.cards, runs), details(background.cards, runs)


def _limits(analysis: Analysis, background: Background) -> tuple[Block, ...]:
    found = limits(analysis)
    return (Points((*background.notes, *found.sentences)) if background.notes else found,)

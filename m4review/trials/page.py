"""Trials and runs as one self-contained page that can be passed on: no rows of data, nothing loaded from elsewhere.

Every text is escaped, whoever wrote it, and the page forbids itself scripts and remote content. What an agent wrote
passes :mod:`m4review.trials.discretion`; what its tools returned is not on the page at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from m4review.trials.conditions import arm_label
from m4review.trials.discretion import Discretion
from m4review.trials.records import RunRecord
from m4review.trials.runtext import events_line, facts, finding_line, outcome_line
from m4review.trials.summary import TrialSummary
from m4review.trials.table import number, signed, trial_table
from m4review.trials.timeline import TimelineEntry

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; border-top: 1px solid #8886; padding-top: 1rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
pre, td.text { font-family: ui-monospace, monospace; font-size: .85rem; }
pre, td.text { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid #8883; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
.held { border-left: .3rem solid #b60; padding-left: .7rem; }
.note { color: #777; }
@media print { body { max-width: none; } }
"""
NOTE = (
    "What the agent's tools returned is not shown, nor are rows of data, long numbers and dates in what it wrote. "
    "The raw trace lies in the private run folder."
)
MOST_ENTRIES = 2_000
"""Entries of one run's timeline on a page."""


def run_page(record: RunRecord, timeline: Sequence[TimelineEntry]) -> str:
    """One run as a page."""
    title = f"Run {record.id}: {record.inputs.task}, {record.inputs.arm.label}"
    return _page(title, _run(record, timeline))


def trial_page(
    summary: TrialSummary, runs: Sequence[RunRecord], timelines: Mapping[str, Sequence[TimelineEntry]]
) -> str:
    """A trial as a page: its result, then every run. ``timelines`` are by run id."""
    return _page(f"Trial {summary.id}: {summary.task}", _trial(summary, runs, timelines))


def _page(title: str, body: Iterable[str]) -> str:
    head = [
        "<!doctype html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style></head>",
        f"<body><h1>{escape(title)}</h1>",
    ]
    return "\n".join([*head, *body, f'<p class="note">{escape(NOTE)}</p>', "</body></html>", ""])


def _trial(
    summary: TrialSummary, runs: Sequence[RunRecord], timelines: Mapping[str, Sequence[TimelineEntry]]
) -> Iterator[str]:
    shown = Discretion()
    yield f"<pre>{escape(_masked_lines(shown, trial_table(summary)))}</pre>"
    rows = [
        (
            record.id,
            arm_label(record.inputs.condition, record.inputs.left_out),
            str(record.replicate),
            shown.text(outcome_line(record)),
            number(record.reward),
        )
        for record in runs
    ]
    yield from _table("Runs in their order", ("run", "condition", "replicate", "outcome", "reward"), rows)
    if summary.delta is not None:
        yield f"<p>Mean difference with the skill: {escape(signed(summary.delta))}</p>"
    for record in runs:
        yield f"<h2>Run {escape(record.id)}: {escape(record.inputs.arm.label)}</h2>"
        yield from _run(record, timelines.get(record.id, ()))


def _run(record: RunRecord, timeline: Sequence[TimelineEntry]) -> Iterator[str]:
    shown = Discretion()
    held = record.waits or record.decision is not None
    yield f"<pre{' class=held' if held else ''}>{escape(_masked_lines(shown, chr(10).join(facts(record))))}</pre>"
    yield from _figures(record)
    yield from _audit(record, shown)
    yield from _events(record, timeline, shown)
    yield from _made_from(record, shown)


def _figures(record: RunRecord) -> Iterator[str]:
    score = record.score
    if score is None:
        return
    columns = [
        (column.name, f"{column.rate:.4f}", f"{column.matched:,} of {column.denominator:,}") for column in score.columns
    ]
    yield from _table(f"Reward {score.reward:.4f}: match rate per scored column", ("column", "rate", "cells"), columns)
    keys = score.keys
    counts = [("F1", keys.f1), ("missing", keys.missing), ("extra", keys.extra), ("duplicate", keys.duplicate)]
    yield from _table("Keys", [name for name, _ in counts], [[_figure(value) for _, value in counts]])
    checks = [("pass" if check.passed else "FAIL", check.name, check.detail) for check in score.checks]
    yield from _table("Strict checks", ("result", "check", "figures"), checks)


def _audit(record: RunRecord, shown: Discretion) -> Iterator[str]:
    audit = record.audit
    yield "<h3>Audit</h3>"
    if audit is None:
        yield "<p>None: the run came to no end that could be audited.</p>"
        return
    yield f"<p>{len(audit.findings)} findings in {audit.bytes_read:,} bytes of {audit.left_count:,} files.</p>"
    lines = [finding_line(finding) for finding in audit.findings] + [f"note: {note}" for note in audit.notes]
    if lines:
        yield "<ul>" + "".join(f"<li>{escape(shown.text(line))}</li>" for line in lines) + "</ul>"
    left = [(shown.text(entry.path), entry.kind, f"{entry.size:,}") for entry in audit.left]
    yield from _table("What the agent left", ("file", "kind", "bytes"), left)


def _events(record: RunRecord, timeline: Sequence[TimelineEntry], shown: Discretion) -> Iterator[str]:
    yield "<h3>What the agent did</h3>"
    yield f"<p>{escape(events_line(record))}</p>"
    rows = [
        (f"{entry.seconds:.2f}", entry.kind.replace("_", " "), entry.name or "", entry.text)
        for entry in timeline[:MOST_ENTRIES]
    ]
    yield from _table("Seconds from the agent's start", ("seconds", "event", "tool", "text"), rows)
    if len(timeline) > MOST_ENTRIES:
        yield f"<p>{len(timeline) - MOST_ENTRIES:,} more events are in the run folder.</p>"


def _made_from(record: RunRecord, shown: Discretion) -> Iterator[str]:
    inputs = record.inputs
    rows = [
        ("resume key", record.resume_key),
        ("task card", inputs.task_digest),
        *((f"skill {skill.name}", skill.digest) for skill in inputs.skills),
        (f"agent {inputs.agent} {inputs.agent_version}", inputs.agent_source),
        ("image", inputs.image or "none"),
        (f"dataset {inputs.dataset}", inputs.dataset_digest),
        ("task database", inputs.database_digest),
        (f"reference ({inputs.reference_lineage})", inputs.reference_digest),
        ("tool", f"m4review {inputs.tool_version}, duckdb {inputs.duckdb_version}"),
        *((shown.text(name), kept.sha256) for name, kept in record.files.items()),
    ]
    yield from _table("Made from", ("what", "digest"), rows)


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    yield f"<table><caption>{escape(caption)}</caption>"
    yield "<thead><tr>" + "".join(f'<th scope="col">{escape(head)}</th>' for head in heads) + "</tr></thead><tbody>"
    for row in rows:
        yield "<tr>" + "".join(f'<td class="text">{escape(cell)}</td>' for cell in row) + "</tr>"
    yield "</tbody></table>"


def _masked_lines(shown: Discretion, text: str) -> str:
    """Our own lines, of which some quote a name or reason; columns of figures stay what they are."""
    return "\n".join(shown.masked(line) for line in text.split("\n"))


def _figure(value: float | int) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"

"""One run as plain text: its outcome, figures, audit, what the agent did in order, and what it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from m4review.trials.audit import AuditFinding
from m4review.trials.records import Outcome, RunRecord
from m4review.trials.table import OPENED_WORDS, number, skill_line
from m4review.trials.timeline import TimelineEntry

ENTRIES = 60
"""Entries of a timeline that are shown without being asked for all: the first and the last half."""

MARGIN = 23
"""Columns before the text of an entry."""


def run_lines(record: RunRecord, timeline: Sequence[TimelineEntry], *, whole: bool = False) -> Iterator[str]:
    """The run in full. ``whole`` shows every entry of the timeline."""
    yield f"run {record.id} of trial {record.trial}: {record.inputs.task} · {record.inputs.arm.label}"
    yield from facts(record)
    yield from _score(record)
    yield from _audit(record)
    yield from _timeline(record, timeline, whole)
    yield from _made_from(record)


def outcome_line(record: RunRecord) -> str:
    """How the run ended, in a phrase."""
    if record.outcome is Outcome.SCORED and record.score is not None:
        return f"scored, reward {record.score.reward:.3f}"
    return record.outcome.value.replace("_", " ") + (f": {record.reason}" if record.reason else "")


def finding_line(finding: AuditFinding) -> str:
    """What the audit found, and where."""
    place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
    return f"{finding.rule} at {place}: {finding.excerpt} ({finding.why})"


def tokens_line(record: RunRecord) -> str:
    """What the model was given and gave, and its price where the server said one."""
    trace = record.trace
    counts = (None, None) if trace is None else (trace.input_tokens, trace.output_tokens)
    said = [f"{count:,} {name}" for count, name in zip(counts, ("input", "output"), strict=True) if count is not None]
    price = "price unknown" if record.price_usd is None else f"{record.price_usd:.4f} USD"
    return f"{', '.join(said)}; {price}" if said else "unknown"


def events_line(record: RunRecord) -> str:
    """How much the trace says, by kind of event."""
    trace = record.trace
    if trace is None or not trace.readable:
        lines = 0 if trace is None else trace.lines
        return f"nothing of {lines:,} lines is understood; what the agent did is not known"
    kinds = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in trace.events.items())
    return f"{kinds} ({trace.understood:,} of {trace.lines:,} lines understood)"


def facts(record: RunRecord) -> Iterator[str]:
    """The run in a few lines."""
    inputs = record.inputs
    yield f"outcome     {outcome_line(record)}"
    if record.waits:
        yield f"decide      m4review trial hold release|confirm {record.id} --reason '…'"
    if record.decision is not None:
        decision = record.decision
        yield f"decision    {decision.decision} by {decision.by} on {decision.at:%Y-%m-%d %H:%M}: {decision.reason}"
    yield f"sandbox     {inputs.sandbox}" + ("" if record.isolated else " (NOT ISOLATED)")
    model = f", model {inputs.model}" if inputs.model else ""
    yield f"agent       {inputs.agent} {inputs.agent_version}{model}, exit code {record.exit_code}"
    for skill in inputs.skills:
        yield f"given       {skill_line(skill, inputs.condition)}"
    yield f"place       replicate {record.replicate}, run {record.position} in the order, attempt {record.attempt}"
    yield "phases      " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in record.seconds.items())
    yield f"tokens      {tokens_line(record)}"
    yield f"trace       {events_line(record)}"
    opened = OPENED_WORDS[record.trace.skill_opened if record.trace else None]
    if any(skill.place == "skill" for skill in inputs.skills):
        yield f"skill       opened: {opened}"
    if record.egress:
        yield "network     " + ", ".join(f"{kind} {count:,}" for kind, count in record.egress.items())


def _score(record: RunRecord) -> Iterator[str]:
    if record.score is None:
        return
    yield f"reward      {record.score.reward:.4f}" + ("" if record.outcome is Outcome.SCORED else " (does not count)")
    for column in record.score.columns:
        yield f"  {column.name:<24} {column.rate:.4f}  ({column.matched:,} of {column.denominator:,})"
    keys = record.score.keys
    counts = f"missing {keys.missing:,}, extra {keys.extra:,}, duplicate {keys.duplicate:,}"
    yield f"keys        F1 {number(keys.f1)}, {counts}"
    for check in record.score.checks:
        yield f"check       {'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}"


def _audit(record: RunRecord) -> Iterator[str]:
    audit = record.audit
    if audit is None:
        yield "audit       none: the run came to no end that could be audited"
        return
    found = f"{len(audit.findings)} finding{'s' if len(audit.findings) != 1 else ''}"
    yield f"audit       {found} in {audit.bytes_read:,} bytes of {audit.left_count:,} files and the agent's streams"
    yield from (f"  {finding_line(finding)}" for finding in audit.findings)
    yield from (f"audit note  {note}" for note in (*audit.notes, *record.notes))
    for left in audit.left:
        yield f"left        {left.path} ({left.kind}, {left.size:,} bytes)"


def _timeline(record: RunRecord, timeline: Sequence[TimelineEntry], whole: bool) -> Iterator[str]:
    gaps = dict.fromkeys(entry.text for entry in timeline if entry.kind == "gap")
    entries = [entry for entry in timeline if entry.kind != "gap"]
    if entries:
        yield ""
        yield "What the agent did (seconds from its start; what its tools returned is not shown):"
    first = len(entries) if whole or len(entries) <= ENTRIES else ENTRIES // 2
    yield from _entries(entries[:first])
    if first < len(entries):
        yield f"{'…':>{MARGIN}}{len(entries) - 2 * first:,} more; 'm4review trial show {record.id} --all' shows them"
        yield from _entries(entries[-first:])
    if gaps:
        yield ""
    yield from (f"gap         {gap}" for gap in gaps)


def _entries(entries: Sequence[TimelineEntry]) -> Iterator[str]:
    for entry in entries:
        what = entry.text if entry.name is None else f"{entry.name}: {entry.text}"
        head, *rest = what.split("\n")
        yield f"{entry.seconds:9.2f}  {entry.kind.replace('_', ' '):<11} {head}".rstrip()
        yield from (f"{'':<{MARGIN}}{line}".rstrip() for line in rest)


def _made_from(record: RunRecord) -> Iterator[str]:
    inputs = record.inputs
    yield ""
    yield "Made from:"
    digests = (
        ("resume key", record.resume_key),
        ("task card", inputs.task_digest),
        ("agent", inputs.agent_source),
        ("image", inputs.image or "none"),
        ("dataset", f"{inputs.dataset} {inputs.dataset_digest}"),
        ("task database", inputs.database_digest),
        ("reference", f"{inputs.reference_digest} ({inputs.reference_lineage})"),
        ("tool", f"m4review {inputs.tool_version}, duckdb {inputs.duckdb_version}"),
    )
    yield from (f"  {name:<14} {value}" for name, value in digests)
    if inputs.schema_digest:
        seed = f" seed {inputs.schema_seed}" if inputs.schema_seed else ""
        yield f"  {'schema':<14} {inputs.schema_name}{seed} {inputs.schema_digest}"
    for skill in inputs.skills:
        if skill.mapped:
            yield f"  {'mapped skill':<14} {skill.name} {skill.mapped}"
    for name, kept in record.files.items():
        yield f"  {name:<14} {kept.sha256} ({kept.size:,} bytes)"

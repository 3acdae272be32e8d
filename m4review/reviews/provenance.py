"""Where each skill's approval comes from, task by task: generated from the ledger, never typed.

The shape is that of the published reviewer table (task family, reviewer pair, scopes, source basis), with what makes it
provable beside it: digests, dates, assurance, what each signature means, findings and how they were settled, consensus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4review.reviews.decisions import relied_verdicts
from m4review.reviews.kinds import Carry, SignOff
from m4review.reviews.ledger import Ledger, proven_levels
from m4review.reviews.meaning import NO_CONFLICT
from m4review.reviews.overview import full_status
from m4review.reviews.standing import JudgedVerdict, base_pair
from m4review.reviews.status import SkillStatus
from m4review.reviews.subjects import pair_of
from m4review.reviews.visibility import as_seen_by
from m4review.reviews.waiting import assigned
from m4review.skills.document import parse_document
from m4review.tasks import Task
from m4review.workspace import Workspace

SOURCE_BASIS, VALIDITY_AUDIT = "source basis", "validity audit"
COUNTED = frozenset({"counts", "stale"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One signature: who, when, on what, with which assurance, and what it means in the signer's words."""

    actor: str
    at: str
    event: str
    round: str
    """The round of a verdict; ``carry`` or ``sign-off`` for what is none."""
    standing: str
    level: int
    decisions: Mapping[str, str]
    meaning: str
    conflict_of_interest: str


@dataclass(frozen=True, slots=True)
class FindingEntry:
    """One finding with its fate."""

    name: str
    raised_by: str
    scope: str
    severity: str
    text: str
    resolution: str


@dataclass(frozen=True, slots=True)
class Agreed:
    """A consensus, with what each participant still holds against it."""

    event: str
    rationale: str
    decisions: Mapping[str, str]
    confirmed: tuple[str, ...]
    missing: tuple[str, ...]
    dissent: Mapping[str, str]
    effect: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """One task card with one of its skills."""

    family: str
    task: str
    title: str
    database: str
    mode: str
    skill: str
    assigned: tuple[str, ...]
    """Who is asked to judge."""
    reviewers: tuple[str, ...]
    """Whose verdicts the state rests on: those on this text, and those on an approved text that hold over to it."""
    scopes: tuple[str, ...]
    source_basis: str
    state: str
    content: str
    card: str
    scope_digests: Mapping[str, str]
    first: str
    """Day of the first of these verdicts; empty without one."""
    last: str
    signed_off: str
    """Time and reviewer of the sign-off in force; empty without one."""
    statements: tuple[Statement, ...]
    findings: tuple[FindingEntry, ...]
    consensus: Agreed | None
    overrides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValidityAudit:
    """A family's validity audit: where its reference departs from the definition."""

    family: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def provenance(workspace: Workspace, ledger: Ledger, viewer: str | None = None) -> tuple[Provenance, ...]:
    """One entry per task card and skill, by family and task, as ``viewer`` may see it."""
    levels = proven_levels(ledger.events, ledger.snapshot, ledger.rules)
    statuses: dict[str, tuple[SkillStatus, Grounds]] = {}
    found = []
    for task in _tasks(workspace):
        for skill in task.skills:
            if skill not in ledger.snapshot.skills and skill not in ledger.snapshot.unreadable:
                continue
            if skill not in statuses:
                whole = full_status(workspace, ledger, skill)
                seen = as_seen_by(whole, viewer, ledger.policy, ledger.roster)
                statuses[skill] = seen, _grounds(whole, seen, ledger)
            found.append(_entry(ledger, task, *statuses[skill], levels))
    return tuple(found)


def validity_audits(workspace: Workspace) -> tuple[ValidityAudit, ...]:
    """The validity audit of each family whose page has one, sorted by family."""
    pages = {task.family: task.family_page for task in _tasks(workspace)}
    found = []
    for family, page in sorted(pages.items()):
        for table in parse_document(page).tables:
            if table.section and table.section[-1].strip().lower() == VALIDITY_AUDIT:
                found.append(ValidityAudit(family, table.header, tuple(row.cells for row in table.rows)))
    return tuple(found)


def source_basis(task: Task) -> str:
    """What the family's page says under *Source basis*, in one line; the database where it says nothing."""
    page = task.family_page
    for section in parse_document(page).sections:
        if section.title.strip().lower() == SOURCE_BASIS:
            lines = page.split("\n")[section.line : section.end_line]
            text = " ".join(" ".join(lines).split())
            if text:
                return text
    return f"{task.database} {task.database_version}"


def _tasks(workspace: Workspace) -> list[Task]:
    found = [entry.task for entry in workspace.tasks if entry.task is not None]
    return sorted(found, key=lambda task: (task.family, task.name))


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a state rests on beside the verdicts on the present text."""

    bases: frozenset[str]
    """Ids of verdicts on approved earlier texts that hold over to this one."""
    carries: tuple[Carry, ...]


def _grounds(whole: SkillStatus, seen: SkillStatus, ledger: Ledger) -> Grounds:
    if whole.judgement is None or whole.subject is None or seen.decisions_hidden:
        return Grounds(frozenset(), ())
    relied = relied_verdicts(whole.subject.pair, whole.judgement, ledger.policy, ledger.roster)
    pairs = {pair_of(verdict.content, verdict.tasks.values()) for verdict, _ in relied} | {whole.subject.pair}
    carries = tuple(
        event
        for event in whole.judgement.events
        if isinstance(event, Carry)
        and not whole.judgement.carries[event.id]
        and pair_of(event.content, event.tasks.values()) in pairs
        and base_pair(event) in pairs
    )
    return Grounds(frozenset(verdict.id for verdict, _ in relied), carries)


def _entry(ledger: Ledger, task: Task, status: SkillStatus, grounds: Grounds, levels: Mapping[str, int]) -> Provenance:
    subject, policy, roster = status.subject, ledger.policy, ledger.roster
    present = [
        judged
        for judged in status.verdicts
        if subject is not None and (judged.pair == subject.pair or judged.verdict.id in grounds.bases)
    ]
    in_force = [judged for judged in present if judged.standing in COUNTED]
    days = sorted(judged.verdict.at[:10] for judged in in_force)
    sign_off = status.sign_off
    return Provenance(
        family=task.family,
        task=task.name,
        title=task.title,
        database=f"{task.database} {task.database_version}",
        mode=task.mode,
        skill=status.skill,
        assigned=roster.pairs.get(task.family) or assigned(ledger, status.skill, roster),
        reviewers=tuple(dict.fromkeys(judged.verdict.actor for judged in in_force)),
        scopes=policy.scopes,
        source_basis=source_basis(task),
        state=status.label,
        content="" if subject is None else subject.content,
        card="" if subject is None else subject.tasks.get(task.name, ""),
        scope_digests={} if subject is None else {scope: subject.scopes[scope] for scope in policy.scopes},
        first=days[0] if days else "",
        last=days[-1] if days else "",
        signed_off="" if sign_off is None else f"{sign_off.at} by {sign_off.actor}",
        statements=(
            *(_statement(judged, levels) for judged in present),
            *(_act(event, levels) for event in grounds.carries),
            *(_act(event, levels) for event in (sign_off,) if event is not None),
        ),
        findings=_findings(status),
        consensus=_consensus(status),
        overrides=tuple(f"{event.at} by {event.actor}: {event.reason}" for event in status.overrides),
    )


def _statement(judged: JudgedVerdict, levels: Mapping[str, int]) -> Statement:
    verdict = judged.verdict
    return Statement(
        actor=verdict.actor,
        at=verdict.at,
        event=verdict.path,
        round=verdict.round,
        standing=judged.standing,
        level=levels.get(verdict.id, 0),
        decisions={str(scope): str(decision) for scope, decision in verdict.decisions.items()},
        meaning=verdict.meaning,
        conflict_of_interest=verdict.conflict_of_interest,
    )


def _act(event: Carry | SignOff, levels: Mapping[str, int]) -> Statement:
    return Statement(
        actor=event.actor,
        at=event.at,
        event=event.path,
        round=event.kind,
        standing="counts",
        level=levels.get(event.id, 0),
        decisions={},
        meaning=event.meaning,
        conflict_of_interest=NO_CONFLICT,
    )


def _findings(status: SkillStatus) -> tuple[FindingEntry, ...]:
    return tuple(
        FindingEntry(
            name=judged.finding.id,
            raised_by=judged.verdict.actor,
            scope=judged.finding.scope,
            severity=judged.finding.severity,
            text=judged.finding.text,
            resolution=f"{'open' if judged.is_open else 'settled'}: {judged.why}",
        )
        for judged in status.findings
    )


def _consensus(status: SkillStatus) -> Agreed | None:
    found = status.consensus
    if found is None:
        return None
    effect = "in force" if found.holds else found.invalid or f"not yet confirmed by {', '.join(found.missing)}"
    return Agreed(
        event=found.statement.path,
        rationale=found.statement.rationale,
        decisions={str(scope): str(decision) for scope, decision in found.statement.decisions.items()},
        confirmed=found.confirmed,
        missing=found.missing,
        dissent={name: text for name, text in found.dissent.items() if text},
        effect=effect,
    )


def skills_of(entries: Sequence[Provenance]) -> tuple[Provenance, ...]:
    """One entry per skill: statements, findings and consensus are the same for every task that uses it."""
    return tuple({entry.skill: entry for entry in reversed(entries)}.values())[::-1]

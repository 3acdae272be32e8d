"""``m4review provenance``: the reviewer appendix as Markdown, CSV, LaTeX or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import click

from m4review.cli.identity import identity
from m4review.cli.provenancetables import latex, markdown
from m4review.reviews import Ledger
from m4review.reviews.provenance import Provenance, ValidityAudit, provenance, validity_audits
from m4review.reviews.signing.assurance import LEVEL_WORDS
from m4review.workspace import Workspace

PROVENANCE_SCHEMA = "m4review.provenance.v1"
COLUMNS = (
    "family",
    "task",
    "database",
    "mode",
    "skill",
    "assigned",
    "reviewers",
    "scopes",
    "source_basis",
    "state",
    "content",
    "card",
    "scope_digests",
    "first",
    "last",
    "signed_off",
    "assurance",
    "meaning",
    "findings",
    "consensus",
    "overrides",
    "validity_audit",
)


@click.command("provenance")
@click.option("--format", "form", type=click.Choice(["md", "csv", "tex", "json"]), default="md", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--as", "reviewer", metavar="C1", help="Who you are, for this call only.")
@click.pass_context
def provenance_command(context: click.Context, form: str, as_json: bool, reviewer: str | None) -> None:
    """Who judged what, on which exact bytes, when, and what it means: per task, generated from the ledger."""
    workspace = Workspace.find()
    person = identity(context, workspace, reviewer)
    ledger = Ledger.load(workspace)
    entries = provenance(workspace, ledger, None if person is None else person.id)
    audits = validity_audits(workspace)
    if as_json or form == "json":
        values = {
            "schema": PROVENANCE_SCHEMA,
            "revision": ledger.snapshot.revision,
            "tasks": [asdict(entry) for entry in entries],
            "validity_audits": [asdict(audit) for audit in audits],
        }
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
    elif form == "csv":
        click.echo(comma_separated(entries, audits), nl=False)
    else:
        write = markdown if form == "md" else latex
        click.echo(write(entries, audits, ledger.snapshot.revision), nl=False)


def comma_separated(entries: Sequence[Provenance], audits: Sequence[ValidityAudit]) -> str:
    """One row per task card and skill; lists inside a cell are separated by `` | ``."""
    audited = {audit.family: " | ".join("; ".join(row) for row in audit.rows) for audit in audits}
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        writer.writerow(_row(entry) | {"validity_audit": audited.get(entry.family, "")})
    return out.getvalue()


def _row(entry: Provenance) -> dict[str, str]:
    agreed = entry.consensus
    return {
        "family": entry.family,
        "task": entry.task,
        "database": entry.database,
        "mode": entry.mode,
        "skill": entry.skill,
        "assigned": " + ".join(entry.assigned),
        "reviewers": " + ".join(entry.reviewers),
        "scopes": " | ".join(entry.scopes),
        "source_basis": entry.source_basis,
        "state": entry.state,
        "content": entry.content,
        "card": entry.card,
        "scope_digests": _pairs(entry.scope_digests),
        "first": entry.first,
        "last": entry.last,
        "signed_off": entry.signed_off,
        "assurance": " | ".join(f"{said.actor} {LEVEL_WORDS[said.level]}" for said in entry.statements),
        "meaning": " | ".join(f"{said.at} {said.meaning}" for said in entry.statements),
        "findings": " | ".join(
            f"{one.raised_by} {one.name} ({one.scope}, {one.severity}): {one.text}; {one.resolution}"
            for one in entry.findings
        ),
        "consensus": "" if agreed is None else f"{agreed.rationale} ({agreed.effect})",
        "overrides": " | ".join(entry.overrides),
    }


def _pairs(values: Mapping[str, str]) -> str:
    return " | ".join(f"{name} {value}" for name, value in values.items())

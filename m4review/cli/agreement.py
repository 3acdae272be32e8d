"""``m4review agreement``: how far reviewers agreed on their own, per scope, with the rating matrix."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import click

from m4review.cli.identity import identity
from m4review.reviews import Ledger
from m4review.reviews.agreement import Agreement
from m4review.reviews.ratings import RatedText, pair_agreement, pairs_of, rated_texts, scope_agreement
from m4review.workspace import Policy, Roster, Scope, Workspace

AGREEMENT_SCHEMA = "m4review.agreement.v1"
FIGURES = {"raw": "raw agreement", "kappa": "Cohen's kappa", "alpha": "Krippendorff's alpha", "ac1": "Gwet's AC1"}
NOTE = (
    "independent rounds only; a unit is one exact text with its task cards; abstentions are no rating; in each pair "
    "the reviewer who comes first in the roster is the first"
)


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--matrix", is_flag=True, help="With csv: the rating matrix instead of the figures.")
@click.option("--notes-apart", is_flag=True, help="Keep approvals with notes apart from those without.")
@click.option("--as", "reviewer", metavar="C1", help="Who you are, for this call only.")
@click.pass_context
def agreement(
    context: click.Context, form: str, as_json: bool, matrix: bool, notes_apart: bool, reviewer: str | None
) -> None:
    """How far reviewers agreed before they saw each other's verdict."""
    workspace = Workspace.find()
    person = identity(context, workspace, reviewer)
    ledger = Ledger.load(workspace)
    texts = rated_texts(workspace, ledger, None if person is None else person.id)
    policy, roster = ledger.policy, ledger.roster
    if as_json or form == "json":
        report = agreement_report(texts, policy, roster, fine=notes_apart)
        click.echo(json.dumps(report, indent=2, ensure_ascii=False))
    elif form == "csv":
        rows = matrix_rows(texts, policy, roster) if matrix else figure_rows(texts, policy, roster, fine=notes_apart)
        click.echo(_csv(rows), nl=False)
    else:
        click.echo(_aligned(figure_rows(texts, policy, roster, fine=notes_apart)))
        click.echo(f"({NOTE})\n")
        click.echo(_aligned(matrix_rows(texts, policy, roster)))


def agreement_report(texts: Sequence[RatedText], policy: Policy, roster: Roster, *, fine: bool) -> dict[str, Any]:
    """One object for ``agreement --json``; an undefined figure is ``null`` and ``undefined`` says why."""
    pairs = pairs_of(texts, roster)
    return {
        "schema": AGREEMENT_SCHEMA,
        "note": NOTE,
        "scopes": {scope: _values(found) for scope, found in scope_agreement(texts, policy, roster, fine=fine).items()},
        "pairs": [
            {"reviewers": list(pair), "scope": scope} | _values(pair_agreement(texts, pair, scope, fine=fine))
            for pair in pairs
            for scope in policy.scopes
        ],
        "matrix": [
            {
                "skill": text.skill,
                "content": text.content,
                "tasks": list(text.tasks),
                "ratings": {name: dict(decisions) for name, decisions in sorted(text.ratings.items())},
            }
            for text in texts
        ],
    }


def figure_rows(texts: Sequence[RatedText], policy: Policy, roster: Roster, *, fine: bool) -> list[list[str]]:
    """A heading, then one row per scope and per pair of reviewers and scope."""
    rows = [["scope", "reviewers", "n", *FIGURES.values()]]
    for scope, found in scope_agreement(texts, policy, roster, fine=fine).items():
        rows.append(_figures(scope, "all", found))
    for pair in pairs_of(texts, roster):
        for scope in policy.scopes:
            rows.append(_figures(scope, "+".join(pair), pair_agreement(texts, pair, scope, fine=fine)))
    return rows


def matrix_rows(texts: Sequence[RatedText], policy: Policy, roster: Roster) -> list[list[str]]:
    """A heading, then one row per text and scope with each reviewer's decision as given; empty where none."""
    names = [reviewer.id for reviewer in roster.reviewers]
    rows = [["skill", "content", "scope", *names]]
    for text in texts:
        for scope in policy.scopes:
            said = [text.ratings.get(name, {}).get(scope, "") for name in names]
            rows.append([text.skill, text.content, scope, *said])
    return rows


def shown(value: float | None) -> str:
    """A figure with three decimals, or the word ``undefined``."""
    return "undefined" if value is None else f"{value:.3f}"


def _figures(scope: Scope, who: str, found: Agreement) -> list[str]:
    return [scope, who, str(found.n), *(shown(getattr(found, name)) for name in FIGURES)]


def _values(found: Agreement) -> dict[str, Any]:
    return {
        "n": found.n,
        **{name: getattr(found, name) for name in FIGURES},
        "undefined": dict(found.undefined),
        "categories": list(found.categories),
        "table": [list(row) for row in found.table],
    }


def _csv(rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)

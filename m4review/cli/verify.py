"""``m4review verify``: what a commit alone proves, with one exit code per outcome."""

from __future__ import annotations

import json
from pathlib import Path

import click

from m4review.errors import M4ReviewError
from m4review.reviews.verify import (
    EXIT_CODES,
    Outcome,
    Report,
    VerificationError,
    read_checkpoint,
    report_values,
    verify,
)

MARKS: dict[Outcome, str] = {
    "proven": "ok",
    "policy not met": "UNMET",
    "integrity failure": "BROKEN",
    "cannot decide": "UNKNOWN",
}
SHOWN = 20
"""Details of one proof that are printed as text."""


@click.command("verify")
@click.argument("skills", nargs=-1)
@click.option("--rev", "revision", default="HEAD", show_default=True, help="The commit to verify.")
@click.option("--source", type=click.Path(path_type=Path), default=None, help="A clone (bare too), folder or zip file.")
@click.option(
    "--since", metavar="REV", help="Only the skills that differ from this commit: text, cards, what they build on."
)
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Compare with what an earlier run kept.")
@click.option("--write-checkpoint", type=click.Path(path_type=Path), help="Keep what is there, outside the repository.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def verify_command(
    skills: tuple[str, ...],
    revision: str,
    source: Path | None,
    since: str | None,
    checkpoint: Path | None,
    write_checkpoint: Path | None,
    as_json: bool,
) -> int:
    """Prove the reviews of all SKILLS, or of those named, from a commit alone: offline, writing nothing.

    Exit code 0: proven. 1: the policy is not met. 2: the ledger is not intact. 3: it cannot be decided.
    """
    try:
        report = verify(
            source or Path.cwd(),
            revision,
            skills=skills,
            since=since,
            checkpoint=None if checkpoint is None else read_checkpoint(checkpoint),
            keep=write_checkpoint,
        )
    except M4ReviewError as error:
        raise undecided(error) from None
    click.echo(json.dumps(report_values(report), indent=2, ensure_ascii=False) if as_json else report_text(report))
    return report.exit_code


def undecided(error: M4ReviewError) -> M4ReviewError:
    """The same error with the exit code of what cannot be decided: 2 would claim that the ledger is broken."""
    error.exit_code = VerificationError.exit_code
    return error


def report_text(report: Report) -> str:
    """One line per proof, then one per skill, then the outcome."""
    lines = [f"{report.source} at {report.revision}"]
    for proof in report.proofs:
        lines.append(f"{MARKS[proof.outcome]:<8} {proof.name}: {proof.why}")
        lines += [f"           {detail}" for detail in proof.details[:SHOWN]]
        more = len(proof.details) - SHOWN
        lines += [f"           and {more} more; --json lists all"] if more > 0 else []
    for entry in report.skills:
        lines.append(f"{MARKS[entry.outcome]:<8} {entry.skill}: {entry.label}")
        if entry.outcome != "proven":
            lines += [f"           {sentence}" for sentence in entry.because]
    lines.append(f"{report.outcome} (exit code {EXIT_CODES[report.outcome]})")
    return "\n".join(lines)

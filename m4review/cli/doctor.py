"""``m4review doctor``: what is there and what is missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Say what is there and what is missing. Exit 1 when something needed is missing."""
    from m4review.readiness import examine

    readiness = examine(Path.cwd(), interactive=sys.stdout.isatty())
    if as_json:
        answers = [check.model_dump() for check in readiness.checks]
        click.echo(json.dumps({"schema": "m4review.doctor.v1", "ready": readiness.ready, "checks": answers}, indent=2))
    else:
        width = max(len(check.name) for check in readiness.checks)
        for check in readiness.checks:
            sign = "ok  " if check.ok else ("MISS" if check.need == "needed" else "none")
            click.echo(f"{sign}  {check.name:<{width}}  {check.detail}")
            if check.fix and not check.ok:
                click.echo(f"      {'':<{width}}  to fix: {check.fix}")
        missing = [check.name for check in readiness.checks if not check.ok and check.need == "needed"]
        click.echo(f"\nmissing: {', '.join(missing)}" if missing else "\neverything needed is there")
    context.exit(0 if readiness.ready else 1)

"""``m4review campaign …``: many trials planned and run as one, and what may be concluded from them."""

from __future__ import annotations

import click

from m4review.cli.lazygroup import LazyGroup

VERBS = {
    "plan": "m4review.cli.campaignplan:plan",
    "freeze": "m4review.cli.campaignplan:freeze",
    "run": "m4review.cli.campaignrun:run",
    "list": "m4review.cli.campaignlist:list_command",
    "status": "m4review.cli.campaignrun:status",
    "worker": "m4review.cli.campaignworker:worker",
    "report": "m4review.cli.campaignreport:report",
    "bundle": "m4review.cli.campaignbundle:bundle",
    "verify": "m4review.cli.campaignbundle:verify",
    "power": "m4review.cli.campaignpower:power",
    "rescore": "m4review.cli.campaignrescore:rescore",
}


@click.group(cls=LazyGroup, sources=VERBS)
def campaign() -> None:
    """Plan and run many trials as one, and analyse their runs."""

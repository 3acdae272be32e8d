"""``m4review campaign …``: many trials planned and run as one, and what may be concluded from them; a module per verb."""

from __future__ import annotations

import click

from m4review.cli.lazygroup import LazyGroup

VERBS = {
    "report": "m4review.cli.campaignreport:report",
}


@click.group(cls=LazyGroup, sources=VERBS)
def campaign() -> None:
    """Plan and run many trials as one, and analyse their runs."""

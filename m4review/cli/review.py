"""``m4review review``: the verbs of the ledger, each imported when it is called."""

from __future__ import annotations

from typing import Final

import click

from m4review.cli.lazygroup import LazyGroup

HOME: Final = "m4review.cli.review"
VERBS: Final = {
    "status": f"{HOME}status:status",
    "queue": f"{HOME}status:queue_command",
    "packet": f"{HOME}status:packet",
    "states": f"{HOME}status:states",
    "open": f"{HOME}duty:open_command",
    "verdict": f"{HOME}round:verdict",
    "seal": f"{HOME}round:seal",
    "reveal": f"{HOME}round:reveal",
    "comment": f"{HOME}talk:comment_command",
    "resolve": f"{HOME}talk:resolve_command",
    "consensus": f"{HOME}talk:consensus",
    "carry": f"{HOME}release:carry_command",
    "sign-off": f"{HOME}release:sign_off_command",
    "trial": f"{HOME}release:trial_command",
    "assign": f"{HOME}duty:assign_command",
    "recuse": f"{HOME}duty:recuse_command",
    "withdraw": f"{HOME}duty:withdraw",
    "revoke": f"{HOME}duty:revoke_command",
    "override": f"{HOME}duty:override_command",
    "key": f"{HOME}key:key",
    "adopt": f"{HOME}key:adopt",
}


@click.group(cls=LazyGroup, sources=VERBS)
def review() -> None:
    """The review ledger: who said what of which exact text."""

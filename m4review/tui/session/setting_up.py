"""Putting right what is missing on a new machine or in a new workspace: the acts behind the first-run guidance."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from m4review.errors import TrialError
from m4review.readiness import Check, Readiness, examine
from m4review.workspace import Workspace

Say = Callable[[str], None]

DATASET, STAYS, SEED = "synthetic", 1000, 1
"""The synthetic dataset that is made where there is none."""

REMEDIES: Mapping[str, str] = {
    "identity": "Enter asks which reviewer you are.",
    "git's own user": "Enter asks for a name and an address, for this workspace only.",
    "guard in git": "Enter installs the guard: plain git commits are then checked as well.",
    "datasets": f"Enter makes made-up patients ({STAYS} ICU stays) and derives everything from them; it takes seconds.",
    "sandbox engine": "Enter says how to start it.",
    "sandbox image": "Enter makes it; the first time takes some minutes.",
}
"""Check → what Enter does about it. What is not here can only be put right outside of the workbench."""

START_ENGINE = (
    "Trials run in containers of Docker. It is optional: without it the built-in reader runs locally, and every result "
    "says “not isolated”.\n\n"
    "Debian or Ubuntu, once:  sudo apt-get install docker.io\n"
    "Start it:                sudo systemctl start docker\n"
    "Let yourself use it:     sudo usermod -aG docker $USER, then log in again\n"
    "macOS or Windows:        start Docker Desktop\n\n"
    "Then press F9 here, which looks again. On the command line m4review doctor says the same."
)


def look(workspace: Workspace, environment: Mapping[str, str] = os.environ) -> Readiness:
    """What is there and what is missing, looked at anew: what ``m4review doctor`` prints."""
    return examine(workspace.root, environment, interactive=True)


def worth_showing(readiness: Readiness) -> list[Check]:
    """The missing things that a new user should be told of: what is needed, and what Enter can put right."""
    return [check for check in readiness.checks if not check.ok and (check.need == "needed" or check.name in REMEDIES)]


def make_dataset(workspace: Workspace, say: Say, environment: Mapping[str, str]) -> None:
    """Make the synthetic dataset with everything derived from it, and use it from now on.

    Raises:
        M4ReviewError: the data home cannot be written.
    """
    from m4review.demo.example import ensure_dataset

    ensure_dataset(workspace, say, name=DATASET, stays=STAYS, seed=SEED, environment=environment)


def install_guard(workspace: Workspace) -> None:
    """Let plain git commits be checked as well.

    Raises:
        M4ReviewError: the hooks folder cannot be written, or holds hooks that must be merged by hand.
    """
    from m4review.lint import install_hooks

    install_hooks(workspace.root)


def make_image(say: Say) -> None:
    """Make the image in which trials run. Minutes at the first time.

    Raises:
        TrialError: no engine answers, or the image cannot be made; the message says why.
    """
    from m4review.trials.sandbox.debianbase import BUILD_SECONDS
    from m4review.trials.sandbox.engine import connect, engine_errors
    from m4review.trials.sandbox.images import build_image

    client = connect(timeout=BUILD_SECONDS)
    try:
        build_image(client, "reader", say)
    except engine_errors() as error:
        raise TrialError(
            f"the engine did not make the image: {' '.join(str(error).split())[-200:]}", fix="m4review doctor"
        ) from None
    finally:
        client.close()

"""The sandbox the demonstration can use on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from m4review.errors import TrialError
from m4review.trials.sandbox.debianbase import BUILD_SECONDS
from m4review.trials.sandbox.engine import connect, engine_errors, engine_status
from m4review.trials.sandbox.images import build_image

Say = Callable[[str], None]


def ready_sandbox(say: Say) -> Literal["docker", "local"]:
    """``docker`` with the image built, or ``local`` after saying plainly why and what that means."""
    status = engine_status()
    reason = status.reason or "no Docker engine answers"
    if status.available:
        say(f"Docker {status.version} answers; making the sandbox image if needed")
        client = connect(timeout=BUILD_SECONDS)
        try:
            build_image(client, "reader", say)
        except TrialError as error:
            reason = error.what
        except engine_errors() as error:
            reason = " ".join(str(error).split())[-200:]
        else:
            return "docker"
        finally:
            client.close()
    say(f"NOTICE: trials run locally and are NOT ISOLATED, because: {reason}")
    return "local"

"""``python3 -m intruder PLAN``, or ``python3 -m intruder outlive``."""

import json
import sys
from pathlib import Path

from . import greed, inside, outside

PROBES = {**inside.PROBES, **outside.PROBES, **greed.PROBES}


def main(words: list[str]) -> None:
    """Make the probes of the plan one after the other and tell of each at once."""
    if words == ["outlive"]:
        greed.outlive()
    plan = json.loads(Path(words[0]).read_text())
    for name in plan["probes"]:
        try:
            tried, found = PROBES[name](plan)
        except Exception as error:  # noqa: BLE001 - a probe that fails has proved nothing, and is told as such
            tried, found = 0, [f"the probe failed: {error!r}"]
        print(json.dumps({"probe": name, "tried": tried, "found": found}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

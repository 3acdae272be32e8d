"""What the tests of bundles share: a finished campaign whose agent says what must not be published, and its bundle."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from campaign_bench import Bench, plan_text
from trials_bench import TASK, expected_output

from m4review.campaigns import bundleparts as parts
from m4review.campaigns.bundle import Bundle, make_bundle
from m4review.campaigns.bundlecheck import Checked, check_bundle
from m4review.campaigns.bundlefiles import sums_of, write_bundle
from m4review.campaigns.lineage import Lineage, sha256
from m4review.trials.records import to_json
from m4review.workspace import Workspace

DRAWS = 200
NAME = "trial"
GROUPS = f"""
[[groups]]
name = "pair"
tasks = ["{TASK}"]
conditions = ["no-skill", "with-skill"]
repeats = 2
"""
TOLD = '{"event": "message", "text": "reading %s for stay 30000001 of 2150-01-02"}'
SCRIPT = (
    "printf '" + TOLD + "\\n' {database}; "
    "if [ -d {skills} ]; then cp EXPECTED {output}; else head -n 20 EXPECTED > {output}; fi"
)


def finished_campaign(bench: Bench, *, groups: str = GROUPS) -> Bench:
    """A campaign that is done. Its agent names a stay, a date and a place of this machine in its trace."""
    expected = bench.workspace.root / "expected.csv"
    expected.write_text(expected_output(), encoding="utf-8")
    bench.write_agent(SCRIPT.replace("EXPECTED", str(expected)))
    bench.run(bench.freeze(NAME, plan_text(groups)))
    return bench


def copy_of(bench: Bench, place: Path) -> Bench:
    """The same campaign once more, to be spoilt."""
    shutil.copytree(
        bench.workspace.root, place, ignore=lambda at, names: [name for name in names if Path(at, name).is_fifo()]
    )
    return Bench(Workspace(place), bench.data_home)


def bundle_of(bench: Bench, **wishes: Any) -> Bundle:
    """The bundle of its campaign."""
    return make_bundle(bench.workspace, NAME, environment=bench.environment, draws=DRAWS, **wishes)


def checked(files: Mapping[str, bytes], place: Path, **wishes: Any) -> Checked:
    """The check of these files, as a folder at ``place``."""
    write_bundle(files, place)
    return check_bundle(place, **wishes)


def summed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a list of checksums that fits them."""
    rest = {name: data for name, data in files.items() if name != parts.SUMS}
    return {**rest, parts.SUMS: sums_of(rest)}


def edited(files: Mapping[str, bytes], name: str, change: Callable[[Any], None]) -> dict[str, bytes]:
    """The files with one JSON file changed, and checksums that fit."""
    values = json.loads(files[name])
    change(values)
    return summed({**files, name: (json.dumps(values, indent=1) + "\n").encode()})


def resealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a lineage that fits its records, traces and rows again, and checksums that fit."""
    lineage = Lineage.model_validate_json(files[parts.LINEAGE])
    rows = files[parts.RUNS].decode().splitlines()[1:]
    links = tuple(
        link.model_copy(
            update={
                "record": sha256(files[parts.record_file(link.run)]),
                "trace": sha256(files[parts.trace_file(link.run)]),
                "row": sha256(row.encode()),
            }
        ).sealed()
        for link, row in zip(lineage.runs, rows, strict=True)
    )
    return summed({**files, parts.LINEAGE: to_json(lineage.model_copy(update={"runs": links}))})


def problems(found: Checked) -> str:
    """What is wrong, one line each."""
    return "\n".join(f"{problem.file}: {problem.what}" for problem in found.problems)

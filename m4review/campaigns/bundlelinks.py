"""Whether plan, manifest, blocks, records, traces and table of a bundle belong together, each by its digest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath

from m4review.campaigns import bundleparts as parts
from m4review.campaigns.bundleproblems import BundleRecords, Checked
from m4review.campaigns.lineage import broken_links, sha256
from m4review.campaigns.manifest import manifest_digest
from m4review.campaigns.matrix import Block
from m4review.campaigns.ownruns import runs_of
from m4review.campaigns.publishing import WITHHELD
from m4review.campaigns.runfile import run_file_text
from m4review.trials.conditions import Arm
from m4review.trials.records import RunRecord


def check_campaign(found: BundleRecords, files: Mapping[str, bytes], checked: Checked) -> None:
    """Plan, manifest, blocks and records belong together."""
    manifest, card = found.manifest, found.card
    wrong = checked.wrong
    plan = "sha256:" + sha256(files.get(parts.PLAN, b""))
    wrong(parts.PLAN, "is not the plan that was frozen", plan != manifest.plan_digest)
    if "server" in card.withheld:
        checked.notes.append("the address of a model's server is withheld, so the manifest's digest was not recomputed")
    else:
        sealed = manifest_digest(json.loads(files[parts.MANIFEST]))
        wrong(parts.MANIFEST, "is not what was frozen: its digest is another", sealed != manifest.digest)
    for name, told in (
        (parts.CARD, card.manifest),
        (parts.BLOCKS, found.blocks.manifest),
        (parts.LINEAGE, found.lineage.manifest),
    ):
        wrong(name, "belongs to another campaign", told != manifest.digest)
    wrong(parts.CARD, "tells another plan", card.plan != manifest.plan_digest)
    planned = {block.id: block for block in manifest.blocks}
    done = [entry for entry in found.blocks.blocks if entry.id in planned]
    wrong(parts.BLOCKS, "names a block that the plan does not have", len(done) < len(found.blocks.blocks))
    wrong(parts.BLOCKS, "names a block twice", len({entry.id for entry in done}) < len(done))
    for entry in done:
        wrong(
            parts.BLOCKS,
            f"{entry.id}: other conditions than planned",
            set(entry.runs) != set(planned[entry.id].conditions),
        )
    missing = [block.id for block in manifest.blocks if block.id not in {entry.id for entry in done}]
    wrong(parts.CARD, "does not name the blocks that are missing", list(card.missing) != missing)
    wrong(
        parts.CARD,
        "does not name the runs that are held",
        set(card.held) != {r.id for r in found.records.values() if r.waits},
    )
    wrong(
        parts.CARD,
        "counts other runs",
        not card.runs == len(found.lineage.runs) == sum(len(entry.runs) for entry in done),
    )
    for entry in done:
        for condition, run in entry.runs.items():
            record = found.records.get(run)
            if record is None:
                wrong(parts.BLOCKS, f"{run} has no record", True)
                continue
            frozen = manifest.frozen_cells[planned[entry.id].cell].by_condition.get(condition)
            wrong(
                parts.record_file(run),
                "is no run of its block",
                record.id != run or record.replicate != planned[entry.id].replicate,
            )
            wrong(
                parts.record_file(run),
                "was made from other inputs than were frozen",
                frozen is None or frozen.resume_key != record.inputs.resume_key,
            )
            wrong(
                parts.record_file(run),
                "its resume key is not that of its inputs",
                record.inputs.server != WITHHELD and record.inputs.resume_key != record.resume_key,
            )
            card_digest = found.tasks.tasks.get(record.inputs.task)
            wrong(
                parts.TASKS,
                f"{record.inputs.task}: another task card than was run",
                card_digest is None or card_digest.digest != record.inputs.task_digest,
            )
    named = {run for entry in done for run in entry.runs.values()}
    strangers = sorted(
        name for name in files if name.startswith(("records/", "traces/")) and PurePosixPath(name).stem not in named
    )
    for name in strangers:
        wrong(name, "belongs to no block", True)
    checked.done.append(f"{len(done)} of {len(manifest.blocks)} blocks against the frozen manifest")


def check_lineage(found: BundleRecords, files: Mapping[str, bytes], checked: Checked) -> None:
    """From the data's digest to the row, and each row from its record."""
    wrong = checked.wrong
    rows = files[parts.RUNS].decode("utf-8", "replace").splitlines() if parts.RUNS in files else []
    blocks = {run: entry.id for entry in found.blocks.blocks for run in entry.runs.values()}
    planned = {block.id: block for block in found.manifest.blocks}
    published: list[tuple[Block, Arm, RunRecord]] = []
    if len(rows) != len(found.lineage.runs) + 1:
        wrong(parts.RUNS, f"has {max(len(rows) - 1, 0)} rows for {len(found.lineage.runs)} runs", True)
        return
    for link, row in zip(found.lineage.runs, rows[1:], strict=True):
        record = found.records[link.run]
        digests = {
            "record": sha256(files[parts.record_file(link.run)]),
            "trace": sha256(files.get(parts.trace_file(link.run), b"\0")),
            "row": sha256(row.encode()),
        }
        for broken in broken_links(link, record, digests):
            wrong(parts.LINEAGE, f"{link.run}: the way breaks at {broken}", True)
        wrong(parts.LINEAGE, f"{link.run}: another block", blocks.get(link.run) != link.block)
        if link.block in planned:
            published.append((planned[link.block], record.inputs.arm, record))
    wanted = run_file_text(runs_of(published)).splitlines()
    for number, (row, made) in enumerate(zip(rows, wanted, strict=False), start=1):
        wrong(f"{parts.RUNS}:{number}", "the row is not what its record comes to", row != made)
    checked.done.append(
        f"{len(found.lineage.runs)} runs from the data's digest to their row, and each row from its record"
    )

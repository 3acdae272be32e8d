"""The evidence bundle: everything that stands behind a campaign's figures and may be published, and nothing else.

The same campaign gives the same bytes. Before anything is written every file passes :mod:`m4review.campaigns.scanner`.
"""

from __future__ import annotations

import dataclasses
import getpass
import json
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from m4review import __version__
from m4review.campaigns import bundleparts as parts
from m4review.campaigns.analysis import analyse
from m4review.campaigns.background import background_of
from m4review.campaigns.bundlefiles import sums_of
from m4review.campaigns.bundleparts import BlockEntry, BlockList, BundleCard, TaskEntry, TaskList
from m4review.campaigns.bundlereadme import notes_of, readme
from m4review.campaigns.croissant import croissant
from m4review.campaigns.figures import draw, figures_of, picture_files
from m4review.campaigns.folder import MANIFEST_FILE, CampaignFolder
from m4review.campaigns.forms import FORMS
from m4review.campaigns.headline import wording_digest
from m4review.campaigns.leaks import Surroundings
from m4review.campaigns.licences import licence_table
from m4review.campaigns.lineage import Lineage, RunLineage, lineage_of
from m4review.campaigns.matrix import Block
from m4review.campaigns.ownruns import runs_of
from m4review.campaigns.publishing import published_inputs, published_record, published_trace
from m4review.campaigns.report import report_of
from m4review.campaigns.resampling import DRAWS
from m4review.campaigns.runfile import run_file_text
from m4review.campaigns.runs import Run, task_facts
from m4review.campaigns.scanner import ScanResult, scan
from m4review.ehr import Dataset, open_dataset
from m4review.ehr.schemas.rewriting import changed_items
from m4review.errors import CampaignError, DatasetError
from m4review.reviews import task_digest
from m4review.tasks import INSTRUCTION_FILE, TASK_FILE
from m4review.trials.records import RUN_FILE, RunRecord, to_json
from m4review.workspace import Workspace

SHOWN = 5
"""Leaks and missing blocks that a message names; the rest is counted."""
SEED = 1


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle as it is to be written. ``unseen`` are datasets that were not at hand to compare identifiers with."""

    card: BundleCard
    files: Mapping[str, bytes]
    scanned: ScanResult
    unseen: tuple[str, ...]


def make_bundle(
    workspace: Workspace,
    name: str,
    *,
    partial: bool = False,
    licence: str = "MIT",
    environment: Mapping[str, str] = os.environ,
    draws: int = DRAWS,
) -> Bundle:
    """Make the bundle of a campaign, in memory. ``partial`` allows one that is not finished, which the bundle says.

    Raises:
        CampaignError: there is no such campaign, it is not finished, a task card is no longer the one that was run, or
            the scanner found what must not be published.
        TrialError: a record or a trace cannot be understood.
        M4ReviewError: the runs cannot be analysed, or the workspace's ledger or skills cannot be read.
    """
    folder = CampaignFolder.open(workspace, name)
    records = folder.records()
    card = _card(folder, records, draws)
    _require_finished(card, partial)
    tasks = _tasks(workspace, {record.inputs.task: record for _, _, record in records})
    around = surroundings(workspace, environment, folder)
    published = [(block, arm, published_record(record)) for block, arm, record in records]
    runs = runs_of(published)
    files = {
        **_frozen(folder, card),
        parts.BLOCKS: to_json(_blocks(folder)),
        parts.TASKS: to_json(tasks),
        parts.RUNS: run_file_text(runs).encode(),
    }
    for _, _, record in published:
        files[parts.record_file(record.id)] = to_json(record)
        files[parts.trace_file(record.id)] = published_trace(folder.run_folder(record.id), around.roots)
    files[parts.LINEAGE] = to_json(_lineage(folder, [(block, record) for block, _, record in published], files))
    files |= _reports(workspace, card, runs, [record for _, _, record in published])
    datasets, unseen = _datasets(workspace, environment, folder)
    files[parts.LICENCES] = _licences(workspace, licence, [record for _, _, record in records]).encode()
    last = max(done.finished for done in folder.done().values())
    files[parts.CROISSANT] = croissant(card, files, published=last, licence=licence)
    files[parts.CARD] = to_json(card)
    files[parts.README] = readme(card, files).encode()
    files[parts.SUMS] = sums_of(files)
    scanned = scan(files, around, datasets, items=_items(folder, datasets))
    _require_clean(scanned)
    return Bundle(card, files, scanned, unseen)


def surroundings(workspace: Workspace, environment: Mapping[str, str], folder: CampaignFolder | None) -> Surroundings:
    """What identifies this machine, its user and the machines that took part in the campaign."""
    roots = {
        workspace.root,
        workspace.root.resolve(),
        workspace.data_home(environment),
        workspace.local_dir,
        Path.home(),
    }
    names = {socket.gethostname(), socket.gethostname().partition(".")[0], getpass.getuser()}
    names |= {done.worker for done in folder.done().values()} if folder is not None else set()
    return Surroundings(tuple(sorted(roots)), tuple(sorted(name for name in names if len(name) > 1)))


def _card(folder: CampaignFolder, records: Sequence[tuple[Block, object, RunRecord]], draws: int) -> BundleCard:
    manifest = folder.manifest
    cells = [inputs for frozen in manifest.cells for inputs in frozen.inputs]
    return BundleCard(
        campaign=manifest.name,
        title=manifest.title,
        tool_version=__version__,
        wording=wording_digest(),
        manifest=manifest.digest,
        plan=manifest.plan_digest,
        runs=len(records),
        blocks=len(manifest.blocks),
        missing=tuple(block.id for block in folder.missing()),
        held=tuple(record.id for _, _, record in records if record.waits),
        withheld=("server",) if any(published_inputs(one) != one for one in cells) else (),
        seed=SEED,
        draws=draws,
    )


def _require_finished(card: BundleCard, partial: bool) -> None:
    if not card.runs:
        raise CampaignError("no block is done yet", where=card.campaign, fix=f"m4review campaign run {card.campaign}")
    if partial:
        return
    if card.missing:
        raise CampaignError(
            f"{len(card.missing)} of {card.blocks} blocks are not done: {_some(card.missing)}",
            where=card.campaign,
            fix=f"m4review campaign run {card.campaign}, or --partial for a bundle that says what is missing",
        )
    if card.held:
        raise CampaignError(
            f"{len(card.held)} runs wait for a person's decision: {_some(card.held)}",
            where=card.campaign,
            fix="decide with 'm4review trial hold', or --partial for a bundle that says so",
        )


def _tasks(workspace: Workspace, records: Mapping[str, RunRecord]) -> TaskList:
    facts = task_facts(workspace)
    entries = {}
    for name, record in sorted(records.items()):
        card = workspace.task(name)
        digest = task_digest(*((card.path / file).read_bytes() for file in (TASK_FILE, INSTRUCTION_FILE)))
        if digest != record.inputs.task_digest:
            raise CampaignError(
                "the task card is no longer the one that was run",
                where=workspace.relative(card.path),
                expected=record.inputs.task_digest,
                fix="bundle from the revision that the campaign was run from",
            )
        entries[name] = TaskEntry(digest=digest, **dataclasses.asdict(facts[name]))
    return TaskList(tasks=entries)


def _frozen(folder: CampaignFolder, card: BundleCard) -> dict[str, bytes]:
    """Plan and manifest as they were frozen; withheld fields aside."""
    manifest = (folder.path / MANIFEST_FILE).read_bytes()
    if card.withheld:
        cells = tuple(
            frozen.model_copy(update={"inputs": tuple(published_inputs(one) for one in frozen.inputs)})
            for frozen in folder.manifest.cells
        )
        manifest = to_json(folder.manifest.model_copy(update={"cells": cells}))
    return {parts.PLAN: folder.plan_file.data, parts.MANIFEST: manifest}


def _blocks(folder: CampaignFolder) -> BlockList:
    return BlockList(
        manifest=folder.manifest.digest,
        blocks=tuple(
            BlockEntry(id=block, runs=done.runs, infra_errors=len(done.infra_errors))
            for block, done in folder.done().items()
        ),
    )


def _lineage(folder: CampaignFolder, records: Sequence[tuple[Block, RunRecord]], files: Mapping[str, bytes]) -> Lineage:
    rows = files[parts.RUNS].decode().splitlines()[1:]
    links: list[RunLineage] = [
        lineage_of(
            record,
            block=block.id,
            private=(folder.run_folder(record.id) / RUN_FILE).read_bytes(),
            published=files[parts.record_file(record.id)],
            trace=files[parts.trace_file(record.id)],
            row=row,
        )
        for (block, record), row in zip(records, rows, strict=True)
    ]
    return Lineage(manifest=folder.manifest.digest, runs=tuple(links))


def _reports(
    workspace: Workspace, card: BundleCard, runs: Sequence[Run], records: Sequence[RunRecord]
) -> dict[str, bytes]:
    analysis = analyse(runs, task_facts(workspace), seed=card.seed, draws=card.draws)
    background = background_of(
        workspace, runs, sources=(f"campaign {card.campaign}",), records=records, notes=notes_of(card)
    )
    drawn = draw(analysis, background.specification)
    document = report_of(analysis, runs, background, figures_of(drawn))
    bare = report_of(analysis, runs, background)
    files = {file: FORMS[form](document if form == "html" else bare).encode() for form, file in parts.REPORTS.items()}
    files |= {f"{parts.FIGURES}/{name}": data for name, data in picture_files(drawn).items()}
    files[parts.ANALYSIS] = analysis_json(analysis)
    return files


def analysis_json(analysis: object) -> bytes:
    """Every figure of an analysis."""
    values = dataclasses.asdict(analysis)  # type: ignore[call-overload]
    return (json.dumps(values, indent=1, allow_nan=False) + "\n").encode()


def _datasets(
    workspace: Workspace, environment: Mapping[str, str], folder: CampaignFolder
) -> tuple[list[Dataset], tuple[str, ...]]:
    """The datasets of the campaign that are at hand as they were run on, and the names of those that are not."""
    digests = {one.dataset: one.dataset_digest for frozen in folder.manifest.cells for one in frozen.inputs}
    found, unseen = [], []
    for name, digest in sorted(digests.items()):
        try:
            dataset = open_dataset(workspace.data_home(environment), name)
        except DatasetError:
            unseen.append(name)
            continue
        found.append(dataset)
        if dataset.digest != digest:
            unseen.append(name)
    return found, tuple(unseen)


def _licences(workspace: Workspace, licence: str, records: Sequence[RunRecord]) -> str:
    given = {text.name for record in records for text in record.inputs.skills}
    skills = [workspace.skill(name) for name in sorted(given & {*workspace.skill_names()})]
    data = {record.inputs.dataset: workspace.task(record.inputs.task).database for record in records}
    return licence_table(licence, skills, sorted({record.inputs.task for record in records}), data)


def _items(folder: CampaignFolder, datasets: Sequence[Dataset]) -> frozenset[int]:
    """The item identifiers of the changed schemas that the campaign ran on."""
    seeds = {(one.dataset, one.schema_seed) for frozen in folder.manifest.cells for one in frozen.inputs}
    return frozenset(
        item
        for dataset in datasets
        for name, seed in seeds
        if name == dataset.name and seed
        for item in changed_items(dataset, seed)
    )


def _require_clean(scanned: ScanResult) -> None:
    if not scanned.leaks:
        return
    shown = "; ".join(f"{leak.place}: {leak.kind}" for leak in scanned.leaks[:SHOWN])
    more = f"; and {len(scanned.leaks) - SHOWN} more" if len(scanned.leaks) > SHOWN else ""
    raise CampaignError(
        f"the bundle would publish what must not leave this machine: {shown}{more}",
        expected="no patient row, no secret, no path or name of a machine or user",
        fix="nothing was written; take it out of where it comes from (plan, skill, task card or run), and try again",
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more

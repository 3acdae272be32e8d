"""Checking a bundle without data, workspace or network: every file, every link, every row and every figure anew."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from m4review import __version__
from m4review.campaigns import bundleparts as parts
from m4review.campaigns.analysis import analyse
from m4review.campaigns.bundle import analysis_json
from m4review.campaigns.bundlefiles import read_bundle, read_sums
from m4review.campaigns.bundleparts import BlockList, BundleCard, TaskList
from m4review.campaigns.headline import missing_lines
from m4review.campaigns.leaks import Surroundings
from m4review.campaigns.lineage import Lineage, broken_links, sha256
from m4review.campaigns.manifest import CampaignManifest, manifest_digest
from m4review.campaigns.matrix import Block
from m4review.campaigns.ownruns import runs_of
from m4review.campaigns.runfile import read_run_text, run_file_text
from m4review.campaigns.scanner import scan
from m4review.ehr.schemas.rewriting import FIRST_ITEM, MOST_ITEMS
from m4review.errors import CampaignError, M4ReviewError
from m4review.trials.conditions import Arm
from m4review.trials.records import Inputs, RunRecord

CLOSE = 1e-9
"""Figures that are nearer than this, relative to their size, are the same on any machine."""
MOST_SHOWN = 20
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and with which file."""

    file: str
    what: str


@dataclass
class Checked:
    """What a check came to. ``done`` says per step what was looked at; ``notes`` what could not be."""

    digest: str
    """SHA-256 of the list of checksums: it stands for the whole bundle."""
    done: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class _Parts:
    card: BundleCard
    manifest: CampaignManifest
    blocks: BlockList
    tasks: TaskList
    lineage: Lineage
    records: dict[str, RunRecord]


def check_bundle(path: Path, *, digest: str | None = None) -> Checked:
    """Check a bundle. ``digest`` is what was published as its digest, if it is known.

    Raises:
        CampaignError: there is no bundle, or it is of a form that this version does not know.
    """
    files = read_bundle(path)
    checked = Checked(digest="sha256:" + sha256(files[parts.SUMS]))
    if digest is not None and checked.digest != digest:
        checked.problems.append(Problem(parts.SUMS, f"the bundle's digest is {checked.digest}, not the one given"))
    _checksums(files, checked)
    found = _read(files, checked)
    if found is None:
        return checked
    if found.card.tool_version != __version__:
        checked.notes.append(
            f"made by m4review {found.card.tool_version} and checked by {__version__}: wording is not compared"
        )
    _campaign(found, files, checked)
    _lineage(found, files, checked)
    _figures(found, files, checked)
    seeded = any(one.schema_seed for frozen in found.manifest.cells for one in frozen.inputs)
    items = range(FIRST_ITEM, FIRST_ITEM + MOST_ITEMS) if seeded else range(0)
    leaks = scan({name: data for name, data in files.items() if name != parts.SUMS}, Surroundings(), items=items).leaks
    checked.problems += [Problem(leak.place, leak.kind) for leak in leaks]
    checked.done.append("no secret, no place of a person's machine and no row of a patient was recognised")
    return checked


def _checksums(files: Mapping[str, bytes], checked: Checked) -> None:
    sums = read_sums(files[parts.SUMS])
    there = files.keys() - {parts.SUMS}
    for name in sorted(sums.keys() | there):
        if name not in there:
            checked.problems.append(Problem(name, "is missing"))
        elif name not in sums:
            checked.problems.append(Problem(name, "was added: the list of checksums does not name it"))
        elif sha256(files[name]) != sums[name]:
            checked.problems.append(Problem(name, "was changed: its checksum is another"))
    checked.done.append(f"{len(sums)} files by their checksums")


def _read(files: Mapping[str, bytes], checked: Checked) -> _Parts | None:
    """Every record of the bundle; ``None`` when one cannot be understood, which is then a problem."""
    before = len(checked.problems)

    def part(name: str, model: type[Model]) -> Model | None:
        data = files.get(name)
        if data is None:
            if not any(problem.file == name for problem in checked.problems):
                checked.problems.append(Problem(name, "is missing"))
            return None
        try:
            return model.model_validate_json(data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the whole file"
            checked.problems.append(Problem(name, f"cannot be understood: {place}: {first['type']}"))
            return None

    card = part(parts.CARD, BundleCard)
    manifest, blocks = part(parts.MANIFEST, CampaignManifest), part(parts.BLOCKS, BlockList)
    tasks, lineage = part(parts.TASKS, TaskList), part(parts.LINEAGE, Lineage)
    records = (
        {} if lineage is None else {link.run: part(parts.record_file(link.run), RunRecord) for link in lineage.runs}
    )
    held = {run: record for run, record in records.items() if record is not None}
    if None in (card, manifest, blocks, tasks, lineage) or len(held) < len(records) or not held:
        if len(checked.problems) == before:
            checked.problems.append(Problem(parts.LINEAGE, "names no run"))
        return None
    assert card is not None and manifest is not None and blocks is not None  # noqa: PT018
    assert tasks is not None and lineage is not None  # noqa: PT018
    return _Parts(card, manifest, blocks, tasks, lineage, held)


def _campaign(found: _Parts, files: Mapping[str, bytes], checked: Checked) -> None:
    """Plan, manifest, blocks and records belong together."""
    manifest, card = found.manifest, found.card
    wrong = _collector(checked)
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
                frozen is None or _key(frozen) != _key(record.inputs),
            )
            wrong(
                parts.record_file(run),
                "its resume key is not that of its inputs",
                not _withheld(record.inputs) and record.inputs.resume_key != record.resume_key,
            )
            card_digest = found.tasks.tasks.get(record.inputs.task)
            wrong(
                parts.TASKS,
                f"{record.inputs.task}: another task card than was run",
                card_digest is None or card_digest.digest != record.inputs.task_digest,
            )
    named = {run for entry in done for run in entry.runs.values()}
    strangers = sorted(
        name for name in files if name.startswith(("records/", "traces/")) and Path(name).stem not in named
    )
    for name in strangers:
        wrong(name, "belongs to no block", True)
    checked.done.append(f"{len(done)} of {len(manifest.blocks)} blocks against the frozen manifest")


def _lineage(found: _Parts, files: Mapping[str, bytes], checked: Checked) -> None:
    """From the data's digest to the row, and each row from its record."""
    wrong = _collector(checked)
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


def _figures(found: _Parts, files: Mapping[str, bytes], checked: Checked) -> None:
    """Every figure from the table, against the analysis and the reports."""
    wrong = _collector(checked)
    facts = {name: entry.facts for name, entry in found.tasks.tasks.items()}
    try:
        runs = read_run_text(files.get(parts.RUNS, b""), Path(parts.RUNS), facts)
        analysis = analyse(runs, facts, seed=found.card.seed, draws=found.card.draws)
        told = json.loads(files.get(parts.ANALYSIS, b""))
    except (M4ReviewError, ValueError, RecursionError) as error:
        said = error.what if isinstance(error, M4ReviewError) else "no JSON"
        wrong(parts.ANALYSIS, f"the figures cannot be recomputed: {said}", True)
        return
    other_version = found.card.tool_version != __version__
    count = 0
    for place, is_same in _compared(told, json.loads(analysis_json(analysis)), "", common_only=other_version):
        count += 1
        wrong(parts.ANALYSIS, f"{place}: not what the runs come to", not is_same)
    checked.done.append(f"{count} figures of the analysis from the table of runs")
    if other_version:
        return
    for form, name in parts.REPORTS.items():
        text = files.get(name, b"").decode("utf-8", "replace")
        for line in missing_lines(analysis, runs, form, text):
            wrong(name, f"does not say what the runs come to: {line}", True)
    checked.done.append("the reports' sections on effects, controls, schemas, checks and compute from the same figures")


def _compared(told: object, made: object, place: str, *, common_only: bool) -> Iterator[tuple[str, bool]]:
    """Every figure of two JSON values and whether it is the same in both."""
    if isinstance(told, dict) and isinstance(made, dict):
        names = told.keys() & made.keys() if common_only else told.keys() | made.keys()
        for name in sorted(names):
            inside = f"{place}.{name}".lstrip(".")
            if name in told and name in made:
                yield from _compared(told[name], made[name], inside, common_only=common_only)
            else:
                yield inside, False
    elif isinstance(told, list) and isinstance(made, list):
        if len(told) != len(made):
            yield place, False
            return
        for number, (one, other) in enumerate(zip(told, made, strict=True)):
            yield from _compared(one, other, f"{place}[{number}]", common_only=common_only)
    elif isinstance(told, float) or isinstance(made, float):
        numbers = isinstance(told, int | float) and isinstance(made, int | float)
        yield place, numbers and math.isclose(told, made, rel_tol=CLOSE, abs_tol=CLOSE)  # type: ignore[arg-type]
    else:
        yield place, told == made


def _collector(checked: Checked) -> Callable[[str, str, bool], None]:
    """Notes a problem where one is, once each."""

    def wrong(file: str, what: str, is_wrong: bool) -> None:
        problem = Problem(file, what)
        if is_wrong and problem not in checked.problems:
            checked.problems.append(problem)

    return wrong


def _key(inputs: Inputs) -> str:
    return inputs.resume_key


def _withheld(inputs: Inputs) -> bool:
    return inputs.server == "withheld"


__all__ = ["CampaignError", "Checked", "Problem", "check_bundle"]

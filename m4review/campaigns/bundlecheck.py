"""Checking a bundle without data, workspace or network: every file, every link, every row and every figure anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from m4review import __version__
from m4review.campaigns import bundleparts as parts
from m4review.campaigns.bundlefigures import check_figures
from m4review.campaigns.bundlefiles import read_bundle, read_sums
from m4review.campaigns.bundlelinks import check_campaign, check_lineage
from m4review.campaigns.bundleparts import BlockList, BundleCard, TaskList
from m4review.campaigns.bundleproblems import BundleRecords, Checked, Problem
from m4review.campaigns.headline import wording_digest
from m4review.campaigns.leaks import Surroundings
from m4review.campaigns.lineage import Lineage, sha256
from m4review.campaigns.manifest import CampaignManifest
from m4review.campaigns.scanner import scan
from m4review.ehr.schemas.rewriting import FIRST_ITEM, MOST_ITEMS
from m4review.trials.records import RunRecord

Model = TypeVar("Model", bound=BaseModel)


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
    if found.card.tool_version != __version__ or found.card.wording != wording_digest():
        checked.notes.append(
            f"made by m4review {found.card.tool_version} and checked by {__version__} of another state: "
            "figures are compared, wording is not"
        )
    check_campaign(found, files, checked)
    check_lineage(found, files, checked)
    check_figures(found, files, checked)
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


def _read(files: Mapping[str, bytes], checked: Checked) -> BundleRecords | None:
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
    return BundleRecords(card, manifest, blocks, tasks, lineage, held)

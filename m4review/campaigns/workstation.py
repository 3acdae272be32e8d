"""A worker of a shared campaign: it makes blocks on its own machine, with its own data and its own engine.

A worker is told of a campaign once: it checks that it is of the same version, keeps plan and manifest in its own
workspace, and opens its rooms. Then it is given blocks by their ids. What goes back of a run is its record and its
events, in which results of tools are reduced to their size; the output and the raw trace, which may hold rows of
patients, stay in the worker's own folder of the campaign.
"""

from __future__ import annotations

import asyncio
import os
import platform
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from m4review import __version__
from m4review.campaigns.blockrun import BlockMade, Workplace, workplace
from m4review.campaigns.execution import block_record, rewards_of, seconds_of, setting_of, sweep
from m4review.campaigns.folder import (
    AGENTS,
    MANIFEST_FILE,
    PLAN_FILE,
    BlockRecord,
    CampaignFolder,
    campaign_path,
)
from m4review.errors import CampaignError, M4ReviewError
from m4review.textfile import write_bytes
from m4review.trials.claims import private_folder
from m4review.trials.records import RUN_FILE
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.timeline import EVENTS_NAME
from m4review.workspace import Workspace

WORKSPACE_VARIABLE = "M4REVIEW_WORKSPACE"
"""Where a worker's workspace is; the current folder without it."""
STATIONS = "m4review_stations"
TRAVELLING = (RUN_FILE, EVENTS_NAME)
"""What is sent of a run folder."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A campaign as it is told to a worker, in plain values that every version understands."""

    name: str
    version: str
    digest: str
    """Of the manifest."""
    files: Mapping[str, bytes]
    """Plan, manifest and the plan's own agents, by their path in a campaign's folder."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker says to an invitation. ``refusal`` is why it takes no part, ``None`` when it does."""

    machine: str
    size: int = 0
    """How many blocks it makes at once."""
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A block as a worker hands it in. ``record`` is ``None`` when the block was not finished."""

    record: str | None
    runs: Mapping[str, Mapping[str, bytes]]
    """Run → the files that travel, failed runs included."""
    rewards: Mapping[str, float | None]
    seconds: float
    trouble: str | None = None
    hopeless: bool = False
    refusal: str | None = None
    """Why the worker takes no part any more: what it has is not what was frozen."""
    uninvited: bool = False
    """The worker knows nothing of the campaign: its process was started anew at the same address."""


@dataclass
class Station:
    """A worker's rooms for one campaign."""

    folder: CampaignFolder
    place: Workplace
    size: int
    stack: ExitStack
    stop: threading.Event = field(default_factory=threading.Event)

    def deliver(self, block_id: str) -> Delivery:
        """Make a block and pack what travels of it."""
        block = next(one for one in self.folder.manifest.blocks if one.id == block_id)
        try:
            made = self.place.make(block, lambda event: None, self.stop)
        except M4ReviewError as error:
            return Delivery(None, {}, {}, 0.0, trouble=str(error), refusal=str(error))
        return self._packed(made)

    def _packed(self, made: BlockMade) -> Delivery:
        record = None
        if made.complete:
            entered = block_record(self.folder, made, platform.node(), datetime.now(UTC))
            record = entered.model_dump_json(by_alias=True)
        runs = {
            run.id: {
                name: (self.folder.run_folder(run.id) / name).read_bytes()
                for name in TRAVELLING
                if (self.folder.run_folder(run.id) / name).is_file()
            }
            for run in (*made.runs.values(), *made.infra_errors)
        }
        return Delivery(record, runs, rewards_of(made), seconds_of(made), made.trouble, made.hopeless)


def invitation(folder: CampaignFolder) -> Invitation:
    """A frozen campaign as it is told to workers."""
    paths = [folder.path / PLAN_FILE, folder.path / MANIFEST_FILE, *sorted((folder.path / AGENTS).glob("*"))]
    files = {path.relative_to(folder.path).as_posix(): path.read_bytes() for path in paths}
    return Invitation(folder.name, folder.manifest.tool_version, folder.manifest.digest, files)


async def invite(told: Invitation, dask_worker: Any) -> Answer:
    """Run on a worker: take part in a campaign, or say why not. Its other work goes on meanwhile."""
    stations: dict[str, Station] = vars(dask_worker).setdefault(STATIONS, {})
    try:
        if told.version != __version__:
            raise CampaignError(
                f"this worker is m4review {__version__}, and {told.name} was frozen by {told.version}",
                fix=f"install m4review {told.version} on {platform.node()}",
            )
        known = stations.get(told.digest)
        if known is not None and known.stop.is_set():
            await asyncio.to_thread(_close, stations.pop(told.digest))
            known = None
        if known is None:
            threads = int(dask_worker.state.nthreads)
            known = stations[told.digest] = await asyncio.to_thread(_opened, told, threads)
    except M4ReviewError as error:
        return Answer(platform.node(), refusal=str(error))
    return Answer(platform.node(), size=known.size)


def make_block(digest: str, block_id: str) -> Delivery:
    """Run on a worker, in a thread: make a block of a campaign that it takes part in."""
    from distributed import get_worker

    station: Station | None = vars(get_worker()).get(STATIONS, {}).get(digest)
    return Delivery(None, {}, {}, 0.0, uninvited=True) if station is None else station.deliver(block_id)


async def dismiss(digest: str, dask_worker: Any) -> None:
    """Run on a worker: end the campaign there. A block under way is stopped and its containers are removed."""
    stations: dict[str, Station] = vars(dask_worker).get(STATIONS, {})
    station = stations.pop(digest, None)
    if station is not None:
        station.stop.set()
        await asyncio.to_thread(_close, station)


def unpack(folder: CampaignFolder, delivery: Delivery) -> BlockRecord | None:
    """Keep the runs of a delivery in the campaign's own folder; the block's record, if it was finished.

    Raises:
        TextFileError: the disk is full or not writable.
    """
    private_folder(folder.runs_dir)
    for run_id, files in delivery.runs.items():
        target = folder.run_folder(run_id)
        if (target / RUN_FILE).exists():
            continue  # a worker on this machine keeps its runs in this very folder
        private_folder(target)
        for name, data in sorted(files.items(), key=lambda one: one[0] == RUN_FILE):
            write_bytes(target / name, data)
    return None if delivery.record is None else BlockRecord.model_validate_json(delivery.record)


def _opened(told: Invitation, threads: int) -> Station:
    """Keep the campaign in the worker's own workspace and open its rooms."""
    workspace = Workspace.find(Path(os.environ.get(WORKSPACE_VARIABLE) or Path.cwd()))
    folder = _kept(workspace, told)
    sweep(workspace, folder)
    stop = threading.Event()
    owner = Owner.of_this_process()
    with ExitStack() as stack:
        place = stack.enter_context(
            workplace(
                setting_of(workspace, folder, os.environ, owner),
                folder.manifest,
                folder.runs_dir,
                listener=lambda event: None,
                clock=lambda: datetime.now(UTC),
                cancel=stop,
            )
        )
        return Station(folder, place, place.side_by_side(threads), stack.pop_all(), stop)


def _kept(workspace: Workspace, told: Invitation) -> CampaignFolder:
    """The campaign's folder in the worker's workspace."""
    path = campaign_path(workspace, told.name)
    if not (path / MANIFEST_FILE).exists():
        private_folder(path.parent)
        private_folder(path)
        for name, data in sorted(told.files.items(), key=lambda one: one[0] == MANIFEST_FILE):
            write_bytes(path / name, data)
    folder = CampaignFolder.open(workspace, told.name)
    if folder.manifest.digest != told.digest:
        raise CampaignError(
            f"another campaign is called {told.name} on {platform.node()}",
            where=path,
            fix="freeze the plan under another name, or move that folder away",
        )
    return folder


def _close(station: Station) -> None:
    station.stop.set()
    station.stack.close()

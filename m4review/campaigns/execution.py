"""Running a campaign on this machine: what is missing, block by block, until all is there or somebody stops it."""

from __future__ import annotations

import os
import platform
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from m4review import __version__
from m4review.campaigns.blockrun import BlockMade, Workplace, workplace
from m4review.campaigns.events import BlockEntered, BlockLeft, CampaignEvent, CampaignStarted
from m4review.campaigns.folder import AGENTS, BlockRecord, CampaignFolder
from m4review.campaigns.matrix import Block
from m4review.campaigns.setting import Setting, plan_agents
from m4review.errors import CampaignError
from m4review.trials.claims import STAGING, is_abandoned, private_folder
from m4review.trials.crew import Crew
from m4review.trials.events import Notice
from m4review.trials.records import RUN_FILE
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.schedule import Pace
from m4review.workspace import Workspace

MOST_LEFT = 3
"""So many blocks that fail one after the other, without one that is done, say that the machine is to blame."""

Listener = Callable[[CampaignEvent], None]
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class _Tried:
    """What came of a claim: the block as it was made, or nothing because another program has it."""

    made: BlockMade | None
    entered: BlockRecord | None


def run_campaign(
    workspace: Workspace,
    folder: CampaignFolder,
    *,
    parallel: int = 1,
    listener: Listener = lambda event: None,
    cancel: threading.Event | None = None,
    environment: Mapping[str, str] = os.environ,
    clock: Clock = lambda: datetime.now(UTC),
) -> None:
    """Make every block that is missing and that no other program works on; blocks until then or until ``cancel``.

    Raises:
        CampaignError: another tool version, or something is not as it was frozen.
        EngineUnavailableError: no engine answers and the sandbox is Docker.
        DatasetError, TrialError: something that the runs need is missing.
        TextFileError: the disk is full. Blocks that are done stay done, whatever is raised.
    """
    require_version(folder, __version__, "this program")
    if not folder.missing():
        return
    cancel = cancel or threading.Event()
    owner = Owner.of_this_process()
    sweep(workspace, folder)
    setting = setting_of(workspace, folder, environment, owner)
    with workplace(setting, folder.manifest, folder.runs_dir, listener=listener, clock=clock, cancel=cancel) as place:
        size = place.side_by_side(parallel)
        if size < parallel:
            listener(Notice(text=f"{size} of {parallel} blocks at a time: memory and processors allow no more"))
        _Execution(folder, place, size, owner, listener=listener, cancel=cancel, clock=clock).run()


class _Execution:
    def __init__(
        self,
        folder: CampaignFolder,
        place: Workplace,
        size: int,
        owner: Owner,
        *,
        listener: Listener,
        cancel: threading.Event,
        clock: Clock,
    ) -> None:
        self._folder = folder
        self._place = place
        self._size = size
        self._owner = owner
        self._listener = listener
        self._cancel = cancel
        self._clock = clock
        self._pace = Pace(size)
        self._done = len(folder.done())
        self._left_in_a_row = 0
        self._tried: set[str] = set()

    def run(self) -> None:
        """Pass over the missing blocks until a pass finds none that it could try."""
        blocks = self._folder.manifest.blocks
        self._listener(
            CampaignStarted(
                name=self._folder.name,
                done=self._done,
                blocks=len(blocks),
                runs=self._folder.manifest.runs(),
                size=self._size,
            )
        )
        crew = Crew(self._try, size=self._size, hear=self._listener, cancel=self._cancel)
        while not self._cancel.is_set():
            before = len(self._tried)
            crew.work([one for one in self._folder.missing() if one.id not in self._tried], self._heard)
            if len(self._tried) == before or self._left_in_a_row >= MOST_LEFT:
                return

    def _try(self, block: Block, report: Listener, stop: threading.Event) -> _Tried:
        """In a thread of the crew. The block is entered while it is claimed, so nobody else begins it."""
        with self._folder.claimed(block, self._owner) as mine:
            if not mine or self._folder.is_done(block):
                return _Tried(None, None)
            self._tried.add(block.id)
            made = self._place.make(block, report, stop)
            record = block_record(self._folder, made, platform.node(), self._clock()) if made.complete else None
            entered = record is not None and self._folder.enter(record)
            return _Tried(made, record if entered else None)

    def _heard(self, block: Block, tried: _Tried) -> bool:
        if tried.made is None:
            return True
        self._pace.measured(seconds_of(tried.made))
        if tried.entered is None:
            if not self._cancel.is_set():
                reason = tried.made.trouble or "another program entered it meanwhile"
                self._listener(BlockLeft(block=block, reason=reason))
            self._left_in_a_row += 1
        else:
            self._left_in_a_row = 0
            self._done = len(self._folder.manifest.blocks) - len(self._folder.missing())
            left = len(self._folder.manifest.blocks) - self._done
            self._listener(
                BlockEntered(
                    record=tried.entered,
                    rewards=rewards_of(tried.made),
                    done=self._done,
                    blocks=len(self._folder.manifest.blocks),
                    seconds_left=self._pace.seconds_left(left),
                )
            )
        if tried.made.hopeless:
            self._left_in_a_row = MOST_LEFT
            self._listener(Notice(text=f"no further block is begun: {tried.made.trouble}"))
        return self._left_in_a_row < MOST_LEFT


def require_version(folder: CampaignFolder, version: str, who: str) -> None:
    """Check that a program may make blocks of a campaign.

    Raises:
        CampaignError: it is of another version than the one that froze the campaign.
    """
    if version != folder.manifest.tool_version:
        raise CampaignError(
            f"{who} is m4review {version}, and {folder.name} was frozen by {folder.manifest.tool_version}",
            where=folder.path,
            fix=f"install m4review {folder.manifest.tool_version}, or freeze the plan under another name",
        )


def setting_of(workspace: Workspace, folder: CampaignFolder, environment: Mapping[str, str], owner: Owner) -> Setting:
    """What the cells of a frozen campaign are prepared from here."""
    agents = plan_agents(folder.plan_file, folder.path / AGENTS)
    return Setting(workspace, folder.plan, agents, environment, owner)


def block_record(folder: CampaignFolder, made: BlockMade, worker: str, finished: datetime) -> BlockRecord:
    """A block that was made, as it is entered."""
    return BlockRecord(
        manifest=folder.manifest.digest,
        block=made.block,
        runs={condition: record.id for condition, record in made.runs.items()},
        infra_errors=tuple(record.id for record in made.infra_errors),
        worker=worker,
        finished=finished,
    )


def seconds_of(made: BlockMade) -> float:
    """How long the runs of a block took, on the steady clock."""
    return sum(sum(record.seconds.values()) for record in (*made.runs.values(), *made.infra_errors))


def rewards_of(made: BlockMade) -> dict[str, float | None]:
    """The reward of each run of a block."""
    return {condition.value: record.reward for condition, record in made.runs.items()}


def sweep(workspace: Workspace, folder: CampaignFolder) -> None:
    """Remove what programs that died left half done: unfinished runs and prepared files."""
    private_folder(folder.runs_dir)
    for run in folder.runs_dir.glob("*/"):
        if not (run / RUN_FILE).exists() and is_abandoned(run):
            shutil.rmtree(run)
    for staged in (workspace.local_dir / STAGING).glob("*/"):
        if is_abandoned(staged):
            shutil.rmtree(staged)

"""Running a campaign on several machines through a dask scheduler: this program hands out blocks and enters them.

Each block is given to one worker at a time, claimed here while it is out, and entered here once; a worker that is lost
costs the blocks it was making, which are handed out again. Nothing that a lost worker may still deliver is taken.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from m4review import __version__
from m4review.campaigns.events import BlockEntered, BlockLeft, CampaignEvent, CampaignStarted
from m4review.campaigns.execution import MOST_LEFT, require_version
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.matrix import Block
from m4review.campaigns.workstation import Answer, Delivery, dismiss, invitation, invite, make_block, unpack
from m4review.errors import CampaignError
from m4review.trials.events import Notice
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.schedule import Pace

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_SECONDS = 0.5
"""How often it is looked for workers that came or went while nothing is delivered."""
CONNECT_SECONDS = 30
MOST_LOST = 3
"""So many workers lost over one block say that the block is to blame."""

Listener = Callable[[CampaignEvent], None]


@dataclass(frozen=True, slots=True)
class _Out:
    """A block that a worker has."""

    block: Block
    worker: str
    claim: ExitStack


def run_shared_campaign(
    folder: CampaignFolder,
    scheduler: str,
    *,
    listener: Listener = lambda event: None,
    cancel: threading.Event | None = None,
) -> None:
    """Hand out every block that is missing to the workers of a scheduler; blocks until all is done or ``cancel``.

    Raises:
        CampaignError: dask.distributed is not installed, no scheduler answers, or every worker refuses.
        TextFileError: the disk is full. Blocks that are done stay done, whatever is raised.
    """
    require_version(folder, __version__, "this program")
    if not folder.missing():
        return
    with ExitStack() as stack:
        client = _connected(scheduler)
        stack.callback(client.close)
        shared = _Shared(folder, client, listener=listener, cancel=cancel or threading.Event())
        stack.callback(shared.dismiss)
        try:
            shared.run()
        except OSError as error:
            raise CampaignError(
                f"the scheduler is gone ({type(error).__name__}); what was entered stays",
                where=scheduler,
                fix=f"start it again and repeat: m4review campaign run {folder.name} --scheduler ADDRESS",
            ) from None


class _Shared:
    def __init__(self, folder: CampaignFolder, client: Client, *, listener: Listener, cancel: threading.Event) -> None:
        self._folder = folder
        self._client = client
        self._listener = listener
        self._cancel = cancel
        self._told = invitation(folder)
        self._owner = Owner.of_this_process()
        self._waiting = deque(folder.missing())
        self._workers: dict[str, Answer] = {}
        """Every worker that was invited and is still there, by address."""
        self._out: dict[Future[Delivery], _Out] = {}
        self._lost: dict[str, int] = {}
        """How many workers were lost over a block."""
        self._news: queue.SimpleQueue[Future[Delivery]] = queue.SimpleQueue()
        self._pace: Pace | None = None
        self._left_in_a_row = 0
        self._asked_for_workers = False

    def run(self) -> None:
        """Until every block is delivered, left, or with another program."""
        blocks = self._folder.manifest.blocks
        self._look()
        self._listener(
            CampaignStarted(
                name=self._folder.name,
                done=len(blocks) - len(self._waiting),
                blocks=len(blocks),
                runs=self._folder.manifest.runs(),
                size=self._size,
            )
        )
        while (self._waiting or self._out) and not self._cancel.is_set() and self._left_in_a_row < MOST_LEFT:
            self._hand_out()
            future = self._next()
            if future is not None:
                self._delivered(future)
            self._look()

    def dismiss(self) -> None:
        """Take back what is out and end the campaign on every worker."""
        for future, out in self._out.items():
            future.cancel()
            out.claim.close()
        self._out.clear()
        there = [address for address, answer in self._workers.items() if answer.refusal is None]
        if there and self._client.status == "running":
            self._client.run(dismiss, self._told.digest, workers=there, on_error="ignore")

    @property
    def _size(self) -> int:
        return sum(answer.size for answer in self._workers.values())

    def _look(self) -> None:
        """See which workers came and went."""
        present = self._present()
        for address in self._workers.keys() - present:
            self._gone(address)
        new = sorted(present - self._workers.keys())
        if new:
            answers = self._client.run(invite, self._told, workers=new, on_error="return")
            for address in new:
                self._met(address, answers.get(address))
        self._require_somebody()

    def _present(self) -> set[str]:
        """The workers' addresses, asked of the scheduler itself: the client's own list of them is at times empty."""
        return set(self._client.nthreads())

    def _met(self, address: str, answer: object) -> None:
        if not isinstance(answer, Answer):  # what the worker raised: it is no worker of ours, or it is gone
            answer = Answer(address, refusal=f"it cannot take part: {type(answer).__name__}: {answer}")
        self._workers[address] = answer
        if answer.refusal is None:
            self._listener(Notice(text=f"worker {address} on {answer.machine}: {answer.size} at a time"))
        else:
            self._listener(Notice(text=f"worker {address} on {answer.machine} is refused: {answer.refusal}"))

    def _gone(self, address: str) -> None:
        """A worker is lost: what it had is handed out again."""
        del self._workers[address]
        lost = [future for future, out in self._out.items() if out.worker == address]
        self._listener(Notice(text=f"worker {address} is gone, with {len(lost)} block(s) under way"))
        for future in lost:
            out = self._out.pop(future)
            future.cancel()
            out.claim.close()
            self._lost[out.block.id] = self._lost.get(out.block.id, 0) + 1
            if self._lost[out.block.id] < MOST_LOST:
                self._waiting.appendleft(out.block)
            else:
                self._left(out.block, f"{MOST_LOST} workers were lost over it")

    def _require_somebody(self) -> None:
        """Wait for workers as long as there is none, but not for those who refuse."""
        if self._size or not self._waiting:
            return
        if self._workers:
            reasons = "\n".join(f"{address}: {answer.refusal}" for address, answer in self._workers.items())
            raise CampaignError(f"every worker is refused:\n{reasons}", where=self._folder.name)
        if not self._asked_for_workers:
            self._asked_for_workers = True
            self._listener(Notice(text="waiting for a worker: m4review campaign worker ADDRESS, in its workspace"))

    def _hand_out(self) -> None:
        """Give every worker as many blocks as it makes at once."""
        for address, answer in self._workers.items():
            free = answer.size - sum(1 for out in self._out.values() if out.worker == address)
            while free > 0 and self._waiting:
                block = self._waiting.popleft()
                claim = ExitStack()
                mine = claim.enter_context(self._folder.claimed(block, self._owner))
                if not mine or self._folder.is_done(block):
                    claim.close()
                    continue
                future = self._client.submit(
                    make_block, self._told.digest, block.id, workers=[address], pure=False, retries=0
                )
                self._out[future] = _Out(block, address, claim)
                future.add_done_callback(self._news.put)
                free -= 1

    def _next(self) -> Future[Delivery] | None:
        """The next block that came back, ``None`` when none does for a while."""
        try:
            return self._news.get(timeout=LOOK_SECONDS)
        except queue.Empty:
            return None

    def _delivered(self, future: Future[Delivery]) -> None:
        out = self._out.get(future)
        if out is None:
            return  # of a worker that was given up: the block is out again or done
        if future.status != "finished":
            self._failed(future, out)
            return
        try:
            delivery = future.result()
        except Exception as error:  # noqa: BLE001 - whatever kept the result from arriving, the block is made again
            self._listener(Notice(text=f"{out.block.label}: the result did not arrive ({type(error).__name__})"))
            self._failed(future, out)
            return
        del self._out[future]
        with out.claim:
            self._take(out, delivery)

    def _failed(self, future: Future[Delivery], out: _Out) -> None:
        """A lost worker is dealt with when it is seen to be gone; an error of the worker's program leaves the block."""
        if out.worker not in self._present():
            return
        del self._out[future]
        out.claim.close()
        if future.status == "error":
            self._left(out.block, f"the worker failed: {type(future.exception()).__name__}")
        else:
            self._waiting.appendleft(out.block)

    def _take(self, out: _Out, delivery: Delivery) -> None:
        """Keep what was delivered, and enter the block while it is still claimed."""
        record = unpack(self._folder, delivery)
        if delivery.uninvited:
            del self._workers[out.worker]
            self._waiting.appendleft(out.block)
        elif delivery.refusal is not None:
            answer = self._workers[out.worker]
            self._workers[out.worker] = Answer(answer.machine, refusal=delivery.refusal)
            self._listener(Notice(text=f"worker {out.worker} on {answer.machine} is refused: {delivery.refusal}"))
            self._waiting.appendleft(out.block)
        elif record is None or not self._folder.enter(record):
            self._left(out.block, delivery.trouble or "another program entered it meanwhile")
            if delivery.hopeless:
                self._left_in_a_row = MOST_LEFT
                self._listener(Notice(text=f"no further block is handed out: {delivery.trouble}"))
        else:
            self._left_in_a_row = 0
            self._pace = self._pace or Pace(max(1, self._size))
            self._pace.measured(delivery.seconds)
            left = len(self._folder.missing())
            self._listener(
                BlockEntered(
                    record=record,
                    rewards=dict(delivery.rewards),
                    done=len(self._folder.manifest.blocks) - left,
                    blocks=len(self._folder.manifest.blocks),
                    seconds_left=self._pace.seconds_left(left),
                )
            )

    def _left(self, block: Block, reason: str) -> None:
        self._left_in_a_row += 1
        self._listener(BlockLeft(block=block, reason=reason))


def _connected(scheduler: str) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise CampaignError(
            "sharing a campaign needs dask.distributed, which is not installed",
            fix="pip install 'm4review[distributed]'",
        ) from None
    try:
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise CampaignError(
            f"no scheduler answers ({type(error).__name__})",
            where=scheduler,
            expected="the address that 'dask scheduler' prints, like tcp://host:8786",
        ) from None

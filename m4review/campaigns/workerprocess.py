"""The process of a worker: it stays with its scheduler until that ends or the process is asked to stop."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Callable

from m4review.campaigns.workstation import STATIONS, dismiss
from m4review.errors import CampaignError

CONNECT_SECONDS = 30


def serve(address: str, threads: int, *, told: Callable[[str], None]) -> None:
    """Work for the scheduler at ``address``, ``threads`` blocks at once at most; blocks.

    Raises:
        CampaignError: dask.distributed is not installed, or no scheduler answers.
    """
    try:
        import distributed  # noqa: F401 - only whether it is there
    except ImportError:
        raise CampaignError(
            "a worker needs dask.distributed, which is not installed", fix="pip install 'm4review[distributed]'"
        ) from None
    with tempfile.TemporaryDirectory(prefix="m4review-worker-") as scratch:
        try:
            asyncio.run(_work(address, threads, scratch, told))
        except (OSError, TimeoutError, ValueError) as error:
            raise CampaignError(
                f"no scheduler answers ({type(error).__name__})",
                where=address,
                expected="the address that 'dask scheduler' prints, like tcp://host:8786",
            ) from None


async def _work(address: str, threads: int, scratch: str, told: Callable[[str], None]) -> None:
    """Memory is the engine's to limit, so dask is told to watch none."""
    from distributed import Worker

    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked.set)
    async with Worker(
        address, nthreads=threads, local_directory=scratch, memory_limit=0, death_timeout=CONNECT_SECONDS
    ) as worker:
        told(f"{worker.address}: works for {address}, at most {threads} at a time")
        ends = [asyncio.ensure_future(worker.finished()), asyncio.ensure_future(asked.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for digest in list(vars(worker).get(STATIONS, {})):
            await dismiss(digest, worker)
        for end in ends:
            end.cancel()

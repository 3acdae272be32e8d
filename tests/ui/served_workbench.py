"""The installed `m4review serve` in a process of its own, and what it leaves behind."""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

PATIENCE = 120.0
"""Seconds after which a wait gives up: far more than anything takes, even on a loaded machine."""


class Served:
    """One running server. ``link`` is what it printed; ``group`` are the workbench processes it has started."""

    def __init__(self, workspace: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "m4review", "serve", *options],
            cwd=workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        if not self.link:
            raise AssertionError(f"it printed no link: {self.process.communicate()[1]}")
        self.base = "http://" + urlsplit(self.link).netloc

    def workbenches(self) -> list[int]:
        """The processes that show the workbench for this server, running or not yet collected."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(child) for child in children]

    def ends(self, number: int = signal.SIGTERM) -> str:
        """Stop it; what it said on standard error."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=PATIENCE)[1]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def is_running(process: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_gone(*processes: int) -> None:
    """Until each of the processes has ended: the kernel tells it, whoever their parent is."""
    deadline = time.monotonic() + PATIENCE
    for process in processes:
        try:
            end = os.pidfd_open(process)
        except ProcessLookupError:
            continue
        try:
            told, _, _ = select.select([end], [], [], max(deadline - time.monotonic(), 0))
        finally:
            os.close(end)
        assert told, f"still running: {process}"


class Visitor:
    """A browser without a screen: it keeps cookies, sends the headers a browser sends, and reads what is drawn."""

    def __init__(self, client: aiohttp.ClientSession, served: Served) -> None:
        self.client = client
        self.served = served
        self.room = ""
        self.drawn = ""

    async def opens_link(self) -> aiohttp.ClientResponse:
        """Follow the printed link to the workbench's page."""
        answer = await self.client.get(self.served.link)
        self.room = str(answer.url).rstrip("/")
        return answer

    @asynccontextmanager
    async def window(self, **headers: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """The socket that the page opens; ``headers`` replace those of the page."""
        sent = {"Origin": self.served.base, **headers}
        async with self.client.ws_connect(f"{self.room}/ws?width=120&height=40", headers=sent) as socket:
            yield socket

    async def sees(self, socket: aiohttp.ClientWebSocketResponse, words: str) -> None:
        """Read what is drawn until the words are there, wherever their lines are broken."""
        try:
            async with asyncio.timeout(PATIENCE):
                while words not in self.drawn:
                    message = await socket.receive()
                    assert message.type is not aiohttp.WSMsgType.CLOSED, "the window was closed"
                    if message.type is aiohttp.WSMsgType.BINARY:
                        self.drawn = " ".join((self.drawn + as_text(message.data)).split())
        except (TimeoutError, AssertionError) as error:
            raise AssertionError(f"waited for {words!r}; drawn was {self.drawn[-1500:]!r}") from error

    async def types(self, socket: aiohttp.ClientWebSocketResponse, keys: str) -> None:
        self.drawn = ""
        await socket.send_json(["stdin", keys])


def as_text(data: bytes) -> str:
    """What a terminal is sent, without colours and movements."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode("utf-8", "replace"))

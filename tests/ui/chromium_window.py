"""A real browser without a screen: Debian's Chromium, driven over its own debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from served_workbench import PATIENCE, as_text

KEYS = {
    "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "F4": ("F4", 115, ""), "F12": ("F12", 123, ""),
    "End": ("End", 35, ""),
}  # fmt: skip


def chromium() -> str | None:
    """The browser's program, or ``None`` where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Page:
    """One page of the browser: what it loads, what is drawn in its terminal, and keys pressed in it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Event()
        """Set whenever the browser has told something."""
        self._reading = asyncio.create_task(self._read())
        self.requested: list[str] = []
        self.complaints: list[str] = []
        self.drawn = ""

    async def _read(self) -> None:
        async for message in self._socket:
            said = message.json()
            if "id" in said:
                self._answers.pop(said["id"]).set_result(said)
                continue
            method, params = said["method"], said["params"]
            if method == "Network.requestWillBeSent":
                self.requested.append(params["request"]["url"])
            elif method == "Network.webSocketCreated":
                self.requested.append(params["url"])
            elif method == "Network.webSocketFrameReceived" and params["response"]["opcode"] == 2:
                data = base64.b64decode(params["response"]["payloadData"])
                self.drawn = " ".join((self.drawn + as_text(data)).split())
            elif method == "Runtime.exceptionThrown" or params.get("entry", {}).get("level") == "error":
                self.complaints.append(str(params))
            self._news.set()

    async def asks(self, method: str, **params: object) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        said = await asyncio.wait_for(answer, PATIENCE)
        assert "error" not in said, said
        return dict(said["result"])

    async def opens(self, address: str) -> None:
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.asks(f"{domain}.enable")
        await self.asks("Page.navigate", url=address)

    async def runs(self, script: str) -> Any:
        """The value of a script of the page, awaited if it is a promise."""
        said = await self.asks("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    async def sees(self, words: str) -> None:
        await self.until(lambda: words in self.drawn, f"{words!r} in {{drawn}}")

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        """Until something holds of what the browser tells: asked again whenever it has told more."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not condition():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as error:
            raise AssertionError(f"waited for {what.format(drawn=repr(self.drawn[-1500:]))}") from error

    async def presses(self, key: str) -> None:
        code, number, text = KEYS[key]
        self.drawn = ""
        for kind in ("keyDown", "keyUp"):
            said = {"text": text} if text and kind == "keyDown" else {}
            await self.asks(
                "Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number, **said
            )

    async def types(self, text: str) -> None:
        self.drawn = ""
        for letter in text:
            await self.asks("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
            await self.asks("Input.dispatchKeyEvent", type="keyUp", key=letter)

    async def picture(self) -> bytes:
        """What the page looks like, as PNG."""
        return base64.b64decode((await self.asks("Page.captureScreenshot", format="png"))["data"])


class Chromium:
    """A running browser with a profile of its own."""

    def __init__(self, client: aiohttp.ClientSession, port: int) -> None:
        self._client = client
        self._port = port

    async def page(self) -> Page:
        """A new empty page."""
        address = f"http://127.0.0.1:{self._port}/json/new?about:blank"
        async with self._client.put(address) as answer:
            target = await answer.json()
        return Page(await self._client.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0))


@asynccontextmanager
async def browser(program: str, profile: Path) -> AsyncIterator[Chromium]:
    """Chromium until the block ends; nothing of it stays."""
    command = [program, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", "--no-first-run",
               "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
               "--disable-component-update", "--window-size=1200,800"]  # fmt: skip
    if os.geteuid() == 0:
        command.append("--no-sandbox")
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, "about:blank", stdout=nothing, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        port = await _listens_on(process.stderr)
        async with asyncio.TaskGroup() as beside, aiohttp.ClientSession() as client:
            reading = beside.create_task(process.stderr.read())  # nobody else empties the pipe
            yield Chromium(client, port)
            reading.cancel()
    finally:
        if process.returncode is None:
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()


async def _listens_on(errors: asyncio.StreamReader) -> int:
    """The port that Chromium names on standard error as soon as it can be driven there."""
    said = []
    async with asyncio.timeout(PATIENCE):
        while line := (await errors.readline()).decode("utf-8", "replace"):
            said.append(line)
            if found := re.search(r"listening on ws://127\.0\.0\.1:(\d+)/", line):
                return int(found[1])
    raise AssertionError(f"Chromium ended at once: {''.join(said)}")

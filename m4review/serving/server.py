"""The server: pages and one socket, every request checked, one window at a time, an end when nobody is there."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable
from html import escape
from pathlib import Path
from string import Template
from typing import TypeVar

import textual_serve
from aiohttp import WSMsgType, web
from textual_serve.download_manager import DownloadManager

from m4review.errors import M4ReviewError
from m4review.serving.access import COOKIE, Access, RequestRefusedError
from m4review.serving.session import Bound, BrowserSession, within_reason

PAGE = Path(__file__).parent / "page"
STATIC = Path(str(textual_serve.__file__)).parent / "static"
LEAVING = 3.0
"""Seconds that a new window waits for the one before to go: a page that is loaded again closes its socket first."""
HEARTBEAT = 15.0
"""Seconds after which a window that went away without a word is noticed."""
FONT_SIZE = 16
LOOKED_AHEAD = ("prefetch", "prerender", "preview")
Sent = TypeVar("Sent", bytes, str)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class WorkbenchServer:
    """One workspace for one reviewer in one window of this machine's browser.

    Attributes:
        over: set when the server should end: a signal came, or nobody typed for ``idle`` seconds.
    """

    def __init__(self, bound: Bound, access: Access, idle: float) -> None:
        self.bound = bound
        self.access = access
        self.idle = idle
        self.over = asyncio.Event()
        self._clock = asyncio.get_running_loop().time
        self._last_key = self._clock()
        self._window = asyncio.Lock()
        self._socket: web.WebSocketResponse | None = None

    def application(self) -> web.Application:
        """The pages below the secret path, and the door at the root that takes the token."""
        app = web.Application(middlewares=[self._guard])
        path = self.access.path
        app.add_routes(
            [
                web.get("/", self._door, allow_head=False),
                web.get(f"{path}/", self._index, allow_head=False),
                web.get(f"{path}/ws", self._run_window, allow_head=False),
                web.get(f"{path}/page.css", self._own_file, allow_head=False),
                web.get(f"{path}/page.js", self._own_file, allow_head=False),
                web.static(f"{path}/static", STATIC),
            ]
        )
        app.on_shutdown.append(self._close_window)
        return app

    async def until_over(self) -> str:
        """Wait for the end and say why it came."""
        while not self.over.is_set():
            left = self._last_key + self.idle - self._clock()
            if left <= 0:
                return f"nobody typed for {self.idle / 60:g} minutes"
            try:
                await asyncio.wait_for(self.over.wait(), left)
            except TimeoutError:
                continue
        return "stopped"

    # -- every request --------------------------------------------------------------------------------------------

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check where a request comes from and, past the door, who sends it; forbid the page the rest."""
        try:
            self.access.check_origin(request.headers, required=request.path == f"{self.access.path}/ws")
            if request.path != "/":
                self.access.check_cookie(request.cookies)
            response = await handler(request)
        except RequestRefusedError as refusal:
            response = _refusal(refusal)
        except web.HTTPException as answer:
            response = web.Response(status=answer.status, text=f"{answer.status}: {answer.reason}\n")
        if not response.prepared:
            response.headers.update(self._policies())
        return response

    def _policies(self) -> dict[str, str]:
        sockets = " ".join(f"ws://{host}" for host in self.access.hosts)
        sources = (
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
            f"img-src 'self' data:; connect-src {sockets}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )
        return {
            "Content-Security-Policy": sources,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    # -- pages ----------------------------------------------------------------------------------------------------

    async def _door(self, request: web.Request) -> web.StreamResponse:
        """Exchange the one-time token for the cookie and go to the workbench."""
        purpose = request.headers.get("Sec-Purpose", request.headers.get("Purpose", ""))
        if any(word in purpose for word in LOOKED_AHEAD):
            raise RequestRefusedError(503, "the link is not opened ahead of time", "open it")
        self.access.redeem(request.query.get("token", ""))
        response = web.Response(status=303, headers={"Location": f"{self.access.path}/"})
        response.set_cookie(COOKIE, self.access.cookie, path=self.access.path, httponly=True, samesite="Strict")
        return response

    async def _index(self, request: web.Request) -> web.StreamResponse:
        await self._wait_for_window()
        page = Template((PAGE / "index.html").read_text(encoding="utf-8")).substitute(
            path=self.access.path,
            socket=f"ws://{escape(request.host)}{self.access.path}/ws",
            who=escape(self.bound.reviewer or "just looking"),
            size=FONT_SIZE,
        )
        return web.Response(text=page, content_type="text/html")

    async def _own_file(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(PAGE / request.path.rpartition("/")[2])

    # -- the window -----------------------------------------------------------------------------------------------

    async def _wait_for_window(self) -> None:
        """Wait a moment for the window before to go.

        Raises:
            RequestRefusedError: it stays.
        """
        try:
            async with asyncio.timeout(LEAVING), self._window:
                return
        except TimeoutError:
            raise RequestRefusedError(
                409, "this workbench is open in another window", "close that window and load this page again"
            ) from None

    async def _run_window(self, request: web.Request) -> web.StreamResponse:
        """The workbench of one window, from its start to its end."""
        await self._wait_for_window()
        async with self._window:
            self._socket = socket = web.WebSocketResponse(heartbeat=HEARTBEAT)
            await socket.prepare(request)
            self._last_key = self._clock()
            session = BrowserSession(
                "m4review",
                write_bytes=_unless_gone(socket, socket.send_bytes),
                write_str=_unless_gone(socket, socket.send_str),
                close=_closing(socket),
                download_manager=DownloadManager(),
            )
            session.bound = self.bound
            await session.start(
                within_reason(request.query.get("width"), 80), within_reason(request.query.get("height"), 24)
            )
            try:
                async for message in socket:
                    if message.type == WSMsgType.TEXT:
                        await self._obey(message.data, socket, session)
            finally:
                await session.stop()
                self._last_key = self._clock()
                self._socket = None
        return socket

    async def _obey(self, text: str, socket: web.WebSocketResponse, session: BrowserSession) -> None:
        """Pass on what the page says, in the words of textual-serve's page; what is none of them is left out."""
        try:
            said = json.loads(text)
        except ValueError:
            return
        match said:
            case ["stdin", str(keys)]:
                self._last_key = self._clock()
                if typed := keys.encode("utf-8", "ignore"):
                    await session.send_bytes(typed)
            case ["resize", {"width": width, "height": height}]:
                await session.set_terminal_size(within_reason(width, 80), within_reason(height, 24))
            case ["ping", str(mark)]:
                await socket.send_json(["pong", mark])
            case ["blur", *_]:
                await session.blur()
            case ["focus", *_]:
                await session.focus()

    async def _close_window(self, _app: web.Application) -> None:
        if self._socket is not None:
            await self._socket.close()
        async with self._window:
            return


def _refusal(refusal: RequestRefusedError) -> web.Response:
    return web.Response(status=refusal.status, text=f"m4review: {refusal.what}.\nTo fix: {refusal.fix}.\n")


def _unless_gone(
    socket: web.WebSocketResponse, send: Callable[[Sent], Awaitable[None]]
) -> Callable[[Sent], Awaitable[None]]:
    """Send while the window is there; what the workbench says afterwards is read and dropped, so that it can end."""

    async def write(data: Sent) -> None:
        if not socket.closed:
            try:
                await send(data)
            except ConnectionResetError:
                return

    return write


def _closing(socket: web.WebSocketResponse) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        await socket.close()

    return close


async def serve(bound: Bound, *, address: str, port: int, idle: float, announce: Callable[[Access], None]) -> str:
    """Serve the workbench until Ctrl-C, SIGTERM, or nobody typed for ``idle`` seconds; returns why it ended.

    Args:
        address: a loopback address; port 0 takes a free one.
        announce: is told the link once it can be opened.

    Raises:
        M4ReviewError: the port is taken or not allowed.
    """
    access = Access(address, port)
    server = WorkbenchServer(bound, access, idle)
    runner = web.AppRunner(server.application(), access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, address, port).start()
        except OSError as error:
            raise M4ReviewError(
                f"port {port} of {address} cannot be used ({os.strerror(error.errno or 0)})",
                fix="leave --port out to take a free one",
            ) from None
        access.port = runner.addresses[0][1]
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name) and os.name != "nt":
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), server.over.set)
        announce(access)
        return await server.until_over()
    finally:
        await runner.cleanup()

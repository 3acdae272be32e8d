"""The served workbench as a browser meets it, over real sockets: what is let in, what is kept, what is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket as sockets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from served_workbench import PATIENCE, Served, Visitor, is_running, wait_until_gone
from textual_serve.app_service import AppService

from m4review.workspace import Workspace

SKILL = "sirs-criteria"
ENTER, CTRL_Q, F4, F12 = "\r", "\x11", "\x1bOS", "\x1b[24~"

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through Linux's /proc")


@pytest.fixture
def served(workspace: Workspace) -> Iterator[Served]:
    running = Served(workspace.root, "--as", "C2")
    yield running
    running.close()


@pytest.fixture
async def visitor(served: Served) -> AsyncIterator[Visitor]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        yield Visitor(client, served)


def refused(workspace: Workspace, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "m4review", "serve", *options],
        cwd=workspace.root, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert not done.stdout
    return done.stderr


def test_other_machines_are_never_served(workspace: Workspace) -> None:
    assert "this machine only" in refused(workspace, "--as", "C2", "--host", "0.0.0.0")


def test_nobody_works_in_the_browser_without_a_name(workspace: Workspace) -> None:
    assert "m4review serve --as C2" in refused(workspace)
    assert "not on the roster" in refused(workspace, "--as", "C9")


def test_a_port_that_is_taken_is_said(workspace: Workspace) -> None:
    with sockets.create_server(("127.0.0.1", 0)) as taken:
        said = refused(workspace, "--as", "C2", "--port", str(taken.getsockname()[1]))
    assert "cannot be used" in said
    assert "--port" in said


async def test_the_link_gives_a_cookie_that_no_script_and_no_other_site_can_use_and_works_once(visitor) -> None:
    answer = await visitor.client.get(visitor.served.link, allow_redirects=False)
    assert answer.status == 303
    room = answer.headers["Location"].rstrip("/")
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", f"Path={room}"} <= {part.strip() for part in cookie.split(";")}
    assert visitor.served.link.partition("token=")[2] not in cookie
    again = await visitor.client.get(visitor.served.link, allow_redirects=False)
    assert again.status == 403
    assert "used already" in await again.text()
    page = await visitor.client.get(visitor.served.base + room + "/")
    assert page.status == 200
    assert "m4review · C2" in await page.text()


async def test_without_the_token_there_is_nothing_to_see(visitor) -> None:
    for path in ("/", "/?token=", "/?token=guess", "/static/js/textual.js", "/ws", "/anything"):
        answer = await visitor.client.get(visitor.served.base + path)
        assert answer.status == 403, path
        assert "terminal" not in await answer.text()
    assert not visitor.served.workbenches()


async def test_a_page_fetched_ahead_of_time_or_under_another_name_does_not_use_the_link_up(visitor) -> None:
    ahead = await visitor.client.get(visitor.served.link, headers={"Sec-Purpose": "prefetch;prerender"})
    assert ahead.status == 503
    assert (await visitor.client.head(visitor.served.link)).status == 405
    for path in (visitor.served.link, visitor.served.base + "/"):
        answer = await visitor.client.get(path, headers={"Host": "rebound.evil.test"})
        assert answer.status == 421
        assert "Set-Cookie" not in answer.headers
    assert (await visitor.opens_link()).status == 200


async def test_nothing_is_loaded_from_elsewhere_and_no_page_may_frame_it(visitor) -> None:
    page = await visitor.opens_link()
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self';" in policy
    assert page.headers["Referrer-Policy"] == "no-referrer"
    text = await page.text()
    assert "http://" not in text
    assert "https://" not in text


async def test_the_socket_needs_the_own_page_the_right_name_and_the_cookie(visitor) -> None:
    await visitor.opens_link()
    for origin in ("http://evil.test", "null", ""):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            async with visitor.window(Origin=origin):
                raise AssertionError("it was let in")
        assert refusal.value.status == 403
    with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
        async with visitor.window(Host="rebound.evil.test", Origin="http://rebound.evil.test"):
            raise AssertionError("it was let in")
    assert refusal.value.status == 421
    visitor.client.cookie_jar.clear()
    with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
        async with visitor.window():
            raise AssertionError("it was let in")
    assert refusal.value.status == 403
    assert not visitor.served.workbenches()


async def test_the_reviewer_is_settled_and_what_needs_a_terminal_says_so(visitor) -> None:
    await visitor.opens_link()
    async with visitor.window() as socket:
        await visitor.sees(socket, "C2, intensivist")
        await visitor.sees(socket, SKILL)
        await visitor.types(socket, F12)
        await visitor.sees(socket, "is settled when")
        await visitor.types(socket, ENTER)
        await visitor.sees(socket, f"{SKILL} · saved · C2")
        await visitor.types(socket, F4)
        await visitor.sees(socket, "needs a terminal")


async def test_a_second_window_is_refused_while_the_first_is_open(visitor) -> None:
    await visitor.opens_link()
    async with visitor.window() as socket:
        await visitor.sees(socket, SKILL)
        page = await visitor.client.get(visitor.room + "/")
        assert page.status == 409
        assert "another window" in await page.text()
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            async with visitor.window():
                raise AssertionError("it was let in")
        assert refusal.value.status == 409
        assert len(visitor.served.workbenches()) == 1


async def test_a_closed_window_keeps_the_text_and_the_next_one_offers_it(visitor, workspace) -> None:
    await visitor.opens_link()
    async with visitor.window() as socket:
        await visitor.sees(socket, SKILL)
        await visitor.types(socket, ENTER)
        await visitor.sees(socket, "no findings")
        [first] = visitor.served.workbenches()
        await visitor.types(socket, "\x1b[200~Typed just before. \x1b[201~")
        await visitor.sees(socket, "not saved")
    wait_until_gone(first)
    assert any("Typed just before. " in path.read_text() for path in workspace.drafts_dir.glob("*.draft.json"))
    visitor.drawn = ""
    async with visitor.window() as socket:
        await visitor.sees(socket, "Typed just before.")


async def test_what_is_no_message_of_the_page_is_left_out(visitor) -> None:
    await visitor.opens_link()
    async with visitor.window() as socket:
        await visitor.sees(socket, SKILL)
        for text in (
            "", "no JSON", "[]", "7", "null", '["stdin"]', '["stdin", 7]', '["resize"]', '["resize", {"width": 1}]',
            '["resize", {"width": "x", "height": null}]', '["stdin", "\\ud800"]', '["as", "C1"]',
        ):  # fmt: skip
            await socket.send_str(text)
        await socket.send_bytes(b"\x00\xff")
        await socket.send_json(["ping", "7"])
        async with asyncio.timeout(PATIENCE):
            while (message := await socket.receive()).type is aiohttp.WSMsgType.BINARY:
                pass
        assert message.json() == ["pong", "7"]
        await socket.send_json(["resize", {"width": 120, "height": 40}])
        await visitor.types(socket, ENTER)
        await visitor.sees(socket, f"{SKILL} · saved")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "polite kill"])
async def test_the_end_of_the_server_ends_the_workbench_and_keeps_its_text(visitor, workspace, number) -> None:
    await visitor.opens_link()
    async with visitor.window() as socket:
        await visitor.sees(socket, SKILL)
        await visitor.types(socket, ENTER)
        await visitor.sees(socket, "no findings")
        await visitor.types(socket, "\x1b[200~Typed just before. \x1b[201~")
        await visitor.sees(socket, "not saved")
        workbenches = visitor.served.workbenches()
        assert workbenches
        said = visitor.served.ends(number)
    assert visitor.served.process.returncode == 0
    assert "has ended" in said
    assert not any(is_running(process) for process in workbenches)
    assert any("Typed just before. " in path.read_text() for path in workspace.drafts_dir.glob("*.draft.json"))


async def test_a_killed_server_leaves_no_workbench_behind(visitor) -> None:
    await visitor.opens_link()
    async with visitor.window() as socket:
        await visitor.sees(socket, SKILL)
        workbenches = visitor.served.workbenches()
        assert workbenches
        os.kill(visitor.served.process.pid, signal.SIGKILL)
        wait_until_gone(*workbenches)


async def test_leaving_the_workbench_closes_the_window_and_the_server_waits_for_the_next(visitor) -> None:
    await visitor.opens_link()
    async with visitor.window() as socket:
        await visitor.sees(socket, SKILL)
        await visitor.types(socket, CTRL_Q)
        async with asyncio.timeout(PATIENCE):
            while (await socket.receive()).type is not aiohttp.WSMsgType.CLOSED:
                pass
    assert (await visitor.client.get(visitor.room + "/")).status == 200
    assert not visitor.served.workbenches()
    assert visitor.served.process.poll() is None


async def test_it_ends_by_itself_when_nobody_types(workspace) -> None:
    served = Served(workspace.root, "--as", "C2", "--idle", "0.001")
    try:
        said = served.process.communicate(timeout=PATIENCE)[1]
    finally:
        served.close()
    assert served.process.returncode == 0
    assert "nobody typed for 0.001 minutes" in said


async def test_somebody_who_is_just_looking_stays_so_in_the_browser(workspace) -> None:
    workspace.save_just_looking()
    served = Served(workspace.root)
    try:
        workspace.save_identity("C1")
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
            visitor = Visitor(client, served)
            await visitor.opens_link()
            async with visitor.window() as socket:
                await visitor.sees(socket, "just looking")
    finally:
        served.close()


def test_the_names_that_the_session_overrides_are_still_those_of_textual_serve() -> None:
    assert {"_open_app_process", "_build_environment"} <= set(vars(AppService))

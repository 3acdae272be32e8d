"""The served workbench in a real browser: it is drawn, keys arrive, and a hostile page gets nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from chromium_window import Chromium, browser, chromium
from PIL import Image
from served_workbench import Served, wait_until_gone

from m4review.workspace import Workspace

SKILL = "sirs-criteria"

pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium here (Debian: apt-get install chromium)")


@pytest.fixture
def served(workspace: Workspace) -> Iterator[Served]:
    running = Served(workspace.root, "--as", "C2")
    yield running
    running.close()


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[Chromium]:
    program = chromium()
    assert program is not None
    async with browser(program, tmp_path / "profile") as running:
        yield running


@pytest.fixture
async def hostile_port() -> AsyncIterator[int]:
    """Another server of this machine whose page belongs to somebody else: the same site for cookies, another origin."""

    async def page(_request: web.Request) -> web.Response:
        return web.Response(text="<title>free prizes</title>", content_type="text/html")

    app = web.Application()
    app.router.add_get("/", page)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


async def test_a_person_reads_edits_and_is_held_to_their_name_in_the_browser(
    served, window, workspace, tmp_path
) -> None:
    page = await window.page()
    await page.opens(served.link)
    await page.sees("C2, intensivist")
    await page.sees(SKILL)
    assert await page.runs("document.title") == "m4review · C2"
    assert await page.runs("location.search") == ""
    assert await page.runs("document.cookie") == ""

    await page.presses("F12")
    await page.sees("is settled when")
    await page.presses("Enter")
    await page.sees(f"{SKILL} · saved · C2")
    await page.presses("F4")
    await page.sees("needs a terminal")
    await page.types("Typed in a browser.")
    await page.sees("not saved")

    (tmp_path / "window.png").write_bytes(await page.picture())
    picture = Image.open(tmp_path / "window.png").convert("RGB")
    colours = picture.getcolors(picture.width * picture.height)
    assert colours is not None
    assert len(colours) > 20, "the page is as good as empty"
    here = urlsplit(served.link).netloc
    assert {urlsplit(address).netloc for address in page.requested if not address.startswith("data:")} == {here}
    assert not page.complaints

    second = await window.page()
    await second.opens(f"{served.base}{await page.runs('location.pathname')}")
    assert "another window" in await said_by(second)
    assert len(served.workbenches()) == 1

    workbenches = served.workbenches()
    served.ends()
    assert served.process.returncode == 0
    wait_until_gone(*workbenches)
    assert await page.runs("getComputedStyle(document.querySelector('.ended')).display") == "block"
    assert any("Typed in a browser." in path.read_text() for path in workspace.drafts_dir.glob("*.draft.json"))


async def test_a_hostile_page_of_the_same_machine_gets_nothing_although_the_browser_holds_the_cookie(
    served, window, hostile_port
) -> None:
    page = await window.page()
    await page.opens(served.link)
    await page.sees(SKILL)
    room = f"{served.base}{await page.runs('location.pathname')}".rstrip("/")
    await page.opens("about:blank")
    wait_until_gone(*served.workbenches())

    hostile = await window.page()
    await hostile.opens(f"http://127.0.0.1:{hostile_port}/")
    await hostile.until(lambda: bool(hostile.requested), "the hostile page")
    opened = await hostile.runs(
        f"""new Promise(tell => {{
            const socket = new WebSocket({json.dumps(room.replace("http", "ws") + "/ws")});
            socket.onopen = () => tell("opened"); socket.onerror = () => tell("refused"); }})"""
    )
    assert opened == "refused"
    for address in (served.link, f"{room}/", f"{room}/page.js"):
        read = await hostile.runs(
            f"fetch({json.dumps(address)}, {{credentials: 'include'}}).then(a => a.text(), () => 'nothing')"
        )
        assert read == "nothing"
    framed = await hostile.runs(
        f"""new Promise(tell => {{
            const frame = document.createElement("iframe"); frame.src = {json.dumps(room + "/")};
            frame.onload = () => {{ try {{ tell(String(frame.contentDocument !== null)) }} catch {{ tell("false") }} }};
            document.body.append(frame); }})"""
    )
    assert framed == "false"
    assert not served.workbenches()
    await page.opens(f"{room}/")
    await page.sees(SKILL)


async def test_a_browser_without_the_token_and_a_rebound_name_see_only_a_refusal(served, window) -> None:
    page = await window.page()
    await page.opens(f"{served.base}/")
    assert "the link of this workbench is needed" in await said_by(page)
    rebound = served.link.replace("127.0.0.1", "rebound.localhost")
    await page.opens(rebound)
    assert "does not go by the name" in await said_by(page)
    await page.opens(served.link)
    await page.sees(SKILL)


async def said_by(page) -> str:
    """The text of the page once it is loaded."""
    look = 'document.readyState === "complete" && location.href !== "about:blank"'
    return await page.runs(
        f"""new Promise(tell => {{ const look = () => {look} ? tell(document.body.innerText) : setTimeout(look, 20);
            look(); }})"""
    )

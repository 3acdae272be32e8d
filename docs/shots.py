"""Pictures of the running program for the documentation: ``make docs-shots``.

Every screen is opened in a throw-away workspace with synthetic patients and demonstration verdicts, brought to the
state that its scene describes, and drawn as PNG. Each picture says below the screen what it was made of.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import textual_serve
from PIL import Image
from textual.pilot import Pilot

from m4review.demo import make_example
from m4review.demo.example import DEMO_SKILL, DEMO_TASK
from m4review.lint import record_version
from m4review.reviews import Decision, record_verdict
from m4review.textfile import file_digest, read_text, write_text
from m4review.trials import TrialRequest, run_trial
from m4review.tui.app import WorkbenchApp
from m4review.tui.session import Journal
from m4review.workspace import SCOPES, Workspace

IMAGES = Path(__file__).parent / "images"
FONT = Path(str(textual_serve.__file__)).parent / "static" / "fonts" / "RobotoMono-VariableFont_wght.ttf"
SIZES = ((80, 24), (160, 45))
REVIEWER, COLLEAGUE = "C2", "C4"
DISPUTED = "meld-score"
STAYS = 400
GLANCE, PATIENCE = 0.05, 120.0
COLOURS = 96
CAPTION = "synthetic patients · demonstration identity · nobody gave these verdicts"
PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
@font-face {{ font-family: "Roboto Mono"; src: url("{font}"); font-weight: 100 700; }}
html, body {{ margin: 0; background: #121212; }} svg {{ display: block; }}
p {{ margin: 0; padding: 4px 10px 6px; font: 14px "Roboto Mono"; color: #a0a0a0; }}
</style>{svg}<p>{caption}</p>"""
SQL = "\nSELECT stay_id, MAX(valuenum) FROM chartevents WHERE itemid = 220045\n"


class Desk:
    """The program and the hands on its keys."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None]) -> None:
        self.app = app
        self._pilot = pilot

    async def presses(self, *keys: str) -> None:
        await self._pilot.press(*keys)
        await self._pilot.pause()

    async def sees(self, *words: str) -> None:
        waited = 0.0
        while not all(word in self._shown() for word in words):
            if waited > PATIENCE:
                raise SystemExit(f"waited for {words}; the screen shows:\n{self._shown()}")
            await self._pilot.pause(GLANCE)
            waited += GLANCE

    async def finds(self, skill: str) -> None:
        """Put the cursor of the first screen on a skill."""
        await self.sees("My queue")
        await self.presses("/", *skill.replace("-", " ").partition(" ")[0], "enter")
        await self.sees(skill)

    def _shown(self) -> str:
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture's name and how the program comes to show it."""

    name: str
    play: Callable[[Desk], Awaitable[None]]


async def home(desk: Desk) -> None:
    await desk.sees("My queue", DEMO_SKILL)


async def workbench(desk: Desk) -> None:
    await desk.finds(DEMO_SKILL)
    await desk.presses("enter")
    await desk.sees("no findings")
    await desk.presses("ctrl+g", *"31", "enter")
    desk.app.screen.query_one("SkillEditor").insert(SQL)  # type: ignore[attr-defined]
    await desk.presses("up")
    await desk.sees("Findings 1", "* not saved")


async def review(desk: Desk) -> None:
    await desk.finds(DEMO_SKILL)
    await desk.presses("f3")
    await desk.sees("not decided")


async def compare(desk: Desk) -> None:
    await desk.finds(DEMO_SKILL)
    await desk.presses("f6")
    await desk.sees("Lines:")


async def trial(desk: Desk) -> None:
    await desk.finds(DEMO_SKILL)
    await desk.presses("f5")
    await desk.sees("With version 3 the reward is", "strict checks")


async def consensus(desk: Desk) -> None:
    desk.app.open_consensus(DISPUTED)
    await desk.sees("≠")


async def recover(desk: Desk) -> None:
    await desk.sees("last typed")


SCENES = tuple(Scene(play.__name__, play) for play in (home, workbench, review, compare, trial, consensus, recover))


def prepare(root: Path) -> Workspace:
    """The demonstration's workspace, with its threshold corrected and recorded, a trial before, and a dispute."""
    workspace = make_example(root, say, stays=STAYS)
    file = workspace.skill_file(DEMO_SKILL)
    run_trial(workspace, TrialRequest(task=DEMO_TASK))
    write_text(file, read_text(file).text.replace("highest temperature > 39.0", "highest temperature > 38.0"))
    record_version(
        workspace, DEMO_SKILL, "Fever is a temperature above 38, not 39", ("Demo Author", "author@demo.invalid")
    )
    agreed: dict[str, Decision] = dict.fromkeys(SCOPES, "approve")
    say(f"a dispute about {DISPUTED}")
    for reviewer, decisions in ((REVIEWER, agreed), (COLLEAGUE, agreed | {"definition": "changes"})):
        record_verdict(
            Workspace(root), DISPUTED, reviewer, decisions, "Demonstration only. No clinician gave this verdict."
        )  # type: ignore[arg-type]
    return Workspace(root)


def leave_draft(workspace: Workspace) -> None:
    """What a session that crashed would leave."""
    file = workspace.skill_file(DEMO_SKILL)
    journal = Journal(workspace.drafts_dir, "ended")
    text = read_text(file).text.replace(
        "# SIRS criteria of the first ICU day", "# SIRS criteria of the first day in the ICU"
    )
    journal.keep(DEMO_SKILL, text, file_digest(file), 1)
    journal.close()


async def shoot(workspace: Workspace, scene: Scene, size: tuple[int, int]) -> str:
    """The scene as SVG."""
    app = WorkbenchApp(Workspace(workspace.root), REVIEWER, environment={})
    async with app.run_test(size=size, notifications=True) as pilot:
        desk = Desk(app, pilot)
        await scene.play(desk)
        app.clear_notifications()
        await pilot.pause(1.0)
        svg = app.export_screenshot(title=f"m4review · {scene.name}")
    for left in workspace.drafts_dir.glob("*"):
        left.unlink()
    return svg


def draw(svg: str, into: Path) -> None:
    """Draw an SVG with a font of our own, so that a picture looks the same wherever it is made."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL).replace("Fira Code", "Roboto Mono")
    width, height = (round(float(side)) for side in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())  # type: ignore[union-attr]
    svg = svg.replace("<svg ", f'<svg width="{width}" height="{height}" ', 1)
    with tempfile.TemporaryDirectory(prefix="m4review-shot-") as scratch:
        page, picture = Path(scratch, "page.html"), Path(scratch, "page.png")
        page.write_text(PAGE.format(font=FONT.as_uri(), svg=svg, caption=CAPTION), encoding="utf-8")
        subprocess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={scratch}/profile", f"--window-size={width},{height + 30}",
             f"--screenshot={picture}", page.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip
        image = Image.open(picture).convert("RGB")
        image.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(into, optimize=True)


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(wanted: list[str]) -> None:
    """Make the pictures of the named scenes, or of all."""
    with tempfile.TemporaryDirectory(prefix="m4review-shots-") as folder:
        workspace = prepare(Path(folder, "demo"))
        for scene in SCENES:
            if wanted and scene.name not in wanted:
                continue
            for width, height in SIZES:
                if scene.play is recover:
                    leave_draft(workspace)
                into = IMAGES / f"{scene.name}-{width}x{height}.png"
                draw(asyncio.run(shoot(workspace, scene, (width, height))), into)
                print(f"{into.name}  {into.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main(sys.argv[1:])

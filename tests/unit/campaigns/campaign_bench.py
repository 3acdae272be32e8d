"""What the tests of campaigns share: plans on the SIRS task with a shell script as the agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from trials_bench import DATASET, TASK, make_workspace, write_agent

from m4review.campaigns.execution import run_campaign
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.freezing import freeze
from m4review.campaigns.plan import find_plan
from m4review.workspace import Workspace

ONE_GROUP = f"""
[[groups]]
name = "pair"
tasks = ["{TASK}"]
conditions = ["no-skill", "with-skill"]
repeats = 3
"""


def plan_text(groups: str = ONE_GROUP, *, agent: str = "stand-in.toml", seed: int = 1) -> str:
    """A plan for the local sandbox with one agent."""
    return (
        f'title = "Test"\nseed = {seed}\nsandbox = "local"\n\n[datasets]\nmimic-iv = "{DATASET}"\n\n'
        f"[agents.script]\nagent = {json.dumps(agent)}\n{groups}"
    )


@dataclass(frozen=True)
class Bench:
    """A workspace with the SIRS task, a data home, and files through which a script agent is led."""

    workspace: Workspace
    data_home: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the program finds in its environment."""
        return {**os.environ, "M4REVIEW_DATA": str(self.data_home)}

    @property
    def log(self) -> Path:
        """Where every start of the script agent leaves a line."""
        return self.workspace.root / "started.log"

    @property
    def gate(self) -> Path:
        """A pipe at which a run waits until somebody opens it to write."""
        return self.workspace.root / "gate"

    @property
    def news(self) -> Path:
        """A pipe into which a run of an agent that announces itself writes a line, and waits until it is read."""
        return self.workspace.root / "news"

    @property
    def opened(self) -> Path:
        """While this file is there, no run waits at the gate."""
        return self.workspace.root / "gate-is-open"

    def starts(self) -> int:
        """How many runs have begun."""
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def hear(self, runs: int) -> None:
        """Wait until so many runs have announced themselves."""
        heard = 0
        while heard < runs:
            with self.news.open() as stream:
                heard += len(stream.readlines())

    def write_agent(
        self, script: str = "", *, waits_from: int = 10_000, announces: bool = False, failures: str = ""
    ) -> None:
        """The script agent. From its run number ``waits_from`` on it waits at the gate."""
        for pipe in (self.gate, self.news):
            if not pipe.exists():
                os.mkfifo(pipe)
        lead = f"echo run >> {self.log}; n=$(wc -l < {self.log}); "
        told = f"echo run > {self.news}; " if announces else ""
        wait = f"[ $n -lt {waits_from} ] || [ -e {self.opened} ] || {{ {told}read word < {self.gate}; }}; "
        path = Path(write_agent(self.workspace.root, lead + wait + script))
        path.write_text(path.read_text() + failures)

    def freeze(self, name: str = "trial", text: str | None = None) -> CampaignFolder:
        """A campaign of the plan, frozen."""
        path = self.workspace.root / f"{name}.toml"
        path.write_text(plan_text() if text is None else text)
        folder, _ = freeze(self.workspace, find_plan(str(path)), name, environment=self.environment)
        return folder

    def run(self, folder: CampaignFolder, **wishes: object) -> None:
        """Make what is missing, in this process."""
        run_campaign(self.workspace, folder, environment=self.environment, **wishes)

    def start(self, *words: str, workspace: Path | None = None) -> subprocess.Popen[str]:
        """``m4review WORDS`` as a program of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "m4review", *words],
            cwd=workspace or self.workspace.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def opened_campaign(self, name: str = "trial") -> CampaignFolder:
        """The campaign as it lies on disk now."""
        return CampaignFolder.open(Workspace(self.workspace.root), name)


def make_bench(folder: Path, data_home: Path) -> Bench:
    """A workspace of its own on a shared data home."""
    return Bench(make_workspace(folder), data_home)

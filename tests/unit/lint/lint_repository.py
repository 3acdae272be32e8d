"""Real git repositories with a workspace, and the command line: in this process, or as one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from m4review.cli.main import main

CLEAN = "---\nname: liver-score\ndescription: How to score the liver.\n---\n# Liver\n\nTake the highest bilirubin.\n"
QUERY = "\nSELECT stay_id, MAX(valuenum) FROM mimiciv_hosp.labevents WHERE itemid = 50885 GROUP BY stay_id;\n"
TASK = """
title = "Liver"
mode = "standard"
reference = "liver-24h"
skills = ["liver-score"]
removed = ["mimiciv_derived.liver_score"]
[output]
required_columns = ["stay_id", "liver"]
"""


@dataclass(frozen=True)
class Repo:
    """A workspace that is a git repository (or lies inside one)."""

    root: Path
    top: Path

    def git(self, *arguments: str, check: bool = True, **extra: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            **extra,
        }
        return subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, check=check, capture_output=True, text=True
        )

    def run(self, *arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> Result:
        """The command, called in this process: what it prints and its exit code are what a shell would see."""
        out, err = io.BytesIO(), io.BytesIO()
        streams = [io.TextIOWrapper(stream, "utf-8", errors="replace", write_through=True) for stream in (out, err)]
        with (
            contextlib.chdir(cwd or self.root),
            contextlib.redirect_stdout(streams[0]),
            contextlib.redirect_stderr(streams[1]),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")),
        ):
            try:
                main(list(arguments))
            except SystemExit as stop:
                code = int(stop.code or 0)
        return Result(code, out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8"))

    def spawn(self, *arguments: str, **extra: str) -> Result:
        """The command as a process of its own, with ``extra`` in its environment."""
        done = subprocess.run(
            [sys.executable, "-m", "m4review", *arguments],
            cwd=self.root,
            input=b"",
            env={**os.environ, **extra},
            check=False,
            capture_output=True,
        )
        return Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def write(self, path: str, text: str | bytes) -> Path:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return full

    def commits(self) -> int:
        done = self.git("rev-list", "--count", "HEAD", check=False)
        return int(done.stdout) if done.returncode == 0 else 0


@dataclass(frozen=True)
class Result:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        loaded = json.loads(self.out)
        assert isinstance(loaded, dict)
        return loaded

    def rules(self) -> set[tuple[str, str, int]]:
        """(rule, path, line) of every finding of a JSON report."""
        findings = self.json["findings"]
        assert isinstance(findings, list)
        return {(item["rule"], item["path"], item["line"]) for item in findings}


def make(root: Path, top: Path) -> Repo:
    repo = Repo(root, top)
    repo.write("skills/liver-score/SKILL.md", CLEAN)
    repo.write("tasks/liver/liver-24h/task.toml", TASK)
    repo.write("tasks/liver/liver-24h/instruction.md", "Score the liver of each stay.\n")
    return repo

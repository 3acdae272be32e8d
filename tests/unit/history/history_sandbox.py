"""A workspace in a real git repository, with the commands a user would type."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from m4review.history import Repository

SKILL = "skills/sofa-score"
FILE = f"{SKILL}/SKILL.md"
C1 = ("C1", "c1@reviewers.invalid")
C2 = ("C2", "c2@reviewers.invalid")


class Sandbox:
    """A workspace in a git repository, with the commands a user would type."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str, cwd: Path | None = None, check: bool = True, **variables: str) -> str:
        process = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.root,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        if check and process.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {process.stderr}")
        return process.stdout.rstrip("\n")

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    def commit_all(self, message: str, name: str = "Ann", email: str = "ann@example.org") -> str:
        self.git("add", "-A")
        self.git("-c", f"user.name={name}", "-c", f"user.email={email}", "commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def hook(self, name: str, body: str) -> Path:
        folder = Path(self.git("rev-parse", "--git-path", "hooks"))
        path = (folder if folder.is_absolute() else self.root / folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + body + "\n")
        path.chmod(0o755)
        return path

    def open(self, **options: object) -> Repository:
        return Repository.open(self.root, **options)  # type: ignore[arg-type]

    @property
    def status(self) -> str:
        return self.git("status", "--porcelain")

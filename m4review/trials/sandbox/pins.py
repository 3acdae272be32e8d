"""Recording the exact packages of a recipe again: ``python -m m4review.trials.sandbox.pins RECIPE``.

``requirements.in`` (Python) and ``package.json`` (npm) say what is wanted; ``requirements.txt`` and
``package-lock.json`` are what this program writes: every package with the digests of the files for both architectures.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from m4review.errors import M4ReviewError, TrialError
from m4review.trials.sandbox.packages import FETCH_SECONDS, MACHINES, last_error, npm_command, platform_words
from m4review.trials.sandbox.recipe import NODE_LOCK, PYTHON_LOCK, dockerfile

WANTED, NODE_WANTED = "requirements.in", "package.json"


def pin(recipe: str) -> list[Path]:
    """Write the locks of a recipe; returns their paths.

    Raises:
        TrialError: no such recipe, or a package cannot be found.
    """
    folder = dockerfile(recipe).parent
    written = []
    if (folder / WANTED).is_file():
        found: dict[str, set[str]] = {}
        for machine in sorted(set(MACHINES.values())):
            for package, digest in _resolved(folder / WANTED, machine):
                found.setdefault(package, set()).add(digest)
        lines = [
            f"{package}" + "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(digests))
            for package, digests in sorted(found.items())
        ]
        (folder / PYTHON_LOCK).write_text("\n".join(lines) + "\n", encoding="utf-8")
        written.append(folder / PYTHON_LOCK)
    if (folder / NODE_WANTED).is_file():
        with tempfile.TemporaryDirectory(prefix="m4review-npm-") as tools:
            words = [*npm_command(Path(tools), _say), "install", "--package-lock-only", "--ignore-scripts"]
            _run([*words, "--omit-lockfile-registry-resolved"], folder)
        written.append(folder / NODE_LOCK)
    return written


def _resolved(wanted: Path, machine: str) -> list[tuple[str, str]]:
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    report = json.loads(
        _run([*words, *platform_words(machine), "--target", "nowhere", "-r", str(wanted)], wanted.parent)
    )
    return [
        (
            f"{item['metadata']['name'].lower()}=={item['metadata']['version']}",
            str(item["download_info"]["archive_info"]["hashes"]["sha256"]),
        )
        for item in report["install"]
    ]


def _run(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=FETCH_SECONDS)
    if done.returncode != 0:
        raise TrialError(f"{Path(words[0]).name} failed: {last_error(done.stderr)}", where=folder)
    return done.stdout


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(words: list[str]) -> int:
    """Write the locks of the recipes named on the command line; returns the exit code."""
    try:
        for recipe in words:
            for path in pin(recipe):
                _say(f"{path}: written")
    except M4ReviewError as error:
        _say(f"m4review: {error}")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

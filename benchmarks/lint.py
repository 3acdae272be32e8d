"""How fast the lint is: as a hook (whole process) and as somebody types, against what the machine costs anyway."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from m4review.lint import lint_all, lint_text
from m4review.lint.inputs import lint_bytes

ROOT = Path(__file__).parents[1]
REPEATS = 9


def median_ms(call: Callable[[], object]) -> float:
    """Median wall time of one call in milliseconds."""
    call()
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def process_ms(*arguments: str, folder: Path = ROOT) -> float:
    """Median wall time of a whole Python process in milliseconds."""
    return median_ms(lambda: subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, check=False))


def skill_of(lines: int) -> str:
    """A clean skill of that many lines, made from the shipped ones."""
    body = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "skills").glob("*/SKILL.md")))
    source = [line for line in body.split("\n") if line != "---"]
    return "\n".join((source * (lines // len(source) + 1))[:lines])


def staged_repository(folder: Path) -> None:
    """A repository with one skill of 200 lines staged."""
    skill = folder / "skills" / "example" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    (folder / "tasks").mkdir()
    skill.write_text("---\nname: example\ndescription: d\n---\n" + skill_of(200), encoding="utf-8")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def main() -> None:
    """Print one line per measurement."""
    bare = process_ms("-c", "pass")
    with tempfile.TemporaryDirectory() as name:
        staged_repository(Path(name))
        staged = process_ms("-m", "m4review", "lint", "--staged", folder=Path(name))
    print(f"python -c pass                       {bare:8.1f} ms")
    print(f"m4review lint --staged, one skill    {staged:8.1f} ms  ({staged / bare:.1f} times)")
    print(f"m4review lint --all, this workspace  {process_ms('-m', 'm4review', 'lint', '--all'):8.1f} ms")
    print(f"  of which the lint itself           {median_ms(lambda: lint_all(ROOT)):8.1f} ms")
    typed = skill_of(500)
    print(f"500 lines while typing ({len(typed):,} chars) {median_ms(lambda: lint_text(typed)):8.1f} ms")
    large = (typed * (2_000_000 // len(typed) + 1)).encode("utf-8")[:2_000_000]
    print(f"2 MB file                            {median_ms(lambda: lint_bytes(large)):8.1f} ms")
    print(f"20,000 brackets                      {median_ms(lambda: lint_text('(' * 20_000)):8.1f} ms")


if __name__ == "__main__":
    main()

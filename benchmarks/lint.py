"""How fast the lint is: as a hook (whole process) and as somebody types, against what the machine costs anyway.

Whole processes are measured by the clock, against a Python that does nothing; calls within this process by their
processor time, which other work on the machine does not lengthen much, against the time of clean prose.
"""

from __future__ import annotations

import base64
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from m4review.lint import lint_all, lint_text
from m4review.lint.ondisk import lint_bytes

ROOT = Path(__file__).parents[1]
REPEATS = 9


NESTING = 40_000
"""Characters of each nested text."""


def median_ms(call: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Median time of one call in milliseconds, by processor time unless another clock is given."""
    call()
    times = []
    for _ in range(REPEATS):
        started = clock()
        call()
        times.append((clock() - started) * 1000)
    return statistics.median(times)


def process_ms(*arguments: str, bytecode: Path, folder: Path = ROOT) -> float:
    """Median wall time of a whole Python process in milliseconds; its modules are compiled, as after installing."""
    command = [sys.executable, "-P", *arguments]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run() -> None:
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)

    return median_ms(run, time.perf_counter)


class Unseen:
    """The same text each time, with other blanks at the ends of its lines, so that no line was looked at before."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.times = 0

    def __call__(self) -> str:
        self.times += 1
        return (" " * self.times + "\n").join(self.lines)


def median_of_unseen(text: str) -> float:
    """Median processor time in milliseconds of a first look at the text."""
    unseen = Unseen(text)
    return median_ms(lambda: lint_text(unseen()))


def skill_of(lines: int) -> str:
    """A clean skill of that many lines, made from the shipped ones."""
    body = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "skills").glob("*/SKILL.md")))
    source = [line for line in body.split("\n") if line != "---"]
    return "\n".join((source * (lines // len(source) + 1))[:lines])


def staged_repository(folder: Path, *, cards: bool = False) -> None:
    """A repository with a commit, and a change to one skill of 200 lines staged; ``cards``: beside this one's tasks."""
    skill = folder / "skills" / "example" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    if cards:
        shutil.copytree(ROOT / "tasks", folder / "tasks")
    else:
        (folder / "tasks").mkdir()
    text = "---\nname: example\ndescription: d\n---\n" + skill_of(200)
    person = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
    for words, content in (
        (("init", "-q"), text),
        (("add", "."), text),
        ((*person, "commit", "-q", "--no-verify", "-m", "Add the skill"), text),
        (("add", "."), text + "\nUnits: mg/dL.\n"),
    ):
        skill.write_text(content, encoding="utf-8")
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def nested() -> dict[str, str]:
    """Texts that nest as deep as their length allows."""
    encoded = skill_of(100)[: NESTING // 4].encode()
    for _ in range(3):
        encoded = base64.b64encode(encoded)
    units = {
        "open brackets": "(",
        "lists in lists": "[a, ",
        "calls in calls": "max(",
        "queries in queries": "select a from (",
        "conditions in conditions": "case when a > 1 then ",
        "quotations": "> ",
        "tags": "<div><span>",
        "comments": "<!-- ",
        "backticks": "`",
        "stars": "*",
    }
    shapes = {name: (unit * (NESTING // len(unit) + 1))[:NESTING] for name, unit in units.items()}
    shapes["closed brackets"] = "(" * (NESTING // 2) + ")" * (NESTING // 2)
    shapes["ever deeper lists"] = "".join(f"{'  ' * depth}- x\n" for depth in range(int(NESTING**0.5)))[:NESTING]
    shapes["base64 in base64 in base64"] = encoded.decode()[:NESTING]
    return shapes


def main() -> None:
    """Print one line per measurement."""
    report = lint_all(ROOT)
    with tempfile.TemporaryDirectory() as name:
        alone, among, bytecode = Path(name, "alone"), Path(name, "among"), Path(name, "bytecode")
        staged_repository(alone)
        staged_repository(among, cards=True)
        bare = process_ms("-c", "pass", bytecode=bytecode)
        staged = process_ms("-m", "m4review", "lint", "--staged", bytecode=bytecode, folder=alone)
        carded = process_ms("-m", "m4review", "lint", "--staged", bytecode=bytecode, folder=among)
        whole = process_ms("-m", "m4review", "lint", "--all", bytecode=bytecode)
    print(f"load of the machine: {', '.join(f'{load:.1f}' for load in os.getloadavg())}; processors: {os.cpu_count()}")
    print(f"python -c pass                        {bare:8.1f} ms")
    print(f"m4review lint --staged, one skill     {staged:8.1f} ms  ({staged / bare:.1f} times)")
    print(f"  the same beside all task cards      {carded:8.1f} ms  ({carded / bare:.1f} times)")
    print(f"m4review lint --all, this workspace   {whole:8.1f} ms  ({report.files} files, {report.bytes:,} bytes)")
    print(f"  of which the lint itself            {median_ms(lambda: lint_all(ROOT)):8.1f} ms")
    typed = skill_of(500)
    unseen, keys = Unseen(typed), iter(range(1000))
    first_look = median_ms(lambda: lint_text(unseen()))
    while_typing = median_ms(lambda: lint_text(f"{typed[:9000]}{next(keys)}{typed[9000:]}"))
    print(f"500 lines, opened                     {first_look:8.1f} ms  ({len(typed):,} characters)")
    print(f"500 lines, one more key               {while_typing:8.1f} ms")
    large = (typed * (2_000_000 // len(typed) + 1)).encode("utf-8")[:2_000_000]
    print(f"2 MB file                             {median_ms(lambda: lint_bytes(large)):8.1f} ms")
    prose = (typed * (NESTING // len(typed) + 1))[:NESTING]
    baseline = median_of_unseen(prose)
    times = {shape: median_of_unseen(text) for shape, text in nested().items()}
    print(f"worst-case nesting, {NESTING:,} characters each; as many of clean prose: {baseline:.1f} ms")
    for shape, spent in sorted(times.items(), key=lambda item: -item[1]):
        print(f"  {shape:<35} {spent:8.1f} ms  ({spent / baseline:.1f} times)")


if __name__ == "__main__":
    main()

"""How fast the ledger answers: status and verify at 125, 250 and 500 skills of six events, and how they grow.

Whole processes are measured, imports included, beside what ``git log`` over the same history costs on the machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from m4review.reviews.digests import SCHEME, content_digest, event_id, file_digest, task_digest
from m4review.reviews.events import EVENT_SCHEMA, TIME_FORMAT, event_path, render_event
from m4review.reviews.scopes import scope_digests
from m4review.reviews.signing import NAMESPACE, SshKeygen
from m4review.workspace import Workspace

SIZES = (125, 250, 500)
VERDICTS = ("C1", "C4")
"""Who approves the present text; the other four events are an opening and remarks."""
START = datetime(2026, 1, 1, 8, 0, tzinfo=UTC)

SKILL = """---
name: {name}
description: How to derive {name}.
---

# {name}

## Clinical definition

A value above {number} counts.

## Source map

| item | meaning |
|---|---|
| {number} | measurement |

## Output

One row per stay.
"""
CARD = """title = "{name}"
kind = "derivation"
database = "mimic-iv"
database_version = "3.1"
mode = "raw"
difficulty = "easy"
reference = "{name}"
skills = ["{name}"]
removed = []

[output]
key_columns = ["stay_id"]
scored_columns = ["value"]
required_columns = ["stay_id", "value"]

[thresholds]
accuracy = 0.9
"""
POLICY = """required = 2

[sections]
definition = ["Clinical definition"]
schema = ["Source map"]
output = ["Output"]
"""


def roster() -> str:
    """Four reviewers."""
    entries = (f'[[reviewers]]\nid = "C{number}"\nrole = "r"\nexpertise = "e"\n' for number in range(1, 5))
    return "\n".join(entries)


def git(root: Path, *words: str, who: str = "Author", hours: int = 0) -> None:
    """Run git as ``who``, so many hours after the start."""
    email = f"{who.lower()}@reviewers.invalid"
    time_of = (START + timedelta(hours=hours)).isoformat()
    environment = dict(os.environ)
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": who, f"GIT_{role}_EMAIL": email, f"GIT_{role}_DATE": time_of}
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, env=environment)


def write_ledger(root: Path, skills: int, keys: Path | None) -> None:
    """A repository with that many approved skills, six events each; one commit per reviewer and kind of event."""
    reviews = root / "reviews"
    reviews.mkdir(parents=True)
    (reviews / "roster.toml").write_text(roster(), encoding="utf-8")
    (reviews / "policy.toml").write_text(POLICY, encoding="utf-8")
    if keys is not None:
        lines = (f'{who} namespaces="{NAMESPACE}" {(keys / who).with_suffix(".pub").read_text()}' for who in VERDICTS)
        (reviews / "allowed_signers").write_text("".join(lines), encoding="utf-8")
    names = [f"skill-{number:04d}" for number in range(skills)]
    for number, name in enumerate(names, start=1):
        (root / "skills" / name).mkdir(parents=True)
        (root / "skills" / name / "SKILL.md").write_text(SKILL.format(name=name, number=number), encoding="utf-8")
        (root / "tasks" / f"family-{number % 15}" / name).mkdir(parents=True)
        (root / "tasks" / f"family-{number % 15}" / name / "task.toml").write_text(CARD.format(name=name))
        (root / "tasks" / f"family-{number % 15}" / name / "instruction.md").write_text(f"# {name}\n\nDerive it.\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "skills")
    workspace = Workspace(root)
    seen: dict[str, str] = {}
    plan = [("C2", "open"), ("C1", "verdict"), ("C4", "verdict"), *((who, "comment") for who in ("C1", "C4", "C2"))]
    for clock, (actor, kind) in enumerate(plan, start=1):
        for number, name in enumerate(names, start=1):
            data, path = event(workspace, name, number, actor, kind, clock, seen)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if keys is not None and actor in VERDICTS:
                path.with_name(f"{path.name}.sig").write_bytes(SshKeygen().sign(data, keys / actor))
            seen[name] = event_id(data)
        git(root, "add", "-A", who=actor)
        git(root, "commit", "-q", "-m", f"{kind} of {actor}", who=actor, hours=clock)


def event(
    workspace: Workspace, name: str, number: int, actor: str, kind: str, clock: int, seen: dict[str, str]
) -> tuple[bytes, Path]:
    """Bytes and file of one event."""
    files = {"SKILL.md": workspace.skill_file(name).read_bytes()}
    card = workspace.tasks_dir / f"family-{number % 15}" / name
    values = {
        "schema": EVENT_SCHEMA,
        "kind": kind,
        "skill": name,
        "scheme": SCHEME,
        "content": content_digest(files),
        "tasks": {name: task_digest((card / "task.toml").read_bytes(), (card / "instruction.md").read_bytes())},
        "actor": actor,
        "at": (START + timedelta(hours=clock)).strftime(TIME_FORMAT),
        "clock": clock,
        "after": [seen[name]] if name in seen else [],
        "policy": file_digest((workspace.reviews_dir / "policy.toml").read_bytes()),
        "tool": "benchmark",
        "meaning": f"As {actor} I say something of {name}.",
    }
    if kind == "open":
        values |= {"authors": [], "reviewers": list(VERDICTS)}
    if kind == "verdict":
        values |= {
            "scopes": dict(scope_digests(files, workspace.policy)),
            "round": "independent",
            "decisions": {"definition": "approve", "schema": "approve", "output": "approve"},
            "looked_at": ["text"],
            "conflict_of_interest": "none",
            "supersedes": [],
        }
    data = render_event(values, "A remark." if kind == "comment" else "")
    return data, workspace.events_dir / event_path(values, data)


@dataclass(frozen=True)
class Cost:
    """What a whole process took: wall time, and processor time of it and its children, in seconds."""

    wall: float
    processor: float


def cost(root: Path, words: Sequence[str], expected: str, repeats: int = 5) -> Cost:
    """The least cost of a few runs of a command in ``root``; its last line must hold ``expected``."""
    costs = []
    for _ in range(repeats):
        before, started = os.times(), time.perf_counter()
        done = subprocess.run(list(words), cwd=root, capture_output=True, text=True)
        wall, after = time.perf_counter() - started, os.times()
        assert expected in done.stdout.splitlines()[-1], done.stdout[-500:] + done.stderr[-500:]
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        costs.append(Cost(wall, spent))
    return Cost(min(one.wall for one in costs), min(one.processor for one in costs))


def measurements(keys: Path | None, sizes: tuple[int, ...]) -> Iterator[tuple[int, Cost, Cost, Cost]]:
    """Skills, and the cost of ``git log``, status and verify."""
    program = (sys.executable, "-c", "from m4review.cli.main import main; main()")
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="m4review-bench-") as folder:
            root = Path(folder) / "ward"
            write_ledger(root, size, keys)
            log = cost(root, ("git", "log", "--name-status"), "task.toml")
            status = cost(root, (*program, "review", "status"), "approved")
            yield size, log, status, cost(root, (*program, "verify"), "proven (exit code 0)")


def main() -> None:
    """Print one line per size, then how the times grew from half of the largest size to all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--signed", action="store_true", help="sign four of six events: one ssh-keygen each to check")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="m4review-bench-keys-") as folder:
        keys = Path(folder) if options.signed else None
        for who in VERDICTS if keys is not None else ():
            SshKeygen().create(Path(folder) / who, who)
        rows = list(measurements(keys, tuple(options.sizes)))
    print("whole processes, least of 5: wall time, processor time, and its multiple of what git log takes")
    print("skills  events  git log            status                       verify")
    for size, log, status, proof in rows:
        print(
            f"{size:6d}  {size * 6:6d}  {_words(log)}  {_words(status)} ({status.processor / log.processor:5.1f} x)  "
            f"{_words(proof)} ({proof.processor / log.processor:5.1f} x)"
        )
    if len(rows) > 1:
        (small, _, status, proof), (large, _, later_status, later_proof) = rows[-2:]
        print(
            f"from {small} to {large} skills ({large / small:.1f} times): processor time of status "
            f"{later_status.processor / status.processor:.1f} times, "
            f"of verify {later_proof.processor / proof.processor:.1f} times"
        )


def _words(found: Cost) -> str:
    return f"{found.wall:5.2f} s, {found.processor:5.2f} s"


if __name__ == "__main__":
    main()

"""Every attack of the catalogue on a repository of its own, and what ``m4review verify`` answers to each.

``python tests/unit/reviews/attack_table.py`` prints: attack, exit code, first finding. The exit code of the script is 1
when an attack is answered otherwise than the catalogue says. Everything happens in a folder that is removed again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path

from attack_kinds import Attack, Handed
from reviews_attacks import ATTACKS, CLEAN
from reviews_stories import Library, keys_in

OUTCOMES = ("UNMET", "BROKEN", "UNKNOWN")


def answer(attack: Attack, library: Library, folder: Path) -> tuple[int, str]:
    """Exit code of ``m4review verify lactate`` after the attack, and the line of the finding that names it."""
    ward = library.copy(attack.story, folder / "ward")
    handed = attack.do(ward) or Handed(ward.root)
    words = ["verify", "lactate", "--source", str(handed.place)]
    words += [] if handed.checkpoint is None else ["--checkpoint", str(handed.checkpoint)]
    done = subprocess.run(
        [sys.executable, "-m", "m4review", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, finding(done.stdout, attack)


def finding(report: str, attack: Attack) -> str:
    """The unproven line of a report that names the attack, else the first; with the detail below it that says most."""
    lines = report.splitlines()
    found = [number for number, line in enumerate(lines) if line.startswith(OUTCOMES)]
    named = [number for number in found if f" {attack.proof}: " in lines[number]] or found
    if not named:
        return "everything is proven"
    first = " ".join(lines[named[0]].split())
    details = [line.strip() for line in takewhile(lambda line: line.startswith("    "), lines[named[0] + 1 :])]
    telling = [line for line in details if attack.says in line] or details
    return f"{first.rpartition(': ')[0]}: {telling[0]}" if telling else first


def main() -> int:
    """Print the table and return the exit code."""
    wrong = 0
    print(f"{'attack':<62}  exit  finding")
    with tempfile.TemporaryDirectory(prefix="m4review-attacks-") as name:
        library = Library(Path(name) / "stories")
        with keys_in(library.keys):
            for number, attack in enumerate((*CLEAN, *ATTACKS)):
                folder = Path(name) / str(number)
                folder.mkdir()
                code, line = answer(attack, library, folder)
                as_told = code == attack.exit_code
                wrong += not as_told
                mark = "" if as_told else f"   NOT {attack.exit_code}"
                print(f"{attack.what:<62}  {code:>4}  {line}{mark}", flush=True)
    print(f"\n{len(CLEAN)} clean repositories, {len(ATTACKS)} attacks; {wrong or 'none'} answered otherwise than told")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

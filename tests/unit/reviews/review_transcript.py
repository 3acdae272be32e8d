"""A whole review on the command line: sealed, disputed, settled, signed off, edited, stale, judged again, approved.

``python tests/unit/reviews/review_transcript.py`` prints each command with its real output; the exit code is 1 when a
command ends otherwise than it should. Everything happens in a throw-away workspace with the shipped texts, which is
removed again. It is a DEMONSTRATION: no clinician gave these verdicts.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from m4review.demo import copy_starter

SKILL = "kdigo-aki-staging"
BEFORE, AFTER = "a rise of at least 0.3 mg/dL within 48 hours", "a rise of at least 0.3 mg/dL within 72 hours"
NOTES = "DEMONSTRATION. No clinician gave this verdict."
FINDING = f'major definition "{BEFORE}": Say how the 48 hours are anchored.'
SEALS = (
    f"review seal {SKILL} --definition changes --schema approve --output approve --answer 1=yes --answer 2=no"
    f" --finding {shlex.quote(FINDING)} --notes {shlex.quote(NOTES)} --as C1 --yes",
    f"review seal {SKILL} --approve-all --answer 1=yes --notes {shlex.quote(NOTES)} --as C4 --yes",
)


@dataclass(frozen=True)
class Step:
    """One command of m4review with its exit code; ``say`` stands above it."""

    command: str
    say: str = ""
    exit_code: int = 0
    only: str = ""
    """Prints the lines that hold this word, as ``grep`` would."""


KEYS = (
    Step("review key create --as C1", "Two reviewers make keys, and the list of keys is recorded."),
    Step("review key create --as C4"),
)
FIRST_ROUND = (
    Step("review queue --as C1", "What waits for C1.", only="kdigo"),
    Step(SEALS[0], "C1 seals a verdict. Nobody sees it, not even in git."),
    Step(f"review status {SKILL} --as C4"),
    Step(f"review reveal {SKILL} --as C1 --yes", "C1 cannot show it before C4 has sealed.", 2),
    Step(SEALS[1], "C4 seals too. Both show what they sealed."),
    Step(f"review reveal {SKILL} --as C1 --yes"),
    Step(f"review reveal {SKILL} --as C4 --yes"),
    Step(f"review status {SKILL} --as C4", "They disagree."),
    Step(f"review sign-off {SKILL} --as C4 --yes", "A disputed text is not released.", 2),
    Step(f"review consensus {SKILL} --as C4", "Only what they disagree on is asked."),
    Step(
        f"review consensus {SKILL} --definition approve-with-notes --rationale 'The guideline looks back from each "
        "result.' --settle 'f1=The look-back stands in the section on time windows.' --as C4 --yes"
    ),
    Step(f"review consensus {SKILL} --confirm --dissent 'I would repeat it in the table.' --as C1 --yes"),
    Step(f"review sign-off {SKILL} --as C4 --yes", "C4 signs off, with the result of every rule."),
    Step(f"verify {SKILL}", "The commit alone proves it."),
    Step("provenance --format md", "The reviewer appendix, generated; here the lines of this skill.", only="kdigo"),
)
SECOND_ROUND = (
    Step(f"version {SKILL} -m 'Look back 72 hours'", "Somebody changes a threshold."),
    Step("review status", "The approval ends everywhere.", only="kdigo"),
    Step(f"verify {SKILL}", exit_code=1),
    Step("review queue --as C1", "What waits for C1 is the change since C1's own verdict."),
    Step(f"diff {SKILL} --since-my-review --as C1"),
    Step(f"review carry {SKILL} --as C1 --yes", "It cannot pass for an editorial change.", 2),
    Step(f"review seal {SKILL} --approve-all --looked-at diff --notes {shlex.quote(NOTES)} --as C1 --yes"),
    Step(f"review seal {SKILL} --approve-all --looked-at diff --notes {shlex.quote(NOTES)} --as C4 --yes"),
    Step(f"review reveal {SKILL} --as C4 --yes"),
    Step(f"review reveal {SKILL} --as C1 --yes"),
    Step(f"review status {SKILL}", "Approved again, on the new text."),
    Step(f"verify {SKILL}"),
    Step("agreement", "How far they agreed on their own, from independent rounds only."),
)


class Stage:
    """The workspace, and the printing of what is run in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.environment = {**os.environ, "M4REVIEW_KEYS": str(folder / "keys")}
        self.environment.pop("SSH_AUTH_SOCK", None)
        self.wrong = 0
        copy_starter(self.root)
        policy = self.root / "reviews/policy.toml"
        policy.write_text(policy.read_text().replace('"ui-blind"', '"sealed"'))
        (self.root / ".gitignore").write_text(".m4review/\n")
        self.git("init", "-q", "-b", "main")
        for key, value in (("user.name", "Demo Author"), ("user.email", "author@demo.invalid")):
            self.git("config", key, value)
        self.record("First versions")

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True)

    def record(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def play(self, steps: tuple[Step, ...]) -> None:
        """Run and print each step."""
        for step in steps:
            if step.say:
                print(f"\n# {step.say}")
            print(f"$ m4review {step.command}" + (f" | grep {step.only}" if step.only else ""), flush=True)
            done = subprocess.run(
                [sys.executable, "-m", "m4review", *shlex.split(step.command)],
                cwd=self.root,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            lines = done.stdout.replace(str(self.root.parent), "…").rstrip().splitlines()
            print("\n".join(line for line in lines if step.only in line))
            if done.returncode:
                print(f"(exit code {done.returncode})")
            if done.returncode != step.exit_code:
                self.wrong += 1
                print(f"NOT AS EXPECTED: exit code {step.exit_code}")


def main() -> int:
    """Print the transcript and return the exit code."""
    print("DEMONSTRATION in a throw-away workspace: no clinician gave these verdicts.")
    with tempfile.TemporaryDirectory(prefix="m4review-transcript-") as name:
        stage = Stage(Path(name))
        stage.play(KEYS)
        stage.record("Keys of C1 and C4")
        stage.play(FIRST_ROUND)
        text = stage.root / "skills" / SKILL / "SKILL.md"
        text.write_text(text.read_text().replace(BEFORE, AFTER))
        stage.play(SECOND_ROUND)
    print(f"\n{stage.wrong or 'no'} commands ended otherwise than they should")
    return 1 if stage.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

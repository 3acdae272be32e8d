"""The ``m4review`` command: every part is imported only when it is needed, so that a hook starts fast."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from m4review.cli.hookcall import run_hook_call
from m4review.errors import M4ReviewError

# command name -> "module:attribute"; the short help is kept here so that `m4review --help` imports nothing.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("m4review.cli.demo:demo", "Make a throw-away workspace with synthetic data and open it."),
    "serve": ("m4review.cli.serve:serve", "Open the workbench in a browser of this machine."),
    "doctor": ("m4review.cli.doctor:doctor", "Say what is there and what is missing."),
    "data": ("m4review.cli.data:data", "Datasets: synthesise, import, build, list, remove."),
    "reference": ("m4review.cli.data:reference", "Write the expected output of a task (host side only)."),
    "score": ("m4review.cli.score:score", "Score an output.csv against a reference."),
    "lint": ("m4review.cli.lint:lint", "Check skills for contamination."),
    "hooks": ("m4review.cli.lint:hooks", "Install or remove the git hooks."),
    "skills": ("m4review.cli.library:skills", "List the skills with their computed state."),
    "tasks": ("m4review.cli.library:tasks", "List the task cards."),
    "show": ("m4review.cli.library:show", "Show one skill or task card."),
    "new": ("m4review.cli.new:new", "Start a skill from the template."),
    "drafts": ("m4review.cli.drafts:drafts", "Unsaved texts that the workbench left: list, show, keep, drop."),
    "version": ("m4review.cli.versions:version", "Record a version of a skill (lint, then commit)."),
    "log": ("m4review.cli.versions:log", "The versions of a skill."),
    "diff": ("m4review.cli.diff:diff", "What changed between two texts, word by word."),
    "review": ("m4review.cli.review:review", "The review ledger: status, queue, verdict."),
    "verify": ("m4review.cli.verify:verify_command", "Prove the reviews from a commit alone."),
    "provenance": ("m4review.cli.provenance:provenance_command", "Who judged what: the reviewer appendix."),
    "agreement": ("m4review.cli.agreement:agreement", "How far reviewers agreed on their own, per scope."),
    "canary": ("m4review.cli.canary:canary", "Prove the sandbox by trying to break out of it."),
    "agent": ("m4review.cli.agent:agent", "The programs that can be tried: list, show, build, check."),
    "trial": ("m4review.cli.trial:trial", "Run a task with and without its skill and score both."),
    "figure": ("m4review.cli.figure:figure", "Draw reward per version, tasks, or agreement."),
    "campaign": ("m4review.cli.campaign:campaign", "Analyse many runs at once."),
}


def main(arguments: list[str] | None = None) -> None:
    """Entry point: runs a command and turns every known error into one message and its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        code = run_hook_call(words)
        if code is None:
            from m4review.cli.commands import run_command

            code = run_command(words)
    except M4ReviewError as error:
        if "--debug" in words:
            raise
        print(f"m4review: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("m4review: stopped", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if "--debug" in words:
            raise
        print(internal_error(error), file=sys.stderr)
        sys.exit(70)
    sys.exit(code)


def internal_error(error: BaseException) -> str:
    """What is printed for an unforeseen error: its kind and place, never its message, which may quote data."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"{Path('m4review')}{os.sep}" in frame.filename] or list(frames)
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "an unknown place"
    return (
        f"m4review: an internal error ({type(error).__name__} in {place}); this is a fault of the program, not yours\n"
        "  to fix:   report it with this line; 'm4review --debug COMMAND' shows where it happened"
    )

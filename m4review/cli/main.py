"""The ``m4review`` command: groups are imported only when called, so that a hook starts fast."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from m4review import __version__
from m4review.errors import M4ReviewError

# command name -> "module:attribute"; the short help is kept here so that `m4review --help` imports nothing.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("m4review.cli.demo:demo", "Make a throw-away workspace with synthetic data and open it."),
    "doctor": ("m4review.cli.doctor:doctor", "Say what is there and what is missing."),
    "data": ("m4review.cli.data:data", "Datasets: synthesise, import, build, list, remove."),
    "reference": ("m4review.cli.data:reference", "Write the expected output of a task (host side only)."),
    "score": ("m4review.cli.score:score", "Score an output.csv against a reference."),
    "lint": ("m4review.cli.lint:lint", "Check skills for contamination."),
    "hooks": ("m4review.cli.lint:hooks", "Install or remove the git hooks."),
    "skills": ("m4review.cli.library:skills", "List the skills with their computed state."),
    "tasks": ("m4review.cli.library:tasks", "List the task cards."),
    "show": ("m4review.cli.library:show", "Show one skill or task card."),
    "version": ("m4review.cli.versions:version", "Record a version of a skill (lint, then commit)."),
    "log": ("m4review.cli.versions:log", "The versions of a skill."),
    "diff": ("m4review.cli.versions:diff", "What changed between two versions, word by word."),
    "review": ("m4review.cli.review:review", "The review ledger: status, queue, verdict."),
    "trial": ("m4review.cli.trial:trial", "Run a task with and without its skill and score both."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="m4review %(version)s")
@click.option("--as", "identity", metavar="C1", help="Who you are, for this call only.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error (never local values).")
@click.pass_context
def cli(context: click.Context, identity: str | None, debug: bool) -> None:
    """Write, review and try the skills that teach coding agents ICU derivations.

    Without a command, opens the workbench on the workspace of the current folder.
    """
    context.obj = {"as": identity, "debug": debug}
    if context.invoked_subcommand is None:
        from m4review.cli.workbench import open_workbench

        context.exit(open_workbench(identity))


def main(arguments: list[str] | None = None) -> None:
    """Entry point: runs a command and turns every known error into one message and its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        result: Any = cli.main(args=words, prog_name="m4review", standalone_mode=False)
    except M4ReviewError as error:
        if "--debug" in words:
            raise
        click.echo(f"m4review: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("m4review: stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if "--debug" in words:
            raise
        click.echo(internal_error(error), err=True)
        sys.exit(70)
    sys.exit(result if isinstance(result, int) else 0)


def internal_error(error: BaseException) -> str:
    """What is printed for an unforeseen error: its kind and place, never its message, which may quote data."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"{Path('m4review')}{os.sep}" in frame.filename] or list(frames)
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "an unknown place"
    return (
        f"m4review: an internal error ({type(error).__name__} in {place}); this is a fault of the program, not yours\n"
        "  to fix:   report it with this line; 'm4review --debug COMMAND' shows where it happened"
    )

"""The command line: one group whose commands are imported when they are called."""

from __future__ import annotations

from typing import Any

import click

from m4review import __version__
from m4review.cli.lazygroup import LazyGroup
from m4review.cli.main import COMMANDS


class Commands(LazyGroup):
    """The commands of the program; their short help is known without importing them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=Commands,
    sources={name: source for name, (source, _) in COMMANDS.items()},
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="m4review %(version)s")
@click.option("--as", "identity", metavar="C1", help="Who you are, for this call only.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal, so that it marks and copies text.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error (never local values).")
@click.pass_context
def cli(context: click.Context, identity: str | None, no_mouse: bool, debug: bool) -> None:
    """Write, review and try the skills that teach coding agents ICU derivations.

    Without a command, opens the workbench on the workspace of the current folder.
    """
    context.obj = {"as": identity, "debug": debug}
    if context.invoked_subcommand is None:
        from m4review.cli.workbench import open_workbench

        context.exit(open_workbench(identity, mouse=not no_mouse))


def run_command(words: list[str]) -> int:
    """Run one command line and return its exit code; what the parser refuses is shown with the usage."""
    try:
        result: Any = cli.main(args=words, prog_name="m4review", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else 0

"""``m4review lint`` and ``m4review hooks``: the contamination check and the git hooks that run it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from m4review.cli.hookcall import write
from m4review.errors import LintFailure

if TYPE_CHECKING:
    from m4review.lint.finding import LintReport


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--staged", is_flag=True, help="What the next commit would hold, from the git index.")
@click.option("--all", "everything", is_flag=True, help="Every skill, task card and review note of the workspace.")
@click.option("--from-ref", metavar="A", help="With --to-ref: every skill that differs between two revisions.")
@click.option("--to-ref", metavar="B", help="The revision to check (see --from-ref).")
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text", show_default=True)
@click.option("--profile", type=click.Choice(["m4bench"]), help="Accept the front matter keys of that benchmark.")
@click.option(
    "--message", "message_file", metavar="FILE", help="Check a commit message (what the commit-msg hook does)."
)
@click.option(
    "--explain",
    is_flag=False,
    flag_value="",
    metavar="[RULE]",
    help="What a rule finds, why, and what to write instead; without RULE, the list of rules.",
)
@click.option(
    "--completeness", is_flag=True, help="Which elements of a specification each SKILL declares (advice, not a check)."
)
def lint(
    paths: tuple[str, ...],
    staged: bool,
    everything: bool,
    from_ref: str | None,
    to_ref: str | None,
    form: str,
    profile: str | None,
    message_file: str | None,
    explain: str | None,
    completeness: bool,
) -> int:
    """Check skills for queries, programs, answers, patients' data and hidden text.

    PATH is a file, a skill folder, any folder with skills, or - for standard input. Exit code 0 clean (warnings are
    shown and allowed), 1 errors found, 2 the check could not run.
    """
    from m4review.lint import output

    if explain is not None:
        return _explain(explain, others=bool(paths) or staged or everything or completeness)
    if completeness:
        return _completeness(paths, form, others=staged or from_ref or to_ref or message_file)
    ways = (bool(paths), staged, everything, from_ref is not None or to_ref is not None, message_file is not None)
    if sum(ways) != 1:
        raise LintFailure(
            "nothing to lint was named" if not any(ways) else "more than one input was named",
            expected="PATH..., - , --staged, --all, or --from-ref A --to-ref B",
        )
    report = _report(paths, staged, everything, from_ref, to_ref, message_file, profile)
    text = {"text": output.as_text, "json": output.as_json, "sarif": output.as_sarif}[form](report)
    write(text)
    return report.exit_code


def _explain(rule: str, *, others: bool) -> int:
    from m4review.lint import explaining

    if others:
        raise LintFailure("--explain stands alone", expected="--explain, or --explain RULE")
    write(explaining.explain(rule) if rule else explaining.rule_list())
    return 0


def _completeness(names: tuple[str, ...], form: str, *, others: object) -> int:
    from m4review.cli.completeness import completeness_json, completeness_text, items_here, skills_named

    if others:
        raise LintFailure("--completeness reads skills on disk", expected="--completeness [SKILL…], or with --all")
    if form == "sarif":
        raise LintFailure("completeness has no SARIF form", expected="--format text or --format json")
    skills = skills_named(names)
    shown = completeness_json if form == "json" else completeness_text
    write(shown(skills, items_here()))
    return 0


def _report(
    paths: tuple[str, ...],
    staged: bool,
    everything: bool,
    from_ref: str | None,
    to_ref: str | None,
    message_file: str | None,
    profile: str | None,
) -> LintReport:
    from m4review.lint import gate, ingit, ondisk, sharing

    if message_file is not None:
        return gate.lint_message_file(Path(message_file))
    if staged:
        return ingit.lint_staged(profile=profile)
    if everything:
        return ondisk.lint_all(profile=profile, processes=sharing.processes_here())
    if from_ref is not None or to_ref is not None:
        if from_ref is None or to_ref is None:
            raise LintFailure("one revision is missing", expected="--from-ref A --to-ref B")
        return ingit.lint_between(from_ref, to_ref, profile=profile)
    if "-" in paths:
        if len(paths) > 1:
            raise LintFailure("standard input cannot be mixed with files", expected="- alone, or PATH...")
        return ondisk.lint_bytes(sys.stdin.buffer.read(), profile=profile)
    return ondisk.lint_paths(Path.cwd(), [Path(path) for path in paths], profile=profile)


@click.group()
def hooks() -> None:
    """Install or remove the git hooks that check every commit."""


@hooks.command()
def install() -> int:
    """Check every commit of this repository: its skills before, its message after it is written.

    An existing hook is kept and runs first.
    """
    from m4review.lint.hooks import install_hooks

    for line in install_hooks(Path.cwd()):
        click.echo(line)
    return 0


@hooks.command()
def remove() -> int:
    """Remove the hooks and put back what was there before."""
    from m4review.lint.hooks import remove_hooks

    for line in remove_hooks(Path.cwd()):
        click.echo(line)
    return 0

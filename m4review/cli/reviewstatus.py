"""``m4review review status``, ``queue``, ``packet`` and ``states``: what the ledger says; nothing is recorded."""

from __future__ import annotations

import json

import click

from m4review.cli.identity import identity, required_identity
from m4review.cli.reviewact import AS_OPTION, JSON_OPTION, require_skill, state_words
from m4review.reviews.eventparts import Anchor
from m4review.reviews.ledger import Ledger
from m4review.reviews.overview import all_statuses, skill_status
from m4review.reviews.report import queue_report, status_report, version_values
from m4review.reviews.standing import JudgedVerdict
from m4review.reviews.status import SkillStatus
from m4review.reviews.versionstates import VersionState, version_states
from m4review.skills import SKILL_FILE
from m4review.workspace import Workspace


@click.command()
@click.argument("skill", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
@AS_OPTION
@JSON_OPTION
@click.pass_context
def status(context: click.Context, skill: str | None, form: str, reviewer: str | None, as_json: bool) -> int:
    """The computed state of one skill or of all. Exit code 2 when an event file is damaged or not understood."""
    workspace = Workspace.find()
    person = identity(context, workspace, reviewer)
    viewer = None if person is None else person.id
    ledger = Ledger.load(workspace)
    versions: tuple[VersionState, ...] = ()
    if skill is None:
        statuses, problems = all_statuses(workspace, ledger, viewer), ledger.problems
    else:
        require_skill(ledger, skill)
        statuses, problems = (skill_status(workspace, ledger, skill, viewer),), ledger.problems_of(skill)
        versions = version_states(workspace, ledger, skill, viewer)
    if form == "md" and not as_json:
        from m4review.reviews.summary import markdown_summary

        click.echo(markdown_summary(statuses, problems, ledger.rules.notes))
    elif as_json or form == "json":
        report = status_report(statuses, problems, ledger.rules, viewer)
        if skill is not None:
            report["versions"] = [version_values(version) for version in versions]
        click.echo(json.dumps(report, indent=2, ensure_ascii=False))
    elif skill is None:
        width = max((len(entry.skill) for entry in statuses), default=0)
        for entry in statuses:
            click.echo(f"{entry.skill:<{width}}  {state_words(entry)}")
        if not statuses:
            click.echo("there are no skills")
        for note in ledger.rules.notes:
            click.echo(note)
    else:
        click.echo(status_text(statuses[0], skill_source(ledger, skill)))
        for version in reversed(versions):
            click.echo(f"  version {version.number}: {version.label}")
            if version.state == "superseded":
                click.echo("\n".join(f"      {sentence}" for sentence in version.because))
    for problem in problems:
        click.echo(f"{problem.kind}, not counted: {problem.error}", err=True)
    return 2 if problems else 0


@click.command("queue")
@AS_OPTION
@JSON_OPTION
@click.pass_context
def queue_command(context: click.Context, reviewer: str | None, as_json: bool) -> None:
    """What waits for you."""
    from m4review.reviews.waiting import queue

    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    ledger = Ledger.load(workspace)
    items = queue(workspace, person.id, ledger)
    if as_json:
        click.echo(json.dumps(queue_report(items, person.id, ledger.rules), indent=2, ensure_ascii=False))
        return
    if not items:
        click.echo(f"nothing waits for {person.id}")
    for item in items:
        click.echo(f"{item.kind:<12}  {item.skill}  {state_words(item.status)}\n              {item.why}")
        since = f"since {item.since[:10]}" if item.since else ""
        more = ", ".join(part for part in (since, f"the change: {item.change}" if item.change else "") if part)
        if more:
            click.echo(f"              {more}")
    for note in ledger.rules.notes:
        click.echo(note)


@click.command()
@click.argument("skill")
@AS_OPTION
@click.pass_context
def packet(context: click.Context, skill: str, reviewer: str | None) -> int:
    """What you are to judge: state, evidence, checklists, the task cards and the text of SKILL."""
    workspace = Workspace.find()
    person = identity(context, workspace, reviewer)
    ledger = Ledger.load(workspace)
    require_skill(ledger, skill)
    state = skill_status(workspace, ledger, skill, None if person is None else person.id)
    click.echo(status_text(state, skill_source(ledger, skill)))
    for line in checklist_lines(ledger):
        click.echo(line)
    for task in workspace.tasks_of_skill(skill):
        click.echo(f"\n== task card {task.path.name}\n{(task.path / 'instruction.md').read_text('utf-8').rstrip()}")
    click.echo(f"\n== {skill}\n{skill_source(ledger, skill) or ''}".rstrip())
    return 0


@click.command()
def states() -> int:
    """The states and what leads from one to another, as a Mermaid diagram, found by trying the state function."""
    from m4review.reviews.diagram import mermaid

    click.echo(mermaid())
    return 0


def checklist_lines(ledger: Ledger) -> list[str]:
    """The questions of the checklists with the numbers by which they are answered, below their headings."""
    from m4review.reviews.checklists import checklist_questions

    lines: list[str] = []
    group = None
    for number, question in enumerate(checklist_questions(ledger.snapshot.reviews), start=1):
        if question.group != group:
            group = question.group
            lines.append(f"\n== checklist: {group}")
        lines.append(f"{number:>3}. {question.text}")
    return lines


def skill_source(ledger: Ledger, skill: str) -> str | None:
    """The text of a skill as the ledger sees it; ``None`` where it cannot be read."""
    data = ledger.snapshot.skills.get(skill, {}).get(SKILL_FILE)
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def status_text(status: SkillStatus, source: str | None = None) -> str:
    """One skill's status with what it rests on, line by line; passages are looked up in ``source``."""
    lines = [f"{status.skill}: {state_words(status)}"]
    if status.subject is not None:
        lines.append(f"  content {status.subject.content}")
        lines += [f"  task    {digest} {name}" for name, digest in status.subject.tasks.items()]
        lines += [f"  builds on {digest} {name}" for name, digest in status.subject.deps.items()]
    lines += [f"  - {sentence}" for sentence in status.because]
    lines += [f"  not eligible: {why}" for why in (status.excluded or {}).values()]
    lines += [f"  sealed: {actor} sealed a verdict that is not shown yet" for actor in status.sealed]
    for judged in status.verdicts:
        lines += verdict_lines(judged)
    for found in status.findings:
        lines += [f"  finding {found.ref[:19]}#{found.finding.id}: {found.why}", f"      | {found.finding.text}"]
        lines += anchor_lines(found.finding.anchor, source)
    for comment in status.comments:
        lines.append(f"  {comment.at[:10]} {comment.actor} comments ({comment.path})")
        lines += anchor_lines(comment.anchor, source)
        lines += [f"      | {line}" for line in comment.notes.split("\n")]
    for trial in status.trials:
        shares = ", ".join(f"{name} {reward:.3f}" for name, reward in trial.rewards.items())
        isolated = "" if trial.isolated else ", not isolated"
        lines.append(
            f"  trial {trial.trial} on {trial.task}: {trial.agent}, {trial.dataset}{isolated}, n {trial.n}: {shares}"
        )
    lines += [
        f"  OVERRIDE by {one.actor} on {one.at[:10]} ({one.path}): {', '.join(one.rules)}: {one.reason}"
        for one in status.overrides
    ]
    return "\n".join(lines)


def anchor_lines(anchor: Anchor | None, source: str | None) -> list[str]:
    """Where a quoted passage stands now; an orphan with what stood around it."""
    if anchor is None:
        return []
    from m4review.reviews.anchors import locate

    found = None if source is None else locate(source, anchor)
    quote = " ".join(anchor.quote.split())
    if found is None or found.line is None:
        around = " ".join(f"{anchor.prefix}[{anchor.quote}]{anchor.suffix}".split())
        return [f"      orphan, the passage is gone: {around}"]
    return [f"      {found.place}, line {found.line}: “{quote}”"]


def verdict_lines(judged: JudgedVerdict) -> list[str]:
    """One verdict: who, when, its standing, what it said (unless withheld), its notes."""
    entry = judged.verdict
    lines = [f"  {entry.at[:10]} {entry.actor} [{judged.standing}] {judged.why}"]
    if judged.hidden:
        return [*lines, f"      {entry.meaning}"]
    lines.append("      " + ", ".join(f"{scope}: {decision}" for scope, decision in entry.decisions.items()))
    return lines + [f"      | {line}" for line in entry.notes.split("\n") if entry.notes]

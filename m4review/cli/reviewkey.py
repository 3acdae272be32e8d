"""``m4review review key``: make, register, list and put away the key a reviewer signs with."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from m4review.cli.identity import required_identity
from m4review.errors import LedgerError
from m4review.reviews.adopting import adopt_rules, change_text, proposed_change
from m4review.reviews.signing import SshKeygen, create_key, key_file, register_key
from m4review.reviews.signing.allowed import (
    ALLOWED_SIGNERS_FILE,
    AllowedKey,
    EmptyAllowedSignersError,
    MissingAllowedSignersError,
    read_allowed_signers,
)
from m4review.reviews.signing.keys import forget_key
from m4review.workspace import REVIEWS, Workspace

KEYS_SCHEMA = "m4review.review-keys.v1"
AS_OPTION = click.option("--as", "reviewer", metavar="C1", help="Who you are, for this call only.")
DAY = click.DateTime(formats=["%Y-%m-%d"])
FROM_OPTION = click.option("--from", "first", type=DAY, help="First day on which the key may sign (UTC).")
UNTIL_OPTION = click.option("--until", "last", type=DAY, help="Last day on which the key may sign (UTC).")
NEXT = (
    f"recorded in {REVIEWS}/{ALLOWED_SIGNERS_FILE}, which is not committed yet: look at the change and commit it; once "
    "reviews have begun, the other reviewers adopt it (m4review review adopt)"
)


@click.group("key")
def key() -> None:
    """Your signing key. Reviewing works without one, at assurance level 0."""


@key.command("create")
@FROM_OPTION
@UNTIL_OPTION
@AS_OPTION
@click.pass_context
def create(context: click.Context, first: datetime | None, last: datetime | None, reviewer: str | None) -> None:
    """Make a key on this computer, outside the repository, that only you can read."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    path = create_key(workspace, person.id, valid_after=first_moment(first), valid_before=last_moment(last))
    click.echo(f"made {path}, readable by you alone; ssh-keygen -p -f {path} gives it a passphrase")
    click.echo(NEXT)


@key.command("register")
@click.argument("public_key", type=click.Path(path_type=Path, dir_okay=False))
@FROM_OPTION
@UNTIL_OPTION
@AS_OPTION
@click.pass_context
def register(
    context: click.Context, public_key: Path, first: datetime | None, last: datetime | None, reviewer: str | None
) -> None:
    """Sign with a key you have: give its .pub file. Keys of hardware tokens (sk-…) count as level 2."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    window = first_moment(first), last_moment(last)
    found = register_key(workspace, person.id, public_key, valid_after=window[0], valid_before=window[1])
    click.echo(f"{person.id} signs with this {'hardware key' if found.is_hardware else 'key'}: {_fingerprint(found)}")
    click.echo(NEXT)


@key.command("forget")
@AS_OPTION
@click.pass_context
def forget(context: click.Context, reviewer: str | None) -> None:
    """Sign no more from this computer. What was signed stays signed; the list of keys is not changed."""
    person = required_identity(context, Workspace.find(), reviewer)
    gone = forget_key(person.id)
    click.echo(f"{person.id} has no key on this computer" if gone is None else f"no longer used: {gone}")


@key.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def list_keys(as_json: bool) -> None:
    """Whose keys may sign, from when to when, and which of them this computer holds."""
    workspace = Workspace.find()
    try:
        keys = read_allowed_signers(workspace.reviews_dir / ALLOWED_SIGNERS_FILE).keys
    except (MissingAllowedSignersError, EmptyAllowedSignersError) as error:
        keys, why = (), error.what
    else:
        why = ""
    rows = [_row(entry) for entry in keys]
    if as_json:
        click.echo(json.dumps({"schema": KEYS_SCHEMA, "keys": rows}, indent=2, ensure_ascii=False))
        return
    for row in rows:
        window = f"{row['valid_after'] or 'always'} to {row['valid_before'] or 'open end'}"
        here = "  (yours, on this computer)" if row["here"] else ""
        click.echo(f"{row['reviewer']}  {row['fingerprint']}  level {row['level']}  {window}{here}")
    if not rows:
        click.echo(f"nobody can sign: {why}")


@click.command("adopt")
@click.option("--yes", is_flag=True, help="You confirm the change; without a terminal it must be given.")
@AS_OPTION
@click.pass_context
def adopt(context: click.Context, yes: bool, reviewer: str | None) -> None:
    """Agree to a change of policy, roster or keys. It holds once enough reviewers of the old roster did."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    before, after = proposed_change(workspace)
    click.echo(change_text(before, after))
    click.echo(f"As {person.id} you adopt these rules, {after.digest}, in place of {before.digest}.")
    if not yes:
        if not sys.stdin.isatty():
            raise LedgerError(
                "the change was not confirmed: there is no terminal to ask on; nothing was recorded",
                expected="a person who read the change above",
                fix="add --yes to confirm it",
            )
        click.confirm("Adopt it?", abort=True, err=True)
    path = adopt_rules(workspace, person.id, before, after)
    click.echo(f"recorded {workspace.relative(path)}; it takes {before.policy.required} reviewers")


def first_moment(day: datetime | None) -> datetime | None:
    """The first second of a day in UTC."""
    return None if day is None else day.replace(tzinfo=UTC)


def last_moment(day: datetime | None) -> datetime | None:
    """The last second of a day in UTC."""
    return None if day is None else day.replace(hour=23, minute=59, second=59, tzinfo=UTC)


def _row(entry: AllowedKey) -> Mapping[str, Any]:
    own = key_file(entry.principal)
    public = None if own is None else own if own.suffix == ".pub" else own.with_name(f"{own.name}.pub")
    here = public is not None and public.is_file() and entry.key in public.read_text(encoding="utf-8")
    return {
        "reviewer": entry.principal,
        "fingerprint": _fingerprint(entry),
        "type": entry.key_type,
        "level": 2 if entry.is_hardware else 1,
        "valid_after": None if entry.valid_after is None else entry.valid_after.isoformat(),
        "valid_before": None if entry.valid_before is None else entry.valid_before.isoformat(),
        "here": here,
    }


def _fingerprint(entry: AllowedKey) -> str:
    try:
        return SshKeygen().fingerprint(f"{entry.key_type} {entry.key}")
    except LedgerError as error:
        raise LedgerError(error.what, where=f"{REVIEWS}/{ALLOWED_SIGNERS_FILE}", line=entry.line) from None

"""``m4review campaign list``: the campaigns of a workspace and how far each is."""

from __future__ import annotations

import json

import click

from m4review.errors import M4ReviewError
from m4review.workspace import Workspace

LIST_SCHEMA = "m4review.campaign-list.v1"


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_command(as_json: bool) -> None:
    """The campaigns of this workspace, and how many blocks of each are done.

    Exit 0: also when one of them cannot be read; it is then listed with the reason.
    """
    from m4review.campaigns.folder import CampaignFolder, campaign_names

    workspace = Workspace.find()
    entries: list[dict[str, object]] = []
    for name in campaign_names(workspace):
        try:
            folder = CampaignFolder.open(workspace, name)
            entry = {"title": folder.manifest.title, "done": len(folder.done()), "blocks": len(folder.manifest.blocks)}
        except M4ReviewError as error:
            entry = {"problem": error.what}
        entries.append({"name": name, **entry})
    if as_json:
        click.echo(json.dumps({"schema": LIST_SCHEMA, "campaigns": entries}, ensure_ascii=False, indent=1))
        return
    for entry in entries:
        far = f"{entry['done']} of {entry['blocks']} blocks  {entry['title']}" if "title" in entry else entry["problem"]
        click.echo(f"{entry['name']}  {far}")
    if not entries:
        click.echo("no campaign here yet: m4review campaign freeze PLAN --name NAME makes one")

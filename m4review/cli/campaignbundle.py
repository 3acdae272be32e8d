"""``m4review campaign bundle`` and ``verify``: a campaign's evidence to be published, and its check by anybody."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from m4review.workspace import Workspace

BUNDLED_SCHEMA = "m4review.campaign-bundled.v1"
VERIFIED_SCHEMA = "m4review.campaign-verified.v1"
MOST_SHOWN = 30


@click.command()
@click.argument("name")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="A folder that is not there yet, or a .zip."
)
@click.option(
    "--partial", is_flag=True, help="Also of a campaign that is not finished; the bundle says what is missing."
)
@click.option("--draws", default=20_000, show_default=True, type=click.IntRange(100, 1_000_000))
@click.option("--licence", default="MIT", show_default=True, help="SPDX name of the licence of the results.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def bundle(name: str, out: Path, partial: bool, draws: int, licence: str, as_json: bool) -> None:
    """Write what stands behind the figures of the campaign NAME and may be published.

    Nothing is written when a patient's row, a secret or a place of this machine is found in it. Exit 2 then.
    """
    from m4review.campaigns.bundle import make_bundle
    from m4review.campaigns.bundlefiles import write_bundle
    from m4review.campaigns.bundleparts import SUMS
    from m4review.campaigns.lineage import sha256

    made = make_bundle(Workspace.find(), name, partial=partial, licence=licence, draws=draws)
    write_bundle(made.files, out)
    size = sum(map(len, made.files.values()))
    values = {
        "schema": BUNDLED_SCHEMA,
        "campaign": name,
        "out": str(out),
        "digest": "sha256:" + sha256(made.files[SUMS]),
        "files": len(made.files),
        "bytes": size,
        "runs": made.card.runs,
        "missing_blocks": list(made.card.missing),
        "held_runs": list(made.card.held),
        "identifiers_compared_with": list(made.scanned.compared),
        "datasets_not_at_hand": list(made.unseen),
    }
    if as_json:
        click.echo(json.dumps(values, indent=1))
        return
    click.echo(f"{out}: {values['files']} files, {size / 1e6:.1f} MB, {made.card.runs} runs")
    click.echo(f"digest {values['digest']}")
    if made.scanned.compared:
        click.echo(f"no identifier of a patient of {', '.join(made.scanned.compared)} is in it")
    for dataset in made.unseen:
        click.echo(f"NOT COMPARED with the dataset {dataset} as it was run on: it is not at hand", err=True)
    if made.card.partial:
        click.echo(
            f"PARTIAL: {len(made.card.missing)} blocks are not done, {len(made.card.held)} runs wait for a decision"
        )


@click.command()
@click.argument("path", metavar="BUNDLE", type=click.Path(path_type=Path))
@click.option("--digest", metavar="SHA256", help="The digest that was published for the bundle.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def verify(context: click.Context, path: Path, digest: str | None, as_json: bool) -> None:
    """Check a bundle: every file, every link from data to row, every figure. It needs no data, workspace or network.

    Exit 0: everything holds. 2: something does not, and is named.
    """
    from m4review.campaigns.bundlecheck import check_bundle

    checked = check_bundle(path, digest=digest)
    if as_json:
        values = {"schema": VERIFIED_SCHEMA, "bundle": str(path), "good": checked.good, **dataclasses.asdict(checked)}
        click.echo(json.dumps(values, indent=1))
    else:
        for step in checked.done:
            click.echo(f"checked: {step}")
        for note in checked.notes:
            click.echo(f"note: {note}")
        for problem in checked.problems[:MOST_SHOWN]:
            click.echo(f"WRONG: {problem.file}: {problem.what}")
        if len(checked.problems) > MOST_SHOWN:
            click.echo(f"and {len(checked.problems) - MOST_SHOWN} more")
        click.echo(f"{'holds' if checked.good else 'DOES NOT HOLD'}: {checked.digest}")
    context.exit(0 if checked.good else 2)

"""Freezing a plan: every cell is prepared once, and the inputs of its runs are written down by digest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import duckdb

from m4review import __version__
from m4review.campaigns.folder import (
    AGENTS,
    MANIFEST_FILE,
    PLAN_FILE,
    CampaignFolder,
    campaign_path,
)
from m4review.campaigns.manifest import CampaignManifest, FrozenCell, drift
from m4review.campaigns.matrix import Matrix, matrix_of
from m4review.campaigns.plan import SUFFIX, PlanFile
from m4review.campaigns.setting import Setting, agent_source, image_of, plan_agents
from m4review.ehr import open_dataset
from m4review.errors import CampaignError
from m4review.textfile import write_bytes
from m4review.trials.claims import private_folder
from m4review.trials.conditions import Arm
from m4review.trials.records import to_json
from m4review.trials.sandbox.capture import run_folder_error
from m4review.trials.sandbox.ownership import Owner
from m4review.workspace import Workspace

Told = Callable[[str, int, int], None]
"""Hears which cell is frozen, how many are done, and of how many."""
MOST_SHOWN = 5


def freeze(
    workspace: Workspace,
    file: PlanFile,
    name: str,
    *,
    progress: Told = lambda cell, done, total: None,
    environment: Mapping[str, str] = os.environ,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> tuple[CampaignFolder, bool]:
    """Freeze a plan under a name; whether it is new. The same plan with the same digests is frozen already.

    Raises:
        CampaignError: the name is taken by another plan, or something changed since it was frozen; no such task, agent.
        DatasetError, TrialError, EngineUnavailableError: something that the runs need is missing.
    """
    path = campaign_path(workspace, name)
    before = CampaignFolder.open(workspace, name) if (path / MANIFEST_FILE).exists() else None
    if before is not None and before.manifest.plan_digest != file.digest:
        raise CampaignError(
            f"the campaign {name} was frozen from another plan",
            where=path / PLAN_FILE,
            fix="freeze this plan under another name; a frozen plan is never changed",
        )
    manifest = _manifest(workspace, file, name, progress, environment, clock)
    if before is not None:
        _require_unchanged(before, manifest)
        return before, False
    _write(path, file, manifest)
    return CampaignFolder.open(workspace, name), True


def with_choices(
    file: PlanFile,
    workspace: Workspace,
    *,
    sandbox: Literal["docker", "local"] | None,
    datasets: Sequence[str],
    environment: Mapping[str, str] = os.environ,
) -> PlanFile:
    """The plan with another sandbox, and with datasets named for their layouts; the manifest records both.

    Raises:
        DatasetError: there is no such dataset.
    """
    home = workspace.data_home(environment)
    chosen: dict[str, str] = dict(file.plan.datasets.items())
    chosen |= {open_dataset(home, name).layout_name: name for name in datasets}
    changes: dict[str, object] = {"datasets": chosen}
    if sandbox is not None:
        changes["sandbox"] = sandbox
    return replace(file, plan=file.plan.model_copy(update=changes))


def _manifest(
    workspace: Workspace,
    file: PlanFile,
    name: str,
    progress: Told,
    environment: Mapping[str, str],
    clock: Callable[[], datetime],
) -> CampaignManifest:
    matrix = matrix_of(file, workspace)
    agents = plan_agents(file)
    setting = Setting(workspace, file.plan, agents, environment, Owner.of_this_process())
    return CampaignManifest(
        name=name,
        title=file.plan.title,
        plan_digest=file.digest,
        seed=file.plan.seed,
        sandbox=file.plan.sandbox,
        tool_version=__version__,
        duckdb_version=duckdb.__version__,
        frozen=clock(),
        cells=tuple(_cells(setting, matrix, progress)),
        datasets={
            task.database: setting.dataset(task).name for task in (workspace.task(cell.task) for cell in matrix.cells)
        },
        blocks=matrix.blocks,
    ).sealed()


def _cells(setting: Setting, matrix: Matrix, progress: Told) -> Iterator[FrozenCell]:
    images = {
        label: image_of(setting.agents[label], setting.plan, setting.environment)
        for label in dict.fromkeys(cell.agent for cell in matrix.cells)
    }
    for done, (cell, conditions) in enumerate(matrix.cells.items()):
        progress(cell.label, done, len(matrix.cells))
        with setting.prepared(cell, conditions, images[cell.agent]) as ready:
            yield FrozenCell(cell=cell, inputs=tuple(ready.inputs(Arm(condition)) for condition in conditions))


def _require_unchanged(before: CampaignFolder, now: CampaignManifest) -> None:
    frozen = before.manifest.frozen_cells
    changed = {
        f"{one.cell.label}: {what}": None
        for one in now.cells
        for what in (drift(frozen[one.cell].by_condition, one.inputs) if one.cell in frozen else ["a new cell"])
    }
    if changed or now.blocks != before.manifest.blocks:
        shown = list(changed)[:MOST_SHOWN]
        more = f"; and {len(changed) - MOST_SHOWN} more" if len(changed) > MOST_SHOWN else ""
        raise CampaignError(
            f"{before.name} is frozen already, and no longer as it was: {'; '.join(shown) or 'the tasks'}{more}",
            where=before.path / MANIFEST_FILE,
            fix="freeze the plan once more under another name",
        )


def _write(path: Path, file: PlanFile, manifest: CampaignManifest) -> None:
    """The manifest comes last: a folder without one is no campaign."""
    private_folder(path.parent)
    private_folder(path)
    try:
        for label in file.plan.agents:
            source = agent_source(file, label)
            if source.endswith(SUFFIX):
                write_bytes(path / AGENTS / f"{label}{SUFFIX}", Path(source).read_bytes())
        write_bytes(path / PLAN_FILE, file.data)
        write_bytes(path / MANIFEST_FILE, to_json(manifest), exclusive=True)
    except FileExistsError:
        raise CampaignError(
            f"another program froze {manifest.name} meanwhile", where=path, fix="use another name"
        ) from None
    except OSError as error:
        raise run_folder_error(path, error) from None

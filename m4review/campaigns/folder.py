"""The folder of a campaign: plan, manifest, runs, and one file per block that is done.

A run counts for the campaign only if a block file names it. Block files are made exclusively, so that two programs that
work on one campaign can never both enter their runs; a lock per block keeps them from working on the same one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from m4review.campaigns.manifest import CampaignManifest, manifest_digest
from m4review.campaigns.matrix import Block
from m4review.campaigns.plan import Plan, PlanFile, read_plan
from m4review.errors import CampaignError, one_of
from m4review.filelock import try_lock
from m4review.textfile import write_bytes
from m4review.trials.conditions import Arm, Condition
from m4review.trials.records import RUN_FILE, RunRecord, read_record, read_run, to_json
from m4review.trials.sandbox.ownership import Owner
from m4review.workspace import Workspace

PLAN_FILE, MANIFEST_FILE = "plan.toml", "manifest.json"
RUNS, BLOCKS, CLAIMS, AGENTS = "runs", "blocks", "claims", "agents"
BLOCK_SCHEMA: Literal["m4review.campaign-block.v1"] = "m4review.campaign-block.v1"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class BlockRecord(BaseModel):
    """A block that is done: which run stands for each of its conditions."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_id: Literal["m4review.campaign-block.v1"] = Field(default=BLOCK_SCHEMA, alias="schema")
    manifest: str
    """Digest of the manifest that the block belongs to."""
    block: Block
    runs: dict[Condition, str]
    infra_errors: tuple[str, ...] = ()
    """Runs of this block that failed through no fault of the agent before those that count."""
    worker: str
    """Where the block was made: the machine's name."""
    finished: datetime


class CampaignFolder:
    """One campaign as it lies on disk. Nothing is kept in memory that another program may change."""

    def __init__(self, path: Path, manifest: CampaignManifest, plan: PlanFile) -> None:
        self.path = path
        self.manifest = manifest
        self._plan = plan

    @classmethod
    def open(cls, workspace: Workspace, name: str) -> CampaignFolder:
        """The campaign of that name.

        Raises:
            CampaignError: there is none, or its plan or manifest was changed after it was frozen.
        """
        path = campaign_path(workspace, name)
        if not (path / MANIFEST_FILE).is_file():
            raise CampaignError(
                f"no campaign {name!r}",
                where=workspace.campaigns_dir,
                expected=one_of(name, campaign_names(workspace)),
                fix="m4review campaign freeze PLAN --name NAME makes one",
            )
        manifest = read_record(path / MANIFEST_FILE, CampaignManifest)
        written = json.loads((path / MANIFEST_FILE).read_bytes())
        if manifest.digest != manifest_digest(written) or manifest.name != name:
            raise CampaignError(
                "the manifest was changed after it was frozen",
                where=path / MANIFEST_FILE,
                fix="put the frozen manifest back, or freeze the plan once more under another name",
            )
        plan = read_plan((path / PLAN_FILE).read_bytes(), path / PLAN_FILE)
        if plan.digest != manifest.plan_digest:
            raise CampaignError(
                "the plan was changed after it was frozen",
                where=path / PLAN_FILE,
                fix="freeze the changed plan under another name: m4review campaign freeze PLAN --name NAME",
            )
        return cls(path, manifest, plan)

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def plan(self) -> Plan:
        """What was frozen, as a plan, with the sandbox and the datasets that were chosen then."""
        chosen = {"sandbox": self.manifest.sandbox, "datasets": self.manifest.datasets}
        return self._plan.plan.model_copy(update=chosen)

    @property
    def plan_file(self) -> PlanFile:
        """The plan with its exact bytes."""
        return self._plan

    @property
    def runs_dir(self) -> Path:
        """Where the run folders lie."""
        return self.path / RUNS

    def run_folder(self, run_id: str) -> Path:
        """Where the record, trace and output of a run lie."""
        return self.runs_dir / run_id

    # -- blocks ---------------------------------------------------------------------------------------------------

    def done(self) -> dict[str, BlockRecord]:
        """The blocks that are done, by id, in plan order.

        Raises:
            CampaignError: a block file belongs to another campaign, or is none.
            TrialError: a block file cannot be understood.
        """
        found = {path.stem: path for path in (self.path / BLOCKS).glob("*.json")}
        strangers = sorted(found.keys() - self._blocks.keys())
        if strangers:
            raise self._strange(found[strangers[0]])
        return {block.id: self._read(block, found[block.id]) for block in self.manifest.blocks if block.id in found}

    def is_done(self, block: Block) -> bool:
        """Whether the block has been entered."""
        return self._file(block).is_file()

    def missing(self) -> list[Block]:
        """The blocks that are not done, in plan order."""
        return [block for block in self.manifest.blocks if not self.is_done(block)]

    def enter(self, record: BlockRecord) -> bool:
        """Enter a block as done; ``False`` when it was entered before, and nothing is changed then.

        Raises:
            TextFileError: the disk is full or not writable.
        """
        try:
            write_bytes(self._file(record.block), to_json(record), exclusive=True)
        except FileExistsError:
            return False
        return True

    def records(self) -> list[tuple[Block, Arm, RunRecord]]:
        """The runs that count for the campaign, in plan order, with decisions about held ones applied.

        Raises:
            CampaignError: a block of another campaign, or a run that is not the block's.
            TrialError: a record is gone or cannot be understood.
        """
        return [
            (done.block, Arm(condition), self._run(done, condition))
            for done in self.done().values()
            for condition in done.block.conditions
        ]

    @contextmanager
    def claimed(self, block: Block, owner: Owner) -> Iterator[bool]:
        """Within it no other program works on the block, if the value is true. A claim ends with its holder."""
        path = self.path / CLAIMS / f"{block.id}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+", encoding="utf-8") as stream:
            if not try_lock(stream.fileno()):
                yield False
                return
            stream.truncate(0)
            stream.write(owner.model_dump_json())
            stream.flush()
            try:
                yield True
            finally:
                stream.truncate(0)

    def under_way(self) -> dict[str, Owner]:
        """The blocks that a program that still lives works on, and which."""
        found = {}
        for path in sorted((self.path / CLAIMS).glob("*.lock")):
            try:
                owner = Owner.model_validate_json(path.read_text(encoding="utf-8"))
            except ValidationError:
                continue  # empty: nobody's
            if not owner.gone:
                found[path.stem] = owner
        return found

    @cached_property
    def _blocks(self) -> dict[str, Block]:
        return {block.id: block for block in self.manifest.blocks}

    def _file(self, block: Block) -> Path:
        return self.path / BLOCKS / f"{block.id}.json"

    def _read(self, block: Block, path: Path) -> BlockRecord:
        record = read_record(path, BlockRecord)
        if (
            record.manifest != self.manifest.digest
            or record.block != block
            or set(record.runs) != set(block.conditions)
        ):
            raise self._strange(path)
        return record

    def _run(self, done: BlockRecord, condition: Condition) -> RunRecord:
        folder = self.run_folder(done.runs[condition])
        record = read_run(folder)
        cell = self.manifest.frozen_cells[done.block.cell]
        if (
            record.id != folder.name
            or record.replicate != done.block.replicate
            or record.inputs.resume_key != cell.by_condition[condition].resume_key
        ):
            raise CampaignError(
                f"the run is not what the block {done.block.id} says",
                where=folder / RUN_FILE,
                expected=f"a run of {done.block.label} under {condition.value} with the frozen inputs",
            )
        return record

    def _strange(self, path: Path) -> CampaignError:
        return CampaignError(
            "a block of another campaign",
            where=path,
            expected=f"blocks of {self.name} alone, as its manifest names them",
            fix="move the file back to the campaign it came from; one folder holds one campaign",
        )


def campaign_path(workspace: Workspace, name: str) -> Path:
    """Where the campaign of that name lies or would lie.

    Raises:
        CampaignError: no name for a folder.
    """
    if not NAME.fullmatch(name):
        raise CampaignError(f"not a name for a campaign: {name!r}", expected="letters, digits, '-', '_' and '.'")
    return workspace.campaigns_dir / name


def campaign_names(workspace: Workspace) -> list[str]:
    """The campaigns of a workspace."""
    return sorted(path.parent.name for path in workspace.campaigns_dir.glob(f"*/{MANIFEST_FILE}"))

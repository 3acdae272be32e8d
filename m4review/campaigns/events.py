"""What a campaign under way reports beside the events of its runs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from m4review.campaigns.folder import BlockRecord
from m4review.campaigns.matrix import Block
from m4review.trials.events import TrialEvent


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CampaignStarted(_Event):
    """What is to be done: ``done`` of ``blocks`` are there already; ``size`` are made at once."""

    kind: Literal["campaign-started"] = "campaign-started"
    name: str
    done: int
    blocks: int
    runs: int
    size: int


class BlockEntered(_Event):
    """A block is done and counts. ``rewards`` is per condition, ``None`` for a run that waits for a person."""

    kind: Literal["block-entered"] = "block-entered"
    record: BlockRecord
    rewards: dict[str, float | None]
    done: int
    blocks: int
    seconds_left: float | None


class BlockLeft(_Event):
    """A block could not be finished now; the next start of the campaign tries it again."""

    kind: Literal["block-left"] = "block-left"
    block: Block
    reason: str


CampaignEvent = CampaignStarted | BlockEntered | BlockLeft | TrialEvent

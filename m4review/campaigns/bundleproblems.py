"""What the check of a bundle comes to: what was looked at, what could not be, and what is wrong with which file."""

from __future__ import annotations

from dataclasses import dataclass, field

from m4review.campaigns.bundleparts import BlockList, BundleCard, TaskList
from m4review.campaigns.lineage import Lineage
from m4review.campaigns.manifest import CampaignManifest
from m4review.trials.records import RunRecord


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and with which file."""

    file: str
    what: str


@dataclass
class Checked:
    """What a check came to. ``done`` says per step what was looked at; ``notes`` what could not be."""

    digest: str
    """SHA-256 of the list of checksums: it stands for the whole bundle."""
    done: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def wrong(self, file: str, what: str, is_wrong: bool) -> None:
        """Note a problem where one is, once."""
        problem = Problem(file, what)
        if is_wrong and problem not in self.problems:
            self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class BundleRecords:
    """The records of a bundle, read."""

    card: BundleCard
    manifest: CampaignManifest
    blocks: BlockList
    tasks: TaskList
    lineage: Lineage
    records: dict[str, RunRecord]

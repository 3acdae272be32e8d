"""The kinds of review events and the keys of each. ``docs/events.md`` describes them for readers of the files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from m4review.reviews.eventparts import (
    Actor,
    Actors,
    Anchor,
    Answer,
    Base,
    Day,
    Decision,
    Digest,
    Digests,
    Finding,
    FindingRef,
    Line,
    LookedAt,
    Moment,
    Overridable,
    Part,
    Round,
    Share,
    moment,
)
from m4review.workspace import Scope


class _Event(BaseModel):
    """What every event says. ``id``, ``path``, ``notes`` and ``raw`` come from the file, not its front matter."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True, defer_build=True)

    schema_id: Literal["m4review.event.v1"] = Field(alias="schema")
    skill: str = Field(min_length=1, max_length=64)
    scheme: Literal["m4review.digest.v1"]
    content: Digest
    tasks: dict[str, Digest]
    actor: Actor
    at: Moment
    clock: int = Field(ge=1)
    after: Digests
    """Ids of the events that were the newest ones this actor had seen for the skill."""
    policy: Digest
    tool: Line
    meaning: Line

    id: Digest
    path: str
    """Relative to the events folder: ``<skill>/<name>.md``."""
    notes: str
    raw: bytes = Field(repr=False)
    """The exact bytes of the file: what the id, a commitment and a signature are over."""

    @property
    def time(self) -> datetime:
        """When the event was written, by the actor's clock. For display and the roster's dates, never for order."""
        return moment(self.at)


class Opening(_Event):
    """A review is asked for: who wrote the text, beyond what git knows, and who is to judge it."""

    kind: Literal["open"]
    authors: Actors
    """Declared authors of exactly this content: excluded like those that git names."""
    reviewers: Actors
    """Who is asked to judge the skill from now on; empty leaves it to the roster's pairs."""
    scopes: Annotated[tuple[Scope, ...], Field(strict=False)] = ()
    """What is asked about; empty is every scope of the policy."""
    base: Digest | None = None
    """Content that the present one grew from."""
    due: Day | None = None


class Seal(_Event):
    """A verdict is given and not yet shown: ``commitment`` is SHA-256(nonce ‖ 0x00 ‖ bytes of the verdict)."""

    kind: Literal["seal"]
    commitment: Digest


class Verdict(_Event):
    """What one reviewer says of one exact content together with its task cards."""

    kind: Literal["verdict"]
    scopes: dict[Scope, Digest]
    round: Round
    decisions: dict[Scope, Decision] = Field(min_length=1)
    looked_at: tuple[LookedAt, ...] = Field(strict=False)
    conflict_of_interest: Line
    supersedes: Digests = ()
    """Ids of earlier verdicts of the same reviewer that this one replaces."""
    base: Base | None = None
    """The approved pair that a verdict on one scope only builds on."""
    findings: tuple[Finding, ...] = Field(default=(), strict=False)
    checklist: Digest | None = None
    """Digest of the checklist that ``answers`` answer."""
    answers: dict[Line, Answer] = Field(default_factory=dict)
    deps: dict[str, Digest] | None = None
    """Skill that this one builds on → its content; ``None`` where nothing is said."""
    context: dict[str, Digest] | None = None
    """Dataset → digest of its layout and version; ``None`` where nothing is said."""

    @model_validator(mode="after")
    def _findings_have_names_of_their_own(self) -> Verdict:
        names = [finding.id for finding in self.findings]
        if len(set(names)) < len(names):
            raise ValueError("two findings have the same id")
        return self


class Reveal(_Event):
    """A sealed verdict is shown. ``after`` names every seal of the round, so that none can have followed it."""

    kind: Literal["reveal"]
    seal: Digest
    nonce: str = Field(pattern=r"^[0-9a-f]{64}$")
    verdict: Digest


class Comment(_Event):
    """A remark that decides nothing; its text is the notes."""

    kind: Literal["comment"]
    scope: Scope | None = None
    anchor: Anchor | None = None
    reply_to: Digest | None = None


class Resolve(_Event):
    """A finding is settled: by the version that fixes it, or because it was none."""

    kind: Literal["resolve"]
    finding: FindingRef
    resolution: Literal["fixed", "no defect"]
    fixed_in: Digest | None = None
    """Content that no longer has the defect; asked for with ``fixed``."""
    reason: Line

    @model_validator(mode="after")
    def _a_fix_names_its_version(self) -> Resolve:
        if (self.resolution == "fixed") != (self.fixed_in is not None):
            raise ValueError("'fixed' names the content that fixes it in fixed_in, 'no defect' names none")
        return self


class Consensus(_Event):
    """What the givers of ``verdicts`` agree on. It holds once each of them has recorded the same statement."""

    kind: Literal["consensus"]
    verdicts: Digests = Field(min_length=2)
    decisions: dict[Scope, Decision] = Field(min_length=1)
    resolutions: dict[FindingRef, Line] = Field(default_factory=dict)
    """Finding → how it is settled; one that is not named stays open."""
    rationale: Line
    dissent: str = Field(default="", max_length=4000)
    """What this actor still holds against it."""
    confirms: Digest | None = None
    """The statement of another participant that this one repeats."""


class RuleResult(Part):
    """One rule of the policy as it stood at a sign-off."""

    rule: Line
    passed: bool
    why: Line


class SignOff(_Event):
    """The approval is released for use, on exactly the events it relies on."""

    kind: Literal["sign-off"]
    relied_on: Digests = Field(min_length=1)
    rules: tuple[RuleResult, ...] = Field(min_length=1, strict=False)


class Carry(_Event):
    """One reviewer confirms, on the shown difference, that a change to the approved ``base`` is editorial."""

    kind: Literal["carry"]
    base: Base
    shown: Digest
    """Digest of the difference that was shown."""


class TrialEvidence(_Event):
    """The aggregate result of a trial on exactly this content; never rows."""

    kind: Literal["trial"]
    trial: Line
    task: Line
    agent: Line
    model: str | None
    dataset: Line
    isolated: bool
    n: int = Field(ge=1)
    rewards: dict[Line, Share] = Field(min_length=1)
    """Condition → mean reward, between 0 and 1."""
    columns: dict[Line, dict[Line, Share]] = Field(default_factory=dict)
    """Condition → scored column → match rate."""


class Assignment(_Event):
    """Others are asked to judge from now on; verdicts of ``targets`` are set aside for it."""

    kind: Literal["assign"]
    reviewers: Actors = Field(min_length=1)
    targets: Digests = ()
    reason: Line


class Recusal(_Event):
    """A reviewer will not judge this skill."""

    kind: Literal["recuse"]
    reason: Line


class Withdrawal(_Event):
    """An actor takes back one of their own events."""

    kind: Literal["withdraw"]
    target: Digest
    reason: Line


class Revocation(_Event):
    """Events are declared void: one's own, or anybody's where the policy trusts the actor with it."""

    kind: Literal["revoke"]
    targets: Digests = Field(min_length=1)
    reason: Line


class Override(_Event):
    """Somebody whom the policy trusts with it sets a rule aside, for this text only and visible for ever."""

    kind: Literal["override"]
    rules: tuple[Overridable, ...] = Field(min_length=1, strict=False)
    targets: tuple[str, ...] = Field(default=(), strict=False)
    reason: Line


Event = (
    Opening
    | Seal
    | Verdict
    | Reveal
    | Comment
    | Resolve
    | Consensus
    | SignOff
    | Carry
    | TrialEvidence
    | Assignment
    | Recusal
    | Withdrawal
    | Revocation
    | Override
)
KINDS: Mapping[str, type[Event]] = {
    "open": Opening,
    "seal": Seal,
    "verdict": Verdict,
    "reveal": Reveal,
    "comment": Comment,
    "resolve": Resolve,
    "consensus": Consensus,
    "sign-off": SignOff,
    "carry": Carry,
    "trial": TrialEvidence,
    "assign": Assignment,
    "recuse": Recusal,
    "withdraw": Withdrawal,
    "revoke": Revocation,
    "override": Override,
}

"""What a verdict says, in whole sentences: shown before it is given, and kept in the event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from m4review.reviews.decisions import is_approved_pair
from m4review.reviews.events import Decision
from m4review.reviews.standing import short
from m4review.reviews.status import SkillStatus
from m4review.workspace import Policy, Roster, Scope

SAYS: Mapping[Decision, str] = {
    "approve": "I approve its {scopes}.",
    "approve-with-notes": "I approve its {scopes} and leave notes.",
    "changes": "I ask for changes to its {scopes}.",
    "abstain": "I give no opinion on its {scopes}.",
}
NO_CONFLICT = "none"


def verdict_meaning(
    status: SkillStatus,
    reviewer: str,
    decisions: Mapping[Scope, Decision],
    conflict_of_interest: str,
    policy: Policy,
    roster: Roster,
) -> str:
    """What ``reviewer`` signs with these decisions on the text of ``status``, which must be one that has a digest.

    ``status`` may be as a viewer sees it: an approved round is complete and hides nothing.
    """
    assert status.subject is not None
    subject = status.subject
    return meaning(
        reviewer,
        decisions,
        subject.skill,
        subject.tasks,
        subject.content,
        status.version,
        conflict_of_interest,
        excludes_authors=policy.exclude_authors,
        was_approved=any(
            is_approved_pair(judged.pair, status.verdicts, policy, roster)
            for judged in status.verdicts
            if not judged.hidden
        ),
    )


def meaning(
    reviewer: str,
    decisions: Mapping[Scope, Decision],
    skill: str,
    tasks: Iterable[str],
    content: str,
    version: int | None = None,
    conflict_of_interest: str = NO_CONFLICT,
    *,
    excludes_authors: bool = True,
    was_approved: bool = False,
) -> str:
    """What ``reviewer`` signs with these decisions on this text, as one paragraph.

    ``excludes_authors`` says whether the policy has the author rule, which the reviewer then affirms;
    ``was_approved`` whether an earlier text of the skill, or this one, was ever approved.
    """
    cards = sorted(tasks)
    beside = f" beside its task card{'s' if len(cards) > 1 else ''} {listed(cards)}" if cards else ""
    which = f"version {version} of {skill}" if version is not None else skill
    sentences = [f"As {reviewer} I have read {which}{beside}."]
    for decision, sentence in SAYS.items():
        scopes = [scope for scope, given in decisions.items() if given == decision]
        if scopes:
            sentences.append(sentence.format(scopes=listed(scopes)))
    if excludes_authors:
        what = "what changed since it was last approved" if was_approved else "this text"
        sentences.append(f"I wrote no part of {what}.")
    sentences.append(
        "I have no conflict of interest."
        if conflict_of_interest == NO_CONFLICT
        else f"My conflict of interest: {conflict_of_interest.rstrip('.')}."
    )
    sentences.append(f"This holds for exactly this text ({short(content)}); any change of it ends it.")
    return " ".join(sentences)


def listed(words: Sequence[str]) -> str:
    """``definition, schema and output``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"

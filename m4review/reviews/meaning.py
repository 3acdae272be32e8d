"""What a verdict says, in whole sentences: shown before it is given, and kept in the event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from m4review.reviews.events import Decision
from m4review.reviews.standing import short
from m4review.workspace import Scope

SAYS: Mapping[Decision, str] = {
    "approve": "I approve its {scopes}.",
    "approve-with-notes": "I approve its {scopes} and leave notes.",
    "changes": "I ask for changes to its {scopes}.",
    "abstain": "I give no opinion on its {scopes}.",
}
NO_CONFLICT = "none"


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
) -> str:
    """What ``reviewer`` signs with these decisions on this text, as one paragraph.

    ``excludes_authors`` says whether the policy has the author rule, which the reviewer then affirms.
    """
    cards = sorted(tasks)
    beside = f" beside its task card{'s' if len(cards) > 1 else ''} {_listed(cards)}" if cards else ""
    which = f"version {version} of {skill}" if version is not None else skill
    sentences = [f"As {reviewer} I have read {which}{beside}."]
    for decision, sentence in SAYS.items():
        scopes = [scope for scope, given in decisions.items() if given == decision]
        if scopes:
            sentences.append(sentence.format(scopes=_listed(scopes)))
    if excludes_authors:
        sentences.append("I wrote no part of what changed since it was last approved.")
    sentences.append(
        "I have no conflict of interest."
        if conflict_of_interest == NO_CONFLICT
        else f"My conflict of interest: {conflict_of_interest.rstrip('.')}."
    )
    sentences.append(f"This holds for exactly this text ({short(content)}); any change of it ends it.")
    return " ".join(sentences)


def _listed(words: list[str] | list[Scope]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"

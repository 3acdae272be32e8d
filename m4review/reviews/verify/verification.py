"""A whole verification: every proof about one revision, in the order in which they build on each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from m4review.errors import one_of
from m4review.reviews.verify import eventproofs, ruleproofs, skillproofs
from m4review.reviews.verify.checkpoint import Checkpoint, checkpoint_proof, write_checkpoint
from m4review.reviews.verify.evidence import Evidence, gather
from m4review.reviews.verify.proofs import Proof, Report, VerificationError
from m4review.reviews.verify.since import Bound, bound_at, bound_in, touched
from m4review.reviews.verify.source import opened_source


def verify(
    place: Path,
    revision: str = "HEAD",
    *,
    skills: tuple[str, ...] = (),
    since: str | None = None,
    checkpoint: Checkpoint | None = None,
    keep: Path | None = None,
) -> Report:
    """Prove what can be proven about ``place`` (a clone, bare or shallow too, or an export) at a revision.

    ``skills`` limits whose approval is asked for, ``since`` (a revision) to those that differ from it; the ledger is
    always proven whole. ``checkpoint`` is compared with, and ``keep`` is a file to write a new one to. Nothing else is
    written, and nothing is asked of a network.

    Raises:
        VerificationError: nothing can be verified there.
        M4ReviewError: git failed, ``ssh-keygen`` is missing, or the rules in force cannot be read.
    """
    before: Mapping[str, Bound] | None = None
    if since is not None:
        with opened_source(place, since) as earlier:
            before = bound_at(earlier)
    with opened_source(place, revision) as source:
        evidence = gather(source)
        asked = _asked(evidence, skills)
        if before is not None:
            changed = set(touched(before, bound_in(evidence.ledger.snapshot)))
            asked = tuple(name for name in asked if name in changed)
        report = report_of(evidence, asked, checkpoint)
        if keep is not None:
            write_checkpoint(keep, evidence)
        return report


def report_of(evidence: Evidence, skills: tuple[str, ...], checkpoint: Checkpoint | None = None) -> Report:
    """Every proof about what was gathered; ``skills`` are those whose approval is asked for."""
    proofs: list[Proof] = [
        eventproofs.names_proof(evidence),
        eventproofs.front_matter_proof(evidence),
        eventproofs.unmodified_proof(evidence),
        eventproofs.order_proof(evidence),
        eventproofs.dates_proof(evidence),
        ruleproofs.keys_proof(evidence),
        ruleproofs.signatures_proof(evidence),
        eventproofs.attribution_proof(evidence),
        eventproofs.roster_proof(evidence),
        ruleproofs.chain_proof(evidence),
        ruleproofs.policies_proof(evidence),
        ruleproofs.assurance_proof(evidence),
    ]
    counted = evidence.counting(_without_effect(evidence))
    statuses = skillproofs.states(evidence.workspace, counted, skills)
    shown = skillproofs.as_shown(evidence.workspace, statuses)
    proofs += [
        eventproofs.digests_proof(evidence, statuses),
        skillproofs.reveals_proof(evidence, statuses),
        skillproofs.references_proof(evidence),
        skillproofs.authors_proof(statuses),
        skillproofs.humans_proof(evidence.workspace, statuses),
        skillproofs.blockers_proof(shown),
        skillproofs.consensus_proof(statuses),
        skillproofs.carries_proof(statuses),
        skillproofs.foundations_proof(statuses),
    ]
    if checkpoint is not None:
        proofs.append(checkpoint_proof(evidence, checkpoint))
    return Report(
        source=evidence.source.described,
        revision=evidence.source.revision,
        is_complete=evidence.source.is_complete,
        proofs=tuple(proofs),
        skills=tuple(skillproofs.skill_proof(status) for status in shown.values()),
        levels={event.path: evidence.assurances[event.id].level for event in evidence.ledger.events},
    )


def _asked(evidence: Evidence, skills: tuple[str, ...]) -> tuple[str, ...]:
    """The skills named, or all when none is."""
    snapshot = evidence.ledger.snapshot
    known = tuple(sorted({*snapshot.skills, *snapshot.unreadable}))
    for name in skills:
        if name not in known:
            raise VerificationError(f"no skill {name!r}", where=evidence.source.described, expected=one_of(name, known))
    return skills or known


def _without_effect(evidence: Evidence) -> frozenset[str]:
    """Events that are certainly not what they claim to be: no state may rest on them."""
    found = set()
    for event in evidence.ledger.events:
        why, is_certain = eventproofs.off_roster(evidence, event)
        forged = evidence.assurances[event.id]
        nobody = forged.level == 0 and eventproofs.unattributed(evidence, event) is not None
        if forged.problem or nobody or (why is not None and is_certain):
            found.add(event.id)
    return frozenset(found)

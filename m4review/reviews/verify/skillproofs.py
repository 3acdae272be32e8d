"""Proofs about the skills: each state recomputed under the rules in force, with everything that holds it up."""

from __future__ import annotations

from collections.abc import Mapping

from m4review.reviews.decisions import relied_verdicts
from m4review.reviews.kinds import Carry, Consensus, Event, Reveal, Seal, SignOff, Verdict
from m4review.reviews.ledger import Ledger
from m4review.reviews.overview import full_status
from m4review.reviews.people import humans
from m4review.reviews.rounds import commitment
from m4review.reviews.status import APPROVED_STATES, SkillStatus
from m4review.reviews.subjects import Pair, pair_of
from m4review.reviews.verify.evidence import Evidence
from m4review.reviews.verify.proofs import Outcome, Proof, SkillProof
from m4review.reviews.visibility import as_seen_by
from m4review.workspace import Scope, Workspace

UNDECIDED_STATES = frozenset({"undecided", "not recorded"})


def states(workspace: Workspace, ledger: Ledger, skills: tuple[str, ...]) -> dict[str, SkillStatus]:
    """The state of each skill, nothing withheld."""
    return {skill: full_status(workspace, ledger, skill) for skill in skills}


def as_shown(workspace: Workspace, statuses: Mapping[str, SkillStatus]) -> dict[str, SkillStatus]:
    """The states as anybody may see them: verifying tells nobody what was said before their own verdict."""
    policy, roster = workspace.policy, workspace.roster
    return {skill: as_seen_by(status, None, policy, roster) for skill, status in statuses.items()}


def skill_proof(status: SkillStatus) -> SkillProof:
    """Whether a skill is approved; ``status`` is as it may be shown."""
    outcome: Outcome = "policy not met"
    if status.state in APPROVED_STATES:
        outcome = "proven"
    elif status.state in UNDECIDED_STATES:
        outcome = "cannot decide"
    content = None if status.subject is None else status.subject.content
    return SkillProof(status.skill, status.state, status.label, outcome, content, status.because)


def reveals_proof(evidence: Evidence, statuses: Mapping[str, SkillStatus]) -> Proof:
    """Each reveal opens its seal, none came before enough had sealed, and no seal after another verdict was shown."""
    name = "reveals open their seals, and none came early"
    by_id = {event.id: event for event in evidence.ledger.events}
    broken, count = [], 0
    for event in evidence.ledger.events:
        if not isinstance(event, Reveal) or event.id in evidence.settled:
            continue
        count += 1
        seal, verdict = by_id.get(event.seal), by_id.get(event.verdict)
        if not isinstance(seal, Seal) or not isinstance(verdict, Verdict):
            broken.append(f"{event.path}: its seal or its verdict is not there")
        elif not event.actor == seal.actor == verdict.actor:
            broken.append(f"{event.path}: seal, reveal and verdict are by different people")
        elif not _pair(event) == _pair(seal) == _pair(verdict):
            broken.append(f"{event.path}: seal, reveal and verdict are about another text")
        elif commitment(event.nonce, verdict.raw) != seal.commitment:
            broken.append(f"{event.path}: what is shown is not what was sealed")
    if broken:
        return Proof(name, "integrity failure", f"{len(broken)} do not", tuple(broken))
    shown = {event.verdict for event in by_id.values() if isinstance(event, Reveal)}
    uncovered = [
        f"{judged.verdict.path}: {why}"
        for status in statuses.values()
        if status.judgement is not None and status.subject is not None
        for judged in status.judgement.verdicts
        if judged.verdict.id in shown - evidence.settled and judged.pair == status.subject.pair
        if (why := status.judgement.rounds.refusal(judged.verdict))
    ]
    if uncovered:
        return Proof(name, "policy not met", "verdicts outside of the sealed round", tuple(uncovered))
    return Proof(name, "proven", f"{count} reveals")


def authors_proof(statuses: Mapping[str, SkillStatus]) -> Proof:
    """No verdict that counts is by somebody who had a hand in the text, recomputed from the history."""
    name = "no author judged their own text"
    unknown = [
        f"{judged.verdict.path}: {judged.why}"
        for status in statuses.values()
        for judged in status.verdicts
        if judged.standing == "undecided"
    ]
    if unknown:
        return Proof(name, "cannot decide", "the history is not all here", tuple(unknown))
    void = [
        f"not counted: {judged.verdict.path}: {judged.why}"
        for status in statuses.values()
        for judged in status.verdicts
        if judged.standing == "void"
    ]
    counted = sum(judged.standing == "counts" for status in statuses.values() for judged in status.verdicts)
    return Proof(name, "proven", f"{counted} verdicts count, {len(void)} are void", tuple(void))


def humans_proof(workspace: Workspace, statuses: Mapping[str, SkillStatus]) -> Proof:
    """Every approved scope rests on enough distinct humans, or on an override that is named."""
    name = "enough distinct humans judged every scope"
    roster, policy = workspace.roster, workspace.policy
    same = humans(roster)
    details, overridden, approved = [], [], 0
    for status in statuses.values():
        if status.state not in APPROVED_STATES or status.subject is None or status.judgement is None:
            continue
        approved += 1
        if status.basis == "override":
            overridden.append(f"{status.skill}: approved by an override")
            continue
        people: dict[Scope, set[str]] = {scope: set() for scope in policy.scopes}
        for verdict, scopes in relied_verdicts(status.subject.pair, status.judgement, policy, roster):
            for scope in scopes:
                people[scope].add(same[verdict.actor])
        details += [
            f"{status.skill}: {scope} {len(judged)} of {policy.required}"
            for scope, judged in people.items()
            if len(judged) < policy.required
        ]
    if details:
        return Proof(name, "policy not met", f"{len(details)} skills", tuple(details))
    return Proof(name, "proven", f"{approved} approved skills, {policy.required} humans each", tuple(overridden))


def blockers_proof(statuses: Mapping[str, SkillStatus]) -> Proof:
    """No blocker is open on a skill. ``statuses`` are as anybody may see them; no approval rests on the rest."""
    name = "no blocker is open"
    details = [
        f"{status.skill}: {judged.finding.id} ({judged.finding.scope}), raised by {judged.verdict.actor}: {judged.why}"
        for status in statuses.values()
        for judged in status.findings
        if judged.is_open_blocker
    ]
    if details:
        return Proof(name, "policy not met", f"{len(details)} open", tuple(details))
    return Proof(name, "proven", f"{sum(len(status.findings) for status in statuses.values())} findings looked at")


def consensus_proof(statuses: Mapping[str, SkillStatus]) -> Proof:
    """Every consensus on a present text was confirmed by each participant and rests on verdicts in force."""
    name = "consensus is complete"
    details, holding = [], 0
    for status in statuses.values():
        found = status.consensus
        if found is None:
            continue
        if found.holds:
            holding += 1
        elif found.invalid:
            details.append(f"{found.statement.path}: {found.invalid}")
        else:
            details.append(f"{found.statement.path}: not yet confirmed by {', '.join(found.missing)}")
    if details:
        return Proof(name, "policy not met", f"{len(details)} without effect", tuple(details))
    return Proof(name, "proven", f"{holding} in force")


def carries_proof(statuses: Mapping[str, SkillStatus]) -> Proof:
    """Every carry on a present text confirms a change that is editorial by its own difference, recomputed here."""
    name = "carried approvals are editorial"
    void, holding = [], 0
    for status in statuses.values():
        judgement = status.judgement
        if judgement is None:
            continue
        for event in judgement.events:
            if isinstance(event, Carry):
                why = judgement.carries.get(event.id, "")
                holding += not why
                void += [f"not counted: {event.path}: {why}"] if why else []
    return Proof(name, "proven", f"{holding} in force, {len(void)} without effect", tuple(void))


def foundations_proof(statuses: Mapping[str, SkillStatus]) -> Proof:
    """What an approved skill builds on is what its reviewers knew: other skills, the dataset it is written for."""
    name = "dependencies and context are current"
    details = [
        f"{status.skill}: {what} changed since it was judged: {', '.join(names)}"
        for status in statuses.values()
        for what, names in (("a skill it builds on", status.suspect), ("its dataset", status.lapsed))
        if names
    ]
    if details:
        return Proof(name, "policy not met", f"{len(details)} skills", tuple(details))
    return Proof(name, "proven", f"{len(statuses)} skills")


def references_proof(evidence: Evidence) -> Proof:
    """What consensus and sign-off say they rest on is in the ledger."""
    known = {event.id for event in evidence.ledger.events}
    details = []
    for event in evidence.ledger.events:
        relied = (
            event.verdicts if isinstance(event, Consensus) else event.relied_on if isinstance(event, SignOff) else ()
        )
        details += [f"{event.path}: rests on {one[:19]}, which is not there" for one in relied if one not in known]
    name = "what events rest on is there"
    if details:
        return Proof(name, "integrity failure", f"{len(details)} missing", tuple(details))
    return Proof(name, "proven", "every verdict that a consensus or sign-off names")


def _pair(event: Event) -> Pair:
    return pair_of(event.content, event.tasks.values())

"""Coming to one mind: the consensus after a disagreement, the carry of an editorial change, the sign-off."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from m4review.errors import LedgerError
from m4review.reviews.acts import Act, Plan, Scene, one_line
from m4review.reviews.consensus import disagreements
from m4review.reviews.decisions import given_decisions, is_approved
from m4review.reviews.eventparts import DECISIONS, Decision
from m4review.reviews.findings import JudgedFinding
from m4review.reviews.kinds import Verdict
from m4review.reviews.meaning import SAYS, listed
from m4review.reviews.people import humans
from m4review.reviews.releases import policy_results, relied_on
from m4review.reviews.remarks import find_finding
from m4review.reviews.standing import short
from m4review.workspace import Scope


def open_questions(scene: Scene) -> tuple[tuple[Scope, ...], tuple[JudgedFinding, ...]]:
    """What the reviewers have to agree on: the scopes on which they differ, and the findings of this text still open.

    What all said alike is not asked again.

    Raises:
        LedgerError: the round is not complete, so there is nothing to compare yet.
    """
    decisions = given_decisions(scene.subject.pair, scene.judgement, scene.policy, scene.roster)
    if scene.status.given < scene.policy.required:
        raise LedgerError(
            f"{scene.status.given} of {scene.policy.required} verdicts are given; a consensus comes after the round",
            where=scene.subject.skill,
        )
    findings = tuple(
        found for found in scene.status.findings if found.is_open and found.verdict.content == scene.subject.content
    )
    return disagreements(decisions, scene.policy.scopes), findings


def propose(
    decisions: Mapping[Scope, Decision],
    rationale: str,
    *,
    resolutions: Mapping[str, str] | None = None,
    dissent: str = "",
) -> Plan:
    """Put a consensus forward: a decision per scope that is disputed, and how findings are settled."""

    def plan(scene: Scene) -> Act:
        asked, _ = open_questions(scene)
        inputs = scene.judgement.in_force(scene.subject.pair)
        _require_participant(scene, inputs)
        missing = [scope for scope in asked if scope not in decisions]
        extra = [scope for scope in decisions if scope not in asked]
        if missing:
            raise LedgerError(
                f"the reviewers disagree on {', '.join(missing)}", expected="a decision: " + ", ".join(DECISIONS)
            )
        if extra:
            raise LedgerError(
                f"there is no disagreement on {', '.join(extra)}", expected=", ".join(asked) or "no scope"
            )
        if not asked and not resolutions:
            raise LedgerError("there is no disagreement to settle", where=scene.subject.skill)
        agreed = given_decisions(scene.subject.pair, scene.judgement, scene.policy, scene.roster)
        said: dict[Scope, Decision] = {
            scope: decisions[scope] if scope in decisions else _shared(agreed, scope) for scope in scene.policy.scopes
        }
        settled = {
            find_finding(scene.status.findings, name).ref: one_line(text, "how the finding is settled")
            for name, text in (resolutions or {}).items()
        }
        return _act(scene, inputs, said, settled, one_line(rationale, "the rationale"), dissent, None)

    return plan


def confirm(dissent: str = "") -> Plan:
    """Confirm the consensus that another participant put forward, with or without a dissent."""

    def plan(scene: Scene) -> Act:
        consensus = scene.status.consensus
        if consensus is None or consensus.invalid:
            raise LedgerError(
                "there is no consensus to confirm" + (f": {consensus.invalid}" if consensus else ""),
                where=scene.subject.skill,
                fix="put one forward: m4review review consensus, with a decision per disputed scope",
            )
        inputs = scene.judgement.in_force(scene.subject.pair)
        _require_participant(scene, inputs)
        same = humans(scene.roster)
        if same[scene.person.id] in {same[actor] for actor in consensus.confirmed}:
            raise LedgerError(f"{scene.person.id} has confirmed it already", where=consensus.statement.path)
        said = consensus.statement
        return _act(scene, inputs, said.decisions, said.resolutions, said.rationale, dissent, said.id)

    return plan


def carry(shown: str) -> Plan:
    """Confirm that the change since the approved text is editorial; ``shown`` is the difference that was shown."""

    def plan(scene: Scene) -> Act:
        base = approved_base(scene)
        if base is None:
            raise LedgerError("no earlier text of this skill is approved, so nothing can be carried over")
        change = scene.judgement.change_of(_pair(base), scene.subject.pair)
        if change is None or change.kind != "editorial":
            lost = f"the approved text {short(base.content)} is in no recorded version any more (history was rewritten)"
            why = f"what changed cannot be told: {lost}" if change is None else f"it is {change.kind}: {change.why}"
            raise LedgerError(f"the change is not editorial; {why}", fix="give a verdict: m4review review verdict")
        if scene.policy.editorial != "carry":
            raise LedgerError("the policy asks for a full review of editorial changes too", where="reviews/policy.toml")
        excluded = scene.status.excluded
        if excluded is None or scene.person.id in excluded:
            raise LedgerError(
                "who changed the text cannot be told" if excluded is None else excluded[scene.person.id],
                expected="a reviewer who wrote no part of it",
            )
        values = {
            "base": {"content": base.content, "tasks": dict(base.tasks)},
            "shown": "sha256:" + hashlib.sha256(shown.encode()).hexdigest(),
        }
        meaning = (
            f"As {scene.person.id} I have seen the difference between the approved text {short(base.content)} of "
            f"{scene.subject.skill} and {short(scene.subject.content)}. It is editorial: {change.why}. The approval "
            "holds for the new text too."
        )
        return Act("carry", meaning, values)

    return plan


def sign_off() -> Plan:
    """Release an approved text for use, with the result of every rule of the policy."""

    def plan(scene: Scene) -> Act:
        status, subject = scene.status, scene.subject
        results = policy_results(subject, scene.judgement, status.consensus, scene.policy, scene.roster)
        failed = [result for result in results if not result.passed]
        if status.state not in {"approved", "signed off"} or failed:
            shown = scene.seen
            missing = [] if shown.decisions_hidden else [f"{result.rule}: {result.why}" for result in failed]
            raise LedgerError(
                f"only an approved text is signed off; the state of {subject.skill} is: {shown.label}",
                where=subject.skill,
                expected="; ".join(missing) or "an approved text",
            )
        if status.sign_off is not None:
            raise LedgerError(f"it is signed off already ({status.sign_off.path})", where=subject.skill)
        excluded = status.excluded
        if excluded is None or scene.person.id in excluded:
            raise LedgerError(
                "who changed the text cannot be told" if excluded is None else excluded[scene.person.id],
                expected="somebody who wrote no part of it",
            )
        ids = relied_on(subject.pair, scene.judgement, status.consensus, scene.policy)
        rules = "; ".join(f"{result.rule}: {result.why}" for result in results)
        meaning = (
            f"As {scene.person.id} I release {subject.skill} ({short(subject.content)}) for use, relying on "
            f"{len(ids)} events. {rules[:3000]}."
        )
        return Act(
            "sign-off",
            meaning,
            {"relied_on": list(ids), "rules": [result.model_dump(mode="json") for result in results]},
        )

    return plan


def approved_base(scene: Scene) -> Verdict | None:
    """A verdict on the approved text that the present one replaces, or ``None`` where there is none."""
    stale = scene.status.stale
    if stale is None or not stale.was_approved:
        return None
    verdict = next((one.verdict for one in scene.status.verdicts if one.verdict.id == stale.since), None)
    if verdict is None or not is_approved(_pair(verdict), scene.judgement, scene.policy, scene.roster):
        return None
    return verdict


def _pair(verdict: Verdict) -> tuple[str, tuple[str, ...]]:
    return verdict.content, tuple(sorted(verdict.tasks.values()))


def _shared(decisions: Mapping[str, Mapping[Scope, Decision]], scope: Scope) -> Decision:
    given = {by_scope[scope] for by_scope in decisions.values() if scope in by_scope}
    return given.pop() if len(given) == 1 else "approve-with-notes"


def _require_participant(scene: Scene, inputs: tuple[Verdict, ...]) -> None:
    same = humans(scene.roster)
    if same[scene.person.id] not in {same[verdict.actor] for verdict in inputs}:
        raise LedgerError(
            f"{scene.person.id} gave no verdict on this text, and a consensus is of those who did",
            expected=", ".join(sorted({verdict.actor for verdict in inputs})),
        )


def _act(
    scene: Scene,
    inputs: tuple[Verdict, ...],
    decisions: Mapping[Scope, Decision],
    resolutions: Mapping[str, str],
    rationale: str,
    dissent: str,
    confirms: str | None,
) -> Act:
    said = " ".join(
        sentence.replace("I approve", "We approve")
        .replace("I ask", "We ask")
        .replace("I give", "We give")
        .format(scopes=listed([scope for scope in decisions if decisions[scope] == decision]))
        for decision, sentence in SAYS.items()
        if decision in decisions.values()
    )
    verb = "confirm" if confirms else "put forward"
    meaning = (
        f"As {scene.person.id} I {verb} this consensus of {', '.join(sorted({one.actor for one in inputs}))} on "
        f"{scene.subject.skill} ({short(scene.subject.content)}): {said} Because: {rationale}"
    )
    if resolutions:
        meaning += f" It settles {len(resolutions)} finding{'s' if len(resolutions) > 1 else ''}."
    if dissent.strip():
        meaning += f" I still hold against it: {' '.join(dissent.split())}"
    return Act(
        "consensus",
        meaning,
        {
            "verdicts": [verdict.id for verdict in inputs],
            "decisions": dict(decisions),
            "resolutions": dict(resolutions),
            "rationale": rationale,
            "dissent": dissent.strip(),
            "confirms": confirms,
        },
        texts=(rationale, dissent, *resolutions.values()),
    )

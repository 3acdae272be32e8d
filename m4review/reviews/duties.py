"""Who judges and who does not: assigning, stepping back, taking back, declaring void, setting a rule aside."""

from __future__ import annotations

from collections.abc import Sequence

from m4review.errors import LedgerError
from m4review.reviews.acts import Act, Plan, Scene, one_line
from m4review.reviews.effects import may_revoke
from m4review.reviews.eventparts import OVERRIDABLE, Overridable
from m4review.reviews.kinds import Event, Withdrawal
from m4review.reviews.people import humans
from m4review.reviews.remarks import find_finding


def assign(reviewers: Sequence[str], reason: str, *, instead_of: Sequence[str] = ()) -> Plan:
    """Ask others to judge; the verdicts in force of those ``instead_of`` whom they come are set aside, recorded."""

    def plan(scene: Scene) -> Act:
        asked = tuple(dict.fromkeys(scene.roster.get(name).id for name in reviewers))
        away = tuple(dict.fromkeys(scene.roster.get(name).id for name in instead_of))
        if not asked:
            raise LedgerError("an assignment names who is to judge", fix="--reviewer C2")
        if set(asked) & set(away):
            raise LedgerError(f"{', '.join(sorted(set(asked) & set(away)))} cannot stand in for themselves")
        same = humans(scene.roster)
        if same[scene.person.id] in {same[name] for name in away}:
            raise LedgerError("your own verdict is taken back, not set aside", fix="m4review review withdraw")
        excluded = scene.status.excluded or {}
        if away and (scene.status.excluded is None or scene.person.id in excluded):
            raise LedgerError(
                f"{scene.person.id} had a hand in this text; an author sets no verdict aside",
                expected="a reviewer who wrote no part of it",
            )
        targets = [one.id for one in scene.judgement.in_force(scene.subject.pair) if one.actor in away]
        why = one_line(reason, "the reason")
        said = f"As {scene.person.id} I ask {', '.join(asked)} to judge {scene.subject.skill}"
        said += f" instead of {', '.join(away)}" if away else ""
        said += f" and set aside {len(targets)} verdict{'s' if len(targets) != 1 else ''} for it" if targets else ""
        return Act(
            "assign",
            f"{said}, because {why}",
            {"reviewers": list(asked), "targets": targets, "reason": why},
            texts=(why,),
        )

    return plan


def recuse(reason: str) -> Plan:
    """Step back from judging the skill."""

    def plan(scene: Scene) -> Act:
        why = one_line(reason, "the reason")
        if humans(scene.roster)[scene.person.id] in scene.judgement.effects.recused:
            raise LedgerError(f"{scene.person.id} has stepped back already", where=scene.subject.skill)
        said = f"As {scene.person.id} I will not judge {scene.subject.skill}, and my verdicts on it do not count: {why}"
        return Act("recuse", said, {"reason": why}, texts=(why,))

    return plan


def withdraw_event(name: str, reason: str) -> Plan:
    """Take back one of one's own events, named by its path, its id or the beginning of either."""

    def plan(scene: Scene) -> Act:
        target = find_event(scene, name)
        if target.actor != scene.person.id:
            raise LedgerError(f"the event is of {target.actor}", where=target.path, expected="an event of your own")
        if isinstance(target, Withdrawal):
            raise LedgerError("a withdrawal cannot be taken back", where=target.path, fix="record what holds now anew")
        if target.id in scene.judgement.effects.withdrawn:
            raise LedgerError("it was taken back already", where=target.path)
        why = one_line(reason, "the reason")
        said = f"As {scene.person.id} I take back my {target.kind} {target.path} on {scene.subject.skill}: {why}"
        return Act("withdraw", said, {"target": target.id, "reason": why}, texts=(why,))

    return plan


def revoke(names: Sequence[str], reason: str) -> Plan:
    """Declare events void: one's own, or anybody's where the policy trusts the actor with it."""

    def plan(scene: Scene) -> Act:
        targets = [find_event(scene, name) for name in names]
        if not targets:
            raise LedgerError("a revocation names events", fix="--event PATH")
        for target in targets:
            if not may_revoke(scene.person.id, target, scene.policy):
                raise LedgerError(
                    f"{scene.person.id} may not revoke this event of {target.actor}",
                    where=target.path,
                    expected="an event of your own, or an actor whom the policy names under may_override",
                )
        why = one_line(reason, "the reason")
        paths = ", ".join(target.path for target in targets)
        said = f"As {scene.person.id} I declare void: {paths}, because {why}"
        return Act("revoke", said, {"targets": [target.id for target in targets], "reason": why}, texts=(why,))

    return plan


def override(rules: Sequence[Overridable], reason: str, *, findings: Sequence[str] = ()) -> Plan:
    """Set rules aside for exactly this text; it stays visible for ever."""

    def plan(scene: Scene) -> Act:
        if scene.person.id not in scene.policy.may_override:
            raise LedgerError(
                f"{scene.person.id} may not set a rule aside",
                where="reviews/policy.toml",
                expected="somebody whom may_override names: " + (", ".join(scene.policy.may_override) or "nobody"),
            )
        if not rules:
            raise LedgerError("an override names the rules", expected="one of " + ", ".join(OVERRIDABLE))
        refs = [find_finding(scene.seen.findings, name).ref for name in findings]
        why = one_line(reason, "the reason")
        said = (
            f"As {scene.person.id} I set aside for this text of {scene.subject.skill}: {', '.join(rules)}, because "
            f"{why} This is shown with the skill for ever."
        )
        values = {"rules": list(dict.fromkeys(rules)), "targets": refs, "reason": why}
        return Act("override", said, values, texts=(why,))

    return plan


def find_event(scene: Scene, name: str) -> Event:
    """The one event of the skill that ``name`` means: path, id, or the beginning of an id or file name.

    Raises:
        LedgerError: there is none, or several.
    """
    whole = [event for event in scene.judgement.events if name in {event.id, event.path}]
    fit = whole or [
        event
        for event in scene.judgement.events
        if name
        and (event.id[7:].startswith(name.removeprefix("sha256:")) or event.path.rpartition("/")[2].startswith(name))
    ]
    if len(fit) != 1:
        raise LedgerError(
            f"{'no' if not fit else 'more than one'} event {name!r}",
            where=scene.subject.skill,
            expected="the path or the id of an event, m4review review status",
        )
    return fit[0]

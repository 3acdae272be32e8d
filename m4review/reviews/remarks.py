"""Comments on passages, and settling findings."""

from __future__ import annotations

from typing import Literal

from m4review.errors import LedgerError, one_of
from m4review.reviews.acts import Act, Plan, Scene, one_line
from m4review.reviews.anchors import anchor_at
from m4review.reviews.digests import is_digest
from m4review.reviews.eventparts import SEVERITIES, Anchor, Finding, Severity
from m4review.reviews.findings import JudgedFinding
from m4review.reviews.people import humans
from m4review.reviews.standing import short
from m4review.skills import SKILL_FILE
from m4review.workspace import SCOPES, Scope


def comment(
    text: str, *, scope: Scope | None = None, quote: str = "", nth: int = 1, reply_to: str | None = None
) -> Plan:
    """Say something that decides nothing, about the whole text, a scope, or the ``nth`` place of a quoted passage."""

    def plan(scene: Scene) -> Act:
        if not text.strip():
            raise LedgerError("a comment needs a text")
        anchor = _anchor(scene, quote, nth) if quote else None
        target = _event(scene, reply_to) if reply_to else None
        about = f" on “{' '.join(quote.split())}”" if quote else ""
        return Act(
            "comment",
            f"As {scene.person.id} I comment on {scene.subject.skill}{about}; this decides nothing.",
            {"scope": scope, "anchor": None if anchor is None else _anchor_values(anchor), "reply_to": target},
            notes=text,
            texts=(quote,),
        )

    return plan


def resolve(
    finding: str, resolution: Literal["fixed", "no defect"], reason: str, *, fixed_in: str | None = None
) -> Plan:
    """Settle one's own finding: by the version that fixes it (the present one by default), or because it was none."""

    def plan(scene: Scene) -> Act:
        found = find_finding(scene.seen.findings, finding)
        same = humans(scene.roster)
        if same.get(found.verdict.actor) != same[scene.person.id]:
            raise LedgerError(
                f"the finding is of {found.verdict.actor}, who settles it",
                where=found.ref,
                expected="a finding of your own",
                fix="settle it together with 'm4review review consensus'",
            )
        fix = (fixed_in or scene.subject.content) if resolution == "fixed" else None
        if fix is not None and not is_digest(fix):
            raise LedgerError(f"{fix!r} is no content digest", expected="sha256: and 64 hexadecimal digits")
        if fix is not None and fix == found.verdict.content:
            raise LedgerError(
                "the text on which it was found cannot be the one that fixes it",
                where=found.ref,
                fix="record the version that fixes it first; if it was no defect, say so: --no-defect",
            )
        if fix is not None and scene.ledger.snapshot.files_of(fix) is None:
            raise LedgerError(f"the text {short(fix)} is in no recorded version", fix="name a recorded version")
        why = one_line(reason, "the reason")
        said = f"is fixed in the text {short(fix)}" if fix else "was no defect"
        return Act(
            "resolve",
            f"As {scene.person.id} I say that my finding {found.finding.id!r} on {scene.subject.skill} {said}: {why}",
            {"finding": found.ref, "resolution": resolution, "fixed_in": fix, "reason": why},
            texts=(why,),
        )

    return plan


def find_finding(findings: tuple[JudgedFinding, ...], name: str) -> JudgedFinding:
    """The finding that ``name`` means: its whole reference, or a name or the beginning of a reference that is unique.

    Raises:
        LedgerError: there is none, or several.
    """
    fit = [found for found in findings if found.ref == name] or [
        found for found in findings if found.finding.id == name or f"{short(found.ref)}#{found.finding.id}" == name
    ]
    if len(fit) != 1:
        known = [f"{short(found.ref)}#{found.finding.id}" for found in findings]
        raise LedgerError(
            f"{'no' if not fit else 'more than one'} finding {name!r}",
            expected=one_of(name, known) if known else "none",
        )
    return fit[0]


def parse_finding(text: str, number: int, skill_text: str) -> Finding:
    """A finding as typed: ``severity scope: text`` and, where it is about a passage, ``severity scope "quote": text``.

    Raises:
        LedgerError: not of this form, or the passage is not in the text.
    """
    head, _, said = text.partition(": ")
    quote = ""
    if '"' in head:
        before, _, rest = text.partition('"')
        quote, _, after = rest.partition('"')
        head, said = before, after.lstrip(": ")
    words = head.split()
    if len(words) != 2 or words[0] not in SEVERITIES or words[1] not in SCOPES or not said.strip():
        raise LedgerError(
            f"{text!r} is not a finding",
            expected='SEVERITY SCOPE: TEXT or SEVERITY SCOPE "QUOTE": TEXT; severity is one of '
            + ", ".join(SEVERITIES)
            + "; scope is one of "
            + ", ".join(SCOPES),
        )
    severity: Severity = words[0]
    scope: Scope = words[1]
    anchor = anchor_at(skill_text, quote) if quote else None
    return Finding(id=f"f{number}", scope=scope, severity=severity, text=" ".join(said.split()), anchor=anchor)


def skill_text(scene: Scene) -> str:
    """The recorded SKILL.md of the scene."""
    return scene.ledger.snapshot.skills[scene.subject.skill][SKILL_FILE].decode("utf-8")


def _anchor(scene: Scene, quote: str, nth: int) -> Anchor:
    return anchor_at(skill_text(scene), quote, nth=nth)


def _anchor_values(anchor: Anchor) -> dict[str, object]:
    return anchor.model_dump(mode="json")


def _event(scene: Scene, identity: str) -> str:
    fit = [event.id for event in scene.judgement.events if event.id.startswith(identity) or event.path == identity]
    if len(fit) != 1:
        raise LedgerError(f"no event {identity!r} of {scene.subject.skill}", expected="an id or path of one event")
    return fit[0]

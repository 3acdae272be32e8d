"""The line above a packet: why no verdict can be given, what to read, what to do next."""

from __future__ import annotations

from m4review.reviews.meaning import listed
from m4review.reviews.waiting import change_asked
from m4review.tui.render.states import DEMONSTRATION, state_line
from m4review.tui.session.packet import Packet

NEXT_STEPS = {
    "reveal": "Enough verdicts are sealed: F2, then r, shows yours.",
    "confirm": "A consensus waits for you: F8 shows it, and F3 there confirms it.",
    "consensus": "The reviewers differ, or a finding is open: F8 settles it together.",
    "sign_off": "It is approved: F2, then s, signs it off.",
    "carry": "The change since the approved text is editorial: F2, then c, carries the approval over.",
}


def review_headline(packet: Packet, *, is_demonstration: bool) -> str:
    """Which skill, who reviews it, in which state it is; and whether nothing of it counts."""
    where = f"{DEMONSTRATION} · Review" if is_demonstration else "Review"
    return f"{where} · {packet.skill} · {packet.viewer or 'just looking'} · {state_line(packet.status).plain}"


def notice_of(packet: Packet) -> str:
    """What the reviewer should know before they read; empty where there is nothing to say."""
    if packet.rules_not_in_force:
        return " ".join([*packet.rules_not_in_force, _notice(packet)]).rstrip()
    return _notice(packet)


def _notice(packet: Packet) -> str:
    steps = [NEXT_STEPS[step] for step in _possible(packet)]
    consensus = packet.status.consensus
    if not steps and consensus is not None and not consensus.invalid and consensus.missing:
        steps = [f"A consensus waits for {', '.join(consensus.missing)}."]
    is_over = packet.status.state == "changes requested" and packet.status.given >= packet.status.required
    asked = change_asked(packet.status) if is_over else ""
    if not steps and asked:
        steps = [f"{asked[:1].upper()}{asked[1:]}: somebody now makes the change in the editor and records it."]
    if packet.refusal is not None:
        return " ".join(
            [
                f"You cannot give a verdict now: {packet.refusal.what}.",
                *_record_first(packet),
                *([] if asked else _who_else(packet)),
                *steps[:1],
            ]
        )
    if packet.replaces:
        return " ".join(["You gave a verdict on this text; a new one replaces it.", *steps[:1]])
    parts = [packet.why_no_change] if packet.since_mine is None else []
    if packet.scopes != packet.policy.scopes:
        parts.append(f"Only {listed(packet.scopes)} changed since the approval and needs a decision.")
    return " ".join([*parts, *steps[:1]])


def _record_first(packet: Packet) -> list[str]:
    """How a text that is not recorded becomes one that can be judged."""
    can_be = packet.viewer is not None and packet.status.subject is not None and not packet.status.is_recorded
    return ["F2 in the editor records it."] if can_be else []


def _who_else(packet: Packet) -> list[str]:
    """Who can judge the text in place of somebody who wrote it, and which keys ask them."""
    if packet.viewer is None or packet.viewer not in (packet.status.excluded or {}):
        return []
    if not packet.others:
        return ["Nobody else on the roster can judge it now."]
    return [f"{listed(packet.others)} can: F2, then o, asks for a review."]


def _possible(packet: Packet) -> list[str]:
    """The steps that can be done now; a consensus is no step any more once it holds, and one to wait for until then."""
    consensus = packet.status.consensus
    steps = [act for act in NEXT_STEPS if act in packet.refusals and packet.refusals[act] is None]
    if consensus is None or consensus.invalid or "consensus" not in steps:
        return steps
    steps.remove("consensus")
    return ["confirm", *steps] if packet.viewer in consensus.missing else steps

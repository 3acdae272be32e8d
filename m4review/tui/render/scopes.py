"""Which part of a text belongs to which scope, and what changed that made which of them stale."""

from __future__ import annotations

from rich.text import Text

from m4review.tui.session.packet import Packet

BRACKETS = "In brackets after stale: the scopes whose part of the text changed since it was judged."
ALL_AGAIN = (
    "A verdict is on one exact text, so the ballot asks for every scope anew; only where one scope alone changed since "
    "the approval is just that one asked for."
)


def scopes_text(packet: Packet) -> Text:
    """What changed, with its scopes, where the state is stale; then the headings that the policy names for each."""
    text = Text() if packet.status.stale is None else Text(f"  {BRACKETS}\n  {ALL_AGAIN}\n")
    for title, scopes in packet.changed_parts.items():
        whose = "all scopes" if scopes == packet.policy.scopes else ", ".join(scopes)
        text.append(f"  changed: {title} → {whose}\n", "bold")
    for scope in packet.policy.scopes:
        text.append(f"  {scope}: {', '.join(packet.policy.sections.get(scope, ())) or 'no heading of its own'}\n")
    return text.append("  What stands under any other heading, or before the first one, belongs to all of them.")

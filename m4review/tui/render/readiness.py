"""What is there and what is missing, in words with a sign in front."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from m4review.readiness import Check

THERE, MISSING, OPTIONAL = "✓ there  ", "✗ missing", "– not yet"


def check_row(check: Check, width: int) -> Text:
    """``✓ there    git   2.39.5``; ``width`` is that of the longest name."""
    state = THERE if check.ok else MISSING if check.need == "needed" else OPTIONAL
    return (
        Text()
        .append(f"{state}  ")
        .append(f"{check.name:<{width}}", "" if check.ok else "bold")
        .append(f"  {check.detail}", "dim" if check.ok else "")
    )


def check_text(check: Check, remedies: Mapping[str, str]) -> Text:
    """Everything about one check: what was found, what Enter does about it, and the command that does the same."""
    text = Text().append(f"{check.name}: ", "bold").append(check.detail)
    if check.ok:
        return text
    if check.name in remedies:
        text.append(f"\n{remedies[check.name]}", "bold")
    return text.append(f"\nTo fix by hand: {check.fix}") if check.fix else text

"""Findings and comments of a review: what was said, by whom, whether it is open, and where its passage stands now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from m4review.reviews.anchors import locate

if TYPE_CHECKING:
    from m4review.reviews.eventparts import Anchor, Finding
    from m4review.reviews.findings import JudgedFinding
    from m4review.reviews.kinds import Comment

OPEN, SETTLED, OWN = "○", "●", "+"


def draft_entry(finding: Finding) -> Text:
    """A finding that belongs to the verdict that is not given yet."""
    text = Text().append(f"{OWN} {finding.id} {finding.severity} · {finding.scope} · not given yet", "bold")
    if finding.anchor is not None:
        text.append(f"\n    line {finding.anchor.line}: “{_line(finding.anchor.quote)}”", "italic")
    return text.append_text(_said(finding))


def finding_entry(found: JudgedFinding, source: str) -> Text:
    """A finding of a recorded verdict; ``source`` is the present text, in which its passage is looked up."""
    finding = found.finding
    state = f"{OPEN} open" if found.is_open else f"{SETTLED} settled"
    text = Text().append(f"{state} · {finding.severity} · {finding.scope} · {found.verdict.actor}", "bold")
    text.append(f" · {found.why}")
    if finding.anchor is not None:
        text.append(f"\n    {place_of(finding.anchor, source)}", "italic")
    return text.append_text(_said(finding))


def comment_entry(comment: Comment, source: str) -> Text:
    """A comment, which decides nothing."""
    about = f" · {comment.scope}" if comment.scope else ""
    text = Text().append(f"“ {comment.actor} · {comment.at[:10]}{about}", "bold")
    if comment.anchor is not None:
        text.append(f"\n    {place_of(comment.anchor, source)}", "italic")
    return text.append(f"\n    {comment.notes.strip()}")


def place_of(anchor: Anchor, source: str) -> str:
    """Where a quoted passage stands in the text now; one that is gone comes with what stood around it."""
    found = locate(source, anchor)
    if found.line is None:
        return f"the passage is gone: {_line(f'{anchor.prefix}[{anchor.quote}]{anchor.suffix}')}"
    where = f"line {found.line}" if found.place == "exact" else f"line {found.line} (moved)"
    return f"{where}: “{_line(anchor.quote)}”"


def _said(finding: Finding) -> Text:
    text = Text(f"\n    {finding.text}")
    if finding.proposed:
        text.append(f"\n    Proposed: {finding.proposed}")
    if finding.reference:
        text.append(f"\n    Reference: {finding.reference}")
    return text


def _line(text: str) -> str:
    return " ".join(text.split())

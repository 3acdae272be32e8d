"""The computed state of a skill in words with a glyph in front; the words alone say everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from m4review.reviews import JudgedVerdict, SkillStatus

GLYPHS = {
    "draft": "○",
    "in review": "◐",
    "approved": "●",
    "signed off": "◉",
    "consensus pending": "≈",
    "suspect": "‽",
    "lapsed": "◌",
    "withdrawn": "○",
    "changes requested": "✎",
    "disputed": "≠",
    "stale": "◌",
    "not recorded": "·",
    "undecided": "?",
}
STYLES = {"approved": "green", "changes requested": "yellow", "disputed": "yellow", "stale": "yellow"}
BROKEN = "✗"


def state_line(status: SkillStatus) -> Text:
    """``● approved``, ``◐ in review (1 of 2)``; says also when the text on disk is not recorded."""
    text = Text().append(f"{GLYPHS.get(status.state, '·')} {status.label}", STYLES.get(status.state, ""))
    if not status.is_recorded and status.state != "not recorded":
        text.append(" · not recorded yet")
    return text


def status_text(status: SkillStatus) -> Text:
    """The state, what it rests on, and every verdict with its standing."""
    text = state_line(status)
    for sentence in status.because:
        text.append(f"\n  {sentence}")
    if status.verdicts:
        text.append("\n\nVerdicts\n", "bold")
        text.append_text(Text("\n").join(verdict_text(judged) for judged in status.verdicts))
    else:
        text.append("\n\nNo verdict has been given yet.")
    for reviewer, why in sorted((status.excluded or {}).items()):
        text.append(f"\n{reviewer} cannot review this text: {why}.", "italic")
    return text


def verdict_text(judged: JudgedVerdict) -> Text:
    """One verdict: who, when, what they decided, and whether it counts now."""
    verdict = judged.verdict
    text = Text()
    text.append(verdict.actor, "bold").append(f" · {verdict.time:%Y-%m-%d} · {judged.standing}: {judged.why}")
    if judged.hidden:
        return text.append(f"\n    {verdict.meaning}", "italic")
    for scope, decision in verdict.decisions.items():
        text.append(f"\n    {scope}: {decision.replace('-', ' ')}")
    if verdict.notes.strip():
        text.append(f"\n    “{verdict.notes.strip()}”", "italic")
    return text

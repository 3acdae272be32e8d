"""Findings and the checklist as conversations: writing one, settling or opening one again, answering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.reviews.anchors import locate
from m4review.reviews.checklists import Question as Item
from m4review.reviews.duties import withdraw_event
from m4review.reviews.eventparts import SEVERITIES, Answer, Finding
from m4review.reviews.findings import JudgedFinding
from m4review.reviews.kinds import Resolve
from m4review.reviews.remarks import resolve
from m4review.tui.render.remarks import finding_entry
from m4review.tui.screens.acting import give, scene_here
from m4review.tui.screens.dialogs import Choice, LineOfText, Question
from m4review.tui.screens.form import Field, Form
from m4review.tui.session.passages import Passage, written_finding
from m4review.tui.session.possible import own_events

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen
    from m4review.tui.session.packet import Packet
    from m4review.workspace import Scope

ANSWERS: tuple[Answer, ...] = ("yes", "no", "not applicable")


ASKED = "No answer is required for a verdict; those that you give are kept with it."
"""What the checklist is for: no rule of the policy counts its answers."""


async def write_finding(
    screen: ActionScreen, text: str, passage: Passage, scopes: Sequence[Scope], written: Sequence[Finding]
) -> Finding | None:
    """Ask what was found in the passage of ``text``, on one of ``scopes``; ``None`` when the person went back.

    Raises:
        LedgerError: what was filled in is no finding.
    """
    about = Text("About: ", "bold").append(f"“{passage.line}”" if passage.quote else "the whole text", "italic")
    values = await screen.app.push_screen_wait(
        Form(
            "A finding; it is given with your verdict",
            (
                Field("severity", "How grave (a blocker holds every approval):", SEVERITIES),
                Field("scope", "Scope:", tuple(scopes)),
                Field("text", "What is wrong:"),
                Field("proposed", "What you propose instead:", required=False),
                Field("reference", "Literature:", required=False, hint="for example a DOI"),
            ),
            about,
        )
    )
    return None if values is None else written_finding(text, passage, values, [one.id for one in written])


async def answer_questions(
    screen: ActionScreen, questions: Sequence[Item], given: Mapping[str, Answer]
) -> dict[str, Answer] | None:
    """Ask every question of the checklist; the answers, or ``None`` when the person went back."""
    fields = []
    group = ""
    for number, question in enumerate(questions):
        head = f"{question.group}\n" if question.group != group else ""
        group = question.group
        value = given.get(question.text, "")
        fields.append(Field(f"q{number}", f"{head}{question.text}", ANSWERS, value, required=False))
    values = await screen.app.push_screen_wait(Form("Checklist", fields, ASKED))
    if values is None:
        return None
    answered = {question.text: values[f"q{number}"] for number, question in enumerate(questions)}
    return {text: answer for text, said in answered.items() for answer in ANSWERS if answer == said}


async def discuss_finding(
    screen: ActionScreen, packet: Packet, found: JudgedFinding, go_to: Callable[[int], None]
) -> bool:
    """Show one finding and what can be done about it; whether something was recorded.

    Raises:
        M4ReviewError: a rule forbids it.
    """
    line = None if found.finding.anchor is None else locate(packet.text, found.finding.anchor).line
    choices = [Choice("back", "b", "Back")]
    if line is not None:
        choices.append(Choice("go", "g", f"Go to the passage, line {line}"))
    if found.verdict.actor == packet.viewer:
        if found.is_open:
            choices.append(Choice("fixed", "f", "It is fixed in the present text …"))
            choices.append(Choice("none", "n", "It was no defect …"))
        else:
            choices.append(Choice("again", "o", "Open it again: take back what settled it …"))
    chosen = await screen.app.push_screen_wait(Question("Finding", choices, finding_entry(found, packet.text)))
    if chosen == "go" and line is not None:
        go_to(line)
    if chosen == "fixed" or chosen == "none":
        reason = await _reason(screen, "How is it fixed?" if chosen == "fixed" else "Why was it no defect?")
        resolution = "fixed" if chosen == "fixed" else "no defect"
        return reason is not None and await give(screen, packet.skill, resolve(found.ref, resolution, reason))  # type: ignore[arg-type]
    return chosen == "again" and await _open_again(screen, packet.skill, found)


async def _open_again(screen: ActionScreen, skill: str, found: JudgedFinding) -> bool:
    scene = await scene_here(screen, skill)
    settling = [event for event in own_events(scene) if isinstance(event, Resolve) and event.finding == found.ref]
    if not settling:
        screen.notify(f"Nothing of yours settled it: {found.why}.", severity="warning", markup=False)
        return False
    reason = await _reason(screen, "Why is it open again?")
    return reason is not None and await give(screen, skill, withdraw_event(settling[0].id, reason))


async def _reason(screen: ActionScreen, title: str) -> str | None:
    reason = await screen.app.push_screen_wait(LineOfText(title, "in one line; it is kept"))
    return reason.strip() if reason is not None and reason.strip() else None

"""The ballot: a decision per scope, the checklist, the findings, notes and a conflict of interest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Key
from textual.message import Message
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from m4review.reviews import Decision
from m4review.reviews.eventparts import Answer, Finding
from m4review.tui.render.ballot import (
    HINT,
    LETTERS,
    ballot_line,
    checklist_line,
    findings_line,
    following,
    next_row,
    no_decision,
)
from m4review.tui.session.unfinished import UnfinishedBallot
from m4review.tui.widgets.text_box import TextBox
from m4review.workspace import Scope


class Ballot(Vertical):
    """What a reviewer is about to say. Nothing of it counts before it is given."""

    DEFAULT_CSS = """
    Ballot { height: auto; border-top: solid $primary; padding: 0 1; }
    Ballot OptionList { height: auto; }
    Ballot .hint { color: $text-muted; height: auto; max-height: 2; }
    Ballot #notes { height: 2; border: none; padding: 0; background: $boost; }
    Ballot #conflict { height: 1; border: none; padding: 0; }
    """

    class Changed(Message):
        """Something on the ballot is another now: a decision, an answer, a finding, or what is typed."""

    class RowChosen(Message):
        """A row that leads elsewhere was chosen: ``checklist`` or ``findings``."""

        def __init__(self, row: str) -> None:
            super().__init__()
            self.row = row

    def __init__(self) -> None:
        super().__init__(id="ballot")
        self.decisions: dict[Scope, Decision] = {}
        self.answers: dict[str, Answer] = {}
        self.findings: list[Finding] = []
        self._scopes: tuple[Scope, ...] = ()
        self._questions = 0
        self._given: Mapping[Scope, Decision] = {}

    def compose(self) -> ComposeResult:
        yield Static(HINT, classes="hint", id="ballot-hint", markup=False)
        yield OptionList(id="scopes", markup=False)
        yield TextBox(id="notes", tab_behavior="focus", placeholder="Notes: kept with the verdict, readable by all")
        yield Input(placeholder="conflict of interest: empty means none", id="conflict")

    @property
    def notes(self) -> str:
        """What was typed as notes."""
        return self.query_one("#notes", TextArea).text.strip()

    @property
    def conflict(self) -> str:
        """The conflict of interest; empty means none."""
        return self.query_one("#conflict", Input).value.strip()

    @property
    def is_begun(self) -> bool:
        """Whether leaving would lose anything."""
        return bool(self.notes or self.conflict or self.decisions or self.answers or self.findings)

    def begin(self, scopes: Sequence[Scope], questions: int, given: Mapping[Scope, Decision]) -> None:
        """Begin anew, with nothing decided; ``given`` is what was decided on the same text before."""
        self._scopes, self._questions, self._given = tuple(scopes), questions, given
        self.decisions, self.answers, self.findings = {}, {}, []
        self.query_one("#notes", TextArea).clear()
        self.query_one("#conflict", Input).clear()
        self.refresh_rows()

    def put_away(self) -> None:
        """Show nothing of what was decided or asked, until it is begun for somebody."""
        self.begin((), 0, {})
        self.query_one("#scopes", OptionList).clear_options()

    def to_first_scope(self) -> None:
        """Put the line on the first scope."""
        self.query_one("#scopes", OptionList).action_first()

    def unfinished(self, skill: str, reviewer: str, content: str) -> UnfinishedBallot:
        """All that is on it now, to be kept for later."""
        return UnfinishedBallot(
            skill=skill,
            reviewer=reviewer,
            content=content,
            decisions=dict(self.decisions),
            answers=dict(self.answers),
            findings=tuple(self.findings),
            notes=self.notes,
            conflict=self.conflict,
        )

    def take_up(self, kept: UnfinishedBallot) -> None:
        """Put back what was kept."""
        self.decisions, self.answers, self.findings = dict(kept.decisions), dict(kept.answers), [*kept.findings]
        self.write(kept.notes, kept.conflict)

    def write(self, notes: str, conflict: str) -> None:
        """Put back what was typed."""
        self.query_one("#notes", TextArea).text = notes
        self.query_one("#conflict", Input).value = conflict
        self.refresh_rows()

    def take_answers(self, answers: Mapping[str, Answer]) -> None:
        """Take over the answers to the checklist."""
        self.answers = dict(answers)
        self.refresh_rows()
        self.post_message(self.Changed())

    def refresh_rows(self) -> None:
        """Show the decisions, answers and findings as they are now."""
        rows = self.query_one("#scopes", OptionList)
        position = rows.highlighted or 0
        rows.clear_options()
        for scope in self._scopes:
            rows.add_option(Option(ballot_line(scope, self.decisions.get(scope), self._given.get(scope)), id=scope))
        rows.add_option(Option(checklist_line(self.answers, self._questions), id="checklist"))
        rows.add_option(Option(findings_line(self.findings), id="findings"))
        rows.highlighted = position

    def on_key(self, event: Key) -> None:
        rows = self.query_one("#scopes", OptionList)
        if rows.has_focus and event.character in LETTERS:
            event.stop()
            position = rows.highlighted
            if position is not None and self._decide(position, LETTERS[event.character]):
                rows.highlighted = next_row(self._scopes, self.decisions, position)
            else:
                here = None if position is None else rows.get_option_at_index(position).id
                self.notify(no_decision(here), title="Not possible now", severity="warning", markup=False)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._scopes):
            self._decide(event.option_index, following(self.decisions.get(self._scopes[event.option_index])))
        else:
            self.post_message(self.RowChosen(str(event.option.id)))

    def _decide(self, position: int | None, decision: Decision) -> bool:
        if position is None or position >= len(self._scopes):
            return False
        self.decisions[self._scopes[position]] = decision
        self.refresh_rows()
        self.post_message(self.Changed())
        return True

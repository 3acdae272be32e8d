"""Consensus: only what the reviewers disagree on, both verdicts side by side, and each participant's confirmation."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from m4review.errors import M4ReviewError
from m4review.reviews import Decision
from m4review.reviews.settling import confirm, propose
from m4review.tui.actions import Action, bindings_of
from m4review.tui.render.ballot import HINT, LETTERS, following
from m4review.tui.render.disagreement import finding_row, heading, question_of, scope_row, side_by_side
from m4review.tui.screens.acting import give, me
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Choice, LineOfText, Question
from m4review.tui.session.disagreement import Disagreement, load_disagreement
from m4review.tui.widgets.action_bar import ActionBar
from m4review.workspace import Scope


class ConsensusScreen(ActionScreen):
    """What the reviewers of one skill settle together. It holds once each of them has confirmed the same statement."""

    room = "consensus"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("consensus")
    PLACES = (
        ("#verdicts", "what was said"),
        ("#rows", "what is to be settled"),
        ("#rationale", "why"),
        ("#dissent", "what you hold against it"),
    )
    DEFAULT_CSS = """
    ConsensusScreen #verdicts { height: 1fr; min-height: 3; padding: 0 1; }
    ConsensusScreen #verdicts Static { width: 100%; min-width: 20; }
    ConsensusScreen #settling { height: auto; max-height: 14; border-top: solid $primary; padding: 0 1; }
    ConsensusScreen #settling { overflow-y: auto; }
    ConsensusScreen #rows { height: auto; max-height: 8; }
    ConsensusScreen .hint { color: $text-muted; height: auto; max-height: 2; }
    ConsensusScreen Input { height: 1; background: $boost; }
    ConsensusScreen.-low .hint { display: none; }
    ConsensusScreen.-low #settling { max-height: 5; }
    """

    def __init__(self, skill: str) -> None:
        super().__init__()
        self.skill = skill
        self._between: Disagreement | None = None
        self._decisions: dict[Scope, Decision] = {}
        self._settled: dict[str, str] = {}
        self._differs = False

    def compose(self) -> ComposeResult:
        yield Static(f"Consensus · {self.skill}", classes="headline", id="where", markup=False)
        with VerticalScroll(id="verdicts"):
            yield Static("Reading the verdicts …", id="verdicts-text", markup=False)
        with Vertical(id="settling"):
            yield Static(id="ask", classes="hint", markup=False)
            yield OptionList(id="rows", markup=False)
            yield Input(placeholder="why, in one line: the rationale that is kept", id="rationale")
            yield Input(placeholder="what you still hold against it (dissent): empty means nothing", id="dissent")
        yield ActionBar()

    def on_mount(self) -> None:
        self.start(self._load, "load")

    def why_not(self, action: str) -> str | None:
        between = self._between
        if action in {"help", "back", "quit"}:
            return None
        if action == "identity":
            return self._why_not_somebody_else()
        if between is None:
            return "There is nothing to settle, or it is still being read."
        if action == "settle":
            return None if self._finding_here() is not None else "Put the cursor on a finding first."
        if action == "differ":
            return None if between.has_statement else "There is no consensus yet to put another one beside."
        if self._shows_statement and not self._confirms:
            return self._question(between)
        if self._confirms:
            return None
        missing = [scope for scope in between.disputed if scope not in self._decisions]
        if missing:
            return f"Say first what you agree on for {', '.join(missing)}: {HINT}."
        if not between.disputed and not self._settled:
            return "Say first how a finding is settled (F4)."
        return None if self._value("rationale") else "Say why first: the line below the decisions."

    def actions(self) -> list[tuple[Action, str | None]]:
        """F3 is named after what it does now: put a consensus forward, or confirm the one that lies there."""
        label = "Confirm" if self._confirms else None
        return [
            (replace(action, label=label) if label and action.id == "submit" else action, reason)
            for action, reason in super().actions()
        ]

    # -- actions --------------------------------------------------------------------------------------------------

    async def do_submit(self) -> None:
        if self._confirms:
            done = await give(
                self,
                self.skill,
                confirm(self._value("dissent")),
                title="Confirm this consensus?",
                yes=f"Yes, I confirm it as {me(self).id}",
            )
        else:
            plan = propose(
                dict(self._decisions),
                self._value("rationale"),
                resolutions=dict(self._settled),
                dissent=self._value("dissent"),
            )
            done = await give(
                self,
                self.skill,
                plan,
                title="Put this consensus forward?",
                yes=f"Yes, I put it forward as {me(self).id}; it holds once everybody has confirmed it",
            )
        if done:
            await self._load()

    async def do_settle(self) -> None:
        ref = self._finding_here()
        assert ref is not None
        said = await self.app.push_screen_wait(
            LineOfText("How is this finding settled?", "empty: it stays open", self._settled.get(ref, ""))
        )
        if said is not None:
            self._settled = {name: how for name, how in self._settled.items() if name != ref}
            self._settled |= {ref: said.strip()} if said.strip() else {}
            self._show_rows()

    def do_differ(self) -> None:
        self._differs = not self._differs
        self._show_rows()

    async def do_identity(self) -> None:
        await self.bench.ask_identity()

    def identity_changed(self) -> None:
        if self.bench.reviewer is None:
            self.dismiss()
        else:
            self.start(self._load, "load")

    async def do_back(self) -> None:
        if self._is_begun:
            choices = (
                Choice("back", "b", "Back to the consensus"),
                Choice("leave", "l", "Leave; what was not put forward is gone"),
            )
            if await self.app.push_screen_wait(Question("Nothing is recorded yet.", choices)) != "leave":
                return
        self.dismiss()

    # -- events ---------------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        rows = self.query_one("#rows", OptionList)
        if rows.has_focus and event.character in LETTERS:
            event.stop()
            if self._decide(rows.highlighted, LETTERS[event.character]):
                rows.action_cursor_down()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self._finding_here() is not None:
            self.action_perform("settle")
        elif self._between is not None:
            scope = self._between.scopes[event.option_index]
            self._decide(event.option_index, following(self._decisions.get(scope)))

    def on_option_list_option_highlighted(self) -> None:
        self.refresh_bar()

    def on_input_changed(self) -> None:
        self.refresh_bar()

    # -- steps ----------------------------------------------------------------------------------------------------

    @property
    def _is_begun(self) -> bool:
        return bool(self._decisions or self._settled or self._value("rationale") or self._value("dissent"))

    def _why_not_somebody_else(self) -> str | None:
        """Why nobody else can go on here: something of the present person is begun, here or in the review below."""
        if self._is_begun:
            return "Something is filled in here; put it forward, or go back and leave it, before somebody else goes on."
        below = [one for one in self.app.screen_stack if isinstance(one, ActionScreen) and one is not self]
        return next((reason for one in below if (reason := one.why_not("identity")) is not None), None)

    @property
    def _confirms(self) -> bool:
        return self._between is not None and self._between.waits_for_viewer and not self._differs

    @property
    def _shows_statement(self) -> bool:
        """Whether the consensus that lies before them is shown, and not the questions."""
        return self._between is not None and self._between.has_statement and not self._differs

    async def _load(self) -> None:
        workspace = self.bench.fresh_workspace()
        try:
            self._between = await self.in_thread(load_disagreement, workspace, self.skill, me(self), datetime.now(UTC))
        except M4ReviewError as error:
            self.query_one("#verdicts-text", Static).update(f"There is nothing to settle: {error.what}.")
            raise
        self._decisions, self._settled, self._differs = {}, {}, False
        for name in ("rationale", "dissent"):
            self.query_one(f"#{name}", Input).clear()
        self.query_one("#where", Static).update(heading(self._between, is_demonstration=workspace.is_demonstration))
        self.query_one("#verdicts-text", Static).update(side_by_side(self._between))
        self._show_rows()
        self.query_one("#verdicts" if self._shows_statement else "#rows").focus()

    def _show_rows(self) -> None:
        between, rows = self._between, self.query_one("#rows", OptionList)
        assert between is not None
        position = rows.highlighted
        rows.clear_options()
        for scope in between.scopes:
            is_open = scope in between.disputed and not self._shows_statement
            rows.add_option(Option(self._scope_row(between, scope), disabled=not is_open, id=scope))
        if not self._shows_statement:
            rows.add_options([Option(finding_row(found, self._settled), id=found.ref) for found in between.findings])
        rows.can_focus = not self._shows_statement  # nothing in them can be chosen then
        rows.highlighted = position
        if rows.highlighted is None:
            rows.action_first()
        self.query_one("#rationale").display = not self._shows_statement
        self.query_one("#dissent").display = self._confirms or not self._shows_statement
        self.query_one("#ask", Static).update(self._question(between))
        self.refresh_bar()

    def _scope_row(self, between: Disagreement, scope: Scope) -> Text:
        if self._shows_statement and between.consensus is not None:
            said = between.consensus.statement.decisions.get(scope)
            return Text(f"{scope}: {'nothing' if said is None else said.replace('-', ' ')}")
        return scope_row(between, scope, self._decisions.get(scope))

    def _question(self, between: Disagreement) -> str:
        return question_of(between, shows_statement=self._shows_statement)

    def _decide(self, position: int | None, decision: Decision) -> bool:
        between = self._between
        if between is None or position is None or position >= len(between.scopes):
            return False
        scope = between.scopes[position]
        if scope not in between.disputed or self._shows_statement:
            return False
        self._decisions[scope] = decision
        self._show_rows()
        return True

    def _finding_here(self) -> str | None:
        rows, between = self.query_one("#rows", OptionList), self._between
        if between is None or rows.highlighted is None or rows.highlighted < len(between.scopes):
            return None
        return rows.get_option_at_index(rows.highlighted).id

    def _value(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

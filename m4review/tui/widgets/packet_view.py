"""The views of a review's packet, one shown at a time: what changed, the text, cards, trials, findings, state."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import ContentSwitcher, OptionList, Static
from textual.widgets.option_list import Option

from m4review.reviews.eventparts import Finding
from m4review.tui.render.cards import preview, task_cards
from m4review.tui.render.difference import Difference, lay_out
from m4review.tui.render.remarks import comment_entry, draft_entry, finding_entry
from m4review.tui.render.scopes import scopes_text
from m4review.tui.render.states import evidence_text, results_text, sealing_text, status_text
from m4review.tui.render.views import views_line
from m4review.tui.session.packet import Packet
from m4review.tui.session.passages import WHOLE, Passage
from m4review.tui.widgets.difference_view import DifferenceView
from m4review.tui.widgets.passage_view import PassageView

VIEWS = {
    "changes": "Changes",
    "text": "Text",
    "rendered": "Preview",
    "cards": "Cards",
    "trials": "Trials",
    "remarks": "Findings",
    "state": "State",
}

NO_REMARKS = "No findings, no comments. In the text, mark a passage with Shift and the arrows; F4 writes a finding."


class PacketView(Vertical):
    """Shows one view; ``passage`` is what is marked in the text, or the line of it under the cursor."""

    DEFAULT_CSS = """
    PacketView { height: 1fr; min-width: 20; min-height: 2; }
    PacketView #views { height: 1; padding: 0 1; background: $panel; link-style: none; link-color: $foreground; }
    PacketView ContentSwitcher { height: 1fr; }
    PacketView VerticalScroll { height: 1fr; padding: 0 1; }
    PacketView VerticalScroll Static { width: 100%; min-width: 10; }
    PacketView OptionList { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._views = dict(VIEWS)
        self._view = "text"

    def compose(self) -> ComposeResult:
        yield Static(id="views", markup=False)
        with ContentSwitcher(initial="view-text"):
            yield DifferenceView(id="view-changes")
            yield PassageView(id="view-text")
            for view in ("rendered", "cards", "trials", "state"):
                with VerticalScroll(id=f"view-{view}"):
                    yield Static(id=f"{view}-text", markup=False)
            yield OptionList(id="view-remarks", markup=False)

    @property
    def titles(self) -> dict[str, str]:
        """The views there are, with their titles."""
        return self._views

    @property
    def following(self) -> str:
        """The view after the one that is shown, around the end."""
        names = list(self._views)
        return names[(names.index(self._view) + 1) % len(names)]

    def view_with(self, digit: str) -> str | None:
        """The view that a digit shows, or ``None``."""
        names = list(self._views)
        return {str(number): name for number, name in enumerate(names, start=1)}.get(digit)

    @property
    def passage(self) -> Passage:
        """What a finding or comment written now is about.

        Raises:
            LedgerError: what is marked is longer than a finding can quote.
        """
        text = self.query_one(PassageView)
        if self._view == "changes":
            line = self.query_one(DifferenceView).new_line
            if line is None:
                return WHOLE
            text.go_to(line)
        return text.passage if self._view in {"changes", "text"} else WHOLE

    def put_away(self) -> None:
        """Lay the text aside with what was marked in it: whoever is shown it next begins at its beginning."""
        self.query_one(PassageView).show_text("")

    def show_packet(self, packet: Packet, drafts: Sequence[Finding]) -> None:
        """Fill every view; the one that is shown stays where that is possible."""
        self.query_one(DifferenceView).show_difference(_changes(packet))
        text = self.query_one(PassageView)
        if text.text != packet.text:
            text.show_text(packet.text)
        self._fill("rendered", preview(packet.text))
        self._fill("cards", task_cards(packet.tasks))
        self._fill("trials", evidence_text(packet.status.trials))
        self._fill("state", _state(packet))
        self.show_remarks(packet, drafts)

    def show_remarks(self, packet: Packet, drafts: Sequence[Finding]) -> None:
        """Fill the list of findings and comments: those not given yet, then the recorded ones, then comments."""
        status, source = packet.status, packet.text
        entries = [draft_entry(finding) for finding in drafts]
        entries += [finding_entry(found, source) for found in status.findings]
        entries += [comment_entry(comment, source) for comment in status.comments]
        remarks = self.query_one("#view-remarks", OptionList)
        remarks.clear_options()
        remarks.add_options([Option(text) for text in entries] or [Option(NO_REMARKS, disabled=True)])
        count = len(drafts) + sum(found.is_open for found in status.findings)
        if "remarks" in self._views:
            self._views["remarks"] = f"Findings {count}" if count else "Findings"
        self.refresh_titles()

    def show_view(self, view: str) -> None:
        """Show one of the views; the focus follows where it was on a view."""
        had_focus = any(widget is self for widget in (self.screen.focused.ancestors if self.screen.focused else ()))
        self._view = view
        self.query_one(ContentSwitcher).current = f"view-{view}"
        self.refresh_titles()
        if had_focus:
            self.focus_view()

    def focus_view(self) -> None:
        """Put the focus on what is shown, at once: later it could take the focus from where a person went meanwhile."""
        self.screen.set_focus(self.query_one(f"#view-{self._view}"))

    def go_to(self, line: int) -> None:
        """Show a line of the text."""
        self.show_view("text")
        self.query_one(PassageView).go_to(line)
        self.focus_view()

    def refresh_titles(self) -> None:
        """Name the views again, for the width there is now."""
        width = max(self.size.width - 2, 10)
        self.query_one("#views", Static).update(views_line(list(self._views.items()), self._view, width))

    def _fill(self, view: str, content: RenderableType) -> None:
        self.query_one(f"#{view}-text", Static).update(content)


def _changes(packet: Packet) -> Difference:
    """What changed and against what; where there is nothing to compare with, why."""
    if packet.since_mine is None:
        return Difference((Text(packet.why_no_change),), (), "")
    if packet.since_mine.is_equal:
        return Difference((Text(f"Nothing in the text has changed since {packet.my_last}."),), (), "")
    return lay_out(packet.since_mine).below(Text(f"Since {packet.my_last}:", "italic"))


def _state(packet: Packet) -> RenderableType:
    parts: list[RenderableType] = [status_text(packet.status)]
    parts.append(Text("\nWhich part of the text belongs to which scope\n", "bold").append_text(scopes_text(packet)))
    if packet.results:
        parts.append(Text("\nThe policy, rule by rule\n", "bold").append_text(results_text(packet.results)))
    parts.append(
        Text("\nWho sees what, and when\n", "bold").append_text(
            sealing_text(packet.status, packet.viewer, packet.policy)
        )
    )
    return Group(*parts)

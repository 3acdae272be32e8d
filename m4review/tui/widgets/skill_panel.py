"""The panel beside the editor: task card, preview, findings, reviews, trials, completeness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.geometry import Region
from textual.message import Message
from textual.widgets import OptionList, Static, TabbedContent, TabPane, Tabs
from textual.widgets.option_list import Option

from m4review.errors import M4ReviewError
from m4review.tui.render.completeness import NOT_CHECKED, heading, item, unclear_item
from m4review.tui.render.findings import entry, tally, waived_entry

if TYPE_CHECKING:
    from m4review.lint import Finding
    from m4review.lint.finding import Waived
    from m4review.skills.completeness import Completeness

TABS = (
    ("card", "Task card"),
    ("preview", "Preview"),
    ("findings", "Findings"),
    ("reviews", "Reviews"),
    ("trials", "Trials"),
    ("completeness", "Completeness"),
)
NO_FINDINGS = (
    "No findings: nothing in this text is refused. F2 records it as a version. Whether its figures are right is for "
    "you to judge."
)


class SkillPanel(Container):
    """Six tabs. The screen hands over ready text; the lists of findings and of declared elements lead into the text."""

    DEFAULT_CSS = """
    SkillPanel { min-width: 24; min-height: 5; }
    SkillPanel TabPane { padding: 0; }
    SkillPanel Tab { padding: 0 1 0 0; }
    SkillPanel VerticalScroll { padding: 0 1; }
    SkillPanel #preview VerticalScroll { scrollbar-gutter: stable; }
    SkillPanel VerticalScroll Static { width: 100%; min-width: 10; }
    SkillPanel OptionList { height: 1fr; border: none; padding: 0; }
    """

    class FindingChosen(Message):
        """A finding of the list was chosen."""

        def __init__(self, finding: Finding) -> None:
            super().__init__()
            self.finding = finding

    class LineChosen(Message):
        """A declared element was chosen; ``line`` counts from 1."""

        def __init__(self, line: int) -> None:
            super().__init__()
            self.line = line

    def __init__(self) -> None:
        super().__init__(id="panel")
        self._findings: tuple[Finding, ...] = ()
        self._waived: tuple[Waived, ...] = ()
        self._lines: tuple[int | None, ...] = ()
        self._completeness: Completeness | None = None
        self._lists = (OptionList(id="finding-list", markup=False), OptionList(id="element-list", markup=False))

    def compose(self) -> ComposeResult:
        with TabbedContent():
            for tab, title in TABS:
                with TabPane(title, id=tab):
                    if tab == "findings":
                        yield self._lists[0]
                    elif tab == "completeness":
                        yield self._lists[1]
                    else:
                        with VerticalScroll():
                            yield Static(id=f"{tab}-text", markup=False)

    @property
    def is_ready(self) -> bool:
        """Whether its lists can be filled: not while the screen is being built or taken down."""
        return all(listed.is_attached for listed in self._lists)

    @property
    def tab(self) -> str:
        """The id of the tab that is shown."""
        return self.query_one(TabbedContent).active

    @property
    def preview_width(self) -> int:
        """The cells that a line of the preview has."""
        return self.query_one("#preview-text").size.width

    def show(self, tab: str, content: RenderableType) -> None:
        """Fill one of the text tabs."""
        self.query_one(f"#{tab}-text", Static).update(content)

    def show_findings(self, findings: Sequence[Finding], waived: Sequence[Waived] = ()) -> None:
        """Fill the list of findings, waived ones last, and count those that stand in the tab's title."""
        if (tuple(findings), tuple(waived)) == (self._findings, self._waived) and self.query_one(
            "#finding-list", OptionList
        ).option_count:
            return
        self._findings = tuple(sorted(findings, key=lambda finding: (finding.line, finding.column)))
        self._waived = tuple(waived)
        options = self.query_one("#finding-list", OptionList)
        options.clear_options()
        entries = [*map(entry, self._findings), *map(waived_entry, self._waived)]
        options.add_options([Option(text) for text in entries] or [Option(NO_FINDINGS, disabled=True)])
        self.query_one(TabbedContent).get_tab("findings").label = (
            f"Findings {len(self._findings)}" if self._findings else "Findings"
        )
        options.tooltip = tally(self._findings, len(self._waived))

    def show_completeness(self, result: Completeness | M4ReviewError) -> None:
        """Fill the checklist, what is unclear first, or say why the text cannot be read as a skill."""
        if result == self._completeness:
            return
        self._completeness = None if isinstance(result, M4ReviewError) else result
        options = self.query_one("#element-list", OptionList)
        chosen = options.highlighted
        options.clear_options()
        if isinstance(result, M4ReviewError):
            self._lines = (result.line,)
            options.add_option(Option(f"The text cannot be read as a skill: {result.what}"))
            title = "Completeness"
        else:
            options.add_option(Option(NOT_CHECKED, disabled=True))
            self._lines = (
                None,
                *(place.line for place in result.unclear),
                *(declaration.line for declaration in result.declarations),
            )
            options.add_options([Option(unclear_item(place)) for place in result.unclear])
            options.add_options([Option(item(declaration)) for declaration in result.declarations])
            title = heading(result)
        self.query_one(TabbedContent).get_tab("completeness").label = title
        options.highlighted = None if chosen is None else min(chosen, options.option_count - 1)

    def next_tab(self) -> None:
        """Show the tab after the active one, around the end."""
        names = [tab for tab, _ in TABS]
        self.query_one(TabbedContent).active = names[(names.index(self.tab) + 1) % len(names)]

    def focus_content(self) -> None:
        """Put the focus into the panel."""
        self.query_one(Tabs).focus()

    def tab_places(self) -> list[tuple[str, str, Region]]:
        """Each tab: its id, its title, and the cells it has on the screen; no cells where it is out of sight."""
        shown, tabs = self.query_one(Tabs).region, self.query_one(TabbedContent)
        return [(tab, title, tabs.get_tab(tab).region.intersection(shown)) for tab, title in TABS]

    def turn_to(self, tab: str) -> None:
        """Show a tab with the focus on what is in it."""
        self.query_one(TabbedContent).active = tab
        content = self.query_one(f"#{tab} > *")
        content.call_after_refresh(content.focus)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_list.id == "element-list":
            line = self._lines[event.option_index]
            if line is not None:
                self.post_message(self.LineChosen(line))
        else:
            listed = (*self._findings, *(item.finding for item in self._waived))
            if event.option_index < len(listed):
                self.post_message(self.FindingChosen(listed[event.option_index]))

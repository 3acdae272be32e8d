"""The pages of a skill's trials, one shown at a time: text that scrolls, or a figure above its numbers."""

from __future__ import annotations

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import ContentSwitcher, Static

from m4review.tui.render.views import views_line
from m4review.tui.session.trial_pages import PAGES, Drawing, Page

PLOT_SHARE = 0.6
"""Of the height for the drawing; its numbers have the rest, and scroll."""


class TrialPages(Vertical):
    """Shows one page under the line that names them all."""

    DEFAULT_CSS = """
    TrialPages { height: 1fr; min-height: 2; min-width: 20; }
    TrialPages #pages { height: 1; background: $panel; link-style: none; link-color: $foreground; }
    TrialPages ContentSwitcher { height: 1fr; }
    TrialPages VerticalScroll { height: 1fr; padding: 0 1; }
    TrialPages VerticalScroll Static { width: 100%; min-width: 10; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.page: Page = "result"

    def compose(self) -> ComposeResult:
        yield Static(id="pages", markup=False)
        with ContentSwitcher(initial="outcome"):
            with VerticalScroll(id="outcome"):
                yield Static(id="outcome-text", markup=False)
            with VerticalScroll(id="figure"):
                yield Static(id="figure-text", markup=False)

    @property
    def following(self) -> Page:
        """The page after the one that is shown, around the end."""
        names = list(PAGES)
        return names[(names.index(self.page) + 1) % len(names)]

    def page_with(self, digit: str) -> Page | None:
        """The page that a digit shows, or ``None``."""
        return {str(number): name for number, name in enumerate(PAGES, start=1)}.get(digit)

    @property
    def width(self) -> int:
        """Columns of a page's text."""
        return max(20, self.size.width - 4)

    def turn_to(self, page: Page) -> bool:
        """Name the page in the line above, and say whether it is another; what is on it follows when it is ready."""
        is_other = page != self.page
        if is_other:
            self.query_one("#outcome", VerticalScroll).scroll_home(animate=False)
        self.page = page
        self.refresh_titles()
        return is_other

    def refresh_titles(self) -> None:
        """Name the pages in the width there is now."""
        self.query_one("#pages", Static).update(views_line(list(PAGES.items()), self.page, self.size.width))

    def show_text(self, content: RenderableType) -> None:
        """Show text on the page."""
        self.query_one("#outcome-text", Static).update(content)
        self._show("outcome")

    async def show_drawing(self, drawing: Drawing) -> None:
        """Show a figure on the page, its numbers below it."""
        from m4review.tui.widgets.plot_view import PlotView  # loads the plotting library, which no other page needs

        scroll = self.query_one("#figure", VerticalScroll)
        if not scroll.query(PlotView):
            await scroll.mount(PlotView(), before=0)
        height = int(self.size.height * PLOT_SHARE)
        scroll.query_one(PlotView).show_figure(drawing.figure, height)
        self.query_one("#figure-text", Static).update(drawing.numbers)
        self._show("figure")

    def focus_page(self) -> None:
        """Put the focus where the arrows scroll the page."""
        self.query_one(f"#{self.query_one(ContentSwitcher).current}", VerticalScroll).focus()

    def _show(self, content: str) -> None:
        switcher = self.query_one(ContentSwitcher)
        if switcher.current != content:
            switcher.current = content
            self.focus_page()

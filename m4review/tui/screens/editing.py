"""What is done to a text on its desk: go somewhere in it, find, mend, look up, lay out. Every edit can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from m4review.tui.render.difference import show_difference
from m4review.tui.render.findings import at_line, next_after
from m4review.tui.screens.dialogs import Choice, LineOfText, Question
from m4review.tui.screens.items import ItemLookup
from m4review.tui.screens.picking import Pick
from m4review.tui.screens.textdesk import TextDesk
from m4review.tui.session.itemsearch import ItemSearch, item_row, written_item
from m4review.tui.session.literature import place_for_reference, reference_line
from m4review.tui.session.markdown_table import MarkdownTable, cell_index, cell_place, cells_of, row_line
from m4review.tui.session.outline import outline
from m4review.tui.widgets.find_bar import FindBar

if TYPE_CHECKING:
    from m4review.lint import Finding

TABLE_ACTIONS = frozenset(("align", "add_row", "add_column", "drop_row", "drop_column"))
IN_NO_TABLE = "The cursor is in no table."


class EditingDesk(TextDesk):
    """The desk with its tools."""

    def why_not(self, action: str) -> str | None:
        if action in {"next_finding", "previous_finding"} and not self.findings:
            return "The lint has no findings in this text."
        if action == "fix" and self._finding_here() is None:
            return "The lint has no finding on this line; F8 goes to the next one."
        if action in TABLE_ACTIONS and not self.editor.may_be_table:
            return IN_NO_TABLE
        return None

    # -- going somewhere ------------------------------------------------------------------------------------------

    def do_next_finding(self, backwards: bool = False) -> None:
        line, column = self.editor.cursor_location
        finding = next_after(self.findings, line + 1, column + 1, backwards=backwards)
        if finding is not None:
            self.editor.go_to(finding.line, finding.column)
            self.editor.focus()

    def do_previous_finding(self) -> None:
        self.do_next_finding(backwards=True)

    async def do_go_to_line(self) -> None:
        answer = await self.app.push_screen_wait(
            LineOfText(f"Go to line (1 to {self.editor.document.line_count})", "line number")
        )
        if answer is None:
            return
        if answer.strip().isascii() and answer.strip().isdigit():
            self.editor.go_to(int(answer))
        else:
            self.notify(f"“{answer}” is not a line number.", severity="warning", markup=False)

    async def do_outline(self) -> None:
        entries = await self.in_thread(outline, self.opened.text)
        if not entries:
            self.notify("The text has no headings yet; a line that begins with # is one.", markup=False)
            return
        line = self.editor.cursor_location[0] + 1
        here = max((place for place, entry in enumerate(entries) if entry.line <= line), default=0)
        chosen = await self.app.push_screen_wait(Pick("Go to a section", [entry.says for entry in entries], here))
        if chosen is not None:
            self.editor.go_to(entries[chosen].line)
            self.editor.focus()

    # -- finding and mending --------------------------------------------------------------------------------------

    def do_find(self) -> None:
        self.query_one(FindBar).open()

    def do_replace(self) -> None:
        self.query_one(FindBar).open(replacing=True)

    async def do_fix(self) -> None:
        finding = self._finding_here()
        if finding is None:
            return
        text = self.editor.text
        mends = await self.in_thread(self.live_lint.mends, text, finding)
        if not mends:
            self.notify(f"{finding.fix} There is no edit that would do it for you.", markup=False)
            return
        choices = [Choice(str(number), str(number), mend.does) for number, mend in enumerate(mends, start=1)]
        answer = await self.app.push_screen_wait(
            Question(
                f"{finding.message[:1].upper()}{finding.message[1:]}. {finding.fix}",
                choices,
                show_difference(text, mends[0].applied(text), context=1).text,
                deliberate=True,
            )
        )
        if answer is not None and self.editor.text == text:
            mend = mends[int(answer) - 1]
            self.editor.put_lines(mend.first, mend.last, mend.lines)
            self.notify(f"Done: {mend.does}. Ctrl+Z takes it back.", markup=False)

    def _finding_here(self) -> Finding | None:
        return at_line(self.findings, self.editor.cursor_location[0] + 1)

    # -- putting something in -------------------------------------------------------------------------------------

    async def do_items(self) -> None:
        editor = self.editor
        table = editor.table
        row, column = editor.cursor_location
        words = editor.selected_text
        if not words and table is not None and row > table.top + 1:
            words = table.rows[table.row_at(row)][cell_index(editor.document.get_line(row), column)].strip("?`* ")
        search = ItemSearch(self.bench.workspace, self.opened.name, self.bench.environment)
        chosen = await self.app.push_screen_wait(ItemLookup(search, words if "\n" not in words else "", bool(table)))
        if chosen is None:
            return
        if table is not None and chosen.as_row:
            self._put_row(table, item_row(chosen.item, table.rows[0]))
        else:
            editor.write(written_item(chosen.item))
        editor.focus()

    async def do_literature(self) -> None:
        said = await self.app.push_screen_wait(
            LineOfText("PMID or DOI of the publication (may be left empty)", "1303622 or 10.1378/chest.101.6.1644")
        )
        if said is None:
            return
        line = reference_line(said)
        before, around = await self.in_thread(place_for_reference, self.opened.text)
        self.editor.put_lines(before, before - 1, [*around, line])
        self.editor.go_to(before + len(around), len(line) + 1)
        self.editor.focus()

    # -- tables and lines -----------------------------------------------------------------------------------------

    async def do_text_menu(self) -> None:
        await self.choose_from_menu("What is done to the text?")

    def do_align(self) -> None:
        if table := self._table():
            row, column = self.editor.cursor_location
            cell = cell_index(self.editor.document.get_line(row), column)
            self._put_table(table, table, row, cell)

    def do_add_row(self) -> None:
        if table := self._table():
            self._put_row(table, ())

    def do_add_column(self) -> None:
        if table := self._table():
            row, column = self.editor.cursor_location
            cell = cell_index(self.editor.document.get_line(row), column)
            self._put_table(table, table.with_column(cell), row, cell + 1)

    def do_drop_row(self) -> None:
        if table := self._table():
            row = self.editor.cursor_location[0]
            if row <= table.top + 1:
                self.notify("The titles and the dashes under them are what makes it a table.", markup=False)
                return
            self.editor.put_lines(row + 1, row + 1, ())

    def do_drop_column(self) -> None:
        if table := self._table():
            row, column = self.editor.cursor_location
            cell = cell_index(self.editor.document.get_line(row), column)
            if table.width == 1:
                self.notify("This is the table's only column.", markup=False)
                return
            self._put_table(table, table.without_column(cell), row, max(cell - 1, 0))

    def do_wrap(self) -> None:
        self.editor.soft_wrap = not self.editor.soft_wrap
        self.notify(
            "Long lines are broken at the edge." if self.editor.soft_wrap else "Long lines run on to the right.",
            markup=False,
            timeout=3,
        )

    def _table(self) -> MarkdownTable | None:
        table = self.editor.table
        if table is None:
            self.notify(IN_NO_TABLE, title="Not possible now", severity="warning", markup=False)
        return table

    def _put_table(self, old: MarkdownTable, new: MarkdownTable, row: int, cell: int) -> None:
        """Put the laid out table in the place of the old one, and the cursor into one of its cells."""
        self.editor.put_lines(old.top + 1, old.bottom + 1, new.lines())
        row = min(row, self.editor.document.line_count - 1)
        self.editor.move_cursor((row, cell_place(self.editor.document.get_line(row), cell)))

    def _put_row(self, table: MarkdownTable, cells: list[str] | tuple[str, ...]) -> None:
        """Put a row below the cursor's, in place of it where it holds nothing, and the cursor into its first cell."""
        lines, row = self.editor.document.lines, self.editor.cursor_location[0]
        after = max(row, table.top + 1)
        line = row_line(lines, table, cells)
        if cells and row > table.top + 1 and not any(cell.strip("? ") for cell in cells_of(lines[row])):
            self.editor.put_lines(row + 1, row + 1, [line])
        else:
            self.editor.put_lines(after + 2, after + 1, [line])
            row = after + 1
        self.editor.move_cursor((row, cell_place(self.editor.document.get_line(row), 0)))

    # -- what is beside the text ----------------------------------------------------------------------------------

    def do_panel(self) -> None:
        self.panel.toggle_class("-hidden")
        self.editor.focus()

    def do_next_tab(self) -> None:
        self.panel.remove_class("-hidden")
        self.panel.next_tab()

"""Which of several skills is followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from .markdown import Page
from .specification import DERIVING, cohort_in, with_values
from .trace import Trace
from .wording import code_spans, section_purpose


def choose_skill(
    pages: Sequence[Page], columns: Sequence[str], holds: Callable[[str], bool], trace: Trace
) -> Page | None:
    """The skill whose sections state rules for most of the output columns; of several, one whose row table the
    database ``holds``. The others are left aside, and listed."""

    def rank(page: Page) -> tuple[int, bool]:
        cohort = cohort_in([section for section in page.sections if section_purpose(section.titles) == "cohort"])
        return len(scored_columns(page, columns)), cohort is not None and bool(cohort.table) and holds(cohort.table)

    ranks = {page.file: rank(page) for page in pages}
    chosen = max(pages, key=lambda page: ranks[page.file], default=None)
    if chosen is not None and not ranks[chosen.file][0]:
        chosen = None
    for page in pages:
        if page is chosen:
            continue
        why = (
            "another skill states rules for more columns"
            if ranks[page.file][0]
            else "it states no rule for any output column"
        )
        if chosen is not None and ranks[page.file][0] == ranks[chosen.file][0]:
            why = "another skill states rules for as many columns, and comes first or fits the database"
        trace.gap(f"{page.file}:1", "", f"this skill is not followed: {why}", "not executed")
    return chosen


def scored_columns(page: Page, columns: Sequence[str]) -> set[str]:
    """The output columns, identifiers aside, that the deriving sections of a page name."""
    named: set[str] = set()
    for section in page.sections:
        purpose = section_purpose(section.titles)
        if purpose == "output":
            section = replace(with_values(section), titles=())
        elif purpose not in DERIVING:
            continue
        # In the source map only the first cells name what is derived; the others name columns of the database.
        cells = [row.cells for table in section.tables for row in table.rows]
        texts = [text for row in cells for text in (row[:1] if purpose == "source" else row)]
        if purpose != "source":
            texts += [*section.titles, *(passage.text for passage in section.prose())]
        named |= {span for text in texts for span in code_spans(text)}
    return {name for name in named & set(columns) if not name.casefold().endswith("id")}

"""What the editor's tools compute: sections, references, rows of items, the part of a text that is previewed."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from m4review.ehr.itemlookup import Item, ItemAnswer
from m4review.errors import M4ReviewError
from m4review.lint import lint_text
from m4review.tui.render.items import entries, tally
from m4review.tui.render.preview import laid_out, preview_at
from m4review.tui.session.itemsearch import item_row, written_item
from m4review.tui.session.literature import place_for_reference, reference_line
from m4review.tui.session.outline import outline, section_at

FRONT = "---\nname: x\ndescription: The references of literature.\n---\n"
TEXT = (
    FRONT
    + "# Score\n\nProse.\n\n## Window\n\n```\n# no heading\n```\n\n### Ends\n\nBoth.\n\n"
    + "## Literature\n\n- One.\n  Two.\n\n## Last\n"
)
HEART = Item(
    dataset="d",
    id="220045",
    label="Heart Rate",
    abbreviation="HR",
    unit="bpm",
    table="mimiciv_icu.chartevents",
    occurrences=1234,
)
NAMED = Item(dataset="e", id="creatinine", label="creatinine", unit="mg/dL", table="eicu_crd.lab")


def test_the_outline_lists_headings_and_neither_front_matter_nor_code() -> None:
    assert [(entry.line, entry.says) for entry in outline(TEXT)] == [
        (5, "Score  · line 5"),
        (9, "  Window  · line 9"),
        (15, "    Ends  · line 15"),
        (19, "  Literature  · line 19"),
        (24, "  Last  · line 24"),
    ]
    assert outline("no heading\n") == []
    assert outline("") == []


def test_a_line_belongs_to_the_heading_above_it() -> None:
    titles = [(section.title if (section := section_at(TEXT, line)) else None) for line in (1, 4, 5, 12, 15, 24)]
    assert titles == [None, None, "Score", "Window", "Ends", "Last"]


@pytest.mark.parametrize(
    ("said", "link"),
    [
        ("1303622", "https://pubmed.ncbi.nlm.nih.gov/1303622/"),
        ("PMID: 1303622.", "https://pubmed.ncbi.nlm.nih.gov/1303622/"),
        ("https://pubmed.ncbi.nlm.nih.gov/1303622/", "https://pubmed.ncbi.nlm.nih.gov/1303622/"),
        ("10.1378/chest.101.6.1644", "https://doi.org/10.1378/chest.101.6.1644"),
        ("doi:10.1378/chest.101.6.1644", "https://doi.org/10.1378/chest.101.6.1644"),
        ("https://doi.org/10.1378/chest.101.6.1644", "https://doi.org/10.1378/chest.101.6.1644"),
    ],
)
def test_a_reference_is_begun_from_a_pmid_or_a_doi_and_breaks_no_rule(said: str, link: str) -> None:
    line = reference_line(said)
    assert line.endswith(link)
    assert lint_text(f"# T\n\n## Literature\n\n{line}\n", "note.md") == []


@pytest.mark.parametrize("said", ["Bone 1992", "123456789", "10.1", "https://example.org/1303622", "PMID"])
def test_what_is_neither_is_refused(said: str) -> None:
    with pytest.raises(M4ReviewError, match="neither a PMID nor a DOI"):
        reference_line(said)


def test_nothing_said_leaves_everything_to_be_written() -> None:
    assert reference_line(" ") == "- To be written: authors. Title. Journal year;volume:pages."


def test_a_reference_goes_behind_the_last_one_and_a_missing_section_is_begun() -> None:
    assert place_for_reference(TEXT) == (23, ())
    assert TEXT.split("\n")[21] == "  Two."
    assert place_for_reference(FRONT + "# T\n\nProse.\n") == (8, ("", "## Literature", ""))
    assert place_for_reference("# T\n\n## References\n") == (4, ("",))
    assert place_for_reference("# T\n\n## References\n\nSee these.\n\n## Next\n") == (6, ("",))


def test_an_item_is_written_with_its_label_and_a_name_stands_for_itself() -> None:
    assert written_item(HEART) == "220045 (Heart Rate)"
    assert written_item(NAMED) == "`creatinine`"


def test_a_row_takes_what_the_titles_ask_for_and_leaves_the_rest_open() -> None:
    header = ("Measure", "Table", "Item id (label)", "Unit", "Valid range")
    assert item_row(HEART, header) == ["Heart Rate", "`mimiciv_icu.chartevents`", "220045 (Heart Rate)", "bpm", ""]
    assert item_row(HEART, ("Item id", "**Label**")) == ["220045", "Heart Rate"]
    odd = HEART.model_copy(update={"label": "a | b"})
    assert item_row(odd, ("Label", "Points")) == ["a \\| b", ""]


def test_items_stand_in_even_columns_and_an_uncounted_one_waits() -> None:
    shown = entries([HEART, NAMED], with_dataset=True)
    assert str(shown.head).split() == ["id", "label", "unit", "occurs", "table", "dataset"]
    assert [str(line).split()[-3:] for line in shown.lines] == [
        ["1,234", "mimiciv_icu.chartevents", "d"],
        ["…", "eicu_crd.lab", "e"],
    ]
    assert len({str(line).index(item.table) for line, item in zip(shown.lines, (HEART, NAMED), strict=True)}) == 1
    assert tally([ItemAnswer(dataset="d", items=(HEART,), left_out=3)]) == "1 item in d, 3 more fit: add a word"
    assert tally([ItemAnswer(dataset="d", items=())]).startswith("Nothing of that name in d")


def drawn(shown: object, width: int) -> str:
    console = Console(width=width, file=io.StringIO())
    console.print(shown)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_a_short_text_is_previewed_whole_and_a_long_one_by_the_section_of_the_cursor() -> None:
    whole = preview_at(TEXT, 12)
    assert (whole.first, whole.last) == (1, len(TEXT.split("\n")))
    long = TEXT + "\nMore.\n" * 100
    part = preview_at(long, 15)
    assert (part.first, part.last) == (15, 18)
    text = drawn(laid_out(part.shown, 50), 50)
    assert "Score › Window › Ends" in text
    assert "Both." in text
    assert "One." not in text
    assert max(map(len, text.split("\n"))) <= 50
    assert (preview_at(long, 2).first, preview_at(long, 2).last) == (1, 4)

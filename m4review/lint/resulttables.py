"""Tables and printed lists that hold figures of the output: distributions, summaries, means of columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from m4review.lint.context import PUBLISHED_ANSWERS, LintContext
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit
from m4review.lint.views import View

LEVEL_LINE = Pattern(
    r"^[ \t>|]{0,8}(?P<level>\d{1,2})[ \t]{1,20}(?P<count>\d[\d,]{1,9})"
    r"(?:[ \t]{1,20}\d[\d.]{0,9}%?)?[ \t]*$",
    re.M,
)
COLUMN_FIGURE = Pattern(
    r"^[ \t>|\"'`*-]{0,8}(?P<column>[a-z]\w{1,40})[\"'`]?(?:[ \t]{2,20}|"
    r"[ \t]?[:|=,\t][ \t]?)\d{1,4}\.\d{2,8}[ \t|,]*$",
    re.M,
)
"""A column and one figure with decimals: as printed for the means of a frame."""
COLUMN_HEADS = frozenset(
    ("component", "criterion", "item", "column", "variable", "name", "field", "output", "measure", "")
)
LEVEL_ROW = Pattern(
    r"^[ \t>|]{0,8}(?:[a-z_]\w{1,30}[ \t:=]{1,4})?(?P<level>\d{1,2})[ \t]{0,20}[|,;:=→\t][ \t]{0,20}"
    r"(?P<count>\d{1,3}(?:,\d{3})+|\d{4,6})"
    r"(?:[ \t]{0,20}[|,;\t][ \t]{0,20}\d[\d.]{0,6}[ \t]?%?)?[ \t]{0,20}\|?[ \t]*$",
    re.M,
)
"""The same as a row of a table: a count has thousands here, for a limit of a score may stand beside its points."""
ITEM_OR_YEAR = Pattern(r"(?:22\d{4}|5[01]\d{3}|(?:19|20)\d\d)\Z")
MEAN_CELL = Pattern(r"[|,;\t][ \t]{0,40}(?:mean|avg|average|median)(?: \(sd\))?[ \t]{0,40}(?=[|,;\t\n])")
HOUR = Pattern(r"hr|hour|day|hours|stay|stay_id|t")
ANSWER_COLUMN = Pattern(rf"(?:{'|'.join(PUBLISHED_ANSWERS)})(?:_\w+)?\Z")
"""Beside an hour, the score of this hour."""
SAID_COLUMN = Pattern(r"(?:expected|reference|correct)\s+(?:n|count|counts|number|stays|rows|mean|share|%)")
LEAST_LEVELS = 3
SUMMARY_LINE = Pattern(
    r"^[ \t>|\"'`*-]{0,12}(?P<label>count|mean|std|sd|min|25\s?%|50\s?%|75\s?%|median|max)[ \t|,;:\"'`*]{1,20}-?\d",
    re.M,
)
SUMMARY_LINES = 24
"""How many lines of a printed summary are looked at together."""
SUMMARY_LABELS = 4
COUNTED = Pattern(
    r"n|nr|no\.?|counts?|freq(?:uency)?|rows|stays|n[_ ]\w+|num(?:ber)?[_ ](?:of[_ ])?\w+|%|percent(?:age)?|pct|"
    r"share|"
    r"mean|avg|average|median|(?:mean|avg|median|count)[_ ]\w+|\w+[_ ](?:count|mean|avg|median)"
)
QUANTILES = frozenset(("quantile", "quantiles", "percentile", "percentiles", "quartile", "statistic", "stat"))
FIGURE = Pattern(r"-?\d[\d,.' ]*%?|null|nan|na|-|–|")
LEVEL_RANGE = r"\d{1,2}\s?[-–]\s?\d{1,2}|\d{1,2}\s?\+"
FIGURE_OR_RANGE = Pattern(rf"{FIGURE.source}{LEVEL_RANGE}")
LEVEL = Pattern(r"-?\d{1,3}(?:\.0)?|null|nan|na|total|all|[≥>]?\s*\d{1,2}\+?|" + LEVEL_RANGE)
BLANKS = "  "
"""Columns aligned with blanks, as a console prints them."""
SEPARATORS = ("|", "\t", ",", ";", BLANKS)
RULER = " |:-+=\t>"
NUMERIC_ROW = Pattern(
    r"^[ \t>|\"'`*]*-?\d(?:[\d.,' –+-]{0,80}[\"'`*]{0,6}[ \t]{0,80}[|,;\t]|[\d.]{0,12}[ ]{2,40}-?\d)", re.M
)
MIN_COLUMNS = 3
MIN_LEVELS = 3


def check_result_tables(plain: View, tables: Iterable[View], context: LintContext) -> Iterator[Hit]:
    """Tables and printed lists that hold figures of the output."""
    for reading in tables:
        yield from _tables(reading, context)
    yield from _column_figures(plain, context)
    yield from _value_counts(plain)
    yield from _moments(plain, context)
    yield from _summaries(plain)


def _column_figures(plain: View, context: LintContext) -> Iterator[Hit]:
    """Three columns of the output below each other, each with a figure that has decimals."""
    run: list[re.Match[str]] = []
    for match in COLUMN_FIGURE.finditer(plain.lower) if context.columns else ():
        if match.group("column") not in context.columns:
            run = []
            continue
        if run and plain.line_of(match.start()) - plain.line_of(run[-1].start()) != 1:
            run = []
        run.append(match)
        if len(run) == LEAST_LEVELS:
            yield Hit("result-table", *plain.raw(run[0].start(), match.end()), "figures of columns of the output")


def _tables(plain: View, context: LintContext) -> Iterator[Hit]:
    """Headers with rows of numbers under them. The rows are looked for first: most lines of a text hold none."""
    lines: list[str] = []
    header_before = -1
    for match in NUMERIC_ROW.finditer(plain.lower):
        lines = lines or plain.lower.split("\n")
        first = plain.line_of(match.start())
        index = first - 1 if first and lines[first - 1].strip(RULER) else first - 2
        if index < 0 or index == header_before or NUMERIC_ROW.match(lines[index]):
            continue
        header_before = index
        separator = next((sign for sign in SEPARATORS if sign in lines[index]), None)
        if separator is not None:
            yield from _table(plain, lines, index, separator, context)


def _value_counts(plain: View) -> Iterator[Hit]:
    """Levels counted up line by line, each with an uneven count, as data-frame libraries print them."""
    for form in (LEVEL_LINE, LEVEL_ROW):
        run: list[re.Match[str]] = []
        for match in (*form.finditer(plain.lower), None):
            if match is not None and run and _follows(plain, run[-1], match):
                run.append(match)
                continue
            counts = [item.group("count").replace(",", "") for item in run]
            uneven = [
                count
                for count in counts
                if len(count) > 2 and not count.endswith("0") and not ITEM_OR_YEAR.match(count)
            ]
            if len(run) >= LEAST_LEVELS and len(uneven) >= 2:
                yield Hit("result-table", *plain.raw(run[0].start(), run[-1].end()), "a distribution of the output")
            run = [match] if match is not None else []


def _follows(plain: View, before: re.Match[str], match: re.Match[str]) -> bool:
    next_line = plain.line_of(match.start()) == plain.line_of(before.start()) + 1
    return next_line and int(match.group("level")) == int(before.group("level")) + 1


def _summaries(plain: View) -> Iterator[Hit]:
    """Count, mean, deviation and quartiles below each other, as data-frame libraries print them."""
    found: list[re.Match[str]] = []
    for match in SUMMARY_LINE.finditer(plain.lower) if "std" in plain.lower or "25%" in plain.lower else ():
        if found and plain.line_of(match.start()) - plain.line_of(found[-1].start()) > 2:
            found = []
        found = [*found[1 - SUMMARY_LINES :], match]
        labels = {item.group("label").replace(" ", "") for item in found}
        if (len(labels) == SUMMARY_LABELS and labels & {"std", "25%", "75%"}) or labels == {"count", "mean", "std"}:
            yield Hit("result-table", *plain.raw(found[0].start(), match.end()), "summary statistics")


def _table(plain: View, lines: list[str], index: int, separator: str, context: LintContext) -> Iterator[Hit]:
    header = _cells(lines[index], separator)
    kind = _kind(header, context)
    if kind is None:
        return
    figure = FIGURE_OR_RANGE if kind in {"coded", "plain"} else FIGURE
    rows = _numeric_rows(lines, index + 1, separator, len(header), figure)
    if kind == "output":
        message, enough = "numbers under the columns of the output", len(rows) >= 1
    elif kind == "expected":
        message = "a count of the expected output"
        enough = len(rows) > 1 and all(len(re.sub(r"\D", "", cells[1])) > 2 for _, cells in rows)
    else:
        level = next(position for position, name in enumerate(header) if not COUNTED.fullmatch(name))
        message = "a distribution of the output"
        enough = len(rows) >= MIN_LEVELS and all(LEVEL.fullmatch(cells[level]) for _, cells in rows)
    if enough:
        last = rows[-1][0]
        span = plain.raw(plain.line_starts[index], plain.line_starts[last] + len(lines[last]))
        yield Hit("result-table", *span, message, "warning" if kind == "plain" else None)


def _moments(plain: View, context: LintContext) -> Iterator[Hit]:
    """Tables with a row per output column, and its mean or spread."""
    lines = plain.lower.split("\n")
    # A line is split once, however many of its cells name a mean.
    for index in dict.fromkeys(plain.line_of(match.start()) for match in MEAN_CELL.finditer(plain.lower)):
        separator = next((sign for sign in SEPARATORS if sign in lines[index]), None)
        header = _cells(lines[index], separator) if separator is not None else []
        if separator is not None and len(header) > 1 and header[0] in COLUMN_HEADS:
            yield from _moment_rows(plain, lines, index, separator, len(header), context)


def _moment_rows(
    plain: View, lines: list[str], index: int, separator: str, width: int, context: LintContext
) -> Iterator[Hit]:
    for row in range(index + 1, min(index + 40, len(lines))):
        cells = _cells(lines[row], separator)
        if (
            len(cells) == width
            and is_output(cells[0], context)
            and plain.text[plain.line_starts[row] :].lstrip(" |`*>").startswith(cells[0])
            and FIGURE.fullmatch(cells[1])
            and cells[1]
        ):
            start = plain.line_starts[row]
            yield Hit("result-table", *plain.raw(start, start + len(lines[row])), "figures of a column of the output")
            return


def _cells(line: str, separator: str) -> list[str]:
    if separator == BLANKS:
        return [cell.strip("\"'`*") for cell in re.split(r"[ \t]{2,}", line.strip(" >\t"))]
    line = line.strip(" >\t" if separator != "\t" else " >")
    return [cell.strip(" \"'`*") for cell in (line.strip("|") if separator == "|" else line).split(separator)]


def is_output(name: str, context: LintContext) -> bool:
    return name in context.columns or name in PUBLISHED_ANSWERS


def _kind(header: list[str], context: LintContext) -> str | None:
    """``output``: nothing but output columns; ``coded``: a column and its counts; ``plain``: the same in words."""
    if len(header) >= MIN_COLUMNS and all(name in context.columns for name in header):
        return "output"
    if len(header) >= MIN_COLUMNS and any("_" in name and name in context.columns for name in header):
        return "output"
    if len(header) >= MIN_COLUMNS and any(map(HOUR.fullmatch, header)) and any(map(ANSWER_COLUMN.match, header)):
        return "output"
    if len(header) == 2 and header[1] in {"expected", "reference", "correct", "target"}:
        return "expected"
    if any(SAID_COLUMN.fullmatch(name) for name in header) and len(header) <= 4:
        return "output"
    if 1 < len(header) <= 4 and header[0] in QUANTILES and any(is_output(name, context) for name in header[1:]):
        return "output"
    counts = [name for name in header if COUNTED.fullmatch(name)]
    levels = [name for name in header if name and not COUNTED.fullmatch(name)]
    if not counts or len(levels) != 1 or len(header) > 4:
        return None
    name = levels[0]
    if is_output(name, context) or re.fullmatch(r"[a-z]\w*_\w+", name):
        return "coded"
    return "plain" if re.fullmatch(r"(?:[\w-]+\s+)?(?:stage|score|points|class)", name) else None


def _numeric_rows(
    lines: list[str], first: int, separator: str, width: int, figure: Pattern
) -> list[tuple[int, list[str]]]:
    rows: list[tuple[int, list[str]]] = []
    for index in range(first, min(first + 60, len(lines))):
        text = lines[index]
        if not text.strip(RULER) and text.strip():
            continue
        cells = _cells(text, separator)
        if separator == BLANKS and len(cells) == width + 1:
            del cells[0]  # the number of the row, as data-frame libraries print it
        if len(cells) != width or not any(cells) or not all(figure.fullmatch(cell) for cell in cells):
            break
        rows.append((index, cells))
    return rows

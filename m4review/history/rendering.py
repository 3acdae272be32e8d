"""A comparison as text for a terminal, a pipe or a screen reader.

Changed words carry marks, ``[-old-]`` and ``{+new+}``, with colour or without, so that nothing is told by colour alone.
"""

from __future__ import annotations

from m4review.history.blanks import visible_spans
from m4review.history.comparison import Comparison, Hunk, Line, Span

RED, GREEN, CYAN, BOLD, PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[1m", "\x1b[0m"
MARKS = {"equal": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
COLOURS = {"equal": "", "removed": RED, "added": GREEN}


def render_unified(
    comparison: Comparison,
    old_name: str,
    new_name: str,
    *,
    context: int = 3,
    words: bool = True,
    colour: bool = False,
) -> str:
    """The comparison in unified form; empty when nothing differs.

    With ``words`` a changed line is one line with ``~`` in front and word marks inside; without, it is a ``-`` line and
    a ``+`` line, which ``patch`` understands.
    """
    if comparison.is_equal:
        return ""
    head = [_paint(f"--- {old_name}", BOLD, colour), _paint(f"+++ {new_name}", BOLD, colour)]
    lines = head + [_paint(f"# {note}", CYAN, colour) for note in comparison.notes]
    for hunk in comparison.hunks(context):
        lines.append(_paint(_range(hunk), CYAN, colour))
        lines.extend(_marked(hunk, colour) if words else _plain(hunk, colour))
    return "\n".join(lines) + "\n"


def render_line(line: Line, *, colour: bool = False) -> str:
    """One line with its sign and word marks; changed blanks that nobody would see are marked too."""
    sign = {"equal": " ", "removed": "-", "added": "+", "changed": "~"}[line.kind]
    if line.kind == "changed":
        return sign + "".join(_span(span, colour) for span in visible_spans(line))
    text = sign + visible_spans(line)[0].text
    return _paint(text, COLOURS[line.kind], colour) if line.kind != "equal" else text


def _marked(hunk: Hunk, colour: bool) -> list[str]:
    return [render_line(line, colour=colour) for line in hunk.lines]


def _plain(hunk: Hunk, colour: bool) -> list[str]:
    """Every run of changes as its old lines, then its new lines."""
    lines: list[str] = []
    new: list[str] = []
    for line in hunk.lines:
        if line.kind == "equal":
            lines += [*new, " " + line.old_text]
            new = []
            continue
        if line.old is not None:
            lines.append(_paint("-" + line.old_text, RED, colour))
        if line.new is not None:
            new.append(_paint("+" + line.new_text, GREEN, colour))
    return lines + new


def _span(span: Span, colour: bool) -> str:
    before, after = MARKS[span.kind]
    return _paint(before + span.text + after, COLOURS[span.kind], colour) if before else span.text


def _range(hunk: Hunk) -> str:
    old = f"{hunk.old_start},{hunk.old_count}"
    new = f"{hunk.new_start},{hunk.new_count}"
    return f"@@ -{old} +{new} @@"


def _paint(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{PLAIN}" if colour and code else text

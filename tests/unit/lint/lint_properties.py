"""What holds of the lint whatever it reads; used by the tests and by the campaign under ``benchmarks/fuzz``."""

from __future__ import annotations

import re

from m4review.lint import Finding, SourceFile, TaskIndex, encodings, lint_files
from m4review.lint.languages import density

CLEAN = "\n\nTake the lowest value of the first day. A missing value scores nothing.\n"
PRIVATE = frozenset(("rows", "results", "solution"))
SKILL = "skills/example"


def forget_lines() -> None:
    """Let the next text be looked at as if the process had just begun."""
    for memory in (density._marked, encodings._short_in_line, encodings._holds_hex):
        memory.cache_clear()


def findings_of(data: bytes) -> tuple[Finding, ...]:
    """What the lint says of a skill whose SKILL.md has these bytes."""
    return lint_files([SourceFile(f"{SKILL}/SKILL.md", data, len(data), skill=SKILL)], TaskIndex()).findings


def text_of(data: bytes) -> str | None:
    """The text as the lint reads it, ``None`` for bytes that are no UTF-8 text."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def check_all(data: bytes) -> tuple[Finding, ...]:
    """Run every property on one file.

    Raises:
        AssertionError: one does not hold; the message names it.
    """
    found = findings_of(data)
    assert findings_of(data) == found, "the same bytes give the same findings"
    assert list(found) == sorted(found, key=lambda item: (item.path, item.line, item.column, item.rule)), "sorted"
    _repeat_no_patient(found)
    text = text_of(data)
    if text is not None:
        _lie_inside(found, text)
        _survive_line_ends(found, text)
        _survive_more_text(found, text)
    return found


def _repeat_no_patient(found: tuple[Finding, ...]) -> None:
    for item in found:
        said = " ".join((item.message, item.why, item.fix))
        assert not re.search(r"(?<!\d)[123]\d{7}(?!\d)", said), "no message repeats an identifier"
        if item.family in PRIVATE:
            assert item.excerpt is None, "no excerpt of patients or answers"
            assert not re.search(r"\d{3}", item.message), "no figure in a message about patients or answers"


def _lie_inside(found: tuple[Finding, ...], text: str) -> None:
    lines = text.split("\n")
    for item in found:
        assert 1 <= item.line <= item.end_line <= len(lines), "lines lie inside the text"
        assert 1 <= item.column <= len(lines[item.line - 1]) + 1, "columns lie inside the text"
        assert 1 <= item.end_column <= len(lines[item.end_line - 1]) + 2, "end columns lie inside the text"
        assert (item.line, item.column) <= (item.end_line, item.end_column), "a finding does not end before it begins"


def _places(found: tuple[Finding, ...]) -> list[tuple[object, ...]]:
    return [(item.rule, item.severity, item.message, item.line, item.column, item.end_column) for item in found]


def _survive_line_ends(found: tuple[Finding, ...], text: str) -> None:
    for end in ("\n", "\r\n"):
        other = findings_of(text.replace("\n", end).encode())
        said = [item for item in found if item.rule != "byte-order-mark"]
        assert _places(other) == _places(tuple(said)), "findings are stable under CRLF and LF"


def _survive_more_text(found: tuple[Finding, ...], text: str) -> None:
    if not text.split("\n---\n", 1)[1:] and text.startswith("---\n"):
        return  # the front matter is still open: what comes next belongs to it
    more = {(item.rule, item.line) for item in findings_of((text + CLEAN).encode())}
    # A warning about notation weighs a phrase with the words after it; what is refused stays refused.
    lost = {
        (item.rule, item.line) for item in found if item.severity == "error" and item.rule != "byte-order-mark"
    } - more
    assert not lost, f"clean text below removes no refusal: {sorted(lost)}"

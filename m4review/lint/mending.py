"""Ways to put a finding right: each an edit of whole lines, offered only where the lint says that it helps.

A mend never invents what a clinician would have to know. It takes out what may not stand there, writes what is the
same in other characters, or leaves a line that says what is still to be written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from m4review.lint.finding import Finding
from m4review.lint.frontmatter import KEYS
from m4review.lint.hidden import check_hidden
from m4review.lint.placement import MAX_PER_RULE
from m4review.lint.views import LOOKALIKES, line_starts
from m4review.skills.document import Fence, parse_document

Check = Callable[[str], Sequence[Finding]]
"""What the lint says of a text."""

TO_WRITE = "To be written: in words, which rows count, over which window, and which value is taken."
INVISIBLE_RULES = frozenset(("zero-width", "bidi-control", "tag-characters"))
PROCEDURES = frozenset(("query", "program", "removed-table", "solution"))
"""The families whose text stands for a procedure that can be said in words instead."""
BULLET = re.compile(r"[ \t>]*(?:[-*+]|\d{1,3}[.)])?[ \t]*")
FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:")


class Mend(NamedTuple):
    """Put ``lines`` in the place of the lines ``first`` to ``last`` (from 1, both included); ``last`` may be
    ``first - 1``, which puts them before ``first``."""

    does: str
    first: int
    last: int
    lines: tuple[str, ...]

    def applied(self, text: str) -> str:
        """The text afterwards."""
        lines = text.split("\n")
        return "\n".join([*lines[: self.first - 1], *self.lines, *lines[self.last :]])


def mends(text: str, finding: Finding, check: Check, folder: str = "") -> tuple[Mend, ...]:
    """What can be done about a finding of ``check(text)``; the gentlest first, deleting whole lines last.

    Offered is only what leaves fewer findings of that rule and none that was not there before. ``folder`` is the
    skill's, whose name the front matter must carry.
    """
    before = Counter(found.rule for found in check(text))
    return tuple(mend for mend in _thinkable(text, finding, folder) if _helps(mend, text, finding.rule, before, check))


def _helps(mend: Mend, text: str, rule: str, before: Counter[str], check: Check) -> bool:
    after = Counter(found.rule for found in check(mend.applied(text)))
    fewer = after[rule] < before[rule] or after[rule] >= MAX_PER_RULE
    return fewer and all(count <= before[other] for other, count in after.items())


def _thinkable(text: str, finding: Finding, folder: str) -> Iterator[Mend]:
    lines = text.split("\n")
    if not 1 <= finding.line <= len(lines):
        return
    if finding.family == "front-matter":
        yield from _in_front(lines, finding, folder)
        return
    yield from _characters(text, finding)
    if finding.rule == "comment":
        yield from _shown_comment(lines, finding)
    block = _fence_around(text, finding.line)
    if block is not None:
        yield from _prose_for(lines, block, finding)
    first, last = finding.line, min(max(finding.end_line, finding.line), len(lines))
    if block is None and finding.family in PROCEDURES and not lines[first - 1].lstrip().startswith("|"):
        mark = BULLET.match(lines[first - 1])
        words = f"{mark.group() if mark else ''}{TO_WRITE}"
        yield Mend(f"Put a reminder to write it in words in the place of {_named(first, last)}", first, last, (words,))
    if block is None or block.line < first <= last < block.end_line:
        yield Mend(f"Delete {_named(first, last)}", first, last, ())
    top, bottom = first, last
    while top > 1 and lines[top - 2].strip():
        top -= 1
    while bottom < len(lines) and lines[bottom].strip():
        bottom += 1
    if (top, bottom) != (first, last) and block is None:
        yield Mend(f"Delete the whole block, {_named(top, bottom)}", top, bottom, ())


def _characters(text: str, finding: Finding) -> Iterator[Mend]:
    """The same words without what nobody sees, or in the letters that they seem to have; everywhere in the text."""
    hits = [hit for hit in check_hidden(text) if hit.rule == finding.rule]
    if finding.rule in INVISIBLE_RULES:
        spans = [(hit.start, hit.end, "") for hit in hits]
        yield from _rewritten(text, spans, "Delete the invisible characters in", "keep every word that can be read")
    elif finding.rule == "mixed-script":
        spans = [
            (hit.start, hit.end, "".join(LOOKALIKES.get(letter, letter) for letter in text[hit.start : hit.end]))
            for hit in hits
        ]
        yield from _rewritten(text, spans, "Write the mixed words with Latin letters in", "look the same")
    elif finding.rule == "encoded-run":
        starts = line_starts(text)
        spans = [
            (hit.start, hit.end, "")
            for hit in hits
            if starts[finding.line - 1] <= hit.start < starts[finding.line - 1] + len(_line(text, finding.line)) + 1
        ]
        yield from _rewritten(text, spans, "Delete the encoded text in", "keep the words around it")


def _rewritten(text: str, spans: Sequence[tuple[int, int, str]], does: str, rest: str) -> Iterator[Mend]:
    if not spans:
        return
    starts = line_starts(text)
    first = sum(start <= spans[0][0] for start in starts)
    last = sum(start < spans[-1][1] for start in starts)
    changed, at = [], 0
    for begin, end, new in spans:
        changed += [text[at:begin], new]
        at = end
    lines = ("".join(changed) + text[at:]).split("\n")
    kept = len(text.split("\n")) - last
    yield Mend(f"{does} {_named(first, last)}; {rest}", first, last, tuple(lines[first - 1 : len(lines) - kept]))


def _shown_comment(lines: Sequence[str], finding: Finding) -> Iterator[Mend]:
    first, last = finding.line, max(finding.end_line, finding.line)
    block = "\n".join(lines[first - 1 : last])
    shown = re.sub(r"<!--+[ \t]*\n?|\n?[ \t]*--+>", "", block)
    if shown.strip() and shown != block:
        yield Mend(f"Show the comment of {_named(first, last)} on the page", first, last, tuple(shown.split("\n")))


def _prose_for(lines: Sequence[str], block: Fence, finding: Finding) -> Iterator[Mend]:
    """A code block as a reminder, or, where only its announcement is at fault, without the language."""
    opening = lines[block.line - 1]
    if finding.rule.endswith("-fence") and block.info and opening.rstrip().endswith(block.info):
        plain = opening.rstrip().removesuffix(block.info).rstrip()
        yield Mend(f"Take “{block.info}” off the code block of line {block.line}", block.line, block.line, (plain,))
    if finding.family in PROCEDURES:
        place = _named(block.line, block.end_line)
        yield Mend(
            f"Put a reminder to write it in words in the place of the code block, {place}",
            block.line,
            block.end_line,
            (TO_WRITE,),
        )
    yield Mend(f"Delete the code block, {_named(block.line, block.end_line)}", block.line, block.end_line, ())


def _in_front(lines: Sequence[str], finding: Finding, folder: str) -> Iterator[Mend]:
    """The name of the folder, a key that is missing, another spelling of a key, or the key taken out."""
    line = finding.line
    named = FIELD.match(lines[line - 1])
    if finding.rule == "front-matter-name" and folder and named:
        yield Mend(f"Write the folder's name: {folder}", line, line, (f"name: {folder}",))
    elif finding.rule == "front-matter-key" and named:
        key = named.group(1)
        for near in get_close_matches(key.lower().replace("_", "-"), KEYS, n=1, cutoff=0.6):
            rest = lines[line - 1][len(key) :]
            yield Mend(f"Write “{near}” instead of “{key}”", line, line, (f"{near}{rest}",))
        last = line
        while last < len(lines) and re.match(r"[ \t]+\S", lines[last]):
            last += 1
        yield Mend(f"Delete the key “{key}”, {_named(line, last)}", line, last, ())
    elif finding.rule == "front-matter":
        stub = {
            "name": f"name: {folder}",
            "description": "description: To be written, what it derives and when to use it.",
        }
        if lines[0].rstrip() == "---":
            for key, words in stub.items():
                if f"'{key}' is missing" in finding.message:
                    yield Mend(f"Put in a line “{key}:”", 2, 1, (words,))
                elif finding.message.startswith(f"{key} is empty"):
                    yield Mend(f"Fill in the line “{key}:”", line, line, (words,))
        elif folder:
            yield Mend("Put a front matter block at the top", 1, 0, ("---", *stub.values(), "---", ""))


def _fence_around(text: str, line: int) -> Fence | None:
    fenced = (fence for fence in parse_document(text).fences if fence.line <= line <= fence.end_line)
    return next((fence for fence in fenced if _line(text, fence.line).lstrip(" >").startswith(("```", "~~~"))), None)


def _line(text: str, number: int) -> str:
    return text.split("\n")[number - 1]


def _named(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"

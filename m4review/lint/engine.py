"""One text or one set of files in, findings out. Everything that reads files or git lies elsewhere."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath

from m4review.errors import TextFileError
from m4review.lint import (
    aggregates,
    answers,
    encodings,
    frontmatter,
    hidden,
    instructions,
    program,
    query,
    removed,
    results,
    rows,
    solution,
    specification,
    structure,
)
from m4review.lint.context import NOTES, LintContext, TaskIndex
from m4review.lint.finding import Finding, LintReport
from m4review.lint.rule import Hit, Rule
from m4review.lint.tables import readings
from m4review.lint.views import View, flow_view, line_starts, plain_view
from m4review.places import REVIEWS, SKILL_FILE
from m4review.tasks.figures import Figures
from m4review.textfile import decode

PATIENTS = "rows"
"""The family whose fingerprints carry no content."""
NEVER_SHOWN = frozenset((PATIENTS, "results", "solution"))
"""The families whose findings carry no excerpt: what they match is a patient's or the answer's."""
MAX_PER_RULE = 50
"""Findings of one rule in one file; more than that is one message, not a list."""


@cache
def rules() -> dict[str, Rule]:
    """Every rule by id, in the order of the families."""
    families = (
        query,
        program,
        removed,
        answers,
        rows,
        results,
        aggregates,
        solution,
        specification,
        hidden,
        instructions,
        structure,
        frontmatter,
    )
    return {rule.id: rule for family in families for rule in family.RULES}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to lint: where it lies and its exact bytes. ``data`` is ``None`` for a link, submodule or huge file."""

    path: str
    """As shown: relative to the workspace where it lies inside, with ``/``."""
    data: bytes | None
    size: int
    mode: str = "100644"
    skill: str | None = None
    """Path of the skill folder it belongs to, ``None`` outside of skills."""

    @property
    def inside(self) -> str | None:
        """Path within the skill folder."""
        if self.skill is None:
            return None
        return self.path.removeprefix(self.skill).lstrip("/") if self.skill not in {"", "."} else self.path


def lint_text(text: str, path: str = SKILL_FILE, context: LintContext | None = None) -> list[Finding]:
    """Findings of one text, sorted by place. What the editor calls while somebody types.

    ``path`` is shown in the findings; when its name is SKILL.md the front matter is checked too. ``context`` says what
    the tasks around it forbid (:meth:`TaskIndex.context`). Whole files are also compared with the references and their
    figures (:func:`lint_files`).
    """
    around = context or LintContext()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = plain_view(text)
    hits = list(_hits(text, plain, around))
    if around.families is None and PurePosixPath(path).name == specification.SPECIFICATION_FILE:
        hits += specification.check_specification(plain, around)
    if around.families is None and PurePosixPath(path).name == SKILL_FILE:
        hits += frontmatter.check_front_matter(text, around.folder, around.profile)
    return _findings(path, text, hits)


def lint_files(
    files: Iterable[SourceFile], tasks: TaskIndex, *, profile: str | None = None, figures: Sequence[Figures] = ()
) -> LintReport:
    """Findings of a set of files, as read from disk, index or commit. ``figures`` are those of the datasets here."""
    findings: list[Finding] = []
    contexts: dict[str | None, LintContext] = {}
    count = size = 0
    folders: dict[str, bool] = {}
    for file in files:
        count += 1
        size += file.size
        folder = None if file.skill is None else PurePosixPath(file.skill).name or None
        if folder not in contexts:
            contexts[folder] = tasks.context(folder, profile)
        context = contexts[folder]
        if file.skill is None and PurePosixPath(file.path).parts[:1] == (REVIEWS,):
            context = replace(context, families=NOTES)
        if file.skill is not None:
            folders[file.skill] = folders.get(file.skill, False) or file.inside == SKILL_FILE
        findings += _lint_file(file, context, figures)
    for skill, complete in folders.items():
        if not complete:
            findings.append(_at_top(f"{skill}/{SKILL_FILE}", "missing-skill-file", f"the folder has no {SKILL_FILE}"))
    findings.sort(key=lambda item: (item.path, item.line, item.column, item.rule))
    return LintReport(tuple(findings), count, size)


def _lint_file(file: SourceFile, context: LintContext, figures: Sequence[Figures]) -> list[Finding]:
    content = "" if file.data is None else hashlib.sha256(file.data).hexdigest()
    found = [
        _at_top(file.path, rule, message, content=content)
        for rule, message in structure.check_entry(file.path, file.inside, file.mode, file.data, file.size)
    ]
    if file.data is None or any(item.rule in {"binary", "lfs-pointer", "symlink", "submodule"} for item in found):
        return found
    data = file.data
    if len(data) > structure.MAX_BYTES:
        data = data[: structure.SCANNED_BYTES]
        data = data[: data.rfind(b"\n") + 1] or data.decode("utf-8", "ignore").encode()
    try:
        source = decode(data, file.path)
    except TextFileError as error:
        found.append(_at_top(file.path, "encoding", error.what, line=error.line or 1, content=content))
        return found + _lint_undecodable(file, data, context)
    if source.had_bom:
        found.append(_at_top(file.path, "byte-order-mark", "starts with a byte order mark"))
    plain = plain_view(source.text)
    hits = list(_hits(source.text, plain, context))
    if context.families is None:
        hits += solution.check_solution(plain)
        hits += aggregates.check_aggregates(plain, figures)
        if PurePosixPath(file.path).name == specification.SPECIFICATION_FILE:
            hits += specification.check_specification(plain, context)
    if file.inside == SKILL_FILE or (file.skill is None and PurePosixPath(file.path).name == SKILL_FILE):
        hits += frontmatter.check_front_matter(source.text, context.folder, context.profile)
    return found + _findings(file.path, source.text, hits)


def _lint_undecodable(file: SourceFile, data: bytes, context: LintContext) -> list[Finding]:
    """Text in another encoding is searched all the same: an encoding must not hide a query."""
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "latin-1"
    text = data.decode(encoding, "replace")
    hits = _hits(text, plain_view(text), context)
    return _findings(file.path, text, [hit for hit in hits if rules()[hit.rule].family != "hidden-text"])


def _hits(text: str, plain: View, context: LintContext) -> Iterator[Hit]:
    families = context.families
    for hit in _all_hits(text, plain, context):
        if families is None or rules()[hit.rule].family in families:
            yield hit


def _all_hits(text: str, plain: View, context: LintContext) -> Iterator[Hit]:
    yield from hidden.check_hidden(text)
    yield from _visible_hits(plain, context)
    for view in encodings.decoded_views(plain):
        for hit in _visible_hits(view, context):
            yield Hit(hit.rule, hit.start, hit.end, f"{hit.message} (encoded: {view.label})", hit.severity)


def _visible_hits(plain: View, context: LintContext) -> Iterator[Hit]:
    flow = flow_view(plain)
    tables = tuple(readings(plain))
    yield from query.check_query(flow, plain)
    yield from program.check_program(plain, flow)
    yield from removed.check_removed(plain, context)
    yield from answers.check_answers(plain, context)
    yield from rows.check_rows(plain, tables)
    yield from results.check_results(plain, tables, context)
    yield from instructions.check_instructions(plain)


def _findings(path: str, text: str, hits: Iterable[Hit]) -> list[Finding]:
    starts = line_starts(text)
    known = rules()
    unique: dict[tuple[str, int], Hit] = {}
    spans: dict[str, dict[tuple[int, int], int]] = {}
    for hit in sorted(hits, key=lambda item: (item.start, -item.end)):
        line = bisect_right(starts, hit.start)
        key = (hit.rule, line)
        spans.setdefault(hit.rule, {})[hit.start, hit.end] = line
        if key not in unique or (hit.severity is None and unique[key].severity == "warning"):
            unique[key] = hit
    private = {
        number
        for hit in unique.values()
        if known[hit.rule].family in NEVER_SHOWN
        for number in range(bisect_right(starts, hit.start), bisect_right(starts, max(hit.start, hit.end - 1)) + 1)
    }
    counted: dict[str, int] = {}
    findings: list[Finding] = []
    for hit in unique.values():
        times = counted[hit.rule] = counted.get(hit.rule, 0) + 1
        if times > MAX_PER_RULE:
            continue
        line = bisect_right(starts, hit.start)
        meant = [
            text[start:end]
            for (start, end), place in spans[hit.rule].items()
            if place == line or (times == MAX_PER_RULE and place > line)
        ]
        findings.append(_finding(path, text, starts, known[hit.rule], hit, private, times, meant))
    return sorted(findings, key=lambda item: (item.line, item.column, item.rule))


def _finding(
    path: str,
    text: str,
    starts: list[int],
    rule: Rule,
    hit: Hit,
    private: set[int],
    times: int,
    meant: list[str],
) -> Finding:
    """``meant`` is all the content that this finding stands for; its fingerprint covers it whole."""
    line = bisect_right(starts, hit.start)
    end = max(hit.start, hit.end)
    end_line = bisect_right(starts, max(hit.start, end - 1))
    shown = None
    if line not in private:
        stop = starts[line] - 1 if line < len(starts) else len(text)
        shown = text[starts[line - 1] : stop]
    content = str(times) if rule.family == PATIENTS else re.sub(r"\s+", " ", " ".join(meant).lower())
    return Finding(
        rule=rule.id,
        family=rule.family,
        severity=hit.severity or rule.severity,
        path=path,
        line=line,
        column=hit.start - starts[line - 1] + 1,
        end_line=end_line,
        end_column=end - starts[end_line - 1] + 1,
        message=hit.message,
        why=rule.why,
        fix=rule.fix,
        fingerprint=_fingerprint(rule.id, path, content),
        excerpt=shown,
    )


def _at_top(path: str, rule_id: str, message: str, *, line: int = 1, content: str = "") -> Finding:
    """A finding about the file as such; its fingerprint covers ``content``, so that a waiver cannot outlive it."""
    rule = rules()[rule_id]
    return Finding(
        rule.id, rule.family, rule.severity, path, line, 1, line, 1, message, rule.why, rule.fix,
        _fingerprint(rule.id, path, content),
    )  # fmt: skip


def _fingerprint(rule: str, path: str, content: str) -> str:
    return hashlib.sha256("\0".join((rule, PurePosixPath(path).name, content)).encode("utf-8", "replace")).hexdigest()[
        :32
    ]

"""One text or one set of files in, findings out. Everything that reads files or git lies elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from m4review.errors import TextFileError
from m4review.lint import (
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
    structure,
)
from m4review.lint.context import NOTES, LintContext, TaskIndex
from m4review.lint.finding import LintReport
from m4review.lint.rule import Hit
from m4review.lint.scope import SPECIFICATION_FILE
from m4review.lint.tables import readings
from m4review.lint.views import View, flow_view, plain_view
from m4review.places import REVIEWS, SKILL_FILE
from m4review.textfile import BYTE_ORDER_MARK, unicode_of

if TYPE_CHECKING:
    from m4review.lint.finding import Finding
    from m4review.tasks.figures import Figures


class SourceFile(NamedTuple):
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
    hits = _hits(text, plain, around)
    if around.families is None:
        hits += _of_specification(path, plain, around)
    if around.families is None and _name(path) == SKILL_FILE:
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
        folder = None if file.skill is None else _name(file.skill) or None
        if folder not in contexts:
            contexts[folder] = tasks.context(folder, profile)
        context = contexts[folder]
        if file.skill is None and file.path.startswith(f"{REVIEWS}/"):
            context = context._replace(families=NOTES)
        if file.skill is not None:
            folders[file.skill] = folders.get(file.skill, False) or file.inside == SKILL_FILE
        findings += _lint_file(file, context, figures)
    for skill, complete in folders.items():
        if not complete:
            missing = SourceFile(f"{skill}/{SKILL_FILE}", None, 0)
            findings.append(_at_top(missing, "missing-skill-file", f"the folder has no {SKILL_FILE}"))
    findings.sort(key=lambda item: (item.path, item.line, item.column, item.rule))
    return LintReport(tuple(findings), count, size)


def _lint_file(file: SourceFile, context: LintContext, figures: Sequence[Figures]) -> list[Finding]:
    found = [
        _at_top(file, rule, message)
        for rule, message in structure.check_entry(file.path, file.inside, file.mode, file.data, file.size)
    ]
    if file.data is None or any(item.rule in {"binary", "lfs-pointer", "symlink", "submodule"} for item in found):
        return found
    data = file.data
    if len(data) > structure.MAX_BYTES:
        data = data[: structure.SCANNED_BYTES]
        data = data[: data.rfind(b"\n") + 1] or data.decode("utf-8", "ignore").encode()
    try:
        text = unicode_of(data, file.path).replace("\r\n", "\n").replace("\r", "\n")
    except TextFileError as error:
        found.append(_at_top(file, "encoding", error.what, error.line or 1))
        return found + _lint_undecodable(file, data, context)
    if data.startswith(BYTE_ORDER_MARK):
        found.append(_at_top(file._replace(data=None), "byte-order-mark", "starts with a byte order mark"))
    plain = plain_view(text)
    hits = _hits(text, plain, context)
    if context.families is None:
        hits += solution.check_solution(plain)
        hits += _of_specification(file.path, plain, context)
        if figures:
            from m4review.lint.aggregates import check_aggregates

            hits += check_aggregates(plain, figures)
    if file.inside == SKILL_FILE or (file.skill is None and _name(file.path) == SKILL_FILE):
        hits += frontmatter.check_front_matter(text, context.folder, context.profile)
    return found + _findings(file.path, text, hits)


def _findings(path: str, text: str, hits: Sequence[Hit]) -> list[Finding]:
    if not hits:
        return []
    from m4review.lint.placement import findings_of  # it loads all that is said about rules, which few texts need

    return findings_of(path, text, hits)


def _at_top(file: SourceFile, rule: str, message: str, line: int = 1) -> Finding:
    """A finding about the file as such, bound to its bytes."""
    from hashlib import sha256

    from m4review.lint.placement import finding_at_top

    content = "" if file.data is None else sha256(file.data).hexdigest()
    return finding_at_top(file.path, rule, message, line=line, content=content)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _of_specification(path: str, plain: View, context: LintContext) -> Iterable[Hit]:
    if _name(path) != SPECIFICATION_FILE:
        return ()
    from m4review.lint.specification import check_specification

    return check_specification(plain, context)


def _lint_undecodable(file: SourceFile, data: bytes, context: LintContext) -> list[Finding]:
    """Text in another encoding is searched all the same: an encoding must not hide a query."""
    from m4review.lint.ruleset import rules

    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "latin-1"
    text = data.decode(encoding, "replace")
    hits = _hits(text, plain_view(text), context)
    return _findings(file.path, text, [hit for hit in hits if rules()[hit.rule].family != "hidden-text"])


def _hits(text: str, plain: View, context: LintContext) -> list[Hit]:
    hits = _all_hits(text, plain, context)
    if context.families is None:
        return list(hits)
    from m4review.lint.ruleset import rules

    return [hit for hit in hits if rules()[hit.rule].family in context.families]


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

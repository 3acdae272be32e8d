"""Which text of a SKILL.md belongs to which review scope.

The policy maps headings to scopes. A heading that the policy does not name belongs where the nearest named heading
above it (in the outline) belongs. Text under no named heading, the front matter and every other file of the folder
count for all scopes, so that no byte of a skill is outside review.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from m4review.errors import SkillError
from m4review.reviews.digests import check_text, scope_digest
from m4review.skills import SKILL_FILE, Section, parse_document
from m4review.skills.frontmatter import split_front_matter
from m4review.workspace import SCOPES, Policy, Scope

ALL: frozenset[Scope] = frozenset(SCOPES)
LINE_END = re.compile(rb"(?<=\r\n)|(?<=\r)(?!\n)|(?<=\n)")
NUMBERING = re.compile(r"^\s*(?:\d+[.)])+(?:\d+)?\s+")


def scope_digests(files: Mapping[str, bytes], policy: Policy) -> dict[Scope, str]:
    """The digest of each scope of a skill folder (paths relative to it, bytes as git stores them).

    Raises:
        LedgerError: as :func:`m4review.reviews.digests.content_digest`.
    """
    others = {path: data for path, data in files.items() if path != SKILL_FILE}
    segments = scope_segments(files[SKILL_FILE], policy) if SKILL_FILE in files else []
    return {
        scope: scope_digest(scope, (part for scopes, part in segments if scope in scopes), others) for scope in SCOPES
    }


class ScopeDigests(Mapping[Scope, str]):
    """The digests of the scopes of a skill folder that was digested already, computed when one is asked for.

    While a text is the one that was judged, nothing asks: its content digest says all.
    """

    def __init__(self, files: Mapping[str, bytes], policy: Policy) -> None:
        self._files, self._policy = files, policy

    def __getitem__(self, scope: Scope) -> str:
        return self._digests[scope]

    def __iter__(self) -> Iterator[Scope]:
        return iter(SCOPES)

    def __len__(self) -> int:
        return len(SCOPES)

    @cached_property
    def _digests(self) -> dict[Scope, str]:
        return scope_digests(self._files, self._policy)


def scope_segments(data: bytes, policy: Policy) -> list[tuple[frozenset[Scope], bytes]]:
    """The bytes of a SKILL.md cut at its headings, each part with the scopes it belongs to.

    The first part is what stands before the first heading. Joined, the parts are ``data``.
    """
    return [(part.scopes, part.data) for part in parts(data, policy)]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a SKILL.md: its heading (empty before the first one), the scopes it belongs to, its bytes."""

    title: str
    scopes: frozenset[Scope]
    data: bytes


def parts(data: bytes, policy: Policy) -> list[Part]:
    """A SKILL.md cut at its headings; joined, the parts are ``data``."""
    text = re.sub(r"\r\n?", "\n", check_text(data, SKILL_FILE)).removeprefix("\ufeff")
    try:
        front = split_front_matter(text, SKILL_FILE)
    except SkillError:
        return [Part("", ALL, data)]
    lines = [line for line in LINE_END.split(data) if line]
    body = "\n".join(text.split("\n")[front.body_line - 1 :])
    sections = parse_document(body, first_line=front.body_line).sections
    named = headings_by_scope(policy)
    starts = [section.line - 1 for section in sections] + [len(lines)]
    found = [Part("", ALL, b"".join(lines[: starts[0]]))]
    for section, start, end in zip(sections, starts, starts[1:], strict=False):
        found.append(Part(section.title, section_scopes(section, named), b"".join(lines[start:end])))
    return found


def changed_parts(
    before: Mapping[str, bytes], after: Mapping[str, bytes], policy: Policy
) -> dict[str, tuple[Scope, ...]]:
    """What differs between two skill folders, in the words of a reader: heading (or what stands there without one) →
    the scopes it belongs to. Nothing where only the order differs.

    Raises:
        LedgerError: a SKILL.md cannot be digested.
    """
    old, new = (Counter(parts(files[SKILL_FILE], policy) if SKILL_FILE in files else ()) for files in (before, after))
    found: dict[str, set[Scope]] = {}
    for part in [*(new - old), *(old - new)]:
        found.setdefault(part.title or "what stands before the first heading", set()).update(part.scopes)
    others = {path for path in {*before, *after} if path != SKILL_FILE and before.get(path) != after.get(path)}
    found |= {path: set(SCOPES) for path in sorted(others)}
    return {title: tuple(scope for scope in SCOPES if scope in scopes) for title, scopes in found.items()}


def headings_by_scope(policy: Policy) -> dict[str, frozenset[Scope]]:
    """The policy's headings, normalised, with their scopes. A heading named under two scopes counts for both."""
    named: dict[str, frozenset[Scope]] = {}
    for scope, headings in policy.sections.items():
        for heading in headings:
            key = normal_heading(heading)
            named[key] = named.get(key, frozenset()) | {scope}
    return named


def section_scopes(section: Section, named: Mapping[str, frozenset[Scope]]) -> frozenset[Scope]:
    """The scopes of one section: its own heading's, else those of the nearest named heading above, else all."""
    for title in reversed(section.path):
        scopes = named.get(normal_heading(title))
        if scopes:
            return scopes
    return ALL


def normal_heading(title: str) -> str:
    """A heading as compared with the policy: without case, numbering, emphasis marks and closing punctuation."""
    plain = re.sub(r"[*_`]", "", NUMBERING.sub("", title))
    return " ".join(plain.split()).rstrip(" .:").casefold()


def changed_scopes(before: Mapping[Scope, str], now: Mapping[Scope, str], judged: Iterable[Scope]) -> tuple[Scope, ...]:
    """The judged scopes whose digest differs; all of them when only the order of the sections differs."""
    scopes = tuple(judged)
    changed = tuple(scope for scope in scopes if before.get(scope) != now.get(scope))
    return changed or scopes

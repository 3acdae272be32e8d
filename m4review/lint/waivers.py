"""Waivers: findings that people agreed to allow, each with its reason and an end, in one reviewed file.

``reviews/lint-waivers.toml`` lies outside of every skill, so that nobody can switch the lint off from within a text. A
waiver holds for one fingerprint, that is for one rule and the exact content it found; a changed text needs a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from m4review.errors import LintFailure, TextFileError
from m4review.lint.finding import Finding, LintReport, Waived, WaiverNote
from m4review.lint.scope import WAIVERS_FILE
from m4review.places import SKILLS
from m4review.textfile import decode
from m4review.tomllines import line_of

if TYPE_CHECKING:
    from datetime import date

KEYS = ("rule", "fingerprint", "path", "skill", "reason", "person", "expires")
NEVER_WAIVED_FAMILIES = frozenset(("rows",))
"""Patients' data: the data use agreement, not the reviewers, decides about it."""
NEVER_WAIVED = frozenset(("symlink", "submodule", "oversize", "missing-skill-file"))
"""Findings without content to bind a waiver to: it would allow whatever comes later."""


class Waiver(NamedTuple):
    """One agreed exception: ``path`` or ``skill`` says where, the fingerprint what, ``expires`` its last day."""

    rule: str
    fingerprint: str
    reason: str
    person: str
    expires: date
    line: int
    path: str | None = None
    skill: str | None = None

    @property
    def place(self) -> str:
        """The file or folder it is for."""
        return self.path or f"{SKILLS}/{self.skill}"

    def covers(self, finding: Finding) -> bool:
        """Whether this finding is the one that was allowed, the date apart."""
        return (finding.rule, finding.fingerprint) == (self.rule, self.fingerprint) and self.is_for(finding.path)

    def is_for(self, path: str) -> bool:
        """Whether the waiver concerns this file."""
        return path == self.path if self.path is not None else path.startswith(f"{self.place}/")


def read_waivers(root: Path) -> tuple[Waiver, ...]:
    """The waivers of the workspace at ``root`` as they are on disk; none where there is no such file.

    Raises:
        LintFailure: the file cannot be read or understood.
    """
    path = root / WAIVERS_FILE
    if path.is_symlink():
        raise LintFailure("the waivers are a link to another place", where=WAIVERS_FILE, expected="the file itself")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise LintFailure(f"the waivers cannot be read ({error.strerror})", where=WAIVERS_FILE) from None
    return parse_waivers(data)


def parse_waivers(data: bytes) -> tuple[Waiver, ...]:
    """The waivers in the exact bytes of the file.

    Raises:
        LintFailure: not UTF-8, not TOML, an unknown or missing key, a wrong value, the same waiver twice, or a waiver
            for something that may never be allowed.
    """
    try:
        text = decode(data, WAIVERS_FILE).text
    except TextFileError as error:
        raise LintFailure(error.what, where=WAIVERS_FILE, line=error.line, expected="UTF-8 text") from None
    import tomllib  # with the file only: few workspaces have one

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LintFailure(f"not TOML: {error}", where=WAIVERS_FILE, expected="[[waiver]] tables") from None
    for key in values:
        if key != "waiver":
            raise _wrong(text, (key,), f"unknown key {key!r}", "[[waiver]] tables and nothing else")
    entries = values.get("waiver", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _wrong(text, ("waiver",), "'waiver' is not a list of tables", "[[waiver]]")
    waivers = tuple(_waiver(text, index, entry) for index, entry in enumerate(entries))
    seen: set[tuple[str, str, str]] = set()
    for waiver in waivers:
        same = (waiver.rule, waiver.fingerprint, waiver.place)
        if same in seen:
            raise LintFailure("the same waiver stands twice", where=WAIVERS_FILE, line=waiver.line, fix="keep one")
        seen.add(same)
    return waivers


def apply_waivers(
    report: LintReport,
    waivers: Collection[Waiver],
    paths: Collection[str],
    *,
    today: date | None = None,
    whole: bool = False,
) -> LintReport:
    """The report with allowed findings set apart, and a note for every waiver that is over or fits nothing.

    ``paths`` are the files that were read; ``whole`` says that they are all files of the workspace, so that a waiver
    for any other file fits nothing. A waiver holds to the end of its last day; ``today`` is the local
    date if not given.
    """
    if not waivers:
        return report
    if today is None:
        from datetime import date

        today = date.today()
    kept, waived, used = [], [], set()
    for finding in report.findings:
        fitting = [waiver for waiver in waivers if waiver.covers(finding)]
        used |= {waiver.line for waiver in fitting}
        valid = next((waiver for waiver in fitting if waiver.expires >= today), None)
        if valid is None:
            kept.append(finding)
        else:
            waived.append(Waived(finding, valid.reason, valid.person, valid.expires.isoformat(), valid.line))
    notes = tuple(
        note
        for waiver in waivers
        for note in _notes(waiver, waiver.line in used, whole or any(map(waiver.is_for, paths)), today)
    )
    return report._replace(findings=tuple(kept), waived=tuple(waived), waiver_notes=notes)


def _notes(waiver: Waiver, used: bool, was_read: bool, today: date) -> Iterator[WaiverNote]:
    what = f"{waiver.rule} in {waiver.place}"
    if waiver.expires < today:
        yield WaiverNote(
            WAIVERS_FILE, waiver.line, "expired", f"the waiver for {what} ended on {waiver.expires.isoformat()}"
        )
    elif not used and was_read:
        yield WaiverNote(
            WAIVERS_FILE, waiver.line, "unmatched", f"the waiver for {what} fits no finding; remove or renew it"
        )


def _waiver(text: str, index: int, entry: dict[str, object]) -> Waiver:
    from datetime import date, datetime

    from m4review.lint.ruleset import rules

    def wrong(key: str, what: str, expected: str) -> LintFailure:
        return _wrong(text, ("waiver", index, key), what, expected)

    for key in entry:
        if key not in KEYS:
            raise wrong(key, f"unknown key {key!r}", "one of " + ", ".join(KEYS))

    def text_of(key: str) -> str:
        value = entry.get(key)
        if not isinstance(value, str) or not value.strip():
            raise wrong(key, f"the waiver has no {key}" if value is None else f"{key} is not a text", f'{key} = "…"')
        return value.strip()

    rule = text_of("rule")
    if rule not in rules():
        raise wrong("rule", f"no rule is called {rule!r}", "an id that 'm4review lint --explain' lists")
    if rules()[rule].family in NEVER_WAIVED_FAMILIES or rule in NEVER_WAIVED:
        raise wrong(
            "rule",
            f"{rule} may not be waived",
            "a rule other than those about patients' data and about content that lies elsewhere",
        )
    fingerprint = text_of("fingerprint")
    if len(fingerprint) != 32 or not set(fingerprint) <= set("0123456789abcdef"):
        raise wrong("fingerprint", "not a fingerprint", "the 32 characters that 'm4review lint --format json' shows")
    if ("path" in entry) == ("skill" in entry):
        raise wrong("path", "the waiver must name one place", 'either path = "skills/…/SKILL.md" or skill = "name"')
    path, skill = (text_of("path"), None) if "path" in entry else (None, text_of("skill"))
    if path is not None and (PurePosixPath(path).is_absolute() or "\\" in path or ".." in PurePosixPath(path).parts):
        raise wrong("path", f"not a path of the workspace: {path!r}", "skills/<name>/SKILL.md")
    if skill is not None and "/" in skill:
        raise wrong("skill", f"not the name of a skill: {skill!r}", "the name of a folder under skills/")
    expires = entry.get("expires")
    if not isinstance(expires, date) or isinstance(expires, datetime):
        raise wrong("expires", "the waiver has no last day", "expires = 2027-03-31, without quotation marks")
    line = line_of(text, ("waiver", index)) or 1
    return Waiver(rule, fingerprint, text_of("reason"), text_of("person"), expires, line, path, skill)


def _wrong(text: str, keys: tuple[str | int, ...], what: str, expected: str) -> LintFailure:
    return LintFailure(what, where=WAIVERS_FILE, line=line_of(text, keys), expected=expected)

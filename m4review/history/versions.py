"""The recorded versions of a folder, read from ``git log``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from m4review.history.git import Git
from m4review.history.gitlog import log_fields

FIELDS = ("%H", "%an", "%ae", "%cn", "%ce", "%aI", "%s", "%b")
CO_AUTHOR = re.compile(r"^\s*co-authored-by:\s*(?P<name>.*?)\s*<(?P<email>[^<>]+)>\s*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: who, when, and what they said about it."""

    commit: str
    author_name: str
    author_email: str
    committer_name: str
    committer_email: str
    co_author_emails: tuple[str, ...]
    """Addresses of every ``Co-authored-by:`` line of the message."""
    time: datetime
    """When the author wrote it, with the author's time zone."""
    subject: str
    body: str

    @property
    def people(self) -> frozenset[str]:
        """Addresses (lower case) of everyone who had a hand in it."""
        return frozenset(
            email.lower() for email in (self.author_email, self.committer_email, *self.co_author_emails) if email
        )


@dataclass(frozen=True, slots=True)
class Version(Commit):
    """A commit that changed the skill, counted from the oldest (1)."""

    number: int


def read_versions(git: Git, folder: str) -> tuple[Version, ...]:
    """The commits reachable from ``HEAD`` that changed ``folder``, newest first; the oldest has number 1."""
    commits = read_commits(git, ("HEAD",), folder)
    total = len(commits)
    return tuple(
        Version(
            **{name: getattr(commit, name) for name in Commit.__dataclass_fields__},
            number=total - position,
        )
        for position, commit in enumerate(commits)
    )


def read_commits(git: Git, revisions: Sequence[str], folder: str, *options: str) -> tuple[Commit, ...]:
    """The commits of a revision range that changed ``folder``, newest first; children come before parents."""
    values = log_fields(git, FIELDS, "--topo-order", *options, *revisions, "--", folder)
    return tuple(map(_commit, values))


def _commit(values: Sequence[str]) -> Commit:
    sha, author, author_email, committer, committer_email, time, subject, body = values
    return Commit(
        commit=sha,
        author_name=author,
        author_email=author_email,
        committer_name=committer,
        committer_email=committer_email,
        co_author_emails=tuple(match["email"].strip() for match in CO_AUTHOR.finditer(body)),
        time=datetime.fromisoformat(time),
        subject=subject,
        body=body.strip(),
    )

"""Where a verification reads: a working copy, a bare repository, a shallow clone, an exported folder or a zip file.

Each is looked at through a repository of our own in a temporary folder. Nothing is ever written to what is verified.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from m4review.history import Repository
from m4review.history.borrowed import Borrowed, borrow, from_folders, is_in_repository
from m4review.places import REVIEWS, SKILLS, TASKS, find_root
from m4review.reviews.verify.proofs import VerificationError


@dataclass(frozen=True, slots=True)
class Source:
    """An opened source: a temporary repository whose working copy is empty."""

    described: str
    repository: Repository
    revision: str
    is_complete: bool
    """Whether the whole history is there."""
    is_export: bool
    """Whether it is files without any history."""

    @property
    def where_history_is(self) -> str:
        """What brings the rest of the history, in a clause."""
        return "an export has none; verify a clone" if self.is_export else "git fetch --unshallow brings it"


@contextmanager
def opened_source(place: Path, revision: str = "HEAD") -> Iterator[Source]:
    """Open ``place`` (a folder in a workspace, a bare repository, an exported folder or a zip file) at a revision.

    Raises:
        VerificationError: it is none of these.
        HistoryError: there is no such revision, git failed, or objects are missing.
    """
    with tempfile.TemporaryDirectory(prefix="m4review-verify-") as name:
        scratch = Path(name)
        is_archive = place.is_file() and zipfile.is_zipfile(place)
        if not is_archive and not place.is_dir():
            raise VerificationError(
                "neither a folder nor a zip file", where=place, expected="a clone or an export of a workspace"
            )
        if is_archive:
            folder, described = _unpacked(place, scratch / "export"), f"zip export {place.name}"
        else:
            folder, described = find_root(place) or place, "folder without version history"
        if not is_archive and is_in_repository(folder):
            is_export, found = False, borrow(folder, revision, scratch)
            described = f"{'shallow ' if found.is_shallow else ''}{'bare ' if found.is_bare else ''}repository"
        else:
            is_export, found = True, _exported(folder, revision, scratch)
        yield Source(described, Repository.open(found.root), found.commit, not found.is_shallow, is_export)


def _exported(folder: Path, revision: str, scratch: Path) -> Borrowed:
    if revision != "HEAD":
        raise VerificationError("an export has no revisions", where=folder, fix="leave --rev out, or verify a clone")
    if not (folder / SKILLS).is_dir() or not (folder / REVIEWS).is_dir():
        raise VerificationError(
            "no workspace here", where=folder, expected=f"a folder with {SKILLS}/, {TASKS}/ and {REVIEWS}/"
        )
    return from_folders(folder, (SKILLS, TASKS, REVIEWS), scratch)


def _unpacked(archive: Path, folder: Path) -> Path:
    """The workspace in a zip file, unpacked below ``folder``."""
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            if name.startswith("/") or ".." in PurePosixPath(name).parts or "\\" in name:
                raise VerificationError(f"the archive holds {name!r}, which leaves it", where=archive)
        file.extractall(folder)
    inside = sorted(path.parent for path in folder.rglob(SKILLS) if path.is_dir())
    for root in inside:
        if (root / REVIEWS).is_dir():
            return root
    raise VerificationError(
        "no workspace in this archive", where=archive, expected=f"{SKILLS}/, {TASKS}/ and {REVIEWS}/"
    )

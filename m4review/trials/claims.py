"""Private folders of runs and trials, and the mark that says which process works in them."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from m4review.errors import TrialError
from m4review.trials.sandbox.capture import run_folder_error
from m4review.trials.sandbox.ownership import Owner

STAGING, OWNER_FILE = "staging", "owner.json"


def private_folder(path: Path) -> None:
    """Make a folder that only its owner may enter: runs on real data hold patient rows.

    Raises:
        TrialError: the disk is full or not writable.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)
    except OSError as error:
        raise run_folder_error(path, error) from None


def claim_folder(path: Path, owner: Owner) -> None:
    """Make a private folder and say whose it is.

    Raises:
        TrialError: the disk is full or not writable.
    """
    private_folder(path)
    try:
        (path / OWNER_FILE).write_text(owner.model_dump_json(), encoding="utf-8")
    except OSError as error:
        raise run_folder_error(path, error) from None


def release_folder(path: Path) -> None:
    """Say that nobody works in the folder any more."""
    (path / OWNER_FILE).unlink(missing_ok=True)


def is_abandoned(path: Path) -> bool:
    """Whether the process that worked in the folder is dead; an unreadable mark is one of a process that died."""
    try:
        return Owner.model_validate_json((path / OWNER_FILE).read_text(encoding="utf-8")).gone
    except FileNotFoundError:
        return False
    except (ValidationError, UnicodeDecodeError):
        return True
    except OSError as error:
        raise TrialError(f"cannot be read ({error.strerror})", where=path / OWNER_FILE) from None

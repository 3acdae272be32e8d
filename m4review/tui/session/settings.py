"""What somebody prefers of the screen on this computer: kept once for all workspaces, never versioned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from m4review.errors import M4ReviewError
from m4review.preferences import keep_preference, read_preferences

ANIMATIONS_ENVIRONMENT = "TEXTUAL_ANIMATIONS"


def settings_file(environment: Mapping[str, str]) -> Path | None:
    """The file in the user's configuration folder; ``None`` where the environment names no home."""
    if environment.get("XDG_CONFIG_HOME"):
        return Path(environment["XDG_CONFIG_HOME"]) / "m4review" / "screen.toml"
    if environment.get("HOME"):
        return Path(environment["HOME"]) / ".config" / "m4review" / "screen.toml"
    return None


@dataclass(frozen=True, slots=True)
class ScreenSettings:
    """How the screen looks. ``theme`` is ``None`` until one was chosen; ``is_still`` switches animations off."""

    theme: str | None = None
    is_still: bool = False


def read_settings(environment: Mapping[str, str]) -> ScreenSettings:
    """The kept settings; the defaults where nothing is kept. ``TEXTUAL_ANIMATIONS=none`` holds whatever is kept.

    Raises:
        WorkspaceError: the file is not valid TOML.
    """
    file = settings_file(environment)
    kept = read_preferences(file) if file is not None else {}
    theme = kept.get("theme")
    asked_for = environment.get(ANIMATIONS_ENVIRONMENT, "").lower()
    still = asked_for == "none" or (not asked_for and kept.get("animations") == "none")
    return ScreenSettings(theme if isinstance(theme, str) else None, still)


def keep_setting(environment: Mapping[str, str], name: str, value: str) -> None:
    """Keep one setting; nothing is kept where the environment names no home.

    Raises:
        M4ReviewError: the file cannot be read or written.
    """
    file = settings_file(environment)
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise M4ReviewError(
            f"the choice holds for this session only; it cannot be kept ({error.strerror})",
            where=file.parent,
            fix="make the folder writable",
        ) from None
    keep_preference(file, name, value)

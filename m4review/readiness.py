"""What is there and what is missing for each of the four verbs: git, identity, dataset, engine, terminal.

Looking never changes anything. The command line prints the answers (``m4review doctor``); the TUI uses the same
answers for its first-run guidance.
"""

from __future__ import annotations

import locale
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from m4review.errors import M4ReviewError
from m4review.history import Repository, git_user
from m4review.workspace import Workspace

Need = Literal["needed", "optional"]
OLDEST_GIT = (2, 28)


class Check(BaseModel):
    """One answer. ``ok`` is false when the thing is missing; ``fix`` then says what to do."""

    model_config = ConfigDict(frozen=True)

    name: str
    ok: bool
    need: Need
    detail: str
    fix: str | None = None


class Readiness(BaseModel):
    """All answers in the order in which a person would fix them."""

    model_config = ConfigDict(frozen=True)

    checks: tuple[Check, ...]

    @property
    def ready(self) -> bool:
        """Whether everything that is needed is there."""
        return all(check.ok for check in self.checks if check.need == "needed")


def examine(start: Path, environment: Mapping[str, str] = os.environ, *, interactive: bool = False) -> Readiness:
    """Look at the machine and at the workspace that holds ``start``; never raises for a missing part."""
    checks = [_git(), _terminal(environment, interactive)]
    try:
        workspace = Workspace.find(start)
    except M4ReviewError as error:
        checks.append(
            Check(name="workspace", ok=False, need="needed", detail=error.what + f" ({error.where})", fix=error.fix)
        )
        workspace = None
    if workspace is not None:
        checks.append(Check(name="workspace", ok=True, need="needed", detail=str(workspace.root)))
        looks: tuple[tuple[str, Need, Callable[[Workspace], Check]], ...] = (
            ("skills and tasks", "needed", _content),
            ("version history", "needed", _history),
            ("roster", "needed", _roster),
            ("identity", "optional", _identity),
            ("git's own user", "optional", _git_user),
            ("guard in git", "optional", _hooks),
            ("datasets", "optional", lambda found: _datasets(found, environment)),
        )
        for name, need, look in looks:
            try:
                checks.append(look(workspace))
            except M4ReviewError as error:
                place = f"{error.place}: " if error.place else ""
                checks.append(Check(name=name, ok=False, need=need, detail=place + error.what, fix=error.fix))
    checks += [_engine(), _image(), _keys()]
    return Readiness(checks=tuple(checks))


def _git() -> Check:
    path = shutil.which("git")
    if path is None:
        return Check(
            name="git", ok=False, need="needed", detail="not installed", fix="install git (Debian: apt-get install git)"
        )
    printed = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=30).stdout
    words = printed.split()
    version = words[2] if len(words) > 2 else "unknown version"
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if len(numbers) == 2 and numbers < OLDEST_GIT:
        return Check(name="git", ok=False, need="needed", detail=version, fix="update git to 2.28 or newer")
    return Check(name="git", ok=True, need="needed", detail=version)


def _terminal(environment: Mapping[str, str], interactive: bool) -> Check:
    encoding = locale.getpreferredencoding(False)
    if not interactive:
        return Check(
            name="terminal", ok=True, need="optional", detail="no terminal here; every verb works as a command"
        )
    size = shutil.get_terminal_size()
    kind = environment.get("TERM", "unknown")
    detail = f"{kind}, {size.columns}×{size.lines}, {encoding}" + (", no colour" if environment.get("NO_COLOR") else "")
    if "utf" not in encoding.lower():
        return Check(name="terminal", ok=False, need="optional", detail=detail, fix="set a UTF-8 locale: LANG=C.UTF-8")
    if size.columns < 80 or size.lines < 24:
        return Check(name="terminal", ok=False, need="optional", detail=detail, fix="enlarge the window to 80×24")
    return Check(name="terminal", ok=True, need="optional", detail=detail)


def _content(workspace: Workspace) -> Check:
    errors = (*(entry.error for entry in workspace.skills), *(entry.error for entry in workspace.tasks))
    broken = [error for error in errors if error is not None]
    if broken:
        return Check(
            name="skills and tasks",
            ok=False,
            need="needed",
            detail=f"{len(broken)} cannot be read; the first: {broken[0].place}: {broken[0].what}",
            fix=broken[0].fix or "open the file named and correct it",
        )
    detail = f"{len(workspace.skills)} skills, {len(workspace.tasks)} task cards"
    return Check(name="skills and tasks", ok=True, need="needed", detail=detail)


def _history(workspace: Workspace) -> Check:
    head = Repository.open(workspace.root).head()
    return Check(name="version history", ok=True, need="needed", detail=f"at {head[:10]}" if head else "no version yet")


def _roster(workspace: Workspace) -> Check:
    ids = ", ".join(reviewer.id for reviewer in workspace.roster.reviewers)
    return Check(name="roster", ok=True, need="needed", detail=f"{ids}; {workspace.policy.required} must approve")


def _identity(workspace: Workspace) -> Check:
    reviewer = workspace.identity()
    if reviewer is None:
        return Check(
            name="identity",
            ok=False,
            need="optional",
            detail="nobody has said who works here",
            fix="open m4review and choose, or give --as C1",
        )
    return Check(name="identity", ok=True, need="optional", detail=f"{reviewer.id}, {reviewer.role}")


def _git_user(workspace: Workspace) -> Check:
    user = git_user(workspace.root)
    if user is None:
        return Check(
            name="git's own user",
            ok=False,
            need="optional",
            detail="git does not know who you are; only reviewers can record versions",
            fix="git config user.name 'Your Name', and git config user.email with your address",
        )
    return Check(name="git's own user", ok=True, need="optional", detail=user[0])


def _hooks(workspace: Workspace) -> Check:
    from m4review.lint import hooks_installed

    if hooks_installed(workspace.root):
        return Check(name="guard in git", ok=True, need="optional", detail="commits are checked")
    return Check(
        name="guard in git",
        ok=False,
        need="optional",
        detail="plain git commits are not checked",
        fix="m4review hooks install",
    )


def _datasets(workspace: Workspace, environment: Mapping[str, str]) -> Check:
    from m4review.ehr import list_datasets

    found = list_datasets(workspace.data_home(environment))
    if not found:
        return Check(
            name="datasets",
            ok=False,
            need="optional",
            detail="none",
            fix="m4review data synth --layout mimic-iv --stays 2000 --seed 1 --name synthetic",
        )
    return Check(name="datasets", ok=True, need="optional", detail=", ".join(dataset.name for dataset in found))


def _engine() -> Check:
    from m4review.trials.sandbox.engine import engine_status

    status = engine_status()
    if status.available:
        return Check(name="sandbox engine", ok=True, need="optional", detail=f"Docker {status.version}")
    return Check(
        name="sandbox engine",
        ok=False,
        need="optional",
        detail=status.reason or "no answer",
        fix="start Docker; until then trials of the reader run with --sandbox local, not isolated",
    )


def _image() -> Check:
    from m4review.trials.sandbox.engine import image_status

    status = image_status()
    if status.available:
        return Check(name="sandbox image", ok=True, need="optional", detail=status.detail)
    return Check(name="sandbox image", ok=False, need="optional", detail=status.detail, fix="make sandbox-image")


def _keys() -> Check:
    path = shutil.which("ssh-keygen")
    return Check(
        name="signing",
        ok=path is not None,
        need="optional",
        detail="ssh-keygen is there" if path else "ssh-keygen is missing; verdicts stay unsigned (level 0)",
        fix=None if path else "install the OpenSSH client",
    )

"""The first minutes on a new machine: what is missing is said, and Enter puts it right."""

from __future__ import annotations

import threading

import pytest
from textual.widgets import OptionList

from m4review.ehr import list_datasets
from m4review.history import git_user
from m4review.lint import hooks_installed
from m4review.readiness import Check, Readiness
from m4review.tui.session import setting_up
from m4review.tui.session.setting_up import worth_showing
from m4review.workspace import Workspace

GUARD_MISSING = Check(name="guard in git", ok=False, need="optional", detail="none", fix="m4review hooks install")
NO_ENGINE = "unix:///nonexistent/docker.sock"


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)


async def goes_to(person, name: str) -> None:
    """Put the cursor on the line of one check."""
    rows = person.app.screen.query_one("#checks", OptionList)
    await person.until(lambda: rows.option_count > 0, "the checks")
    names = [str(option.prompt) for option in rows.options]
    rows.highlighted = next(position for position, prompt in enumerate(names) if name in prompt)
    await person.settles()


async def test_at_the_first_start_what_is_missing_is_shown_once_and_esc_goes_on(workspace, bench) -> None:
    async with bench(workspace, None) as person:
        await person.sees("Who are you?")
        await person.presses("2")
        await person.sees("Set up ·", "– not yet  guard in git", "– not yet  datasets", "✓ there    identity")
        await person.presses("escape")
        await person.sees("C2, intensivist", "you are asked to review it")
    async with bench(workspace, None) as person:
        await person.sees("C2, intensivist", "you are asked to review it")
        await person.settles()
        assert "Set up ·" not in person.screen


async def test_whoever_went_on_while_it_was_looked_at_is_not_called_back(workspace, bench, monkeypatch) -> None:
    opened = threading.Event()

    def slow_look(*arguments: object) -> Readiness:
        assert opened.wait(30)
        return Readiness(checks=[GUARD_MISSING])

    monkeypatch.setattr("m4review.tui.app.look", slow_look)
    async with bench(workspace, None) as person:
        await person.sees("Who are you?")
        person.leaves_be("welcome")
        await person.presses("2")
        await person.opens_skill("sofa-score")
        opened.set()
        await person.until(
            lambda: not [worker for worker in person.app.workers if worker.group == "welcome"], "the look"
        )
        await person.settles()
        await person.sees("sofa-score · saved")
        assert "Set up ·" not in person.screen


async def test_enter_installs_the_guard_and_makes_a_dataset(workspace, bench, monkeypatch) -> None:
    monkeypatch.setattr(setting_up, "STAYS", 50)
    looked = threading.Event()

    def made_once_looked_at(*arguments: object) -> None:
        assert looked.wait(30)
        setting_up.make_dataset(*arguments)

    monkeypatch.setattr("m4review.tui.screens.setup.make_dataset", made_once_looked_at)
    async with bench(workspace, "C2") as person:
        await person.presses("f8")
        await person.sees("Set up ·", "plain git commits are not checked")
        await goes_to(person, "guard in git")
        await person.sees("Enter installs the guard", "To fix by hand: m4review hooks install")
        await person.presses("enter")
        await person.sees("✓ there    guard in git")
        assert hooks_installed(workspace.root)
        await goes_to(person, "datasets")
        person.leaves_be("do_mend")
        await person.presses("enter")
        await person.sees("making the dataset")
        await person.presses("f9")
        await person.is_told("Wait a moment: making the dataset")
        looked.set()
        await person.sees("✓ there    datasets")
    assert [dataset.name for dataset in list_datasets(workspace.data_home({}))] == ["synthetic"]
    assert Workspace(workspace.root).default_dataset() == "synthetic"


async def test_enter_asks_for_what_git_calls_its_user_and_refuses_what_git_cannot_keep(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.presses("f8")
        await goes_to(person, "git's own user")
        await person.sees("Ward Office")
        await person.presses("enter")
        await person.is_told("nothing to put right")
    from m4review.errors import HistoryError
    from m4review.history import name_git_user

    with pytest.raises(HistoryError, match="no usable mail address"):
        name_git_user(workspace.root, "Night Shift", "<night>")
    name_git_user(workspace.root, "Night Shift", "night@ward.invalid")
    assert git_user(workspace.root) == ("Night Shift", "night@ward.invalid")


async def test_a_workspace_without_a_git_user_is_given_one_from_the_form(workspace, bench, monkeypatch) -> None:
    import subprocess

    for variable in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(variable, "/dev/null")
    subprocess.run(["git", "config", "--remove-section", "user"], cwd=workspace.root, check=True)
    async with bench(workspace, "C2") as person:
        await person.presses("f8")
        await person.sees("git does not know who you are")
        await goes_to(person, "git's own user")
        await person.presses("enter")
        await person.sees("Who are you for git?")
        await person.types("Ann")
        await person.presses("tab")
        await person.types("ann@ward.org")
        await person.presses("enter")
        await person.sees("✓ there    git's own user    Ann")
    assert git_user(workspace.root) == ("Ann", "ann@ward.org")


async def test_without_an_engine_enter_says_how_to_start_one_and_what_goes_without(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.presses("f8")
        await goes_to(person, "sandbox engine")
        await person.presses("enter")
        await person.reads("How to start Docker", "without it the built-in reader runs locally")
        await person.presses("escape")
        await goes_to(person, "identity")
        await person.presses("enter")
        await person.sees("Who are you?")


def test_what_nobody_can_mend_here_and_nobody_needs_is_not_pushed_at_a_new_user() -> None:
    def missing(name: str, need: str) -> Check:
        return Check(name=name, ok=False, need=need, detail="gone", fix="by hand")

    shown = worth_showing(
        Readiness(checks=(missing("signing", "optional"), missing("git", "needed"), missing("datasets", "optional")))
    )
    assert [check.name for check in shown] == ["git", "datasets"]

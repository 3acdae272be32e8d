"""Set up: what is there and what is missing here, and Enter that puts it right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from m4review.history import git_user, name_git_user
from m4review.readiness import Check
from m4review.tui.actions import bindings_of
from m4review.tui.render.readiness import check_row, check_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Reading
from m4review.tui.screens.form import Field, Form
from m4review.tui.session.setting_up import (
    REMEDIES,
    START_ENGINE,
    install_guard,
    look,
    make_dataset,
    make_image,
)
from m4review.tui.widgets.action_bar import ActionBar


class SetUpScreen(ActionScreen):
    """The answers of ``m4review doctor``; the cursor starts on the first thing that is missing."""

    room = "setup"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("setup")
    PLACES = (
        ("#checks", "what is there"),
        ("#about", "how it is put right"),
    )
    DEFAULT_CSS = """
    SetUpScreen #checks { height: 1fr; min-height: 2; text-wrap: nowrap; text-overflow: ellipsis; }
    SetUpScreen #about { height: auto; max-height: 8; border-top: solid $primary; padding: 0 1; }
    SetUpScreen #about Static { width: 100%; min-width: 10; }
    SetUpScreen #work { height: auto; max-height: 2; padding: 0 1; text-style: italic; display: none; }
    SetUpScreen.-low #about { max-height: 3; }
    """

    class Said(Message):
        """A step of something that takes a while."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    def __init__(self) -> None:
        super().__init__()
        self._checks: tuple[Check, ...] = ()
        self._at_work = ""

    def compose(self) -> ComposeResult:
        yield Static("Set up · what is there, and what is missing", classes="headline", id="where", markup=False)
        yield OptionList(id="checks", markup=False)
        yield Static(id="work", markup=False)
        with VerticalScroll(id="about"):
            yield Static("Looking …", id="about-text", markup=False)
        yield ActionBar()

    def on_mount(self) -> None:
        self.query_one("#checks").focus()
        self.start(self._look, "look")

    def why_not(self, action: str) -> str | None:
        if action not in {"mend", "again"}:
            return None
        if self._at_work or not self._checks:
            return f"Wait a moment: {self._at_work or 'still looking'}."
        check = self._here()
        if action == "mend" and check is not None:
            if check.ok and check.name != "identity":
                return f"There is nothing to put right: {check.name} is there."
            if check.name not in REMEDIES:
                return f"It can only be put right outside of the workbench: {check.fix or check.detail}"
            if check.name == "identity":
                return self.bench.why_not_identity()
        return None

    # -- actions --------------------------------------------------------------------------------------------------

    async def do_mend(self) -> None:
        check = self._here()
        if check is None:
            return
        workspace, environment = self.bench.workspace, self.bench.environment
        match check.name:
            case "identity":
                await self.bench.ask_identity()
            case "git's own user":
                await self._ask_git_user()
            case "guard in git":
                await self.in_thread(install_guard, workspace)
            case "datasets":
                await self._work("making the dataset", partial(make_dataset, workspace, self._say, environment))
            case "sandbox image":
                await self._work("making the image", partial(make_image, self._say))
            case _:
                await self.app.push_screen_wait(Reading("How to start Docker", START_ENGINE))
        await self._look(keep=check.name)

    async def do_identity(self) -> None:
        await self.bench.ask_identity()

    def do_again(self) -> None:
        self.start(self._look, "look")

    def do_back(self) -> None:
        self.dismiss()

    # -- events ---------------------------------------------------------------------------------------------------

    def on_option_list_option_highlighted(self) -> None:
        check = self._here()
        if check is not None:
            self.query_one("#about-text", Static).update(check_text(check, REMEDIES))
        self.refresh_bar()

    def on_option_list_option_selected(self) -> None:
        self.action_perform("mend")

    def on_set_up_screen_said(self, message: Said) -> None:
        self._show_work(f"{self._at_work}: {message.line}")

    # -- steps ----------------------------------------------------------------------------------------------------

    def _here(self) -> Check | None:
        position = self.query_one("#checks", OptionList).highlighted
        return self._checks[position] if position is not None and position < len(self._checks) else None

    def _say(self, line: str) -> None:
        self.post_message(self.Said(line))

    def _show_work(self, words: str) -> None:
        work = self.query_one("#work", Static)
        work.display = bool(words)
        work.update(words)

    async def _work(self, what: str, work: Callable[[], None]) -> None:
        self._at_work = what
        self._show_work(f"{what} …")
        self.refresh_bar()
        try:
            await self.in_thread(work)
        finally:
            self._at_work = ""
            self._show_work("")

    async def _ask_git_user(self) -> None:
        root = self.bench.workspace.root
        known = await self.in_thread(git_user, root) or ("", "")
        values = await self.app.push_screen_wait(
            Form(
                "Who are you for git?",
                (
                    Field("name", "Name:", value=known[0]),
                    Field("email", "Mail address:", value=known[1], hint="me@ward.org"),
                ),
                "Kept for this workspace only. Reviewers do not need it: their versions and verdicts carry C1 to C4.",
            )
        )
        if values is not None:
            await self.in_thread(name_git_user, root, values["name"], values["email"])

    async def _look(self, keep: str = "") -> None:
        self._checks = (await self.in_thread(look, self.bench.fresh_workspace(), self.bench.environment)).checks
        rows = self.query_one("#checks", OptionList)
        width = max(len(check.name) for check in self._checks)
        rows.clear_options()
        rows.add_options([Option(check_row(check, width), id=f"c{n}") for n, check in enumerate(self._checks)])
        names = [check.name for check in self._checks]
        missing = [position for position, check in enumerate(self._checks) if not check.ok]
        rows.highlighted = names.index(keep) if keep in names else missing[0] if missing else 0
        left = [check for check in self._checks if not check.ok and check.name in REMEDIES]
        words = f"{len(left)} to put right with Enter" if left else "nothing is left to put right here"
        self.query_one("#where", Static).update(f"Set up · {words} · Esc goes on")
        self.refresh_bar()

"""The menu of what is rarely recorded on a review: one letter each, behind one key."""

from __future__ import annotations

from collections.abc import Awaitable

from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.duties import DUTIES


class DutyMenu(ActionScreen):
    """A screen on one skill whose menu leads to the acts of :mod:`m4review.tui.screens.duties`."""

    skill: str

    async def then_read_again(self, act: Awaitable[bool]) -> None:
        """Wait for an act; when it recorded something, show the state anew."""
        raise NotImplementedError

    async def do_more(self) -> None:
        await self.choose_from_menu("What else?")

    async def do_reveal(self) -> None:
        await self._duty("reveal")

    async def do_sign_off(self) -> None:
        await self._duty("sign_off")

    async def do_carry(self) -> None:
        await self._duty("carry")

    async def do_evidence(self) -> None:
        await self._duty("evidence")

    async def do_ask(self) -> None:
        await self._duty("ask")

    async def do_assign(self) -> None:
        await self._duty("assign")

    async def do_withdraw(self) -> None:
        await self._duty("withdraw")

    async def do_recuse(self) -> None:
        await self._duty("recuse")

    async def do_revoke(self) -> None:
        await self._duty("revoke")

    async def do_override(self) -> None:
        await self._duty("override")

    async def _duty(self, name: str) -> None:
        await self.then_read_again(DUTIES[name](self, self.skill))

"""The palette: what the screen can do, in the order of the registry."""

from __future__ import annotations

from textual.command import DiscoveryHit, Hits
from textual.system_commands import SystemCommandsProvider


class RegistryCommands(SystemCommandsProvider):
    """The app's commands as they come, where Textual would sort them by name; a search ranks them by likeness."""

    async def discover(self) -> Hits:
        for name, says, perform, is_discovered in self.app.get_system_commands(self.screen):
            if is_discovered:
                yield DiscoveryHit(name, perform, help=says)

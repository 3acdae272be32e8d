"""A group of commands that are imported when one of them is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """``sources`` maps each command's name to its ``module:attribute``, in the order in which help lists them."""

    def __init__(self, *args: Any, sources: Mapping[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self._sources = sources

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._sources)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._sources:
            return None
        module, _, attribute = self._sources[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

"""The line of words that the shelf is narrowed down by."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class FilterBox(Input):
    """The key that opens it begins anew in it: no row of the shelf is found by a slash."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("slash", "select_all", "Begin anew", show=False, priority=True)]

"""Page keys on a list that has nothing in it yet.

Textual 8.2.8 looks up the first line of the list in ``OptionList.action_page_up`` and ``action_page_down`` without
asking whether there is one, and the program stops. The command palette's list is one of these too, and cannot be
replaced by one of ours, so both methods are guarded where they are defined.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from textual.widgets import OptionList

GUARDED = "_m4review_guards_empty_lists"


def guard_empty_lists() -> None:
    """Let page keys do nothing on an empty list, in every list of this process. A second call changes nothing."""
    if getattr(OptionList, GUARDED, False):
        return
    setattr(OptionList, GUARDED, True)
    OptionList.action_page_up = _unless_empty(OptionList.action_page_up)  # type: ignore[method-assign]
    OptionList.action_page_down = _unless_empty(OptionList.action_page_down)  # type: ignore[method-assign]


def _unless_empty(page: Callable[[OptionList], None]) -> Callable[[OptionList], None]:
    @wraps(page)
    def guarded(self: OptionList) -> None:
        if self.option_count and self.size.height and self.size.width:
            page(self)

    return guarded

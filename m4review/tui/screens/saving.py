"""Saving as a conversation: what happens when the file on disk is no longer the one that was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from m4review.errors import ChangedOnDiskError
from m4review.textfile import TextFile
from m4review.tui.render.difference import show_difference
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.session import OpenedSkill

if TYPE_CHECKING:
    from textual.screen import Screen

KEEP = Choice("back", "k", "Keep editing; nothing is written")
MINE = Choice("mine", "o", "Overwrite the file with my text; what the file holds now is replaced")
THEIRS = Choice("theirs", "t", "Take the file's text into the editor; Ctrl+Z brings mine back")
AGAIN = Choice("mine", "o", "Write my text to the file again")


async def save(screen: Screen[None], opened: OpenedSkill) -> bool:
    """Save, asking on a conflict; whether the editor and the file now agree.

    Raises:
        TextFileError: the file could not be read or written.
    """
    try:
        opened.save()
    except ChangedOnDiskError:
        return await _settle(screen, opened)
    return True


async def _settle(screen: Screen[None], opened: OpenedSkill) -> bool:
    """Show the difference until the user chose and the file held still while they did."""
    while True:
        seen = opened.on_disk()
        answer = await screen.app.push_screen_wait(_question(opened, seen))
        if answer == "theirs":
            opened.take_from_disk()
            return True
        if answer != "mine":
            return False
        try:
            if seen is None:
                opened.bring_back()
            else:
                opened.save_over(seen)
        except ChangedOnDiskError:
            continue
        return True


def _question(opened: OpenedSkill, seen: TextFile | None) -> Question:
    if seen is None:
        return Question(f"The file of {opened.name} was deleted meanwhile. It was not written.", (KEEP, AGAIN))
    return Question(
        f"The file of {opened.name} was changed by someone else since you opened it. It was not written.",
        (KEEP, MINE, THEIRS),
        show_difference(seen.text, opened.text).text.append("\n[-only in the file-]  {+only in your text+}", "italic"),
    )

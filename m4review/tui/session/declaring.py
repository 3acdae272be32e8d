"""What the text in the editor declares and leaves unclear: what a worker computes away from the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.skills.completeness import Completeness
    from m4review.skills.unclear import ItemDictionary


class LiveCompleteness:
    """The completeness of one skill's text; item ids are looked up once ``load_items`` has found a dictionary."""

    def __init__(self, workspace: Workspace, skill: str, environment: Mapping[str, str]) -> None:
        self._file = workspace.skill_file(skill)
        self._home = workspace.data_home(environment)
        self._dictionary: ItemDictionary | None = None

    def load_items(self) -> None:
        """Read what the datasets of this machine know of item ids. Slow where there is one: loads the data room.

        Raises:
            DatasetError: a dataset's dictionary cannot be read; item ids are then not looked up.
        """
        if self._home.is_dir():
            from m4review.ehr.itemdictionary import item_dictionary

            self._dictionary = item_dictionary(self._home)

    def check(self, text: str) -> Completeness | M4ReviewError:
        """The completeness of the text as the skill's file, or why it cannot be read as a skill."""
        from m4review.skills import skill_from_bytes
        from m4review.skills.completeness import completeness

        try:
            return completeness(skill_from_bytes(text.encode("utf-8"), self._file), self._dictionary)
        except M4ReviewError as error:
            return error

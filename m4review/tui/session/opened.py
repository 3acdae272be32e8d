"""One skill while it is being edited: its text, the file it came from, and how the two meet again on save."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from m4review.errors import TextFileError
from m4review.textfile import TextFile, file_digest, read_text, write_text


class OpenedSkill:
    """The text of one SKILL.md in an editor.

    ``text`` is what the editor shows. ``version`` grows with each change, so that a result computed elsewhere can
    say which text it belongs to; ``edits`` counts on when the same skill is closed and opened again. ``base`` is the
    file as last read or written here; a save is refused when the file on disk is no longer that one.
    """

    def __init__(self, name: str, file: TextFile, edits: Iterator[int] | None = None) -> None:
        self._edits = itertools.count(1) if edits is None else edits
        self.name = name
        self.base = file
        self.text = editable(file.text)
        self._saved_text = self.text
        self.version = next(self._edits)

    @classmethod
    def open(cls, name: str, path: Path, edits: Iterator[int] | None = None) -> OpenedSkill:
        """Read the skill's file.

        Raises:
            TextFileError: missing, too large or not UTF-8 text.
        """
        return cls(name, read_text(path), edits)

    @property
    def path(self) -> Path:
        return self.base.path

    @property
    def unsaved(self) -> bool:
        """Whether the editor holds text that the file does not."""
        return self.text != self._saved_text

    @property
    def notices(self) -> tuple[str, ...]:
        """What a save will change besides the typed text; said when the file is opened."""
        notices = []
        if self.base.mixed_newlines:
            notices.append("This file mixes line-end styles; saving makes them all the same.")
        if self.base.had_bom:
            notices.append("This file starts with a byte order mark; saving drops it.")
        if self.base.text != editable(self.base.text):
            notices.append("This file holds unusual line separators; saving turns them into plain line ends.")
        return tuple(notices)

    def edit(self, text: str) -> bool:
        """Take over the editor's text; returns whether it differs from what was held."""
        if text == self.text:
            return False
        self.text = text
        self.version = next(self._edits)
        return True

    def digest_on_disk(self) -> str:
        """The digest of the file as it is now; empty when it was deleted."""
        return file_digest(self.path)

    def changed_on_disk(self) -> bool:
        """Whether the file is no longer the one that was opened or last saved here."""
        return self.digest_on_disk() != self.base.digest

    def save(self) -> None:
        """Write the text to the file, in the file's own newline style.

        Raises:
            ChangedOnDiskError: someone else wrote the file meanwhile; nothing was written.
            TextFileError: the disk is full or the folder is not writable; the old file is untouched.
        """
        self._write(self.base.digest)

    def save_over(self, seen: TextFile) -> None:
        """Write the text although the file changed, provided the file is still the one the user was shown.

        Raises:
            ChangedOnDiskError: it changed once more; nothing was written.
        """
        self._write(seen.digest)

    def typed_upon(self, digest: str) -> None:
        """Say that the text belongs to another content of the file than the one read; a save then asks first."""
        self.base = self.base._replace(digest=digest)

    def bring_back(self) -> None:
        """Write the text to a file that was deleted meanwhile.

        Raises:
            ChangedOnDiskError: the file is there again; nothing was written.
        """
        self._write("")

    def on_disk(self) -> TextFile | None:
        """The file as it is now, or ``None`` when it was deleted.

        Raises:
            TextFileError: there, but not readable as text.
        """
        return read_text(self.path) if file_digest(self.path) else None

    def take_from_disk(self) -> None:
        """Replace the text by what the file holds now.

        Raises:
            TextFileError: the file is gone or not readable as text.
        """
        file = self.on_disk()
        if file is None:
            raise TextFileError("the file was deleted", where=self.path, fix="save your text to bring it back")
        self.base = file
        self._saved_text = editable(file.text)
        self.edit(self._saved_text)

    def _write(self, expected: str) -> None:
        text = self.text
        digest = write_text(self.path, text, newline=self.base.newline, expect_digest=expected)
        self.base = TextFile(
            path=self.path, text=text, newline=self.base.newline, mixed_newlines=False, had_bom=False, digest=digest
        )
        self._saved_text = text


def editable(text: str) -> str:
    """``text`` as an editor of lines holds it: form feeds, U+2028 and the like end a line as ``\\n`` does."""
    lines = text.splitlines()
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")

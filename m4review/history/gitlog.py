"""``git log`` as fields: the same bytes whatever the person's configuration says about logs."""

from __future__ import annotations

from collections.abc import Sequence

from m4review.history.git import Git


def log_fields(git: Git, fields: Sequence[str], *arguments: str, stdin: bytes | None = None) -> list[list[str]]:
    """The ``fields`` (placeholders of ``--format``) of every commit that ``git log ARGUMENTS`` lists, in its order.

    Each field ends with a NUL, which no message can hold; bytes that are not UTF-8 become replacement characters.

    Raises:
        HistoryError: git failed.
    """
    output = git.run(
        *("-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showSignature=false"),
        *("log", "-z", "--no-mailmap", "--format=tformat:" + "%x00".join(fields)),
        *arguments,
        stdin=stdin,
    ).output
    values = output.decode("utf-8", "replace").split("\0")
    width = len(fields)
    return [values[start : start + width] for start in range(0, len(values) - 1, width)]

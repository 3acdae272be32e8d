"""Text that an agent wrote, made fit for a record and a terminal."""

from __future__ import annotations

REPLACEMENT = "\ufffd"


def printable(text: str, limit: int) -> str:
    """``text`` on one line, without control characters, escape sequences or broken code points, cut at ``limit``."""
    short = " ".join(text[: 4 * limit].split())
    return "".join(sign if sign.isprintable() else REPLACEMENT for sign in short)[:limit]

"""A shell that runs commands of m4review in the present folder and keeps what they print."""

from __future__ import annotations

import pytest

from m4review.cli.main import main


class Shell:
    """Each call is one command; its exit code is returned."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.out = self.err = ""

    def __call__(self, *words: str) -> int:
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        self.out, self.err = self.capsys.readouterr()
        code = stopped.value.code
        return code if isinstance(code, int) else 0

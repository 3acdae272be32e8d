"""The workbench in a browser window: bound to one reviewer, without what needs a terminal, kept when the window goes.

Started by the server as ``python -m m4review.tui.browser WORKSPACE [REVIEWER]``; it speaks textual-serve's protocol on
standard input and output, so nothing else may be printed there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver
from textual.message import Message

from m4review.errors import M4ReviewError
from m4review.tui.app import WorkbenchApp
from m4review.workspace import Workspace


class WindowGone(Message):
    """The window was closed, or the server is gone."""


class BrowserDriver(WebDriver):
    """The stock driver, which tells the app when nobody is left to see it."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        write = self._write

        def write_while_heard(data: bytes) -> int:
            try:
                return write(data)
            except BrokenPipeError:
                self._app.post_message(WindowGone())
                return len(data)

        self._write = write_while_heard  # type: ignore[assignment]

    def run_input_thread(self) -> None:
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(WindowGone())

    def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
        if packet_type == "quit":
            self._app.post_message(WindowGone())
        else:
            super().on_meta(packet_type, payload)


class BrowserBench(WorkbenchApp):
    """The workbench whose reviewer was chosen when the server was started."""

    in_browser = True

    def __init__(self, workspace: Workspace, reviewer: str | None) -> None:
        super().__init__(workspace, reviewer)
        if reviewer is None:
            self.reviewer = None

    def on_window_gone(self) -> None:
        """Nobody can be asked any more: keep every text and end."""
        self.stop_background_work()
        self.keep_all_texts()
        self.exit()


def main(arguments: list[str]) -> int:
    """Run the workbench for the server; returns its exit code.

    Raises:
        WorkspaceError: the folder is no workspace, or the reviewer is not on its roster.
    """
    root, *reviewer = arguments
    app = BrowserBench(Workspace(Path(root)), *reviewer or (None,))
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except M4ReviewError as error:
        print(f"m4review: {error}", file=sys.stderr)
        sys.exit(error.exit_code)

"""The trace formats: one module per agent program, each a function from one line's JSON to what it says.

A format takes the object of one line and gives back the events in it, each a kind and its values under the names that
all formats share, or ``None`` when the line is not of the format. An empty list is a line that is understood and says
nothing. The names are:

- ``message``: ``text``; ``problem`` is true for an error message of the program.
- ``tool_call``: ``id``, ``name``, and ``command`` (of a shell), ``path`` (of a file) or ``title``.
- ``tool_result``: ``id``, ``text``, ``exit_code``, ``failed``.
- ``usage``: ``input_tokens`` (cached ones included), ``output_tokens``, ``cached_tokens``; ``id`` of the message they
  belong to, or ``total`` when they are those of the whole run.
- ``end``: ``status`` (``ok``, ``failed``, ``refused``), ``text``.
"""

from collections.abc import Callable
from typing import Any

from m4review.trials.agents.formats.claude import claude_events
from m4review.trials.agents.formats.codex import codex_events
from m4review.trials.agents.formats.gemini import gemini_events
from m4review.trials.agents.formats.mini import mini_events
from m4review.trials.agents.formats.opencode import opencode_events
from m4review.trials.agents.formats.parts import Said

Format = Callable[[dict[str, Any]], list[Said] | None]

AGENT_FORMATS: dict[str, Format] = {
    "claude-stream-json": claude_events,
    "codex-jsonl": codex_events,
    "gemini-stream-json": gemini_events,
    "mini-trajectory": mini_events,
    "opencode-json": opencode_events,
}

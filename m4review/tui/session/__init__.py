"""What the screens hold between two keystrokes: open texts and the journal. Plain Python, no Textual."""

from m4review.tui.session.journal import Draft, Journal, new_session_name
from m4review.tui.session.opened import OpenedSkill

__all__ = ["Draft", "Journal", "OpenedSkill", "new_session_name"]

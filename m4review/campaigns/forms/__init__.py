"""The forms of a report: Markdown, LaTeX, one HTML page, plain text for a terminal."""

from m4review.campaigns.forms.latex import to_latex
from m4review.campaigns.forms.markdown import to_markdown
from m4review.campaigns.forms.page import to_html
from m4review.campaigns.forms.plain import to_text

FORMS = {"md": to_markdown, "tex": to_latex, "html": to_html, "text": to_text}
"""By the name that the command line gives them."""

__all__ = ["FORMS", "to_html", "to_latex", "to_markdown", "to_text"]

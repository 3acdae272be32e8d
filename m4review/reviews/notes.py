"""Notes enter git with the event, so the lint reads them first: no query, no program, no row or date of a patient.

Notes never reach an agent under test; a reviewer may therefore name a table that a task removes, to say why.
"""

from __future__ import annotations

from m4review.reviews.digests import check_text

NOTES = "notes"


def refuse_unfit_notes(*texts: str) -> None:
    """Raise when a text that would be kept with an event may not enter git.

    Raises:
        LintRefusal: the lint refuses it; the report names the place.
        LedgerError: it holds a character that nobody sees.
    """
    from m4review.lint import LintContext, LintRefusal, LintReport, lint_text  # what only reads states need not load it

    context = LintContext(answers=frozenset())
    for text in texts:
        errors = tuple(finding for finding in lint_text(text, NOTES, context) if finding.severity == "error")
        if errors:
            refusal = LintRefusal("nothing was recorded", LintReport(errors, 1, len(text)))
            refusal.exit_code = 2
            raise refusal
        check_text(text.encode("utf-8", "surrogatepass"), NOTES)

"""The signals of a program, one module per family of languages.

The patterns run on the ``plain`` view in lower case, at trigger words and literals. A verb of English counts only
where the characters around it are a program's: ``.merge(``, ``group_by(x``, ``keep if x == 1``.
"""

from __future__ import annotations

from m4review.lint.languages import braces, common, julia, matlab, pipelines, python, r, shapes, shell, stata
from m4review.lint.signals import by_word

FAMILIES = (common, python, r, stata, julia, matlab, pipelines, shell, braces, shapes)

BY_WORD = by_word(signal for family in FAMILIES for signal in family.SIGNALS)
"""The signals to try at each word."""
LITERALS = tuple(literal for family in FAMILIES for literal in family.LITERALS)
"""The signals to try at each occurrence of a sign."""

"""Which other skills a skill builds on.

The front matter says it (``metadata.builds-on``, names separated by commas); where it says nothing, the text does: a
skill of the library named in a code span, such as `` `sofa-score` ``, is one that the text builds on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from m4review.errors import SkillError
from m4review.skills import SKILL_FILE
from m4review.skills.frontmatter import split_front_matter

BUILDS_ON = "builds-on"
CODE_SPAN = re.compile(r"(?<!`)`([a-z0-9-]{1,64})`(?!`)")


def built_on(files: Mapping[str, bytes], known: frozenset[str]) -> tuple[str, ...]:
    """The skills of ``known`` that a skill folder (path → bytes) names as what it builds on, sorted, itself included
    when it does. A text that cannot be read names none."""
    try:
        text = re.sub(r"\r\n?", "\n", files.get(SKILL_FILE, b"").decode("utf-8")).removeprefix("\ufeff")
        front = split_front_matter(text, SKILL_FILE)
    except (UnicodeDecodeError, SkillError):
        return ()
    metadata = front.values.get("metadata")
    said = metadata.get(BUILDS_ON) if isinstance(metadata, dict) else None
    if said is None:
        names = set(CODE_SPAN.findall(text))
    else:
        names = {name.strip() for name in (said if isinstance(said, list) else str(said).split(","))}
    return tuple(sorted(names & known))

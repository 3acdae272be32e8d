"""What an agent's failure was about: told from what its program says, by the patterns of its file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator

from m4review.trials.agents.trace import TraceSummary

FailureClass = Literal["auth", "rate-limit", "server", "refusal"]
"""The key was refused; too many requests; the model's server failed; the model declined."""


class FailureRule(BaseModel):
    """A class of failures, and the regular expression that tells it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: FailureClass
    pattern: str

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        return pattern


def classify(
    rules: Iterable[FailureRule], trace: TraceSummary, exit_code: int | None, stderr: str
) -> FailureClass | None:
    """What a run without an output failed of, or ``None`` when the agent itself is all that is known.

    The program's own word on a good end or a refusal counts first, then its error messages, the last first; what it
    wrote to its standard error counts only when it ended with an error and said nothing else.
    """
    if trace.status == "refused":
        return "refusal"
    if trace.status == "ok":
        return None
    texts = list(reversed(trace.problems))
    if exit_code:
        texts.append(stderr)
    for text in texts:
        for rule in rules:
            if re.search(rule.pattern, text):
                return rule.kind
    return None

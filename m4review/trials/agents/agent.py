"""An agent as its file declares it. Adding an agent is adding a file and, for a new trace format, a parser."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from m4review.errors import TrialError, one_of
from m4review.textfile import read_text
from m4review.tomllines import syntax_error
from m4review.trials.agents.trace import PARSERS
from m4review.trials.sandbox.job import Limits

FOLDER = Path(__file__).parent
PLACEHOLDERS = {"instruction", "skills", "database", "output", "python", "model"}


class Agent(BaseModel):
    """One agent. Words of ``argv`` may hold ``{instruction}``, ``{database}``, ``{output}``, ``{skills}``, ``{model}``
    and, without a container, ``{python}``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    version: str
    title: str
    image: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    """The recipe of the image: ``sandbox/<image>.Dockerfile``."""
    argv: tuple[str, ...] = Field(min_length=1, strict=False)
    skill_argv: tuple[str, ...] = Field(default=(), strict=False)
    local_argv: tuple[str, ...] = Field(default=(), strict=False)
    environment: dict[str, str] = Field(default_factory=dict)
    network: Literal["none"] = "none"
    parser: str
    needs_model: bool = False
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _words_are_known(self) -> Agent:
        for word in (*self.argv, *self.skill_argv, *self.local_argv):
            for name in re.findall(r"\{([a-z_]+)\}", word):
                if name not in PLACEHOLDERS:
                    raise ValueError(f"{{{name}}} is not one of " + ", ".join(sorted(PLACEHOLDERS)))
        if self.parser not in PARSERS:
            raise ValueError(f"parser {self.parser!r} is not one of " + ", ".join(sorted(PARSERS)))
        return self

    def command(self, words: tuple[str, ...], values: dict[str, str]) -> tuple[str, ...]:
        """``words`` with the placeholders filled in."""
        return tuple(re.sub(r"\{([a-z_]+)\}", lambda found: values[found.group(1)], word) for word in words)


def agent_names() -> list[str]:
    """The agents that come with this program."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_agent(name: str) -> Agent:
    """The agent of that name, or the one an own ``.toml`` file declares.

    Raises:
        TrialError: no such agent, or its file is wrong (file and key are named).
    """
    own_file = name.endswith(".toml")
    if not own_file and name not in agent_names():
        raise TrialError(f"no agent {name!r}", expected=one_of(name, agent_names(), more=", or an agent's .toml file"))
    path = Path(name) if own_file else FOLDER / f"{name}.toml"
    try:
        text = read_text(path).text
        return Agent.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        said, line = syntax_error(text, error)
        raise TrialError(
            f"not valid TOML: {said}", where=path, line=line, fix="check quotes, brackets and '=' on this line"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise TrialError(
            f"{key}: {message}" if key else message,
            where=path,
            expected="the keys of " + ", ".join(Agent.model_fields),
        ) from None

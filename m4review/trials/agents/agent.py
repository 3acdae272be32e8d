"""An agent as its file declares it. Adding an agent is adding a file and, for a new trace format, a parser.

Texts of the file may hold names in braces, which are filled in for each run: ``{instruction}``, ``{database}``,
``{output}`` and ``{skills}`` are paths in the container, ``{prompt}`` is what the agent is told, ``{skill_files}``
lists the skills' files, ``{model}`` is the model's name, ``{model_url}`` where it is found and ``{dummy_key}`` the word
that stands in for a key. ``{python}`` is for agents without a container.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from m4review.errors import TrialError, one_of
from m4review.textfile import read_text
from m4review.tomllines import line_of, syntax_error
from m4review.trials.agents.failures import FailureClass, FailureRule, classify
from m4review.trials.agents.trace import PARSERS, TraceSummary
from m4review.trials.sandbox.job import Limits

FOLDER = Path(__file__).parent
PATHS = {"instruction", "skills", "database", "output"}
MODEL_WORDS = {"model", "model_url", "dummy_key"}
PLACEHOLDERS = {
    "argv": {*PATHS, *MODEL_WORDS, "prompt", "python"},
    "environment": {*PATHS, *MODEL_WORDS},
    "seeds": {*PATHS, *MODEL_WORDS},
    "prompt": PATHS,
    "skill_prompt": {*PATHS, "skill_files"},
}
"""Which names in braces may stand where."""

NAME_IN_BRACES = re.compile(r"\{([a-z_]+)\}")
Protocol = Literal["responses", "messages", "chat", "gemini"]

PROMPT = """\
The task's database is the DuckDB file `{database}`, read-only; its tables are views, and `information_schema.tables`
lists them. Python 3 with the packages duckdb and pandas, and the command `duckdb`, are installed. There is no internet,
nothing can be installed, and nobody answers questions. The work folder is the current folder: write the output to
`{output}`, check it, and finish.
"""
"""What a program that knows nothing of the sandbox is told after the instruction, in every condition alike."""


class Agent(BaseModel):
    """One agent."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    version: str
    title: str
    image: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    """The recipe of the image: a folder of ``sandbox/recipes``."""
    argv: tuple[str, ...] = Field(min_length=1, strict=False)
    skill_argv: tuple[str, ...] = Field(default=(), strict=False)
    """Added to ``argv`` in the conditions that offer skills."""
    local_argv: tuple[str, ...] = Field(default=(), strict=False)
    version_argv: tuple[str, ...] = Field(default=(), strict=False)
    """Prints the program's version, which must hold ``version``."""
    environment: dict[str, str] = Field(default_factory=dict)
    stdin: Literal["prompt"] | None = None
    """Whether the prompt is the agent's standard input."""
    prompt: str = ""
    """What stands after the instruction in the prompt; :data:`PROMPT` for an agent with a model."""
    skill_prompt: str = ""
    """What stands after that in the conditions that offer skills, for a program that does not find skills by itself."""
    skill_folders: tuple[str, ...] = Field(default=(), strict=False)
    """Where the program looks for skills by itself; ``~`` is its HOME."""
    seeds: dict[str, str] = Field(default_factory=dict)
    """Files of its HOME: path in it, and text."""
    extra_outputs: tuple[str, ...] = Field(default=(), strict=False)
    network: Literal["none", "model"] = "none"
    protocol: Protocol | None = None
    """How the program talks to its model."""
    upstream: str | None = None
    """The model server's address, unless ``upstream_env`` names another one."""
    upstream_env: str = ""
    key_env: str = ""
    """The variable of this machine's environment that holds the key."""
    hosts: tuple[str, ...] = Field(default=(), strict=False)
    """Names of further hosts that may be reached, on port 443."""
    parser: str
    failures: tuple[FailureRule, ...] = Field(default=(), strict=False)
    limits: Limits = Limits()

    @property
    def needs_model(self) -> bool:
        """Whether a model must be named."""
        return self.network == "model"

    @model_validator(mode="before")
    @classmethod
    def _is_told_where_it_is(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("network") == "model":
            return {"prompt": PROMPT, **values}
        return values

    @model_validator(mode="after")
    def _words_are_known(self) -> Agent:
        texts = {
            "argv": (*self.argv, *self.skill_argv, *self.local_argv),
            "environment": tuple(self.environment.values()),
            "seeds": tuple(self.seeds.values()),
            "prompt": (self.prompt,),
            "skill_prompt": (self.skill_prompt,),
        }
        for place, words in texts.items():
            for name in NAME_IN_BRACES.findall("\n".join(words)):
                if name not in PLACEHOLDERS[place]:
                    known = ", ".join(sorted(PLACEHOLDERS[place]))
                    raise ValueError(f"{{{name}}} in {place} is not one of {known}")
        if self.parser not in PARSERS:
            raise ValueError(f"parser {self.parser!r} is not one of " + ", ".join(sorted(PARSERS)))
        for path in self.seeds:
            if path.startswith(("/", "~")) or ".." in Path(path).parts:
                raise ValueError(f"seeds: {path!r} is not a path in the agent's HOME")
        return self

    @model_validator(mode="after")
    def _model_is_whole(self) -> Agent:
        described = [self.protocol, self.upstream, self.upstream_env, self.key_env, self.hosts]
        if self.network == "none" and any(described):
            raise ValueError("protocol, upstream, upstream_env, key_env and hosts go with network = 'model'")
        if self.network == "model":
            if self.protocol is None:
                raise ValueError("network = 'model' needs a protocol: responses, messages, chat or gemini")
            if not self.upstream and not self.upstream_env:
                raise ValueError("network = 'model' needs upstream or upstream_env")
            if self.local_argv:
                raise ValueError("an agent with a network runs in a container only: no local_argv")
        return self

    def command(self, words: tuple[str, ...], values: Mapping[str, str]) -> tuple[str, ...]:
        """``words`` with the names in braces filled in."""
        return tuple(filled(word, values) for word in words)

    def classify(self, trace: TraceSummary, exit_code: int | None, stderr: str) -> FailureClass | None:
        """What a run without an output failed of, as far as the program says it."""
        return classify(self.failures, trace, exit_code, stderr)


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its names in braces filled in."""
    return NAME_IN_BRACES.sub(lambda found: values[found.group(1)], text)


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
        at = line_of(text, first["loc"])
        if first["type"] == "extra_forbidden":
            known = _keys_beside(first["loc"])
            raise TrialError(
                f"no key {key!r}", where=path, line=at, expected=one_of(str(first["loc"][-1]), known)
            ) from None
        message = first["msg"].removeprefix("Value error, ")
        raise TrialError(f"{key}: {message}" if key else message, where=path, line=at) from None


def _keys_beside(place: tuple[int | str, ...]) -> list[str]:
    """The keys that may stand where an unknown one was found."""
    match place[0] if len(place) > 1 else None:
        case "limits":
            return list(Limits.model_fields)
        case "failures":
            return list(FailureRule.model_fields)
        case _:
            return list(Agent.model_fields)

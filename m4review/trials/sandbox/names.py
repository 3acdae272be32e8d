"""What a run's parts are called in the engine; the run id makes every name unique."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """The parts of one run. Which of them exist depends on what the run needs."""

    stem: str

    @classmethod
    def of(cls, run_id: str) -> Names:
        """The names of a run's parts."""
        return cls(f"m4review-{run_id.lower()}")

    @property
    def agent(self) -> str:
        """The agent's container."""
        return self.stem

    @property
    def keeper(self) -> str:
        """The idle container that keeps the work folder readable after the agent's end."""
        return f"{self.stem}-keeper"

    @property
    def volume(self) -> str:
        """The work folder."""
        return f"{self.stem}-work"

    @property
    def inner(self) -> str:
        """The network that the agent is on."""
        return f"{self.stem}-inner"

    @property
    def outer(self) -> str:
        """The network by which the sidecars reach the outside."""
        return f"{self.stem}-outer"

    @property
    def proof(self) -> str:
        """The container that proves the inner network closed."""
        return f"{self.stem}-proof"

    @property
    def sender(self) -> str:
        """The container through which files reach an engine on another machine."""
        return f"{self.stem}-sender"

    def sidecar(self, alias: str) -> str:
        """A sidecar's container, by the name under which the agent finds it."""
        return f"{self.stem}-{alias}"

    def memory(self, alias: str) -> str:
        """The volume in memory that holds a sidecar's configuration."""
        return f"{self.stem}-{alias}-memory"

    def sent(self, what: str) -> str:
        """A volume with files of this run, on an engine of another machine."""
        return f"{self.stem}-sent-{what}"

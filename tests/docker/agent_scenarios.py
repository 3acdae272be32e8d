"""Agent programs against a scripted model: what each scenario must come to, and how one trial of it is made.

``python tests/docker/agent_scenarios.py [AGENT…]`` plays every scenario and prints the table.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import docker

sys.path.insert(0, str(Path(__file__).parents[1]))

from trials_bench import DATASET, TASK, make_data_home, make_workspace

from m4review.trials import Outcome, RunRecord, RunStarted, TraceLine, TrialRequest, load_agent, load_run, run_trial
from m4review.trials.rehearsal import ScriptedModel, scripted_model
from m4review.trials.sandbox.debianbase import BUILD_SECONDS
from m4review.trials.sandbox.engine import connect
from m4review.trials.sandbox.images import build_image
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.removal import parts_with
from m4review.workspace import Workspace

IN_CI = ("codex", "claude-code", "mini-swe-agent")
MORE = ("gemini-cli", "opencode")

SCORES = "temp_score, 0 AS heart_rate_score, 0 AS resp_score, 0 AS wbc_score"
COMMAND = (
    "duckdb -readonly /data/task.duckdb -csv -c "
    f"'SELECT subject_id, hadm_id, stay_id, 0 AS sirs, 0 AS {SCORES} FROM mimiciv_icu.icustays' > /work/output.csv; "
    "wc -l /work/output.csv"
)
"""What the scripted model has agents run: an answer that is complete and mostly wrong."""

KEY = "a-real-key-of-nobody-0123456789"

ENDINGS: dict[str, str] = {
    "ok": "scored",
    "slow": "scored",
    "background-processes": "scored",
    "401": "infra_error auth",
    "429": "infra_error rate-limit",
    "500": "infra_error server",
    "cut": "infra_error server",
    "refusal": "agent_error",
    "no-output": "no_output",
    "huge-output": "invalid_output",
    "stall": "agent_timeout",
    "hang-command": "agent_timeout",
    "ctrl-c": "cancelled",
}
"""What a run comes to, whatever the agent."""

OWN_ENDINGS: dict[tuple[str, str], str] = {
    # It goes on without a command that takes long, and the scripted model says that it is done.
    ("codex", "hang-command"): "no_output",
    # These say nothing of a refusal that could be told from an answer.
    ("codex", "refusal"): "no_output",
    ("gemini-cli", "refusal"): "no_output",
    # It asks again without end.
    ("opencode", "cut"): "agent_timeout",
}
SECONDS: dict[str, int] = {"stall": 25, "hang-command": 40, "cut": 60}
PLENTY = 150


def ending_of(agent: str, scenario: str) -> str:
    """What a run of the agent in the scenario comes to: outcome, and the failure if it is one of the server."""
    return OWN_ENDINGS.get((agent, scenario), ENDINGS[scenario])


@dataclass(frozen=True)
class Stage:
    """Where scenarios are played: an engine, a workspace, data, and a scripted model."""

    engine: docker.DockerClient
    workspace: Workspace
    data_home: Path
    model: ScriptedModel

    def environment(self, agent: str) -> Mapping[str, str]:
        """The variables of a person who has a key and a server."""
        declared = load_agent(agent)
        address = self.model.address(declared.protocol)
        return {"M4REVIEW_DATA": str(self.data_home), declared.upstream_env: address, declared.key_env: KEY}

    def play(self, agent: str, scenario: str, *conditions: str, model: str | None = None) -> list[RunRecord]:
        """One trial; returns its runs, the last attempt of each."""
        cancel = threading.Event()

        def listen(event: object) -> None:
            if scenario == "ctrl-c" and isinstance(event, (TraceLine, RunStarted)):
                threading.Timer(4 if isinstance(event, RunStarted) else 0, cancel.set).start()

        request = TrialRequest(
            task=TASK,
            dataset=DATASET,
            agent=agent,
            model=model or f"scripted-{'hang-command' if scenario == 'ctrl-c' else scenario}",
            conditions=conditions or ("no-skill",),
            seconds=SECONDS.get(scenario, PLENTY),
            seed=1,
        )
        summary = run_trial(
            Workspace(self.workspace.root),
            request,
            environment=self.environment(agent),
            cancel=cancel,
            listener=listen,
        )
        return [load_run(self.workspace, run) for run in summary.order]

    def leftovers(self, records: list[RunRecord]) -> list[str]:
        """What the runs still have in the engine."""
        return [part.name for record in records for part in parts_with(self.engine, f"m4review.run={record.id}")]


def told(record: RunRecord) -> str:
    """How a run ended, as :data:`ENDINGS` says it."""
    server = record.outcome is Outcome.INFRA_ERROR and record.failure is not None
    return f"{record.outcome.value} {record.failure}" if server else record.outcome.value


def main(agents: list[str]) -> int:
    """Play every scenario of the agents and print a table; returns how many came to something else."""
    engine = connect(timeout=BUILD_SECONDS)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="m4review-agents-") as name:
        folder = Path(name)
        data_home = make_data_home(folder / "data")
        workspace = make_workspace(folder / "workspace")
        for recipe in ("endpoint", "sidecars", *agents):
            build_image(engine, recipe, lambda line: print(line, file=sys.stderr))
        with scripted_model(engine, Owner.of_this_process(), COMMAND) as model:
            stage = Stage(engine, workspace, data_home, model)
            print(f"{'agent':<16}{'scenario':<22}{'outcome':<24}{'tries':>6}{'wall s':>8}{'agent s':>9}  leftovers")
            for agent in agents:
                for scenario in ENDINGS:
                    began = time.monotonic()
                    records = stage.play(agent, scenario)
                    took = time.monotonic() - began
                    last, left = records[-1], stage.leftovers(records)
                    good = told(last) == ending_of(agent, scenario) and not left
                    wrong += not good
                    seconds = last.seconds.get("agent", 0.0)
                    print(
                        f"{agent:<16}{scenario:<22}{told(last):<24}{len(records):>6}{took:>8.1f}{seconds:>9.1f}  "
                        f"{', '.join(left) or 'none'}{'' if good else '   EXPECTED ' + ending_of(agent, scenario)}",
                        flush=True,
                    )
    engine.close()
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:] or [*IN_CI, *MORE]), 1))

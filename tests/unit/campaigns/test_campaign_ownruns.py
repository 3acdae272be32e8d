"""Runs of our own records: what enters a mean, what does not, and the file they are written to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from m4review.campaigns.matrix import Block, Cell
from m4review.campaigns.ownruns import CampaignRecord, runs_of
from m4review.campaigns.runfile import read_run_file, write_run_file
from m4review.campaigns.runs import Run, TaskFacts
from m4review.scoring import ColumnScore, KeyScore, Score, StrictCheck
from m4review.trials.agents.trace import TraceSummary
from m4review.trials.audit import Audit
from m4review.trials.canary.report import CanaryReport, ProbeResult, Proved
from m4review.trials.conditions import Condition
from m4review.trials.records import Inputs, Outcome, RunRecord, SkillUsed

FACTS = {"sirs": TaskFacts("sirs", "raw", ("sirs",), 0.95)}
START = datetime(2030, 1, 2, tzinfo=UTC)
SCORE = Score(
    reward=0.75,
    columns=(
        ColumnScore(
            name="sirs", kind="number", tolerance=0, present=True, matched=3, denominator=4, rate=0.75, nmae=0.1
        ),
    ),
    keys=KeyScore(
        reference_rows=3, output_rows=5, matched=3, missing=0, extra=1, duplicate=1, malformed=0,
        precision=0.75, recall=1.0, f1=0.85714286,
    ),
    ordered_nmae=0.1,
    checks=(
        StrictCheck(name="valid_csv", passed=True, detail=""),
        StrictCheck(name="row_coverage", passed=True, detail="", value=1, threshold=1),
        StrictCheck(name="accuracy:sirs", passed=False, detail="", value=0.75, threshold=0.95),
    ),
    output_sha256="a",
    reference_sha256="b",
)  # fmt: skip
AUDIT = Audit(findings=(), notes=(), left=(), left_count=0, bytes_read=0)
TRACE = TraceSummary(
    parser="codex", lines=9, understood=9, events={"tool_call": 4}, gaps=(), skill_opened=True,
    input_tokens=900, output_tokens=100, cached_tokens=300,
)  # fmt: skip


def spot(replicate: int, schema: str = "native", *, agent: str = "plain", model: str | None = "big/model:7",
         seed: int = 0, mapped: bool = False) -> Block:  # fmt: skip
    cell = Cell(task="sirs", schema_name=schema, schema_seed=seed, map_skill=mapped, agent=agent, model=model)  # type: ignore[arg-type]
    return Block(id=f"{replicate}", cell=cell, replicate=replicate, conditions=(Condition.WITH_SKILL,))


def record(name: str, outcome: Outcome = Outcome.SCORED, *, agent: str = "codex", model: str | None = "big/model:7",
           condition: Condition = Condition.WITH_SKILL, **more: object) -> RunRecord:  # fmt: skip
    inputs = Inputs(
        task="sirs", kind="derivation", task_digest="t", condition=condition,
        skills=(SkillUsed(name="sirs-criteria", digest="sha256:1", version=2),), agent=agent, agent_version="1",
        agent_source="s", model=model, effort="medium", image="i", sandbox="docker", limits={}, dataset="d",
        dataset_digest="dd", database_digest="bd", reference_digest="rd", reference_lineage="ours", tool_version="1",
        duckdb_version="2",
    )  # fmt: skip
    values: dict[str, object] = {
        "score": SCORE if outcome in {Outcome.SCORED, Outcome.AUDIT_HOLD} else None, "audit": AUDIT, "trace": TRACE,
        "isolated": True, "exit_code": 0, "egress": {"model": 12, "refused": 1},
    }  # fmt: skip
    return RunRecord(
        id=name, trial="t", replicate=1, position=1, attempt=1, outcome=outcome, inputs=inputs,
        resume_key=inputs.resume_key, started=START, finished=START + timedelta(seconds=90), seconds={},
        **{**values, **more},
    )  # fmt: skip


def entry(block: Block, made: RunRecord) -> CampaignRecord:
    return block, made.inputs.arm, made


def only(made: RunRecord, block: Block | None = None) -> Run:
    (run,) = runs_of([entry(block or spot(3), made)])
    return run


def test_a_scored_run_carries_every_metric_of_its_record() -> None:
    run = only(record("r"), spot(3, "obfuscated"))
    assert run.cell == ("sirs", "with-skill", "obfuscated", "big/model:7", 3)
    assert (run.reward, run.rates, run.key_recall, run.extra_keys, run.output_keys) == (0.75, {"sirs": 0.75}, 1, 1, 4)
    assert (run.passed, run.failed, run.errors, run.strict) == (2, 1, 0, False)
    assert (run.input_tokens, run.cached_tokens, run.output_tokens, run.requests, run.tool_calls) == (
        900, 300, 100, 12, 4,
    )  # fmt: skip
    assert (run.elapsed, run.publishable, run.held, run.texts) == (90, True, False, ("sha256:1",))


def test_the_agents_own_failure_is_a_zero_that_crashed_and_a_failure_of_ours_is_no_value() -> None:
    crashed = only(record("r", Outcome.AGENT_TIMEOUT))
    assert (crashed.reward, crashed.crashed, crashed.strict, crashed.rates) == (0.0, True, False, {})
    for outcome in (Outcome.INFRA_ERROR, Outcome.CANCELLED, Outcome.AUDIT_HOLD):
        run = only(record("r", outcome))
        assert (run.reward, run.strict, run.publishable, run.rates) == (None, None, False, {})
    assert only(record("r", Outcome.AUDIT_HOLD)).held


def proof(hours: float, *, image: str = "i", held: bool = True) -> CanaryReport:
    """A canary that ended that many hours before the runs began."""
    proved = Proved(engine="e", engine_version="1", image=image, sidecars="s", tool_version="1", settings="x")
    ended = START - timedelta(hours=hours)
    result = ProbeResult(probe="p", expectation="nothing reached", happened="nothing", held=held)
    return CanaryReport(proved=proved, started=ended, finished=ended, probes=(result,))


def test_what_was_not_isolated_may_not_be_published_and_no_proof_stands_behind_it() -> None:
    (run,) = runs_of([entry(spot(1), record("r", isolated=False))], proofs=[proof(1)])
    assert (run.publishable, run.publishable_reason, run.canary) == (False, "ran without isolation", None)


def test_a_proof_counts_for_its_image_and_for_the_day_after_it_and_the_newest_one_decides() -> None:
    def canary(*proofs: CanaryReport) -> bool | None:
        return runs_of([entry(spot(1), record("r"))], proofs=proofs)[0].canary

    assert canary() is None
    assert canary(proof(1)) is True
    assert canary(proof(25), proof(-1), proof(1, image="other")) is None
    assert canary(proof(2), proof(1, held=False)) is False


def test_agents_are_told_apart_by_model_and_by_the_plans_label_where_they_share_one() -> None:
    def labels(*blocks: Block) -> list[str]:
        return [run.model for run in runs_of(entry(block, record(f"{n}")) for n, block in enumerate(blocks))]

    assert labels(spot(1, agent="reader", model=None), spot(2)) == ["reader", "big/model:7"]
    assert labels(spot(1), spot(2, agent="other")) == ["plain", "other"]


def test_mapped_skills_and_other_seeds_are_schemas_of_their_own() -> None:
    def schemas(*blocks: Block) -> list[str]:
        return [run.schema for run in runs_of(entry(block, record(f"{n}")) for n, block in enumerate(blocks))]

    assert schemas(spot(1), spot(1, "obfuscated", seed=3), spot(1, "obfuscated", seed=3, mapped=True)) == [
        "native",
        "obfuscated",
        "obfuscated-mapped",
    ]
    assert schemas(spot(1, "obfuscated", seed=3), spot(1, "obfuscated", seed=4)) == [
        "obfuscated-seed3",
        "obfuscated-seed4",
    ]


def test_a_written_run_file_reads_back_as_the_same_runs(tmp_path: Path) -> None:
    runs = runs_of(
        [
            entry(spot(1), record("a")),
            entry(spot(2), record("b", Outcome.INFRA_ERROR, trace=None, audit=None, egress={})),
            entry(spot(1, "restructured"), record("c", Outcome.NO_OUTPUT, condition=Condition.DECOY)),
            entry(spot(4), record("d", agent="reader", model=None, condition=Condition.RAW_SQL, price_usd=0.25)),
        ],
        proofs=[proof(1)],
    )
    runs.append(replace(runs[0], id="e", model='quo"te, line\nbreak', repeat=9, rates={"it's": 1 / 3, 'a"b\\': 1.0}))
    write_run_file(tmp_path / "runs.csv", runs)
    assert read_run_file(tmp_path / "runs.csv", FACTS) == runs


def test_the_written_file_names_no_place_of_this_machine_and_is_the_same_every_time(tmp_path: Path) -> None:
    runs = runs_of([entry(spot(1), record("a"))])
    for name in ("one", "two"):
        write_run_file(tmp_path / name, runs)
    text = (tmp_path / "one").read_text()
    assert text == (tmp_path / "two").read_text()
    assert str(tmp_path) not in text


@pytest.mark.parametrize("name", ["task", "condition", "schema", "model", "trial", "reward", "match_rates", "run_id"])
def test_the_columns_of_the_published_layout_are_written_under_their_published_names(tmp_path: Path, name: str) -> None:
    write_run_file(tmp_path / "runs.csv", [])
    assert name in (tmp_path / "runs.csv").read_text().split("\n")[0].split(",")

"""Campaigns shared among several worker processes: lost workers, refused workers, and what travels."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from campaign_bench import Bench, plan_text
from trials_bench import expected_output

from m4review.campaigns import distributed
from m4review.campaigns.distributed import run_shared_campaign
from m4review.campaigns.events import BlockEntered, CampaignEvent
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.status import status_of
from m4review.errors import CampaignError
from m4review.trials import Notice
from m4review.workspace import Workspace

pytest.importorskip("distributed", reason="needs the extra 'distributed'")

OTHER_VERSION = (
    "import sys, m4review; m4review.__version__ = '99.1'; from m4review.cli.main import main; main(sys.argv[1:])"
)


@contextmanager
def running_scheduler() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A scheduler on this machine alone: its address and its process."""
    words = ["dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    program = subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert program.stderr is not None
    found = next(match for line in program.stderr if (match := re.search(r"tcp://127\.0\.0\.1:\d+", line)))
    yield found.group(), program
    program.terminate()
    program.communicate()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with running_scheduler() as (address, _):
        yield address


@pytest.fixture
def workers(bench: Bench, scheduler: str, tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Two workers, each with a workspace of its own, that have registered."""
    started = []
    for name in ("one", "two"):
        shutil.copytree(bench.workspace.root, tmp_path / name, ignore=lambda *_: {"gate", "news", ".m4review"})
        started.append(bench.start("campaign", "worker", scheduler, workspace=tmp_path / name))
    for program in started:
        wait_for(program, "works for")
    yield started
    for program in started:
        program.terminate()
        program.communicate()


def wait_for(program: subprocess.Popen[str], words: str) -> None:
    assert program.stderr is not None
    said = []
    for line in program.stderr:
        said.append(line)
        if words in line:
            return
    raise AssertionError("".join(said))


def entered_by(events: list[CampaignEvent]) -> list[str]:
    return [event.record.block.id for event in events if isinstance(event, BlockEntered)]


def shared(folder: CampaignFolder, scheduler: str, listener: list[CampaignEvent]) -> None:
    run_shared_campaign(folder, scheduler, listener=listener.append)


def test_a_worker_killed_in_the_middle_of_a_block_loses_nothing_and_doubles_nothing(
    bench: Bench, scheduler: str, workers: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    (bench.workspace.root / "answer.csv").write_text(expected_output())
    answer = f"cp {bench.workspace.root / 'answer.csv'} output.csv"
    bench.write_agent(answer, waits_from=3, announces=True)
    folder = bench.freeze()
    program = bench.start("campaign", "run", "trial", "--scheduler", scheduler)
    bench.hear(2)  # both workers are in the middle of a block
    with bench.gate.open("w") as gate:
        lost = workers[1]
        lost.send_signal(signal.SIGKILL)
        lost.communicate()
        bench.opened.touch()
        gate.write("go\n" * 6)
        gate.flush()
        _, said = program.communicate()

    status = status_of(folder)
    records = folder.records()
    assert program.returncode == 0, said
    assert "is gone, with 1 block(s) under way" in said
    assert (status.complete, status.counting, status.outcomes) == (True, 6, {"scored": 6})
    assert len({record.id for _, _, record in records}) == 6
    assert sorted(path.name for path in (folder.path / "blocks").iterdir()) == sorted(
        f"{block.id}.json" for block in folder.manifest.blocks
    )
    # What may hold rows of patients stays where it was made.
    here = {path.name for path in folder.runs_dir.rglob("*") if path.is_file()}
    there = {path.name for path in (tmp_path / "one" / ".m4review" / "campaigns").rglob("*") if path.is_file()}
    assert here == {"run.json", "events.jsonl"}
    assert {"output.csv", "trace.jsonl", "manifest.json"} <= there
    assert not list((tmp_path / "one" / ".m4review" / "staging").iterdir())


def test_ctrl_c_stops_the_workers_at_once_and_keeps_what_is_done(
    bench: Bench, scheduler: str, workers: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    bench.write_agent(waits_from=1, announces=True)
    folder = bench.freeze()
    program = bench.start("campaign", "run", "trial", "--scheduler", scheduler)
    bench.hear(2)
    program.send_signal(signal.SIGINT)
    program.communicate()

    assert program.returncode == 130
    assert status_of(folder).under_way == ()
    assert not [left for name in ("one", "two") for left in (tmp_path / name / ".m4review" / "staging").iterdir()]
    bench.opened.touch()
    shared(folder, scheduler, [])
    assert status_of(folder).complete


def test_a_worker_of_another_version_is_refused_and_both_are_named(
    bench: Bench, scheduler: str, tmp_path: Path
) -> None:
    bench.write_agent()
    folder = bench.freeze()
    words = [sys.executable, "-c", OTHER_VERSION, "campaign", "worker", scheduler]
    program = subprocess.Popen(
        words, cwd=bench.workspace.root, env=bench.environment, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(program, "works for")
        with pytest.raises(CampaignError) as refused:
            shared(folder, scheduler, [])
    finally:
        program.terminate()
        program.communicate()

    assert "m4review 99.1" in str(refused.value)
    assert folder.manifest.tool_version in str(refused.value)
    assert len(folder.missing()) == 3


def test_a_worker_with_another_skill_is_refused_and_the_others_do_its_blocks(
    bench: Bench, scheduler: str, workers: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    bench.write_agent()
    folder = bench.freeze()
    other = Workspace(tmp_path / "two").skill_file("sirs-criteria")
    other.write_text(other.read_text() + "\nA further remark.\n")
    events: list[CampaignEvent] = []
    shared(folder, scheduler, events)

    said = "\n".join(event.text for event in events if isinstance(event, Notice))
    assert "is refused" in said
    assert "with-skill: what the condition gives" in said
    assert sorted(entered_by(events)) == sorted(block.id for block in folder.manifest.blocks)
    assert status_of(folder).counting == 6


def test_a_scheduler_that_dies_ends_the_campaign_and_keeps_what_is_done(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "CONNECT_SECONDS", 1)
    bench.write_agent(waits_from=3)
    folder = bench.freeze()
    shutil.copytree(bench.workspace.root, tmp_path / "one", ignore=lambda *_: {"gate", "news", ".m4review"})
    with running_scheduler() as (address, scheduler), ThreadPoolExecutor(1) as thread:
        worker = bench.start("campaign", "worker", address, workspace=tmp_path / "one")
        wait_for(worker, "works for")
        running = thread.submit(shared, folder, address, [])
        with bench.gate.open("w"):
            scheduler.kill()
            with pytest.raises(CampaignError, match="the scheduler is gone"):
                running.result()
        worker.terminate()
        worker.communicate()

    assert len(folder.missing()) == 2
    assert bench.starts() == 3


def test_a_campaign_without_dask_says_how_to_get_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write_agent()
    folder = bench.freeze()
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(CampaignError, match=r"pip install 'm4review\[distributed\]'"):
        shared(folder, "tcp://127.0.0.1:1", [])


def test_a_scheduler_that_does_not_answer_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write_agent()
    monkeypatch.setattr(distributed, "CONNECT_SECONDS", 0.5)

    with pytest.raises(CampaignError, match=r"tcp://127.0.0.1:1: no scheduler answers"):
        shared(bench.freeze(text=plan_text()), "tcp://127.0.0.1:1", [])


def test_a_campaign_frozen_twice_under_one_name_on_two_machines_is_refused(
    bench: Bench, scheduler: str, workers: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    bench.write_agent()
    for name in ("one", "two"):
        other = make_bench_at(tmp_path / name, bench)
        other.write_agent()
        other.freeze(text=plan_text(seed=7))
    folder = bench.freeze()

    with pytest.raises(CampaignError, match="another campaign is called trial"):
        shared(folder, scheduler, [])


def make_bench_at(root: Path, bench: Bench) -> Bench:
    return Bench(Workspace(root), bench.data_home)

"""Campaigns on one machine: freezing, running, being stopped and killed, and going on."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from campaign_bench import ONE_GROUP, Bench, make_bench, plan_text
from trials_bench import SKILL, TASK

from m4review.campaigns import execution
from m4review.campaigns.blockrun import Workplace
from m4review.campaigns.events import BlockEntered, BlockLeft, CampaignEvent
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.status import CampaignStatus, status_of
from m4review.cli.main import main
from m4review.errors import CampaignError, TextFileError
from m4review.workspace import Workspace

BUSY = '[[failures]]\nkind = "rate-limit"\npattern = "too many requests"\n'


def block_files(folder: CampaignFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder.path / "blocks").iterdir()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, campaign_data: Path) -> Bench:
    """A workspace with a finished campaign, for tests that only look at it."""
    bench = make_bench(tmp_path_factory.mktemp("finished") / "workspace", campaign_data)
    bench.write_agent()
    bench.run(bench.freeze())
    return bench


@pytest.fixture
def copied(finished: Bench, tmp_path: Path) -> Bench:
    """A copy of it, for tests that spoil it."""
    shutil.copytree(finished.workspace.root, tmp_path / "copy", ignore=lambda _, names: {"gate", "news"} & set(names))
    return make_copy(tmp_path / "copy", finished.data_home)


def make_copy(root: Path, data_home: Path) -> Bench:
    return Bench(Workspace(root), data_home)


def test_every_run_of_the_matrix_is_made_once_and_named_by_a_block(finished: Bench) -> None:
    folder = finished.opened_campaign()
    records = folder.records()

    assert [block.id for block, _, _ in records[::2]] == [block.id for block in folder.manifest.blocks]
    assert all(record.inputs.arm == arm and record.replicate == block.replicate for block, arm, record in records)
    assert finished.starts() == len(records) == folder.manifest.runs() == 6
    assert {path.name for path in folder.runs_dir.iterdir()} == {record.id for _, _, record in records}
    assert folder.missing() == []


def test_running_a_finished_campaign_again_runs_nothing(finished: Bench) -> None:
    before = finished.starts()
    finished.run(finished.opened_campaign())

    assert finished.starts() == before


def test_the_status_counts_what_is_there(finished: Bench) -> None:
    status = status_of(finished.opened_campaign())

    assert status.complete
    assert (status.blocks, status.counting, status.infra_errors, status.stray) == (3, 6, 0, 0)
    assert status.outcomes == {"no_output": 6}
    assert not status.under_way
    assert {(row.condition, row.done, row.reward) for row in status.conditions} == {
        ("no-skill", 3, 0.0),
        ("with-skill", 3, 0.0),
    }


def test_freezing_the_same_plan_again_changes_nothing(copied: Bench) -> None:
    before = (copied.opened_campaign().path / "manifest.json").read_bytes()
    copied.freeze()

    assert (copied.opened_campaign().path / "manifest.json").read_bytes() == before


def test_another_plan_under_a_name_that_is_taken_is_refused(copied: Bench) -> None:
    with pytest.raises(CampaignError, match="from another plan"):
        copied.freeze(text=plan_text(seed=2))


def _edit_skill(bench: Bench) -> None:
    path = bench.workspace.skill_file(SKILL)
    path.write_text(path.read_text() + "\nA further remark.\n")


def _edit_task(bench: Bench) -> None:
    path = bench.workspace.task(TASK).path / "instruction.md"
    path.write_text(path.read_text() + "\nA further remark.\n")


def _edit_agent(bench: Bench) -> None:
    path = bench.opened_campaign().path / "agents" / "script.toml"
    path.write_text(path.read_text().replace('version = "1"', 'version = "2"'))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (_edit_skill, "with-skill: what the condition gives"),
        (_edit_task, "the task card"),
        (_edit_agent, "the agent's version"),
    ],
)
def test_a_run_on_something_else_than_was_frozen_is_refused(
    edit: Callable[[Bench], None], said: str, copied: Bench
) -> None:
    folder = copied.opened_campaign()
    next((folder.path / "blocks").iterdir()).unlink()
    edit(copied)

    with pytest.raises(CampaignError, match=f"no longer as frozen.*{said}"):
        make_copy(copied.workspace.root, copied.data_home).run(folder)
    assert len(block_files(folder)) == 2


def test_freezing_again_after_an_edit_is_refused_and_names_the_edit(copied: Bench) -> None:
    _edit_skill(copied)

    with pytest.raises(CampaignError, match=r"frozen already, and no longer as it was.*what the condition gives"):
        make_copy(copied.workspace.root, copied.data_home).freeze()


def test_a_changed_plan_or_manifest_is_refused(copied: Bench) -> None:
    plan = copied.opened_campaign().path / "plan.toml"
    manifest = plan.with_name("manifest.json")
    frozen = plan.read_text(), manifest.read_text()

    plan.write_text(frozen[0].replace("repeats = 3", "repeats = 4"))
    with pytest.raises(CampaignError, match="the plan was changed"):
        copied.opened_campaign()
    plan.write_text(frozen[0])
    manifest.write_text(frozen[1].replace('"seconds": 60', '"seconds": 61'))
    with pytest.raises(CampaignError, match="the manifest was changed"):
        copied.opened_campaign()
    manifest.write_text(frozen[1])
    assert copied.opened_campaign().records()


def test_blocks_of_two_campaigns_in_one_folder_are_refused(copied: Bench) -> None:
    other = copied.freeze("other", plan_text(seed=9))
    ours = copied.opened_campaign()
    shutil.copytree(ours.path / "blocks", other.path / "blocks")

    with pytest.raises(CampaignError, match="a block of another campaign"):
        other.records()
    with pytest.raises(CampaignError, match="a block of another campaign"):
        status_of(other)


def test_a_run_that_is_not_the_blocks_is_refused(copied: Bench) -> None:
    folder = copied.opened_campaign()
    _, _, record = folder.records()[0]
    path = folder.run_folder(record.id) / "run.json"
    path.write_text(path.read_text().replace('"replicate": 1', '"replicate": 2'))

    with pytest.raises(CampaignError, match="not what the block"):
        folder.records()


def test_another_version_of_the_program_may_not_go_on(copied: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copied.opened_campaign()
    monkeypatch.setattr(execution, "__version__", "99.1")

    with pytest.raises(CampaignError, match=r"m4review 99\.1.*frozen by " + folder.manifest.tool_version):
        copied.run(folder)


def test_a_killed_campaign_loses_the_block_under_way_and_nothing_else(bench: Bench) -> None:
    bench.write_agent(waits_from=4)  # the second run of the second block
    folder = bench.freeze()
    program = bench.start("campaign", "run", "trial")
    with bench.gate.open("w"):  # opens when the run waits
        program.send_signal(signal.SIGKILL)
        program.communicate()
    there = block_files(folder)
    stopped = status_of(folder)
    bench.opened.touch()
    bench.run(bench.opened_campaign())

    after = status_of(folder)
    assert (len(there), stopped.stray, stopped.under_way) == (1, 1, ())
    assert {name: block_files(folder)[name] for name in there} == there
    assert (after.complete, after.counting, after.stray) == (True, 6, 1)
    assert bench.starts() == 8  # the block under way was begun twice
    assert len(list(folder.runs_dir.iterdir())) == 7  # what the killed run left is gone
    assert not list((bench.workspace.local_dir / "staging").iterdir())


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(bench: Bench) -> None:
    bench.write_agent(waits_from=3)
    folder = bench.freeze()
    program = bench.start("campaign", "run", "trial", "--json")
    with bench.gate.open("w"):
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate()

    assert program.returncode == 130
    assert (json.loads(out)["done"], json.loads(out)["blocks"]) == (1, 3)
    assert len(folder.missing()) == 2


def test_two_programs_on_one_campaign_make_every_block_once(bench: Bench) -> None:
    bench.write_agent(waits_from=1, announces=True)
    folder = bench.freeze(text=plan_text(ONE_GROUP.replace("repeats = 3", "repeats = 4")))
    programs = [bench.start("campaign", "run", "trial") for _ in range(2)]
    bench.hear(2)  # each is at its first run, in a block of its own
    held = status_of(folder).under_way
    bench.opened.touch()
    with bench.gate.open("w") as gate:
        gate.write("go\ngo\n")
        gate.flush()
        ended = [program.communicate() and program.returncode for program in programs]

    assert len({work.block for work in held}) == len({work.pid for work in held}) == 2
    assert 0 in ended
    assert status_of(folder).counting == bench.starts() == 8
    assert len(list(folder.runs_dir.iterdir())) == 8


def test_a_failure_of_the_server_is_tried_again_and_kept_apart(bench: Bench) -> None:
    once = bench.workspace.root / "asked"
    bench.write_agent(f"[ -e {once} ] || {{ touch {once}; echo too many requests >&2; exit 1; }}", failures=BUSY)
    folder = bench.freeze()
    bench.run(folder)

    status = status_of(folder)
    assert (status.complete, status.infra_errors, status.outcomes) == (True, 1, {"no_output": 6})
    assert sum(len(done.infra_errors) for done in folder.done().values()) == 1


def test_a_block_whose_server_keeps_failing_is_left_for_the_next_start(bench: Bench) -> None:
    down = bench.workspace.root / "down"
    down.touch()
    bench.write_agent(f"[ ! -e {down} ] || {{ echo too many requests >&2; exit 1; }}", failures=BUSY)
    folder = bench.freeze()
    events: list[CampaignEvent] = []
    bench.run(folder, listener=events.append)
    failed = status_of(folder)
    down.unlink()
    bench.run(folder)

    left = [event for event in events if isinstance(event, BlockLeft)]
    assert len(left) == 3
    assert all("takes no more requests" in event.reason for event in left)
    assert (failed.done, failed.counting, failed.infra_errors) == (0, 0, 12)
    assert status_of(folder).outcomes == {"no_output": 6}


def test_each_cell_is_prepared_once_whatever_the_repeats(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write_agent()
    folder = bench.freeze()
    prepared: list[str] = []
    before = Workplace._prepared

    def counted(self: Workplace, cell: object) -> object:
        ready = before(self, cell)
        prepared.append(ready[0].folder.name)
        return ready

    monkeypatch.setattr(Workplace, "_prepared", counted)
    bench.run(folder, parallel=2)

    assert (len(prepared), len(set(prepared))) == (3, 1)


def test_on_a_full_disk_the_campaign_stops_and_goes_on_later(
    bench: Bench, mount_small_disk: Callable[[Path, str], None]
) -> None:
    bench.write_agent()
    folder = bench.freeze()
    (folder.path / "blocks").mkdir()
    mount_small_disk(folder.path / "blocks", "4k")
    with pytest.raises(TextFileError, match="cannot be written"):
        bench.run(folder)
    there = block_files(folder)
    subprocess.run(["mount", "-o", "remount,size=1m", str(folder.path / "blocks")], check=True)
    bench.run(folder)

    assert len(there) == 1
    assert there.items() <= block_files(folder).items()
    assert status_of(folder).complete


def test_a_held_run_is_done_and_waits_until_a_person_decides(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bench.write_agent("echo 'see /answers/ground_truth/sirs.csv' > notes")
    folder = bench.freeze(text=plan_text(ONE_GROUP.replace("repeats = 3", "repeats = 1")))
    monkeypatch.chdir(bench.workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(bench.data_home))

    def code_of(*words: str) -> object:
        with pytest.raises(SystemExit) as ended:
            main(["--as", "C1", *words])
        return ended.value.code

    ended = code_of("campaign", "run", "trial")
    waiting = status_of(folder).waiting
    for run in waiting:
        assert not code_of("trial", "hold", "release", run, "--reason", "the words are a quotation")

    assert (ended, len(waiting)) == (3, 2)
    assert status_of(folder).waiting == ()
    assert [record.outcome.counts for _, _, record in folder.records()] == [True, True]
    capfd.readouterr()


def test_every_block_is_reported_with_its_rewards(copied: Bench) -> None:
    folder = copied.opened_campaign()
    next((folder.path / "blocks").iterdir()).unlink()
    events: list[CampaignEvent] = []
    copied.run(folder, listener=events.append)

    (entered,) = [event for event in events if isinstance(event, BlockEntered)]
    assert entered.rewards == {"no-skill": 0.0, "with-skill": 0.0}
    assert (entered.done, entered.blocks) == (3, 3)


def test_the_commands_plan_freeze_run_and_show_a_campaign(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bench.write_agent()
    (bench.workspace.root / "p.toml").write_text(plan_text())
    monkeypatch.chdir(bench.workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(bench.data_home))

    def said(*words: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["campaign", *words])
        return ended.value.code, *capfd.readouterr()

    code, out, _ = said("plan", "p.toml")
    assert not code
    assert "3 blocks, 6 runs" in out
    assert "no past run" in out
    assert "nothing is missing" in out
    assert said("list")[1].startswith("no campaign here yet: m4review campaign freeze")
    assert not said("freeze", "p.toml", "--name", "c")[0]
    assert said("list")[1].startswith("c  0 of 3 blocks  ")
    assert said("run", "c", "--sandbox", "docker")[0] == 2
    code, out, err = said("run", "c")
    assert not code
    assert "[3/3]" in err
    assert "not isolated" in out
    code, out, _ = said("status", "c", "--json")
    assert CampaignStatus.model_validate_json(out).complete
    (entry,) = json.loads(said("list", "--json")[1])["campaigns"]
    assert (entry["name"], entry["done"], entry["blocks"]) == ("c", 3, 3)
    (bench.workspace.campaigns_dir / "c" / "manifest.json").write_text("{")
    code, out, _ = said("list")
    assert (code or 0, out.startswith("c  ")) == (0, True)
    code, out, _ = said("plan", "p.toml", "--json")
    assert json.loads(out)["estimate"]["past"] == 6
    code, _, err = said("status", "d")
    assert (code, "did you mean" in err or "one of c" in err) == (2, True)

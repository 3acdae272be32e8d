"""The evidence bundle: what is in it, what never is, and when none is made."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from bundle_bench import NAME, bundle_of, checked, copy_of, problems
from campaign_bench import Bench
from click.testing import CliRunner
from trials_bench import DATASET, TASK, expected_output

from m4review.campaigns import bundleparts as parts
from m4review.campaigns.bundle import Bundle
from m4review.campaigns.bundlefiles import write_bundle, zipped
from m4review.campaigns.croissant import ABOUT
from m4review.campaigns.lineage import sha256
from m4review.campaigns.publishing import WITHHELD, is_public
from m4review.campaigns.runfile import COLUMNS, read_run_text
from m4review.cli.campaign import campaign
from m4review.errors import CampaignError
from m4review.trials.records import RUN_FILE, Outcome, RunRecord, read_run


@pytest.fixture
def copied(bundled_campaign: Bench, tmp_path: Path) -> Bench:
    """A copy of the finished campaign, for tests that spoil it."""
    return copy_of(bundled_campaign, tmp_path / "copy")


def test_a_bundle_holds_every_part_and_its_check_holds(bundle: Bundle, tmp_path: Path) -> None:
    runs = {record.split("/")[1].removesuffix(".json") for record in bundle.files if record.startswith("records/")}
    fixed = {parts.CARD, parts.README, parts.LICENCES, parts.SUMS, parts.CROISSANT, parts.PLAN, parts.MANIFEST}
    fixed |= {parts.BLOCKS, parts.TASKS, parts.RUNS, parts.LINEAGE, parts.ANALYSIS, *parts.REPORTS.values()}
    assert len(runs) == 4
    assert bundle.files.keys() >= fixed | {parts.trace_file(run) for run in runs}
    assert {"reports/figures/forest.svg", "reports/figures/forest.png"} <= bundle.files.keys()
    found = checked(bundle.files, tmp_path / "folder")
    assert found.good, problems(found)
    (tmp_path / "one.zip").write_bytes(zipped(bundle.files))
    assert len(found.done) == 6


def test_the_same_campaign_gives_the_same_bytes(bundled_campaign: Bench, bundle: Bundle) -> None:
    again = bundle_of(bundled_campaign)
    assert again.files == bundle.files
    assert zipped(again.files) == zipped(bundle.files)


def test_nothing_of_patients_or_of_this_machine_is_in_it(bundled_campaign: Bench, bundle: Bundle) -> None:
    private = [line.split(",")[index] for line in expected_output().splitlines()[1:] for index in range(3)]
    whole = b"\n".join(bundle.files.values())
    assert not [value for value in set(private) if len(value) >= 6 and value.encode() in whole]
    assert str(bundled_campaign.workspace.root).encode() not in whole
    folder = bundled_campaign.opened_campaign(NAME)
    said = (folder.run_folder(folder.records()[0][2].id) / "trace.jsonl").read_bytes()
    assert str(bundled_campaign.workspace.root).encode() in said, "the agent did name it"
    trace = bundle.files[parts.trace_file(folder.records()[0][2].id)].decode()
    assert "reading ‹place› for stay ••• of •••" in trace
    assert bundle.scanned.compared == (DATASET,)
    assert bundle.unseen == ()


def test_outputs_and_raw_traces_stay_and_only_their_digests_are_published(
    bundled_campaign: Bench, bundle: Bundle
) -> None:
    folder = bundled_campaign.opened_campaign(NAME)
    for _, _, record in folder.records():
        told = RunRecord.model_validate_json(bundle.files[parts.record_file(record.id)])
        assert told.output_sha256 == record.output_sha256
        assert told.score == record.score
        assert told.resume_key == told.inputs.resume_key == record.resume_key
    assert not [name for name in bundle.files if name.endswith(("output.csv", "trace.jsonl", "stderr.txt"))]


def test_every_link_of_a_run_leads_from_the_data_to_its_row(bundled_campaign: Bench, bundle: Bundle) -> None:
    lineage = json.loads(bundle.files[parts.LINEAGE])
    rows = bundle.files[parts.RUNS].decode().splitlines()[1:]
    folder = bundled_campaign.opened_campaign(NAME)
    assert lineage["manifest"] == folder.manifest.digest
    for link, row, (block, _, record) in zip(lineage["runs"], rows, folder.records(), strict=True):
        assert (link["run"], link["block"]) == (record.id, block.id)
        assert link["dataset"] == record.inputs.dataset_digest
        assert link["private_record"] == sha256((folder.run_folder(record.id) / RUN_FILE).read_bytes())
        assert link["row"] == sha256(row.encode())


def test_the_table_is_of_the_published_layout_and_the_figures_are_the_reports(bundle: Bundle) -> None:
    facts = {
        name: parts.TaskEntry.model_validate(entry).facts
        for name, entry in json.loads(bundle.files[parts.TASKS])["tasks"].items()
    }
    runs = read_run_text(bundle.files[parts.RUNS], Path(parts.RUNS), facts)
    rewards = {(run.condition, run.repeat): run.reward for run in runs}
    assert rewards["with-skill", 1] == 1.0
    assert rewards["no-skill", 1] < 1.0
    analysis = json.loads(bundle.files[parts.ANALYSIS])
    assert analysis["runs"] == len(runs) == 4


def test_the_licence_table_names_skill_data_and_dependencies(bundle: Bundle) -> None:
    table = bundle.files[parts.LICENCES].decode()
    assert "| skill | sirs-criteria | MIT |" in table
    assert f"| data | {DATASET} | in the layout mimic-iv: the PhysioNet Credentialed Health Data License" in table
    assert "| dependency | duckdb " in table


def test_the_metadata_describes_every_column_and_names_files_by_their_checksums(bundle: Bundle) -> None:
    document = json.loads(bundle.files[parts.CROISSANT])
    assert list(ABOUT) == list(COLUMNS)
    assert [field["name"] for field in document["recordSet"][0]["field"]] == list(COLUMNS)
    for entry in document["distribution"]:
        assert entry["sha256"] == sha256(bundle.files[entry["contentUrl"]])
    date.fromisoformat(document["datePublished"])


def test_mlcroissant_validates_the_metadata_and_reads_the_runs_through_it(bundle: Bundle, tmp_path: Path) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="the extra 'evidence' is not installed")
    write_bundle(bundle.files, tmp_path / "bundle")
    dataset = croissant.Dataset(tmp_path / "bundle" / parts.CROISSANT)
    assert not dataset.metadata.issues.errors
    assert not dataset.metadata.issues.warnings
    rows = list(dataset.records("runs"))
    assert [row["runs/reward"] for row in rows].count(1.0) == 2


def test_a_campaign_that_is_not_finished_is_named_with_what_is_missing(copied: Bench) -> None:
    folder = copied.opened_campaign(NAME)
    blocks = sorted((folder.path / "blocks").glob("*.json"))
    blocks[0].unlink()
    with pytest.raises(CampaignError, match=f"1 of 2 blocks are not done: {blocks[0].stem}") as caught:
        bundle_of(copied)
    assert "--partial" in str(caught.value.fix)
    partial = bundle_of(copied, partial=True)
    assert partial.card.missing == (blocks[0].stem,)
    assert "1 of the campaign's 2 blocks are not done" in partial.files[parts.README].decode()
    assert "1 of the campaign's 2 blocks are not done" in partial.files[parts.REPORTS["md"]].decode()
    found = checked(partial.files, copied.workspace.root / "partial")
    assert found.good, problems(found)


def test_runs_that_wait_for_a_decision_keep_a_bundle_from_being_made_unless_it_says_so(copied: Bench) -> None:
    folder = copied.opened_campaign(NAME)
    _, _, record = folder.records()[0]
    path = folder.run_folder(record.id) / RUN_FILE
    held = json.loads(path.read_bytes())
    held["outcome"] = Outcome.AUDIT_HOLD
    held["audit"]["findings"] = [
        {"rule": "secret", "file": "notes for stay 30000001.txt", "line": 3, "excerpt": "sk-abc… (key)", "why": "a key"}
    ]
    path.write_text(json.dumps(held), encoding="utf-8")
    assert read_run(path.parent).waits
    with pytest.raises(CampaignError, match=f"1 runs wait for a person's decision: {record.id}"):
        bundle_of(copied)
    made = bundle_of(copied, partial=True)
    assert made.card.held == (record.id,)
    told = made.files[parts.record_file(record.id)].decode()
    assert "30000001" not in told
    assert "sk-abc" not in told
    assert f'"file": "{WITHHELD}"' in told
    found = checked(made.files, copied.workspace.root / "held")
    assert found.good, problems(found)


def test_a_campaign_without_a_single_block_gives_no_bundle(bench: Bench) -> None:
    bench.write_agent()
    bench.freeze(NAME)
    with pytest.raises(CampaignError, match="no block is done yet"):
        bundle_of(bench, partial=True)


def test_a_task_card_that_is_another_now_is_refused(copied: Bench) -> None:
    path = copied.workspace.tasks_dir / "sirs" / TASK / "instruction.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    with pytest.raises(CampaignError, match="no longer the one that was run"):
        bundle_of(copied)


def test_the_commands_write_and_check_and_never_overwrite(bundled_campaign: Bench, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(bundled_campaign.workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(bundled_campaign.data_home))
    runner = CliRunner()
    out = tmp_path / "bundle.zip"
    made = runner.invoke(campaign, ["bundle", NAME, "--draws", "200", "--out", str(out), "--json"])
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout)
    assert (told["schema"], told["runs"]) == ("m4review.campaign-bundled.v1", 4)
    monkeypatch.chdir(tmp_path)
    held = runner.invoke(campaign, ["verify", str(out), "--digest", told["digest"], "--json"])
    assert held.exit_code == 0, held.output
    assert json.loads(held.stdout)["good"]
    other = runner.invoke(campaign, ["verify", str(out), "--digest", "sha256:" + "0" * 64])
    assert other.exit_code == 2
    assert "not the one given" in other.output
    monkeypatch.chdir(bundled_campaign.workspace.root)
    again = runner.invoke(campaign, ["bundle", NAME, "--draws", "200", "--out", str(out)])
    assert isinstance(again.exception, CampaignError)
    assert again.exception.what == "something is there already"


def test_what_must_not_be_published_is_named_by_file_and_kind_and_nothing_is_written(
    copied: Bench, tmp_path: Path, monkeypatch
) -> None:
    folder = copied.opened_campaign(NAME)
    _, _, record = folder.records()[0]
    with (folder.run_folder(record.id) / "events.jsonl").open("a", encoding="utf-8") as stream:
        said = "looks at stay_id = 30000001 with ghp_" + "a1B2" * 10
        stream.write(json.dumps({"line": 9, "seconds": 1.0, "kind": "message", "text": said}) + "\n")
    lines = (folder.run_folder(record.id) / "events.jsonl").read_text(encoding="utf-8").count("\n")
    monkeypatch.chdir(copied.workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(copied.data_home))
    result = CliRunner().invoke(campaign, ["bundle", NAME, "--draws", "200", "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, CampaignError)
    told = str(result.exception)
    assert f"{parts.trace_file(record.id)}:{lines}: a patient's identifier" in told
    assert f"{parts.trace_file(record.id)}:{lines}: a secret (GitHub token)" in told
    assert "30000001" not in told
    assert "a1B2" not in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("server", "public"),
    [
        ("https://api.example.com/v1", True),
        ("https://203.0.114.7/v1", True),
        ("http://10.1.2.3:8000/v1", False),
        ("http://localhost:8000", False),
        ("http://gpu-7:8000/v1", False),
        ("https://models.hospital.local/v1", False),
        ("http://[::1]:8000", False),
        ("container://endpoint:8080/v1", False),
    ],
)
def test_only_the_address_of_a_public_server_is_published(server: str, public: bool) -> None:
    assert is_public(server) is public

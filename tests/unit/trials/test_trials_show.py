"""A run shown in order, as text and as a page that can be passed on: no rows, nothing executable, nothing remote."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from trials_bench import DATASET, TASK, make_workspace, write_agent

from m4review.cli.main import main
from m4review.ehr.dataset import file_sha256
from m4review.trials import Outcome, TrialRequest, load_run, run_trial
from m4review.trials.discretion import Discretion
from m4review.trials.records import RUN_FILE
from m4review.trials.timeline import EVENTS_NAME, read_timeline

STAY, TIME, HOSTILE = "30004217", "2150-03-04 10:00:00", "<script>alert(1)</script><img src=https://e.invalid/x>"
EVENTS = [
    {"event": "message", "text": f"{HOSTILE} & 'quotes'"},
    {"event": "message", "text": f"Stay {STAY} had a heart rate of 92 at {TIME}; item 220045 is heart rate.\nReady."},
    {"event": "tool_call", "name": "shell", "command": f"cat > out.csv <<X\nstay_id,sirs\n{STAY},2\n{STAY},3\nX"},
    {"event": "tool_call", "name": "shell", "command": ["duckdb", "-c", "SELECT 1 WHERE itemid IN (220045, 220179)"]},
    {
        "event": "tool_result",
        "name": "shell",
        "text": f"| {STAY} | F | sepsis of unknown origin |\n" * 3,
        "exit_code": 0,
    },
    {"event": "usage", "input_tokens": 1200, "output_tokens": 34},
    {"event": "gap", "where": "SKILL.md:3", "text": f"row {STAY}", "why": "unclear"},
    {"event": "end", "status": "ok", "text": "done\ud800\x1b[2J"},
]


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, data_home: Path):
    """A workspace with one trial of an agent that says everything an agent should not."""
    folder = tmp_path_factory.mktemp("talk")
    workspace = make_workspace(folder / "workspace")
    lines = folder / "lines"
    lines.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    script = f"cat {lines}; printf 'stay_id,sirs\\n' > {{output}}; : > 'stay_{STAY}.txt'"
    request = TrialRequest(
        task=TASK, dataset=DATASET, sandbox="local", agent=write_agent(folder, script), conditions=("no-skill",)
    )
    return workspace, run_trial(workspace, request, environment={"M4REVIEW_DATA": str(data_home)})


@pytest.fixture
def show(talk, monkeypatch, capsys):
    """The command, in the workspace of the trial."""
    monkeypatch.chdir(talk[0].root)

    def run(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(["trial", "show", *words])
        return int(ended.value.code or 0), capsys.readouterr().out

    return run


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said += data


def test_a_run_is_shown_in_order_with_its_outcome_tokens_calls_and_audit(talk, show):
    run = talk[1].order[0]
    code, text = show(run)
    assert code == 0
    places = [text.index(word) for word in ("outcome     scored", "1,200 input, 34 output; price unknown", "audit  ")]
    assert places == sorted(places)
    assert "2 tool call" in text
    assert text.index("Ready.") < text.index("shell: cat > out.csv") < text.index("done")
    assert "3 lines" in text
    assert "exit code 0" in text
    assert "resume key" in text


def test_neither_text_nor_page_shows_a_row_an_id_or_a_moment_of_a_patient(talk, show, tmp_path):
    run = talk[1].order[0]
    page = tmp_path / "run.html"
    show(run, "--html", str(page))
    whole = tmp_path / "trial.html"
    show(talk[1].id, "--html", str(whole))
    for text in (show(run, "--all")[1], page.read_text(), whole.read_text()):
        assert STAY not in text.partition("What the agent did")[2]
        assert TIME not in text
        assert "sepsis of unknown origin" not in text
        assert "220045" in text, "an item id is no patient's"
        assert "[2 rows of up to 2 cells, not shown]" in text
    assert STAY not in page.read_text()
    assert STAY not in whole.read_text()


def test_a_page_is_one_file_without_scripts_and_loads_nothing(talk, show, tmp_path):
    place = tmp_path / "run.html"
    assert show(talk[1].order[0], "--html", str(place))[0] == 0
    page = Page(place.read_text(encoding="utf-8"))
    assert HOSTILE in page.said, "shown as the words that they are"
    assert {tag for tag, _ in page.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "pre", "ul", "li"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    }
    assert not [attrs for _, attrs in page.tags if {"src", "href", "action", "style", "onload"} & attrs.keys()]
    policies = [attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]
    assert "\x1b" not in page.said


def test_a_page_needs_the_name_of_a_page(talk, show, tmp_path):
    assert show(talk[1].id, "--html", str(tmp_path / "run.json")) == (2, "")
    assert not (tmp_path / "run.json").exists()


def test_json_of_a_run_holds_its_timeline(talk, show):
    values = json.loads(show(talk[1].order[0], "--json")[1])
    assert values["schema"] == "m4review.run.v1"
    kinds = [entry["kind"] for entry in values["timeline"]]
    assert kinds == [event["event"] for event in EVENTS]
    assert [entry["line"] for entry in values["timeline"]] == list(range(1, len(EVENTS) + 1))
    seconds = [entry["seconds"] for entry in values["timeline"]]
    assert seconds == sorted(seconds)
    assert values["price_usd"] is None


def test_the_raw_trace_stays_beside_the_timeline_and_the_record_names_both_by_digest(talk):
    workspace, summary = talk
    record = load_run(workspace, summary.order[0])
    folder = workspace.runs_dir / record.id
    assert STAY in (folder / "trace.jsonl").read_text()
    kept = {path.name for path in folder.iterdir()} - {RUN_FILE}
    assert kept == set(record.files)
    assert all(record.files[name].sha256 == file_sha256(folder / name) for name in kept)
    assert record.output_sha256 == record.files["output.csv"].sha256


def test_a_timeline_that_was_changed_is_an_error_with_its_line(talk, tmp_path):
    (tmp_path / EVENTS_NAME).write_text('{"line":1,"seconds":0,"kind":"message","text":"a"}\n{"line":2}\n')
    with pytest.raises(Exception, match="not an event of a run") as wrong:
        list(read_timeline(tmp_path))
    assert wrong.value.line == 2


def test_a_trace_in_an_unknown_form_is_kept_and_said_never_shown_as_clean(
    talk, workspace, try_script, capsys, monkeypatch
):
    summary = try_script("echo 'thinking aloud'; printf 'stay_id,sirs\\n' > {output}")
    monkeypatch.chdir(workspace.root)
    with pytest.raises(SystemExit):
        main(["trial", "show", summary.order[0]])
    text = capsys.readouterr().out
    assert "nothing of 1 lines is understood; what the agent did is not known" in text
    assert (workspace.runs_dir / summary.order[0] / "trace.jsonl").read_text() == "thinking aloud\n"
    assert load_run(workspace, summary.order[0]).outcome is Outcome.SCORED


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "| stay_id | sirs |\n|---|---|\n| 30000001 | 2 |\nend",
            "| stay_id | sirs |\n|---|---|\n[1 row of up to 2 cells, not shown]\nend",
        ),
        (
            "   stay_id    hr\n0  30000001  92.0\n1  30000002  88.0",
            "   stay_id    hr\n[2 rows of up to 3 cells, not shown]",
        ),
        ('{"stay_id": 30000001, "hr": 92}', "[1 row of up to 2 cells, not shown]"),
        ("(30000001, 'F', 3.2)", "[1 row of up to 3 cells, not shown]"),
        ("│ 30000001 │ M │ pneumonia │", "[1 row of up to 3 cells, not shown]"),
        ("patient 141168 came on 03/04/2150 at 10:00:00", "patient ••• came on ••• at •••"),
        ("Scores 0, 1, 2 and 3 for PaO2/FiO2 < 400, < 300, < 200", None),
        ("temp_c BETWEEN 36 AND 38, resp > 20, wbc > 12", None),
        ("WHERE itemid IN (220045, 220179,\n 220050, 220051)", None),
        ("the first 24 h; 1,200 of 2,000 stays", None),
    ],
)
def test_rows_and_identifiers_are_left_out_and_rules_stay(text, shown):
    assert Discretion().text(text) == (text if shown is None else shown)


def test_numbers_that_the_agent_was_given_are_shown(tmp_path):
    (tmp_path / "instruction.md").write_text("Use item 998877 from 2150-01-01 on.")
    given = Discretion.for_materials(tmp_path)
    assert given.text("item 998877 from 2150-01-01, stay 30000001") == "item 998877 from 2150-01-01, stay •••"


def test_an_endless_line_costs_nothing_and_is_cut():
    text = Discretion().text("a" * 3_000_000)
    assert len(text) < 3_000
    assert "characters more" in text

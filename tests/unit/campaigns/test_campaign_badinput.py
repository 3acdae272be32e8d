"""Runs as they come: with holes, failures, other names and sizes. Each is one clear sentence, none a traceback."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from m4review.campaigns.analysis import Analysis, analyse
from m4review.campaigns.background import Background
from m4review.campaigns.figures import draw, figures_of
from m4review.campaigns.forms import FORMS, to_markdown
from m4review.campaigns.report import report_of
from m4review.campaigns.runfile import read_run_file
from m4review.campaigns.runs import Run, task_facts
from m4review.campaigns.sketches import sketches_of
from m4review.cli.main import main
from m4review.workspace import Workspace

FACTS = task_facts(Workspace.find(Path(__file__).parents[3]))
TASKS = ("mimic-sofa-24h", "mimic-sirs-24h-raw", "mimic-meld-24h", "mimic-charlson-raw", "eicu-gcs", "mimic-oasis-24h")
HEAD = "task,condition,schema,model,trial,reward"
PAIR = ("no-skill", "with-skill")


def rows(rewards: tuple[object, object] = (0.25, 0.75), *, tasks: Iterable[str] = TASKS, models: Iterable[str] = ("m",),
         repeats: int = 2, conditions: tuple[str, str] = PAIR) -> list[str]:  # fmt: skip
    return [
        f"{task},{condition},native,{model},{repeat},{reward}"
        for task, (condition, reward), model, repeat in itertools.product(
            tasks, zip(conditions, rewards, strict=True), models, range(1, repeats + 1)
        )
    ]


def written(folder: Path, lines: Iterable[str], *, head: str = HEAD, name: str = "runs.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def analysed(folder: Path, lines: Iterable[str], *, head: str = HEAD) -> tuple[Analysis, list[Run]]:
    runs = read_run_file(written(folder, lines, head=head), FACTS)
    return analyse(runs, FACTS, seed=1, draws=200), runs


def reported(folder: Path, lines: Iterable[str], *, head: str = HEAD, drawn: bool = False) -> str:
    """The Markdown of a report; every other form is made too, and every figure if it is to be ``drawn``."""
    analysis, runs = analysed(folder, lines, head=head)
    pictures = figures_of(draw(analysis)) if drawn else sketches_of(analysis)
    document = report_of(analysis, runs, Background(), pictures)
    assert all(form(document) for form in FORMS.values())
    text = to_markdown(document)
    assert re.search(r"\bnan\b|\binf\b", text, re.I) is None
    return text


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command says of it, with exit code 2 and no traceback."""
    with pytest.raises(SystemExit) as stopped:
        main(["campaign", *words])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said


def test_an_unbalanced_matrix_is_compared_by_cells_and_also_on_the_shared_repeats_alone(tmp_path: Path) -> None:
    lines = [*rows(), f"{TASKS[0]},with-skill,native,m,3,0.15"]
    analysis, _ = analysed(tmp_path, lines)
    (paired,) = [row for row in analysis.sensitivity if row.name == "only repeats that both sides have"]
    assert paired.effect.mean == pytest.approx(0.5)
    assert analysis.primary.effect.mean == pytest.approx(0.5 - 0.2 / len(TASKS))
    assert "only repeats that both sides have" in reported(tmp_path, lines)


def test_a_missing_cell_is_named_and_its_runs_are_counted_as_left_out(tmp_path: Path) -> None:
    lines = [line for line in rows() if not line.startswith(f"{TASKS[0]},with-skill")]
    analysis, _ = analysed(tmp_path, lines)
    assert analysis.primary.effect.left_out == (f"no run of with-skill: {TASKS[0]} (m)",)
    assert analysis.primary.effect.unused == ((TASKS[0], "m", 2),)
    assert f"no run of with-skill: {TASKS[0]} (m)" in reported(tmp_path, lines, drawn=True)


def test_many_missing_cells_are_counted_and_not_listed(tmp_path: Path) -> None:
    many = [name for name in sorted(FACTS) if name not in TASKS][:10]
    lines = [*rows(), *rows((0.5, 0.5), tasks=many, conditions=("no-skill", "decoy"))]
    assert "no run of with-skill: 10 tasks with m" in reported(tmp_path, lines)


def test_a_single_task_is_reported_without_inference(tmp_path: Path) -> None:
    text = reported(tmp_path, rows(tasks=TASKS[:1]), drawn=True)
    assert "One task, no inference" in text
    assert "none (n = 1)" in text


def test_repeats_that_all_failed_are_zeros_of_the_agent_and_said_to_be_crashed(tmp_path: Path) -> None:
    head = f"{HEAD},failed,errors"
    lines = [f"{line},0,1" for line in rows((0, 0))]
    analysis, _ = analysed(tmp_path, lines, head=head)
    assert analysis.primary.effect.mean == 0
    assert analysis.strict["primary"].execution == len(lines)
    text = reported(tmp_path, lines, head=head)
    assert "runs that crashed left out: no task and model has both no-skill and with-skill" in text
    assert "No effect was seen, so there is none to plan for." in text


def test_runs_without_any_reward_cannot_be_compared_and_the_command_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "report", "--runs", str(written(tmp_path, rows(("", "nan")))))
    assert "no task and model has both no-skill and with-skill with a value: 24 of their runs have none" in said


def test_identical_rewards_give_no_effect_no_spread_and_a_report(tmp_path: Path) -> None:
    text = reported(tmp_path, rows((0.5, 0.5)), drawn=True)
    assert "| with-skill − no-skill | 0.5000 | 0.5000 | 0.0000 | [0.0000, 0.0000] | 0 / 0 | 6 | 24 | 0 |" in text
    assert "The interval holds 0" in text


def test_a_file_without_any_other_metric_says_what_it_does_not_give(tmp_path: Path) -> None:
    text = reported(tmp_path, rows())
    for said in (
        "The files do not say which strict checks the runs passed.",
        "The files give no match rates of columns.",
        "The files give no measure of a run beside its reward.",
        "The files hold no key figures and no ordered nMAE.",
        "The files do not give: input tokens, cached tokens, output tokens, requests, tool calls, price (USD).",
        "The run files do not say which reference the runs were scored against.",
        "Every run is on the native schema.",
        "No control beside the operational specification was run.",
        "Every run has a reward; none is excluded.",
    ):
        assert said in text


def test_other_conditions_are_compared_when_they_are_named_and_listed_when_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(written(tmp_path, rows(conditions=("plain", "guided"))))
    said = refused(capsys, "report", "--runs", path)
    assert "there are runs of guided, plain" in said
    assert "--baseline CONDITION --treated CONDITION" in said
    with pytest.raises(SystemExit) as stopped:
        main(["campaign", "report", "--runs", path, "--baseline", "plain", "--treated", "guided", "--draws", "200"])
    assert stopped.value.code == 0
    assert "| guided − plain | 0.2500 | 0.7500 | +0.5000 |" in capsys.readouterr().out


def test_sides_on_other_schemas_are_named_as_the_message_names_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [line.replace("native", "obfuscated") if "with-skill" in line else line for line in rows()]
    path = str(written(tmp_path, lines))
    assert "there are runs of no-skill, with-skill on obfuscated" in refused(capsys, "report", "--runs", path)
    with pytest.raises(SystemExit) as stopped:
        main(["campaign", "report", "--runs", path, "--treated", "with-skill on obfuscated", "--draws", "200"])
    assert stopped.value.code == 0
    assert "| with-skill on obfuscated − no-skill | 0.2500 | 0.7500 | +0.5000 |" in capsys.readouterr().out


def test_a_condition_nobody_knows_is_a_control_like_the_others(tmp_path: Path) -> None:
    analysis, _ = analysed(tmp_path, [*rows(), *rows((0.3, 0), tasks=TASKS[:2], conditions=("poem", "decoy"))])
    assert list(analysis.controls) == ["decoy", "poem"]
    assert analysis.controls["poem"][0].effect.mean == pytest.approx(0.05)


def test_two_files_that_hold_the_same_runs_are_refused_with_how_many_and_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"{HEAD},run_id"
    first = written(tmp_path, [f"{line},run-{n}" for n, line in enumerate(rows())], head=head, name="one.csv")
    lines = [f"{line},run-{n + 20}" for n, line in enumerate(rows())]
    second = written(tmp_path, lines, head=head, name="two.csv")
    said = refused(capsys, "report", "--runs", str(first), "--followup", str(second))
    assert f"4 of its runs are in {first} too, the first is run-20" in said
    assert "the file is given twice" in refused(capsys, "report", "--runs", str(first), "--runs", str(first))


def test_nothing_to_report_on_and_an_unknown_campaign_say_what_was_expected(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "the name of a campaign, or --runs FILE.csv" in refused(capsys, "report")
    assert "no campaign 'unheard-of'" in refused(capsys, "report", "unheard-of")
    assert "no campaign 'unheard-of'" in refused(capsys, "rescore", "unheard-of")


def test_figures_cannot_be_put_where_a_file_lies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path, rows(tasks=TASKS[:2])))
    said = refused(capsys, "report", "--runs", path, "--draws", "200", "--figures", path)
    assert "the folder for figures cannot be made" in said


@pytest.mark.parametrize(
    ("head", "line", "said"),
    [
        (HEAD, f"{TASKS[0]},no-skill,native,m,nan,0.5", "trial is not a number"),
        (HEAD, f"{TASKS[0]},no-skill,native,m,1,-inf", "reward is not finite"),
        (HEAD, f"{TASKS[0]},no-skill,native,m,1,1e999", "reward is not finite"),
        (HEAD + ",reward", f"{TASKS[0]},no-skill,native,m,1,0.5,0.7", "columns are there twice: reward"),
        (HEAD + ",key_f1", f"{TASKS[0]},no-skill,native,m,1,0.5,1.2", "key_f1 is not between 0 and 1"),
        (HEAD + ",failed", f"{TASKS[0]},no-skill,native,m,1,0.5,-2", "failed is negative"),
        (HEAD + ",isolated", f"{TASKS[0]},no-skill,native,m,1,0.5,perhaps", "isolated is neither true nor false"),
        (HEAD + ",match_rates", f"{TASKS[0]},no-skill,native,m,1,0.5,{{'sofa': nan}}", "match_rates is not a dict"),
        (HEAD + ",match_rates", f"{TASKS[0]},no-skill,native,m,1,0.5,{{'sofa': NaN}}", "rate of sofa is not between"),
        (HEAD + ",match_rates", f"{TASKS[0]},no-skill,native,m,1,0.5,{'[' * 5000}", "match_rates is not a dict"),
    ],
)
def test_a_cell_that_cannot_be_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], head: str, line: str, said: str
) -> None:
    assert said in refused(capsys, "report", "--runs", str(written(tmp_path, [line], head=head)))


def test_power_is_told_from_past_runs_and_not_from_too_few_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [*rows((0.25, 0.75), tasks=TASKS[:3]), *rows((0.25, 0.5), tasks=TASKS[3:])]
    lines[0] = lines[0].replace("0.25", "0.35")
    path = str(written(tmp_path, lines))
    with pytest.raises(SystemExit) as stopped:
        main(["campaign", "power", "--runs", path, "--plan", "reader-smoke", "--target", "0.2"])
    assert stopped.value.code == 0
    told = capsys.readouterr().out
    assert "1 model, 1 repeat" in told
    assert "To show a difference of 0.2:" in told
    single = str(written(tmp_path, rows(repeats=1), name="single.csv"))
    assert "the past runs do not show how far repeats differ" in refused(capsys, "power", "--runs", single)

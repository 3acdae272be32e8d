"""Reports: the same figures in Markdown, LaTeX and one page of HTML, and figures that are the same from run to run."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from m4review.campaigns.analysis import Analysis, analyse
from m4review.campaigns.document import Document, Points, Section, Table, to_html, to_latex, to_markdown
from m4review.campaigns.figures import figures_of, png
from m4review.campaigns.report import report_of
from m4review.campaigns.runfile import Run, TaskFacts
from m4review.cli.main import main

HOSTILE = '<script>&"|_%$#{}~^\\'


def runs(*tasks: str, controls: bool = True) -> list[Run]:
    conditions = {"no-skill": 0.4, "with-skill": 0.7} | ({"decoy": 0.4, "raw-sql": 0.9} if controls else {})
    made = [
        Run(f"{task}/{name}/{model}/{n}", task, name, "native", model, n, round(level + 0.02 * n + 0.01 * place, 4))
        for place, task in enumerate(tasks)
        for name, level in conditions.items()
        for model in ("one:4/small", HOSTILE)
        for n in range(2)
    ]
    return [*made, Run("x", tasks[0], "with-skill", "obfuscated", "one:4/small", 0, 0.5)]


def facts(*tasks: str) -> dict[str, TaskFacts]:
    return {task: TaskFacts(task, "raw" if n % 2 else "standard", ("score",), 1.0) for n, task in enumerate(tasks)}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    names = tuple(f"task-{n}" for n in range(7))
    return analyse(runs(*names), facts(*names), seed=1, draws=500)


def test_every_form_tells_the_same_and_escapes_what_it_is_given(analysis: Analysis) -> None:
    document = report_of(analysis)
    page, tex = to_html(document), to_latex(document)
    assert "<script>" not in page
    assert r"\textless" not in tex
    assert r"\&" in tex
    for text in (to_markdown(document), tex, page):
        assert "+0.3000" in text


def test_a_cell_cannot_break_its_table() -> None:
    document = Document("t", "o", (Section("s", (Table(("a|b", "c"), (("x|y", "1"),)), Points((HOSTILE,)))),))
    assert "| x\\|y | 1 |" in to_markdown(document)
    assert "&lt;script&gt;" in to_html(document)


def test_a_page_asks_for_nothing_from_anywhere(analysis: Analysis) -> None:
    page = to_html(report_of(analysis, figures_of(analysis)))
    for sign in ("<link", "<script", "src=", "url(", "@import"):
        assert sign not in page.replace("url(#", "")
    assert page.count("<figure>") == 4


def test_figures_are_the_same_from_call_to_call_and_are_pictures(analysis: Analysis) -> None:
    first, second = figures_of(analysis), figures_of(analysis)
    assert [figure.file for figure in first] == ["forest", "heat-map", "controls", "schemas"]
    assert first == second
    for figure in first:
        assert ElementTree.fromstring(figure.svg).tag.endswith("svg")
        assert png(analysis, figure.file).startswith(b"\x89PNG")


def test_one_task_says_that_nothing_can_be_inferred() -> None:
    one = analyse(runs("alone", controls=False), facts("alone"), seed=1, draws=200)
    text = to_markdown(report_of(one, figures_of(one)))
    assert "One task, no inference" in text
    assert "none (n = 1)" in text


def test_few_tasks_say_how_small_p_can_be_at_all() -> None:
    three = analyse(runs("a", "b", "c", controls=False), facts("a", "b", "c"), seed=1, draws=200)
    assert "With 3 tasks the sign-flip p cannot be below 0.25" in to_markdown(report_of(three))


def test_a_changed_schema_without_its_partner_is_not_given_a_difference(analysis: Analysis) -> None:
    text = to_markdown(report_of(analysis))
    assert "| with-skill on obfuscated | 1 | 0.5000 | 0.7100 | cannot be computed | – |" in text


def test_the_command_writes_report_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["task,condition,schema,model,trial,reward"]
    for name in ("mimic-sirs-24h-raw", "mimic-sofa-24h"):
        lines += [
            f"{name},{condition},native,m,1,{reward}" for condition, reward in (("no-skill", 0.2), ("with-skill", 1))
        ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["campaign", "report", "--runs", str(path), "--draws", "200"]
    for more in (
        ["--format", "html", "--out", str(tmp_path / "r.html"), "--figures", str(tmp_path / "f")],
        ["--format", "json"],
    ):
        with pytest.raises(SystemExit) as stopped:
            main([*words, *more])
        assert stopped.value.code == 0
    assert sorted(file.name for file in (tmp_path / "f").iterdir()) == [
        "forest.png",
        "forest.svg",
        "heat-map.png",
        "heat-map.svg",
    ]
    told = capsys.readouterr().out
    assert json.loads(told[told.index("{") :])["schema"] == "m4review.campaign-report.v1"

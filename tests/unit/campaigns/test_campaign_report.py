"""Reports: the same figures in Markdown, LaTeX and one page of HTML, and figures that are the same from run to run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from m4review.campaigns.analysis import Analysis, analyse
from m4review.campaigns.background import Background
from m4review.campaigns.canvas import canvas, png_of
from m4review.campaigns.document import Document, Figure, Picture, Points, Section, Table
from m4review.campaigns.figures import draw, figures_of
from m4review.campaigns.forms import FORMS, to_html, to_latex, to_markdown
from m4review.campaigns.forms.latex import PACKAGES
from m4review.campaigns.report import report_of
from m4review.campaigns.runs import Run, TaskFacts
from m4review.campaigns.sketches import sketches_of
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


def document_of(analysis: Analysis, of: list[Run], pictures: Sequence[Picture] = ()) -> Document:
    return report_of(analysis, of, Background(), pictures)


NAMES = tuple(f"task-{n}" for n in range(7))


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(runs(*NAMES), facts(*NAMES), seed=1, draws=500)


@pytest.fixture(scope="module")
def document(analysis: Analysis) -> Document:
    return document_of(analysis, runs(*NAMES), figures_of(draw(analysis)))


def test_every_form_tells_the_same_and_escapes_what_it_is_given(document: Document) -> None:
    page, tex = to_html(document), to_latex(document)
    assert "<script>" not in page
    assert r"\textless{}script\textgreater{}" in tex
    for form in FORMS.values():
        assert "+0.3000" in form(document)


def test_a_cell_cannot_break_its_table() -> None:
    document = Document("t", "o", (Section("s", (Table(("a|b", "c"), (("x|y\nz", "1"),)), Points((HOSTILE,)))),))
    assert "| x\\|y z | 1 |" in to_markdown(document)
    assert "&lt;script&gt;" in to_html(document)


def test_a_page_asks_for_nothing_from_anywhere_and_no_two_of_its_elements_share_an_id(document: Document) -> None:
    page = to_html(document)
    for sign in ("<link", "<script", "src=", "url(", "@import"):
        assert sign not in page.replace("url(#", "")
    assert page.count("<figure>") == 4
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)


def test_every_section_has_something_to_say_even_if_it_is_why_it_is_empty(document: Document) -> None:
    assert all(section.blocks for section in document.sections)
    assert len(document.sections) == len({section.title for section in document.sections})


def test_every_row_of_a_table_has_a_cell_for_every_column(document: Document) -> None:
    tables = [block for section in document.sections for block in section.blocks if isinstance(block, Table)]
    assert len(tables) > 10
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.head)}
        assert all(cell for row in table.rows for cell in row)


def test_every_row_of_every_table_of_effects_has_its_interval(document: Document) -> None:
    tables = [block for section in document.sections for block in section.blocks if isinstance(block, Table)]
    effects = [table for table in tables if "95 % interval" in table.head and "comparison" in table.head]
    assert len(effects) >= 4
    for table in effects:
        place = table.head.index("95 % interval")
        assert all(row[place].startswith(("[", "none (n = ")) for row in table.rows)


def test_figures_are_the_same_from_call_to_call_and_are_pictures(analysis: Analysis) -> None:
    first, second = figures_of(draw(analysis)), figures_of(draw(analysis))
    assert [figure.file for figure in first] == ["forest", "heat-map", "controls", "schemas"]
    assert first == second
    for figure in first:
        assert ElementTree.fromstring(figure.svg).tag.endswith("svg")
    assert all(png_of(one.canvas).startswith(b"\x89PNG") for one in draw(analysis)[:1])


def test_the_pictures_of_a_terminal_are_those_of_the_page_in_plain_characters(analysis: Analysis) -> None:
    sketches = sketches_of(analysis)
    assert [sketch.file for sketch in sketches] == ["forest", "heat-map", "controls", "schemas"]
    for sketch in sketches:
        assert sketch.text.isascii() or sketch.file == "heat-map"
    forest = next(sketch.text for sketch in sketches if sketch.file == "forest").splitlines()
    assert [line.split()[0] for line in forest[1:-1]] == sorted(NAMES)
    assert all(line.endswith("+0.3000") for line in forest[1:])


def test_a_ladder_holds_the_same_tasks_on_every_step(analysis: Analysis) -> None:
    (ladder,) = analysis.ladders
    assert [step.condition for step in ladder.steps] == ["no-skill", "decoy", "with-skill", "raw-sql"]
    assert ladder.tasks == NAMES
    levels = [round(step.level - ladder.steps[0].level, 6) for step in ladder.steps]
    assert levels == [0, 0, 0.3, 0.5]


def test_a_family_left_out_takes_all_its_tasks_with_it() -> None:
    shared = {
        name: replace(found, family="one" if n < 3 else "two") for n, (name, found) in enumerate(facts(*NAMES).items())
    }
    found = analyse(runs(*NAMES), shared, seed=1, draws=200)
    assert [(row.name, len(row.effect.tasks)) for row in found.families] == [("without one", 4), ("without two", 3)]


def test_one_task_says_that_nothing_can_be_inferred() -> None:
    of = runs("alone", controls=False)
    one = analyse(of, facts("alone"), seed=1, draws=200)
    text = to_markdown(document_of(one, of, figures_of(draw(one))))
    assert "One task, no inference" in text
    assert "none (n = 1)" in text
    assert "Every task is of one family: none can be left out." in text


def test_few_tasks_say_how_small_p_can_be_at_all() -> None:
    of = runs("a", "b", "c", controls=False)
    three = analyse(of, facts("a", "b", "c"), seed=1, draws=200)
    text = to_markdown(document_of(three, of))
    assert "With 3 tasks the sign-flip p cannot be below 0.25" in text
    assert "The tasks belong to 3 families only" in text


def test_a_changed_schema_without_its_partner_is_not_given_a_difference(document: Document) -> None:
    text = to_markdown(document)
    assert "| with-skill on obfuscated | 1 | 0.5000 | 0.7100 | cannot be computed | – |" in text
    assert "Neither can be computed on obfuscated" in text


def test_on_a_changed_schema_with_both_sides_the_effect_is_compared_with_the_native_one() -> None:
    of = runs(*NAMES, controls=False)[:-1]
    there = [replace(run, id=f"{run.id}/o", schema="obfuscated", reward=(run.reward or 0) / 2) for run in of]
    found = analyse([*of, *there], facts(*NAMES), seed=1, draws=200)
    (probe,) = found.probes
    assert probe.without is not None
    assert probe.without.effect.mean == pytest.approx(-0.22, abs=1e-9)
    assert probe.kept is not None
    assert (round(probe.kept.first, 6), round(probe.kept.second, 6), round(probe.kept.mean, 6)) == (0.3, 0.15, -0.15)
    assert probe.kept.directions() == (0, 7)


def test_the_command_writes_report_figures_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
        ["--figures", "terminal", "--out", str(tmp_path / "r.md"), "--runs-out", str(tmp_path / "again.csv")],
        ["--format", "json"],
    ):
        with pytest.raises(SystemExit) as stopped:
            main([*words, *more])
        assert stopped.value.code == 0
    names = ("forest", "heat-map", "specification")
    assert sorted(file.name for file in (tmp_path / "f").iterdir()) == [
        f"{name}.{form}" for name in names for form in ("png", "svg")
    ]
    told = capsys.readouterr().out
    values = json.loads(told[told.index("{") :])
    assert (values["schema"], values["seed"], values["runs"]) == ("m4review.campaign-report.v1", 1, 4)
    assert "```text" in (tmp_path / "r.md").read_text()
    assert (tmp_path / "again.csv").read_text().count("\n") == 5
    assert str(tmp_path) not in (tmp_path / "r.html").read_text()


def test_latex_of_a_whole_report_compiles(document: Document, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("no pdflatex on this machine")
    for block in (block for section in document.sections for block in section.blocks if isinstance(block, Figure)):
        (tmp_path / f"{block.file}.png").write_bytes(png_of(canvas(1, 1)[0]))
    (tmp_path / "report.tex").write_text(to_latex(document), encoding="utf-8")
    (tmp_path / "main.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage[margin=2cm]{geometry}\n"
        f"\\usepackage{{{','.join(PACKAGES)}}}\\begin{{document}}\\input{{report}}\\end{{document}}\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "main.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        encoding="latin-1",
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_latex_is_balanced_and_its_tables_have_as_many_cells_as_columns(document: Document) -> None:
    tex = to_latex(document)
    assert tex.count(r"\begin{longtable}") == tex.count(r"\end{longtable}") == tex.count(r"\toprule")
    bare = re.sub(r"\\[{}]", "", tex)
    assert bare.count("{") == bare.count("}")
    for table in re.findall(r"\\midrule\n\\endhead\n(.*?)\\bottomrule", tex, re.S):
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in table.strip().splitlines()}) == 1

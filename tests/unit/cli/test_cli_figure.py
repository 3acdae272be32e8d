"""``m4review figure``: the figures of a workspace as pictures, as numbers and as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from m4review.cli.main import main

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The exit code, output and messages of ``m4review figure …`` in the shipped workspace, which has no trial."""
    monkeypatch.chdir(ROOT)

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["figure", *words])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    rewards = {"mimic-sirs-24h-raw": (0.2, 0.9), "mimic-sofa-24h": (0.5, 0.4)}
    rows = [
        f"{task},{condition},native,m,1,{reward}"
        for task, pair in rewards.items()
        for condition, reward in zip(("no-skill", "with-skill"), pair, strict=True)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["task,condition,schema,model,trial,reward", *rows]) + "\n", encoding="utf-8")
    return path


def test_a_forest_of_runs_is_drawn_printed_and_given_as_data(say, runs, tmp_path) -> None:
    assert say("forest", "--runs", str(runs), "--out", str(tmp_path / "forest.svg"))[0] == 0
    assert (tmp_path / "forest.svg").read_text().startswith("<svg")
    code, out, _ = say("forest", "--runs", str(runs))
    assert code == 0
    assert out.index("mimic-sirs-24h-raw") < out.index("mimic-sofa-24h")
    assert "+0.700" in out
    code, out, _ = say("forest", "--runs", str(runs), "--json")
    values = json.loads(out)
    assert values["schema"] == "m4review.figure-forest.v1"
    assert values["mean"] == pytest.approx(0.3)
    assert [round(row["delta"], 3) for row in values["rows"]] == [0.7, -0.1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("reward", "--runs", "x.csv"), "is not drawn from runs"),
        (("reward", "--skill", "sirs"), "no skill 'sirs'"),
        (("forest", "--runs", "nothing.csv"), "no such file of runs"),
        (("forest", "--out", "forest.docx", "--skill", "sirs-criteria"), "no picture ends in .docx"),
    ],
)
def test_a_mistake_is_said_in_a_sentence_and_ends_with_2(say, words, said) -> None:
    code, out, err = say(*words)
    assert (code, out) == (2, "")
    assert said in err

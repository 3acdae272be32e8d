"""``m4review trial history | compare | confusion`` on a finished trial: text, JSON, and no row of data anywhere."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta

import pytest
from trials_bench import SKILL, TASK

from m4review.cli.main import main
from m4review.trials.records import run_folder
from m4review.trials.sandbox.job import OUTPUT_NAME
from m4review.trials.summary import write_trial
from m4review.workspace import Workspace


@pytest.fixture
def say(shown, data_home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    workspace, summary = shown
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(data_home))

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["trial", *(summary.id if word == "ID" else word for word in words)])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def test_the_history_names_version_author_and_dataset(shown, say) -> None:
    _, summary = shown
    code, out, _ = say("history", SKILL)
    assert code == 0
    assert f"{TASK} · oracle · reader" in out
    assert "version 1" in out
    assert "C1" in out
    values = json.loads(say("history", SKILL, "--json")[1])
    assert values["schema"] == "m4review.trial-history.v1"
    (version,) = values["series"][0]["versions"]
    assert version["delta"] == pytest.approx(summary.delta)
    assert version["trials"] == [summary.id]


def test_a_shown_trial_says_whether_the_text_helped_against_the_one_tried_before(
    shown, tmp_path, monkeypatch, capsys
) -> None:
    workspace, summary = shown
    copy = Workspace(shutil.copytree(workspace.root, tmp_path / "workspace"))
    results = []
    for result in summary.conditions:
        skills = tuple(used.model_copy(update={"digest": "sha256:0", "version": None}) for used in result.skills)
        worse = (
            {} if result.reward is None or not skills else {"reward": 0.25, "columns": dict(result.columns, sirs=0.125)}
        )
        results.append(result.model_copy(update={"skills": skills, **worse}))
    former = {"id": "01FORMER", "started": summary.started - timedelta(hours=1), "conditions": tuple(results)}
    write_trial(copy, summary.model_copy(update=former))
    monkeypatch.chdir(copy.root)
    with pytest.raises(SystemExit) as ended:
        main(["trial", "show", summary.id])
    said = capsys.readouterr().out
    assert not ended.value.code
    now = summary.result("with-skill")
    assert f"With version 1 the reward is {now.reward:.3f}, with text 0 it was 0.250; sirs 0.125 → " in said


def test_a_trial_compared_with_itself_differs_in_nothing(say) -> None:
    code, out, _ = say("compare", "ID", "ID")
    assert code == 0
    assert "Every input that decides a result is the same." in out
    values = json.loads(say("compare", "ID", "ID", "--json")[1])
    assert (values["schema"], values["inputs"]) == ("m4review.trial-difference.v1", [])
    assert {arm["label"] for arm in values["arms"]} == {"no-skill", "with-skill"}


def test_levels_are_counted_once_kept_and_shown_again_without_the_output(shown, say) -> None:
    workspace, summary = shown
    code, first, _ = say("confusion", "ID", "--column", "sirs", "--json")
    assert code == 0
    values = json.loads(first)
    assert values["schema"] == "m4review.trial-confusion.v1"
    assert [arm["label"] for arm in values["arms"]] == ["no-skill", "with-skill"]
    counts = [count for arm in values["arms"] for row in arm["confusion"]["counts"] for count in row]
    assert not [count for count in counts if count is not None and 0 < count < 10]
    for run in summary.order:
        (run_folder(workspace, run) / OUTPUT_NAME).unlink()
    assert say("confusion", "ID", "--column", "sirs", "--json")[1] == first
    code, _, err = say("confusion", "ID", "--column", "temp_score")
    assert code == 2
    assert "kept an output that is gone" in err


def test_a_column_or_trial_that_is_none_is_named_with_what_there_is(say) -> None:
    code, _, err = say("confusion", "ID", "--column", "sisr")
    assert code == 2
    assert "did you mean sirs?" in err
    assert say("compare", "ID", "01NOTHING")[0] == 2
    assert "no skill 'sirs'" in say("history", "sirs")[2]

"""Files of runs: what is read, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.campaigns.runfile import RunFileError, TaskFacts, join_runs, read_run_file

FACTS = {"sirs": TaskFacts("sirs", "raw", ("sirs",), 0.95)}
HEAD = "task,condition,schema,model,trial,reward,run_id,match_rates\n"


def written(folder: Path, *lines: str, head: str = HEAD) -> Path:
    path = folder / "runs.csv"
    path.write_text(head + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_file_with_nothing_but_the_required_columns_is_read(tmp_path: Path) -> None:
    head = "reward,trial,model,schema,condition,task\n"
    (run,) = read_run_file(written(tmp_path, "0.5,1,openai/gpt:4,native,with-skill-rawsql,sirs", head=head), FACTS)
    assert (run.id, run.condition, run.reward) == ("sirs/raw-sql/native/openai/gpt:4/1", "raw-sql", 0.5)
    assert run.strict is None
    assert run.key_f1 is None


@pytest.mark.parametrize("cell", ["", "NaN", "nan", "n/a", "null"])
def test_a_missing_reward_is_missing_and_not_zero(tmp_path: Path, cell: str) -> None:
    (run,) = read_run_file(written(tmp_path, f"sirs,no-skill,native,m,1,{cell},a,"), FACTS)
    assert run.reward is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sofa,no-skill,native,m,1,0.5,a,", "no task 'sofa'"),
        ("sirs,no-skill,native,m,1,1.5,a,", "reward is not between 0 and 1"),
        ("sirs,no-skill,native,m,1,half,a,", "reward is not a number"),
        ("sirs,no-skill,native,m,1,inf,a,", "reward is not finite"),
        ("sirs,no-skill,native,m,1.5,0.5,a,", "trial is not a whole number"),
        ("sirs,no-skill,native,,1,0.5,a,", "model is empty"),
        ("sirs,no-skill,native,m,1,0.5,a,\"{'sirs': 2}\"", "the rate of sirs is not between 0 and 1"),
        ('sirs,no-skill,native,m,1,0.5,a,"__import__(1)"', "match_rates is not a dictionary"),
        ("sirs,no-skill,native,m,1,0.5,a,,more", "more cells than columns"),
    ],
)
def test_a_bad_cell_is_refused_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(RunFileError, match=said) as caught:
        read_run_file(written(tmp_path, "sirs,no-skill,native,m,9,0.5,z,", line), FACTS)
    assert caught.value.line == 3


def test_the_same_run_twice_and_two_runs_of_one_cell_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="run a is there twice"):
        read_run_file(written(tmp_path, *["sirs,no-skill,native,m,1,0.5,a,"] * 2), FACTS)
    with pytest.raises(RunFileError, match="two runs are repeat 1 of sirs"):
        read_run_file(written(tmp_path, "sirs,no-skill,native,m,1,0.5,a,", "sirs,no-skill,native,m,1,0.6,b,"), FACTS)
    runs = read_run_file(written(tmp_path, "sirs,no-skill,native,m,1,0.5,a,"), FACTS)
    with pytest.raises(RunFileError, match=r"1 of its runs is in one\.csv too, the first is a"):
        join_runs({"one.csv": runs, "two.csv": runs})


def test_a_file_that_is_none_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="no such file"):
        read_run_file(tmp_path / "absent.csv", FACTS)
    with pytest.raises(RunFileError, match="columns are missing: schema"):
        read_run_file(written(tmp_path, head="task,condition,model,trial,reward\n"), FACTS)
    with pytest.raises(RunFileError, match="there is no run in it"):
        read_run_file(written(tmp_path), FACTS)
    (tmp_path / "runs.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RunFileError, match="not UTF-8"):
        read_run_file(tmp_path / "runs.csv", FACTS)

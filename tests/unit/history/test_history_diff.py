"""``m4review diff`` on what is not two versions of one skill: other skills, operational specs, who stands behind."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from history_sandbox import Sandbox

from m4review.cli.main import main

REPOSITORY = Path(__file__).resolve().parents[3]
SKILL = "---\nname: {name}\ndescription: How to derive {name}.\n---\n\n# {name}\n\nTake the {which} value.\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Two skills with two versions of one of them, the task cards of SIRS, and the shipped rules."""
    shutil.copytree(REPOSITORY / "tasks" / "sirs", sandbox.root / "tasks" / "sirs")
    for file in ("roster.toml", "policy.toml"):
        sandbox.write(f"reviews/{file}", (REPOSITORY / "reviews" / file).read_text("utf-8"))
    sandbox.write("skills/lactate/SKILL.md", SKILL.format(name="lactate", which="highest"))
    sandbox.write("skills/lactate/notes.md", "Kept beside it.\n")
    sandbox.write("skills/glucose/SKILL.md", SKILL.format(name="glucose", which="first"))
    sandbox.commit_all("First texts")
    sandbox.write("skills/glucose/SKILL.md", SKILL.format(name="glucose", which="lowest"))
    sandbox.commit_all("Another glucose", name="Bea", email="bea@example.org")
    monkeypatch.chdir(sandbox.root)

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        printed = capsys.readouterr()
        return int(stopped.value.code or 0), printed.out, printed.err

    return call


def test_another_skill_is_a_side_as_it_is_on_disk_or_in_any_version(run: Run) -> None:
    code, out, _ = run("diff", "lactate", "glucose@1", "working")
    assert code == 0
    assert "--- skills/glucose/SKILL.md (glucose version 1)\n+++ skills/lactate/SKILL.md (working copy)" in out
    assert "~Take the [-first-]{+highest+} value." in out
    code, out, _ = run("diff", "lactate", "1", "glucose")
    assert code == 0
    assert "+++ skills/glucose/SKILL.md (glucose working copy)" in out
    assert "{+lowest+}" in out


def test_an_operational_spec_is_compared_with_the_text_of_the_skill_alone(run: Run) -> None:
    code, out, _ = run("diff", "lactate", "spec:mimic-sirs-24h-raw")
    assert code == 0
    assert out.startswith("--- operational spec of mimic-sirs-24h-raw\n+++ skills/lactate/SKILL.md (working copy)\n")
    assert "notes.md" not in out


def test_who_wrote_and_who_approved_each_side_is_said_when_asked(run: Run) -> None:
    code, out, _ = run("diff", "glucose", "1", "2", "--who")
    assert code == 0
    before, after = out.splitlines()[:2]
    assert before.startswith("- version 1: Ann · ")
    assert after.startswith("+ version 2: Bea · ")
    assert after.endswith("“Another glucose” · nobody has approved it")
    code, out, _ = run("diff", "glucose", "spec:mimic-sirs-24h-raw", "--who")
    assert "nobody reviews it as a skill" in out.splitlines()[0]
    assert out.splitlines()[1] == "+ working copy: not recorded as a version"


@pytest.mark.parametrize(
    ("side", "said"),
    [
        ("spec:mimic-sirs", "no task card 'mimic-sirs'"),
        ("glucose@7", "there is no version '7'"),
        ("gluco", "there is no version 'gluco'"),
    ],
)
def test_a_side_that_is_not_there_is_refused_with_what_there_is(run: Run, side: str, said: str) -> None:
    code, out, err = run("diff", "lactate", side)
    assert (code, out) == (2, "")
    assert said in err
    assert "expected" in err

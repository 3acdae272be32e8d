"""Before the own verdict, no surface tells an approval from a request for changes: also no refusal and no counter.

Two wards differ in nothing but what C1 said. Whatever another person runs must print the same in both.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from reviews_stories import APPROVE, BLOCKER
from reviews_ward import NOON, Ward, run_main

from m4review.reviews import record_verdict
from m4review.reviews.sealing import seal_verdict
from m4review.reviews.verdicts import Said

SECRET = "The window is far too narrow."
READING = (
    ("review", "status"),
    ("review", "status", "lactate"),
    ("review", "status", "--json"),
    ("review", "status", "--format", "md"),
    ("review", "queue"),
    ("review", "queue", "--json"),
    ("review", "packet", "lactate"),
    ("skills",),
    ("skills", "--json"),
    ("show", "lactate"),
    ("show", "lactate-24h"),
    ("tasks", "--json"),
    ("log", "lactate"),
    ("log", "lactate", "--json"),
    ("diff", "lactate", "--since-my-review"),
    ("verify",),
    ("verify", "lactate", "--json"),
    ("provenance", "--format", "md"),
    ("provenance", "--format", "csv"),
    ("provenance", "--format", "tex"),
    ("provenance", "--format", "json"),
    ("agreement",),
    ("agreement", "--format", "csv", "--matrix"),
    ("agreement", "--format", "json"),
)
ACTING = (
    ("review", "consensus", "lactate"),
    ("review", "consensus", "lactate", "--schema", "approve", "--rationale", "So."),
    ("review", "consensus", "lactate", "--confirm", "--yes"),
    ("review", "sign-off", "lactate", "--yes"),
    ("review", "carry", "lactate", "--yes"),
    ("review", "reveal", "lactate", "--yes"),
    ("review", "resolve", "lactate", "f1", "--reason", "Mended.", "--yes"),
    ("review", "resolve", "lactate", "nowhere", "--reason", "Mended.", "--yes"),
    ("review", "override", "lactate", "--rule", "open-blocker", "--finding", "f1", "--reason", "So.", "--yes"),
    ("review", "withdraw", "lactate", "--reason", "So.", "--yes"),
    ("review", "withdraw", "lactate", "--event", "0001", "--reason", "So.", "--yes"),
    ("review", "revoke", "lactate", "--event", "0009", "--reason", "So.", "--yes"),
    ("review", "assign", "lactate", "--reviewer", "C2", "--instead-of", "C1", "--reason", "Away."),
    ("review", "recuse", "lactate", "--reason", "Too close."),
    ("review", "comment", "lactate", "--text", "A remark.", "--reply-to", "nowhere"),
    ("review", "verdict", "lactate", "--approve-all"),
    ("review", "seal", "lactate", "--approve-all"),
    ("review", "open", "lactate", "--author", "C9"),
)
"""Commands that are refused, or that stop because nobody confirms: what they say on the way is a surface too."""
MODES = ("ui-blind", "sealed")
Worlds = dict[str, tuple[Ward, Ward]]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory, first_version: Path) -> Worlds:
    """Per policy, the ward in which C1 approved, and the one in which C1 asked for changes and found a blocker."""
    found = {}
    for mode in MODES:
        wards = []
        for name in ("content", "strict"):
            folder = tmp_path_factory.mktemp(f"{mode}-{name}") / "ward"
            shutil.copytree(first_version, folder)
            ward = Ward(folder)
            path = folder / "reviews/policy.toml"
            path.write_text(f'independent = "{mode}"\nmay_override = ["C4"]\n{path.read_text()}')
            ward.commit("policy")
            say(ward, mode, is_strict=name == "strict")
            wards.append(ward)
        found[mode] = (wards[0], wards[1])
    return found


def say(ward: Ward, mode: str, *, is_strict: bool) -> None:
    decisions = {**APPROVE, "schema": "changes"} if is_strict else APPROVE
    notes, conflict, findings = (SECRET, "I know the author.", (BLOCKER,)) if is_strict else ("", "none", ())
    if mode == "sealed":
        seal_verdict(ward.workspace, "lactate", "C1", Said(decisions, notes, ("text",), conflict, findings), now=NOON)
    else:
        record_verdict(
            ward.workspace,
            "lactate",
            "C1",
            decisions,
            notes,
            conflict_of_interest=conflict,
            findings=findings,
            now=NOON,
        )


def without_names(text: str, ward: Ward) -> str:
    """The text without what differs between any two wards: folders, object ids, digests, hashes in file names."""
    plain = re.sub(r"\b(sha256:)?[0-9a-f]{7,64}\b", "ID", text.replace(str(ward.root), "WARD"))
    return re.sub(r"\b\d+ bytes\b|\b\d\d:\d\d(:\d\d)?\b", "N", plain)


@pytest.fixture
def printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Ward, str | None, tuple[str, ...]], str]:
    """Exit code, standard output and error of a command in a ward, run by somebody."""

    def run(ward: Ward, viewer: str | None, words: tuple[str, ...]) -> str:
        monkeypatch.chdir(ward.root)
        code, out, err = run_main((*(() if viewer is None else ("--as", viewer)), *words), capsys)
        return f"exit code {code}\n{without_names(out + err, ward)}"

    return run


@pytest.mark.parametrize("words", [*READING, *ACTING], ids=" ".join)
@pytest.mark.parametrize("mode", MODES)
def test_what_c1_said_changes_nothing_that_others_are_told(
    worlds: Worlds, printed: Callable[..., str], mode: str, words: tuple[str, ...]
) -> None:
    content, strict = worlds[mode]
    heads = [ward.git("rev-parse", "HEAD") for ward in worlds[mode]]
    for viewer in (None, "C4") if words in READING else ("C4",):
        told = printed(strict, viewer, words)
        assert told == printed(content, viewer, words)
        for word in (SECRET, "changes requested", "asks for changes", "blocker of", "venous", "I know the author"):
            assert word not in told
    assert [ward.git("rev-parse", "HEAD") for ward in worlds[mode]] == heads, "nothing was recorded on the way"


def test_the_two_wards_do_differ_for_the_one_who_spoke(worlds: Worlds, printed: Callable[..., str]) -> None:
    content, strict = worlds["ui-blind"]
    words = ("review", "status", "lactate")
    assert printed(strict, "C1", words) != printed(content, "C1", words)
    assert SECRET in printed(strict, "C1", words)


@pytest.mark.parametrize("mode", MODES)
def test_the_history_of_git_says_who_and_when_and_never_what(worlds: Worlds, mode: str) -> None:
    said = []
    for ward in worlds[mode]:
        log = ward.git("log", "-2", "--format=%an %ae %cn %ce %B", "--name-only")
        said.append(without_names(re.sub(r"-[0-9a-f]{12}\.md", "-HASH.md", log), ward))
    assert said[0] == said[1]
    assert said[0].startswith("C1 c1@reviewers.invalid C1 c1@reviewers.invalid ")


def test_a_seal_leaves_nothing_of_the_verdict_in_git(worlds: Worlds) -> None:
    _, strict = worlds["sealed"]
    everything = strict.git("log", "--all", "-p") + strict.git("status", "--porcelain", "--untracked-files=all")
    for word in (SECRET, "changes", "venous", "I know the author"):
        assert word not in everything

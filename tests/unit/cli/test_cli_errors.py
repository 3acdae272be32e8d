"""What a user sees when something goes wrong: one message and an exit code, never data."""

from __future__ import annotations

import click
import pytest

from m4review.cli import main as entry
from m4review.errors import DatasetError


def run_failing(monkeypatch: pytest.MonkeyPatch, error: BaseException, *words: str) -> int:
    @click.command()
    def failing() -> None:
        raise error

    monkeypatch.setitem(entry.COMMANDS, "doctor", ("m4review.cli.doctor:doctor", ""))
    monkeypatch.setattr("m4review.cli.doctor.doctor", failing)
    with pytest.raises(SystemExit) as stopped:
        entry.main([*words, "doctor"])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def test_a_known_error_prints_what_where_expected_and_fix(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = DatasetError("the table is empty", where="chartevents.parquet", line=3, expected="rows", fix="import again")
    assert run_failing(monkeypatch, error) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "m4review: chartevents.parquet:3: the table is empty",
        "  expected: rows",
        "  to fix:   import again",
    ]


def test_an_unforeseen_error_prints_its_kind_and_place_but_never_its_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_failing(monkeypatch, ValueError("stay 30000033 had 12.5")) == 70
    printed = capsys.readouterr()
    assert "ValueError" in printed.err
    assert "30000033" not in printed.err + printed.out
    assert "Traceback" not in printed.err


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="the cause"):
        run_failing_with_debug(monkeypatch)


def run_failing_with_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def failing() -> None:
        raise ValueError("the cause")

    monkeypatch.setattr("m4review.cli.doctor.doctor", failing)
    entry.main(["--debug", "doctor"])


def test_ctrl_c_is_no_error_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_failing(monkeypatch, KeyboardInterrupt()) == 130
    assert "stopped" in capsys.readouterr().err


def test_an_unknown_command_exits_2_and_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        entry.main(["frobnicate"])
    assert stopped.value.code == 2
    assert "frobnicate" in capsys.readouterr().err


def test_every_listed_command_exists_and_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in entry.COMMANDS:
        with pytest.raises(SystemExit) as stopped:
            entry.main([name, "--help"])
        assert stopped.value.code == 0
        assert f"m4review {name}" in capsys.readouterr().out

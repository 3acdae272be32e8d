"""A running trial as text: what each condition is at, one line each where there are many."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rich.console import Console

from m4review.tui.render.runningtrial import PHASES, lanes
from m4review.tui.session.running_trial import Lane

SECTION = "with-skill without 'When intermediate concepts are available in the database'"


def shown(*running: Lane, width: int) -> list[str]:
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(lanes(SimpleNamespace(lanes={lane.condition: lane for lane in running}), 10.0, width, 20))
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("phase", PHASES)
def test_each_condition_of_an_ablation_has_one_line_whatever_its_section_is_called(phase: str) -> None:
    done = Lane("with-skill", outcome="scored", reward=0.9625)
    lines = shown(Lane("no-skill", phase=phase), done, Lane(SECTION, phase=phase), width=76)
    assert len(lines) == 3
    assert lines[0].endswith(PHASES[phase])
    assert lines[1].endswith("reward 0.963 · scored") or lines[1].endswith("reward 0.962 · scored")
    assert lines[2].startswith("without 'When intermediate")


def test_two_conditions_stand_beside_each_other_and_below_on_a_narrow_screen() -> None:
    pair = [Lane("no-skill", phase="agent", since=4.0), Lane("with-skill")]
    assert any("no-skill" in line and "with-skill" in line for line in shown(*pair, width=76))
    narrow = shown(*pair, width=36)
    assert [line for line in narrow if "no-skill" in line and "with-skill" in line] == []
    assert "the agent works · 6 s" in narrow

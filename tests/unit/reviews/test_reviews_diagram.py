"""The state diagram is what the state function does, and it reaches every state that events can lead to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from reviews_ward import Ward
from state_vectors import state_from

from m4review.reviews.diagram import mermaid, transitions
from m4review.reviews.status import State

STATE_VECTORS = json.loads((Path(__file__).parent / "state_vectors.json").read_text(encoding="utf-8"))


def test_every_state_that_events_lead_to_is_reached() -> None:
    met = {state for before, _, after in transitions() for state in (before, after)}
    assert met == {*get_args(State)} - {"not recorded", "undecided"}


def test_the_steps_that_matter_are_there_and_no_shortcut_is() -> None:
    found = {(before, after) for before, _, after in transitions()}
    for step in (
        ("draft", "in review"), ("in review", "approved"), ("in review", "disputed"), ("disputed", "consensus pending"),
        ("consensus pending", "approved"), ("approved", "signed off"), ("signed off", "stale"), ("stale", "in review"),
        ("stale", "approved"), ("approved", "suspect"), ("approved", "lapsed"), ("in review", "withdrawn"),
    ):  # fmt: skip
        assert step in found, step
    for step in (("draft", "approved"), ("draft", "signed off"), ("in review", "signed off"), ("stale", "signed off")):
        assert step not in found, step


def test_the_command_prints_a_mermaid_diagram(ward: Ward, m4review: Any) -> None:
    code, out, err = m4review("review", "states")
    assert (code, err) == (0, "")
    assert out.startswith("stateDiagram-v2\n")
    assert "    approved --> signed_off: sign-off\n" in out


def test_the_page_shows_the_diagram_that_the_state_function_draws_now() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/review-states.md").read_text(encoding="utf-8")
    assert f"\n```mermaid\n{mermaid()}\n```\n" in page, "m4review review states prints what belongs there"


def test_every_life_of_the_vectors_leads_to_its_state() -> None:
    entries = STATE_VECTORS["states"]
    assert len({entry["state"] for entry in entries}) >= 12
    for entry in entries:
        status = state_from(entry, STATE_VECTORS["policy"], STATE_VECTORS["roster"])
        assert (status.state, status.label, status.given) == (entry["state"], entry["label"], entry["given"])
        assert {judged.verdict.id: judged.standing for judged in status.verdicts} == entry["standings"]


def test_a_vector_without_one_of_its_events_has_another_state_or_label() -> None:
    for entry in (entry for entry in STATE_VECTORS["states"] if entry["events"]):
        fewer = {**entry, "events": entry["events"][:-1]}
        status = state_from(fewer, STATE_VECTORS["policy"], STATE_VECTORS["roster"])
        assert (status.label, status.given) != (entry["label"], entry["given"])

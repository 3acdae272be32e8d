"""Whoever reads the shipped policy or its page finds every key that the program knows, explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.tomlmodel import parse_toml
from m4review.workspace import Policy

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("key", Policy.model_fields)
def test_every_key_of_the_policy_is_documented_and_commented_where_it_ships(key: str) -> None:
    page = (ROOT / "docs/verify.md").read_text(encoding="utf-8")
    assert f"| `{f'[{key}]' if key == 'sections' else key}` |" in page
    lines = (ROOT / "reviews/policy.toml").read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith((f"{key} =", f"[{key}]")))
    assert lines[at - 1].startswith("# ")


def test_the_shipped_policy_says_what_the_defaults_say() -> None:
    path = ROOT / "reviews/policy.toml"
    shipped = parse_toml(path.read_text(encoding="utf-8"), Policy, path)
    assert shipped.model_dump(exclude={"sections"}) == Policy().model_dump(exclude={"sections"})

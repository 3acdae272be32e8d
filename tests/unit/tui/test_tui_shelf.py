"""What a trial said of a skill stands beside the text it was measured on, or names its version."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from m4review.tui.render.shelf import skill_label
from m4review.tui.session.library import Effect, SkillRow, effect_of

NOW, BEFORE, TYPED = "sha256:now", "sha256:before", "sha256:typed"


def tried(digest: str, delta: float | None, version: int | None = None, name: str = "sirs") -> SimpleNamespace:
    """A trial in which the agent had one skill."""
    used = SimpleNamespace(name=name, digest=digest, version=version)
    return SimpleNamespace(delta=delta, result=lambda _condition: SimpleNamespace(skills=(used,)))


@pytest.mark.parametrize(
    ("trials", "shown"),
    [
        ([tried(NOW, 0.5, 3), tried(BEFORE, 0.1, 2)], "sirs    skill +0.500"),
        ([tried(BEFORE, 0.1, 2), tried(NOW, 0.5, None)], "sirs    skill +0.500"),
        ([tried(BEFORE, 0.1, 2), tried(BEFORE, 0.2, 1)], "sirs    v2 skill +0.100"),
        ([tried(TYPED, 0.3), tried(BEFORE, 0.1, 2)], "sirs    v2 skill +0.100"),
        ([tried(TYPED, 0.3)], "sirs  "),
        ([tried(NOW, None, 3)], "sirs  "),
        ([tried(NOW, 0.5, 3, name="sofa")], "sirs  "),
        ([], "sirs  "),
    ],
)  # fmt: skip
def test_an_effect_is_of_this_text_or_names_its_version(trials: list[SimpleNamespace], shown: str) -> None:
    row = SkillRow("sirs", "SIRS", effect=effect_of("sirs", NOW, trials))
    assert skill_label(row).plain == shown


def test_the_effect_of_a_text_nobody_can_read_names_its_version() -> None:
    assert effect_of("sirs", None, [tried(NOW, 0.5, 3)]) == Effect(0.5, 3)

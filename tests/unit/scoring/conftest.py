"""A scorer that takes the output as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from scoring_texts import REFERENCE, SPEC, Scorer, write_parquet

from m4review.scoring import Score, ScoringSpec, score_output


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(REFERENCE, tmp_path_factory.mktemp("reference") / "stays.parquet")


@pytest.fixture
def scored(tmp_path: Path, reference: Path) -> Scorer:
    """Score a text (or bytes) as if an agent had written it to output.csv."""

    def run(text: str | bytes, spec: ScoringSpec = SPEC, against: Path = reference) -> Score:
        output = tmp_path / "output.csv"
        output.write_bytes(text if isinstance(text, bytes) else text.encode())
        return score_output(output, against, spec)

    return run

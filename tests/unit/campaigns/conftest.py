"""One imported oracle for all tests here; every test gets a workspace of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign_bench import Bench, make_bench
from trials_bench import make_data_home


@pytest.fixture(scope="session")
def campaign_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data_home(tmp_path_factory.mktemp("campaign-data"))


@pytest.fixture
def bench(tmp_path: Path, campaign_data: Path) -> Bench:
    return make_bench(tmp_path / "workspace", campaign_data)

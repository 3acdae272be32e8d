"""One imported oracle for all tests here; every test gets a workspace of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundle_bench import bundle_of, finished_campaign
from campaign_bench import Bench, make_bench
from trials_bench import make_data_home

from m4review.campaigns.bundle import Bundle


@pytest.fixture(scope="session")
def campaign_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data_home(tmp_path_factory.mktemp("campaign-data"))


@pytest.fixture
def bench(tmp_path: Path, campaign_data: Path) -> Bench:
    return make_bench(tmp_path / "workspace", campaign_data)


@pytest.fixture(scope="session")
def bundled_campaign(tmp_path_factory: pytest.TempPathFactory, campaign_data: Path) -> Bench:
    """A finished campaign; tests only read it, or copy it first."""
    return finished_campaign(make_bench(tmp_path_factory.mktemp("bundled") / "workspace", campaign_data))


@pytest.fixture(scope="session")
def bundle(bundled_campaign: Bench) -> Bundle:
    """Its evidence bundle."""
    return bundle_of(bundled_campaign)

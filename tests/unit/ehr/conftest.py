"""Fixtures of the EHR tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ehr_bench import Bench


@pytest.fixture(scope="session")
def one_bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.connection.close()


@pytest.fixture
def bench(one_bench: Bench) -> Bench:
    one_bench.start_over()
    return one_bench

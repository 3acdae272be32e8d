"""The engine that compares: DuckDB in memory, within limits of memory, threads and time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
from pydantic import BaseModel, ConfigDict, Field

from m4review.scoring.output import MAX_OUTPUT_BYTES


class ScoringLimits(BaseModel):
    """What scoring may use. Memory beyond the limit spills to a temporary folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_output_bytes: int = Field(default=MAX_OUTPUT_BYTES, gt=0)
    memory: str = "2GB"
    seconds: float = Field(default=900, gt=0)
    """Scoring that takes longer is given up."""
    threads: int = Field(default_factory=lambda: min(4, os.cpu_count() or 1), gt=0)


@contextmanager
def scoring_engine(limits: ScoringLimits, scratch: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory engine within the limits, interrupted when its time is up."""
    with duckdb.connect(
        ":memory:", config={"threads": limits.threads, "memory_limit": limits.memory, "temp_directory": scratch}
    ) as connection:
        # The engine would draw a bar into the screen of whoever calls, and fetch extensions from the network.
        for setting in ("enable_progress_bar", "autoinstall_known_extensions"):
            connection.execute(f"SET {setting} = false").fetchall()
        # A full join holds its right side in memory. That shall be the reference, whose size is known, and not the
        # output, which the engine takes for small because it cannot know.
        connection.execute("SET disabled_optimizers = 'build_side_probe_side'").fetchall()
        alarm = threading.Timer(limits.seconds, connection.interrupt)
        alarm.daemon = True
        alarm.start()
        try:
            yield connection
        finally:
            alarm.cancel()
            alarm.join()

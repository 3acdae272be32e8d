"""A small reference, a complete answer to it, and their contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb

from m4review.scoring import Score, ScoringSpec

REFERENCE = """
    SELECT * FROM (VALUES
        (30000001::BIGINT, 3::INTEGER, 36.5::DOUBLE, TIMESTAMP '2150-01-01 00:00:00', 'InvasiveVent'),
        (30000002,         0,          NULL,         TIMESTAMP '2150-01-02 06:30:00', 'None'),
        (30000003,         NULL,       38.25,        NULL,                            NULL),
        (30000004,         12,         40.0,         TIMESTAMP '2150-01-04 23:59:59', 'HFNC')
    ) AS stays(stay_id, score, temperature, onset, status)
"""

GOOD = """stay_id,score,temperature,onset,status
30000001,3,36.5,2150-01-01 00:00:00,InvasiveVent
30000002,0,,2150-01-02 06:30:00,None
30000003,,38.25,,
30000004,12,40.0,2150-01-04 23:59:59,HFNC
"""

SPEC = ScoringSpec(
    key_columns=("stay_id",),
    scored_columns=("score", "temperature", "onset", "status"),
    required_columns=("stay_id", "score", "temperature", "onset", "status"),
)

Scorer = Callable[..., Score]


def write_parquet(query: str, path: Path) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)").fetchall()
    return path

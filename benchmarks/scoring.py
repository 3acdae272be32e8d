"""Scoring speed: the product against two straightforward ways of the same comparison, on the same files.

    python benchmarks/scoring.py [--rows 1000000]

Each way runs in a process of its own, so that CPU time and peak memory are its own. The data has the shape of the
largest reference (two keys, six scored columns, some cells missing); the output is the same rows in another order.
``all-text`` keeps both sides as text, numbers the rows with a window and casts at comparison time. ``pandas`` runs only
where pandas happens to be installed; it is no dependency.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

KEYS = ("stay_id", "charttime")
COLUMNS = tuple(f"v{number}" for number in range(1, 7))
LARGEST_REFERENCE = 4_126_485


def make_data(folder: Path, rows: int) -> None:
    """``reference.parquet``, ``reference.csv`` and a shuffled ``output.csv``."""
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false").fetchall()
        connection.execute("SELECT setseed(0.5)").fetchall()
        connection.execute(
            f"""CREATE TABLE truth AS SELECT 30000000 + i // 44 AS stay_id,
                TIMESTAMP '2150-01-01' + INTERVAL (i % 44) HOUR + INTERVAL ((i * 7919) % 3600) SECOND AS charttime,
                round(random() * 10, 4) AS v1, round(random() * 10, 4) AS v2, round(random() * 1000, 1) AS v3,
                CASE WHEN i % 7 > 0 THEN round(random() * 1000, 1) END AS v4, CAST(random() * 4 AS INTEGER) AS v5,
                round(random() * 100, 2) AS v6 FROM range({rows}) AS t(i)"""
        ).fetchall()
        connection.execute(f"COPY truth TO '{folder}/reference.parquet' (FORMAT parquet, COMPRESSION zstd)").fetchall()
        connection.execute(f"COPY truth TO '{folder}/reference.csv' (HEADER)").fetchall()
        shuffled = "SELECT * FROM truth ORDER BY hash(stay_id), charttime"
        connection.execute(f"COPY ({shuffled}) TO '{folder}/output.csv' (HEADER)").fetchall()


def product(folder: Path) -> float:
    from m4review.scoring import ScoringSpec, score_output

    spec = ScoringSpec(key_columns=KEYS, scored_columns=COLUMNS)
    return score_output(folder / "output.csv", folder / "reference.parquet", spec).reward


def all_text(folder: Path) -> float:
    match = ", ".join(
        f"count(*) FILTER (a.n = 1 AND ((r.{name} IS NULL AND a.{name} IS NULL) OR "
        f"abs(TRY_CAST(r.{name} AS DOUBLE) - TRY_CAST(a.{name} AS DOUBLE)) <= 0 OR r.{name} = a.{name}))"
        for name in COLUMNS
    )
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false").fetchall()
        figures = connection.execute(
            f"""WITH r AS (SELECT * FROM read_csv('{folder}/reference.csv', all_varchar = true)),
                a AS (SELECT *, row_number() OVER (PARTITION BY stay_id, charttime) AS n
                      FROM read_csv('{folder}/output.csv', all_varchar = true))
                SELECT count(*), {match} FROM r LEFT JOIN a
                ON TRY_CAST(r.stay_id AS BIGINT) = TRY_CAST(a.stay_id AS BIGINT)
                AND TRY_CAST(r.charttime AS TIMESTAMP) = TRY_CAST(a.charttime AS TIMESTAMP)"""
        ).fetchall()[0]
    return sum(figures[1:]) / len(COLUMNS) / figures[0]


def with_pandas(folder: Path) -> float:
    import pandas

    reference = pandas.read_csv(folder / "reference.csv", parse_dates=["charttime"])
    output = pandas.read_csv(folder / "output.csv", parse_dates=["charttime"]).drop_duplicates(list(KEYS))
    joined = reference.merge(output, on=list(KEYS), how="left", suffixes=("", "_given"), indicator=True)
    given = joined["_merge"] == "both"
    rates = []
    for name in COLUMNS:
        left, right = joined[name], joined[f"{name}_given"]
        same = (left.isna() & right.isna()) | ((left - right).abs() <= 0)
        rates.append((same & given).mean())
    return float(sum(rates) / len(rates))


def measured(way: Callable[[Path], float], folder: Path) -> tuple[float, float, float, float]:
    """Reward, wall seconds, CPU seconds and peak memory (MB) of ``way`` in a fresh process."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(way, folder, sender))
    process.start()
    sender.close()
    try:
        result: tuple[float, float, float, float] = receiver.recv()
    except EOFError:
        raise SystemExit(f"{way.__name__} ended without a result") from None
    finally:
        process.join()
    return result


def _run(way: Callable[[Path], float], folder: Path, sender: object) -> None:
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    reward = way(folder)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    unit = 1024**2 if sys.platform == "darwin" else 1024
    sender.send((reward, wall, cpu, after.ru_maxrss / unit))  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rows", type=int, default=LARGEST_REFERENCE, help="reference rows (default: as many as the largest has)"
    )
    rows = parser.parse_args().rows
    ways: dict[str, Callable[[Path], float]] = {"m4review": product, "all-text": all_text}
    if importlib.util.find_spec("pandas"):
        ways["pandas"] = with_pandas
    else:
        print("pandas not installed: nothing to compare with but all-text")
    with tempfile.TemporaryDirectory(prefix="m4review-bench-") as name:
        folder = Path(name)
        make_data(folder, rows)
        size = (folder / "output.csv").stat().st_size / 1e6
        print(f"{rows:,} rows × {len(COLUMNS)} scored columns, two keys, output of {size:,.0f} MB")
        print(f"{'way':<10} {'reward':>7} {'wall s':>8} {'CPU s':>8} {'peak MB':>8}   CPU and memory against m4review")
        results = {label: measured(way, folder) for label, way in ways.items()}
    _, _, own_cpu, own_memory = results["m4review"]
    for label, (reward, wall, cpu, memory) in results.items():
        ratios = f"{cpu / own_cpu:>6.2f} ×  {memory / own_memory:>6.2f} ×"
        print(f"{label:<10} {reward:>7.4f} {wall:>8.2f} {cpu:>8.2f} {memory:>8.0f}   {ratios}")


if __name__ == "__main__":
    main()

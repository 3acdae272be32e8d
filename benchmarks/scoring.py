"""Scoring speed: the product against pandas, on the same files, with the same counts.

    python benchmarks/scoring.py [--rows 1000000] [--faults none|cells|rows]

The data has the shape of the largest reference (two keys, six scored columns, some cells missing); the output is the
same rows in another order. ``cells`` spoils one cell in a thousand and writes one timestamp in ten in another spelling;
``rows`` also repeats and invents one key in a thousand. Each way runs in a process of its own, so that CPU time and
peak memory are its own, and all must count the same matches, or there is no table.

``straightforward`` is what one writes first: both files as text, cells parsed one by one, a merge, a comparison per
column. ``vectorised`` is the same contract in whole columns. Both need pandas, which is no dependency; where it is not
installed only the product is measured.
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
from datetime import datetime
from pathlib import Path

import duckdb

KEYS = ("stay_id", "charttime")
COLUMNS = tuple(f"v{number}" for number in range(1, 7))
LARGEST_REFERENCE = 4_126_485


Counts = tuple[int, ...]
"""Matching cells of each scored column, then the denominator."""

FAULTS = ("none", "cells", "rows")


def make_data(folder: Path, rows: int, faults: str) -> None:
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
        cells = ", ".join(
            f"CASE WHEN hash(stay_id, charttime, {number}) % 1000 = 0 THEN 'N/A' ELSE {name}::VARCHAR END AS {name}"
            for number, name in enumerate(COLUMNS)
        )
        moment = "CASE WHEN hash(charttime) % 10 = 0 THEN strftime(charttime, '%Y-%m-%dT%H:%M:%S') "
        moment += "ELSE charttime::VARCHAR END AS charttime"
        given = "SELECT * FROM truth" if faults == "none" else f"SELECT stay_id, {moment}, {cells} FROM truth"
        if faults == "rows":
            one_in_thousand = "FROM given WHERE hash(stay_id, charttime) % 1000 = 1"
            given = (
                f"WITH given AS ({given}) FROM given UNION ALL SELECT * {one_in_thousand} "
                f"UNION ALL SELECT * REPLACE (stay_id + 10000000 AS stay_id) {one_in_thousand}"
            )
        shuffled = f"SELECT * FROM ({given}) ORDER BY hash(stay_id, charttime), v1"
        connection.execute(f"COPY ({shuffled}) TO '{folder}/output.csv' (HEADER)").fetchall()


def product(folder: Path) -> Counts:
    from m4review.scoring import ScoringSpec, score_output

    spec = ScoringSpec(key_columns=KEYS, scored_columns=COLUMNS)
    score = score_output(folder / "output.csv", folder / "reference.parquet", spec)
    return (*(column.matched for column in score.columns), score.columns[0].denominator)


BAD = object()


def number_of(text: str) -> object:
    """The number a cell holds, ``None`` for an empty one, ``BAD`` for other text."""
    text = text.strip()
    if not text:
        return None
    if text.lower() in {"true", "false"}:
        return float(text.lower() == "true")
    try:
        return BAD if "_" in text else float(text)
    except ValueError:
        return BAD


def moment_of(text: str) -> object:
    """The timestamp a cell holds, ``None`` for an empty one, ``BAD`` for other text."""
    text = text.strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return BAD


def straightforward(folder: Path) -> Counts:
    import pandas

    reference = pandas.read_csv(folder / "reference.csv", dtype=str, keep_default_na=False)
    output = pandas.read_csv(folder / "output.csv", dtype=str, keep_default_na=False)
    for table in (reference, output):
        table["stay_id"] = table["stay_id"].map(number_of).astype(object)
        table["charttime"] = table["charttime"].map(moment_of).astype(object)
    readable = output[
        (output["stay_id"].map(lambda key: key is not BAD)) & (output["charttime"].map(lambda key: key is not BAD))
    ]
    first = readable.drop_duplicates(list(KEYS))
    joined = reference.merge(first, on=list(KEYS), how="left", suffixes=("", "_given"), indicator=True)
    given = [origin == "both" for origin in joined["_merge"]]

    def same(expected: object, found: object) -> bool:
        return expected is not BAD and found is not BAD and expected == found

    matched = []
    for name in COLUMNS:
        expected, found = joined[name].map(number_of), joined[f"{name}_given"].fillna("").map(number_of)
        expected, found = (column.astype(object).where(column.notna(), None) for column in (expected, found))
        matched.append(sum(there and same(a, b) for there, a, b in zip(given, expected, found, strict=True)))
    return (*matched, len(reference) + len(output) - sum(given))


def vectorised(folder: Path) -> Counts:
    import pandas

    def numbers(text: pandas.Series) -> pandas.Series:
        value = pandas.to_numeric(text, errors="coerce")
        odd = value.isna() & (text != "")
        word = text[odd].str.strip().str.lower().map({"true": 1.0, "false": 0.0})
        return value.where(~odd, word.reindex(text.index))

    def moments(text: pandas.Series) -> pandas.Series:
        return pandas.to_datetime(text, errors="coerce", format="ISO8601")

    tables = []
    for name in ("reference.csv", "output.csv"):
        text = pandas.read_csv(folder / name, dtype=str, keep_default_na=False)
        typed = pandas.DataFrame({"stay_id": numbers(text["stay_id"]), "charttime": moments(text["charttime"])})
        for column in COLUMNS:
            typed[column] = numbers(text[column])
            typed[f"{column}_bad"] = typed[column].isna() & (text[column].str.strip() != "")
        tables.append(typed)
    reference, output = tables
    rows = len(output)
    first = output.dropna(subset=list(KEYS)).drop_duplicates(list(KEYS))
    joined = reference.merge(first, on=list(KEYS), how="left", suffixes=("", "_given"), indicator=True)
    given = joined["_merge"] == "both"
    matched = []
    for name in COLUMNS:
        left, right, bad = joined[name], joined[f"{name}_given"], joined[f"{name}_bad_given"].fillna(False).astype(bool)
        matched.append(int((given & ((left == right) | (left.isna() & right.isna() & ~bad))).sum()))
    return (*matched, len(reference) + rows - int(given.sum()))


def measured(way: Callable[[Path], Counts], folder: Path) -> tuple[Counts, float, float, float]:
    """Counts, wall seconds, CPU seconds and peak memory (MB) of ``way`` in a fresh process."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(way, folder, sender))
    process.start()
    sender.close()
    try:
        result: tuple[Counts, float, float, float] = receiver.recv()
    except EOFError:
        raise SystemExit(f"{way.__name__} ended without a result") from None
    finally:
        process.join()
    return result


def _run(way: Callable[[Path], Counts], folder: Path, sender: object) -> None:
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    counts = way(folder)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    unit = 1024**2 if sys.platform == "darwin" else 1024
    sender.send((counts, wall, cpu, after.ru_maxrss / unit))  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rows", type=int, default=LARGEST_REFERENCE, help="reference rows (default: as many as the largest has)"
    )
    parser.add_argument("--faults", choices=FAULTS, default="cells", help="what is wrong with the output")
    asked = parser.parse_args()
    ways: dict[str, Callable[[Path], Counts]] = {"m4review": product}
    if importlib.util.find_spec("pandas"):
        ways |= {"pandas, vectorised": vectorised, "pandas, straightforward": straightforward}
    else:
        print("pandas is not installed: nothing to compare with")
    with tempfile.TemporaryDirectory(prefix="m4review-bench-") as name:
        folder = Path(name)
        # In a process of its own: a child begins with the peak memory of the one that starts it.
        maker = multiprocessing.get_context("spawn").Process(target=make_data, args=(folder, asked.rows, asked.faults))
        maker.start()
        maker.join()
        if maker.exitcode:
            raise SystemExit("the data could not be made")
        size = (folder / "output.csv").stat().st_size / 1e6
        print(f"{asked.rows:,} rows × {len(COLUMNS)} scored columns, two keys; {size:,.0f} MB; faults: {asked.faults}")
        results = {label: measured(way, folder) for label, way in ways.items()}
    counts, _, own_cpu, own_memory = results["m4review"]
    different = [label for label, result in results.items() if result[0] != counts]
    if different:
        raise SystemExit(f"{different} counted otherwise: { {label: result[0] for label, result in results.items()} }")
    print(f"every way: {sum(counts[:-1]):,} of {counts[-1] * len(COLUMNS):,} cells match")
    print(f"{'way':<24} {'wall s':>8} {'CPU s':>8} {'peak MB':>8}   CPU and memory against m4review")
    for label, (_, wall, cpu, memory) in results.items():
        ratios = f"{cpu / own_cpu:>6.2f} ×  {memory / own_memory:>6.2f} ×"
        print(f"{label:<24} {wall:>8.2f} {cpu:>8.2f} {memory:>8.0f}   {ratios}")


if __name__ == "__main__":
    main()
